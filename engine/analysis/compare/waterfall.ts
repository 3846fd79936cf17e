/**
 * From the time before to the time after, in parts: what each kernel, each kind of copy and the time without any GPU work contributed.
 *
 * A sweep over what all GPUs do shares each moment of the window: where several things run at once, each has an equal part of it; where
 * nothing runs, it is idle. So the parts of a window add up to its time, and the differences of parts to the difference of times. Parts
 * are whole nanoseconds: what rounding leaves over goes to those that it took most from.
 */
import type { CompareContribution } from '../../model/comparison.ts';
import { inOrderOf, sortByKey } from '../../trace/order.ts';
import type { Events, TraceEvents } from './events.ts';
import { matchEqual, type NamePair } from './match.ts';

export interface Window {
  fromNs: number;
  toNs: number;
}
export const spanOf = ({ fromNs, toNs }: Window): number => toNs - fromNs;

/** Events with the number of the part that each belongs to, by its name. */
export interface SharedEvents {
  events: Events;
  partOf: ArrayLike<number>;
}

/** Nanoseconds of each part, and last the idle time; they add up to the window. */
export function sharesOf(lists: readonly SharedEvents[], parts: number, { fromNs, toNs }: Window): Float64Array {
  const most = lists.reduce((sum, { events }) => sum + events.count, 0);
  const [starts, ends, own] = [new Float64Array(most), new Float64Array(most), new Uint32Array(most)];
  let count = 0;
  for (const { events, partOf } of lists) {
    for (let i = 0; i < events.count; i++) {
      const [start, end] = [Math.max(events.starts[i]!, fromNs), Math.min(events.ends[i]!, toNs)];
      if (end <= start) continue;
      starts[count] = start;
      ends[count] = end;
      own[count++] = partOf[events.names[i]!]!;
    }
  }
  const byStart = sortByKey(inOrderOf(count), starts);
  const byEnd = sortByKey(inOrderOf(count), ends);
  const exact = new Float64Array(parts + 1);
  /** The share that one of the running events has had since the GPU was idle last, and had when each began. */
  let had = 0;
  const hadAtStart = new Float64Array(count);
  let [running, time, busyNs] = [0, fromNs, 0];
  for (let s = 0, e = 0; e < count;) {
    const starting = s < count && starts[byStart[s]!]! < ends[byEnd[e]!]!;
    const at = starting ? byStart[s++]! : byEnd[e++]!;
    const now = starting ? starts[at]! : ends[at]!;
    if (running > 0) {
      had += (now - time) / running;
      busyNs += now - time;
    } else had = 0;
    time = now;
    if (starting) {
      hadAtStart[at] = had;
      running++;
    } else {
      exact[own[at]!]! += had - hadAtStart[at]!;
      running--;
    }
  }
  exact[parts] = toNs - fromNs - busyNs;
  return wholeNanoseconds(exact, toNs - fromNs);
}

/** Rounded so that they add up to `total`. */
export function wholeNanoseconds(exact: Float64Array, total: number): Float64Array {
  const whole = exact.map(Math.round);
  let missing = total - whole.reduce((sum, value) => sum + value, 0);
  const order = [...exact.keys()].sort((a, b) => exact[b]! - whole[b]! - (exact[a]! - whole[a]!) || a - b);
  const sign = Math.sign(missing);
  if (sign < 0) order.reverse();
  for (let at = 0; missing !== 0 && order.length > 0; at = (at + 1) % order.length) {
    const part = order[at]!;
    if (whole[part]! + sign < 0) continue;
    whole[part]! += sign;
    missing -= sign;
  }
  return whole;
}

const idleName = 'GPU idle';
const tables = { kernel: 'kernels', copy: 'copies', memset: 'memsets' } as const;

/** The largest difference first. `kernelNames`: which of them are the same. */
export function waterfallOf(
  was: TraceEvents,
  is: TraceEvents,
  windows: { before: Window; after: Window },
  kernelNames: readonly NamePair[],
): CompareContribution[] {
  const parts: { kind: CompareContribution['kind']; name: string }[] = [];
  const numbers = { before: new Map<string, number>(), after: new Map<string, number>() };
  const add = (kind: CompareContribution['kind'], pairs: readonly NamePair[]): void => {
    for (const { before, after } of pairs) {
      const name = before === null || after === null || before === after ? (after ?? before)! : `${before} → ${after}`;
      const part = parts.push({ kind, name }) - 1;
      if (before !== null) numbers.before.set(`${kind} ${before}`, part);
      if (after !== null) numbers.after.set(`${kind} ${after}`, part);
    }
  };
  add('kernel', kernelNames);
  for (const kind of ['copy', 'memset'] as const) add(kind, matchEqual(was[tables[kind]].list, is[tables[kind]].list));
  const shares = (events: TraceEvents, side: 'before' | 'after'): Float64Array =>
    sharesOf(
      (['kernel', 'copy', 'memset'] as const).map((kind) => {
        const own = events[tables[kind]];
        return { events: own, partOf: own.list.map((name) => numbers[side].get(`${kind} ${name}`)!) };
      }),
      parts.length,
      windows[side],
    );
  const [before, after] = [shares(was, 'before'), shares(is, 'after')];
  parts.push({ kind: 'idle', name: idleName });
  return parts
    .map((part, i) => ({
      ...{ ...part, beforeNs: before[i]!, afterNs: after[i]! },
      differenceNs: after[i]! - before[i]!,
    }))
    .filter(({ beforeNs, afterNs }) => beforeNs > 0 || afterNs > 0)
    .sort((a, b) => Math.abs(b.differenceNs) - Math.abs(a.differenceNs) || (a.name < b.name ? -1 : 1));
}
