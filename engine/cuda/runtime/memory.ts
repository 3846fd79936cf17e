/** Memory: allocation on both sides, managed memory, copies, fills, symbols. */
import { wordBytes } from '../host-exports.ts';
import { allocating, callCost } from '../../system/call-costs.ts';
import { cudaMemcpy3DParms, cudaMemcpy3DPeerParms, cudaMemsetParams, cudaPitchedPtr, cudaPos } from './abi.ts';
import type { Field } from './structs.ts';
import type { ApiCall } from '../../system/types.ts';
import type { CopyDirection } from '../../model/event-kinds/memcpy.ts';
import { SimsightError } from '../../base/errors.ts';
import type { DeviceVariable } from '../../model/execution.ts';
import type { ApiFunction, CudaCall } from './api.ts';
import type { CudaContext } from './context.ts';
import { hasManagedMemory } from './device-properties.ts';
import { enqueue, inTurn } from './enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import type { Pool } from './pools.ts';
import { arrayPlace } from './textures.ts';
import { extentAt } from './extents.ts';
import { extentOf, type Box, type CopyWork, type FillWork, type Place } from './work.ts';

const { Success, InvalidValue, MemoryAllocation, InvalidMemcpyDirection, InvalidResourceHandle, InvalidSymbol } =
  cudaError;

/** Rows of `cudaMallocPitch` begin at multiples of this on all GPUs so far. */
const pitchAlignment = 512;

/** Memory of the current device, or of another; null when it has none left. */
export function allocateDevice(
  context: CudaContext,
  size: number,
  pool: Pool | null,
  on = context.current,
): number | null {
  const { index: device, gpu } = on;
  const free = gpu.memory.capacityBytes - context.allocatedOn(on);
  const address = size <= free ? context.device.allocateAnywhere(size, device) : null;
  // The GPU would have it.
  if (address === null && size <= free) context.noticeFull(size, 'device memory');
  if (address !== null) context.allocated(address, size, { device, pool });
  return address;
}

function allocate(context: CudaContext, target: number, size: number): number {
  if (target === 0) return InvalidValue;
  const address = size === 0 ? 0 : allocateDevice(context, size, null);
  if (address === null) return MemoryAllocation;
  context.memory.setWord(target, address);
  return Success;
}

function release(context: CudaContext, address: number): number {
  if (address === 0) return Success;
  // A managed variable cannot be freed.
  if (context.symbols.get(address)?.addresses[0] === address) return InvalidValue;
  const managed = context.managed.find(address);
  if (managed?.start === address) {
    context.managed.remove(address);
    context.system.managed.free(address);
    context.system.hostWork(context.system.managed.freeingTime(managed.size));
    context.shared.release(address);
    return Success;
  }
  return context.freeDevice(address) ? Success : InvalidValue;
}

const mappedFlag = 2;

function allocateHost(context: CudaContext, target: number, size: number, flags: number): number {
  if (target === 0 || flags > 7) return InvalidValue;
  let address = 0;
  if (size !== 0) {
    const mapped = (flags & mappedFlag) !== 0;
    // Where the device has no room for it, pinned memory is still good for copies.
    const shared = context.shared.allocate(size, { managed: false, mapped });
    address = shared ?? (mapped ? 0 : context.malloc(size));
    if (address === 0) {
      if (mapped) context.noticeFull(size, 'page-locked memory');
      return MemoryAllocation;
    }
    context.pinned.add(address, size, { registered: false, flags });
  }
  context.memory.setWord(target, address);
  return Success;
}

function allocateManaged(context: CudaContext, target: number, size: number, flags: number): number {
  if (target === 0 || size === 0 || (flags !== 1 && flags !== 2)) return InvalidValue;
  if (!hasManagedMemory(context.gpu)) return cudaError.NotSupported;
  const address = context.shared.allocate(size, { managed: true, mapped: true });
  if (address === null) {
    context.noticeFull(size, 'managed memory');
    return MemoryAllocation;
  }
  context.memory.bytes(address, size).fill(0);
  context.managed.add(address, size, { flags, advice: new Map(), prefetched: invalidDevice });
  context.system.managed.allocate(address, size);
  context.memory.setWord(target, address);
  return Success;
}

/** Puts a `__managed__` variable at the address that the host has for it. */
export function placeManaged(context: CudaContext, variable: DeviceVariable, address: number): void {
  if (!context.device.moveVariable(variable, address)) {
    throw new SimsightError(
      'unsupported-construct',
      `The managed variable ${variable.name} cannot have one address on host and device: device memory is in use there.`,
      'Allocate large device arrays with cudaMalloc instead of as variables.',
    );
  }
  context.shared.addVariable(address, variable.size);
  context.managed.add(address, variable.size, { flags: attachGlobal, advice: new Map(), prefetched: invalidDevice });
  context.system.managed.allocate(address, variable.size, true);
}

const attachGlobal = 1;
const invalidDevice = -2;
const cpuDevice = -1;

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
  if (context.pinned.find(address)) return false;
  const isManaged = context.managed.find(address) !== undefined;
  return isManaged || context.isDeviceRange(address, 0) || context.graphPlaces.find(address) !== undefined;
}

function directionOf(context: CudaContext, kind: number, target: number, source: number): CopyDirection | null {
  const given = directions[kind];
  if (given !== null) return given ?? null;
  const from = pointsToDevice(context, source) ? 'device' : 'host';
  const to = pointsToDevice(context, target) ? 'device' : 'host';
  return `${from}-to-${to}`;
}

/** A box of bytes from one place to another. */
export interface Copy extends Box {
  target: Place;
  source: Place;
}

/** True if there is memory on one side, or will be when a graph is launched that allocates it. */
function hasMemory(context: CudaContext, address: number, size: number, onDevice: boolean, inGraph: boolean): boolean {
  if (onDevice && inGraph && context.graphPlaces.find(address, size)) return true;
  return context.bytesAt(address, size, onDevice) !== null;
}

/** Checks both sides as the driver does; an error code when the copy cannot be. `inGraph`: it is to be made by a graph. */
export function copyWork(context: CudaContext, copy: Copy, kind: number, inGraph: boolean): CopyWork | number {
  const { target, source, width, height, depth } = copy;
  const direction = directionOf(context, kind, target.address, source.address);
  if (direction === null) return InvalidMemcpyDirection;
  const work: CopyWork = { type: 'copy', direction, target, source, width, height, depth, kind };
  if (width === 0 || height === 0 || depth === 0) return work;
  if ((height > 1 || depth > 1) && (target.pitch < width || source.pitch < width)) return cudaError.InvalidPitchValue;
  const to = hasMemory(context, target.address, extentOf(target, copy), direction.endsWith('device'), inGraph);
  const from = hasMemory(context, source.address, extentOf(source, copy), direction.startsWith('device'), inGraph);
  return to && from ? work : InvalidValue;
}

/** Kind, stream and place of a copy. */
export interface Way {
  kind: number;
  stream: number;
  async: boolean;
}

export const blocking = (kind: number): Way => ({ kind, stream: 0, async: false });
export const inStream = (kind: number, stream: number): Way => ({ kind, stream, async: true });

/** Makes a copy, or a node of a graph that does. */
export function copy(context: CudaContext, call: ApiCall, request: Copy, way: Way): number {
  if (context.streamOf(way.stream) === null) return InvalidResourceHandle;
  const work = copyWork(context, request, way.kind, context.captureOf(way.stream) !== null);
  if (typeof work === 'number') return work;
  if (work.width === 0 || work.height === 0 || work.depth === 0) return way.async ? Success : context.noticeFault();
  return enqueue(context, call, way.stream, work, way.async);
}

/** Rows of linear memory. */
export const flat = (address: number, pitch: number, slice = pitch): Place => ({ address, pitch, slice });

function copyLinear(context: CudaContext, call: ApiCall, target: number, source: number, size: number, way: Way) {
  const request = { target: flat(target, size), source: flat(source, size), width: size, height: 1, depth: 1 };
  return copy(context, call, request, way);
}

function copyRows(context: CudaContext, call: ApiCall, args: number[], way: Way): number {
  const [target, targetPitch, source, sourcePitch, width, height] = args as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const request = { target: flat(target, targetPitch), source: flat(source, sourcePitch), width, height, depth: 1 };
  return copy(context, call, request, way);
}

/** One side of `cudaMemcpy3DParms` or `cudaMemcpy3DPeerParms`: addresses of its array's handle, position and pitched pointer. */
function sideAt(context: CudaContext, arrayAt: number, positionAt: number, pointerAt: number) {
  const { memory } = context;
  const handle = memory.word(arrayAt);
  const [x, y, z] = [cudaPos.x, cudaPos.y, cudaPos.z].map((field) => memory.word(positionAt + field)) as [
    number,
    number,
    number,
  ];
  const array = context.arrays.get(handle);
  const pointer = memory.word(pointerAt + cudaPitchedPtr.ptr);
  const pitch = memory.word(pointerAt + cudaPitchedPtr.pitch);
  const slice = pitch * memory.word(pointerAt + cudaPitchedPtr.ysize);
  return {
    array,
    isUnknown: handle !== 0 && !array,
    isMissing: !array && pointer === 0,
    place: array ? arrayPlace(array, x, y, z) : flat(pointer + x + y * pitch + z * slice, pitch, slice),
    /** True if an array is smaller than this. */
    isExceededBy: (width: number, height: number, depth: number): boolean =>
      array !== undefined &&
      (x + width > array.width || y + height > Math.max(1, array.height) || z + depth > Math.max(1, array.depth)),
  };
}

/** `cudaMemcpy3DParms`; where the copy is `between` devices `cudaMemcpy3DPeerParms`, which have these and no kind. */
function readParameters(context: CudaContext, at: number, between = false): { request: Copy; kind: number } | number {
  const word = (offset: number) => context.memory.u32(at + offset);
  const fields = between ? cudaMemcpy3DPeerParms : cudaMemcpy3DParms;
  const { width, height, depth } = extentAt(context, at + fields.extent);
  const { srcDevice, dstDevice } = cudaMemcpy3DPeerParms;
  if (between && (!context.devices[word(srcDevice)] || !context.devices[word(dstDevice)]))
    return cudaError.InvalidDevice;
  const source = sideAt(context, at + fields.srcArray, at + fields.srcPos, at + fields.srcPtr);
  const target = sideAt(context, at + fields.dstArray, at + fields.dstPos, at + fields.dstPtr);
  if (source.isUnknown || target.isUnknown) return InvalidResourceHandle;
  // Where an array takes part, the extent counts its elements; else bytes.
  const unit = source.array?.elementBytes ?? target.array?.elementBytes ?? 1;
  if (source.isExceededBy(width, height, depth) || target.isExceededBy(width, height, depth)) return InvalidValue;
  if (source.isMissing || target.isMissing) return InvalidValue;
  const request = { target: target.place, source: source.place, width: width * unit, height, depth };
  return { request, kind: between ? 3 : word(cudaMemcpy3DParms.kind) };
}

export function copyFromParameters(context: CudaContext, at: number): CopyWork | number {
  const read = readParameters(context, at);
  return typeof read === 'number' ? read : copyWork(context, read.request, read.kind, true);
}

function copyBox(context: CudaContext, call: ApiCall, at: number, way: Omit<Way, 'kind'>, between = false): number {
  if (at === 0) return InvalidValue;
  const read = readParameters(context, at, between);
  return typeof read === 'number' ? read : copy(context, call, read.request, { ...way, kind: read.kind });
}

/** Between an array and memory with rows; `count` of the older calls may go over several rows of the array. */
function copyArray(
  context: CudaContext,
  call: ApiCall,
  side: { array: number; x: number; y: number; address: number; pitch: number; toArray: boolean },
  box: { width: number; height: number },
  way: Way,
): number {
  const array = context.arrays.get(side.array);
  if (!array) return InvalidResourceHandle;
  const rowBytes = array.width * array.elementBytes;
  const inArray = { ...arrayPlace(array, 0, side.y, 0) };
  inArray.address += side.x;
  if (side.x + box.width > rowBytes || side.y + box.height > Math.max(1, array.height)) return InvalidValue;
  const memory = flat(side.address, side.pitch);
  const [target, source] = side.toArray ? [inArray, memory] : [memory, inArray];
  return copy(context, call, { target, source, ...box, depth: 1 }, way);
}

/** Between an array and memory in one piece. */
export function copyArrayLinear(
  context: CudaContext,
  call: ApiCall,
  side: { array: number; x: number; y: number; address: number; toArray: boolean },
  count: number,
  way: Way,
): number {
  const array = context.arrays.get(side.array);
  if (!array) return InvalidResourceHandle;
  const rowBytes = array.width * array.elementBytes;
  const whole = side.x === 0 && count >= rowBytes && count % rowBytes === 0;
  const box = whole ? { width: rowBytes, height: count / rowBytes } : { width: count, height: 1 };
  return copyArray(context, call, { ...side, pitch: box.width }, box, way);
}

/** A box of bytes that elements of one value fill. */
export interface Fill extends Box {
  target: Place;
  value: number;
  elementBytes?: number;
}

function fillWork(
  context: CudaContext,
  { target, value, elementBytes = 1, ...box }: Fill,
  inGraph: boolean,
): FillWork | number {
  const work: FillWork = {
    type: 'memset',
    target,
    value: elementBytes === 1 ? value & 0xff : value,
    elementBytes,
    ...box,
  };
  if (box.width === 0 || box.height === 0 || box.depth === 0) return work;
  if ((box.height > 1 || box.depth > 1) && target.pitch < box.width) return cudaError.InvalidPitchValue;
  const managed = context.managed.find(target.address) ?? context.pinned.find(target.address);
  const bytes = extentOf(target, work);
  const place = inGraph ? context.graphPlaces.find(target.address, bytes) : undefined;
  const valid = managed ?? place ?? context.isDeviceRange(target.address, bytes);
  return valid && hasMemory(context, target.address, bytes, true, inGraph) ? work : InvalidValue;
}

/** From `cudaMemsetParams`, whose width is in elements. */
export function fillFromParameters(context: CudaContext, at: number): FillWork | number {
  const word = (field: Field<typeof cudaMemsetParams>) => context.memory.field(at, cudaMemsetParams, field);
  const [address, pitch, value, height] = [word('dst'), word('pitch'), word('value'), word('height')];
  const [elementBytes, width] = [word('elementSize'), word('width')];
  if (![1, 2, 4].includes(elementBytes)) return InvalidValue;
  const bytes = width * elementBytes;
  const target = flat(address, height > 1 ? pitch : bytes);
  return fillWork(context, { target, value, elementBytes, width: bytes, height, depth: 1 }, true);
}

/** Fills memory, or makes a node of a graph that does. */
export function fill(context: CudaContext, call: ApiCall, request: Fill, stream: number, async: boolean): number {
  if (context.streamOf(stream) === null) return InvalidResourceHandle;
  const work = fillWork(context, request, context.captureOf(stream) !== null);
  if (typeof work === 'number') return work;
  if (work.width === 0 || work.height === 0 || work.depth === 0) return Success;
  return enqueue(context, call, stream, work, async);
}

function fillLinear(context: CudaContext, call: ApiCall, args: number[], stream: number, async: boolean): number {
  const [target, value, size] = args as [number, number, number];
  const request = { target: flat(target, size), value, width: size, height: 1, depth: 1 };
  return fill(context, call, request, stream, async);
}

function fillRows(context: CudaContext, call: ApiCall, args: number[], stream: number, async: boolean): number {
  const [target, pitch, value, width, height] = args as [number, number, number, number, number];
  return fill(context, call, { target: flat(target, pitch), value, width, height, depth: 1 }, stream, async);
}

/** Structs by value arrive as pointers: `cudaPitchedPtr` and `cudaExtent`. */
function fillBox(context: CudaContext, call: ApiCall, args: number[], stream: number, async: boolean): number {
  const [pointer, value, extent] = args as [number, number, number];
  const word = (offset: number) => context.memory.word(pointer + offset);
  const pitch = word(cudaPitchedPtr.pitch);
  const target = flat(word(cudaPitchedPtr.ptr), pitch, pitch * word(cudaPitchedPtr.ysize));
  return fill(context, call, { target, value, ...extentAt(context, extent) }, stream, async);
}

/** Address of a part of a `__device__` or `__constant__` variable; a negative error code when that is not possible. */
export function symbolAddress(context: CudaContext, symbol: number, offset: number, size: number): number {
  const found = context.symbols.get(symbol);
  if (!found) return -InvalidSymbol;
  return offset + size <= found.size ? found.addresses[context.current.index]! + offset : -InvalidValue;
}

function copyToSymbol(context: CudaContext, call: ApiCall, args: number[], way: Way): number {
  const [symbol, source, size, offset] = args as [number, number, number, number];
  const target = symbolAddress(context, symbol, offset, size);
  if (way.kind === 0 || way.kind === 2) return InvalidMemcpyDirection;
  const kind = symbolKind(context, way.kind, source, true);
  return target < 0 ? -target : copyLinear(context, call, target, source, size, { ...way, kind });
}

function copyFromSymbol(context: CudaContext, call: ApiCall, args: number[], way: Way): number {
  const [target, symbol, size, offset] = args as [number, number, number, number];
  const source = symbolAddress(context, symbol, offset, size);
  if (way.kind === 0 || way.kind === 1) return InvalidMemcpyDirection;
  const kind = symbolKind(context, way.kind, target, false);
  return source < 0 ? -source : copyLinear(context, call, target, source, size, { ...way, kind });
}

/** `cudaMemcpyDefault` with a symbol on one side leaves the other side to be found out. */
export function symbolKind(context: CudaContext, kind: number, other: number, toSymbol: boolean): number {
  if (kind !== 4) return kind;
  if (pointsToDevice(context, other)) return 3;
  return toSymbol ? 1 : 2;
}

const allPages = (context: CudaContext, address: number, size: number) => context.managed.find(address, size);

/** Moves managed memory ahead of its use. */
const prefetch: ApiFunction = (context, call, address, size, device, handle) => {
  const range = allPages(context, address!, size!);
  const to = device! | 0;
  const stream = context.streamOf(handle!);
  if (!range || size === 0) return InvalidValue;
  if (to !== cpuDevice && !context.devices[to]) return cudaError.InvalidDevice;
  if (stream === null) return InvalidResourceHandle;
  if (context.captureOf(handle!)) return cudaError.NotSupported;
  range.info.prefetched = to;
  inTurn(context, handle!, () => {
    const paging = context.system.managed.prefetch(address!, size!, to + 1);
    context.system.prefetch(call, stream, paging, to !== cpuDevice);
  });
  return Success;
};

const adviceKinds = ['read-mostly', 'preferred-location', 'accessed-by'] as const;

/** `cudaMemoryAdvise`: set and unset of one kind follow each other, so half of the number names the kind. */
const advise: ApiFunction = (context, _call, address, size, advice, device) => {
  const range = allPages(context, address!, size!);
  if (!range || advice! < 1 || advice! > 6) return InvalidValue;
  const kind = (advice! + 1) >> 1;
  const on = advice! % 2 === 1;
  const preferred = device! | 0;
  if (kind !== 1 && preferred !== cpuDevice && !context.devices[preferred]) return cudaError.InvalidDevice;
  if (on) range.info.advice.set(kind, kind === 1 ? 1 : device! | 0);
  else range.info.advice.delete(kind);
  const processor = preferred + 1;
  const took = context.system.managed.advise(address!, size!, { kind: adviceKinds[kind - 1]!, on, processor });
  context.system.hostWork(took);
  return Success;
};

const rangeAttribute: ApiFunction = (context, _call, target, size, attribute, address, count) => {
  const range = allPages(context, address!, count!);
  if (!range || size! < 4) return InvalidValue;
  const { advice, prefetched } = range.info;
  const values: Record<number, number> = {
    1: advice.get(1) ?? 0,
    2: advice.get(2) ?? invalidDevice,
    3: advice.get(3) ?? invalidDevice,
    4: prefetched,
  };
  const value = values[attribute!];
  if (value === undefined) return InvalidValue;
  for (let at = 0; at + 4 <= size!; at += 4) context.memory.setU32(target! + at, at === 0 ? value : invalidDevice);
  return Success;
};

const pitchOf = (width: number): number => Math.ceil(width / pitchAlignment) * pitchAlignment;

export const memoryCalls: Record<string, CudaCall> = {
  cudaMalloc: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (_context, args) => args[1]!,
    inCapture: 'waits',
    run: (context, _call, target, size) => allocate(context, target!, size!),
  },
  cudaMallocPitch: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (_context, args) => pitchOf(args[2]!) * args[3]!,
    inCapture: 'waits',
    run: (context, _call, target, pitchTarget, width, height) => {
      const pitch = pitchOf(width!);
      const code = allocate(context, target!, pitch * height!);
      if (code === Success) context.memory.setWord(pitchTarget!, pitch);
      return code;
    },
  },
  cudaMalloc3D: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (context, args) => {
      const { width, height, depth } = extentAt(context, args[1]!);
      return pitchOf(width) * height * depth;
    },
    inCapture: 'waits',
    run: (context, _call, target, extent) => {
      const { width, height, depth } = extentAt(context, extent!);
      const pitch = pitchOf(width);
      const code = allocate(context, target!, pitch * height * depth);
      if (code === Success) context.memory.setFields(target!, cudaPitchedPtr, { pitch, xsize: width, ysize: height });
      return code;
    },
  },
  cudaFree: {
    cost: 0,
    allocation: allocating.fromDevice,
    bytes: (context, args) => context.deviceAllocations.find(args[0]!)?.size ?? 0,
    inCapture: 'waits',
    run: (context, call, address) => {
      // The driver waits for all work before it gives memory back; CUPTI shows no synchronization of its own for that.
      const device = context.devices[context.deviceAt(address!) ?? context.current.index]!;
      if (address !== 0) context.waitForDevice(call, true, device.index);
      return context.afterWait(call, () => context.noticeFault(device) || release(context, address!));
    },
  },
  cudaMallocManaged: {
    cost: 0,
    allocation: allocating.managed,
    bytes: (_context, args) => args[1]!,
    inCapture: 'waits',
    run: (context, _call, target, size, flags) => allocateManaged(context, target!, size!, flags!),
  },
  cudaMallocHost: {
    cost: 0,
    allocation: allocating.pinned,
    bytes: (_context, args) => args[1]!,
    inCapture: 'waits',
    run: (context, _call, target, size) => allocateHost(context, target!, size!, 0),
  },
  cudaHostAlloc: {
    cost: 0,
    allocation: allocating.pinned,
    bytes: (_context, args) => args[1]!,
    inCapture: 'waits',
    run: (context, _call, target, size, flags) => allocateHost(context, target!, size!, flags!),
  },
  cudaFreeHost: {
    cost: 0,
    allocation: allocating.fromPinned,
    bytes: (context, args) => context.pinned.find(args[0]!)?.size ?? 0,
    inCapture: 'waits',
    run: (context, call, address) => {
      if (address === 0) return Success;
      const range = context.pinned.find(address!);
      if (!range || range.start !== address || range.info.registered) return InvalidValue;
      for (const { index } of context.devices) context.waitForDevice(call, true, index);
      return context.afterWait(call, () => {
        context.pinned.remove(address);
        if (context.shared.ranges.find(address)) context.shared.release(address);
        else context.free(address);
        return context.noticeFault();
      });
    },
  },
  cudaHostRegister: {
    cost: 0,
    allocation: allocating.registered,
    bytes: (_context, args) => args[1]!,
    inCapture: 'waits',
    run: (context, _call, address, size, flags) => {
      if (address === 0 || size === 0 || !context.memory.contains(address!, size!)) return InvalidValue;
      if (context.pinned.find(address!)) return cudaError.HostMemoryAlreadyRegistered;
      context.pinned.add(address!, size!, { registered: true, flags: flags! });
      return Success;
    },
  },
  cudaHostUnregister: {
    cost: 0,
    allocation: allocating.unregistered,
    bytes: (context, args) => context.pinned.find(args[0]!)?.size ?? 0,
    run: (context, _call, address) => {
      const range = context.pinned.find(address!);
      if (!range || range.start !== address || !range.info.registered) return cudaError.HostMemoryNotRegistered;
      context.pinned.remove(address);
      context.shared.release(address);
      return Success;
    },
  },
  cudaHostGetDevicePointer: {
    cost: callCost.unmeasured,
    run: (context, _call, target, address, flags) => {
      const range = context.pinned.find(address!);
      if (target === 0 || flags !== 0 || !range) return InvalidValue;
      const shared = context.shared.ranges.find(address!);
      if (shared) context.shared.map(shared.start);
      const base = shared?.info.deviceAddress ?? context.shared.register(range.start, range.size);
      if (base === null) return MemoryAllocation;
      context.memory.setWord(target!, base + address! - range.start);
      return Success;
    },
  },
  cudaMemGetInfo: {
    cost: 4310,
    run: (context, _call, freeTarget, totalTarget) => {
      const total = context.gpu.memory.capacityBytes;
      context.memory.setWord(freeTarget!, total - context.allocatedOn(context.current));
      context.memory.setWord(totalTarget!, total);
      return Success;
    },
  },
  cudaMemPrefetchAsync: {
    cost: 5000, // managed.json prefetch_to_gpu_call: 4.96 to 7.2 us, 14 with 256 MB
    run: prefetch,
  },
  cudaMemAdvise: {
    cost: 21_000, // managed.json advise_read_mostly 4 KB: 21.5 us; what it grows by is in `managed`
    run: advise,
  },
  cudaMemRangeGetAttribute: { cost: callCost.unmeasured, run: rangeAttribute },
  cudaMemRangeGetAttributes: {
    cost: callCost.unmeasured,
    run: (context, call, targets, sizes, attributes, amount, address, count) => {
      if (targets === 0 || sizes === 0 || attributes === 0 || amount === 0) return InvalidValue;
      for (let i = 0; i < amount!; i++) {
        const [target, size] = [targets!, sizes!].map((list) => context.memory.word(list + wordBytes * i));
        const attribute = context.memory.u32(attributes! + 4 * i);
        const code = rangeAttribute(context, call, target!, size!, attribute, address!, count!);
        if (code !== Success) return code;
      }
      return Success;
    },
  },
  cudaStreamAttachMemAsync: {
    cost: callCost.unmeasured,
    run: (context, _call, stream, address) => {
      if (context.streamOf(stream!) === null) return InvalidResourceHandle;
      return context.managed.find(address!) ? Success : InvalidValue;
    },
  },

  cudaMemcpy: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, target, source, size, kind) =>
      copyLinear(context, call, target!, source!, size!, blocking(kind!)),
  },
  cudaMemcpyAsync: {
    cost: callCost.copyAsync,
    stream: 4,
    serial: 0.27,
    run: (context, call, target, source, size, kind, stream) =>
      copyLinear(context, call, target!, source!, size!, inStream(kind!, stream!)),
  },
  cudaMemcpyPeer: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, target, toDevice, source, fromDevice, size) => {
      if (!context.devices[toDevice!] || !context.devices[fromDevice!]) return cudaError.InvalidDevice;
      return copyLinear(context, call, target!, source!, size!, inStream(3, 0));
    },
  },
  cudaMemcpyPeerAsync: {
    cost: callCost.copyAsync,
    stream: 5,
    run: (context, call, target, toDevice, source, fromDevice, size, stream) => {
      if (!context.devices[toDevice!] || !context.devices[fromDevice!]) return cudaError.InvalidDevice;
      return copyLinear(context, call, target!, source!, size!, inStream(3, stream!));
    },
  },
  cudaMemcpy2D: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => copyRows(context, call, args, blocking(args[6]!)),
  },
  cudaMemcpy2DAsync: {
    cost: callCost.copyAsync,
    stream: 7,
    run: (context, call, ...args) => copyRows(context, call, args, inStream(args[6]!, args[7]!)),
  },
  cudaMemcpy3D: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, parameters) => copyBox(context, call, parameters!, { stream: 0, async: false }),
  },
  cudaMemcpy3DAsync: {
    cost: callCost.copyAsync,
    stream: 1,
    run: (context, call, parameters, stream) => copyBox(context, call, parameters!, { stream: stream!, async: true }),
  },
  cudaMemcpy3DPeer: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, parameters) => copyBox(context, call, parameters!, { stream: 0, async: true }, true),
  },
  cudaMemcpy3DPeerAsync: {
    cost: callCost.copyAsync,
    stream: 1,
    run: (context, call, parameters, stream) =>
      copyBox(context, call, parameters!, { stream: stream!, async: true }, true),
  },
  ...arrayCopies('cudaMemcpyToArray', 6, (context, call, [array, x, y, address, count, kind], way) =>
    copyArrayLinear(context, call, { array, x, y, address, toArray: true }, count, way(kind)),
  ),
  ...arrayCopies('cudaMemcpyFromArray', 6, (context, call, [address, array, x, y, count, kind], way) =>
    copyArrayLinear(context, call, { array, x, y, address, toArray: false }, count, way(kind)),
  ),
  ...arrayCopies('cudaMemcpy2DToArray', 8, (context, call, [array, x, y, address, pitch, width, height, kind], way) =>
    copyArray(context, call, { array, x, y, address, pitch, toArray: true }, { width, height }, way(kind)),
  ),
  ...arrayCopies('cudaMemcpy2DFromArray', 8, (context, call, [address, pitch, array, x, y, width, height, kind], way) =>
    copyArray(context, call, { array, x, y, address, pitch, toArray: false }, { width, height }, way(kind)),
  ),

  cudaMemset: {
    cost: 740, // system.cu, S4 memset_blocking_wall: 4 to 9 % more than the asynchronous call, which it is like
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => fillLinear(context, call, args, 0, false),
  },
  cudaMemsetAsync: {
    cost: callCost.fillAsync,
    stream: 3,
    run: (context, call, ...args) => fillLinear(context, call, args, args[3]!, true),
  },
  cudaMemset2D: {
    cost: callCost.unmeasured,
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => fillRows(context, call, args, 0, false),
  },
  cudaMemset2DAsync: {
    cost: callCost.unmeasured,
    stream: 5,
    run: (context, call, ...args) => fillRows(context, call, args, args[5]!, true),
  },
  cudaMemset3D: {
    cost: callCost.unmeasured,
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => fillBox(context, call, args, 0, false),
  },
  cudaMemset3DAsync: {
    cost: callCost.unmeasured,
    stream: 3,
    run: (context, call, ...args) => fillBox(context, call, args, args[3]!, true),
  },

  cudaMemcpyToSymbol: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => copyToSymbol(context, call, args, blocking(args[4]!)),
  },
  cudaMemcpyToSymbolAsync: {
    cost: callCost.copyAsync,
    stream: 5,
    run: (context, call, ...args) => copyToSymbol(context, call, args, inStream(args[4]!, args[5]!)),
  },
  cudaMemcpyFromSymbol: {
    cost: callCost.copy,
    inCapture: 'uses the legacy stream',
    run: (context, call, ...args) => copyFromSymbol(context, call, args, blocking(args[4]!)),
  },
  cudaMemcpyFromSymbolAsync: {
    cost: callCost.copyAsync,
    stream: 5,
    run: (context, call, ...args) => copyFromSymbol(context, call, args, inStream(args[4]!, args[5]!)),
  },
  cudaGetSymbolAddress: {
    cost: 150,
    run: (context, _call, target, symbol) => {
      const found = context.symbols.get(symbol!);
      if (!found) return InvalidSymbol;
      context.memory.setWord(target!, found.addresses[context.current.index]!);
      return Success;
    },
  },
  cudaGetSymbolSize: {
    cost: callCost.unmeasured,
    run: (context, _call, target, symbol) => {
      const found = context.symbols.get(symbol!);
      if (!found) return InvalidSymbol;
      context.memory.setWord(target!, found.size);
      return Success;
    },
  },
};

type Eight = [number, number, number, number, number, number, number, number];

/** A call and its asynchronous twin, which has the stream as one more argument. */
function arrayCopies(
  name: string,
  stream: number,
  make: (context: CudaContext, call: ApiCall, args: Eight, way: (kind: number) => Way) => number,
): Record<string, CudaCall> {
  return {
    [name]: {
      cost: callCost.unmeasured,
      inCapture: 'uses the legacy stream',
      run: (context, call, ...args) => make(context, call, args as Eight, blocking),
    },
    [`${name}Async`]: {
      cost: callCost.unmeasured,
      stream,
      run: (context, call, ...args) => make(context, call, args as Eight, (kind) => inStream(kind, args[stream]!)),
    },
  };
}
