/**
 * From where on something is worth saying. Each figure is somebody's rule or has its reason here; none is fitted to a case. Shares are
 * of 1.
 */

/**
 * The least gain worth reporting: of the time of a kernel, or of the time from the GPU's first work to its last. Seed 004
 * takes 5 % as the spread between runs from which on a benchmark says nothing, and tells to stop where less is to be gained.
 */
export const leastGain = 0.05;

/** Kernels that take less of all kernels' time are left alone: what is saved there would be lost in that spread. */
export const leastShareOfKernels = 0.05;
/** "A kernel consuming 0.5% of total runtime is not worth touching" (seed 004). */
export const leastShareOfRuntime = 0.005;

/** Nsight Compute, SpeedOfLight rule: below it, of compute and memory alike, a kernel is bound by latency. */
export const latencyBound = 0.6;
/** The same rule: from there on a unit is as busy as it gets. Seed 004 stops at the same share of a roof. */
export const saturated = 0.8;

/** Nsight Compute, CPIStall rule: a reason for stalls is named where it takes more of the time of warps … */
export const stallShare = 0.3;
/** … and the schedulers do not issue in more of the cycles anyway. */
export const issueActiveForStalls = 0.8;

/** Nsight Compute, Occupancy rule: lower theoretical occupancy is named. */
export const lowOccupancy = 0.8;
/** Nsight Compute, LaunchConfiguration rule: from this share of the runtime on the last wave is named. */
export const tailShare = 0.2;
/** Nsight Compute, SharedMemoryConflicts rule: conflicts as a share of wavefronts. */
export const conflictShare = 0.1;
/** Nsight Compute, ThreadDivergence rule: of 32 threads of a warp. */
export const fewThreads = 24;

/** The cost of a launch (seed 004: "5 to 15 microseconds"). A shorter kernel is over before the next one is there. Nanoseconds. */
export const launchNs = { least: 5e3, most: 15e3 };
/** Staged copies of less than this return at once: CUDA runtime, "API synchronization behavior". */
export const stagedCopyBytes = 64 * 1024;
/** So many times something has to recur before a graph, a pipeline or another way to wait pays: not at start and end alone. */
export const leastRounds = 3;
