/** CUDA arrays, and texture and surface objects over them. */
import { allocating, callCost } from '../../system/call-costs.ts';
import { cudaChannelFormatDesc, cudaExtent, cudaResourceDesc, cudaTextureDesc, textureDescriptor } from './abi.ts';
import type { Field } from './structs.ts';
import type { CudaCall } from './api.ts';
import { SimsightError } from '../../base/errors.ts';
import type { CudaContext } from './context.ts';
import { extentAt, type Extent } from './extents.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import type { Place } from './work.ts';

export interface ArrayState {
  address: number;
  /** Bytes of one element. */
  elementBytes: number;
  pitch: number;
  /** Extent in elements; 0 for dimensions that it lacks. */
  width: number;
  height: number;
  depth: number;
  /** `cudaChannelFormatDesc`: bits of x, y, z, w, kind. */
  channels: number[];
  flags: number;
}

export interface TextureState {
  /** `cudaResourceDesc` and `cudaTextureDesc` as the program gave them. */
  resource: Uint8Array;
  texture: Uint8Array | null;
  /** Address of the descriptor in device memory. */
  descriptor: number;
}

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;

/** Tiles of arrays, as engine/warp/runtime/textures.c has them. */
const tileBytes = 64;
const tileRows = 8;

const resourceType = { array: 0, mipmapped: 1, linear: 2, pitch2D: 3 };

/** Place of an element: rows follow each other without padding, and slices likewise. */
export function arrayPlace(array: ArrayState, x: number, y: number, z: number): Place {
  const slice = array.pitch * Math.max(1, array.height);
  return { address: array.address + x * array.elementBytes + y * array.pitch + z * slice, pitch: array.pitch, slice };
}

const { x, y, z, w, f } = cudaChannelFormatDesc;
const channelOffsets = [x, y, z, w, f];

const channelsAt = (context: CudaContext, at: number): number[] =>
  channelOffsets.map((offset) => context.memory.u32(at + offset));

function showChannels(context: CudaContext, at: number, channels: number[]): void {
  channelOffsets.forEach((offset, i) => context.memory.setU32(at + offset, channels[i]!));
}

/** Channels that a program describes; null where it does not. */
const describedAt = (context: CudaContext, at: number): number[] | null => (at === 0 ? null : channelsAt(context, at));

const bytesOf = (channels: number[]): number => channels.slice(0, 4).reduce((sum, bits) => sum + bits, 0) / 8;

const validChannels = (channels: number[]): boolean =>
  [8, 16, 32].includes(channels[0]!) &&
  channels.slice(0, 4).every((bits) => bits === 0 || bits === channels[0]) &&
  channels[4]! <= 2 &&
  [1, 2, 4].includes(bytesOf(channels) / (channels[0]! / 8));

/** Rows lie one after the other; in tiles, as caches see them, they take more. */
function sizeOf(elementBytes: number, { width, height, depth }: Extent): number {
  const whole = (amount: number, tile: number): number => Math.ceil(amount / tile) * tile;
  return whole(width * elementBytes, tileBytes) * whole(Math.max(1, height), tileRows) * Math.max(1, depth);
}

/** Bytes that an array of these channels would take; 0 where there can be none. */
function arrayBytes(context: CudaContext, description: number, extent: Extent): number {
  const channels = description === 0 ? [0] : channelsAt(context, description);
  return validChannels(channels) ? sizeOf(bytesOf(channels), extent) : 0;
}

/** An array of elements with these channels, as `cudaChannelFormatDesc` has them. */
export function createArray(
  context: CudaContext,
  target: number,
  channels: number[] | null,
  { width, height, depth }: Extent,
  flags: number,
): number {
  if (target === 0 || channels === null || width === 0) return InvalidValue;
  if (!validChannels(channels)) return cudaError.InvalidChannelDescriptor;
  const elementBytes = bytesOf(channels);
  const pitch = width * elementBytes;
  const size = sizeOf(elementBytes, { width, height, depth });
  const { index: device } = context.current;
  const address = context.device.allocate(size, 0, device);
  if (address === null) {
    context.noticeFull(size, 'arrays');
    return cudaError.MemoryAllocation;
  }
  context.allocated(address, size, { device, pool: null, isArray: true });
  const handle = context.newHandle();
  context.arrays.set(handle, { address, elementBytes, pitch, width, height, depth, channels, flags });
  context.memory.setWord(target, handle);
  return Success;
}

/** True for device memory. Error: `unsupported-construct` where it is paged. */
function isTexturable(context: CudaContext, address: number, bytes: number): boolean {
  if (context.bytesAt(address, bytes, true) === null) return false;
  if (!context.device.isPaged(address)) return true;
  throw new SimsightError(
    'unsupported-construct',
    'A texture or surface of linear memory is not supported yet in programs that have more than 4 GiB of device memory.',
    'Allocate the memory of textures first, or as arrays (cudaMallocArray).',
  );
}

/** The memory that a resource stands for; null when it cannot be. */
function surfaceOf(context: CudaContext, resource: number): Omit<ArrayState, 'flags'> | null {
  const word = (field: Field<typeof cudaResourceDesc>) => context.memory.field(resource, cudaResourceDesc, field);
  const address = word('devPtr');
  switch (word('resType')) {
    case resourceType.array:
      return context.arrays.get(word('array')) ?? null;
    case resourceType.linear: {
      const channels = channelsAt(context, resource + cudaResourceDesc.desc);
      const elementBytes = bytesOf(channels);
      // CUDA takes sizes that go beyond the allocation; what lies there is not read.
      const found = context.deviceAllocations.find(address);
      const size = Math.min(word('sizeInBytes'), found ? found.start + found.size - address : Infinity);
      if (!validChannels(channels) || !isTexturable(context, address, size)) return null;
      const width = Math.floor(size / elementBytes);
      return { address, elementBytes, pitch: size, width, height: 0, depth: 0, channels };
    }
    case resourceType.pitch2D: {
      const channels = channelsAt(context, resource + cudaResourceDesc.desc);
      const [width, height, pitch] = [word('width'), word('height'), word('pitchInBytes')];
      if (!validChannels(channels) || !isTexturable(context, address, pitch * (height - 1) + 1)) return null;
      return { address, elementBytes: bytesOf(channels), pitch, width, height, depth: 0, channels };
    }
    default:
      return null;
  }
}

/** The descriptor that device code reads, `__simsight_texture` of `include/simsight/textures.h`; `texture` is a `cudaTextureDesc`. */
function descriptorOf(surface: Omit<ArrayState, 'flags'>, texture: Uint8Array | null): Uint8Array {
  const { address, width, pitch, channels } = surface;
  const [height, depth] = [Math.max(1, surface.height), Math.max(1, surface.depth)];
  const count = channels.slice(0, 4).filter((bits) => bits > 0).length;
  const descriptor = new DataView(new ArrayBuffer(textureDescriptor.bytes));
  const set = (field: Field<typeof textureDescriptor>, ...values: number[]): void =>
    values.forEach((value, i) => descriptor.setUint32(textureDescriptor[field] + 4 * i, value, true));
  set('data', address);
  set('width', width);
  set('height', height);
  set('depth', depth);
  set('pitch', pitch);
  set('slice', pitch * height);
  set('channels', count);
  set('bits', channels[0]!);
  set('kind', channels[4]!);
  set('tiled', Number('flags' in surface));
  if (texture !== null) {
    const given = new DataView(texture.buffer, texture.byteOffset, texture.byteLength);
    const words = (field: Field<typeof cudaTextureDesc>, many: number): number[] =>
      Array.from({ length: many }, (_, i) => given.getUint32(cudaTextureDesc[field] + 4 * i, true));
    set('addressMode', ...words('addressMode', 3));
    set('filterMode', ...words('filterMode', 1));
    set('readMode', ...words('readMode', 1));
    set('normalized', Number(words('normalizedCoords', 1)[0] !== 0));
    set('borderColor', ...words('borderColor', 4));
  }
  return new Uint8Array(descriptor.buffer);
}

function createObject(context: CudaContext, target: number, resource: number, texture: number | null): number {
  if (target === 0 || resource === 0 || texture === 0) return InvalidValue;
  const surface = surfaceOf(context, resource);
  if (!surface) {
    const type = context.memory.u32(resource + cudaResourceDesc.resType);
    return type === resourceType.mipmapped ? cudaError.NotSupported : InvalidValue;
  }
  const state: TextureState = {
    resource: context.memory.bytes(resource, cudaResourceDesc.bytes).slice(),
    texture: texture === null ? null : context.memory.bytes(texture, cudaTextureDesc.bytes).slice(),
    descriptor: 0,
  };
  if (texture !== null) {
    const { filterMode, readMode, sRGB } = cudaTextureDesc;
    const [filter, read, srgb] = [filterMode, readMode, sRGB].map((field) => context.memory.u32(texture + field));
    const isFloat = surface.channels[4] === 2;
    if (srgb !== 0) return cudaError.NotSupported;
    if (filter === 1 && !isFloat && read === 0) return cudaError.InvalidFilterSetting;
    if (read === 1 && !isFloat && surface.channels[0] === 32) return cudaError.InvalidNormSetting;
  }
  const bytes = descriptorOf(surface, state.texture);
  const descriptor = context.device.allocate(bytes.length);
  if (descriptor === null) return cudaError.MemoryAllocation;
  state.descriptor = descriptor;
  context.writeToDevice(descriptor, bytes);
  context.textures.set(descriptor, state);
  context.memory.setU64(target, BigInt(descriptor));
  return Success;
}

function destroyObject(context: CudaContext, handle: number): number {
  if (handle === 0) return Success;
  if (!context.textures.delete(handle)) return InvalidValue;
  context.device.free(handle);
  return Success;
}

function show(context: CudaContext, target: number, handle: number, part: 'resource' | 'texture'): number {
  const bytes = context.textures.get(handle)?.[part];
  if (target === 0 || !bytes) return InvalidValue;
  context.memory.bytes(target, bytes.length).set(bytes);
  return Success;
}

export const textureCalls: Record<string, CudaCall> = {
  cudaMallocArray: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (context, args) => arrayBytes(context, args[1]!, { width: args[2]!, height: args[3]!, depth: 0 }),
    inCapture: 'waits',
    run: (context, _call, target, description, width, height, flags) =>
      createArray(
        context,
        target!,
        describedAt(context, description!),
        { width: width!, height: height!, depth: 0 },
        flags!,
      ),
  },
  cudaMalloc3DArray: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (context, args) => arrayBytes(context, args[1]!, extentAt(context, args[2]!)),
    inCapture: 'waits',
    run: (context, _call, target, description, extent, flags) => {
      return createArray(context, target!, describedAt(context, description!), extentAt(context, extent!), flags!);
    },
  },
  cudaFreeArray: {
    cost: 0,
    allocation: allocating.fromDevice,
    bytes: (context, args) => context.deviceAllocations.find(context.arrays.get(args[0]!)?.address ?? 0)?.size ?? 0,
    inCapture: 'waits',
    run: (context, call, handle) => {
      if (handle === 0) return Success;
      const array = context.arrays.get(handle!);
      if (!array) return InvalidResourceHandle;
      const device = context.devices[context.deviceAt(array.address) ?? context.current.index]!;
      context.waitForDevice(call, true, device.index);
      return context.afterWait(call, () => {
        context.arrays.delete(handle!);
        context.deviceAllocations.remove(array.address);
        context.device.free(array.address);
        return context.noticeFault(device);
      });
    },
  },
  cudaArrayGetInfo: {
    cost: callCost.unmeasured,
    run: (context, _call, description, extent, flags, handle) => {
      const array = context.arrays.get(handle!);
      if (!array) return InvalidResourceHandle;
      if (description) showChannels(context, description, array.channels);
      const { width, height, depth } = array;
      if (extent) context.memory.setFields(extent, cudaExtent, { width, height, depth });
      if (flags) context.memory.setU32(flags, array.flags);
      return Success;
    },
  },
  cudaGetChannelDesc: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle) => {
      const array = context.arrays.get(handle!);
      if (!array) return InvalidResourceHandle;
      showChannels(context, target!, array.channels);
      return Success;
    },
  },
  cudaCreateTextureObject: {
    cost: callCost.unmeasured,
    run: (context, _call, target, resource, texture) => createObject(context, target!, resource!, texture!),
  },
  cudaCreateSurfaceObject: {
    cost: callCost.unmeasured,
    run: (context, _call, target, resource) => createObject(context, target!, resource!, null),
  },
  cudaDestroyTextureObject: {
    cost: callCost.unmeasured,
    run: (context, _call, handle) => destroyObject(context, handle!),
  },
  cudaDestroySurfaceObject: {
    cost: callCost.unmeasured,
    run: (context, _call, handle) => destroyObject(context, handle!),
  },
  cudaGetTextureObjectResourceDesc: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle) => show(context, target!, handle!, 'resource'),
  },
  cudaGetTextureObjectTextureDesc: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle) => show(context, target!, handle!, 'texture'),
  },
  cudaGetSurfaceObjectResourceDesc: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle) => show(context, target!, handle!, 'resource'),
  },
};
