/**
 * Iterations of a program, by its ranges. Steps are ranges of one thread, called the same but for a number, that follow each other:
 * PyTorch's `ProfilerStep#7`, `step 12`, or a text that repeats. Unless somebody names them they have to be at least three on both
 * sides, cover nine tenths of the time from the first to the last of them, and half of the trace: what repeats within a step does
 * neither.
 */
import type { Ranges } from './events.ts';
import { stepName } from './names.ts';

export interface Step {
  startNs: number;
  durationNs: number;
}
export interface FoundSteps {
  name: string;
  before: Step[];
  after: Step[];
}

const fewest = 3;
const leastCovered = 0.9;
const leastOfTrace = 0.5;

interface Candidate {
  steps: Step[];
  /** Of the time from the first to the last. */
  covered: number;
  spanNs: number;
  overlaps: boolean;
}

/** null where neither program has any, or one of them. `wallNs`: of each trace. */
export function findSteps(
  before: Ranges,
  after: Ranges,
  wallNs: { before: number; after: number },
  name?: string,
): FoundSteps | null {
  const [was, is] = [candidatesOf(before, name), candidatesOf(after, name)];
  let best: (FoundSteps & { coveredNs: number }) | null = null;
  for (const [each, own] of was) {
    const other = is.get(each);
    if (!other || own.overlaps || other.overlaps) continue;
    const isGood = name !== undefined || (isLikely(own, wallNs.before) && isLikely(other, wallNs.after));
    const coveredNs = own.covered * own.spanNs;
    // Of ranges within each other the outer one.
    if (isGood && (!best || coveredNs > best.coveredNs))
      best = { name: each, before: own.steps, after: other.steps, coveredNs };
  }
  return best && { name: best.name, before: best.before, after: best.after };
}

const isLikely = ({ steps, covered, spanNs }: Candidate, wallNs: number): boolean =>
  steps.length >= fewest && covered >= leastCovered && spanNs >= leastOfTrace * wallNs;

/** Of each name those of the thread that has most of them. */
function candidatesOf(ranges: Ranges, asked: string | undefined): Map<string, Candidate> {
  const { count, starts, ends, names, threads, list, texts } = ranges;
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
  const found = new Map<string, { stem: number; steps: Step[]; endNs: number; sumNs: number; overlaps: boolean }>();
  for (let i = 0; i < count; i++) {
    const stem = stemOf[names[i]!]!;
    if (wanted[stem] === 0 || ends[i] === starts[i]) continue;
    const key = `${stem} ${threads[i]}`;
    let own = found.get(key);
    if (!own) found.set(key, (own = { stem, steps: [], endNs: 0, sumNs: 0, overlaps: false }));
    if (own.overlaps) continue;
    if (starts[i]! < own.endNs) own.overlaps = true;
    own.endNs = ends[i]!;
    own.sumNs += ends[i]! - starts[i]!;
    own.steps.push({ startNs: starts[i]!, durationNs: ends[i]! - starts[i]! });
  }
  const stemList = [...stemNumbers.keys()];
  const byName = new Map<string, Candidate>();
  for (const { stem, steps, endNs, sumNs, overlaps } of found.values()) {
    const name = stemList[stem]!;
    const spanNs = endNs - steps[0]!.startNs;
    const known = byName.get(name);
    if (known && known.steps.length >= steps.length) continue;
    byName.set(name, { steps, covered: spanNs > 0 ? sumNs / spanNs : 0, spanNs, overlaps });
  }
  return byName;
}
