/** The recording: what to believe of it, what it adds up to, and its timeline. */
import type { GpuActivity, SelectionSummary } from '../../../model/event-queries.ts';
import { formatBytes, formatNumber, formatPercent, formatTime } from '../../../model/format.ts';
import type { Trace } from '../../../trace/trace.ts';
import { failuresInWords } from '../../../trace/failures.ts';
import { code, type Block, type Line, type Section } from '../document.ts';
import { shortened } from '../text.ts';
import { timelinePicture } from '../timeline-picture.ts';

/** From the first event on where the recording started long before it: what all figures and the timeline are about. */
export function rangeOf({ info: { firstEventNs, durationNs } }: Trace): { fromNs: number; toNs: number } {
  return { fromNs: firstEventNs > durationNs / 50 ? firstEventNs : 0, toNs: durationNs };
}

export function headBlocks(trace: Trace, summary: SelectionSummary): Block[] {
  const { notices } = trace.info;
  const blocks: Block[] = [{ type: 'figures', figures: figuresOf(trace, summary) }];
  if (notices.length > 0) blocks.push({ type: 'notices', lines: notices.map((notice) => [notice]) });
  return blocks;
}

export function recordingSection(trace: Trace, fileName: string): Section {
  const { info, facts } = trace;
  const rows: [string, Line][] = [
    ['File', [code(fileName)]],
    ['Program', [code([info.program, ...facts.arguments].filter((word) => word !== '').join(' ') || 'not known')]],
    ['GPU', [gpuWords(trace)]],
    ['Events', [formatNumber(info.eventCount)]],
    ['Exit code', [info.exitCode === null ? 'not known' : String(info.exitCode)]],
  ];
  if (info.failures.length > 0) rows.push(['Failed', [{ text: failuresInWords(info.failures), is: 'bad' }]]);
  if (facts.engineVersion !== '') rows.push(['Recorded by', [`Simsight ${facts.engineVersion}, on a simulated GPU`]]);
  const sources = trace.sources();
  if (sources.length > 0) rows.push(['Sources', [sources.map(({ path }) => path).join(', ')]]);
  const blocks: Block[] = [
    { type: 'facts', facts: rows.filter(([, line]) => line[0] !== '').map(([name, line]) => ({ name, line })) },
  ];
  return { id: 'recording', title: ['What was recorded'], blocks };
}

function gpuWords({ info, facts: { gpu } }: Trace): string {
  if (!gpu) return info.gpu;
  const { core, memory } = gpu;
  const bandwidth = `${formatNumber(Math.round(memory.bandwidth / 1e9))} GB/s`;
  return `${info.gpu}: ${core.smCount} SMs at ${formatNumber(core.smClockMhz)} MHz, ${formatBytes(memory.capacityBytes)} at ${bandwidth}`;
}

type Figures = Extract<Block, { type: 'figures' }>['figures'];

function figuresOf(trace: Trace, { gpus, groups }: SelectionSummary): Figures {
  const { fromNs, toNs } = rangeOf(trace);
  const count = (kind: string): number =>
    groups.filter((group) => group.kind === kind).reduce((sum, group) => sum + group.count, 0);
  const figures: Figures = [
    {
      name: 'Duration',
      value: formatTime(toNs - fromNs),
      note: fromNs > 0 ? `from the first event, at ${formatTime(fromNs)}` : `${formatNumber(count('api'))} API calls`,
    },
  ];
  for (const gpu of gpus.slice(0, 1)) figures.push(...gpuFigures(gpu, toNs - fromNs, count('kernel'), gpus.length > 1));
  return figures;
}

function gpuFigures(gpu: GpuActivity, rangeNs: number, launches: number, isOneOfSeveral: boolean): Figures {
  const { busyNs, kernelNs, copyNs, overlapNs, gaps } = gpu;
  const share = (ns: number, of: number): string => (of > 0 ? formatPercent((100 * ns) / of) : '0 %');
  return [
    {
      name: isOneOfSeveral ? `${gpu.title} busy` : 'GPU busy',
      value: share(busyNs, rangeNs),
      note: `${formatTime(busyNs)} with kernels, copies or fills`,
    },
    {
      name: 'Kernels',
      value: formatTime(kernelNs),
      note: `${formatNumber(launches)} launches${isOneOfSeveral ? ' on all GPUs' : ''}`,
    },
    { name: 'Copies', value: formatTime(copyNs), note: copiesNote(gpu) },
    {
      name: 'Copies under kernels',
      value: copyNs > 0 ? share(overlapNs, copyNs) : '–',
      note: copyNs > 0 ? `${formatTime(overlapNs)} of ${formatTime(copyNs)} hidden` : 'nothing is copied',
    },
    {
      name: 'Gaps',
      value: share(gaps.totalNs, rangeNs),
      note:
        gaps.count > 0
          ? `${formatNumber(gaps.count)}, the longest ${formatTime(gaps.longestNs)} at ${formatTime(gaps.longestAtNs)}`
          : 'none',
    },
  ];
}

const copiesNote = ({ memory }: GpuActivity): string =>
  memory.length === 0 ? 'none' : `${formatBytes(memory.reduce((sum, { bytes }) => sum + bytes, 0))} moved`;

/** null where nothing is to be drawn. */
export function timelineSection(trace: Trace, { gpus, groups }: SelectionSummary): Section | null {
  const timeline = timelinePicture(trace, groups, rangeOf(trace));
  if (!timeline) return null;
  const blocks: Block[] = [{ type: 'picture', picture: timeline.picture }];
  if (timeline.rowsLeftOut > 0)
    blocks.push({ type: 'text', line: [`The ${timeline.rowsLeftOut} least busy rows are not shown.`] });
  if (gpus.length > 1) blocks.push(gpuTable(busiest(gpus)));
  if (gpus.length > mostGpus)
    blocks.push({ type: 'text', line: [`${gpus.length - mostGpus} more GPUs were less busy, and are not listed.`] });
  return { id: 'timeline', title: ['Timeline'], blocks };
}

/** Most GPUs shown, as many as the largest machines have; a file can name any number. */
const mostGpus = 72;

/** Busiest GPUs, in their order. */
function busiest(gpus: readonly GpuActivity[]): readonly GpuActivity[] {
  if (gpus.length <= mostGpus) return gpus;
  const kept = new Set([...gpus].sort((a, b) => b.busyNs - a.busyNs).slice(0, mostGpus));
  return gpus.filter((gpu) => kept.has(gpu));
}

function gpuTable(gpus: readonly GpuActivity[]): Block {
  const number = (name: string) => ({ name, isNumber: true });
  return {
    type: 'table',
    columns: [{ name: 'GPU' }, ...['Busy', 'Kernels', 'Copies', 'Copies under kernels', 'Longest gap'].map(number)],
    rows: gpus.map(({ title, busyNs, kernelNs, copyNs, overlapNs, gaps }) => [
      [shortened(title, 80)],
      ...[busyNs, kernelNs, copyNs, overlapNs, gaps.longestNs].map((ns): Line => [formatTime(ns)]),
    ]),
  };
}
