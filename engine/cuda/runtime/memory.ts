/** Memory: allocation on both sides, copies, fills, symbols. */
import { bytes as byteCount } from '../../base/units.ts';
import type { ApiCall, CopyDirection, HostMemoryKind } from '../../system/types.ts';
import type { ApiFunction } from './api.ts';
import type { CudaContext } from './context.ts';
import { reportedMemoryBytes } from './device-properties.ts';
import { cudaError } from './errors.ts';

const { Success, InvalidValue, MemoryAllocation, InvalidMemcpyDirection, InvalidResourceHandle, InvalidSymbol } =
  cudaError;

/** Rows of `cudaMallocPitch` begin at multiples of this on all GPUs so far. */
const pitchAlignment = 512;

function allocate(context: CudaContext, target: number, size: number): number {
  if (target === 0) return InvalidValue;
  if (size === 0) {
    context.memory.setU32(target, 0);
    return Success;
  }
  const address = size <= reportedMemoryBytes(context.gpu) ? context.device.allocate(size) : null;
  if (address === null) return MemoryAllocation;
  context.deviceAllocations.add(address, size, null);
  context.memory.setU32(target, address);
  return Success;
}

function release(context: CudaContext, address: number): number {
  if (address === 0) return Success;
  if (!context.deviceAllocations.remove(address)) return InvalidValue;
  context.device.free(address);
  return Success;
}

function allocateHost(context: CudaContext, target: number, size: number, flags: number): number {
  if (target === 0) return InvalidValue;
  const address = size === 0 ? 0 : context.malloc(size);
  if (size !== 0 && address === 0) return MemoryAllocation;
  if (size !== 0) context.pinned.add(address, size, { registered: false, flags });
  context.memory.setU32(target, address);
  return Success;
}

const directions: (CopyDirection | null)[] = [
  'host-to-host',
  'host-to-device',
  'device-to-host',
  'device-to-device',
  null,
];

/**
 * Both address spaces start at 0, so for `cudaMemcpyDefault` an address alone does not say where it points: pinned host
 * memory is known, then what lies in a device allocation is taken for it, all else is pageable host memory.
 */
function pointsToDevice(context: CudaContext, address: number): boolean {
  return !context.pinned.find(address) && context.isDeviceRange(address, 0);
}

function directionOf(context: CudaContext, kind: number, target: number, source: number): CopyDirection | null {
  const given = directions[kind];
  if (given !== null) return given ?? null;
  const from = pointsToDevice(context, source) ? 'device' : 'host';
  const to = pointsToDevice(context, target) ? 'device' : 'host';
  return `${from}-to-${to}`;
}

interface Rows {
  target: number;
  targetPitch: number;
  source: number;
  sourcePitch: number;
  width: number;
  height: number;
}

interface Copy {
  kind: number;
  stream: number;
  async: boolean;
}

/** Every copy, as rows: checks both sides as hardware's driver does, moves the bytes, and lets the system time it. */
function copyRows(context: CudaContext, call: ApiCall, rows: Rows, copy: Copy): number {
  const { width, height } = rows;
  const stream = context.streamOf(copy.stream);
  if (stream === null) return InvalidResourceHandle;
  const direction = directionOf(context, copy.kind, rows.target, rows.source);
  if (direction === null) return InvalidMemcpyDirection;
  if (width === 0 || height === 0) return copy.async ? Success : context.noticeFault();
  if (height > 1 && (rows.targetPitch < width || rows.sourcePitch < width)) return cudaError.InvalidPitchValue;

  const targetBytes = rows.targetPitch * (height - 1) + width;
  const sourceBytes = rows.sourcePitch * (height - 1) + width;
  const toDevice = direction.endsWith('device');
  const fromDevice = direction.startsWith('device');
  const valid =
    (toDevice ? context.isDeviceRange(rows.target, targetBytes) : context.memory.contains(rows.target, targetBytes)) &&
    (fromDevice ? context.isDeviceRange(rows.source, sourceBytes) : context.memory.contains(rows.source, sourceBytes));
  if (!valid) return InvalidValue;

  if (!context.deviceLost) {
    const target = toDevice
      ? context.deviceBytes(rows.target, targetBytes)
      : context.memory.bytes(rows.target, targetBytes);
    const source = fromDevice
      ? context.deviceBytes(rows.source, sourceBytes)
      : context.memory.bytes(rows.source, sourceBytes);
    for (let row = 0; row < height; row++) {
      const at = row * rows.sourcePitch;
      target.set(source.subarray(at, at + width), row * rows.targetPitch);
    }
  }
  const hostAddress = toDevice ? rows.source : rows.target;
  const hostMemory: HostMemoryKind = context.pinned.find(hostAddress, 1) ? 'pinned' : 'pageable';
  context.system.copy(call, { direction, bytes: byteCount(width * height), hostMemory, stream, async: copy.async });
  return copy.async ? Success : context.noticeFault();
}

function copyLinear(context: CudaContext, call: ApiCall, target: number, source: number, size: number, copy: Copy) {
  const rows = { target, targetPitch: size, source, sourcePitch: size, width: size, height: 1 };
  return copyRows(context, call, rows, copy);
}

function fill(
  context: CudaContext,
  call: ApiCall,
  rows: Omit<Rows, 'source' | 'sourcePitch'>,
  value: number,
  copy: Copy,
) {
  const stream = context.streamOf(copy.stream);
  if (stream === null) return InvalidResourceHandle;
  const { target, targetPitch, width, height } = rows;
  if (width === 0 || height === 0) return Success;
  if (height > 1 && targetPitch < width) return cudaError.InvalidPitchValue;
  const size = targetPitch * (height - 1) + width;
  if (!context.isDeviceRange(target, size)) return InvalidValue;
  if (!context.deviceLost) {
    const bytes = context.deviceBytes(target, size);
    for (let row = 0; row < height; row++) bytes.fill(value & 0xff, row * targetPitch, row * targetPitch + width);
  }
  context.system.memset(call, { value: value & 0xff, bytes: byteCount(width * height), stream, async: copy.async });
  return Success;
}

/** Address of a part of a `__device__` or `__constant__` variable; a negative error code when that is not possible. */
function symbolAddress(context: CudaContext, symbol: number, offset: number, size: number): number {
  const found = context.symbols.get(symbol);
  if (!found) return -InvalidSymbol;
  return offset + size <= found.size ? found.address + offset : -InvalidValue;
}

function copyToSymbol(context: CudaContext, call: ApiCall, args: number[], copy: Copy): number {
  const [symbol, source, size, offset] = args as [number, number, number, number];
  const target = symbolAddress(context, symbol, offset, size);
  if (copy.kind === 0 || copy.kind === 2) return InvalidMemcpyDirection;
  return target < 0 ? -target : copyLinear(context, call, target, source, size, copy);
}

function copyFromSymbol(context: CudaContext, call: ApiCall, args: number[], copy: Copy): number {
  const [target, symbol, size, offset] = args as [number, number, number, number];
  const source = symbolAddress(context, symbol, offset, size);
  if (copy.kind === 0 || copy.kind === 1) return InvalidMemcpyDirection;
  return source < 0 ? -source : copyLinear(context, call, target, source, size, copy);
}

/** `cudaMemcpyDefault` with a symbol on one side leaves the other side to be found out. */
function symbolKind(context: CudaContext, kind: number, other: number, toSymbol: boolean): number {
  if (kind !== 4) return kind;
  if (pointsToDevice(context, other)) return 3;
  return toSymbol ? 1 : 2;
}

export const memoryCalls: Record<string, ApiFunction> = {
  cudaMalloc: (context, _call, target, size) => allocate(context, target!, size!),
  cudaMallocAsync: (context, _call, target, size, stream) =>
    context.streamOf(stream!) === null ? InvalidResourceHandle : allocate(context, target!, size!),
  cudaMallocPitch: (context, _call, target, pitchTarget, width, height) => {
    const pitch = Math.ceil(width! / pitchAlignment) * pitchAlignment;
    const code = allocate(context, target!, pitch * height!);
    if (code === Success) context.memory.setU32(pitchTarget!, pitch);
    return code;
  },
  cudaFree: (context, call, address) => {
    // The driver waits for all work before it gives memory back.
    if (address !== 0) context.system.synchronizeDevice(call);
    return context.noticeFault() || release(context, address!);
  },
  cudaFreeAsync: (context, _call, address, stream) =>
    context.streamOf(stream!) === null ? InvalidResourceHandle : release(context, address!),

  cudaMallocHost: (context, _call, target, size) => allocateHost(context, target!, size!, 0),
  cudaHostAlloc: (context, _call, target, size, flags) => allocateHost(context, target!, size!, flags!),
  cudaFreeHost: (context, _call, address) => {
    if (address === 0) return Success;
    const range = context.pinned.find(address!);
    if (!range || range.start !== address || range.info.registered) return InvalidValue;
    context.pinned.remove(address);
    context.free(address);
    return Success;
  },
  cudaHostRegister: (context, _call, address, size, flags) => {
    if (address === 0 || size === 0 || !context.memory.contains(address!, size!)) return InvalidValue;
    if (context.pinned.find(address!)) return cudaError.HostMemoryAlreadyRegistered;
    context.pinned.add(address!, size!, { registered: true, flags: flags! });
    return Success;
  },
  cudaHostUnregister: (context, _call, address) => {
    const range = context.pinned.find(address!);
    if (!range || range.start !== address || !range.info.registered) return cudaError.HostMemoryNotRegistered;
    context.pinned.remove(address);
    return Success;
  },
  cudaMemGetInfo: (context, _call, freeTarget, totalTarget) => {
    const total = reportedMemoryBytes(context.gpu);
    context.memory.setU32(freeTarget!, total - context.deviceAllocations.totalBytes);
    context.memory.setU32(totalTarget!, total);
    return Success;
  },

  cudaMemcpy: (context, call, target, source, size, kind) =>
    copyLinear(context, call, target!, source!, size!, { kind: kind!, stream: 0, async: false }),
  cudaMemcpyAsync: (context, call, target, source, size, kind, stream) =>
    copyLinear(context, call, target!, source!, size!, { kind: kind!, stream: stream!, async: true }),
  cudaMemcpy2D: (context, call, target, targetPitch, source, sourcePitch, width, height, kind) =>
    copyRows(
      context,
      call,
      {
        target: target!,
        targetPitch: targetPitch!,
        source: source!,
        sourcePitch: sourcePitch!,
        width: width!,
        height: height!,
      },
      { kind: kind!, stream: 0, async: false },
    ),
  cudaMemcpy2DAsync: (context, call, target, targetPitch, source, sourcePitch, width, height, kind, stream) =>
    copyRows(
      context,
      call,
      {
        target: target!,
        targetPitch: targetPitch!,
        source: source!,
        sourcePitch: sourcePitch!,
        width: width!,
        height: height!,
      },
      { kind: kind!, stream: stream!, async: true },
    ),

  cudaMemset: (context, call, target, value, size) =>
    fill(context, call, { target: target!, targetPitch: size!, width: size!, height: 1 }, value!, {
      kind: 0,
      stream: 0,
      async: false,
    }),
  cudaMemsetAsync: (context, call, target, value, size, stream) =>
    fill(context, call, { target: target!, targetPitch: size!, width: size!, height: 1 }, value!, {
      kind: 0,
      stream: stream!,
      async: true,
    }),
  cudaMemset2D: (context, call, target, pitch, value, width, height) =>
    fill(context, call, { target: target!, targetPitch: pitch!, width: width!, height: height! }, value!, {
      kind: 0,
      stream: 0,
      async: false,
    }),
  cudaMemset2DAsync: (context, call, target, pitch, value, width, height, stream) =>
    fill(context, call, { target: target!, targetPitch: pitch!, width: width!, height: height! }, value!, {
      kind: 0,
      stream: stream!,
      async: true,
    }),

  cudaMemcpyToSymbol: (context, call, symbol, source, size, offset, kind) =>
    copyToSymbol(context, call, [symbol!, source!, size!, offset!], {
      kind: symbolKind(context, kind!, source!, true),
      stream: 0,
      async: false,
    }),
  cudaMemcpyToSymbolAsync: (context, call, symbol, source, size, offset, kind, stream) =>
    copyToSymbol(context, call, [symbol!, source!, size!, offset!], {
      kind: symbolKind(context, kind!, source!, true),
      stream: stream!,
      async: true,
    }),
  cudaMemcpyFromSymbol: (context, call, target, symbol, size, offset, kind) =>
    copyFromSymbol(context, call, [target!, symbol!, size!, offset!], {
      kind: symbolKind(context, kind!, target!, false),
      stream: 0,
      async: false,
    }),
  cudaMemcpyFromSymbolAsync: (context, call, target, symbol, size, offset, kind, stream) =>
    copyFromSymbol(context, call, [target!, symbol!, size!, offset!], {
      kind: symbolKind(context, kind!, target!, false),
      stream: stream!,
      async: true,
    }),
  cudaGetSymbolAddress: (context, _call, target, symbol) => {
    const found = context.symbols.get(symbol!);
    if (!found) return InvalidSymbol;
    context.memory.setU32(target!, found.address);
    return Success;
  },
  cudaGetSymbolSize: (context, _call, target, symbol) => {
    const found = context.symbols.get(symbol!);
    if (!found) return InvalidSymbol;
    context.memory.setU32(target!, found.size);
    return Success;
  },
};
