/** Kernels: registration, launch configuration, launches, attributes, occupancy. */
import { SimsightError } from '../../base/errors.ts';
import type { ApiCall } from '../../system/types.ts';
import type { Dim3, KernelDescription, KernelLaunch } from '../../warp/types.ts';
import type { ApiFunction, QueryFunction } from './api.ts';
import type { CudaContext, KernelAttributes } from './context.ts';
import { cudaError } from './errors.ts';

const { Success, InvalidValue, InvalidConfiguration, InvalidDeviceFunction, InvalidResourceHandle } = cudaError;

function readDim3(context: CudaContext, address: number): Dim3 {
  const { memory } = context;
  return { x: memory.u32(address), y: memory.u32(address + 4), z: memory.u32(address + 8) };
}

function writeDim3(context: CudaContext, address: number, value: Dim3): void {
  context.memory.setU32(address, value.x);
  context.memory.setU32(address + 4, value.y);
  context.memory.setU32(address + 8, value.z);
}

function kernelOf(context: CudaContext, stub: number): KernelDescription | undefined {
  const name = context.kernels.get(stub);
  return name === undefined ? undefined : context.device.kernel(name);
}

function attributesOf(context: CudaContext, kernel: string): KernelAttributes {
  let attributes = context.kernelAttributes.get(kernel);
  if (!attributes) {
    attributes = { maxDynamicSharedBytes: null, preferredCarveout: -1 };
    context.kernelAttributes.set(kernel, attributes);
  }
  return attributes;
}

const threadsIn = (block: Dim3) => block.x * block.y * block.z;

function dynamicSharedLimit(context: CudaContext, kernel: KernelDescription): number {
  const withoutOptIn = context.gpu.limits.sharedBytesPerBlock - kernel.staticSharedBytes;
  return attributesOf(context, kernel.name).maxDynamicSharedBytes ?? Math.max(0, withoutOptIn);
}

/** Whether hardware could run the grid at all; limits from the programming guide's technical specifications. */
function checkLaunch(context: CudaContext, kernel: KernelDescription, grid: Dim3, block: Dim3, shared: number): number {
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

/** The host passes an array of pointers, one per parameter; the device wants one buffer. */
function parameterBuffer(context: CudaContext, kernel: KernelDescription, args: number): Uint8Array {
  const buffer = new Uint8Array(kernel.parameterBytes);
  kernel.parameters.forEach(({ offset, size }, index) => {
    buffer.set(context.memory.bytes(context.memory.u32(args + 4 * index), size), offset);
  });
  return buffer;
}

/**
 * A fault of the kernel as the CUDA error that hardware would report: most are illegal addresses, others say which they
 * are. Other errors are not the program's.
 */
function faultCode(error: unknown): number {
  if (error instanceof SimsightError && error.code === 'kernel-failed') {
    return (error as { cudaError?: number }).cudaError ?? cudaError.IllegalAddress;
  }
  if (error instanceof WebAssembly.RuntimeError) return cudaError.IllegalAddress;
  throw error;
}

function launch(
  context: CudaContext,
  call: ApiCall,
  stub: number,
  config: KernelLaunch & { stream: number },
  args: number,
) {
  const kernel = kernelOf(context, stub);
  if (!kernel) return InvalidDeviceFunction;
  const stream = context.streamOf(config.stream);
  if (stream === null) return InvalidResourceHandle;
  const { grid, block, dynamicSharedBytes } = config;
  const code = checkLaunch(context, kernel, grid, block, dynamicSharedBytes);
  if (code !== Success) return code;
  if (context.deviceLost) return Success;

  const work: KernelLaunch = {
    kernel: kernel.name,
    grid,
    block,
    dynamicSharedBytes,
    parameters: parameterBuffer(context, kernel, args),
  };
  let counts;
  try {
    counts = context.device.launch(work, context.model.cacheGeometry(kernel, work));
  } catch (error) {
    context.kernelFailed(faultCode(error), (error as Error).message);
    return Success;
  }
  const timing = context.model.timeKernel(kernel, work, counts);
  context.system.launch(call, { ...timing, stream, kernel: kernel.name, grid, block, dynamicSharedBytes });
  return Success;
}

const funcAttribute = { maxDynamicShared: 8, preferredCarveout: 9 };

function occupancy(context: CudaContext, target: number, stub: number, threads: number, shared: number): number {
  const kernel = kernelOf(context, stub);
  if (!kernel) return InvalidDeviceFunction;
  if (target === 0 || threads === 0) return InvalidValue;
  const fits = threads <= context.gpu.limits.threadsPerBlock && shared <= dynamicSharedLimit(context, kernel);
  context.memory.setU32(target, fits ? context.model.blocksPerSm(kernel, threads, shared) : 0);
  return Success;
}

export const kernelCalls: Record<string, ApiFunction> = {
  cudaLaunchKernel: (context, call, stub, grid, block, args, dynamicSharedBytes, stream) =>
    launch(
      context,
      call,
      stub!,
      {
        kernel: '',
        grid: readDim3(context, grid!),
        block: readDim3(context, block!),
        dynamicSharedBytes: dynamicSharedBytes!,
        parameters: new Uint8Array(),
        stream: stream!,
      },
      args!,
    ),
  cudaFuncGetName: (context, _call, target, stub) => {
    const name = context.kernels.get(stub!);
    if (name === undefined) return InvalidDeviceFunction;
    context.memory.setU32(target!, context.textAddress(name));
    return Success;
  },
  cudaFuncSetAttribute: (context, _call, stub, attribute, value) => {
    const kernel = kernelOf(context, stub!);
    if (!kernel) return InvalidDeviceFunction;
    const attributes = attributesOf(context, kernel.name);
    const signed = value! | 0;
    if (attribute === funcAttribute.maxDynamicShared) {
      if (signed < 0 || signed + kernel.staticSharedBytes > context.gpu.limits.sharedBytesPerBlockOptin) {
        return InvalidValue;
      }
      attributes.maxDynamicSharedBytes = signed;
    } else if (attribute === funcAttribute.preferredCarveout) {
      if (signed < -1 || signed > 100) return InvalidValue;
      attributes.preferredCarveout = signed;
    } else return InvalidValue;
    return Success;
  },
  cudaFuncGetAttributes: (context, _call, target, stub) => {
    const kernel = kernelOf(context, stub!);
    if (!kernel) return InvalidDeviceFunction;
    const { major, minor } = context.gpu.computeCapability;
    const attributes = attributesOf(context, kernel.name);
    // In the order of cudaFuncAttributes in driver_types.h.
    const values = [
      kernel.staticSharedBytes,
      0,
      kernel.localBytes,
      Math.min(kernel.maxThreadsPerBlock ?? Infinity, context.gpu.limits.threadsPerBlock),
      kernel.registersPerThread,
      10 * major + minor,
      10 * major + minor,
      0,
      dynamicSharedLimit(context, kernel),
      attributes.preferredCarveout,
    ];
    context.memory.bytes(target!, 4 * 32).fill(0);
    values.forEach((value, index) => context.memory.setU32(target! + 4 * index, value));
    return Success;
  },
  cudaFuncSetCacheConfig: (context, _call, stub) => (kernelOf(context, stub!) ? Success : InvalidDeviceFunction),
  cudaFuncSetSharedMemConfig: (context, _call, stub) => (kernelOf(context, stub!) ? Success : InvalidDeviceFunction),
  cudaOccupancyMaxActiveBlocksPerMultiprocessor: (context, _call, target, stub, threads, shared) =>
    occupancy(context, target!, stub!, threads!, shared!),
  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: (context, _call, target, stub, threads, shared) =>
    occupancy(context, target!, stub!, threads!, shared!),
};

/** What the compiler emits around `main` and `<<<…>>>`. */
export const kernelQueries: Record<string, QueryFunction> = {
  /** The wrapper is { magic, version, data, … }; data is what `-fcuda-include-gpubinary` embedded. */
  __cudaRegisterFatBinary: (context, wrapper) => context.memory.u32(context.memory.u32(wrapper! + 8)) + 1,
  __cudaRegisterFatBinaryEnd: () => 0,
  __cudaUnregisterFatBinary: () => 0,
  __cudaRegisterFunction: (context, _module, stub, _deviceFunction, name) => {
    context.kernels.set(stub!, context.memory.text(name!));
    return 0;
  },
  __cudaRegisterVar: (context, _module, shadow, _deviceAddress, name, _external, size) => {
    const text = context.memory.text(name!);
    // The optimizer drops variables that no kernel uses; a program may still copy to them.
    const found = context.device.variables.find((variable) => variable.name === text);
    const address = found?.address ?? context.device.allocate(Math.max(1, size!));
    if (address === null) return cudaError.MemoryAllocation;
    if (!found) context.deviceAllocations.add(address, size!, null);
    context.symbols.set(shadow!, { name: text, address, size: size! });
    return 0;
  },
  __cudaPushCallConfiguration: (context, grid, block, sharedBytes, stream) => {
    context.configurations.push({
      grid: readDim3(context, grid!),
      block: readDim3(context, block!),
      sharedBytes: sharedBytes!,
      stream: stream!,
    });
    return 0;
  },
  __cudaPopCallConfiguration: (context, grid, block, sharedBytes, stream) => {
    const configuration = context.configurations.pop();
    if (!configuration) return cudaError.MissingConfiguration;
    writeDim3(context, grid!, configuration.grid);
    writeDim3(context, block!, configuration.block);
    context.memory.setU32(sharedBytes!, configuration.sharedBytes);
    context.memory.setU32(stream!, configuration.stream);
    return Success;
  },
};
