/** Functions of the driver API that runtime programs use: devices, their primary contexts, plain memory. Its codes are the runtime's. */
import { callCost } from '../../system/call-costs.ts';
import type { ApiFunction, CudaCall, QueryFunction } from './api.ts';
import { deviceQueries } from './devices.ts';
import { cudaError, cudaErrors, errorText } from './errors.ts';
import { memoryCalls } from './memory.ts';
import { streamCalls } from './streams.ts';

const { Success, InvalidValue, InvalidDevice } = cudaError;

/** The handle of a device's only context; 0 is none. */
const contextOf = (device: number): number => 1 + device;

const known = new Set<number>(cudaErrors.map(([code]) => code));

/** `CUDA_ERROR_INVALID_VALUE` for `cudaErrorInvalidValue`. */
const driverName = (name: string): string =>
  name === 'cudaSuccess'
    ? 'CUDA_SUCCESS'
    : `CUDA_ERROR_${name
        .replace('cudaError', '')
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .toUpperCase()}`;

const giveContext: QueryFunction = (context, target) => {
  context.memory.setWord(target!, contextOf(context.current.index));
  return Success;
};

const makeCurrent: QueryFunction = (context, handle) => {
  const device = context.devices[handle! - 1];
  if (device) context.thread.current = device;
  // No context at all is the first device's, as for the runtime.
  return device || handle === 0 ? Success : cudaError.DeviceUninitialized;
};

export const driverQueries: Record<string, QueryFunction> = {
  cuInit: (_context, flags) => (flags === 0 ? Success : InvalidValue),
  cuDriverGetVersion: (context, target) => deviceQueries.cudaDriverGetVersion!(context, target!),
  cuDeviceGetCount: (context, target) => deviceQueries.cudaGetDeviceCount!(context, target!),
  cuDeviceGet: (context, target, ordinal) => {
    if (!context.devices[ordinal!]) return InvalidDevice;
    context.memory.setU32(target!, ordinal!);
    return Success;
  },
  cuDeviceGetName: (context, target, length, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    const text = new TextEncoder().encode(found.gpu.name).subarray(0, Math.max(0, length! - 1));
    context.memory.bytes(target!, text.length + 1).set([...text, 0]);
    return Success;
  },
  cuDeviceTotalMem: (context, target, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    context.memory.setWord(target!, found.gpu.memory.capacityBytes);
    return Success;
  },
  cuDeviceComputeCapability: (context, major, minor, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    context.memory.setU32(major!, found.gpu.computeCapability.major);
    context.memory.setU32(minor!, found.gpu.computeCapability.minor);
    return Success;
  },
  cuDeviceGetAttribute: (context, target, attribute, device) =>
    deviceQueries.cudaDeviceGetAttribute!(context, target!, attribute!, device!),
  cuDevicePrimaryCtxRetain: (context, target, device) => {
    if (!context.devices[device!]) return InvalidDevice;
    context.memory.setWord(target!, contextOf(device!));
    return Success;
  },
  cuDevicePrimaryCtxRelease: () => Success,
  cuCtxCreate: (context, target, _flags, device) => {
    if (!context.devices[device!]) return InvalidDevice;
    makeCurrent(context, contextOf(device!));
    return giveContext(context, target!);
  },
  cuCtxGetCurrent: giveContext,
  cuCtxSetCurrent: makeCurrent,
  cuCtxPushCurrent: (context, handle) => {
    context.thread.pushed.push(context.current);
    return makeCurrent(context, handle!);
  },
  cuCtxPopCurrent: (context, target) => {
    if (target !== 0) giveContext(context, target!);
    context.thread.current = context.thread.pushed.pop() ?? context.current;
    return Success;
  },
  cuCtxDestroy: () => Success,
  cuCtxGetDevice: (context, target) => {
    context.memory.setU32(target!, context.current.index);
    return Success;
  },
  cuGetErrorName: (context, code, target) => {
    const entry = cudaErrors.find(([number]) => number === code);
    context.memory.setWord(target!, entry ? context.textAddress(driverName(entry[1])) : 0);
    return entry ? Success : InvalidValue;
  },
  cuGetErrorString: (context, code, target) => {
    context.memory.setWord(target!, known.has(code!) ? context.textAddress(errorText(code!)) : 0);
    return known.has(code!) ? Success : InvalidValue;
  },
};

const linear =
  (kind: number): ApiFunction =>
  (context, call, target, source, size) =>
    memoryCalls.cudaMemcpy!.run(context, call, target!, source!, size!, kind);

export const driverCalls: Record<string, CudaCall> = {
  cuMemGetInfo: {
    cost: callCost.unmeasured,
    run: (context, call, ...args) => memoryCalls.cudaMemGetInfo!.run(context, call, ...args),
  },
  cuMemAlloc: {
    cost: callCost.unmeasured,
    run: (context, call, ...args) => memoryCalls.cudaMalloc!.run(context, call, ...args),
  },
  cuMemFree: {
    cost: callCost.unmeasured,
    run: (context, call, ...args) => memoryCalls.cudaFree!.run(context, call, ...args),
  },
  cuMemcpyHtoD: { cost: callCost.unmeasured, run: linear(1) },
  cuMemcpyDtoH: { cost: callCost.unmeasured, run: linear(2) },
  cuMemcpyDtoD: { cost: callCost.unmeasured, run: linear(3) },
  cuMemsetD8: {
    cost: callCost.unmeasured,
    run: (context, call, target, value, count) => memoryCalls.cudaMemset!.run(context, call, target!, value!, count!),
  },
  cuCtxSynchronize: {
    cost: callCost.unmeasured,
    run: (context, call) => streamCalls.cudaDeviceSynchronize!.run(context, call),
  },
  cuStreamSynchronize: {
    cost: callCost.unmeasured,
    run: (context, call, stream) => streamCalls.cudaStreamSynchronize!.run(context, call, stream!),
  },
};
