/** Status codes of the driver API. Where both have one, a code has the same number as the runtime's. */
import { callCost } from '../../system/call-costs.ts';
import type { ApiFunction, CudaCall, QueryFunction } from '../runtime/api.ts';
import { deviceQueries } from '../runtime/devices.ts';
import { cudaError, cudaErrors, errorText } from '../../model/cuda-errors.ts';

/** Those below 98 that the driver has, from CUDA 13's cuda.h: others are its `CUDA_ERROR_INVALID_VALUE`. */
const lowCodes = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 34, 36, 46]);

/** What the driver answers where the runtime says `code`. */
export function driverCode(code: number): number {
  if (code === cudaError.InvalidDeviceFunction) return cudaError.InvalidResourceHandle;
  return code >= 100 || lowCodes.has(code) ? code : cudaError.InvalidValue;
}

/** Names of codes that the driver calls otherwise than the runtime does. */
const ownNames: Readonly<Record<number, string>> = {
  0: 'CUDA_SUCCESS',
  2: 'CUDA_ERROR_OUT_OF_MEMORY',
  3: 'CUDA_ERROR_NOT_INITIALIZED',
  4: 'CUDA_ERROR_DEINITIALIZED',
  46: 'CUDA_ERROR_DEVICE_UNAVAILABLE',
  200: 'CUDA_ERROR_INVALID_IMAGE',
  201: 'CUDA_ERROR_INVALID_CONTEXT',
  202: 'CUDA_ERROR_CONTEXT_ALREADY_CURRENT',
  205: 'CUDA_ERROR_MAP_FAILED',
  206: 'CUDA_ERROR_UNMAP_FAILED',
  209: 'CUDA_ERROR_NO_BINARY_FOR_GPU',
  214: 'CUDA_ERROR_ECC_UNCORRECTABLE',
  216: 'CUDA_ERROR_CONTEXT_ALREADY_IN_USE',
  225: 'CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC',
  400: 'CUDA_ERROR_INVALID_HANDLE',
  500: 'CUDA_ERROR_NOT_FOUND',
  708: 'CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE',
  719: 'CUDA_ERROR_LAUNCH_FAILED',
  916: 'CUDA_ERROR_KEY_ROTATION',
};

/** `CUDA_ERROR_INVALID_DEVICE`, for 101; null for a number that is no code of the driver's. */
export function driverErrorName(code: number): string | null {
  if (code in ownNames) return ownNames[code]!;
  const name = cudaErrors.find(([number]) => number === code)?.[1];
  if (name === undefined || driverCode(code) !== code) return null;
  const words = name
    .replace('cudaError', '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase();
  return `CUDA_ERROR_${words}`;
}

/** What `cuGetErrorString` says; null for a number that is no code of the driver's. */
export const driverErrorText = (code: number): string | null =>
  driverErrorName(code) === null ? null : errorText(code);

/** A call of the driver's that does what a function of the runtime's does, and costs as much. `run` may hand on other arguments. */
export function likeRuntime(row: CudaCall, run: ApiFunction = row.run): CudaCall {
  return { ...row, run: (context, call, ...args) => driverCode(run(context, call, ...args)) };
}

/** A query that the runtime answers. */
export function queryOfRuntime(name: string): QueryFunction {
  const answer = deviceQueries[name]!;
  return (context, ...args) => driverCode(answer(context, ...args));
}

/** A call whose cost nobody has measured. */
export const unmeasured = (run: ApiFunction): CudaCall => ({ cost: callCost.unmeasured, run });
