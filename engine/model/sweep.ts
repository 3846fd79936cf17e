/** One program with many parameters: axes, progress, results. */

import type { SweepAxisKind } from './record-options.ts';

/** One axis of a sweep: its values as text (GPUs, registers, percent, bytes); `default` omits the option. */
export interface SweepAxis {
  kind: SweepAxisKind;
  name: string;
  values: string[];
}

export interface SweepProgress {
  total: number;
  /** With a result, failed ones among them. */
  done: number;
  failed: number;
  /** Values in which running ones differ from others: `TILE=16, GPU=h200`. */
  running: string[];
}

/** One job of a sweep. */
export interface SweepRow {
  id: string;
  /** A value for each axis. */
  point: string[];
  status: 'done' | 'failed' | 'missing';
  /** The metric, ns; null for failed jobs and where the kernel did not run. */
  ns: number | null;
  /** To the best: 1 and up. */
  ratio: number | null;
  error: string | null;
  /** The file; null where there is none. */
  trace: string | null;
  durationNs: number | null;
  gpuBusyNs: number | null;
  kernelNs: number | null;
  /** The kernel that the metric names, or the one that takes longest. */
  kernel: string | null;
  registers: number | null;
  /** Theoretical, percent. */
  occupancy: number | null;
}

export interface SweepView {
  folder: string;
  title: string;
  axes: SweepAxis[];
  /** `kernels`, `duration`, `gpu`, or the name of a kernel. */
  metric: string;
  /** The metric in words. */
  metricTitle: string;
  /** The best first, then those without a time. */
  rows: SweepRow[];
  done: number;
  failed: number;
  missing: number;
  /** Kernels of all jobs, which can be metrics as well. */
  kernels: string[];
}
