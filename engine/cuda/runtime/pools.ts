/** Memory allocated in stream order, and the pools it comes from. */
import { allocating, callCost } from '../../system/call-costs.ts';
import { cudaMemAccessDesc, cudaMemPoolProps } from './abi.ts';
import type { ApiCall } from '../../system/types.ts';
import type { ApiFunction, CudaCall } from './api.ts';
import { addCaptured } from './capture.ts';
import type { CudaContext } from './context.ts';
import type { DeviceState } from './device-state.ts';
import { inTurn } from './enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import {
  allocation,
  getGraphMemory,
  release as releaseInGraph,
  resetGraphMemory,
  trim as trimGraphMemory,
} from './graph-memory.ts';
import { allocateDevice } from './memory.ts';

export interface Pool {
  readonly handle: number;
  readonly device: number;
  /** `cudaMemPoolAttr` 1 to 4, as the program sets them. */
  readonly settings: Map<number, bigint>;
  used: number;
  mostUsed: number;
  mostReserved: number;
  /** Other GPUs whose kernels may access what is allocated of it. */
  readonly users: Set<number>;
  /** Kept for later allocations: freed memory up to the release threshold. */
  reserved: number;
}

const { Success, InvalidValue, MemoryAllocation, InvalidResourceHandle, InvalidDevice } = cudaError;

const attribute = { threshold: 4, reserved: 5, mostReserved: 6, used: 7, mostUsed: 8 };
const integers = new Set([1, 2, 3]);

function newPool(context: CudaContext, device: number): Pool {
  const settings = new Map<number, bigint>([
    [1, 1n],
    [2, 1n],
    [3, 1n],
    [attribute.threshold, 0n],
  ]);
  const pool: Pool = {
    ...{ handle: context.newHandle(), device, settings, users: new Set<number>() },
    ...{ used: 0, mostUsed: 0, mostReserved: 0, reserved: 0 },
  };
  context.pools.set(pool.handle, pool);
  return pool;
}

function defaultPool(context: CudaContext, device: DeviceState): Pool {
  return (device.defaultPool ??= newPool(context, device.index));
}

/** The device's pool: the default one, unless the program chose another. */
function currentPool(context: CudaContext, device: DeviceState): Pool {
  return (device.currentPool ??= defaultPool(context, device));
}

function allocate(context: CudaContext, target: number, size: number, pool: Pool, handle: number): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  if (target === 0) return InvalidValue;
  const capture = context.captureOf(handle);
  if (capture?.invalid) return cudaError.StreamCaptureInvalidated;
  if (size === 0) {
    context.memory.setWord(target, 0);
    return Success;
  }
  if (capture) {
    const { device } = pool;
    const node = allocation(context, capture.graph, { bytes: size, device }, capture.tails.get(stream)!);
    if (typeof node === 'number') return node;
    context.memory.setWord(target, node.address);
    return addCaptured(context, capture, stream, node, device);
  }
  const address = allocateDevice(context, size, pool, context.devices[pool.device]);
  if (address === null) return MemoryAllocation;
  for (const user of pool.users) context.device.setAccess?.(address, user, true);
  pool.used += size;
  pool.mostUsed = Math.max(pool.mostUsed, pool.used);
  pool.reserved = Math.max(pool.reserved, pool.used);
  pool.mostReserved = Math.max(pool.mostReserved, pool.reserved);
  context.memory.setWord(target, address);
  return Success;
}

/** Bytes by which an allocation makes its pool grow. */
export function growthOf(context: CudaContext, size: number, stream: number, from?: Pool): number {
  const pool = from ?? currentPool(context, context.deviceOfStream(stream));
  return context.captureOf(stream) ? 0 : Math.max(0, pool.used + size - pool.reserved);
}

/** CUDA runtime API, `cudaMemPoolAttrReleaseThreshold`: what is free beyond it goes back when the program next waits. */
export function releaseUnused(context: CudaContext, device: DeviceState): void {
  for (const pool of context.pools.values()) {
    if (pool.device === device.index) trim(pool, Number(pool.settings.get(attribute.threshold)!));
  }
}

function trim(pool: Pool, kept: number): void {
  pool.reserved = Math.max(pool.used, Math.min(pool.reserved, kept));
}

function release(context: CudaContext, _call: ApiCall, address: number, handle: number): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  if (address === 0) return Success;
  const capture = context.captureOf(handle);
  if (capture) {
    if (capture.invalid) return cudaError.StreamCaptureInvalidated;
    const node = releaseInGraph(context, capture.graph, address);
    if (typeof node === 'number') return node;
    return addCaptured(context, capture, stream, node, context.deviceOfStream(handle).index);
  }
  const range = context.deviceAllocations.find(address);
  if (!range || range.start !== address) return InvalidValue;
  const { pool } = range.info;
  inTurn(context, handle, () => {
    if (pool) pool.used -= range.size;
    context.freeDevice(address);
  });
  return Success;
}

/** `cudaMemLocationTypeDevice`, `cudaMemAccessFlagsProtReadWrite` */
const onDevice = 1;
const readAndWrite = 3;

/** From a list of `cudaMemAccessDesc`. */
function setAccess(context: CudaContext, handle: number, list: number, count: number): number {
  const pool = context.pools.get(handle);
  if (!pool || (list === 0 && count > 0)) return InvalidValue;
  const wanted = Array.from({ length: count }, (_, i) => {
    const at = list + i * cudaMemAccessDesc.bytes;
    const [type, device, flags] = [cudaMemAccessDesc.type, cudaMemAccessDesc.id, cudaMemAccessDesc.flags].map((field) =>
      context.memory.u32(at + field),
    ) as [number, number, number];
    return { type, device, flags };
  });
  for (const { type, device, flags } of wanted) {
    if (type !== onDevice || !context.devices[device] || (flags !== 0 && flags !== readAndWrite)) return InvalidValue;
    // Its own GPU always has access.
    if (device === pool.device && flags === 0) return InvalidValue;
    if (device !== pool.device && !context.areJoined(device, pool.device)) return InvalidDevice;
  }
  for (const { device, flags } of wanted) {
    if (device === pool.device) continue;
    if (flags === 0) pool.users.delete(device);
    else pool.users.add(device);
    for (const { start, info } of context.deviceAllocations.list)
      if (info.pool === pool) context.device.setAccess?.(start, device, flags !== 0);
  }
  return Success;
}

function getAttribute(context: CudaContext, pool: Pool, which: number, target: number): number {
  const values: Record<number, bigint> = {
    [attribute.reserved]: BigInt(pool.reserved),
    [attribute.mostReserved]: BigInt(pool.mostReserved),
    [attribute.used]: BigInt(pool.used),
    [attribute.mostUsed]: BigInt(pool.mostUsed),
  };
  const value = pool.settings.get(which) ?? values[which];
  if (value === undefined) return InvalidValue;
  if (integers.has(which)) context.memory.setU32(target, Number(value));
  else context.memory.setU64(target, value);
  return Success;
}

function setAttribute(context: CudaContext, pool: Pool, which: number, source: number): number {
  if (pool.settings.has(which)) {
    pool.settings.set(which, integers.has(which) ? BigInt(context.memory.u32(source)) : context.memory.u64(source));
    return Success;
  }
  // High-water marks can be reset, to zero only.
  if (context.memory.u64(source) !== 0n) return InvalidValue;
  if (which === attribute.mostReserved) pool.mostReserved = pool.reserved;
  else if (which === attribute.mostUsed) pool.mostUsed = pool.used;
  else return InvalidValue;
  return Success;
}

const getPool =
  (which: (context: CudaContext, device: DeviceState) => Pool): ApiFunction =>
  (context, _call, target, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    context.memory.setWord(target!, which(context, found).handle);
    return Success;
  };

export const poolCalls: Record<string, CudaCall> = {
  cudaMallocAsync: {
    cost: 213, // C6 cudaMallocAsync_cpu_warm_pool
    allocation: allocating.inPool,
    bytes: (context, args) => growthOf(context, args[1]!, args[2]!),
    stream: 2,
    run: (context, _call, target, size, stream) =>
      allocate(context, target!, size!, currentPool(context, context.deviceOfStream(stream!)), stream!),
  },
  cudaMallocFromPoolAsync: {
    cost: 213,
    allocation: allocating.inPool,
    bytes: (context, args) => growthOf(context, args[1]!, args[3]!, context.pools.get(args[2]!)),
    stream: 3,
    run: (context, _call, target, size, handle, stream) => {
      const pool = context.pools.get(handle!);
      return pool ? allocate(context, target!, size!, pool, stream!) : InvalidValue;
    },
  },
  cudaFreeAsync: {
    cost: 290, // C6 cudaFreeAsync_cpu_warm_pool
    stream: 1,
    run: (context, call, address, stream) => release(context, call, address!, stream!),
  },
  cudaDeviceGetDefaultMemPool: { cost: callCost.unmeasured, run: getPool(defaultPool) },
  cudaDeviceGetMemPool: { cost: callCost.unmeasured, run: getPool(currentPool) },
  cudaDeviceSetMemPool: {
    cost: callCost.unmeasured,
    run: (context, _call, device, handle) => {
      const pool = context.pools.get(handle!);
      const found = context.devices[device!];
      if (!found) return InvalidDevice;
      if (!pool) return InvalidValue;
      found.currentPool = pool;
      return Success;
    },
  },
  cudaMemPoolCreate: {
    cost: callCost.unmeasured,
    run: (context, _call, target, properties) => {
      if (target === 0 || properties === 0) return InvalidValue;
      const device = context.memory.u32(properties! + cudaMemPoolProps.locationId);
      if (!context.devices[device]) return InvalidValue;
      context.memory.setWord(target!, newPool(context, device).handle);
      return Success;
    },
  },
  cudaMemPoolDestroy: {
    cost: callCost.unmeasured,
    run: (context, _call, handle) => {
      const pool = context.pools.get(handle!);
      if (!pool || context.devices.some(({ defaultPool }) => pool === defaultPool)) return InvalidValue;
      context.pools.delete(handle!);
      for (const device of context.devices) if (device.currentPool === pool) device.currentPool = null;
      return Success;
    },
  },
  cudaMemPoolGetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, which, target) => {
      const pool = context.pools.get(handle!);
      return pool ? getAttribute(context, pool, which!, target!) : InvalidValue;
    },
  },
  cudaMemPoolSetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, which, source) => {
      const pool = context.pools.get(handle!);
      return pool ? setAttribute(context, pool, which!, source!) : InvalidValue;
    },
  },
  cudaMemPoolTrimTo: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, bytes) => {
      const pool = context.pools.get(handle!);
      if (!pool) return InvalidValue;
      trim(pool, bytes!);
      return Success;
    },
  },
  cudaMemPoolSetAccess: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, list, count) => setAccess(context, handle!, list!, count!),
  },
  cudaMemPoolGetAccess: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle, location) => {
      const pool = context.pools.get(handle!);
      const device = context.memory.u32(location! + cudaMemAccessDesc.id);
      if (!pool || context.memory.u32(location! + cudaMemAccessDesc.type) !== onDevice || !context.devices[device])
        return InvalidValue;
      context.memory.setU32(target!, device === pool.device || pool.users.has(device) ? readAndWrite : 0);
      return Success;
    },
  },
  cudaDeviceGraphMemTrim: {
    cost: 1050, // mem_nodes.json, M3, with nothing to give back
    run: (context, _call, ordinal) => {
      const device = context.devices[ordinal!];
      if (!device) return InvalidDevice;
      trimGraphMemory(context, device);
      return Success;
    },
  },
  cudaDeviceGetGraphMemAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, ordinal, which, target) => {
      const device = context.devices[ordinal!];
      if (!device) return InvalidDevice;
      const value = getGraphMemory(device, which!);
      if (value === null || target === 0) return InvalidValue;
      context.memory.setU64(target!, BigInt(value));
      return Success;
    },
  },
  cudaDeviceSetGraphMemAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, ordinal, which, source) => {
      const device = context.devices[ordinal!];
      if (!device) return InvalidDevice;
      if (source === 0) return InvalidValue;
      return resetGraphMemory(device, which!, context.memory.u64(source!)) ? Success : InvalidValue;
    },
  },
};
