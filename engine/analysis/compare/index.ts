/**
 * Two traces side by side: what belongs together, how long each thing took, where both are laid one on the other, what contributed to the
 * change of the time that somebody waits, and whether that is better, worse or cannot be told.
 *
 *   const { judgement, rows, waterfall, explanation } = compareTraces(before, after, { pairs: [['naive', 'tiled']] });
 *
 * Each question has a file here. Results are plain data; the same traces give the same.
 */
import {
  mostCompareRows,
  type CompareAlign,
  type CompareKernelPair,
  type CompareRow,
  type CompareSide,
  type CompareSteps,
  type Comparison,
  type KernelPair,
} from '../../model/comparison.ts';
import { timedOnlyMetric } from '../../model/metric-names.ts';
import type { Trace } from '../../trace/trace.ts';
import { capturedWork } from './captured.ts';
import { eventsOf, pathSeparator } from './events.ts';
import { explain } from './explain.ts';
import { judge, usualThreshold } from './judge.ts';
import { compareKernels } from './kernels.ts';
import { kernelPairsOf, kernelsToMatch } from './kernel-pairs.ts';
import { matchEqual, matchKernels, matchRanges, type NamePair } from './match.ts';
import { modelErrorOf } from './model-error.ts';
import type { FoundSteps, Step } from './steps.ts';
import { byChange, named, rowsOf, samplesOf } from './tables.ts';
import { noiseFloor, timesOf } from './times.ts';
import { emptyEndsNs, totalsOf } from './totals.ts';
import { spanOf, waterfallOf, type Window } from './waterfall.ts';
import { alignedWindows, type Side } from './window.ts';

export interface CompareOptions {
  /** Kernels that are the same although they are called otherwise. */
  pairs?: readonly KernelPair[] | undefined;
  align?: CompareAlign | undefined;
  /** The trace after is drawn as long as the one before. */
  scaled?: boolean | undefined;
  /** The change that counts, as a share of the time before. */
  threshold?: number | undefined;
}

/** Kernels that are explained by their counters. */
const mostExplained = 3;
/** The least share of the changes of all kernels. */
const leastExplained = 0.1;

/** Throws `bad-request` where a trace has no such range, step or event to align by. */
export function compareTraces(before: Trace, after: Trace, options: CompareOptions = {}): Comparison {
  const [was, is] = [sideOf(before), sideOf(after)];
  return compareSides(was, is, options);
}

const timedOnlyOf = (trace: Trace): number =>
  Number(
    trace.query(
      `SELECT count(*) FROM SIMSIGHT_KERNEL_METRICS WHERE nameId = (SELECT id FROM StringIds WHERE value = '${timedOnlyMetric}')`,
    )[0]![0],
  );

/** Read once for several comparisons: of a ladder each trace is in two or three. */
export const sideOf = (trace: Trace): Side => ({ trace, events: eventsOf(trace) });

export function compareSides(was: Side, is: Side, options: CompareOptions = {}): Comparison {
  const { pairs = [], align, scaled = false, threshold = usualThreshold } = options;
  const aligned = alignedWindows(was, is, align, scaled);
  const windows = { before: aligned.before, after: aligned.after };
  const isSimulated = { before: isSimulation(was.trace), after: isSimulation(is.trace) };
  const isMeasured = !isSimulated.before || !isSimulated.after;

  const kernelNames = matchKernels(kernelsToMatch(was), kernelsToMatch(is), pairs);
  const rowsBy = (kind: 'kernel' | 'copy' | 'memset' | 'api', names: readonly NamePair[]): CompareRow[] => {
    const of = ({ events }: Side, window: Window) => {
      const own = events[tableOf[kind]];
      return samplesOf(own, own.names, own.list, window);
    };
    return rowsOf(kind, names, of(was, windows.before), of(is, windows.after), isMeasured);
  };
  const equal = (kind: 'copy' | 'memset' | 'api'): NamePair[] =>
    matchEqual(was.events[tableOf[kind]].list, is.events[tableOf[kind]].list);
  const kernelRows = named(rowsBy('kernel', kernelNames));
  const others = (['copy', 'memset', 'api'] as const).flatMap((kind) => rowsBy(kind, equal(kind)));
  const all = [...kernelRows, ...others, ...rangeRows(was, is, windows, isMeasured)].sort(byChange);
  const shown = all.slice(0, mostCompareRows);

  const totals = totalsOf(was, is, windows);
  const steps = aligned.steps && stepsOf(aligned.steps, isMeasured);
  const waterfall = waterfallOf(was.events, is.events, windows, kernelNames);
  const windowNs = { before: spanOf(windows.before), after: spanOf(windows.after) };
  const judgement = judge({
    ...{ windowNs, isSimulated, threshold, matched: matchedOf(kernelRows, others) },
    // A part of the program is judged by its own time.
    steps: steps && aligned.steps && isWhole(align) ? { ...steps, ...spansOf(aligned.steps) } : null,
    ...{ untilDoneNs: aligned.untilDoneNs, kernelsNs: totals.kernelsNs, busyNs: totals.busyNs },
    emptyEndsNs: { before: emptyEndsNs(was, windows.before), after: emptyEndsNs(is, windows.after) },
    captured: capturedWork(kernelRows),
    timedOnly: { before: timedOnlyOf(was.trace), after: timedOnlyOf(is.trace) },
    isComplete: { before: was.trace.facts.complete, after: is.trace.facts.complete },
    gpus: { before: was.trace.info.gpu, after: is.trace.info.gpu },
  });
  const kernelPairs = kernelPairsOf(was, is, kernelNames);
  const modelError = modelErrorOf(kernelRows, isSimulated);
  const explanation = explain({
    ...{ judgement, windowNs, waterfall, kernelRows, modelError },
    stepName: steps?.name ?? null,
    kernels: explainedKernels(was.trace, is.trace, kernelRows, kernelPairs),
  });
  return {
    before: headOf(was.trace, windows.before),
    after: headOf(is.trace, windows.after),
    rows: [...totals.rows, ...shown],
    rowsLeftOut: all.length - shown.length,
    kernels: kernelPairs,
    ...{ align: aligned.align, steps, waterfall, judgement, explanation, modelError },
  };
}

const isWhole = (align: CompareAlign | undefined): boolean =>
  align === undefined || (align.by !== 'range' && !(align.by === 'steps' && align.number !== undefined));

const tableOf = { kernel: 'kernels', copy: 'copies', memset: 'memsets', api: 'calls' } as const;
const isSimulation = ({ facts }: Trace): boolean => facts.engineVersion !== '';

const headOf = ({ path, info, facts }: Trace, window: Window): CompareSide => ({
  ...{ path, title: info.title, gpu: info.gpu, durationNs: info.durationNs },
  ...{ isSimulated: facts.engineVersion !== '', window },
});

function rangeRows(
  { events: { ranges: was } }: Side,
  { events: { ranges: is } }: Side,
  windows: { before: Window; after: Window },
  isMeasured: boolean,
): CompareRow[] {
  const textOf = (path: string): string => path.split(pathSeparator).at(-1)!;
  const before = samplesOf(was, was.path, was.paths, windows.before);
  const after = samplesOf(is, is.path, is.paths, windows.after);
  // Ranges that are not in the window have nothing to be matched with.
  return rowsOf('range', matchRanges([...before.keys()], [...after.keys()], textOf), before, after, isMeasured);
}

function stepsOf({ name, before, after }: FoundSteps, isMeasured: boolean): CompareSteps {
  const sample = (steps: readonly Step[]) => timesOf(Float64Array.from(steps, ({ durationNs }) => durationNs));
  const [was, is] = [sample(before), sample(after)];
  return {
    ...{ name, before: was.times, after: is.times, beforeSteps: before, afterSteps: after },
    ratio: is.times.medianNs / was.times.medianNs,
    noiseNs: noiseFloor(was, is, isMeasured),
  };
}

function spansOf({ before, after, outlastHost }: FoundSteps) {
  const span = (steps: readonly Step[]): number => {
    const [first, last] = [steps[0]!, steps.at(-1)!];
    return last.startNs + last.durationNs - first.startNs;
  };
  return { spanNs: { before: span(before), after: span(after) }, outlastHost };
}

/** The share of the time of kernels that has a partner; without any kernel, of copies and fills. */
function matchedOf(
  kernels: readonly CompareRow[],
  others: readonly CompareRow[],
): { before: number | null; after: number | null } {
  const rows = kernels.length > 0 ? kernels : others.filter(({ kind }) => kind !== 'api');
  const share = (side: 'beforeNs' | 'afterNs'): number | null => {
    const all = rows.reduce((sum, row) => sum + row[side], 0);
    if (all === 0) return null;
    return rows.reduce((sum, row) => sum + (row.before && row.after ? row[side] : 0), 0) / all;
  };
  return { before: share('beforeNs'), after: share('afterNs') };
}

function explainedKernels(
  before: Trace,
  after: Trace,
  rows: readonly CompareRow[],
  pairs: readonly CompareKernelPair[],
) {
  const most = [...rows]
    .sort(byChange)
    .filter((row) => row.share >= leastExplained)
    .slice(0, mostExplained);
  return most.flatMap(({ name, beforeName, afterName }) => {
    const pair = pairs.find((each) => each.beforeName === beforeName && each.afterName === afterName);
    const launch = pair?.hasCounters ? pair.launches[0] : undefined;
    if (!launch) return [];
    const comparison = compareKernels(
      { trace: before, row: launch.before.row },
      { trace: after, row: launch.after.row },
    );
    return [{ name, comparison }];
  });
}
