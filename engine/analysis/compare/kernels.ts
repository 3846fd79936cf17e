/**
 * Two launches beside each other: counters, what warps did, the roofline, and how the heat of source lines changed. All of it comes from
 * the pages of the two kernels.
 */
import { basename } from 'node:path';
import type {
  CompareLaunch,
  CompareLine,
  CompareMetric,
  CompareStall,
  KernelComparison,
} from '../../model/comparison.ts';
import type { KernelPlace, KernelView } from '../../model/kernel-view.ts';
import type { Trace } from '../../trace/trace.ts';
import { latencyBound } from '../adviser/thresholds.ts';
import { kernelView } from '../kernel-view.ts';
import { explainKernel } from './explain-kernel.ts';
import { sameLines } from './source-lines.ts';

/** `row`: of the kernel in its table. Throws `bad-request` where there is none. */
export function compareKernels(
  before: { trace: Trace; row: number },
  after: { trace: Trace; row: number },
): KernelComparison {
  const [was, is] = [kernelView(before.trace, before.row), kernelView(after.trace, after.row)];
  const compared = {
    ...{ before: launchOf(was), after: launchOf(is), metrics: metricsOf(was, is) },
    ...{ stalls: stallsOf(was, is), lines: linesOf(was, is) },
  };
  return { ...compared, explanation: explainKernel(compared) };
}

const launchOf = (view: KernelView): CompareLaunch => ({
  ...{ row: view.row, name: view.fullName, gpu: view.gpu?.name ?? '', durationNs: view.durationNs },
  ...{ grid: view.grid, block: view.block, occupancyPercent: view.occupancy?.percent ?? null },
  ...{ limiter: limiterOf(view), throughput: view.throughput, roofline: view.roofline },
});

const heldUpBy: Record<NonNullable<KernelView['heldUp']>['by'], string> = {
  l2: 'the throughput of L2',
  dram: 'the bandwidth of DRAM',
  nvlink: 'NVLink',
  'host-link': 'the link to the host',
  dispatch: 'how fast blocks are dispatched',
  atomics: 'atomics in L2',
  'atomics-on-one-place': 'atomics on one place',
};
const units: Record<string, string> = {
  'Issue slots': 'instruction issue',
  'L1 data': 'the data stage of L1 and shared memory',
  L2: 'the throughput of L2',
  DRAM: 'the bandwidth of DRAM',
};

/**
 * The limiter: what belongs to the whole GPU, where that decided; else the busiest unit, from Nsight Compute's 60 % on; else what its warps
 * waited for most.
 */
function limiterOf({ heldUp, throughput, stalls }: KernelView): string | null {
  if (heldUp) return heldUpBy[heldUp.by];
  const [busiest] = [...throughput].sort((a, b) => b.percent - a.percent);
  if (busiest && busiest.percent >= 100 * latencyBound)
    return `${units[busiest.name] ?? `the ${busiest.name}`} (${Math.round(Math.min(100, busiest.percent))} % of its peak)`;
  const [longest] = stalls.filter(({ state }) => state !== 'Selected');
  return longest ? `latency: warps wait in ${longest.state} for ${Math.round(longest.percent)} % of their time` : null;
}

function metricsOf(before: KernelView, after: KernelView): CompareMetric[] {
  const [was, is] = [before, after].map(({ metrics }) => new Map(metrics.map(({ metric, value }) => [metric, value])));
  return [...new Set([...was!.keys(), ...is!.keys()])].map((metric) => ({
    ...{ metric, before: was!.get(metric) ?? null, after: is!.get(metric) ?? null },
  }));
}

function stallsOf(before: KernelView, after: KernelView): CompareStall[] {
  if (before.stalls.length === 0 || after.stalls.length === 0) return [];
  const of = ({ stalls }: KernelView, state: string): number =>
    stalls.find((each) => each.state === state)?.percent ?? 0;
  const states = [...new Set([...before.stalls, ...after.stalls].map(({ state }) => state))];
  return states
    .map((state) => {
      const [beforePercent, afterPercent] = [of(before, state), of(after, state)];
      return { state, beforePercent, afterPercent, difference: afterPercent - beforePercent };
    })
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || (a.state < b.state ? -1 : 1));
}

interface Heat {
  file: string | null;
  line: number | null;
  share: number;
}

function linesOf(before: KernelView, after: KernelView): CompareLine[] {
  const [was, is] = [heatOf(before), heatOf(after)];
  if (was.length === 0 || is.length === 0) return [];
  const moved = movedLines(before, after);
  const key = (file: string | null, line: number | null): string => `${file}\n${line}`;
  const left = new Map(is.map((heat) => [key(heat.file, heat.line), heat]));
  const texts = { before: textsOf(before), after: textsOf(after) };
  const made = (from: Heat | null, to: Heat | null, at?: { file: string; line: number } | null): CompareLine => {
    const [beforeShare, afterShare] = [from?.share ?? 0, to?.share ?? 0];
    const [beforeNs, afterNs] = [beforeShare * before.durationNs, afterShare * after.durationNs];
    return {
      ...{ beforeFile: from?.file ?? null, beforeLine: from?.line ?? null },
      ...{ afterFile: to?.file ?? at?.file ?? null, afterLine: to?.line ?? at?.line ?? null },
      text: (to ? texts.after(to.file, to.line) : from && texts.before(from.file, from.line)) ?? null,
      ...{ beforePercent: 100 * beforeShare, afterPercent: 100 * afterShare },
      ...{ beforeNs, afterNs, differenceNs: afterNs - beforeNs },
    };
  };
  const lines = was.map((heat) => {
    const at = heat.file === null || heat.line === null ? null : moved(heat.file, heat.line);
    const to = left.get(at ? key(at.file, at.line) : heat.file === null ? key(null, null) : '') ?? null;
    if (to) left.delete(key(to.file, to.line));
    return made(heat, to, at);
  });
  lines.push(...[...left.values()].map((heat) => made(null, heat)));
  return lines.sort(
    (a, b) => Math.abs(b.differenceNs) - Math.abs(a.differenceNs) || (a.afterLine ?? 0) - (b.afterLine ?? 0),
  );
}

/** Shares of the kernel's warp-cycles. */
function heatOf({ lines }: KernelView): Heat[] {
  const cyclesOf = ({ states }: KernelPlace): number => states.reduce((sum, [, cycles]) => sum + cycles, 0);
  const all = lines.reduce((sum, line) => sum + cyclesOf(line), 0);
  return all === 0 ? [] : lines.map((line) => ({ file: line.file, line: line.line, share: cyclesOf(line) / all }));
}

/** Sources by the last part of their path, as instructions name those of other folders. */
const sourcesOf = ({ sources }: KernelView): Map<string, string[]> =>
  new Map(sources.map(({ path, text }) => [basename(path), text.split('\n')]));

function textsOf(view: KernelView): (file: string | null, line: number | null) => string | undefined {
  const sources = sourcesOf(view);
  return (file, line) => (file === null || line === null ? undefined : sources.get(basename(file))?.[line - 1]?.trim());
}

/** Maps lines of the version before to the version after; files of which the traces do not have the text stay as they are. */
function movedLines(
  before: KernelView,
  after: KernelView,
): (file: string, line: number) => { file: string; line: number } | null {
  const [was, is] = [sourcesOf(before), sourcesOf(after)];
  // A program of one file each is the same program, whatever the file is called.
  const only = was.size === 1 && is.size === 1 ? [...is.keys()][0]! : null;
  const known = new Map<string, { file: string; lines: Int32Array }>();
  return (file, line) => {
    const name = basename(file);
    const own = was.get(name);
    const other = is.has(name) ? name : only;
    if (!own || other === null) return { file, line };
    let same = known.get(name);
    if (!same) {
      // The file's name as instructions of the other trace have it.
      const full = after.lines.find((each) => each.file !== null && basename(each.file) === other)?.file ?? other;
      known.set(name, (same = { file: full, lines: sameLines(own, is.get(other)!) }));
    }
    const to = same.lines[line - 1];
    return to === undefined || to < 0 ? null : { file: same.file, line: to + 1 };
  };
}
