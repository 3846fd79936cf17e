/**
 * The work that GPUs were asked for, and when it was done. The host goes on when it has asked: a range of the host ends long before its work
 * does, unless something in it waits. What somebody waits for is the work.
 */
import { inOrderOf, sortByKey } from '../../trace/order.ts';
import type { Events, TraceEvents } from './events.ts';

/** In order of the time at which it was called for. */
export interface CalledWork {
  count: number;
  calledAt: Float64Array;
  ends: Float64Array;
}

/** Work without a call is called for when it starts. */
export function calledWork({ kernels, copies, memsets, calls }: TraceEvents): CalledWork {
  const all = [kernels, copies, memsets];
  const count = all.reduce((sum, own) => sum + own.count, 0);
  const [calledAt, ends] = [new Float64Array(count), new Float64Array(count)];
  const callOf = lastCallBefore(calls);
  let at = 0;
  for (const own of all) {
    for (let i = 0; i < own.count; i++) {
      calledAt[at] = callOf(own.correlations[i]!, own.starts[i]!) ?? own.starts[i]!;
      ends[at++] = own.ends[i]!;
    }
  }
  const order = sortByKey(inOrderOf(count), calledAt);
  return {
    count,
    calledAt: Float64Array.from(order, (i) => calledAt[i]!),
    ends: Float64Array.from(order, (i) => ends[i]!),
  };
}

/** When a call with an id started, last before a time; processes count their ids for themselves. */
function lastCallBefore({ count, starts, correlations }: Events): (id: number, time: number) => number | null {
  const last = new Map<number, number>();
  const before = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const id = correlations[i]!;
    before[i] = last.get(id) ?? -1;
    last.set(id, i);
  }
  return (id, time) => {
    let call = id === 0 ? -1 : (last.get(id) ?? -1);
    while (call >= 0 && starts[call]! > time) call = before[call]!;
    return call < 0 ? null : starts[call]!;
  };
}

/** When the work is done that is called for from one time on and before another; -Infinity where there is none. */
export function doneAt({ count, calledAt, ends }: CalledWork, fromNs: number, beforeNs: number): number {
  let done = -Infinity;
  for (let i = firstFrom(calledAt, fromNs); i < count && calledAt[i]! < beforeNs; i++) done = Math.max(done, ends[i]!);
  return done;
}

/** Index of the first that is not before a time. */
function firstFrom(times: Float64Array, time: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (times[middle]! < time) from = middle + 1;
    else to = middle;
  }
  return from;
}
