/**
 * The times that a kernel needs to launch kernels, nanoseconds: H200 reference, nested.cu (nested.json). Launches are served by
 * software on the GPU, so other GPUs are taken to be alike.
 */
export const deviceRuntime = {
  /** From one launch of a thread to its next: 5.8 to 6.7 us; 6.2 to 6.4 on average of 100. */
  launch: 6_100,
  /** For each further thread of the warp that launches with it: warps of 32 need 11.9 to 12.8 us. */
  perThread: 200,
  /** For each thread, once kernels that the warp launched before have to be started meanwhile: 16 us on average of 100, fire and forget. */
  perThreadLater: 130,
  /**
   * For each other block that launches at the same time, half of which come first: 132 blocks of one thread need 19 to 28 us, of a
   * warp 62 to 136.
   */
  lock: { launch: 210, perThread: 15 },
  /** From the end of the launch to the start of the kernel: first_child_start less between_launches. */
  notice: 300,
  /**
   * Kernels are started one by one: 132 and 4224 of fire and forget take 0.20 to 0.23 us each, of the streams of 132 blocks 0.70 to
   * 0.75 if they are empty, 0.86 to 1.2 if they last 20 us.
   */
  start: { alone: 205, inStream: 800 },
  /**
   * From the end of a kernel to the start of the next in its stream: where it was there when the first of them was started, 1.8 to
   * 2.1 us (32 in one stream); otherwise 10.8 to 12.6 (gap_0_to_1 of one thread).
   */
  gap: { known: 1_800, unknown: 11_500 },
  /** The gap before a tail launch: 12.5 us with ten of them. Nanoseconds. */
  tailGap: 12_500,
  /**
   * From the end of the last kernel until the launch as a whole has ended: some 20 us more than of a kernel that cannot launch any;
   * 100 more where 31 or more of a stream have waited behind another. A kernel that could launch others, but did not, takes 7.8 us
   * more than one that could not (tail_launches 0; S8 chain_of_kernels n=1).
   */
  ending: { none: 7_000, fixed: 18_000, perWaiting: 3_000, mostWaiting: 31 },
  /**
   * The ends of kernels without a stream are gathered: where 32 or more of them are launched within 100 us, it begins so long after
   * the first has started, and takes 0.24 us for each (fire_and_forget, 132 blocks: event_us 133, 148, 449 and 3348 for 132, 264, 1320 and 13200).
   */
  gathering: { from: 32, delay: 100_000, each: 240 },
};

/** Time that a warp takes to launch from so many of its threads at once, beside so many other blocks. */
export function launchTime(threads: number, isFirst: boolean, otherBlocks: number): number {
  const { launch, perThread, perThreadLater, lock } = deviceRuntime;
  const own = launch + perThread * (threads - 1) + (isFirst ? 0 : perThreadLater * threads);
  return own + (otherBlocks / 2) * (lock.launch + lock.perThread * (threads - 1));
}
