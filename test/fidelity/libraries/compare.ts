/** Measured calls of cuBLAS beside the models of them. */
import { gemmTimes, streamTimes, type LibraryKernel } from '../../../engine/cuda/libraries/timing/index.ts';
import { h200 } from '../../../engine/gpus/h200.ts';
import { mean, quantile } from '../summary.ts';
import { measuredCalls, type MeasuredCall } from './calls.ts';

export interface Compared extends MeasuredCall {
  model: number;
  /** Model for measured, less 1. */
  error: number;
  /** The product has the tiles that the library has. */
  sameTiles: boolean;
  sameLaunches: boolean;
}

const tilesOf = (name: string): string | undefined => /(?:tilesize|_)(\d+x\d+)/.exec(name)?.[1];

function compare(call: MeasuredCall): Compared[] {
  const { gemm, stream } = call;
  const kernels = gemm === undefined ? streamTimes(stream!, h200) : gemmTimes(gemm, h200);
  if (kernels === null) return [];
  const model = kernels.reduce((sum, { duration }: LibraryKernel) => sum + duration, 0);
  const longest = call.kernels.reduce((a, b) => (b.ns > a.ns ? b : a));
  const sameTiles = tilesOf(longest.name) === tilesOf(kernels[0]!.name ?? '');
  const sameLaunches = kernels.length === call.kernels.length;
  return [{ ...call, model, error: model / call.total - 1, sameTiles, sameLaunches }];
}

export interface Errors {
  calls: number;
  /** Percent. */
  mean: number;
  p90: number;
  worst: number;
}

export function errorsOf(calls: readonly { error: number }[]): Errors {
  const errors = calls.map(({ error }) => 100 * Math.abs(error));
  return {
    calls: errors.length,
    mean: mean(errors),
    // Of none: 0.
    p90: quantile(errors, 0.9) || 0,
    worst: quantile(errors, 1) || 0,
  };
}

export const compared = (): Compared[] => measuredCalls().flatMap(compare);
