/**
 * The simulated CUDA runtime as one table: name of the import → implementation. All calls take the same way: time passes
 * on the host, the trace gets a range, errors are remembered for `cudaGetLastError`.
 */
import { SimsightError } from '../../base/errors.ts';
import { own } from '../../base/program-imports.ts';
import { ns } from '../../base/units.ts';
import type { CallCost } from '../../system/call-costs.ts';
import type { ApiCall, CallUse, SystemSimulator } from '../../system/types.ts';
import type { CudaCall, QueryFunction } from './api.ts';
import { unsigned, type Imported } from './arguments.ts';
import type { CudaContext } from './context.ts';
import { cublasImports } from '../libraries/cublas.ts';
import { exCalls } from '../libraries/cublas-ex.ts';
import { cublasLtImports } from '../libraries/cublas-lt.ts';
import { cufftImports } from '../libraries/cufft.ts';
import { cufftXtImports } from '../libraries/cufft-xt.ts';
import { curandImports } from '../libraries/curand.ts';
import { driverCalls, driverQueries, isDriver, needsContext } from '../driver/index.ts';
import { groupedCalls } from '../libraries/cublas-grouped.ts';
import { levelCalls } from '../libraries/cublas-levels.ts';
import { cublasXtImports } from '../libraries/cublas-xt.ts';
import { luCalls } from '../libraries/cublas-lu.ts';
import { eigenCalls } from '../libraries/cusolver-eigen.ts';
import { generalEigenCalls } from '../libraries/cusolver-general.ts';
import { singularCalls } from '../libraries/cusolver-singular.ts';
import { nvjitlinkImports } from '../libraries/nvjitlink.ts';
import { nvrtcImports } from '../libraries/nvrtc.ts';
import { rotationSettings } from '../libraries/cusolver-spectra.ts';
import { cusolverImports } from '../libraries/cusolver.ts';
import { refactorizationCalls } from '../libraries/cusolver-rf.ts';
import { cusolverSpImports } from '../libraries/cusolver-sp.ts';
import { choleskyCalls, qrCalls, systemCalls } from '../libraries/cusolver-sp-device-calls.ts';
import { hostCalls } from '../libraries/cusolver-sp-host.ts';
import { choleskySteps, luSteps, qrSteps } from '../libraries/cusolver-sp-steps.ts';
import { cusparseImports } from '../libraries/cusparse.ts';
import { conversionCalls } from '../libraries/cusparse-conversions.ts';
import { gemmCalls } from '../libraries/cusparse-gemm.ts';
import { indexCalls } from '../libraries/cusparse-indices.ts';
import { productCalls } from '../libraries/cusparse-products.ts';
import { solvingCalls } from '../libraries/cusparse-solve.ts';
import { captureCalls, refuseLegacy, refuseUnsafe } from './capture.ts';
import { deviceCalls, deviceQueries, errorQueries } from './devices.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { graphCalls, hostFunctionCalls } from './graph-calls.ts';
import { kernelCalls, kernelQueries } from './launch.ts';
import { memoryCalls } from './memory.ts';
import { nvtxImports } from './nvtx.ts';
import { poolCalls } from './pools.ts';
import { streamCalls } from './streams.ts';
import { textureCalls } from './textures.ts';
import { userObjectCalls } from './user-objects.ts';

const calls: Record<string, CudaCall> = {
  ...memoryCalls,
  ...poolCalls,
  ...textureCalls,
  ...streamCalls,
  ...captureCalls,
  ...graphCalls,
  ...hostFunctionCalls,
  ...userObjectCalls,
  ...kernelCalls,
  ...deviceCalls,
  ...driverCalls,
};

function refusedByCapture(context: CudaContext, { inCapture, stream }: CudaCall, args: number[]): number {
  if (context.captures.size === 0) return cudaError.Success;
  if (inCapture !== undefined) return refuseUnsafe(context, inCapture === 'uses the legacy stream');
  const handle = stream === undefined ? undefined : args[stream]!;
  return handle !== undefined && context.isLegacy(handle) ? refuseLegacy(context) : cudaError.Success;
}

/** Conditions that its CPU time depends on, except for bytes. */
function useOf(context: CudaContext, { stream }: CudaCall, args: number[]): Omit<Required<CallUse>, 'bytes'> {
  return {
    captured: stream !== undefined && context.captureOf(args[stream]!) !== null,
    device: context.current.index,
  };
}

const bytesOf = (context: CudaContext, { bytes }: CudaCall, args: number[]): number => bytes?.(context, args) ?? 0;

function traced(context: CudaContext, name: string, row: CudaCall): Imported {
  return (...passed) => {
    const args = passed.map(unsigned);
    if (context.inHostFunction) {
      context.noteError(cudaError.NotPermitted);
      return cudaError.NotPermitted;
    }
    if (!isDriver(name)) context.needContext();
    const use = { bytes: bytesOf(context, row, args), ...useOf(context, row, args) };
    context.kernelsEnd = 0;
    const call = context.system.beginApi(name, row, use);
    const code = answer(context, call, row, args);
    noteError(context, name, code);
    context.system.endApi(call, code);
    return code;
  };
}

/** `cudaGetLastError` knows nothing of the driver's calls. */
function noteError(context: CudaContext, name: string, code: number): void {
  if (!isDriver(name)) context.noteError(code);
}

/** Steps of a call between which other host threads can run: the driver continues it at a `yield` once it is the thread's turn again. */
export type Steps = Generator<void, number | bigint | undefined>;
export type Stepwise = (...args: (number | bigint)[]) => Steps;

/** {@link traced} where host threads run side by side. Calls begin and end in the order of simulated time. */
function tracedSteps(context: CudaContext, name: string, row: CudaCall): Stepwise {
  return function* (...passed) {
    yield;
    if (context.inHostFunction) return traced(context, name, row)(...passed);
    const args = passed.map(unsigned);
    if (!isDriver(name)) context.needContext();
    const { system } = context;
    const argument = row.stream;
    const use = useOf(context, row, args);
    const stream = argument === undefined || use.captured || row.looks ? null : context.streamOf(args[argument]!);
    const call = system.openApi(name);
    if (stream !== null) {
      system.enterStream(stream);
      yield;
    }
    system.chargeApi(row, { bytes: bytesOf(context, row, args), ...use });
    yield;
    if (stream !== null) system.roomIn(call, stream);
    while (call.waits!.length > 0) {
      yield* waited(context, call);
      system.roomIn(call, stream!);
    }
    context.kernelsEnd = 0;
    const early = answer(context, call, row, args);
    if (stream !== null) system.leaveStream(stream);
    yield* waited(context, call);
    const code = call.answer?.() ?? early;
    noteError(context, name, code);
    system.endApi(call, code);
    yield;
    return code;
  };
}

function* waited({ system }: CudaContext, { name, waits }: ApiCall): Generator<void, void> {
  for (let wait = waits!.shift(); wait; wait = waits!.shift()) {
    const { returns, then } = wait;
    system.threads.wait({ what: name, returns });
    yield;
    then?.();
  }
}

/** A call of a source whose stream 0 is the thread's own. */
const perThread =
  (context: CudaContext, call: Imported): Imported =>
  (...args) => {
    const { thread } = context;
    thread.perThreadCall = true;
    try {
      return call(...args);
    } finally {
      thread.perThreadCall = false;
    }
  };

const perThreadSteps = (context: CudaContext, call: Stepwise): Stepwise =>
  function* (...args) {
    const { thread } = context;
    thread.perThreadCall = true;
    try {
      return yield* call(...args);
    } finally {
      thread.perThreadCall = false;
    }
  };

/** Makes a call whose parts nobody can tell apart stepwise; it takes so many nanoseconds longer (`more`, of its first argument). */
export const inOneStep = (
  call: Imported,
  system: SystemSimulator,
  more: (first: number) => number = () => 0,
): Stepwise =>
  function* (...args) {
    yield;
    const result = call(...args);
    const time = more(Number(args[0]));
    if (time > 0) system.hostWork(ns(time));
    yield;
    return result;
  };

/** A call in steps; null for what takes no time. */
export function callInSteps(context: CudaContext, name: string, plain: Imported): Stepwise | null {
  if (perThreadEnding.test(name)) {
    const inSteps = callInSteps(context, name.replace(perThreadEnding, ''), plain);
    return inSteps && perThreadSteps(context, inSteps);
  }
  const call = own(calls, name);
  if (call) return tracedSteps(context, name, call);
  return name.startsWith('cublas') ? inOneStep(plain, context.system) : null;
}

function answer(context: CudaContext, call: ApiCall, row: CudaCall, args: number[]): number {
  if (context.sticky !== 0 && !row.afterFault) return context.sticky;
  if (context.thread.context === null && needsContext(call.name)) return cudaError.DeviceUninitialized;
  context.call = call;
  return refusedByCapture(context, row, args) || row.run(context, call, ...args);
}

/** Cheap calls that profilers do not list: no range, no cost. */
function untraced(context: CudaContext, implementation: QueryFunction, noteErrors: boolean): Imported {
  return (...args) => {
    const result = implementation(context, ...args.map(unsigned));
    if (noteErrors) context.noteError(result);
    return result;
  };
}

/** Calls of sources whose stream 0 is the thread's own: CUDA's headers put this behind their names. */
const perThreadEnding = /_pt(ds|sz)$/;

function bind(context: CudaContext, name: string): Imported | undefined {
  if (perThreadEnding.test(name)) {
    const plain = bind(context, name.replace(perThreadEnding, ''));
    return plain && perThread(context, plain);
  }
  const call = own(calls, name);
  if (call) return traced(context, name, call);
  const query = own(deviceQueries, name);
  if (query) return untraced(context, query, true);
  if (name.startsWith('__cudaRegisterLinkedBinary')) {
    return untraced(context, kernelQueries.__cudaRegisterLinkedBinary!, false);
  }
  const quiet = own(errorQueries, name) ?? own(kernelQueries, name) ?? own(driverQueries, name);
  return quiet && untraced(context, quiet, false);
}

/**
 * All `env.*` imports of a program; throws one error that names every call that the runtime does not know. `others` are
 * imports beside CUDA's.
 */
export function cudaImports(
  context: CudaContext,
  module: WebAssembly.Module,
  others: Record<string, Imported>,
): Record<string, Imported> {
  const imports: Record<string, Imported> = {};
  const libraries = {
    ...nvtxImports(context),
    ...nvrtcImports(context),
    ...nvjitlinkImports(context),
    ...curandImports(context),
    ...cufftImports(context, (cufft, traced) => cufftXtImports(context, cufft, traced)),
    ...cublasImports(context, { ...luCalls, ...exCalls, ...levelCalls, ...groupedCalls }, (blas, traced, calls) => ({
      ...cublasLtImports(context, blas, traced),
      ...cublasXtImports(context, blas, traced, calls),
    })),
    ...cusolverImports(context, {
      others: { ...eigenCalls, ...singularCalls, ...generalEigenCalls },
      settings: rotationSettings,
    }),
    ...cusparseImports(
      context,
      [productCalls, indexCalls, conversionCalls, gemmCalls(), ...solvingCalls()],
      (matrices) =>
        cusolverSpImports(context, matrices, [
          ...[hostCalls(), luSteps(), qrSteps(), choleskySteps()],
          ...[systemCalls(), choleskyCalls(), qrCalls(), refactorizationCalls()],
        ]),
    ),
  };
  const unknown: string[] = [];
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from !== 'env') continue;
    const bound = own(others, name) ?? own(libraries, name) ?? bind(context, name);
    if (bound) imports[name] = bound;
    else unknown.push(name);
  }
  if (unknown.length > 0) {
    const verb = unknown.length === 1 ? 'is' : 'are';
    throw new SimsightError(
      'unsupported-construct',
      `${unknown.sort().join(', ')} ${verb} not supported yet.`,
      'Leave the call out for the recording, for example with #ifndef SIMSIGHT.',
    );
  }
  return imports;
}

/** Cost of a call that profilers list; undefined for others. */
export const costOf = (name: string): CallCost | undefined => own(calls, name);
