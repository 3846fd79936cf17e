/**
 * Why a GPU had nothing to do: each gap between its work, divided by what the host did in it. Only until the host called for the work
 * that ended the gap; what passes from there to its start is the launch. Where that takes longer than launches do, the work waited for
 * something else: for what it depends on, or for a driver that hands work over late (WDDM). Then the gap is the host's up to its call,
 * and nobody's from there on.
 */
import { callKinds, timeWithin, workKinds, type DeviceFacts, type HostCalls } from './timeline-facts.ts';
import type { Spans } from '../../trace/spans.ts';
import { launchNs } from './thresholds.ts';

/** (ns), by gap. */
export interface HostGaps {
  /** In calls that wait: what comes after the end of the work that was waited for. */
  waiting: Float64Array;
  /** In blocking copies, and in calls that allocate or free. */
  blocking: Float64Array;
  /** In calls that launch or enqueue, on the way from one such call to the next, and from there to the start of the work. */
  launching: Float64Array;
  /** In no call at all, for longer than the shortest launch takes: the program's own work, of an interpreter between its calls as well. */
  own: Float64Array;
  /** Gaps that ended with a kernel. */
  beforeKernel: Uint8Array;
}

const known = new WeakMap<DeviceFacts, HostGaps>();

export function hostGaps(device: DeviceFacts): HostGaps {
  let found = known.get(device);
  if (!found) known.set(device, (found = divided(device)));
  return found;
}

function divided({ gaps, work, calls, callOf, inCalls, inCallOrFault }: DeviceFacts): HostGaps {
  const until = gaps.ends.slice();
  for (let gap = 0; gap < gaps.count; gap++) {
    const call = callOf[gaps.next[gap]!]!;
    if (call < 0 || gaps.ends[gap]! - calls.ends[call]! <= launchNs.most) continue;
    until[gap] = Math.max(gaps.starts[gap]!, calls.ends[call]!);
  }
  const hosts = { ...gaps, ends: until };
  const waiting = timeWithin(hosts, inCalls.wait);
  const blocking = timeWithin(hosts, inCalls['blocking copy']);
  const inMemoryCalls = timeWithin(hosts, inCalls.memory);
  const inCall = timeWithin(hosts, inCallOrFault);
  const ownBefore = ownTimeBefore(calls, inCallOrFault);
  const launching = new Float64Array(gaps.count);
  const own = new Float64Array(gaps.count);
  const beforeKernel = new Uint8Array(gaps.count);
  for (let gap = 0; gap < gaps.count; gap++) {
    const next = gaps.next[gap]!;
    const call = callOf[next]!;
    const [from, to] = [gaps.starts[gap]!, until[gap]!];
    beforeKernel[gap] = work.kinds[next] === workKinds.kernel ? 1 : 0;
    blocking[gap]! += inMemoryCalls[gap]!;
    const calledAt = call < 0 ? to : Math.max(from, Math.min(calls.starts[call]!, to));
    const inNone = Math.max(0, Math.min(calledAt - from, to - from - inCall[gap]!));
    // Had the program called at once, the work would have been there earlier by all that it did since the call before.
    const since = call < 0 ? 0 : Math.min(ownBefore(call), Math.max(0, to - from - waiting[gap]! - blocking[gap]!));
    own[gap] = Math.max(inNone > launchNs.least ? inNone : 0, since > launchNs.least ? since : 0);
    // Without its call nobody knows whether it was launched late.
    launching[gap] = call < 0 ? 0 : Math.max(0, to - from - waiting[gap]! - blocking[gap]! - own[gap]!);
  }
  return { waiting, blocking, launching, own, beforeKernel };
}

/** The time before a call in which nobody was in any (or waited for a page) since its thread last launched, copied, waited or allocated. */
function ownTimeBefore({ count, starts, ends, kinds, threads }: HostCalls, inCalls: Spans): (call: number) => number {
  const within = timeIn(inCalls);
  const before = new Int32Array(count);
  const last = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    before[i] = last.get(threads[i]!) ?? -1;
    last.set(threads[i]!, i);
  }
  const other = callKinds.indexOf('other');
  return (call) => {
    let [own, at] = [0, call];
    for (let steps = 0; steps < mostAsked; steps++) {
      const previous = before[at]!;
      if (previous < 0) return own;
      const [from, to] = [ends[previous]!, starts[at]!];
      if (to > from) own += to - from - (within(to) - within(from));
      if (kinds[previous] !== other) return own;
      at = previous;
    }
    return own;
  };
}
/** Calls that only ask something, between two that do something; beyond that the time before them is left out. */
const mostAsked = 64;

/** The part of some spans that lies before a time. */
function timeIn({ starts, ends }: Spans): (time: number) => number {
  const before = new Float64Array(starts.length + 1);
  for (let i = 0; i < starts.length; i++) before[i + 1] = before[i]! + ends[i]! - starts[i]!;
  return (time) => {
    let [from, to] = [0, starts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (starts[middle]! < time) from = middle + 1;
      else to = middle;
    }
    // `from` spans begin before it; the last of them may go on.
    return from === 0 ? 0 : before[from]! - Math.max(0, ends[from - 1]! - time);
  };
}
