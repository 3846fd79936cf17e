/** CUDA arrays, and texture and surface objects over them. */
import { allocating, callCost } from '../../system/call-costs.ts';
import type { CudaCall } from './api.ts';
import type { CudaContext } from './context.ts';
import { extentAt, type Extent } from './extents.ts';
import { cudaError } from './errors.ts';
import type { Place } from './work.ts';

export interface ArrayState {
  address: number;
  /** Of one element. */
  elementBytes: number;
  pitch: number;
  /** In elements; 0 for dimensions that it lacks. */
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
  /** Of the descriptor in device memory. */
  descriptor: number;
}

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;

/** Of arrays, as engine/warp/runtime/textures.c has them. */
const tileBytes = 64;
const tileRows = 8;

const resourceBytes = 40;
const textureBytes = 72;
const resourceType = { array: 0, mipmapped: 1, linear: 2, pitch2D: 3 };

/** Where an element lies: rows follow each other without padding, and slices likewise. */
export function arrayPlace(array: ArrayState, x: number, y: number, z: number): Place {
  const slice = array.pitch * Math.max(1, array.height);
  return { address: array.address + x * array.elementBytes + y * array.pitch + z * slice, pitch: array.pitch, slice };
}

const channelsAt = (context: CudaContext, at: number): number[] =>
  Array.from({ length: 5 }, (_, index) => context.memory.u32(at + 4 * index));

const bytesOf = (channels: number[]): number => channels.slice(0, 4).reduce((sum, bits) => sum + bits, 0) / 8;

const validChannels = (channels: number[]): boolean =>
  [8, 16, 32].includes(channels[0]!) &&
  channels.slice(0, 4).every((bits) => bits === 0 || bits === channels[0]) &&
  channels[4]! <= 2 &&
  [1, 2, 4].includes(bytesOf(channels) / (channels[0]! / 8));

/** Rows lie one after the other; in tiles, as caches see them, they take more. */
function sizeOf(elementBytes: number, [width, height, depth]: Extent): number {
  const whole = (amount: number, tile: number): number => Math.ceil(amount / tile) * tile;
  return whole(width * elementBytes, tileBytes) * whole(Math.max(1, height), tileRows) * Math.max(1, depth);
}

/** What an array of these channels would take; 0 where there can be none. */
function arrayBytes(context: CudaContext, description: number, extent: Extent): number {
  const channels = description === 0 ? [0] : channelsAt(context, description);
  return validChannels(channels) ? sizeOf(bytesOf(channels), extent) : 0;
}

function createArray(
  context: CudaContext,
  target: number,
  description: number,
  [width, height, depth]: Extent,
  flags: number,
): number {
  if (target === 0 || description === 0 || width === 0) return InvalidValue;
  const channels = channelsAt(context, description);
  if (!validChannels(channels)) return cudaError.InvalidChannelDescriptor;
  const elementBytes = bytesOf(channels);
  const pitch = width * elementBytes;
  const size = sizeOf(elementBytes, [width, height, depth]);
  const { index: device } = context.current;
  const address = context.device.allocate(size, 0, device);
  if (address === null) return cudaError.MemoryAllocation;
  context.allocated(address, size, { device, pool: null, isArray: true });
  const handle = context.newHandle();
  context.arrays.set(handle, { address, elementBytes, pitch, width, height, depth, channels, flags });
  context.memory.setU32(target, handle);
  return Success;
}

/** The memory that a resource stands for; null when it cannot be. */
function surfaceOf(context: CudaContext, resource: number): Omit<ArrayState, 'flags'> | null {
  const word = (index: number) => context.memory.u32(resource + 4 * index);
  switch (word(0)) {
    case resourceType.array:
      return context.arrays.get(word(1)) ?? null;
    case resourceType.linear: {
      const channels = channelsAt(context, resource + 8);
      const elementBytes = bytesOf(channels);
      const size = word(7);
      if (!validChannels(channels) || !context.bytesAt(word(1), size, true)) return null;
      const width = Math.floor(size / elementBytes);
      return { address: word(1), elementBytes, pitch: size, width, height: 0, depth: 0, channels };
    }
    case resourceType.pitch2D: {
      const channels = channelsAt(context, resource + 8);
      const [width, height, pitch] = [word(7), word(8), word(9)];
      if (!validChannels(channels) || !context.bytesAt(word(1), pitch * (height - 1) + 1, true)) return null;
      return { address: word(1), elementBytes: bytesOf(channels), pitch, width, height, depth: 0, channels };
    }
    default:
      return null;
  }
}

/**
 * The descriptor that device code reads, `__simsight_texture` of `include/simsight/textures.h`. The texture's words are
 * those of `cudaTextureDesc`: address modes, filter, read mode, sRGB, border colour (4), normalized coordinates; sRGB, which is
 * not supported, makes room for whether caches see tiles.
 */
function descriptorOf(surface: Omit<ArrayState, 'flags'>, texture: Uint32Array | null): Uint32Array {
  const { address, width, pitch, channels } = surface;
  const [height, depth] = [Math.max(1, surface.height), Math.max(1, surface.depth)];
  const count = channels.slice(0, 4).filter((bits) => bits > 0).length;
  const word = (index: number) => texture?.[index] ?? 0;
  const format = [count, channels[0]!, channels[4]!];
  const sampling = [word(0), word(1), word(2), word(3), word(4), Number(word(10) !== 0), Number('flags' in surface)];
  const border = [6, 7, 8, 9].map(word);
  return Uint32Array.from([address, width, height, depth, pitch, pitch * height, ...format, ...sampling, ...border]);
}

function createObject(context: CudaContext, target: number, resource: number, texture: number | null): number {
  if (target === 0 || resource === 0 || texture === 0) return InvalidValue;
  const surface = surfaceOf(context, resource);
  if (!surface) return context.memory.u32(resource) === resourceType.mipmapped ? cudaError.NotSupported : InvalidValue;
  const state: TextureState = {
    resource: context.memory.bytes(resource, resourceBytes).slice(),
    texture: texture === null ? null : context.memory.bytes(texture, textureBytes).slice(),
    descriptor: 0,
  };
  if (texture !== null) {
    const [filter, read, srgb] = [12, 16, 20].map((at) => context.memory.u32(texture + at));
    const isFloat = surface.channels[4] === 2;
    if (srgb !== 0) return cudaError.NotSupported;
    if (filter === 1 && !isFloat && read === 0) return cudaError.InvalidFilterSetting;
    if (read === 1 && !isFloat && surface.channels[0] === 32) return cudaError.InvalidNormSetting;
  }
  const words = descriptorOf(surface, state.texture && new Uint32Array(state.texture.buffer));
  const descriptor = context.device.allocate(words.byteLength);
  if (descriptor === null) return cudaError.MemoryAllocation;
  state.descriptor = descriptor;
  context.deviceBytes(descriptor, words.byteLength).set(new Uint8Array(words.buffer));
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
    bytes: (context, args) => arrayBytes(context, args[1]!, [args[2]!, args[3]!, 0]),
    inCapture: 'waits',
    run: (context, _call, target, description, width, height, flags) =>
      createArray(context, target!, description!, [width!, height!, 0], flags!),
  },
  cudaMalloc3DArray: {
    cost: 0,
    allocation: allocating.onDevice,
    bytes: (context, args) => arrayBytes(context, args[1]!, extentAt(context, args[2]!)),
    inCapture: 'waits',
    run: (context, _call, target, description, extent, flags) => {
      return createArray(context, target!, description!, extentAt(context, extent!), flags!);
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
      context.system.synchronizeDevice(call, true, device.index);
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
      if (description) array.channels.forEach((value, i) => context.memory.setU32(description + 4 * i, value));
      const { width, height, depth } = array;
      if (extent) [width, height, depth].forEach((value, i) => context.memory.setU32(extent + 4 * i, value));
      if (flags) context.memory.setU32(flags, array.flags);
      return Success;
    },
  },
  cudaGetChannelDesc: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle) => {
      const array = context.arrays.get(handle!);
      if (!array) return InvalidResourceHandle;
      array.channels.forEach((value, i) => context.memory.setU32(target! + 4 * i, value));
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
