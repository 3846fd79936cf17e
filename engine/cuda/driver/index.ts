/** The CUDA driver API: its calls by the names that they have in the driver. Most do what functions of the runtime do. */
import type { CudaCall, QueryFunction } from '../runtime/api.ts';
import { contextCalls, contextQueries } from './contexts.ts';
import { copyCalls } from './copies.ts';
import { deprecatedCalls, deprecatedQueries } from './deprecated.ts';
import { functionCalls, functionQueries } from './functions.ts';
import { entryPointCalls, entryPointQueries } from './entry-points.ts';
import { driverGraphCalls } from './graphs.ts';
import { driverMemoryCalls, driverMemoryQueries } from './memory.ts';
import { moduleCalls } from './modules.ts';
import { driverStreamCalls, driverStreamQueries } from './streams.ts';
import { virtualMemoryCalls } from './virtual-memory.ts';

export const driverQueries: Record<string, QueryFunction> = {
  ...contextQueries,
  ...driverMemoryQueries,
  ...driverStreamQueries,
  ...functionQueries,
  ...entryPointQueries,
  ...deprecatedQueries,
};

export const driverCalls: Record<string, CudaCall> = {
  ...contextCalls,
  ...driverMemoryCalls,
  ...copyCalls,
  ...virtualMemoryCalls,
  ...driverStreamCalls,
  ...moduleCalls,
  ...functionCalls,
  ...driverGraphCalls,
  ...entryPointCalls,
  ...deprecatedCalls,
};

/** `cuMemAlloc_v2`, and not `cudaMalloc` or `cublasCreate`. */
export const isDriver = (name: string): boolean => /^cu[A-Z]/.test(name);

const withoutContext = new Set([
  ...Object.keys(virtualMemoryCalls),
  ...['cuCtxCreate_v2', 'cuCtxCreate_v4', 'cuCtxDestroy_v2', 'cuDevicePrimaryCtxReset_v2'],
  ...['cuProfilerStart', 'cuProfilerStop', 'cuGetProcAddress_v2'],
]);

/** True for a call that fails without a current context; calls of the runtime make one. */
export const needsContext = (name: string): boolean => isDriver(name) && !withoutContext.has(name);
