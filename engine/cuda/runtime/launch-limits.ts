/** Limits on launches, from the host or from a kernel. */
import type { Dim3, KernelDescription } from '../../model/execution.ts';
import type { CudaContext, KernelAttributes } from './context.ts';
import { maxGridWidth } from './device-properties.ts';
import { cudaError } from '../../model/cuda-errors.ts';

const { Success, InvalidValue, InvalidConfiguration } = cudaError;

export function attributesOf(context: CudaContext, kernel: string): KernelAttributes {
  let attributes = context.current.kernelAttributes.get(kernel);
  if (!attributes) {
    attributes = { maxDynamicSharedBytes: null, preferredCarveout: -1, cacheConfig: 0 };
    context.current.kernelAttributes.set(kernel, attributes);
  }
  return attributes;
}

export const threadsIn = (block: Dim3) => block.x * block.y * block.z;

export function dynamicSharedLimit(context: CudaContext, kernel: KernelDescription): number {
  const withoutOptIn = context.gpu.limits.sharedBytesPerBlock - kernel.staticSharedBytes;
  return attributesOf(context, kernel.name).maxDynamicSharedBytes ?? Math.max(0, withoutOptIn);
}

/** `cudaFuncCachePreferShared`, `L1`, `Equal` as percent of shared memory, which is what `cuda_occupancy.h` takes them for. */
const carveoutOfCacheConfig = [-1, 100, 0, 50];

export const isCacheConfig = (config: number): boolean => config < carveoutOfCacheConfig.length;

/** The kernel's preference between shared memory and L1 in percent: its carve-out, else its cache configuration, else the device's. */
export function preferredCarveout(context: CudaContext, kernel: KernelDescription): number {
  if (context.options.carveout !== undefined) return context.options.carveout;
  const attributes = attributesOf(context, kernel.name);
  if (attributes.preferredCarveout !== -1) return attributes.preferredCarveout;
  return carveoutOfCacheConfig[attributes.cacheConfig || context.current.cacheConfig]!;
}

/** Shared memory that a recording adds to launches, bytes, to see what fewer blocks per SM would cost. */
export const extraShared = ({ options }: CudaContext): number => options.extraSharedBytes ?? 0;

export function blocksPerSm(
  context: CudaContext,
  kernel: KernelDescription,
  threads: number,
  shared: number,
  extra = extraShared(context),
): number {
  return context.model.blocksPerSm(kernel, {
    threadsPerBlock: threads,
    dynamicSharedBytes: shared + extra,
    preferredCarveout: preferredCarveout(context, kernel),
  });
}

/** Error code for grids that hardware could not run at all; limits from the programming guide's technical specifications. */
export function checkLaunch(
  context: CudaContext,
  kernel: KernelDescription,
  grid: Dim3,
  block: Dim3,
  shared: number,
  extra = extraShared(context),
): number {
  const { limits } = context.gpu;
  const threads = threadsIn(block);
  if (threadsIn(grid) === 0 || threads === 0) return InvalidConfiguration;
  if (grid.x > maxGridWidth(context.gpu) || grid.y > 65535 || grid.z > 65535) return InvalidConfiguration;
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > limits.threadsPerBlock) return InvalidConfiguration;
  if (shared > dynamicSharedLimit(context, kernel)) return InvalidValue;
  const overBounds = kernel.maxThreadsPerBlock !== null && threads > kernel.maxThreadsPerBlock;
  if (overBounds || blocksPerSm(context, kernel, threads, shared, extra) === 0) return cudaError.LaunchOutOfResources;
  return Success;
}
