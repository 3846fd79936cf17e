import type { RecordOptions } from '../model/record-options.ts';

/** What can be compared besides single kernels. */
export const metrics = {
  kernels: 'time of all kernels',
  duration: 'duration of the program',
  gpu: 'time in which the GPU is busy',
} as const;

/** How a sweep is printed. */
export const sweepFormats = ['table', 'csv', 'json', 'html'] as const;

/** What jobs are told when nobody says otherwise: many traces are kept, and few are looked at closely. */
export const usualOptions = { detail: 'counters', checks: [], coldStart: false } satisfies Partial<RecordOptions>;
