/**
 * Iterations of a program, by its ranges. Steps are ranges of one thread, called the same but for a number, that follow each other:
 * PyTorch's `ProfilerStep#7`, `step 12`, or a text that repeats. Unless somebody names them they have to be at least three on both
 * sides, cover nine tenths of the time from the first to the last of them, and half of the trace: what repeats within a step does
 * neither. They are the program's own ranges, not functions or operators, and alike: where the median stands for less than half of
 * their time, most of the time is that of a few others, of which it says nothing.
 *
 * A step lasts until the work of GPUs that is called for in it is done, and begins when that of the one before is: the host of a
 * program that does not wait runs ahead, and its ranges are as long as before however long the GPU takes.
 */
import { doneAt, type CalledWork } from './called-work.ts';
import type { Ranges } from './events.ts';
import { quantile } from '../benchmark.ts';
import { stepName } from './names.ts';

export interface Step {
  startNs: number;
  durationNs: number;
}
export interface FoundSteps {
  name: string;
  before: Step[];
  after: Step[];
  /** True if work goes on after the host's range of a step, in either trace. */
  outlastHost: boolean;
}
/** The ranges of a trace, what GPUs were asked for, and how long it is. */
export interface StepSource {
  ranges: Ranges;
  work: () => CalledWork;
  wallNs: number;
}

const fewest = 3;
const leastCovered = 0.9;
const leastOfTrace = 0.5;
/** The least share of the time of the steps that the median, as often as there are steps, has to be. */
const leastAlike = 0.5;

interface Candidate {
  steps: Step[];
  /** The share of the time from the first to the last. */
  covered: number;
  spanNs: number;
  overlaps: boolean;
  isOfProgram: boolean;
}

/** null where neither program has any, or one of them. */
export function findSteps(before: StepSource, after: StepSource, name?: string): FoundSteps | null {
  const [was, is] = [candidatesOf(before.ranges, name), candidatesOf(after.ranges, name)];
  let best: { name: string; before: Step[]; after: Step[]; coveredNs: number } | null = null;
  for (const [each, own] of was) {
    const other = is.get(each);
    if (!other || own.overlaps || other.overlaps) continue;
    const isGood = name !== undefined || (isLikely(own, before.wallNs) && isLikely(other, after.wallNs));
    const coveredNs = own.covered * own.spanNs;
    // The outer one of ranges within each other.
    if (isGood && (!best || coveredNs > best.coveredNs))
      best = { name: each, before: own.steps, after: other.steps, coveredNs };
  }
  if (!best) return null;
  const [a, b] = [untilDone(best.before, before.work()), untilDone(best.after, after.work())];
  return { name: best.name, before: a.steps, after: b.steps, outlastHost: a.outlastHost || b.outlastHost };
}

const isLikely = (candidate: Candidate, wallNs: number): boolean =>
  candidate.isOfProgram &&
  candidate.steps.length >= fewest &&
  candidate.covered >= leastCovered &&
  candidate.spanNs >= leastOfTrace * wallNs &&
  areAlike(candidate.steps);

function areAlike(steps: readonly Step[]): boolean {
  const durations = Float64Array.from(steps, ({ durationNs }) => durationNs).sort();
  const total = durations.reduce((sum, each) => sum + each, 0);
  return quantile(durations, 0.5) * durations.length >= leastAlike * total;
}

/** Where work is not done in the order of its steps, as that of a kernel that stays for several, the host's ranges are all there is. */
function untilDone(host: readonly Step[], work: CalledWork): { steps: Step[]; outlastHost: boolean } {
  const steps: Step[] = [];
  let [done, outlastHost] = [-Infinity, false];
  for (const [i, { startNs, durationNs }] of host.entries()) {
    const endNs = startNs + durationNs;
    // Between two steps the host may go on asking.
    const next = host[i + 1];
    const until = Math.max(endNs, doneAt(work, startNs, next ? next.startNs : endNs + 1));
    const from = Math.max(startNs, done);
    if (until <= from) return { steps: [...host], outlastHost: false };
    outlastHost ||= until > endNs;
    steps.push({ startNs: from, durationNs: until - from });
    done = until;
  }
  return { steps, outlastHost };
}

interface Found {
  stem: number;
  steps: Step[];
  endNs: number;
  sumNs: number;
  overlaps: boolean;
  isOfProgram: boolean;
}

/** The ranges of each name, of the thread that has most of them. */
function candidatesOf(ranges: Ranges, asked: string | undefined): Map<string, Candidate> {
  const { count, starts, ends, names, threads, list, texts, areOfProgram } = ranges;
  // Numbers that are left out already (`#`) and those at the end of texts.
  const stems = list.map((name, i) => (name.endsWith('#') ? name : stepName(texts[i]!)));
  const stemNumbers = new Map<string, number>();
  const stemOf = Uint32Array.from(stems, (stem) => {
    let number = stemNumbers.get(stem);
    if (number === undefined) stemNumbers.set(stem, (number = stemNumbers.size));
    return number;
  });
  const isAsked = (stem: string): boolean => asked === undefined || stem === asked || stem === stepName(asked);
  const wanted = Uint8Array.from(stemNumbers.keys(), (stem) => Number(isAsked(stem)));
  const found = new Map<string, Found>();
  for (let i = 0; i < count; i++) {
    const stem = stemOf[names[i]!]!;
    if (wanted[stem] === 0 || ends[i] === starts[i]) continue;
    const key = `${stem} ${threads[i]}`;
    let own = found.get(key);
    const isOfProgram = areOfProgram[names[i]!]!;
    if (!own) found.set(key, (own = { stem, steps: [], endNs: 0, sumNs: 0, overlaps: false, isOfProgram }));
    if (own.overlaps) continue;
    if (starts[i]! < own.endNs) own.overlaps = true;
    own.endNs = ends[i]!;
    own.sumNs += ends[i]! - starts[i]!;
    own.steps.push({ startNs: starts[i]!, durationNs: ends[i]! - starts[i]! });
  }
  const stemList = [...stemNumbers.keys()];
  const byName = new Map<string, Candidate>();
  for (const { stem, steps, endNs, sumNs, ...more } of found.values()) {
    const name = stemList[stem]!;
    const spanNs = endNs - steps[0]!.startNs;
    const known = byName.get(name);
    if (known && known.steps.length >= steps.length) continue;
    byName.set(name, { steps, covered: spanNs > 0 ? sumNs / spanNs : 0, spanNs, ...more });
  }
  return byName;
}
