/** Devices and contexts of the driver API. */
import { callCost } from '../../system/call-costs.ts';
import type { ApiFunction, CudaCall, QueryFunction } from '../runtime/api.ts';
import type { ContextState, CudaContext } from '../runtime/context.ts';
import { deviceCalls, deviceQueries } from '../runtime/devices.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { propertiesStruct } from '../runtime/device-properties.ts';
import { CUctxCreateParams, cudaDeviceProp } from '../runtime/abi.ts';
import { streamCalls } from '../runtime/streams.ts';
import { unload } from './modules.ts';
import { driverCode, driverErrorName, driverErrorText, likeRuntime, queryOfRuntime, unmeasured } from './codes.ts';

const { Success, InvalidValue, InvalidDevice } = cudaError;
/** `CUDA_ERROR_INVALID_CONTEXT`. */
const invalidContext = cudaError.DeviceUninitialized;

/** A query that the runtime answers, about the device of the current context. */
const contextQuery = (name: string): QueryFunction => {
  const answer = queryOfRuntime(name);
  return (context, ...args) => (context.thread.context === null ? invalidContext : answer(context, ...args));
};

/** A handle in the program's memory; 0 stands for no context. */
const giveContext = (context: CudaContext, target: number, found: ContextState | null): void =>
  context.memory.setWord(target, found?.handle ?? 0);

/** The context takes the place of the current one, or there is none from now on. */
const setCurrent: QueryFunction = (context, handle) => {
  const { thread } = context;
  if (handle === 0) thread.contexts.pop();
  else {
    const found = context.contexts.get(handle!);
    if (!found) return invalidContext;
    thread.contexts.splice(-1, 1, found);
  }
  thread.current = thread.context?.device ?? thread.current;
  return Success;
};

const push: QueryFunction = (context, handle) => {
  const found = context.contexts.get(handle!);
  if (!found) return invalidContext;
  context.thread.contexts.push(found);
  context.thread.current = found.device;
  return Success;
};

const pop: QueryFunction = (context, target) => {
  const { thread } = context;
  const found = thread.contexts.pop();
  if (!found) return invalidContext;
  if (target !== 0) giveContext(context, target!, found);
  thread.current = thread.context?.device ?? thread.current;
  return Success;
};

function create(context: CudaContext, target: number, flags: number, device: number): number {
  const found = context.devices[device];
  if (!found) return InvalidDevice;
  if (target === 0 || flags > 0xff) return InvalidValue;
  const made: ContextState = { handle: context.newHandle(), device: found, isPrimary: false };
  context.contexts.set(made.handle, made);
  context.memory.setWord(target, made.handle);
  return push(context, made.handle);
}

/** Its memory and modules go with it; a fault of its kernels does, too. */
const destroy: ApiFunction = (context, call, handle) => {
  const found = context.contexts.get(handle!);
  if (!found || found.isPrimary) return invalidContext;
  const { device } = found;
  context.waitForDevice(call, false, device.index);
  return context.afterWait(call, () => {
    context.noticeFault(device);
    const { thread } = context;
    if (thread.context === found) pop(context, 0);
    context.contexts.delete(found.handle);
    for (const module of [...context.modules.values()]) if (module.context === found.handle) unload(context, module);
    for (const { start, info } of [...context.deviceAllocations.list])
      if (info.context === found.handle) context.freeDevice(start);
    device.stickyError = device.pendingError = 0;
    return Success;
  });
};

const withDevice =
  (answer: (context: CudaContext, device: number, ...args: number[]) => void, place: number): QueryFunction =>
  (context, ...args) => {
    const device = args[place]!;
    if (!context.devices[device]) return InvalidDevice;
    answer(context, device, ...args);
    return Success;
  };

const giveText = (context: CudaContext, target: number, text: string | null): number => {
  context.memory.setWord(target, text === null ? 0 : context.textAddress(text));
  return text === null ? InvalidValue : Success;
};

/** Calls that profilers leave out. */
export const contextQueries: Record<string, QueryFunction> = {
  cuInit: (_context, flags) => (flags === 0 ? Success : InvalidValue),
  cuDriverGetVersion: queryOfRuntime('cudaDriverGetVersion'),
  cuGetErrorName: (context, code, target) => giveText(context, target!, driverErrorName(code!)),
  cuGetErrorString: (context, code, target) => giveText(context, target!, driverErrorText(code!)),

  cuDeviceGetCount: queryOfRuntime('cudaGetDeviceCount'),
  cuDeviceGet: withDevice((context, ordinal, target) => context.memory.setU32(target!, ordinal), 1),
  cuDeviceGetName: withDevice((context, device, target, length) => {
    const text = new TextEncoder().encode(context.devices[device]!.gpu.name).subarray(0, Math.max(0, length! - 1));
    context.memory.bytes(target!, text.length + 1).set([...text, 0]);
  }, 2),
  cuDeviceGetUuid_v2: withDevice((context, device, target) => {
    const struct = propertiesStruct(context.devices[device]!.gpu, device);
    context.memory.bytes(target!, 16).set(struct.subarray(cudaDeviceProp.uuid, cudaDeviceProp.uuid + 16));
  }, 1),
  cuDeviceTotalMem_v2: withDevice(
    (context, device, target) => context.memory.setWord(target!, context.devices[device]!.gpu.memory.capacityBytes),
    1,
  ),
  cuDeviceComputeCapability: withDevice((context, device, major, minor) => {
    const { computeCapability } = context.devices[device]!.gpu;
    context.memory.setU32(major!, computeCapability.major);
    context.memory.setU32(minor!, computeCapability.minor);
  }, 2),
  cuDeviceGetAttribute: queryOfRuntime('cudaDeviceGetAttribute'),
  cuDeviceGetPCIBusId: queryOfRuntime('cudaDeviceGetPCIBusId'),
  cuDeviceGetByPCIBusId: queryOfRuntime('cudaDeviceGetByPCIBusId'),
  cuDeviceCanAccessPeer: queryOfRuntime('cudaDeviceCanAccessPeer'),
  cuDeviceGetP2PAttribute: queryOfRuntime('cudaDeviceGetP2PAttribute'),

  cuDevicePrimaryCtxRetain: withDevice(
    (context, device, target) => giveContext(context, target!, context.primaryOf(context.devices[device]!)),
    1,
  ),
  cuDevicePrimaryCtxRelease_v2: withDevice(() => undefined, 0),
  cuDevicePrimaryCtxSetFlags_v2: withDevice((context, device, _device, flags) => {
    context.devices[device]!.flags = flags!;
  }, 0),
  cuDevicePrimaryCtxGetState: withDevice((context, device, _device, flags, active) => {
    context.memory.setU32(flags!, context.devices[device]!.flags);
    context.memory.setU32(active!, 1);
  }, 0),
  cuCtxGetCurrent: (context, target) => {
    giveContext(context, target!, context.thread.context);
    return Success;
  },
  cuCtxSetCurrent: setCurrent,
  cuCtxPushCurrent_v2: push,
  cuCtxPopCurrent_v2: pop,
  cuCtxGetDevice: contextQuery('cudaGetDevice'),
  cuCtxGetFlags: contextQuery('cudaGetDeviceFlags'),
  cuCtxGetId: (context, handle, target) => {
    const found = handle === 0 ? context.thread.context : context.contexts.get(handle!);
    if (!found) return invalidContext;
    context.memory.setWord(target!, found.handle);
    return Success;
  },
  cuCtxGetApiVersion: (context, handle, target) => {
    if (handle !== 0 && !context.contexts.has(handle!)) return invalidContext;
    // The first version with the layouts of today.
    context.memory.setU32(target!, 3020);
    return Success;
  },
  cuCtxSetLimit: contextQuery('cudaDeviceSetLimit'),
  cuCtxGetLimit: contextQuery('cudaDeviceGetLimit'),
  cuCtxGetCacheConfig: contextQuery('cudaDeviceGetCacheConfig'),
  cuCtxSetCacheConfig: contextQuery('cudaDeviceSetCacheConfig'),
  cuCtxGetStreamPriorityRange: contextQuery('cudaDeviceGetStreamPriorityRange'),
  cuCtxResetPersistingL2Cache: contextQuery('cudaCtxResetPersistingL2Cache'),
};

/** The device of a context whose memory the current one may access, or may not any more. */
const peerAccess =
  (name: string): ApiFunction =>
  (context, _call, handle, flags) => {
    const peer = context.contexts.get(handle!)?.device.index;
    return peer === undefined ? invalidContext : driverCode(deviceQueries[name]!(context, peer, flags!));
  };

export const contextCalls: Record<string, CudaCall> = {
  cuCtxCreate_v2: {
    cost: callCost.unmeasured,
    run: (context, _call, target, flags, device) => create(context, target!, flags!, device!),
  },
  cuCtxCreate_v4: {
    cost: callCost.unmeasured,
    // A context with a part of the SMs, or one that graphics share, is asked for by parameters.
    run: (context, _call, target, parameters, flags, device) => {
      const { memory } = context;
      const asks =
        parameters !== 0 &&
        (memory.field(parameters!, CUctxCreateParams, 'execAffinityParams') !== 0 ||
          memory.field(parameters!, CUctxCreateParams, 'cigParams') !== 0);
      return asks ? cudaError.NotSupported : create(context, target!, flags!, device!);
    },
  },
  cuCtxDestroy_v2: { cost: callCost.unmeasured, afterFault: true, run: destroy },
  cuCtxSynchronize: likeRuntime(streamCalls.cudaDeviceSynchronize!),
  cuCtxEnablePeerAccess: unmeasured(peerAccess('cudaDeviceEnablePeerAccess')),
  cuCtxDisablePeerAccess: unmeasured(peerAccess('cudaDeviceDisablePeerAccess')),
  cuDevicePrimaryCtxReset_v2: {
    ...deviceCalls.cudaDeviceReset!,
    run: (context, call, device) => {
      const found = context.devices[device!];
      if (!found) return InvalidDevice;
      context.waitForDevice(call, false, found.index);
      return context.afterWait(call, () => {
        context.on(found, () => context.reset());
        return Success;
      });
    },
  },
  cuProfilerStart: likeRuntime(deviceCalls.cudaProfilerStart!),
  cuProfilerStop: likeRuntime(deviceCalls.cudaProfilerStop!),
};
