/**
 * Why a GPU had nothing to do: each gap between its work, divided by what the host did in it. Only until the host called for the work
 * that ended the gap; what passes from there to its start is the launch. Where that takes longer than launches do, the work waited for
 * something else: for what it depends on, or for a driver that hands work over late (WDDM). Then the gap is the host's up to its call,
 * and nobody's from there on.
 */
import { timeWithin, workKinds, type DeviceFacts } from './timeline-facts.ts';
import { launchNs } from './thresholds.ts';

/** (ns), by gap. */
export interface HostGaps {
  /** In calls that wait: what comes after the end of the work that was waited for. */
  waiting: Float64Array;
  /** In blocking copies, and in calls that allocate or free. */
  blocking: Float64Array;
  /** In calls that launch or enqueue, on the way from one such call to the next, and from there to the start of the work. */
  launching: Float64Array;
  /** In no call at all, for longer than a launch takes: the program's own work. */
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
    own[gap] = inNone > launchNs.most ? inNone : 0;
    // Without its call nobody knows whether it was launched late.
    launching[gap] = call < 0 ? 0 : Math.max(0, to - from - waiting[gap]! - blocking[gap]! - own[gap]!);
  }
  return { waiting, blocking, launching, own, beforeKernel };
}
