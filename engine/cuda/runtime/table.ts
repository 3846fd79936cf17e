/**
 * The simulated CUDA runtime as one table: name of the import → implementation. All calls take the same way: time passes
 * on the host, the trace gets a range, errors are remembered for `cudaGetLastError`.
 */
import { SimsightError } from '../../base/errors.ts';
import type { ApiFunction, QueryFunction } from './api.ts';
import type { CudaContext } from './context.ts';
import { deviceCalls, deviceQueries, errorQueries, nvtxQueries } from './devices.ts';
import { kernelCalls, kernelQueries } from './launch.ts';
import { memoryCalls } from './memory.ts';
import { streamCalls } from './streams.ts';

export type Imported = (...args: (number | bigint)[]) => number | bigint | undefined;

const calls: Record<string, ApiFunction> = { ...memoryCalls, ...streamCalls, ...kernelCalls, ...deviceCalls };

/** A lost context answers every call but these with its error. */
const afterFault = new Set(['cudaDeviceReset', 'cudaThreadExit', 'cudaProfilerStop']);

/** WebAssembly hands addresses and sizes over as signed numbers. */
const unsigned = (args: (number | bigint)[]) => args.map((arg) => Number(arg) >>> 0);

function traced(context: CudaContext, name: string, implementation: ApiFunction): Imported {
  return (...args) => {
    const call = context.system.beginApi(name);
    const lost = context.sticky !== 0 && !afterFault.has(name);
    const code = lost ? context.sticky : implementation(context, call, ...unsigned(args));
    context.noteError(code);
    context.system.endApi(call, code);
    return code;
  };
}

/** Cheap calls that profilers do not list: no range, no cost. */
function untraced(context: CudaContext, implementation: QueryFunction, noteErrors: boolean): Imported {
  return (...args) => {
    const result = implementation(context, ...unsigned(args));
    if (noteErrors) context.noteError(result);
    return result;
  };
}

function bind(context: CudaContext, name: string): Imported | undefined {
  if (name in calls) return traced(context, name, calls[name]!);
  if (name in deviceQueries) return untraced(context, deviceQueries[name]!, true);
  const quiet = errorQueries[name] ?? kernelQueries[name] ?? nvtxQueries[name];
  if (quiet) return untraced(context, quiet, false);
  // Range ids have 64 bits.
  if (name === 'nvtxRangeStartA' || name === 'nvtxRangeStartEx') return () => 0n;
  return undefined;
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
  const unknown: string[] = [];
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from !== 'env') continue;
    const bound = others[name] ?? bind(context, name);
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
