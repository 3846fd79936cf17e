/**
 * Properties of the GPU that programs query: `cudaDeviceProp` and `cudaDeviceGetAttribute`. Offsets of the fields are those of
 * `include/driver_types.h`.
 */
import { withFallbacks } from '../../gpus/fallbacks.ts';
import { persistingL2 } from '../../gpus/persisting-l2.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import { cudaDeviceProp } from './abi.ts';
import type { Field } from './structs.ts';

/** Blocks in x: programming guide, technical specifications; y and z are 65535 everywhere. */
export const maxGridWidth = (gpu: GpuDescription): number => (gpu.computeCapability.major < 3 ? 65535 : 0x7fff_ffff);

/** Programming guide, "Unified Memory Programming": compute capability 3.0 and up. */
export const hasManagedMemory = (gpu: GpuDescription): boolean => gpu.computeCapability.major >= 3;

const textureLimits = {
  maxTexture1D: 131072,
  maxTexture1DLinear: 2 ** 28,
  maxTexture2D: [131072, 65536],
  maxTexture2DLinear: [131072, 65000, 2097120],
  maxTexture2DGather: [32768, 32768],
  maxTexture3D: [16384, 16384, 16384],
  maxTexture3DAlt: [8192, 8192, 32768],
  maxTextureCubemap: 32768,
  maxTexture1DLayered: [32768, 2048],
  maxTexture2DLayered: [32768, 32768, 2048],
  maxTextureCubemapLayered: [32768, 2046],
  maxSurface1D: 32768,
  maxSurface2D: [131072, 65536],
  maxSurface3D: [16384, 16384, 16384],
  maxSurface1DLayered: [32768, 2048],
  maxSurface2DLayered: [32768, 32768, 2048],
  maxSurfaceCubemap: 32768,
  maxSurfaceCubemapLayered: [32768, 2046],
};

/**
 * Values by field name, of the device with this ordinal. Limits that all GPUs since Kepler share are from the CUDA programming guide, table "Technical
 * specifications per compute capability"; texture limits are those of compute capability 6.0 to 9.0.
 */
export function propertyValues(description: GpuDescription, device = 0): Map<string, number[]> {
  const { gpu } = withFallbacks(description);
  const { limits, core, memory, throughput, hostLink, computeCapability } = gpu;
  const values: Partial<Record<Field<typeof cudaDeviceProp>, number | number[]>> = {
    totalGlobalMem: memory.capacityBytes,
    sharedMemPerBlock: limits.sharedBytesPerBlock,
    regsPerBlock: limits.registersPerSm,
    warpSize: 32,
    memPitch: 0x7fff_ffff,
    maxThreadsPerBlock: limits.threadsPerBlock,
    maxThreadsDim: [1024, 1024, 64],
    maxGridSize: [maxGridWidth(description), 65535, 65535],
    clockRate: core.smClockMhz * 1000,
    totalConstMem: 65536,
    major: computeCapability.major,
    minor: computeCapability.minor,
    textureAlignment: 512,
    texturePitchAlignment: 32,
    deviceOverlap: 1,
    multiProcessorCount: core.smCount,
    surfaceAlignment: 512,
    concurrentKernels: 1,
    // HBM2 and later have it at no cost and always on (whitepapers of V100 to H100); other boards' is a setting of their driver.
    ECCEnabled: memory.type.startsWith('HBM') ? 1 : 0,
    pciBusID: 1 + device,
    asyncEngineCount: hostLink.copyEngines,
    unifiedAddressing: 1,
    memoryClockRate: core.memoryClockMhz * 1000,
    memoryBusWidth: memory.busWidthBits,
    l2CacheSize: memory.l2Bytes,
    persistingL2CacheMaxSize: persistingL2(description).most,
    accessPolicyMaxWindowSize: persistingL2(description).window,
    maxThreadsPerMultiProcessor: limits.threadsPerSm,
    streamPrioritiesSupported: computeCapability.major >= 5 ? 1 : 0,
    globalL1CacheSupported: 1,
    localL1CacheSupported: 1,
    sharedMemPerMultiprocessor: limits.sharedBytesPerSm,
    regsPerMultiprocessor: limits.registersPerSm,
    singleToDoublePrecisionPerfRatio: Math.round(throughput.fp32 / throughput.fp64),
    computePreemptionSupported: computeCapability.major >= 6 ? 1 : 0,
    sharedMemPerBlockOptin: limits.sharedBytesPerBlockOptin,
    maxBlocksPerMultiProcessor: limits.blocksPerSm,
    reservedSharedMemPerBlock: limits.sharedReservedBytesPerBlock,
    hostRegisterSupported: 1,
    memoryPoolsSupported: 1,
    canMapHostMemory: 1,
    managedMemory: hasManagedMemory(description) ? 1 : 0,
    // Linux, compute capability 6.0 and up: programming guide, "Unified Memory Programming".
    concurrentManagedAccess: computeCapability.major >= 6 ? 1 : 0,
    cooperativeLaunch: computeCapability.major >= 6 ? 1 : 0,
    ...textureLimits,
  };
  return new Map(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]));
}

/** The whole struct as bytes. */
export function propertiesStruct(gpu: GpuDescription, device = 0): Uint8Array {
  const bytes = new Uint8Array(cudaDeviceProp.bytes);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(gpu.name).subarray(0, 255), cudaDeviceProp.name);
  // Any 16 bytes that tell GPUs apart and never change will do.
  const uuid = new TextEncoder().encode(`simsight-${gpu.id}`).subarray(0, 16);
  bytes.set(uuid, cudaDeviceProp.uuid);
  bytes[cudaDeviceProp.uuid + 15]! ^= device;
  for (const [name, numbers] of propertyValues(gpu, device)) {
    const offset = cudaDeviceProp[name as Field<typeof cudaDeviceProp>];
    const isWide = cudaDeviceProp.words.includes(name);
    if (isWide) view.setBigUint64(offset, BigInt(numbers[0]!), true);
    else numbers.forEach((number, index) => view.setInt32(offset + 4 * index, number, true));
  }
  return bytes;
}

/** `cudaDeviceAttr` to the property that has its value: name, and index in an array. */
const attributes: Record<number, [name: string, index?: number]> = {
  1: ['maxThreadsPerBlock'],
  2: ['maxThreadsDim', 0],
  3: ['maxThreadsDim', 1],
  4: ['maxThreadsDim', 2],
  5: ['maxGridSize', 0],
  6: ['maxGridSize', 1],
  7: ['maxGridSize', 2],
  8: ['sharedMemPerBlock'],
  9: ['totalConstMem'],
  10: ['warpSize'],
  11: ['memPitch'],
  12: ['regsPerBlock'],
  13: ['clockRate'],
  14: ['textureAlignment'],
  15: ['deviceOverlap'],
  16: ['multiProcessorCount'],
  30: ['surfaceAlignment'],
  31: ['concurrentKernels'],
  32: ['ECCEnabled'],
  33: ['pciBusID'],
  36: ['memoryClockRate'],
  37: ['memoryBusWidth'],
  38: ['l2CacheSize'],
  39: ['maxThreadsPerMultiProcessor'],
  40: ['asyncEngineCount'],
  41: ['unifiedAddressing'],
  51: ['texturePitchAlignment'],
  75: ['major'],
  76: ['minor'],
  78: ['streamPrioritiesSupported'],
  79: ['globalL1CacheSupported'],
  80: ['localL1CacheSupported'],
  81: ['sharedMemPerMultiprocessor'],
  82: ['regsPerMultiprocessor'],
  87: ['singleToDoublePrecisionPerfRatio'],
  90: ['computePreemptionSupported'],
  97: ['sharedMemPerBlockOptin'],
  99: ['hostRegisterSupported'],
  106: ['maxBlocksPerMultiProcessor'],
  108: ['persistingL2CacheMaxSize'],
  109: ['accessPolicyMaxWindowSize'],
  111: ['reservedSharedMemPerBlock'],
  115: ['memoryPoolsSupported'],
  19: ['canMapHostMemory'],
  21: ['maxTexture1D'],
  22: ['maxTexture2D', 0],
  23: ['maxTexture2D', 1],
  24: ['maxTexture3D', 0],
  25: ['maxTexture3D', 1],
  26: ['maxTexture3D', 2],
  27: ['maxTexture2DLayered', 0],
  28: ['maxTexture2DLayered', 1],
  29: ['maxTexture2DLayered', 2],
  42: ['maxTexture1DLayered', 0],
  43: ['maxTexture1DLayered', 1],
  45: ['maxTexture2DGather', 0],
  46: ['maxTexture2DGather', 1],
  47: ['maxTexture3DAlt', 0],
  48: ['maxTexture3DAlt', 1],
  49: ['maxTexture3DAlt', 2],
  52: ['maxTextureCubemap'],
  53: ['maxTextureCubemapLayered', 0],
  54: ['maxTextureCubemapLayered', 1],
  55: ['maxSurface1D'],
  56: ['maxSurface2D', 0],
  57: ['maxSurface2D', 1],
  58: ['maxSurface3D', 0],
  59: ['maxSurface3D', 1],
  60: ['maxSurface3D', 2],
  61: ['maxSurface1DLayered', 0],
  62: ['maxSurface1DLayered', 1],
  63: ['maxSurface2DLayered', 0],
  64: ['maxSurface2DLayered', 1],
  65: ['maxSurface2DLayered', 2],
  66: ['maxSurfaceCubemap'],
  67: ['maxSurfaceCubemapLayered', 0],
  68: ['maxSurfaceCubemapLayered', 1],
  69: ['maxTexture1DLinear'],
  70: ['maxTexture2DLinear', 0],
  71: ['maxTexture2DLinear', 1],
  72: ['maxTexture2DLinear', 2],
  83: ['managedMemory'],
  89: ['concurrentManagedAccess'],
  95: ['cooperativeLaunch'],
};

const lastAttribute = 147;

/** Attributes that no property says, by number. */
const otherAttributes: Readonly<Record<number, (gpu: GpuDescription) => number>> = {
  // CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER: compute capability 2.0 and up, so all of them.
  44: () => 1,
  // Virtual memory management: CUDA 10.2, "Introducing Low-Level GPU Virtual Memory Management" (NVIDIA, 2020): Kepler and up.
  102: ({ computeCapability }) => (computeCapability.major >= 3 ? 1 : 0),
  // Generic compression: CUDA programming guide, "Compressible Memory": compute data compression came with compute capability 8.0.
  107: ({ computeCapability }) => (computeCapability.major >= 8 ? 1 : 0),
  // NUMA node: a GPU without memory of the operating system's has none.
  131: () => -1,
};

/** null for a number that is no attribute. Attributes of features that the simulator lacks are 0. */
export function attributeValue(gpu: GpuDescription, attribute: number, device = 0): number | null {
  if (attribute < 1 || attribute > lastAttribute) return null;
  const other = otherAttributes[attribute];
  if (other) return other(gpu);
  const [name, index = 0] = attributes[attribute] ?? [''];
  return propertyValues(gpu, device).get(name)?.[index] ?? 0;
}
