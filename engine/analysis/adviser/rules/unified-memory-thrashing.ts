/** Managed memory that goes to and fro because host and GPU use it in turn, or because it does not fit. */
import { migrationCauses, migrationKinds } from '../../../model/nsight-codes.ts';
import { formatBytes, formatNumber } from '../../../model/format.ts';
import type { FindingPlace } from '../../../model/findings.ts';
import { num } from '../../columns.ts';
import type { Rule } from '../rule.ts';
import { isWorthSaying, measured, ofSpan, spanEvidence } from '../timeline-words.ts';

export const unifiedMemoryThrashing: Rule = {
  id: 'unified-memory-thrashing',
  stage: 'timeline',
  title: 'Managed memory that moves to and fro',
  lab: 'unified-memory',
  find({ trace, timeline }) {
    const moves = trace.query(
      `SELECT virtualAddress, bytes, copyKind, start, end, migrationCause, rowid FROM CUPTI_ACTIVITY_KIND_MEMCPY
       WHERE copyKind IN (${migrationKinds['host-to-device']}, ${migrationKinds['device-to-host']}) AND virtualAddress IS NOT NULL
       ORDER BY start, rowid`,
    );
    /** Bytes moved so far in each direction, by block of 2 MiB: the unit in which the driver manages memory. */
    const been = new Map<number, { toDevice: number; toHost: number }>();
    const again = { count: 0, bytes: 0, ns: 0, longest: 0, fromNs: 0, toNs: 0 };
    const all = { toDevice: 0, toHost: 0, ns: 0 };
    for (const row of moves) {
      const [address, bytes, kind, start, end] = row.map(num) as [number, number, number, number, number];
      const isPrefetch = row[5] === migrationCauses.user;
      const block = Math.floor(address / blockBytes);
      const isUpload = kind === migrationKinds['host-to-device'];
      const before = been.get(block) ?? { toDevice: 0, toHost: 0 };
      been.set(block, before);
      all[isUpload ? 'toDevice' : 'toHost'] += bytes;
      all.ns += end - start;
      // It comes back to where it came from: what went the other way may do so once, in vain from the second time on.
      const isBack = isUpload ? before.toHost > 0 : before.toDevice > 0 && before.toHost > 0;
      before[isUpload ? 'toDevice' : 'toHost'] += bytes;
      // Prefetched pages are wanted there, and nobody waits for them page by page.
      if (!isBack || isPrefetch) continue;
      again.count++;
      again.bytes += bytes;
      again.ns += end - start;
      if (end - start > again.longest) [again.longest, again.fromNs, again.toNs] = [end - start, start, end];
    }
    const faults = {
      gpu: num(
        trace.query('SELECT coalesce(sum(numberOfPageFaults), 0) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS')[0]?.[0] ?? 0,
      ),
      cpu: num(trace.query('SELECT count(*) FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS')[0]?.[0] ?? 0),
    };
    // Faults are served before pages move, and whoever caused them waits for both.
    const served = num(
      trace.query('SELECT coalesce(sum(end - start), 0) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS')[0]?.[0] ?? 0,
    );
    const ns = Math.round(again.ns + (all.ns > 0 ? served * (again.ns / all.ns) : 0));
    if (again.count === 0 || !isWorthSaying(ns, timeline)) return [];
    const place: FindingPlace = {
      kind: 'range',
      fromNs: again.fromNs,
      toNs: again.toNs,
      label: 'pages that come back',
    };
    return [
      {
        title: `Managed memory moves to and fro: ${formatBytes(again.bytes)} come back to where they were, in ${ofSpan(again.ns, timeline)}`,
        evidence: [
          measured('migrated to GPUs', all.toDevice, 'bytes'),
          measured('migrated to the host', all.toHost, 'bytes'),
          measured('of these, in blocks that had been there before', again.bytes, 'bytes'),
          measured('time of these migrations', again.ns, 'ns'),
          measured('page faults of GPUs', faults.gpu, 'count'),
          measured('page faults of the host', faults.cpu, 'count'),
          spanEvidence(timeline),
        ],
        places: [place],
        why:
          'Host and GPU access the same pages in turn: each time, the one that comes has a page fault, and the page moves while it waits. ' +
          `${formatNumber(again.count)} moves brought back what had been there before.`,
        todo:
          'Let one side keep the data while it works with it: move what the host does in between to the GPU, cudaMemPrefetchAsync the pages ' +
          'before they are used (copies instead of faults), cudaMemAdvise read-mostly for what both only read, or preferred location and ' +
          'accessed-by for what one of them seldom touches. Where the GPU’s memory is too small, work in parts that fit.',
        gain: {
          ns,
          basis:
            'At most: the time of moves that bring back, and their part of the time in which page faults are served.',
        },
      },
    ];
  },
};
const blockBytes = 2 << 20;
