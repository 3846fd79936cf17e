/**
 * Sizes that all CUDA GPUs since Maxwell share (CUDA C++ Programming Guide, "Compute Capabilities"; Nsight Compute's memory tables), and
 * the lanes of a warp as masks.
 */

/** Lanes of a warp. */
export const warpSize = 32;
/** Unit of a warp's access to global memory, bytes. */
export const sectorBytes = 32;
/** A line of L1 and L2, and of the caches of instructions. */
export const lineBytes = 128;
export const sectorsPerLine = lineBytes / sectorBytes;
/** Banks of shared memory, each of which serves one word in a wavefront. */
export const banks = 32;
/** A word of a bank, and a register. */
export const wordBytes = 4;
/** Bytes of all banks in one wavefront. */
export const wavefrontBytes = banks * wordBytes;

/** Numbers of the lanes in a mask, ascending. */
export function lanesOf(mask: number): number[] {
  const lanes: number[] = [];
  for (let lane = 0; lane < warpSize; lane++) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

/** Lanes in a mask. */
export function laneCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
