/** The limit of a kernel, in a sentence. All pure. */
import {
  isTimedByMeasurement,
  timedByMeasurement,
  type HeldUpBy,
  type KernelThroughput,
  type KernelView,
} from '../../../engine/model/kernel-view.ts';
import { meaningOf } from './state-words.ts';

const percent = (value: number): string => `${value.toFixed(1)} %`;

const heldUpWords: Record<HeldUpBy, string> = {
  l2: 'limited by L2 bandwidth',
  dram: 'limited by DRAM bandwidth',
  nvlink: 'limited by the links to other GPUs',
  'host-link': 'limited by the link to the host',
  dispatch: 'limited by the dispatch of blocks, one after the other',
  atomics: 'limited by atomics, which keep the L2 slices busy',
  'atomics-on-one-place': 'limited by atomics on one address or its neighbours, which L2 serializes',
};

/** Nsight Compute's guidance: from 80 % of a limit on a kernel is bound by it, below 60 % by latencies. */
export function verdictOf({ throughput, stalls, heldUp }: KernelView): string {
  if (heldUp) {
    const { by, percent: share } = heldUp;
    return `${percent(share)} of the time is ${heldUpWords[by]}. The SMs alone would finish in ${percent(100 - share)} of the time.`;
  }
  const limit = throughput.toSorted((a, b) => b.percent - a.percent)[0];
  if (!limit) return '';
  const [top] = stalls.filter(({ state }) => state !== 'Selected');
  if (limit.percent >= 80) return `${limit.name}: ${percent(limit.percent)} of peak, which limits this kernel.`;
  const waits = top
    ? ` Warps mostly ${meaningOf(top.state) || top.state} (${top.state}, ${percent(top.percent)} of their time).`
    : '';
  const most = `No unit is near its peak: the busiest, ${limit.name}, reaches ${percent(limit.percent)}.`;
  return limit.percent < 60 ? `${most}${waits}` : `${limit.name}: ${percent(limit.percent)} of peak.${waits}`;
}

/** Of a kernel whose warps nothing is known of: why. */
export const whyNotSimulated = (view: Pick<KernelView, 'metrics'>): string =>
  isTimedByMeasurement(view) ? timedByMeasurement : 'This kernel was not simulated warp by warp.';

/** The part that the warps' cycles do not stand for; empty where they stand for all of the time, or nearly so. */
export const coverageOf = ({ coveredPercent, heldUp }: KernelView): string =>
  heldUp && coveredPercent !== null
    ? `Covers ${percent(coveredPercent)} of the kernel’s time. In the rest, all warps wait for the limiter named above.`
    : '';

/** The share of the kernel's time that the recorded cycles of its warps are; null where it is not known. Percent. */
export const recordedPercent = ({ warpCycles, gpu, durationNs }: KernelView): number | null =>
  gpu && durationNs > 0 ? Math.min(100, (100 * warpCycles * 1e3) / gpu.smClockMhz / durationNs) : null;

/** The busiest unit of a group, percent of its peak: what Nsight Compute calls the speed of light. */
export const mostOf = ({ throughput }: KernelView, group: KernelThroughput['group']): number | null =>
  throughput
    .filter((unit) => unit.group === group)
    .reduce<number | null>((most, { percent }) => Math.max(most ?? 0, percent), null);
