import type { RecordOptions } from '../model/record-options.ts';

/** Metrics that a sweep compares besides single kernels. */
export const metrics = {
  kernels: 'time of all kernels',
  duration: 'duration of the program',
  gpu: 'GPU busy time',
} as const;

/** Output formats of a sweep. */
export const sweepFormats = ['table', 'csv', 'json', 'html'] as const;

/** Default recording options of jobs: a sweep keeps many traces, and people look closely at few. */
export const usualOptions = { detail: 'counters', checks: [], coldStart: false } satisfies Partial<RecordOptions>;
