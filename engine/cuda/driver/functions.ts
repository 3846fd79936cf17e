/** Functions of modules: launches, attributes, occupancy. */
import { callCost } from '../../system/call-costs.ts';
import type { ApiCall } from '../../system/types.ts';
import { CUlaunchConfig } from '../runtime/abi.ts';
import type { ApiFunction, CudaCall, QueryFunction } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import {
  functionValues,
  kernelCalls,
  kernelOf,
  launchConfigured,
  launchKernel,
  parametersIn,
} from '../runtime/launch.ts';
import { blocksPerSm, dynamicSharedLimit } from '../runtime/launch-limits.ts';
import { driverCode, likeRuntime, unmeasured } from './codes.ts';

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;

function launch(context: CudaContext, call: ApiCall, args: number[], cooperative: boolean): number {
  const [fn, gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicSharedBytes, stream, parameters, extra = 0] = args as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number?,
  ];
  if (parameters !== 0 && extra !== 0) return InvalidValue;
  const read = parametersIn(context, parameters, extra);
  const grid = { x: gridX, y: gridY, z: gridZ };
  const block = { x: blockX, y: blockY, z: blockZ };
  const code = launchKernel(context, call, fn, { grid, block, dynamicSharedBytes, cooperative }, read, stream);
  return driverCode(code);
}

/** Attributes by `CUfunction_attribute`; those behind are of clusters, which are not simulated. */
const attributes = [
  'maxThreadsPerBlock',
  'sharedSizeBytes',
  null,
  'localSizeBytes',
  'numRegs',
  'ptxVersion',
  'binaryVersion',
  null,
  'maxDynamicSharedSizeBytes',
  'preferredShmemCarveout',
] as const;
const lastAttribute = 15;

const getAttribute: ApiFunction = (context, _call, target, attribute, fn) => {
  const kernel = kernelOf(context, fn!);
  if (!kernel) return InvalidResourceHandle;
  if (target === 0 || attribute! > lastAttribute) return InvalidValue;
  const name = attributes[attribute!] ?? null;
  context.memory.setU32(target!, name === null ? 0 : functionValues(context, kernel)[name]);
  return Success;
};

/** The block size, a multiple of the warp, with the most resident threads: the largest of equals. */
const potentialBlockSize: ApiFunction = (context, _call, gridTarget, blockTarget, fn, sizeOf, shared, limit) => {
  const kernel = kernelOf(context, fn!);
  if (!kernel) return InvalidResourceHandle;
  if (gridTarget === 0 || blockTarget === 0) return InvalidValue;
  const { maxThreadsPerBlock } = functionValues(context, kernel);
  const most = limit! > 0 ? Math.min(limit!, maxThreadsPerBlock) : maxThreadsPerBlock;
  let best = { threads: 0, blocks: 0 };
  for (let size = 32 * Math.ceil(most / 32); size > 0; size -= 32) {
    const threads = Math.min(size, most);
    const bytes = sizeOf === 0 ? shared! : Number(context.functionAt(sizeOf!)(threads));
    if (bytes > dynamicSharedLimit(context, kernel)) continue;
    const blocks = blocksPerSm(context, kernel, threads, bytes);
    if (blocks * threads > best.blocks * best.threads) best = { threads, blocks };
  }
  context.memory.setU32(gridTarget!, best.blocks * context.gpu.core.smCount);
  context.memory.setU32(blockTarget!, best.threads);
  return Success;
};

const moduleOf: QueryFunction = (context, target, fn) => {
  const module = [...context.modules.values()].find(({ functions }) => [...functions.values()].includes(fn!));
  if (!module) return InvalidResourceHandle;
  context.memory.setWord(target!, module.handle);
  return Success;
};

/** As it is in the image. */
const nameOf: QueryFunction = (context, target, fn) => {
  for (const { functions } of context.modules.values()) {
    for (const [name, handle] of functions) {
      if (handle !== fn) continue;
      context.memory.setWord(target!, context.textAddress(name));
      return Success;
    }
  }
  return InvalidResourceHandle;
};

function handleOf(context: CudaContext, target: number, stub: number): number {
  if (target === 0) return InvalidValue;
  if (!kernelOf(context, stub)) return cudaError.InvalidDeviceFunction;
  context.memory.setWord(target, stub);
  return Success;
}

const describeParameter: QueryFunction = (context, fn, index, offset, size) => {
  const kernel = kernelOf(context, fn!);
  if (!kernel) return InvalidResourceHandle;
  const parameter = kernel.parameters[index!];
  if (!parameter) return InvalidValue;
  context.memory.setWord(offset!, parameter.offset);
  if (size !== 0) context.memory.setWord(size!, parameter.size);
  return Success;
};

/** For any device, which is the last argument: kernels of libraries are as functions are, on all alike. */
const setAttribute: ApiFunction = (context, call, kernel, attribute, value) =>
  driverCode(kernelCalls.cudaFuncSetAttribute!.run(context, call, kernel!, attribute!, value!));

const occupancyCalls = Object.fromEntries(
  [
    'OccupancyMaxActiveBlocksPerMultiprocessor',
    'OccupancyMaxActiveBlocksPerMultiprocessorWithFlags',
    'OccupancyAvailableDynamicSMemPerBlock',
    'FuncSetAttribute',
    'FuncSetCacheConfig',
  ].map((name) => [`cu${name}`, likeRuntime(kernelCalls[`cuda${name}`]!)]),
);

/** What launches of one kernel in a stream have in common. */
export const launchRow = { cost: callCost.launch, serial: 0.15, launches: true } as const;

export const functionCalls: Record<string, CudaCall> = {
  ...occupancyCalls,
  cuLaunchKernel: {
    ...{ ...launchRow, stream: 8 },
    run: (context, call, ...args) => launch(context, call, args, false),
  },
  cuLaunchCooperativeKernel: {
    ...{ cost: kernelCalls.cudaLaunchCooperativeKernel!.cost, stream: 8, launches: true },
    run: (context, call, ...args) => launch(context, call, args.slice(0, 10), true),
  },
  cuLaunchKernelEx: {
    ...{ cost: kernelCalls.cudaLaunchKernelExC!.cost, serial: 0.15, launches: true },
    run: (context, call, at, fn, parameters, extra) =>
      parameters !== 0 && extra !== 0
        ? InvalidValue
        : driverCode(
            launchConfigured(context, call, at!, CUlaunchConfig, fn!, parametersIn(context, parameters!, extra!)),
          ),
  },
  cuKernelGetAttribute: unmeasured(getAttribute),
  cuKernelSetAttribute: unmeasured((context, call, attribute, value, kernel) =>
    setAttribute(context, call, kernel!, attribute!, value!),
  ),
  cuKernelSetCacheConfig: likeRuntime(kernelCalls.cudaFuncSetCacheConfig!),
  cudaKernelSetAttributeForDevice: unmeasured(setAttribute),
  cuFuncGetAttribute: { cost: kernelCalls.cudaFuncGetAttributes!.cost, run: getAttribute },
  cuOccupancyMaxPotentialBlockSize: unmeasured(potentialBlockSize),
  cuOccupancyMaxPotentialBlockSizeWithFlags: unmeasured(potentialBlockSize),
};

export const functionQueries: Record<string, QueryFunction> = {
  cuModuleGetLoadingMode: (context, target) => {
    // CU_MODULE_LAZY_LOADING, the driver's default since CUDA 12.2.
    context.memory.setU32(target!, 2);
    return Success;
  },
  cuFuncGetModule: moduleOf,
  cuFuncGetName: nameOf,
  cuFuncGetParamInfo: describeParameter,
  cuFuncLoad: (context, fn) => (kernelOf(context, fn!) ? Success : InvalidResourceHandle),
  // A kernel of a library is its function in the current context.
  cuKernelGetFunction: (context, target, kernel) => {
    if (!kernelOf(context, kernel!)) return InvalidResourceHandle;
    context.memory.setWord(target!, kernel!);
    return Success;
  },
  cuKernelGetName: nameOf,
  cuKernelGetLibrary: moduleOf,
  cuKernelGetParamInfo: describeParameter,
  // The address of a kernel of the program's is one of its handles.
  cudaGetFuncBySymbol: (context, target, stub) => handleOf(context, target!, stub!),
  cudaGetKernel: (context, target, stub) => handleOf(context, target!, stub!),
  cudaFuncGetParamInfo: describeParameter,
};
