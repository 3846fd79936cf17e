import type { CompleteGpu } from './fallbacks.ts';

/**
 * The share of the host link that kernels get, relative to copies, and the extra time of a load over one from L2
 * (test/reference/h200/zero_copy.json: 64 MB read in 1311 us and written in 1275, copies take 1220; chain_of_loads of 256 KB).
 */
export const hostLinkUse = {
  kernelReads: 0.925,
  kernelWrites: 0.95,
  latencyNanoseconds: 1005,
  /** Reads and writes at once: what the smaller of both adds to the time of the other; copy_host_to_host, 64 MB in 1605 us. */
  bothWays: 0.23,
  /**
   * A sector that is written in part goes by itself; write_4B, stride 8, a million of them in 2109 us. (What is missing: parts of
   * a sector that do not lie side by side go one by one, stride 2.)
   */
  partialNanoseconds: 2.0,
};

/** Bytes per second, page-locked memory. */
export const hostLinkForKernels = ({ hostLink }: CompleteGpu): { reads: number; writes: number } => ({
  reads: hostLink.hostToDevice * hostLinkUse.kernelReads,
  writes: hostLink.deviceToHost * hostLinkUse.kernelWrites,
});
