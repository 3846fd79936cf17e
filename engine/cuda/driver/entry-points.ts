/** Functions of the driver that a program looks up by name while it runs. Their pointers are the linked program's (engine/compile/entry-points.ts). */
import type { ApiFunction, CudaCall, QueryFunction } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaVersion } from '../runtime/devices.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { unmeasured } from './codes.ts';

const { Success, InvalidValue } = cudaError;

/** `CUdriverProcAddressQueryResult` and `cudaDriverEntryPointQueryResult`. */
const found = { success: 0, notFound: 1, versionNotSufficient: 2 } as const;

/** What the linked program gives for a name that has later versions only. */
const laterOnly = 2 ** 64;

interface Wanted {
  name: number;
  target: number;
  version: number;
  /** Of the three, the last is that of streams per thread. */
  flags: number;
  /** Where it is told how the search ended; 0: nowhere. */
  status: number;
}

/** What is not found is no error: there is no pointer then, and the status says why (an H200's driver of CUDA 13.0). */
function lookUp(context: CudaContext, { name, target, version, flags, status }: Wanted): number {
  if (name === 0 || target === 0 || flags > 2) return InvalidValue;
  const isPerThread = flags === 2 || (flags === 0 && context.thread.perThreadCall);
  const pointer = context.entryPoint(name, version, isPerThread);
  const isLater = pointer === laterOnly;
  context.memory.setWord(target, isLater ? 0 : pointer);
  const result = isLater ? found.versionNotSufficient : pointer === 0 ? found.notFound : found.success;
  if (status !== 0) context.memory.setU32(status, result);
  return Success;
}

const byVersion: ApiFunction = (context, _call, name, target, version, flags, status) =>
  lookUp(context, { name: name!, target: target!, version: version!, flags: flags!, status: status! });

export const entryPointCalls: Record<string, CudaCall> = {
  cuGetProcAddress_v2: unmeasured(byVersion),
  cudaGetDriverEntryPointByVersion: unmeasured(byVersion),
  cudaGetDriverEntryPoint: unmeasured((context, _call, name, target, flags, status) =>
    lookUp(context, { name: name!, target: target!, version: cudaVersion, flags: flags!, status: status! }),
  ),
};

export const entryPointQueries: Record<string, QueryFunction> = {
  __cudaDriverSymbol: (context, name) => context.entryPoint(name!, 0, false),
};
