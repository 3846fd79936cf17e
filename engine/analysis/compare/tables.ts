/** Rows of the comparison: what each kernel, copy, call and range took before and after, the largest change first. */
import type { CompareKind, CompareMatch, CompareRow, CompareTimes } from '../../model/comparison.ts';
import type { Events } from './events.ts';
import type { NamePair } from './match.ts';
import { kernelName, readable } from './names.ts';
import { changeOf, noiseFloor, timesOf, type Sample } from './times.ts';
import type { Window } from './waterfall.ts';

/** Durations of what begins in the window, by name. `nameOf`: index into `names` of each event. */
export function samplesOf(
  { count, starts, ends }: Events,
  nameOf: Uint32Array,
  names: readonly string[],
  { fromNs, toNs }: Window,
): Map<string, Sample> {
  const isIn = (start: number): boolean => start >= fromNs && start <= toNs;
  const offsets = new Uint32Array(names.length + 1);
  for (let i = 0; i < count; i++) if (isIn(starts[i]!)) offsets[nameOf[i]! + 1]!++;
  for (let name = 0; name < names.length; name++) offsets[name + 1]! += offsets[name]!;
  const values = new Float64Array(offsets[names.length]!);
  const filled = offsets.slice();
  for (let i = 0; i < count; i++) if (isIn(starts[i]!)) values[filled[nameOf[i]!]!++] = ends[i]! - starts[i]!;
  const found = new Map<string, Sample>();
  names.forEach((name, i) => {
    const own = values.subarray(offsets[i], offsets[i + 1]);
    if (own.length > 0) found.set(name, timesOf(own));
  });
  return found;
}

/** `isMeasured`: at least one of the traces is a real recording. */
export function rowsOf(
  kind: CompareKind,
  pairs: readonly NamePair[],
  before: ReadonlyMap<string, Sample>,
  after: ReadonlyMap<string, Sample>,
  isMeasured: boolean,
): CompareRow[] {
  const rows = pairs.flatMap(({ before: beforeName, after: afterName, match }): CompareRow[] => {
    const was = (beforeName !== null && before.get(beforeName)) || null;
    const is = (afterName !== null && after.get(afterName)) || null;
    if (!was && !is) return [];
    const name = nameOf(beforeName, afterName, match);
    const noiseNs = noiseFloor(was, is, isMeasured);
    return [
      {
        ...row(kind, name, was?.times ?? null, is?.times ?? null),
        ...{ beforeName, afterName, match, noiseNs, change: changeOf(was?.times ?? null, is?.times ?? null, noiseNs) },
      },
    ];
  });
  const all = rows.reduce((sum, { differenceNs }) => sum + Math.abs(differenceNs), 0);
  for (const each of rows) each.share = all > 0 ? Math.abs(each.differenceNs) / all : 0;
  return rows;
}

/** `before → after` where they differ. */
export function nameOf(before: string | null, after: string | null, match: CompareMatch): string {
  if (before === null || after === null || before === after) return after ?? before ?? '';
  return match === 'by hand' || match === 'last' ? `${before} → ${after}` : after;
}

function row(kind: CompareKind, name: string, before: CompareTimes | null, after: CompareTimes | null): CompareRow {
  const [beforeNs, afterNs] = [before?.totalNs ?? 0, after?.totalNs ?? 0];
  return {
    ...{ kind, name, beforeName: name, afterName: name, match: 'name', before, after },
    ...{ beforeCount: before?.count ?? 0, afterCount: after?.count ?? 0, beforeNs, afterNs },
    ratio: beforeNs > 0 && afterNs > 0 ? afterNs / beforeNs : null,
    differenceNs: afterNs - beforeNs,
    ...{ share: 0, noiseNs: 0, change: changeOf(before, after, 0) },
  };
}

/** A figure of the whole window; `count`: of what it sums up, 1 of other times. `isAwaited`: somebody waits for it. */
export function totalRow(
  name: string,
  before: { count: number; ns: number },
  after: { count: number; ns: number },
  isAwaited = false,
): CompareRow {
  const times = ({ count, ns }: { count: number; ns: number }): CompareTimes => ({
    ...{ count, totalNs: ns, medianNs: count > 0 ? ns / count : 0, iqrNs: 0 },
  });
  const made = row('total', name, times(before), times(after));
  const { differenceNs } = made;
  const [less, more] = isAwaited ? (['faster', 'slower'] as const) : (['less', 'more'] as const);
  return { ...made, change: differenceNs === 0 ? 'same' : differenceNs < 0 ? less : more };
}

/** The largest change comes first; equal ones by name. */
export const byChange = (a: CompareRow, b: CompareRow): number =>
  Math.abs(b.differenceNs) - Math.abs(a.differenceNs) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Pairs that were found by less than the full name are called by what both have in common, unless another row is called so. */
export function named(rows: CompareRow[]): CompareRow[] {
  const taken = new Set(rows.map(({ name }) => name));
  for (const row of rows) {
    if (row.beforeName === null || row.afterName === null || row.beforeName === row.afterName) continue;
    const common = commonName(row);
    if (common === null || taken.has(common)) continue;
    row.name = common;
    taken.add(common);
  }
  return rows;
}

function commonName({ match, beforeName, afterName }: CompareRow): string | null {
  const [a, b] = [kernelName(beforeName!), kernelName(afterName!)];
  if (match === 'instance') return readable(b.instance);
  if (match === 'function') return readable(b.function);
  if (match !== 'short') return null;
  const last = (name: string): string => name.slice(name.lastIndexOf('::') + 1).replace(/^:/, '');
  return last(a.function) === last(b.function) ? last(b.function) : null;
}
