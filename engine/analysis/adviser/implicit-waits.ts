/** Waits of streams for the legacy default stream, and of it for them: order that nobody asked for (implicit synchronization). */
import { implicitWaitName, nullStreamId } from '../../model/nsight-codes.ts';
import { lengthOf, SpanCollector } from '../../trace/spans.ts';
import type { Trace } from '../../trace/trace.ts';
import { num } from '../columns.ts';
import { leastRounds } from './thresholds.ts';
import { workKinds, type DeviceFacts, type TimelineFacts } from './timeline-facts.ts';
import { isWorthSaying } from './timeline-words.ts';

export interface ImplicitWaits {
  count: number;
  /** In which some stream waited so. */
  ns: number;
  /** Streams that waited for the default stream; and whether it waited for others. */
  streams: number[];
  ofDefault: number;
  /** The longest of either kind: rows of their table, and what they are called. */
  longest: { row: number; label: string }[];
  /** The most that could be saved: streams side by side, each as long as it is busy, and copies in each direction one after the other. */
  gainNs: number;
}

/** Null where they do not matter, or the trace has none: recordings of other tools do not say so. */
export function implicitWaitsOf(trace: Trace, device: DeviceFacts, timeline: TimelineFacts): ImplicitWaits | null {
  const rows = trace.query(
    'SELECT start, end, streamId, otherStreamId, rowid FROM SIMSIGHT_IMPLICIT_WAITS WHERE deviceId = ? ORDER BY start, rowid',
    device.device,
  );
  if (rows.length < leastRounds) return null;
  const spans = new SpanCollector();
  const longest = new Map<boolean, { ns: number; row: number; label: string }>();
  const streams = new Set<number>();
  let ofDefault = 0;
  for (const [start, end, stream, other, row] of rows.map((each) => each.map(num) as [number, ...number[]])) {
    spans.add(start, end!);
    const isDefault = stream === nullStreamId;
    if (isDefault) ofDefault++;
    else streams.add(stream!);
    const known = longest.get(isDefault);
    if (!known || end! - start > known.ns)
      longest.set(isDefault, { ns: end! - start, row: row!, label: implicitWaitName(other!) });
  }
  const ns = lengthOf(spans.finish());
  const gainNs = Math.min(ns, Math.max(0, lengthOf(device.busy) - leastBusy(trace, device)));
  if (!isWorthSaying(gainNs, timeline)) return null;
  return {
    ...{ count: rows.length, ns, ofDefault, gainNs },
    streams: [...streams].sort((a, b) => a - b),
    longest: [...longest.values()].sort((a, b) => b.ns - a.ns),
  };
}

/** However streams run side by side, the GPU is busy as long as one of them is, and as each copy engine is. */
function leastBusy(trace: Trace, { device, work }: DeviceFacts): number {
  const streamOf = new Map<string, number>();
  for (const [kind, table] of [
    [workKinds.kernel, 'KERNEL'],
    [workKinds.copy, 'MEMCPY'],
    [workKinds.fill, 'MEMSET'],
  ] as const) {
    const rows = trace.query(`SELECT rowid, streamId FROM CUPTI_ACTIVITY_KIND_${table} WHERE deviceId = ?`, device);
    for (const [row, stream] of rows) streamOf.set(`${kind} ${num(row)}`, num(stream));
  }
  const busy = new Map<string, number>();
  const add = (key: string, ns: number): void => void busy.set(key, (busy.get(key) ?? 0) + ns);
  for (let i = 0; i < work.count; i++) {
    const ns = work.ends[i]! - work.starts[i]!;
    add(`stream ${streamOf.get(`${work.kinds[i]} ${work.rows[i]}`) ?? ''}`, ns);
    if (work.kinds[i] === workKinds.copy && work.flavours[i]! > 0) add(`copies ${work.flavours[i]}`, ns);
  }
  return Math.max(0, ...busy.values());
}
