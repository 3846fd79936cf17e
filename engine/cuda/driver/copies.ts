/** Copies and fills of the driver API. What the memory of each side is stands in the name, or in a struct. */
import { callCost } from '../../system/call-costs.ts';
import type { ApiCall } from '../../system/types.ts';
import { CUDA_MEMCPY2D, CUDA_MEMCPY3D } from '../runtime/abi.ts';
import type { ApiFunction, CudaCall } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import {
  blocking,
  copy,
  copyArrayLinear,
  copyWork,
  fill,
  flat,
  inStream,
  memoryCalls,
  type Copy,
  type Way,
} from '../runtime/memory.ts';
import { arrayPlace, type ArrayState } from '../runtime/textures.ts';
import type { CopyWork, Place } from '../runtime/work.ts';
import { driverCode, likeRuntime } from './codes.ts';

const { InvalidValue, InvalidResourceHandle } = cudaError;

/** `cudaMemcpyKind`. */
const kind = { toDevice: 1, toHost: 2, onDevice: 3, unknown: 4 };
/** `CUmemorytype`. */
const memoryType = { host: 1, device: 2, array: 3, unified: 4 };

/** A copy in one piece, and its asynchronous twin, which has the stream behind. */
function linear(name: string, of: number, version = ''): Record<string, CudaCall> {
  const [now, later] = [memoryCalls.cudaMemcpy!, memoryCalls.cudaMemcpyAsync!];
  return {
    [`${name}${version}`]: likeRuntime(now, (context, call, target, source, bytes) =>
      now.run(context, call, target!, source!, bytes!, of),
    ),
    [`${name}Async${version}`]: {
      ...likeRuntime(later, (context, call, target, source, bytes, stream) =>
        later.run(context, call, target!, source!, bytes!, of, stream!),
      ),
      stream: 3,
    },
  };
}

/** Bytes of an array's first row: what the copies here know of it (an H200's driver refuses others). */
const rowBytes = ({ width, elementBytes }: ArrayState): number => width * elementBytes;

/** Between the first row of an array, from a byte on, and memory in one piece. */
function arrayCopy(of: number, toArray: boolean, isAsync = false): CudaCall {
  const run: ApiFunction = (context, call, ...args) => {
    const [array, x, address] = (toArray ? args : [args[1], args[2], args[0]]) as [number, number, number];
    const [count, stream] = args.slice(3) as [number, number];
    const state = context.arrays.get(array);
    if (!state) return InvalidResourceHandle;
    if (x + count > rowBytes(state)) return InvalidValue;
    const side = { array, x, y: 0, address, toArray };
    return driverCode(copyArrayLinear(context, call, side, count, isAsync ? inStream(of, stream) : blocking(of)));
  };
  return { cost: callCost.unmeasured, ...(isAsync ? { stream: 4 } : { inCapture: 'uses the legacy stream' }), run };
}

/** Between the first rows of two arrays, from a byte of each on. */
const betweenArrays: ApiFunction = (context, call, target, targetX, source, sourceX, count) => {
  const [to, from] = [context.arrays.get(target!), context.arrays.get(source!)];
  if (!to || !from) return InvalidResourceHandle;
  if (targetX! + count! > rowBytes(to) || sourceX! + count! > rowBytes(from)) return InvalidValue;
  const side = (array: number, x: number): Side => ({
    ...{ type: memoryType.array, array, x, y: 0, z: 0 },
    ...{ host: 0, device: 0, pitch: 0, rows: 0 },
  });
  const sides = { from: side(source!, sourceX!), to: side(target!, targetX!), width: count!, height: 1, depth: 1 };
  return copySides(context, call, sides, { stream: 0, async: false });
};

interface Side {
  type: number;
  host: number;
  device: number;
  array: number;
  pitch: number;
  rows: number;
  x: number;
  y: number;
  z: number;
}

/** One side's place, and whether the device has it (null: the address says it); an error code for what is none. */
function placeOf(context: CudaContext, side: Side, box: { width: number; height: number; depth: number }) {
  const { type, x, y, z, pitch } = side;
  if (type === memoryType.array) {
    const array = context.arrays.get(side.array);
    if (!array) return InvalidResourceHandle;
    const isInside =
      x + box.width <= array.width * array.elementBytes &&
      y + box.height <= Math.max(1, array.height) &&
      z + box.depth <= Math.max(1, array.depth);
    if (!isInside) return InvalidValue;
    const place = arrayPlace(array, 0, y, z);
    return { place: { ...place, address: place.address + x }, onDevice: true };
  }
  const base = type === memoryType.host ? side.host : side.device;
  if (type < memoryType.host || type > memoryType.unified || base === 0) return InvalidValue;
  // A pitch of 0 is that of rows without a gap.
  const rowBytes = pitch === 0 ? box.width : pitch;
  const slice = rowBytes * Math.max(side.rows, box.height);
  const place = flat(base + x + y * rowBytes + z * slice, rowBytes, slice);
  return { place, onDevice: type === memoryType.unified ? null : type === memoryType.device };
}

type Sides = { from: Side; to: Side; width: number; height: number; depth: number };

/** The copy between two sides, and its `cudaMemcpyKind`; an error code where one is none. */
function requestOf(context: CudaContext, { from, to, ...box }: Sides): { request: Copy; of: number } | number {
  const [source, target] = [placeOf(context, from, box), placeOf(context, to, box)];
  if (typeof source === 'number') return source;
  if (typeof target === 'number') return target;
  const request: Copy = { source: source.place, target: target.place, ...box };
  const isUnknown = source.onDevice === null || target.onDevice === null;
  const of = isUnknown ? kind.unknown : Number(target.onDevice) * kind.toDevice + Number(source.onDevice) * kind.toHost;
  return { request, of };
}

function copySides(context: CudaContext, call: ApiCall, sides: Sides, way: Omit<Way, 'kind'>): number {
  const made = requestOf(context, sides);
  return typeof made === 'number' ? made : driverCode(copy(context, call, made.request, { ...way, kind: made.of }));
}

function sidesOf2d(context: CudaContext, at: number): Sides {
  const field = (name: Exclude<keyof typeof CUDA_MEMCPY2D, 'bytes' | 'words'>) =>
    context.memory.field(at, CUDA_MEMCPY2D, name);
  const side = (end: 'src' | 'dst'): Side => ({
    ...{ type: field(`${end}MemoryType`), host: field(`${end}Host`), device: field(`${end}Device`) },
    ...{ array: field(`${end}Array`), pitch: field(`${end}Pitch`), rows: 0 },
    ...{ x: field(`${end}XInBytes`), y: field(`${end}Y`), z: 0 },
  });
  return { from: side('src'), to: side('dst'), width: field('WidthInBytes'), height: field('Height'), depth: 1 };
}

function sidesOf3d(context: CudaContext, at: number): Sides {
  const field = (name: Exclude<keyof typeof CUDA_MEMCPY3D, 'bytes' | 'words'>) =>
    context.memory.field(at, CUDA_MEMCPY3D, name);
  const side = (end: 'src' | 'dst'): Side => ({
    ...{ type: field(`${end}MemoryType`), host: field(`${end}Host`), device: field(`${end}Device`) },
    ...{ array: field(`${end}Array`), pitch: field(`${end}Pitch`), rows: field(`${end}Height`) },
    ...{ x: field(`${end}XInBytes`), y: field(`${end}Y`), z: field(`${end}Z`) },
  });
  return {
    ...{ from: side('src'), to: side('dst') },
    ...{ width: field('WidthInBytes'), height: field('Height'), depth: field('Depth') },
  };
}

/** A node of a graph, from `CUDA_MEMCPY3D`; the runtime's error code where it cannot be one. */
export function copyFromMemcpy3d(context: CudaContext, at: number): CopyWork | number {
  const made = requestOf(context, sidesOf3d(context, at));
  return typeof made === 'number' ? made : copyWork(context, made.request, made.of, true);
}

/** Writes a copy as `CUDA_MEMCPY3D`, with arrays shown as the memory behind them. */
export function showMemcpy3d(context: CudaContext, work: CopyWork, at: number): void {
  const { direction, source, target, width, height, depth } = work;
  const { memory } = context;
  memory.bytes(at, CUDA_MEMCPY3D.bytes).fill(0);
  const side = (end: 'src' | 'dst', onDevice: boolean, { address, pitch, slice }: Place): Record<string, number> => ({
    [`${end}MemoryType`]: onDevice ? memoryType.device : memoryType.host,
    [`${end}${onDevice ? 'Device' : 'Host'}`]: address,
    [`${end}Pitch`]: pitch,
    [`${end}Height`]: Math.round(slice / pitch) || 1,
  });
  memory.setFields(at, CUDA_MEMCPY3D, {
    ...side('src', direction.startsWith('device'), source),
    ...side('dst', direction.endsWith('device'), target),
    ...{ WidthInBytes: width, Height: height, Depth: depth },
  });
}

type SidesAt = (context: CudaContext, at: number) => Sides;

/** A copy that a struct describes. */
const box = (sides: SidesAt): CudaCall => ({
  cost: callCost.copy,
  inCapture: 'uses the legacy stream',
  run: (context, call, at) =>
    at === 0 ? InvalidValue : copySides(context, call, sides(context, at!), { stream: 0, async: false }),
});

/** The same in a stream. */
const boxInStream = (sides: SidesAt): CudaCall => ({
  cost: callCost.copyAsync,
  stream: 1,
  run: (context, call, at, stream) =>
    at === 0 ? InvalidValue : copySides(context, call, sides(context, at!), { stream: stream!, async: true }),
});

/** Fills with elements of so many bits, in one piece or in rows, now or in a stream. */
function fills(bits: 8 | 16 | 32): Record<string, CudaCall> {
  const elementBytes = bits / 8;
  const mask = 2 ** bits - 1;
  const run = (context: CudaContext, call: ApiCall, args: number[], isRows: boolean, async: boolean): number => {
    const [address, pitch, value, width, height, stream] = (
      isRows ? args : [args[0], 0, args[1], args[2], 1, args[3]]
    ) as [number, number, number, number, number, number];
    if (address % elementBytes !== 0) return InvalidValue;
    const bytes = width * elementBytes;
    const target = flat(address, isRows ? pitch : bytes);
    const request = { target, value: (value & mask) >>> 0, elementBytes, width: bytes, height, depth: 1 };
    return driverCode(fill(context, call, request, async ? stream : 0, async));
  };
  const { cost } = memoryCalls.cudaMemset!;
  const at = { inCapture: 'uses the legacy stream' } as const;
  return {
    [`cuMemsetD${bits}_v2`]: { cost, ...at, run: (context, call, ...args) => run(context, call, args, false, false) },
    [`cuMemsetD2D${bits}_v2`]: { cost, ...at, run: (context, call, ...args) => run(context, call, args, true, false) },
    [`cuMemsetD${bits}Async`]: {
      ...{ cost: callCost.fillAsync, stream: 3 },
      run: (context, call, ...args) => run(context, call, args, false, true),
    },
    [`cuMemsetD2D${bits}Async`]: {
      ...{ cost: callCost.fillAsync, stream: 5 },
      run: (context, call, ...args) => run(context, call, args, true, true),
    },
  };
}

export const copyCalls: Record<string, CudaCall> = {
  ...linear('cuMemcpy', kind.unknown),
  ...linear('cuMemcpyHtoD', kind.toDevice, '_v2'),
  ...linear('cuMemcpyDtoH', kind.toHost, '_v2'),
  ...linear('cuMemcpyDtoD', kind.onDevice, '_v2'),
  cuMemcpyPeer: likeRuntime(memoryCalls.cudaMemcpy!, (context, call, target, to, source, from, bytes) =>
    context.contexts.has(to!) && context.contexts.has(from!)
      ? copy(context, call, piece(target!, source!, bytes!), inStream(kind.onDevice, 0))
      : cudaError.DeviceUninitialized,
  ),
  cuMemcpyPeerAsync: {
    ...likeRuntime(memoryCalls.cudaMemcpyAsync!, (context, call, target, to, source, from, bytes, stream) =>
      context.contexts.has(to!) && context.contexts.has(from!)
        ? copy(context, call, piece(target!, source!, bytes!), inStream(kind.onDevice, stream!))
        : cudaError.DeviceUninitialized,
    ),
    stream: 5,
  },
  cuMemcpyHtoA_v2: arrayCopy(kind.toDevice, true),
  cuMemcpyDtoA_v2: arrayCopy(kind.onDevice, true),
  cuMemcpyAtoH_v2: arrayCopy(kind.toHost, false),
  cuMemcpyAtoD_v2: arrayCopy(kind.onDevice, false),
  cuMemcpyHtoAAsync_v2: arrayCopy(kind.toDevice, true, true),
  cuMemcpyAtoHAsync_v2: arrayCopy(kind.toHost, false, true),
  cuMemcpyAtoA_v2: { cost: callCost.unmeasured, inCapture: 'uses the legacy stream', run: betweenArrays },
  cuMemcpy2D_v2: box(sidesOf2d),
  cuMemcpy2DUnaligned_v2: box(sidesOf2d),
  cuMemcpy2DAsync_v2: boxInStream(sidesOf2d),
  cuMemcpy3D_v2: box(sidesOf3d),
  cuMemcpy3DAsync_v2: boxInStream(sidesOf3d),
  ...fills(8),
  ...fills(16),
  ...fills(32),
};

function piece(target: number, source: number, bytes: number): Copy {
  return { target: flat(target, bytes), source: flat(source, bytes), width: bytes, height: 1, depth: 1 };
}
