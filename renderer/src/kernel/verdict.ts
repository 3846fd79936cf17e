/** The limit of a kernel, in a sentence. All pure. */
import type { HeldUpBy, KernelThroughput, KernelView } from '../../../engine/model/kernel-view.ts';
import { meaningOf } from './state-words.ts';

const percent = (value: number): string => `${value.toFixed(1)} %`;

const heldUpWords: Record<HeldUpBy, string> = {
  l2: 'L2, which gives and takes no more bytes at a time',
  dram: 'DRAM, which gives and takes no more bytes at a time',
  nvlink: 'the links to other GPUs',
  'host-link': 'the link to the host',
  dispatch: 'the dispatch of blocks, one after the other',
  atomics: 'atomics, which keep the slices of L2 busy',
  'atomics-on-one-place': 'atomics on one address or its neighbours, one after the other',
};

/** Nsight Compute's guidance: from 80 % of a limit on a kernel is bound by it, below 60 % by latencies. */
export function verdictOf({ throughput, stalls, heldUp }: KernelView): string {
  if (heldUp) {
    const { by, percent: share } = heldUp;
    return `${percent(share)} of the time is ${heldUpWords[by]}. The SMs would be done in ${percent(100 - share)} of it.`;
  }
  const limit = throughput.toSorted((a, b) => b.percent - a.percent)[0];
  if (!limit) return '';
  const [top] = stalls.filter(({ state }) => state !== 'Selected');
  if (limit.percent >= 80)
    return `${limit.name}: ${percent(limit.percent)} of the peak. That is what limits this kernel.`;
  const waits = top
    ? ` Warps mostly ${meaningOf(top.state) || top.state} (${top.state}, ${percent(top.percent)} of their time).`
    : '';
  const most = `Nothing is near its peak: the most is ${percent(limit.percent)}, of ${limit.name}.`;
  return limit.percent < 60 ? `${most}${waits}` : `${limit.name}: ${percent(limit.percent)} of the peak.${waits}`;
}

/** The part that the warps' cycles do not stand for; empty where they stand for all of the time, or nearly so. */
export const coverageOf = ({ coveredPercent, heldUp }: KernelView): string =>
  heldUp && coveredPercent !== null
    ? `Of ${percent(coveredPercent)} of the kernel’s time. In the rest, all warps wait for what is named above.`
    : '';

/** The share of the kernel's time that the recorded cycles of its warps are; null where it is not known. Percent. */
export const recordedPercent = ({ warpCycles, gpu, durationNs }: KernelView): number | null =>
  gpu && durationNs > 0 ? Math.min(100, (100 * warpCycles * 1e3) / gpu.smClockMhz / durationNs) : null;

/** The busiest unit of a group, percent of its peak: what Nsight Compute calls the speed of light. */
export const mostOf = ({ throughput }: KernelView, group: KernelThroughput['group']): number | null =>
  throughput
    .filter((unit) => unit.group === group)
    .reduce<number | null>((most, { percent }) => Math.max(most ?? 0, percent), null);
