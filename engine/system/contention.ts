/**
 * Throughput of work that runs side by side and shares a resource: the SM that it runs on, or DRAM. Work asks with an intensity a; together
 * they get
 *
 *   throughput(a) = (a^-3 + 1)^(-1/3)
 *
 * of the whole: all of what is asked while that is little, never more than everything, and in between what is lost to waiting
 * in line. On an H200, copy kernels of 1, 2, 4 and 8 blocks per SM reach 1.83, 3.1, 3.9 and 4.13 TB/s, and two of 1 block
 * per SM side by side what one of 2 reaches (test/reference/h200/cuda/system.cu, S3 dram_alone, dram_two_streams): the
 * exponent 3 gives all of them within 3 %.
 */
const exponent = 3;

/** Work that takes all there is, by its counters, asks for no more than this share: its own latencies take the rest. */
const most = 0.99;

/** Share of the whole that an intensity gets, 0 to 1. */
export const throughput = (intensity: number): number =>
  intensity <= 0 ? 0 : (intensity ** -exponent + 1) ** (-1 / exponent);

/** The intensity of work that gets this share when it is alone. */
export function intensityOf(share: number): number {
  if (share <= 0) return 0;
  return (Math.min(share, most) ** -exponent - 1) ** (-1 / exponent);
}

/** All are served alike: DRAM. Share of the whole per intensity. */
export const servedAlike = (all: number): number => (all <= 0 ? 1 : throughput(all) / all);

/**
 * Those who came earlier are served first, as warp schedulers prefer older warps: share per intensity of who has `earlier`
 * before it. S3 fma_and_dram: beside a kernel that keeps the FMA pipes busy, one that streams through DRAM all but stands still.
 */
export const servedInTurn = (earlier: number, own: number): number =>
  own <= 0 ? 1 : (throughput(earlier + own) - throughput(earlier)) / own;
