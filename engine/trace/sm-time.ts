/** When, within a kernel, its blocks are on the SMs. */
import { rampNanoseconds } from '../model/warp-timeline.ts';

/** From the start of a kernel to that of its first block; kernels shorter than twice that have half of their time. */
export const leadNanoseconds = rampNanoseconds / 2;

/** The first block starts half a ramp after the kernel, whose end is as far from the last (see engine/sm/kernel-model.ts). */
export function onSm(start: number, end: number): { from: number; to: number } {
  const lead = Math.min(leadNanoseconds, (end - start) / 2);
  return { from: start + lead, to: end - lead };
}
