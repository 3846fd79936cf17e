/** Kernels by their time, and of those with the most time: how they were launched, what they reached, and what they waited for. */
import { formatFlops, pointsOf } from '../../../model/roofline-points.ts';
import { isTimedByMeasurement, timedByMeasurement, type KernelView } from '../../../model/kernel-view.ts';
import { formatBytes, formatNumber, formatPercent, formatTime } from '../../../model/format.ts';
import type { Trace } from '../../../trace/trace.ts';
import { benchmarkOf, sentenceOf } from '../../benchmark.ts';
import { num } from '../../columns.ts';
import { kernelView } from '../../kernel-view.ts';
import { nameById } from '../../name-by-id.ts';
import { code, quiet, strong, type Bar, type Block, type Line, type Section } from '../document.ts';
import { bandwidthOf, mainPrecision, rooflinePicture } from '../roofline-picture.ts';
import { shortened } from '../text.ts';

/** So many kernels have a section of their own. */
export const mostKernels = 5;
const mostRows = 20;
const mostStalls = 6;
const mostLines = 8;
/** The least share of all warp-cycles that is shown. */
const leastShare = 0.005;
/** The least runs for which a median is given. */
const leastRuns = 3;
const longName = { inTable: 110, inSection: 1500 } as const;

interface Launch {
  row: number;
  durationNs: number;
  /** The shape of grid and blocks: launches of another shape do other work. */
  shape: string;
}
export interface KernelGroup {
  /** Empty where it has no section. */
  anchor: string;
  fullName: string;
  name: string;
  /** Their rows, in order of time. */
  launches: Launch[];
  totalNs: number;
}

/** Kernels by full name, the most time first. */
export function kernelGroups(trace: Trace): KernelGroup[] {
  const rows = trace.query(
    `SELECT k.rowid, k.demangledName, k.shortName, k.end - k.start,
       k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ, k.dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL k
     ORDER BY k.start, k.rowid`,
  );
  const nameOf = nameById(trace);
  const groups = new Map<string, KernelGroup>();
  for (const [row, fullId, shortId, duration, ...shape] of rows) {
    const [full, short] = [nameOf(fullId), nameOf(shortId)];
    const fullName = full ?? short ?? '';
    let group = groups.get(fullName);
    if (!group) {
      group = { anchor: '', fullName, name: short ?? fullName, launches: [], totalNs: 0 };
      groups.set(fullName, group);
    }
    group.launches.push({ row: num(row), durationNs: num(duration), shape: shape.join(' ') });
    group.totalNs += num(duration);
  }
  const sorted = [...groups.values()].sort((a, b) => b.totalNs - a.totalNs || (a.fullName < b.fullName ? -1 : 1));
  sorted.slice(0, mostKernels).forEach((group, i) => (group.anchor = `kernel-${i + 1}`));
  return sorted;
}

/** null where no kernel ran. */
export function kernelSection(trace: Trace, groups: readonly KernelGroup[]): Section | null {
  if (groups.length === 0) return null;
  const shown = groups.filter(({ anchor }) => anchor !== '');
  const blocks: Block[] = [tableOf(groups)];
  if (groups.length > mostRows)
    blocks.push({ type: 'text', line: [`${groups.length - mostRows} more kernels took less time.`] });
  if (groups.length > shown.length) {
    const words = `The ${shown.length} of ${groups.length} kernels that took the most time follow one by one.`;
    blocks.push({ type: 'text', line: [words] });
  }
  return { id: 'kernels', title: ['Kernels'], blocks, sections: shown.map((group) => oneKernel(trace, group)) };
}

function tableOf(groups: readonly KernelGroup[]): Block {
  const all = groups.reduce((sum, { totalNs }) => sum + totalNs, 0);
  const number = (name: string) => ({ name, isNumber: true });
  return {
    type: 'table',
    columns: [...['Time', 'Total', 'Launches', 'Median', 'Shortest', 'Longest'].map(number), { name: 'Kernel' }],
    rows: groups.slice(0, mostRows).map(({ anchor, fullName, launches, totalNs }) => {
      const durations = launches.map(({ durationNs }) => durationNs);
      const { median, min, max } = benchmarkOf(durations, { warmUp: 0 });
      const name = shortened(fullName, longName.inTable);
      const cells = [formatPercent(all > 0 ? (100 * totalNs) / all : 0), formatTime(totalNs)];
      cells.push(formatNumber(launches.length), ...[median, min, max].map(formatTime));
      return [...cells.map((cell): Line => [cell]), [anchor === '' ? code(name) : { text: name, anchor }]];
    }),
  };
}

/** Shown by its longest launch. */
function oneKernel(trace: Trace, { anchor, fullName, name, launches, totalNs }: KernelGroup): Section {
  const longest = launches.reduce((most, each) => (each.durationNs > most.durationNs ? each : most));
  const view = kernelView(trace, longest.row);
  const blocks: Block[] = [
    { type: 'text', line: [code(shortened(fullName, longName.inSection))] },
    { type: 'facts', facts: factsOf(view, launches, launches.indexOf(longest)) },
    ...barsOf(view),
    ...rooflineOf(view, anchor),
    ...linesOf(view),
  ];
  if (view.metrics.length === 0 && view.instructions.length === 0)
    blocks.push({
      type: 'text',
      line: [quiet('The recording holds no counters of this kernel, and not what its warps did.')],
    });
  const title: Line = [shortened(name, 90), quiet(` · ${formatTime(totalNs)}`)];
  return { id: anchor, title, blocks };
}

const limiters: Record<NonNullable<KernelView['occupancy']>['limiter'], string> = {
  warps: 'warp slots',
  blocks: 'block slots',
  registers: 'registers',
  shared: 'shared memory',
};

function factsOf(view: KernelView, launches: KernelGroup['launches'], at: number) {
  const { grid, block, resources, occupancy, achievedOccupancyPercent, waves, tailBlocks, simulatedPercent } = view;
  const facts: { name: string; line: Line }[] = [];
  const add = (name: string, ...line: Piece[]): void => void facts.push({ name, line });
  const where = `at ${formatTime(view.startNs)} on stream ${view.streamId}`;
  const which = launches.length > 1 ? `launch ${at + 1} of ${formatNumber(launches.length)}, the longest: ` : '';
  add('Shown', `${which}${formatTime(view.durationNs)} ${where}`);
  const alike = launches.filter(({ shape }) => shape === launches[at]!.shape);
  if (alike.length >= leastRuns) {
    const benchmark = benchmarkOf(alike.map(({ durationNs }) => durationNs));
    const which = alike.length === launches.length ? '' : ` of ${formatNumber(alike.length)} launches of this shape`;
    const skipped = benchmark.warmUp > 0 ? `, without the first ${benchmark.warmUp}` : '';
    add('All launches', `${sentenceOf(benchmark, formatTime)}${which}${skipped}`);
  }
  add(
    'Launch',
    `${grid.join(' × ')} blocks of ${block.join(' × ')} threads, ${formatNumber(view.blocks)} blocks in all`,
  );
  const shared = `${formatBytes(resources.staticSharedBytes)} static and ${formatBytes(resources.dynamicSharedBytes)} dynamic`;
  add('Each block', `${resources.registersPerThread} registers per thread; shared memory: ${shared}`);
  if (occupancy) {
    const { percent, limiter, warpsPerSm, mostWarpsPerSm } = occupancy;
    const theory = `${formatPercent(percent)} (${warpsPerSm} of ${mostWarpsPerSm} warps), limited by ${limiters[limiter]}`;
    const reached = achievedOccupancyPercent === null ? '' : `; reached: ${formatPercent(achievedOccupancyPercent)}`;
    add('Occupancy', strong(theory), reached);
  }
  if (waves !== null) {
    const tail = tailBlocks ? `, the last of ${formatNumber(tailBlocks)} blocks` : '';
    add('Waves', `${formatNumber(Math.round(waves * 100) / 100)}${tail}`);
  }
  if (simulatedPercent !== null && simulatedPercent < 99.95)
    add('Simulated', `${formatPercent(simulatedPercent)} of an SM’s blocks; the rest is extrapolated`);
  if (isTimedByMeasurement(view)) add('Not simulated', timedByMeasurement);
  return facts;
}
type Piece = Line[number];

function barsOf({ throughput, stalls }: KernelView): Block[] {
  const blocks: Block[] = [];
  if (throughput.length > 0) {
    const bars = throughput
      .filter(({ achieved }) => achieved > 0)
      .map(({ group, name, percent, achieved, peak, unit }): Bar => ({
        ...{ label: [name], percent, colour: group },
        text:
          unit === 'bytes-per-second'
            ? `${formatPercent(percent)} · ${bandwidthOf(achieved)} of ${bandwidthOf(peak)}`
            : `${formatPercent(percent)} · ${formatNumber(achieved)} of ${formatNumber(peak)} per cycle`,
      }));
    blocks.push({ type: 'bars', title: 'Speed of light: of what the GPU can do', bars });
  }
  const waits = stalls.filter(({ state }) => state !== 'Selected').slice(0, mostStalls);
  if (waits.length > 0) {
    const bars = waits.map(({ state, percent, cyclesPerIssue }): Bar => {
      const each = cyclesPerIssue === null ? '' : ` · ${cyclesPerIssue.toFixed(2)} cycles per instruction`;
      return { label: [state], percent, text: `${formatPercent(percent)}${each}`, colour: 'stall' };
    });
    const issued = stalls.find(({ state }) => state === 'Selected');
    const rest = issued ? ` (issuing: ${formatPercent(issued.percent)})` : '';
    blocks.push({ type: 'bars', title: `What warps waited for, of all warp-cycles${rest}`, bars });
  }
  return blocks;
}

function rooflineOf({ roofline, name }: KernelView, anchor: string): Block[] {
  const precision = roofline && mainPrecision(roofline);
  if (!roofline || !precision) return [];
  const points = pointsOf(roofline, precision);
  if (points.length === 0) return [];
  const picture = rooflinePicture(roofline, precision, shortened(name, 60));
  const number = (title: string) => ({ name: title, isNumber: true });
  const bytesOf = (level: string): number => roofline.traffic.find((each) => each.level === level)?.bytes ?? 0;
  return [
    { type: 'picture', picture: { ...picture, name: `${anchor}-roofline` } },
    {
      type: 'table',
      columns: [
        { name: `Roofline, ${precision}` },
        ...['Moved', 'FLOP/byte', 'Reached', 'Roofs allow', 'Share'].map(number),
      ],
      rows: points.map(({ level, intensity, flopsPerSecond, limit, share }) => {
        const allowed = limit ? `${formatFlops(limit.flopsPerSecond)} (${limit.by})` : 'not known';
        const cells = [level, formatBytes(bytesOf(level)), intensity.toFixed(2), formatFlops(flopsPerSecond), allowed];
        return [...cells, share === null ? '' : formatPercent(100 * share)].map((cell): Line => [cell]);
      }),
    },
  ];
}

/** The lines of each file, by warp-cycles; in the order of the source. */
function linesOf({ lines, sources }: KernelView): Block[] {
  const cyclesOf = (line: KernelView['lines'][number]): number =>
    line.states.reduce((sum, [, cycles]) => sum + cycles, 0);
  const all = lines.reduce((sum, line) => sum + cyclesOf(line), 0);
  if (all === 0) return [];
  const hottest = lines
    .filter(({ file, line }) => file !== null && line !== null)
    .map((line) => ({ line, cycles: cyclesOf(line) }))
    .filter(({ cycles }) => cycles >= leastShare * all)
    .sort((a, b) => b.cycles - a.cycles)
    .slice(0, mostLines);
  const files = [...new Set(hottest.map(({ line }) => line.file!))];
  return files.map((file) => {
    const text = textOf(sources, file);
    const shown = hottest.filter(({ line }) => line.file === file).sort((a, b) => a.line.line! - b.line.line!);
    const codeOf = withoutIndent(shown.map(({ line }) => text[line.line! - 1] ?? ''));
    return {
      type: 'source',
      file: `Hottest lines of ${file}`,
      lines: shown.map(({ line, cycles }, i) => {
        const [most] = [...line.states].sort(([, a], [, b]) => b - a);
        return {
          line: line.line!,
          share: (100 * cycles) / all,
          mostly: most ? `${most[0]} ${Math.round((100 * most[1]) / cycles)} %` : '',
          text: shortened(codeOf[i]!, 160),
        };
      }),
    };
  });
}

/** Removes the indent that all of them begin with. */
function withoutIndent(lines: readonly string[]): string[] {
  const known = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  const indent = Math.min(...known.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.trimEnd().slice(Number.isFinite(indent) ? indent : 0));
}

/** Files are named by their path from the program's folder, those of profiles at times by their name alone. */
function textOf(sources: KernelView['sources'], file: string): string[] {
  const last = (path: string): string => path.split(/[\\/]/).at(-1)!;
  const found = sources.find(({ path }) => path === file) ?? sources.find(({ path }) => last(path) === last(file));
  return found?.text.split('\n') ?? [];
}
