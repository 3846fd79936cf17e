/** Kernels: registration, launch configuration, launches, attributes, occupancy. */
import { nameInLinked, nameInModule, withoutSuffix } from '../../base/device-names.ts';
import { SimsightError } from '../../base/errors.ts';
import { wordBytes } from '../host-exports.ts';
import { callCost } from '../../system/call-costs.ts';
import { noticeWindow } from './access-windows.ts';
import {
  cudaFuncAttributes,
  cudaKernelNodeParams,
  cudaLaunchAttribute,
  cudaLaunchConfig,
  type CUlaunchConfig,
  cudaLaunchParams,
  dim3,
} from './abi.ts';
import type { Field } from './structs.ts';
import type { ApiCall } from '../../system/types.ts';
import type { Dim3, KernelDescription } from '../../model/execution.ts';
import type { CudaCall, QueryFunction } from './api.ts';
import { asWord } from '../host-exports.ts';
import type { CudaContext } from './context.ts';
import { enqueue } from './enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import {
  attributesOf,
  blocksPerSm,
  checkLaunch,
  dynamicSharedLimit,
  isCacheConfig,
  preferredCarveout,
  threadsIn,
} from './launch-limits.ts';
import { placeManaged } from './memory.ts';
import type { KernelWork } from './work.ts';

const { Success, InvalidValue, InvalidDeviceFunction, InvalidResourceHandle } = cudaError;

function readDim3(context: CudaContext, address: number): Dim3 {
  const { memory } = context;
  return { x: memory.u32(address + dim3.x), y: memory.u32(address + dim3.y), z: memory.u32(address + dim3.z) };
}

function writeDim3(context: CudaContext, address: number, value: Dim3): void {
  context.memory.setU32(address + dim3.x, value.x);
  context.memory.setU32(address + dim3.y, value.y);
  context.memory.setU32(address + dim3.z, value.z);
}

/** The kernel that a stub, or a handle of the driver API, stands for. */
export function kernelOf(context: CudaContext, stub: number): KernelDescription | undefined {
  const name = context.kernels.get(stub);
  return name === undefined ? undefined : context.device.kernel(name);
}

/** Parameters of a launch in one buffer, as the device wants them; an error code where they are missing. */
export type ReadParameters = (kernel: KernelDescription) => Uint8Array | number;

/** The host passes an array of pointers, one per parameter; the device wants one buffer. */
export function parameterBuffer(context: CudaContext, kernel: KernelDescription, args: number): Uint8Array {
  const buffer = new Uint8Array(kernel.parameterBytes);
  kernel.parameters.forEach(({ offset, size }, index) => {
    buffer.set(context.memory.bytes(context.memory.word(args + wordBytes * index), size), offset);
  });
  return buffer;
}

/** `CU_LAUNCH_PARAM_END` and its like. */
const launchParameter = { end: 0, bufferPointer: 1, bufferSize: 2 };
/** A list that goes on longer has no end. */
const mostLaunchParameters = 16;

/** The buffer that the `extra` of a launch names: pairs of a key and a value; an error code where it cannot be the kernel's. */
function extraBuffer(context: CudaContext, { parameterBytes }: KernelDescription, list: number): Uint8Array | number {
  const { memory } = context;
  let [address, bytes] = [0, 0];
  for (let i = 0; i < mostLaunchParameters; i++) {
    const key = memory.word(list + 16 * i);
    if (key === launchParameter.end) {
      if (bytes < parameterBytes || (address === 0 && parameterBytes > 0)) return InvalidValue;
      return memory.bytes(address, parameterBytes).slice();
    }
    const value = memory.word(list + 16 * i + 8);
    if (key === launchParameter.bufferPointer) address = value;
    else if (key === launchParameter.bufferSize) bytes = memory.word(value);
    else return InvalidValue;
  }
  return InvalidValue;
}

/** Parameters as the driver's calls and kernel nodes have them: an array of pointers, or a buffer by `extra`; not both. */
export function parametersIn(context: CudaContext, pointers: number, extra: number): ReadParameters {
  return (kernel) => {
    if (pointers !== 0 && extra !== 0) return InvalidValue;
    if (extra !== 0) return extraBuffer(context, kernel, extra);
    return pointers === 0 && kernel.parameters.length > 0 ? InvalidValue : parameterBuffer(context, kernel, pointers);
  };
}

/** Grid, block and what else a launch says. */
export interface Launch {
  grid: Dim3;
  block: Dim3;
  dynamicSharedBytes: number;
  cooperative: boolean;
}

/** A launch with its parameters read; an error code when hardware would refuse it. */
function kernelWork(context: CudaContext, stub: number, launch: Launch, read: ReadParameters): KernelWork | number {
  const kernel = kernelOf(context, stub);
  if (!kernel) return InvalidDeviceFunction;
  const { grid, block, dynamicSharedBytes, cooperative } = launch;
  const code = checkLaunch(context, kernel, grid, block, dynamicSharedBytes);
  if (code !== Success) return code;
  if (cooperative) {
    const perSm = blocksPerSm(context, kernel, threadsIn(block), dynamicSharedBytes);
    if (threadsIn(grid) > perSm * context.gpu.core.smCount) return cudaError.CooperativeLaunchTooLarge;
  }
  const parameters = read(kernel);
  if (typeof parameters === 'number') return parameters;
  return {
    type: 'kernel',
    stub,
    kernel: kernel.name,
    grid,
    block,
    dynamicSharedBytes,
    preferredCarveout: preferredCarveout(context, kernel),
    parameters,
    cooperative,
  };
}

/** Launches a kernel into a stream; an error code when hardware would refuse it. */
export function launchKernel(
  context: CudaContext,
  call: ApiCall,
  stub: number,
  launch: Launch,
  read: ReadParameters,
  stream: number,
): number {
  if (context.streamOf(stream) === null) return InvalidResourceHandle;
  // It runs on the device of its stream, whichever the current one is: H200 reference, C8 load_chain with CUDA 13, whatever the
  // programming guide says.
  const work = context.on(context.deviceOfStream(stream), () => kernelWork(context, stub, launch, read));
  if (typeof work !== 'number') return enqueue(context, call, stream, work);
  context.launchRefused(context.kernels.get(stub) ?? 'an unknown kernel', work);
  return work;
}

/** From `cudaKernelNodeParams`, or the driver's, which begin alike. */
export function kernelFromParameters(
  context: CudaContext,
  at: number,
  stub = context.memory.word(at + cudaKernelNodeParams.func),
): KernelWork | number {
  const { memory } = context;
  const { gridDim, blockDim, sharedMemBytes, kernelParams, extra } = cudaKernelNodeParams;
  const launch = {
    grid: readDim3(context, at + gridDim),
    block: readDim3(context, at + blockDim),
    dynamicSharedBytes: memory.u32(at + sharedMemBytes),
    cooperative: false,
  };
  const [pointers, buffer] = [memory.word(at + kernelParams), memory.word(at + extra)];
  if (pointers === 0 && buffer === 0 && (kernelOf(context, stub)?.parameters.length ?? 0) > 0) return InvalidValue;
  return kernelWork(context, stub, launch, parametersIn(context, pointers, buffer));
}

/** Attributes that mean something here, by `cudaLaunchAttributeID`: of launches, kernel nodes and streams. */
export const launchAttribute = {
  accessPolicyWindow: 1,
  cooperative: 2,
  clusterDimension: 4,
  programmatic: 6,
  priority: 8,
};

/** Throws where a launch, or a kernel node, asks for clusters of several blocks; `at`: its `clusterDim`. */
export function checkCluster(context: CudaContext, at: number): void {
  const { x, y, z } = readDim3(context, at);
  // Zeros stand for no cluster.
  if (x * y * z <= 1) return;
  throw new SimsightError(
    'unsupported-construct',
    `A kernel is launched with clusters of ${x} x ${y} x ${z} blocks: clusters (in CUDA since 11.8, on GPUs of compute capability 9.0 and up) are not simulated.`,
    'Launch it without cudaLaunchAttributeClusterDimension, or leave the launch out with #ifndef SIMSIGHT.',
  );
}

/** Says once that a launch which may overlap the end of the kernel before does not. */
function noticeProgrammatic(context: CudaContext): void {
  if (context.saidOfProgrammatic) return;
  context.saidOfProgrammatic = true;
  context.system.notice(
    'A kernel is launched as a programmatic dependent of the one before: here it begins when that one has ended.',
  );
}

/** From `cudaLaunchConfig_t`, or the driver's. */
export function launchConfigured(
  context: CudaContext,
  call: ApiCall,
  at: number,
  config: typeof cudaLaunchConfig | typeof CUlaunchConfig,
  stub: number,
  read: ReadParameters,
): number {
  const { memory } = context;
  if (at === 0) return InvalidValue;
  const field = (name: Field<typeof cudaLaunchConfig>): number => memory.field(at, config, name);
  const [attributes, count] = [field('attrs'), field('numAttrs')];
  let cooperative = false;
  for (let index = 0; index < count; index++) {
    const attribute = attributes + index * cudaLaunchAttribute.bytes;
    const [id, value] = [memory.u32(attribute + cudaLaunchAttribute.id), attribute + cudaLaunchAttribute.val];
    if (id === launchAttribute.cooperative) cooperative = memory.u32(value) !== 0;
    else if (id === launchAttribute.clusterDimension) checkCluster(context, value);
    else if (id === launchAttribute.accessPolicyWindow) noticeWindow(context, value);
    else if (id === launchAttribute.programmatic && memory.u32(value) !== 0) noticeProgrammatic(context);
  }
  const launch = {
    grid: readDim3(context, at + config.gridDim),
    block: readDim3(context, at + config.blockDim),
    dynamicSharedBytes: field('dynamicSmemBytes'),
    cooperative,
  };
  return launchKernel(context, call, stub, launch, read, field('stream'));
}

function launchAt(context: CudaContext, call: ApiCall, args: number[], cooperative: boolean): number {
  const [stub, grid, block, parameters, dynamicSharedBytes, stream] = args as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const launch = { grid: readDim3(context, grid), block: readDim3(context, block), dynamicSharedBytes, cooperative };
  const read: ReadParameters = (kernel) => parameterBuffer(context, kernel, parameters);
  return launchKernel(context, call, stub, launch, read, stream);
}

/** In the order of `cudaFuncAttributes`. */
export function functionValues(
  context: CudaContext,
  kernel: KernelDescription,
): Record<Field<typeof cudaFuncAttributes>, number> {
  const { major, minor } = context.gpu.computeCapability;
  return {
    sharedSizeBytes: kernel.staticSharedBytes,
    localSizeBytes: kernel.localBytes,
    maxThreadsPerBlock: Math.min(kernel.maxThreadsPerBlock ?? Infinity, context.gpu.limits.threadsPerBlock),
    numRegs: kernel.registersPerThread,
    ptxVersion: 10 * major + minor,
    binaryVersion: 10 * major + minor,
    maxDynamicSharedSizeBytes: dynamicSharedLimit(context, kernel),
    preferredShmemCarveout: attributesOf(context, kernel.name).preferredCarveout,
  };
}

const funcAttribute = { maxDynamicShared: 8, preferredCarveout: 9 };

function occupancy(context: CudaContext, target: number, stub: number, threads: number, shared: number): number {
  const kernel = kernelOf(context, stub);
  if (!kernel) return InvalidDeviceFunction;
  if (target === 0 || threads === 0) return InvalidValue;
  const fits = threads <= context.gpu.limits.threadsPerBlock && shared <= dynamicSharedLimit(context, kernel);
  context.memory.setU32(target, fits ? blocksPerSm(context, kernel, threads, shared) : 0);
  return Success;
}

export const kernelCalls: Record<string, CudaCall> = {
  cudaLaunchKernel: {
    cost: callCost.launch,
    stream: 5,
    serial: 0.15,
    launches: true,
    run: (context, call, ...args) => {
      const code = launchAt(context, call, args, false);
      // Code compiled from <<<…>>> takes the configuration first, and drops the error code.
      if (context.thread.configured && code !== Success) {
        context.noteUncheckedLaunch(context.kernels.get(args[0]!) ?? 'an unknown kernel', code);
      }
      context.thread.configured = false;
      return code;
    },
  },
  cudaLaunchCooperativeKernel: {
    cost: 3200, // least api_duration under tracing, c_launch
    stream: 5,
    launches: true,
    run: (context, call, ...args) => launchAt(context, call, args, true),
  },
  cudaLaunchKernelExC: {
    cost: callCost.launch,
    serial: 0.15,
    launches: true,
    run: (context, call, at, stub, args) =>
      launchConfigured(context, call, at!, cudaLaunchConfig, stub!, (kernel) =>
        parameterBuffer(context, kernel, args!),
      ),
  },
  /** From a list of `cudaLaunchParams`, of one device. */
  cudaLaunchCooperativeKernelMultiDevice: {
    cost: callCost.unmeasured,
    run: (context, call, list, count) => {
      if (count !== 1) return InvalidValue;
      const { func, gridDim, blockDim, args, sharedMem, stream } = cudaLaunchParams;
      const [stub, parameters, sharedBytes, queue] = [func, args, sharedMem, stream].map((field) =>
        context.memory.word(list! + field),
      ) as [number, number, number, number];
      const launch = [stub, list! + gridDim, list! + blockDim, parameters, sharedBytes, queue];
      return launchAt(context, call, launch, true);
    },
  },
  cudaFuncGetName: {
    cost: callCost.unmeasured,
    run: (context, _call, target, stub) => {
      const name = context.kernels.get(stub!);
      if (name === undefined) return InvalidDeviceFunction;
      context.memory.setWord(target!, context.textAddress(name));
      return Success;
    },
  },
  cudaFuncSetAttribute: {
    cost: 276,
    run: (context, _call, stub, attribute, value) => {
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
  },
  cudaFuncGetAttributes: {
    cost: 320,
    run: (context, _call, target, stub) => {
      const kernel = kernelOf(context, stub!);
      if (!kernel) return InvalidDeviceFunction;
      context.memory.bytes(target!, cudaFuncAttributes.bytes).fill(0);
      context.memory.setFields(target!, cudaFuncAttributes, functionValues(context, kernel));
      return Success;
    },
  },
  cudaFuncSetCacheConfig: {
    cost: callCost.unmeasured,
    run: (context, _call, stub, config) => {
      const kernel = kernelOf(context, stub!);
      if (!kernel) return InvalidDeviceFunction;
      if (!isCacheConfig(config!)) return InvalidValue;
      attributesOf(context, kernel.name).cacheConfig = config!;
      return Success;
    },
  },
  cudaFuncSetSharedMemConfig: {
    cost: callCost.unmeasured,
    run: (context, _call, stub) => (kernelOf(context, stub!) ? Success : InvalidDeviceFunction),
  },
  cudaOccupancyMaxActiveBlocksPerMultiprocessor: {
    cost: 165,
    run: (context, _call, target, stub, threads, shared) => occupancy(context, target!, stub!, threads!, shared!),
  },
  cudaOccupancyAvailableDynamicSMemPerBlock: {
    cost: callCost.unmeasured,
    run: (context, _call, target, stub, blocks, threads) => {
      const kernel = kernelOf(context, stub!);
      if (!kernel) return InvalidDeviceFunction;
      if (blocks === 0 || threads === 0) return InvalidValue;
      // The most that still lets so many blocks be resident: occupancy falls as shared memory grows.
      let [low, high] = [0, dynamicSharedLimit(context, kernel)];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (blocksPerSm(context, kernel, threads!, middle) >= blocks!) low = middle;
        else high = middle - 1;
      }
      context.memory.setWord(target!, low);
      return Success;
    },
  },
  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: {
    cost: 165,
    run: (context, _call, target, stub, threads, shared) => occupancy(context, target!, stub!, threads!, shared!),
  },
};

/** The name in a registration as `isKnown` has it: with what tells it from those of other files where these are linked, else without. */
function registeredName(context: CudaContext, address: number, isKnown: (name: string) => boolean): string {
  const text = context.memory.text(address);
  const linked = nameInLinked(text);
  return isKnown(linked) ? linked : withoutSuffix(text);
}

/** The wrapper is { magic, version, data, … }; data is what `-fcuda-include-gpubinary` embedded. */
const registerFatBinary: QueryFunction = (context, wrapper) =>
  context.memory.u32(context.memory.word(wrapper! + 8)) + 1;

/** Functions that the compiler's code calls around `main` and `<<<…>>>`. */
export const kernelQueries: Record<string, QueryFunction> = {
  __cudaRegisterFatBinary: registerFatBinary,
  /** Relocatable device code; what follows in the name stands for the file. The function registers what it has. */
  __cudaRegisterLinkedBinary: (context, registerAll, wrapper) => {
    context.functionAt(registerAll!)(asWord(registerFatBinary(context, wrapper)));
    return 0;
  },
  __cudaRegisterFatBinaryEnd: () => 0,
  __cudaUnregisterFatBinary: () => 0,
  __cudaRegisterFunction: (context, handle, stub, _deviceFunction, name) => {
    const text = registeredName(context, name!, (linked) => context.device.hasKernel(linked));
    const own = nameInModule(text, handle! - 1);
    context.kernels.set(stub!, context.device.hasKernel(own) ? own : text);
    return 0;
  },
  __cudaRegisterVar: (context, handle, shadow, _deviceAddress, name, _external, size) => {
    const { variables } = context.device;
    const text = registeredName(context, name!, (linked) => variables.some((variable) => variable.name === linked));
    // The optimizer drops variables that no kernel uses; a program may still copy to them.
    const named = (name: string) => variables.filter((variable) => variable.name === name);
    const own = named(nameInModule(text, handle! - 1));
    const all = own.length > 0 ? own : named(text);
    const [found] = all;
    if (found?.managed) placeManaged(context, found, shadow!);
    const addresses: number[] = [];
    for (const { index: device } of context.devices) {
      const variable = all.find(({ gpu = 0 }) => gpu === device) ?? found;
      const address = variable?.address ?? context.device.allocate(Math.max(1, size!), 0, device);
      if (address === null) return cudaError.MemoryAllocation;
      if (!found) context.deviceAllocations.add(address, size!, { device, pool: null });
      addresses.push(address);
    }
    context.symbols.set(shadow!, { name: text, addresses, size: size! });
    return 0;
  },
  __cudaPushCallConfiguration: (context, grid, block, sharedBytes, stream) => {
    context.thread.configurations.push({
      grid: readDim3(context, grid!),
      block: readDim3(context, block!),
      sharedBytes: sharedBytes!,
      stream: stream!,
    });
    return 0;
  },
  __cudaPopCallConfiguration: (context, grid, block, sharedBytes, stream) => {
    const configuration = context.thread.configurations.pop();
    if (!configuration) return cudaError.MissingConfiguration;
    writeDim3(context, grid!, configuration.grid);
    writeDim3(context, block!, configuration.block);
    context.memory.setWord(sharedBytes!, configuration.sharedBytes);
    context.memory.setWord(stream!, configuration.stream);
    context.thread.configured = true;
    return Success;
  },
};
