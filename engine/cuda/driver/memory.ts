/** Memory of the driver API: what is allocated on both sides, arrays, textures and surfaces. */
import { wordBytes } from '../host-exports.ts';
import { callCost } from '../../system/call-costs.ts';
import {
  CUDA_ARRAY3D_DESCRIPTOR,
  CUDA_ARRAY_DESCRIPTOR,
  CUDA_RESOURCE_DESC,
  CUDA_TEXTURE_DESC,
  CUmemLocation,
  cudaResourceDesc,
  cudaTextureDesc,
} from '../runtime/abi.ts';
import type { ApiFunction, CudaCall, QueryFunction } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { memoryCalls } from '../runtime/memory.ts';
import { poolCalls } from '../runtime/pools.ts';
import type { Field } from '../runtime/structs.ts';
import { createArray, textureCalls } from '../runtime/textures.ts';
import { driverCode, likeRuntime, queryOfRuntime, unmeasured } from './codes.ts';

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;

/** Bits and kind (`cudaChannelFormatKind`) of one channel, by `CUarray_format`. */
const formats: Readonly<Record<number, readonly [bits: number, kind: number]>> = {
  0x01: [8, 1],
  0x02: [16, 1],
  0x03: [32, 1],
  0x08: [8, 0],
  0x09: [16, 0],
  0x0a: [32, 0],
  0x10: [16, 2],
  0x20: [32, 2],
};

/** As `cudaChannelFormatDesc` has them: bits of four channels, kind; null for what no array can have. */
function channelsOf(format: number, count: number): number[] | null {
  const found = formats[format];
  if (!found || ![1, 2, 4].includes(count)) return null;
  return [0, 1, 2, 3].map((channel) => (channel < count ? found[0] : 0)).concat(found[1]);
}

const formatOf = (channels: readonly number[]): number => {
  const same = Object.entries(formats).find(([, [bits, kind]]) => bits === channels[0] && kind === channels[4]);
  return Number(same![0]);
};

const makeArray: ApiFunction = (context, _call, target, at) => {
  if (target === 0 || at === 0) return InvalidValue;
  const field = (name: Field<typeof CUDA_ARRAY_DESCRIPTOR>) => context.memory.field(at!, CUDA_ARRAY_DESCRIPTOR, name);
  const channels = channelsOf(field('Format'), field('NumChannels'));
  if (channels === null) return InvalidValue;
  const extent = { width: field('Width'), height: field('Height'), depth: 0 };
  return driverCode(createArray(context, target!, channels, extent, 0));
};

const make3dArray: ApiFunction = (context, _call, target, at) => {
  if (target === 0 || at === 0) return InvalidValue;
  const field = (name: Field<typeof CUDA_ARRAY3D_DESCRIPTOR>) =>
    context.memory.field(at!, CUDA_ARRAY3D_DESCRIPTOR, name);
  const channels = channelsOf(field('Format'), field('NumChannels'));
  if (channels === null) return InvalidValue;
  const extent = { width: field('Width'), height: field('Height'), depth: field('Depth') };
  return driverCode(createArray(context, target!, channels, extent, field('Flags')));
};

const describe =
  (descriptor: typeof CUDA_ARRAY_DESCRIPTOR | typeof CUDA_ARRAY3D_DESCRIPTOR): ApiFunction =>
  (context, _call, target, handle) => {
    const array = context.arrays.get(handle!);
    if (!array) return InvalidResourceHandle;
    const { width: Width, height: Height, depth: Depth, channels, flags: Flags } = array;
    const [Format, NumChannels] = [formatOf(channels), channels.slice(0, 4).filter((bits) => bits > 0).length];
    const { memory } = context;
    if (descriptor === CUDA_ARRAY_DESCRIPTOR) {
      memory.setFields(target!, CUDA_ARRAY_DESCRIPTOR, { Width, Height, Format, NumChannels });
    } else {
      const values = { Width, Height, Depth, Format, NumChannels, Flags };
      memory.setFields(target!, CUDA_ARRAY3D_DESCRIPTOR, values);
    }
    return Success;
  };

/** Runs with a piece of the program's memory, all zeros. */
function withRoom(context: CudaContext, bytes: number, run: (address: number) => number): number {
  const address = context.malloc(bytes);
  if (address === 0) return cudaError.MemoryAllocation;
  try {
    context.memory.bytes(address, bytes).fill(0);
    return run(address);
  } finally {
    context.free(address);
  }
}

/** Writes a `CUDA_RESOURCE_DESC` as `cudaResourceDesc`; false where no texture can have its format. */
function writeResource(context: CudaContext, from: number, to: number): boolean {
  const { memory } = context;
  const field = (name: Field<typeof CUDA_RESOURCE_DESC>) => memory.field(from, CUDA_RESOURCE_DESC, name);
  const resType = field('resType');
  // An array, a mipmapped one, which have their formats themselves.
  if (resType < 2) {
    memory.setFields(to, cudaResourceDesc, { resType, array: field('array') });
    return true;
  }
  const channels = channelsOf(field('format'), field('numChannels'));
  if (channels === null) return false;
  const [width, height, pitchInBytes] = [field('width'), field('height'), field('pitchInBytes')];
  const rest = resType === 2 ? { sizeInBytes: field('sizeInBytes') } : { width, height, pitchInBytes };
  memory.setFields(to, cudaResourceDesc, { resType, devPtr: field('devPtr'), ...rest });
  channels.forEach((value, i) => memory.setU32(to + cudaResourceDesc.desc + 4 * i, value));
  return true;
}

const textureFlag = { readAsInteger: 0x01, normalizedCoordinates: 0x02, sRgb: 0x10 };

/** Bits and kind of the channels that a `CUDA_RESOURCE_DESC` has. */
function channelOf(context: CudaContext, resource: number): readonly [bits: number, kind: number] {
  const array = context.arrays.get(context.memory.field(resource, CUDA_RESOURCE_DESC, 'array'));
  const isArray = context.memory.field(resource, CUDA_RESOURCE_DESC, 'resType') < 2;
  if (isArray) return [array?.channels[0] ?? 0, array?.channels[4] ?? 0];
  return formats[context.memory.field(resource, CUDA_RESOURCE_DESC, 'format')] ?? [0, 0];
}

/** Writes a `CUDA_TEXTURE_DESC` as `cudaTextureDesc`. */
function writeTexture(context: CudaContext, from: number, to: number, resource: number): void {
  const { memory } = context;
  const flags = memory.u32(from + CUDA_TEXTURE_DESC.flags);
  const has = (flag: number): number => Number((flags & flag) !== 0);
  const copied = [
    [CUDA_TEXTURE_DESC.addressMode, cudaTextureDesc.addressMode, 12],
    [CUDA_TEXTURE_DESC.borderColor, cudaTextureDesc.borderColor, 16],
  ] as const;
  for (const [source, target, bytes] of copied)
    memory.bytes(to + target, bytes).set(memory.bytes(from + source, bytes));
  const [bits, kind] = channelOf(context, resource);
  // Small integers are read as fractions unless a flag says otherwise; others are what they are.
  const isFraction = kind !== 2 && bits < 32 && has(textureFlag.readAsInteger) === 0;
  memory.setFields(to, cudaTextureDesc, {
    filterMode: memory.u32(from + CUDA_TEXTURE_DESC.filterMode),
    readMode: Number(isFraction),
    sRGB: has(textureFlag.sRgb),
    normalizedCoords: has(textureFlag.normalizedCoordinates),
  });
}

const createTexture: ApiFunction = (context, call, target, resource, texture, view) => {
  if (target === 0 || resource === 0 || texture === 0) return InvalidValue;
  if (view !== 0) return cudaError.NotSupported;
  return withRoom(context, cudaResourceDesc.bytes + cudaTextureDesc.bytes, (room) => {
    if (!writeResource(context, resource!, room)) return InvalidValue;
    writeTexture(context, texture!, room + cudaResourceDesc.bytes, resource!);
    const { run } = textureCalls.cudaCreateTextureObject!;
    return driverCode(run(context, call, target!, room, room + cudaResourceDesc.bytes));
  });
};

const createSurface: ApiFunction = (context, call, target, resource) => {
  if (target === 0 || resource === 0) return InvalidValue;
  return withRoom(context, cudaResourceDesc.bytes, (room) => {
    if (!writeResource(context, resource!, room)) return InvalidValue;
    return driverCode(textureCalls.cudaCreateSurfaceObject!.run(context, call, target!, room));
  });
};

/** `CUpointer_attribute`. */
const pointerAttribute = { context: 1, memoryType: 2, devicePointer: 3, hostPointer: 4, managed: 8, ordinal: 9 };
const rangeAttribute = { start: 11, size: 12, mapped: 13 };

/** The variable or string literal of a module that an address lies in: to the driver an allocation of its own. */
const variableAt = (context: CudaContext, address: number): { start: number; size: number } | undefined => {
  const found = context.device.variables.find((one) => address >= one.address && address < one.address + one.size);
  return found && { start: found.address, size: found.size };
};

/** The allocation that an address lies in, on either side. */
const allocationAt = (context: CudaContext, address: number) =>
  context.managed.find(address) ?? context.pinned.find(address) ?? context.deviceAllocations.find(address);

const describePointer: ApiFunction = (context, _call, target, attribute, address) => {
  const found = allocationAt(context, address!);
  if (target === 0 || !found) return InvalidValue;
  const { memory } = context;
  const isManaged = context.managed.find(address!) !== undefined;
  const isHost = !isManaged && context.pinned.find(address!) !== undefined;
  const device = context.deviceAt(address!) ?? 0;
  switch (attribute) {
    case pointerAttribute.context:
      memory.setWord(target!, context.primaryOf(context.devices[device]!).handle);
      return Success;
    case pointerAttribute.memoryType:
      memory.setU32(target!, isHost ? 1 : 2);
      return Success;
    case pointerAttribute.devicePointer:
    case pointerAttribute.hostPointer:
      if (attribute === pointerAttribute.hostPointer && !isHost && !isManaged) return InvalidValue;
      memory.setWord(target!, address!);
      return Success;
    case pointerAttribute.managed:
      memory.setU32(target!, Number(isManaged));
      return Success;
    case pointerAttribute.ordinal:
      memory.setU32(target!, device);
      return Success;
    case rangeAttribute.start:
    case rangeAttribute.size:
      memory.setWord(target!, attribute === rangeAttribute.start ? found.start : found.size);
      return Success;
    case rangeAttribute.mapped:
      memory.setU32(target!, 1);
      return Success;
    default:
      return InvalidValue;
  }
};

const allocation = (name: string, sizeAt: number): CudaCall => {
  const row = memoryCalls[name]!;
  // The driver refuses what the runtime makes nothing of.
  return likeRuntime(row, (context, call, ...args) =>
    args[sizeAt] === 0 ? InvalidValue : row.run(context, call, ...args),
  );
};

/** `CU_MEM_LOCATION_TYPE_DEVICE`; all others are of the host. */
const onDevice = 1;

/** A call that takes a location by value, which arrives as its address, in place of the runtime's device, or -1 for the host. */
const located = (name: string, at: number): CudaCall => {
  const row = memoryCalls[name]!;
  return likeRuntime(row, (context, call, ...args) => {
    const place = args[at]!;
    const field = (name: Field<typeof CUmemLocation>): number => context.memory.field(place, CUmemLocation, name);
    const device = field('type') === onDevice ? field('id') : -1;
    return row.run(context, call, ...args.slice(0, at), device, ...args.slice(at + 1));
  });
};

const prefetch = located('cudaMemPrefetchAsync', 2);

/** Of all it is asked for: attributes that an address has not are zeros. */
const describePointerWhole: ApiFunction = (context, call, count, attributes, targets, address) => {
  if (attributes === 0 || targets === 0) return InvalidValue;
  const { memory } = context;
  for (let i = 0; i < count!; i++) {
    const target = memory.word(targets! + wordBytes * i);
    const code = describePointer(context, call, target, memory.u32(attributes! + 4 * i), address!);
    if (code !== Success) memory.setU32(target, 0);
  }
  return Success;
};

/** Memory pools, which are those of the runtime. */
const poolNames = [
  ...['DeviceGetDefaultMemPool', 'DeviceGetMemPool', 'DeviceSetMemPool', 'MemPoolCreate', 'MemPoolDestroy'],
  ...['MemPoolTrimTo', 'MemPoolSetAttribute', 'MemPoolGetAttribute', 'MemPoolSetAccess', 'MemPoolGetAccess'],
  ...['DeviceGraphMemTrim', 'DeviceGetGraphMemAttribute', 'DeviceSetGraphMemAttribute'],
];

export const driverMemoryCalls: Record<string, CudaCall> = {
  ...Object.fromEntries(poolNames.map((name) => [`cu${name}`, likeRuntime(poolCalls[`cuda${name}`]!)])),
  cuMemAllocFromPoolAsync: likeRuntime(poolCalls.cudaMallocFromPoolAsync!),
  cuMemAdvise_v2: located('cudaMemAdvise', 3),
  cuMemPrefetchAsync_v2: {
    ...{ ...prefetch, stream: 4 },
    run: (context, call, address, bytes, place, flags, stream) =>
      flags !== 0 ? InvalidValue : prefetch.run(context, call, address!, bytes!, place!, stream!),
  },
  cuMemRangeGetAttribute: likeRuntime(memoryCalls.cudaMemRangeGetAttribute!),
  cuMemRangeGetAttributes: likeRuntime(memoryCalls.cudaMemRangeGetAttributes!),
  cuPointerGetAttributes: unmeasured(describePointerWhole),

  cuMemGetInfo_v2: likeRuntime(memoryCalls.cudaMemGetInfo!),
  cuMemAlloc_v2: allocation('cudaMalloc', 1),
  cuMemAllocPitch_v2: allocation('cudaMallocPitch', 2),
  cuMemFree_v2: likeRuntime(memoryCalls.cudaFree!),
  cuMemAllocHost_v2: allocation('cudaMallocHost', 1),
  cuMemHostAlloc: allocation('cudaHostAlloc', 1),
  cuMemFreeHost: likeRuntime(memoryCalls.cudaFreeHost!),
  cuMemHostRegister_v2: likeRuntime(memoryCalls.cudaHostRegister!),
  cuMemHostUnregister: likeRuntime(memoryCalls.cudaHostUnregister!),
  cuMemHostGetDevicePointer_v2: likeRuntime(memoryCalls.cudaHostGetDevicePointer!),
  cuMemAllocManaged: likeRuntime(memoryCalls.cudaMallocManaged!),
  cuMemAllocAsync: likeRuntime(poolCalls.cudaMallocAsync!),
  cuMemFreeAsync: likeRuntime(poolCalls.cudaFreeAsync!),
  cuMemGetAddressRange_v2: {
    cost: callCost.unmeasured,
    run: (context, _call, base, size, address) => {
      const found = allocationAt(context, address!) ?? variableAt(context, address!);
      if (!found) return cudaError.SymbolNotFound;
      if (base !== 0) context.memory.setWord(base!, found.start);
      if (size !== 0) context.memory.setWord(size!, found.size);
      return Success;
    },
  },
  cuPointerGetAttribute: unmeasured(describePointer),

  cuArrayCreate_v2: unmeasured(makeArray),
  cuArray3DCreate_v2: unmeasured(make3dArray),
  cuArrayGetDescriptor_v2: unmeasured(describe(CUDA_ARRAY_DESCRIPTOR)),
  cuArray3DGetDescriptor_v2: unmeasured(describe(CUDA_ARRAY3D_DESCRIPTOR)),
  cuArrayDestroy: likeRuntime(textureCalls.cudaFreeArray!),
  cuTexObjectCreate: unmeasured(createTexture),
  cuTexObjectDestroy: likeRuntime(textureCalls.cudaDestroyTextureObject!),
  cuSurfObjectCreate: unmeasured(createSurface),
  cuSurfObjectDestroy: likeRuntime(textureCalls.cudaDestroySurfaceObject!),
};

export const driverMemoryQueries: Record<string, QueryFunction> = {
  cuMemHostGetFlags: queryOfRuntime('cudaHostGetFlags'),
};
