/** What can be compared besides single kernels. */
export const metrics = {
  kernels: 'time of all kernels',
  duration: 'duration of the program',
  gpu: 'time in which the GPU is busy',
} as const;

/** How a sweep is printed. */
export const sweepFormats = ['table', 'csv', 'json', 'html'] as const;
