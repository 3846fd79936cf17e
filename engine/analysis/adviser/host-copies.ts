/** Copies from and to the host that take the time of their bytes. */
import { SpanCollector, type Spans } from '../../trace/spans.ts';
import type { Trace } from '../../trace/trace.ts';
import { num } from '../columns.ts';
import { stagedCopyBytes } from './thresholds.ts';
import { flavour, workKinds, type DeviceFacts, type GpuWork } from './timeline-facts.ts';

/**
 * Flags by work: 1 for copies from or to the host that are long enough to be divided. Smaller ones take the time of their start, and are what
 * the host waits for to decide how to go on.
 */
export function largeCopies(trace: Trace, { device, work }: DeviceFacts): Uint8Array {
  const rows = trace.query(
    `SELECT rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ? AND bytes > ${stagedCopyBytes}`,
    device,
  );
  const isLarge = new Set(rows.map(([row]) => num(row)));
  return Uint8Array.from(work.kinds, (kind, i) => {
    const isHostCopy = work.flavours[i] === flavour.upload || work.flavours[i] === flavour.download;
    return kind === workKinds.copy && isHostCopy && isLarge.has(work.rows[i]!) ? 1 : 0;
  });
}

export function spansOfCopies({ starts, ends }: GpuWork, which: Uint8Array): Spans {
  const spans = new SpanCollector();
  which.forEach((isOne, i) => isOne && spans.add(starts[i]!, ends[i]!));
  return spans.finish();
}
