/**
 * What a program's thread tells of its execution while it is under way, and is told, in shared memory: the places of the numbers.
 */
export const executionProgress = {
  /** Blocks executed of the grid that is being executed, and how many it has; 0 of 0 where none is, or its blocks may wait for each other. */
  blocks: 0,
  ofBlocks: 1,
  /** Launches until now, and those of them that were not executed, as they did what an earlier one did. */
  launches: 2,
  repeated: 3,
  /** Number of the kernel that is being executed among those of all modules, from 1; 0: none. Its launches before, and how long these took, ms. */
  kernel: 4,
  kernelLaunches: 5,
  kernelMilliseconds: 6,
  /** Not 0: somebody asks for the end. */
  stop: 7,
  count: 8,
} as const;

export const newExecutionProgress = (): Float64Array<SharedArrayBuffer> =>
  new Float64Array(new SharedArrayBuffer(8 * executionProgress.count));
