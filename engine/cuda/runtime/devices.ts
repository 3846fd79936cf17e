/** Devices, versions, limits, errors, profiler marks. */
import type { ApiFunction, QueryFunction } from './api.ts';
import { attributeValue, propertiesStruct } from './device-properties.ts';
import { cudaError, errorName, errorText } from './errors.ts';
import { isCacheConfig } from './launch-limits.ts';
import { greatestPriority } from './streams.ts';

const { Success, InvalidValue, InvalidDevice } = cudaError;

const cudaVersion = 12080;
/** `cudaDeviceScheduleBlockingSync`. */
const scheduleBlockingSync = 4;

const getProperties: ApiFunction = (context, _call, target, device) => {
  if (device !== 0) return InvalidDevice;
  const struct = propertiesStruct(context.gpu);
  context.memory.bytes(target!, struct.length).set(struct);
  return Success;
};

/** `cudaLimit`: stack, printf buffer, heap, as CUDA starts with. */
const limits: Record<number, number> = { 0: 1024, 1: 1 << 20, 2: 8 << 20, 3: 2, 4: 2048, 5: 128, 6: 0 };

export const deviceCalls: Record<string, ApiFunction> = {
  cudaGetDeviceProperties: getProperties,
  cudaGetDeviceProperties_v2: getProperties,
  cudaDeviceReset: (context, call) => {
    context.system.synchronizeDevice(call);
    context.reset();
    return Success;
  },
  cudaThreadExit: (context, call) => deviceCalls.cudaDeviceReset!(context, call),
  cudaProfilerStart: (context) => {
    context.options.onProfiler?.(true);
    return Success;
  },
  cudaProfilerStop: (context) => {
    context.options.onProfiler?.(false);
    return Success;
  },
};

export const deviceQueries: Record<string, QueryFunction> = {
  cudaGetDeviceCount: (context, target) => {
    context.memory.setU32(target!, 1);
    return Success;
  },
  cudaGetDevice: (context, target) => {
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaSetDevice: (_context, device) => (device === 0 ? Success : InvalidDevice),
  cudaInitDevice: (_context, device) => (device === 0 ? Success : InvalidDevice),
  cudaSetDeviceFlags: (context, flags) => {
    context.deviceFlags = flags!;
    context.system.setBlockingWaits((flags! & scheduleBlockingSync) !== 0);
    return Success;
  },
  cudaGetDeviceFlags: (context, target) => {
    context.memory.setU32(target!, context.deviceFlags);
    return Success;
  },
  cudaDeviceGetAttribute: (context, target, attribute, device) => {
    if (device !== 0) return InvalidDevice;
    const value = attributeValue(context.gpu, attribute!);
    if (value === null) return InvalidValue;
    context.memory.setU32(target!, value);
    return Success;
  },
  cudaDeviceGetPCIBusId: (context, target, length, device) => {
    if (device !== 0) return InvalidDevice;
    const text = new TextEncoder().encode('0000:01:00.0\0');
    if (length! < text.length) return InvalidValue;
    context.memory.bytes(target!, text.length).set(text);
    return Success;
  },
  cudaDeviceGetStreamPriorityRange: (context, least, greatest) => {
    if (least !== 0) context.memory.setU32(least!, 0);
    if (greatest !== 0) context.memory.setU32(greatest!, greatestPriority);
    return Success;
  },
  cudaDeviceSetLimit: (context, limit, value) => {
    if (!(limit! in limits)) return cudaError.UnsupportedLimit;
    context.limits.set(limit!, value!);
    return Success;
  },
  cudaDeviceGetLimit: (context, target, limit) => {
    const value = context.limits.get(limit!) ?? limits[limit!];
    if (value === undefined) return cudaError.UnsupportedLimit;
    context.memory.setU32(target!, value);
    return Success;
  },
  cudaDeviceGetCacheConfig: (context, target) => {
    context.memory.setU32(target!, context.cacheConfig);
    return Success;
  },
  cudaDeviceSetCacheConfig: (context, config) => {
    if (!isCacheConfig(config!)) return cudaError.InvalidValue;
    context.cacheConfig = config!;
    return Success;
  },
  cudaDeviceGetSharedMemConfig: (context, target) => {
    context.memory.setU32(target!, 1);
    return Success;
  },
  cudaDeviceSetSharedMemConfig: () => Success,
  // There is one device, and no device is its own peer.
  cudaDeviceCanAccessPeer: (context, target, device, peer) => {
    if (device !== 0 || peer !== 0) return InvalidDevice;
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaDeviceEnablePeerAccess: (_context, peer, flags) => (peer !== 0 || flags === 0 ? InvalidDevice : InvalidValue),
  cudaDeviceDisablePeerAccess: (_context, peer) => (peer === 0 ? cudaError.PeerAccessNotEnabled : InvalidDevice),
  cudaDeviceGetP2PAttribute: () => InvalidDevice,
  cudaChooseDevice: (context, target) => {
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaSetValidDevices: (context, devices, count) => {
    for (let i = 0; i < count!; i++) if (context.memory.u32(devices! + 4 * i) !== 0) return InvalidDevice;
    return Success;
  },
  cudaDeviceGetByPCIBusId: (context, target, text) => {
    if (!/^(?:0000:)?0?1:0?0(?:\.0)?$/.test(context.memory.text(text!))) return InvalidValue;
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaCtxResetPersistingL2Cache: () => Success,
  // One process: there is nobody to share with.
  cudaIpcGetEventHandle: () => cudaError.NotSupported,
  cudaIpcOpenEventHandle: () => cudaError.NotSupported,
  cudaIpcGetMemHandle: () => cudaError.NotSupported,
  cudaIpcOpenMemHandle: () => cudaError.NotSupported,
  cudaIpcCloseMemHandle: () => cudaError.NotSupported,
  cudaStreamGetId: (context, stream, target) => {
    const id = context.streamOf(stream!);
    if (id === null) return cudaError.InvalidResourceHandle;
    context.memory.setU64(target!, BigInt(id));
    return Success;
  },
  cudaStreamGetDevice: (context, stream, target) => {
    if (context.streamOf(stream!) === null) return cudaError.InvalidResourceHandle;
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaDriverGetVersion: (context, target) => {
    context.memory.setU32(target!, cudaVersion);
    return Success;
  },
  cudaRuntimeGetVersion: (context, target) => {
    context.memory.setU32(target!, cudaVersion);
    return Success;
  },
  cudaHostGetFlags: (context, target, address) => {
    const range = context.pinned.find(address!);
    if (!range) return InvalidValue;
    context.memory.setU32(target!, range.info.flags);
    return Success;
  },
  cudaPointerGetAttributes: (context, target, address) => {
    const managed = context.managed.find(address!);
    const pinned = context.pinned.find(address!);
    const onDevice = !managed && !pinned && context.isDeviceRange(address!, 0);
    const shared = context.shared.ranges.find(address!);
    const seen = shared ? shared.info.deviceAddress + address! - shared.start : onDevice ? address! : 0;
    // { type, device, devicePointer, hostPointer }; types: 0 unregistered, 1 host, 2 device, 3 managed.
    context.memory.setU32(target!, managed ? 3 : pinned ? 1 : onDevice ? 2 : 0);
    context.memory.setU32(target! + 4, managed || pinned || onDevice ? 0 : -2);
    context.memory.setU32(target! + 8, seen);
    context.memory.setU32(target! + 12, onDevice ? 0 : address!);
    return Success;
  },
  cudaStreamGetFlags: (context, stream, target) => {
    if (context.streamOf(stream!) === null) return cudaError.InvalidResourceHandle;
    context.memory.setU32(target!, context.streams.get(stream!)?.flags ?? 0);
    return Success;
  },
  cudaStreamGetPriority: (context, stream, target) => {
    if (context.streamOf(stream!) === null) return cudaError.InvalidResourceHandle;
    context.memory.setU32(target!, context.streams.get(stream!)?.priority ?? 0);
    return Success;
  },
};

/** Calls that report on errors must not count as calls themselves. */
export const errorQueries: Record<string, QueryFunction> = {
  cudaGetLastError: (context) => context.takeError(),
  cudaPeekAtLastError: (context) => context.peekError(),
  cudaGetErrorName: (context, code) => context.textAddress(errorName(code!)),
  cudaGetErrorString: (context, code) => context.textAddress(errorText(code!)),
};
