/** Devices, versions, limits, errors, profiler marks. */
import { callCost } from '../../system/call-costs.ts';
import { cudaPointerAttributes } from './abi.ts';
import type { ApiFunction, CudaCall, QueryFunction } from './api.ts';
import { busLocation } from '../../gpus/bus.ts';
import { persistingL2, setAside } from '../../gpus/persisting-l2.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import { attributeValue, propertiesStruct } from './device-properties.ts';
import { cudaError, errorName, errorText } from '../../model/cuda-errors.ts';
import { isCacheConfig } from './launch-limits.ts';
import { greatestPriority } from './streams.ts';

const { Success, InvalidValue, InvalidDevice } = cudaError;

export const cudaVersion = 12080;
/** `cudaDeviceScheduleBlockingSync`. */
const scheduleBlockingSync = 4;

const getProperties: ApiFunction = (context, _call, target, device) => {
  const found = context.devices[device!];
  if (!found) return InvalidDevice;
  const struct = propertiesStruct(found.gpu, device!);
  context.memory.bytes(target!, struct.length).set(struct);
  return Success;
};

const fetchGranularity = 5;
const mostFetched = 128;
const persistingBytes = 6;

/**
 * `cudaLimit`, as CUDA starts with them: stack, printf buffer (64 KiB for each SM), heap, depth and number of launches of kernels, bytes that
 * L2 fetches at most, bytes of L2 that are set aside. Of an H200 with driver 580.159, where there is no limit of depth: "functionality is
 * removed for devices of compute capability >= 9.0" (CUDA runtime API, cudaDeviceGetLimit). undefined for what is no limit of this GPU.
 */
function limitAtStart(gpu: GpuDescription, limit: number): number | undefined {
  const { most, atStart } = persistingL2(gpu);
  const values: Record<number, number | undefined> = {
    0: 1024,
    1: gpu.core.smCount * 2 ** 16,
    2: 8 << 20,
    3: gpu.computeCapability.major < 9 ? 2 : undefined,
    4: 2048,
    [fetchGranularity]: 64,
    [persistingBytes]: most > 0 ? atStart : undefined,
  };
  return values[limit];
}

export const deviceCalls: Record<string, CudaCall> = {
  cudaGetDeviceProperties: { cost: 43, contextFree: true, run: getProperties },
  cudaGetDeviceProperties_v2: { cost: 43, contextFree: true, run: getProperties },
  cudaDeviceReset: {
    cost: callCost.unmeasured,
    afterFault: true,
    run: (context, call) => {
      context.waitForDevice(call, false, context.current.index);
      return context.afterWait(call, () => {
        context.reset();
        return Success;
      });
    },
  },
  cudaThreadExit: {
    cost: callCost.unmeasured,
    afterFault: true,
    run: (context, call) => deviceCalls.cudaDeviceReset!.run(context, call),
  },
  cudaProfilerStart: {
    cost: callCost.unmeasured,
    run: (context) => {
      context.options.onProfiler?.(true);
      return Success;
    },
  },
  cudaProfilerStop: {
    cost: callCost.unmeasured,
    afterFault: true,
    run: (context) => {
      context.options.onProfiler?.(false);
      return Success;
    },
  },
};

export const deviceQueries: Record<string, QueryFunction> = {
  cudaGetDeviceCount: (context, target) => {
    context.memory.setU32(target!, context.devices.length);
    return Success;
  },
  cudaGetDevice: (context, target) => {
    context.memory.setU32(target!, context.current.index);
    return Success;
  },
  cudaSetDevice: (context, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    context.choose(found);
    return Success;
  },
  cudaInitDevice: (context, device) => (context.devices[device!] ? Success : InvalidDevice),
  cudaSetDeviceFlags: (context, flags) => {
    context.current.flags = flags!;
    context.system.setBlockingWaits((flags! & scheduleBlockingSync) !== 0);
    return Success;
  },
  cudaGetDeviceFlags: (context, target) => {
    context.memory.setU32(target!, context.current.flags);
    return Success;
  },
  cudaDeviceGetAttribute: (context, target, attribute, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    const value = attributeValue(found.gpu, attribute!, device!);
    if (value === null) return InvalidValue;
    context.memory.setU32(target!, value);
    return Success;
  },
  cudaDeviceGetPCIBusId: (context, target, length, device) => {
    if (!context.devices[device!]) return InvalidDevice;
    const text = new TextEncoder().encode(`${busLocation(device!)}\0`);
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
    const { gpu, limits: own } = context.current;
    if (limitAtStart(gpu, limit!) === undefined) return cudaError.UnsupportedLimit;
    const kept = limit === persistingBytes ? setAside(gpu, value!) : value!;
    if (kept === null || (limit === fetchGranularity && kept > mostFetched)) return InvalidValue;
    own.set(limit!, kept);
    return Success;
  },
  cudaDeviceGetLimit: (context, target, limit) => {
    const { gpu, limits: own } = context.current;
    const value = own.get(limit!) ?? limitAtStart(gpu, limit!);
    if (value === undefined) return cudaError.UnsupportedLimit;
    context.memory.setWord(target!, value);
    return Success;
  },
  cudaDeviceGetCacheConfig: (context, target) => {
    context.memory.setU32(target!, context.current.cacheConfig);
    return Success;
  },
  cudaDeviceSetCacheConfig: (context, config) => {
    if (!isCacheConfig(config!)) return cudaError.InvalidValue;
    context.current.cacheConfig = config!;
    return Success;
  },
  cudaDeviceGetSharedMemConfig: (context, target) => {
    context.memory.setU32(target!, 1);
    return Success;
  },
  cudaDeviceSetSharedMemConfig: () => Success,
  cudaDeviceCanAccessPeer: (context, target, device, peer) => {
    if (!context.devices[device!] || !context.devices[peer!]) return InvalidDevice;
    context.memory.setU32(target!, context.areJoined(device!, peer!) ? 1 : 0);
    return Success;
  },
  cudaDeviceEnablePeerAccess: (context, peer, flags) => {
    const { index, peers } = context.current;
    if (flags !== 0) return InvalidValue;
    // No device is its own peer.
    if (!context.devices[peer!] || peer === index) return InvalidDevice;
    if (!context.areJoined(index, peer!)) return cudaError.PeerAccessUnsupported;
    if (peers.has(peer!)) return cudaError.PeerAccessAlreadyEnabled;
    peers.add(peer!);
    context.device.setPeerAccess?.(index, peer!, true);
    return Success;
  },
  cudaDeviceDisablePeerAccess: (context, peer) => {
    const { index, peers } = context.current;
    if (!context.devices[peer!]) return InvalidDevice;
    if (!peers.delete(peer!)) return cudaError.PeerAccessNotEnabled;
    context.device.setPeerAccess?.(index, peer!, false);
    return Success;
  },
  cudaDeviceGetP2PAttribute: (context, target, attribute, source, peer) => {
    if (!context.devices[source!] || !context.devices[peer!] || source === peer) return InvalidDevice;
    const joined = context.areJoined(source!, peer!) ? 1 : 0;
    // { 1: rank, 0 is the fastest way; access; atomics; arrays }.
    const values = [1 - joined, joined, joined, joined];
    const value = values[attribute! - 1];
    if (target === 0 || value === undefined) return InvalidValue;
    context.memory.setU32(target!, value);
    return Success;
  },
  cudaChooseDevice: (context, target) => {
    context.memory.setU32(target!, 0);
    return Success;
  },
  cudaSetValidDevices: (context, devices, count) => {
    for (let i = 0; i < count!; i++) if (!context.devices[context.memory.u32(devices! + 4 * i)]) return InvalidDevice;
    return Success;
  },
  cudaDeviceGetByPCIBusId: (context, target, text) => {
    const [, bus] = /^(?:0000:)?([0-9a-f]{1,2}):0?0(?:\.0)?$/i.exec(context.memory.text(text!)) ?? [];
    const device = parseInt(bus ?? '', 16) - 1;
    if (!context.devices[device]) return InvalidValue;
    context.memory.setU32(target!, device);
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
    context.memory.setU64(target!, BigInt(Math.abs(id)));
    return Success;
  },
  cudaStreamGetDevice: (context, stream, target) => {
    if (context.streamOf(stream!) === null) return cudaError.InvalidResourceHandle;
    context.memory.setU32(target!, context.deviceOfStream(stream!).index);
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
    const device = onDevice ? (context.deviceAt(address!) ?? 0) : 0;
    context.memory.setFields(target!, cudaPointerAttributes, {
      // Types: 0 unregistered, 1 host, 2 device, 3 managed.
      type: managed ? 3 : pinned ? 1 : onDevice ? 2 : 0,
      device: managed || pinned || onDevice ? device : -2,
      devicePointer: seen,
      hostPointer: onDevice ? 0 : address!,
    });
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
