/** What a launch may ask for, from the host or from a kernel. */
import type { Dim3, KernelDescription } from '../../warp/types.ts';
import type { CudaContext, KernelAttributes } from './context.ts';
import { cudaError } from './errors.ts';

const { Success, InvalidValue, InvalidConfiguration } = cudaError;

export function attributesOf(context: CudaContext, kernel: string): KernelAttributes {
  let attributes = context.kernelAttributes.get(kernel);
  if (!attributes) {
    attributes = { maxDynamicSharedBytes: null, preferredCarveout: -1 };
    context.kernelAttributes.set(kernel, attributes);
  }
  return attributes;
}

export const threadsIn = (block: Dim3) => block.x * block.y * block.z;

export function dynamicSharedLimit(context: CudaContext, kernel: KernelDescription): number {
  const withoutOptIn = context.gpu.limits.sharedBytesPerBlock - kernel.staticSharedBytes;
  return attributesOf(context, kernel.name).maxDynamicSharedBytes ?? Math.max(0, withoutOptIn);
}

/** Whether hardware could run the grid at all; limits from the programming guide's technical specifications. */
export function checkLaunch(
  context: CudaContext,
  kernel: KernelDescription,
  grid: Dim3,
  block: Dim3,
  shared: number,
): number {
  const { limits } = context.gpu;
  const threads = threadsIn(block);
  if (threadsIn(grid) === 0 || threads === 0) return InvalidConfiguration;
  if (grid.x > 0x7fff_ffff || grid.y > 65535 || grid.z > 65535) return InvalidConfiguration;
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > limits.threadsPerBlock) return InvalidConfiguration;
  if (shared > dynamicSharedLimit(context, kernel)) return InvalidValue;
  const overBounds = kernel.maxThreadsPerBlock !== null && threads > kernel.maxThreadsPerBlock;
  if (overBounds || context.model.blocksPerSm(kernel, threads, shared) === 0) return cudaError.LaunchOutOfResources;
  return Success;
}
