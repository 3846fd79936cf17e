/** Waits of the host after which it reads nothing, and what the GPU loses by them. */
import type { FindingPlace } from '../../model/findings.ts';
import type { Facts } from './facts.ts';
import { hostGaps } from './host-gaps.ts';
import { launchNs, leastRounds } from './thresholds.ts';
import { callKinds, flavour, isManaged, workKinds, type DeviceFacts } from './timeline-facts.ts';
import { isWorthSaying } from './timeline-words.ts';

export interface NeedlessWaits {
  waits: number;
  /** The time in which the GPU is idle, from the end of the work to the next. */
  idleNs: number;
  /** The gaps that this is, by gap. */
  gaps: Uint8Array;
  /** The time that the host waits. */
  waitedNs: number;
  places: FindingPlace[];
}

/** Null where they are too few, or cost too little to be said. */
export function needlessWaits(facts: Facts, device: DeviceFacts): NeedlessWaits | null {
  // The host's reads of memory that both share are not in the trace, so any wait may be for them.
  if (isManaged(facts.trace) || writesHostMemory(facts)) return null;
  const found = waitsOf(device);
  return found.waits < leastRounds || !isWorthSaying(found.idleNs, facts.timeline) ? null : found;
}

function writesHostMemory({ trace }: Facts): boolean {
  const name = 'lts__t_sectors_aperture_sysmem_op_write.sum';
  const [row] = trace.query(
    'SELECT 1 FROM SIMSIGHT_METRIC_SETS m JOIN StringIds s ON s.id = m.nameId WHERE s.value = ? AND m.value > 0 LIMIT 1',
    name,
  );
  return row !== undefined;
}

function waitsOf(device: DeviceFacts): NeedlessWaits {
  const { calls, callNames, callOf, work, gaps } = device;
  const { own } = hostGaps(device);
  // Flags by call: 1 it started work, 2 it started a copy to the host.
  const starts = new Uint8Array(calls.count);
  for (let i = 0; i < work.count; i++) {
    const call = callOf[i]!;
    if (call < 0) continue;
    const isDownload = work.kinds[i] === workKinds.copy && work.flavours[i] === flavour.download;
    starts[call] = Math.max(starts[call]!, isDownload ? 2 : 1);
  }
  const isWait = callNames.map((name) => /^(cuda|cu|hip)\w*Synchronize/.test(name));
  const readsTime = callNames.map((name) => /ElapsedTime/.test(name));
  const wait = callKinds.indexOf('wait');
  const blockingCopy = callKinds.indexOf('blocking copy');
  let [waits, idleNs, waitedNs] = [0, 0, 0];
  const places: FindingPlace[] = [];
  const ofWaits = new Uint8Array(gaps.count);
  const copy = callKinds.indexOf('copy');
  // Work that each thread has started since it last waited.
  const [hasWork, hasDownload] = [new Set<number>(), new Set<number>()];
  let gap = 0;
  for (let i = 0; i < calls.count; i++) {
    const thread = calls.threads[i]!;
    if (starts[i]! > 0) hasWork.add(thread);
    // Copies of other GPUs may be downloads as well.
    const isCopy = calls.kinds[i] === blockingCopy || (calls.kinds[i] === copy && starts[i] === 0);
    if (starts[i] === 2 || isCopy) hasDownload.add(thread);
    if (calls.kinds[i] !== wait || !isWait[calls.names[i]!]) continue;
    const isRead = hasDownload.has(thread) || (i + 1 < calls.count && readsTime[calls.names[i + 1]!] === true);
    const [start, end] = [calls.starts[i]!, calls.ends[i]!];
    // The GPU ran out of work while the host waited, and has none when the wait is over.
    while (gap < gaps.count && gaps.ends[gap]! <= end) gap++;
    // Where the program does something else then, it may be with what it waited for.
    const isIdle =
      gap < gaps.count && gaps.starts[gap]! >= start && gaps.starts[gap]! <= end && own[gap]! <= launchNs.most;
    if (hasWork.has(thread) && !isRead && isIdle) {
      waits++;
      ofWaits[gap] = 1;
      idleNs += gaps.ends[gap]! - gaps.starts[gap]! - own[gap]!;
      waitedNs += end - start;
      const ref = { kind: 'api' as const, row: calls.rows[i]! };
      if (places.length < mostPlaces) places.push({ kind: 'event', ref, label: callNames[calls.names[i]!]! });
    }
    hasWork.delete(thread);
    hasDownload.delete(thread);
  }
  return { waits, idleNs, gaps: ofWaits, waitedNs, places };
}

const mostPlaces = 3;
