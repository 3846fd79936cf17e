/** Kernels that belong together, and their launches. */
import type { CompareKernelPair, KernelPair } from '../../model/comparison.ts';
import type { EventRef } from '../../model/timeline.ts';
import type { Trace } from '../../trace/trace.ts';
import { configurationsOf, counterpartOf, matchLaunches } from './launches.ts';
import { matchKernels, type KernelsToMatch, type NamePair } from './match.ts';
import type { Side } from './window.ts';

/** Beyond them, those that took least time are left out. */
const mostPairs = 5000;
export function kernelPairsOf(was: Side, is: Side, names: readonly NamePair[]): CompareKernelPair[] {
  const [before, after] = [configurationsOf(was.trace), configurationsOf(is.trace)];
  const pairs = names.flatMap(({ before: beforeName, after: afterName, match }): CompareKernelPair[] => {
    if (beforeName === null || afterName === null) return [];
    const [own, other] = [before.get(beforeName) ?? [], after.get(afterName) ?? []];
    const launches = matchLaunches(own, other).slice(0, mostConfigurations);
    const hasCounters = own.some((shape) => shape.hasCounters) && other.some((shape) => shape.hasCounters);
    return [{ name: afterName, beforeName, afterName, match, launches, hasCounters }];
  });
  const timeOf = ({ launches }: CompareKernelPair): number =>
    launches.reduce((sum, each) => sum + each.before.totalNs + each.after.totalNs, 0);
  return pairs.sort((a, b) => timeOf(b) - timeOf(a) || (a.name < b.name ? -1 : 1)).slice(0, mostPairs);
}
/** The most configurations of one kernel; programs that launch each time with another grid have as many as launches. */
const mostConfigurations = 32;

export function kernelsToMatch({ trace, events: { kernels, shortNames } }: Side): KernelsToMatch {
  const counts = new Uint32Array(kernels.list.length);
  for (const name of kernels.names) counts[name]!++;
  return {
    program: trace.facts.program,
    kernels: kernels.list.map((name, i) => ({ name, short: shortNames.get(name) ?? name, count: counts[i]! })),
  };
}

/** The kernel of the other trace that did the same work; null where there is none. `side`: which trace `ref` is of. */
export function counterpart(
  before: Trace,
  after: Trace,
  side: 'before' | 'after',
  kernel: number,
  pairs: readonly KernelPair[] = [],
): EventRef | null {
  const [was, is] = [configurationsOf(before), configurationsOf(after)];
  const toMatch = (trace: Trace, shapes: typeof was): KernelsToMatch => ({
    program: trace.facts.program,
    kernels: [...shapes].map(([name, own]) => ({
      ...{ name, short: shortNameOf(trace, name) },
      count: own.reduce((sum, { count }) => sum + count, 0),
    })),
  });
  const names = matchKernels(toMatch(before, was), toMatch(after, is), pairs);
  const [trace, shapes] = side === 'before' ? [before, was] : [after, is];
  const [name] = trace
    .query(
      'SELECT (SELECT value FROM StringIds WHERE id = demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?',
      kernel,
    )
    .map(([value]) => String(value));
  const pair = names.find((each) => each[side] === name);
  if (name === undefined || !pair || pair.before === null || pair.after === null) return null;
  const own = { trace, shapes: shapes.get(name) ?? [] };
  const other =
    side === 'before'
      ? { trace: after, shapes: is.get(pair.after) ?? [] }
      : { trace: before, shapes: was.get(pair.before) ?? [] };
  const row = counterpartOf(kernel, own, other);
  return row === null ? null : { kind: 'kernel', row };
}

function shortNameOf(trace: Trace, name: string): string {
  const [row] = trace.query(
    `SELECT (SELECT value FROM StringIds WHERE id = s.shortName) FROM SIMSIGHT_SHAPES_KERNEL s
     WHERE s.demangledName = (SELECT id FROM StringIds WHERE value = ?) LIMIT 1`,
    name,
  );
  return String(row?.[0] ?? name);
}
