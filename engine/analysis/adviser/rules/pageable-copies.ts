/** Copies from or to memory of the host that is not page-locked: the driver has to stage them. */
import { withFallbacks } from '../../../gpus/fallbacks.ts';
import { copyKinds, memoryKinds } from '../../../model/nsight-codes.ts';
import type { FindingPlace } from '../../../model/findings.ts';
import { gpuOf, type Trace } from '../../../trace/trace.ts';
import { formatBytes, formatNumber, formatThroughput } from '../../../model/format.ts';
import { num } from '../../columns.ts';
import { lengthOf, overlapOf, SpanCollector, unionOfAll, type Spans } from '../../../trace/spans.ts';
import { workKinds, type DeviceFacts } from '../timeline-facts.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { leastRounds, stagedCopyBytes } from '../thresholds.ts';
import { isWorthSaying, measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const pageableCopies: Rule = {
  id: 'pageable-copies',
  stage: 'timeline',
  title: 'Copies of pageable memory',
  lab: 'pinned-memory',
  find({ trace, timeline }) {
    return timeline.devices.flatMap((device): RuleFinding[] => {
      const sums = directions.map((direction) => sumsOf(trace, device.device, direction));
      // Pinning takes time itself, which few copies do not win back.
      const pageable = sums.filter(({ count }) => count >= leastRounds);
      const bytes = pageable.reduce((sum, each) => sum + each.bytes, 0);
      const count = pageable.reduce((sum, each) => sum + each.count, 0);
      const spans = spansOf(trace, device, pageable);
      const ns = lengthOf(spans) - overlapOf(spans, device.kernels);
      if (!isWorthSaying(ns, timeline)) return [];
      // The time of the same bytes from page-locked memory: as in this trace, or as is known of this GPU.
      const isKnown = pageable.every(({ pinnedRate }) => pinnedRate !== null);
      const pinned = pageable.reduce((sum, each) => sum + each.bytes / (each.pinnedRate ?? Infinity), 0);
      const gain = isKnown ? Math.round(ns - pinned) : null;
      if (gain !== null && !isWorthSaying(gain, timeline)) return [];
      return [
        {
          title: `${formatNumber(count)} copies of ${formatBytes(bytes)} of pageable memory take ${ofSpan(ns, timeline)} in which no kernel runs`,
          evidence: [
            ...pageable.flatMap((each) => [
              measured(`copies ${names[each.direction]}, pageable`, each.count, 'count'),
              measured(`bytes ${names[each.direction]}, pageable`, each.bytes, 'bytes'),
              measured(`time on the copy engine ${names[each.direction]}, pageable`, each.ns, 'ns'),
              ...(each.pinnedRate === null
                ? []
                : [measured(`rate ${names[each.direction]}, page-locked`, each.pinnedRate * 1e9, 'bytes-per-second')]),
            ]),
            measured('in these copies or their calls, with no kernel running', ns, 'ns'),
            spanEvidence(timeline),
          ],
          places: pageable.map((each): FindingPlace => ({
            kind: 'event',
            ref: { kind: 'memcpy', row: each.longest },
            label: `the longest ${names[each.direction]}`,
          })),
          why:
            'The GPU cannot read memory that the system may move: the driver copies it to a page-locked buffer of its own, piece by piece, and the ' +
            `host waits, even in cudaMemcpyAsync. Here ${formatThroughput(bytes, ns)} come of it.`,
          todo:
            'Allocate what is copied often with cudaMallocHost (or cudaHostRegister what is there already), once: pinning is slow itself. Then ' +
            'cudaMemcpyAsync in a stream leaves host and kernels free.',
          gain:
            gain === null
              ? null
              : {
                  ns: gain,
                  basis: 'At the rate of page-locked copies; what of them overlaps with kernels comes on top.',
                },
        },
      ];
    });
  },
};

const directions = ['host-to-device', 'device-to-host'] as const;
const names = { 'host-to-device': 'to the GPU', 'device-to-host': 'to the host' } as const;
const hostSide = { 'host-to-device': 'srcKind', 'device-to-host': 'dstKind' } as const;

/** Times of the copies, and of the calls in which the host waits for them. */
function spansOf(trace: Trace, { device, work, calls, callOf }: DeviceFacts, sums: readonly Sums[]): Spans {
  const isPageable = new Set<number>();
  for (const { direction } of sums) {
    const rows = trace.query(
      `SELECT rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY
       WHERE deviceId = ? AND copyKind = ? AND ${hostSide[direction]} = ? AND bytes > ${stagedCopyBytes}`,
      ...[device, copyKinds[direction], memoryKinds.pageable],
    );
    for (const [row] of rows) isPageable.add(num(row));
  }
  const [copies, inCalls] = [new SpanCollector(), new SpanCollector()];
  for (let i = 0; i < work.count; i++) {
    if (work.kinds[i] !== workKinds.copy || !isPageable.has(work.rows[i]!)) continue;
    copies.add(work.starts[i]!, work.ends[i]!);
    const call = callOf[i]!;
    if (call >= 0) inCalls.add(calls.starts[call]!, calls.ends[call]!);
  }
  return unionOfAll([copies.finish(), inCalls.finish()]);
}

interface Sums {
  direction: (typeof directions)[number];
  count: number;
  bytes: number;
  ns: number;
  /** Row of the longest. */
  longest: number;
  /** Bytes per ns of page-locked memory. */
  pinnedRate: number | null;
}

function sumsOf(trace: Trace, device: number, direction: Sums['direction']): Sums {
  const of = (memory: number) =>
    trace
      .query(
        `SELECT count(*), sum(bytes), sum(end - start), max(end - start), rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY
       WHERE deviceId = ? AND copyKind = ? AND ${hostSide[direction]} = ? AND bytes > ${stagedCopyBytes}`,
        ...[device, copyKinds[direction], memory],
      )[0]!
      .map(num) as [number, number, number, number, number];
  const [count, bytes, ns, , longest] = of(memoryKinds.pageable);
  const [, pinnedBytes, pinnedNs] = of(memoryKinds.pinned);
  const gpu = gpuOf(trace.facts, device);
  const link = gpu && withFallbacks(gpu).gpu.hostLink;
  const measuredRate = direction === 'host-to-device' ? link?.hostToDevice : link?.deviceToHost;
  const pinnedRate = pinnedNs > 0 ? pinnedBytes / pinnedNs : measuredRate ? measuredRate / 1e9 : null;
  return { direction, count, bytes, ns, longest, pinnedRate };
}
