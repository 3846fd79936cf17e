/** Page faults of the host, for each of which a thread waits. */
import { formatAddress } from '../format.ts';
import { faultAccesses, faultAccessName, globalId, pidOf } from '../nsight-codes.ts';
import { computed, integer, integerOrNull } from '../typed-columns.ts';
import { field, timing } from './detail-fields.ts';
import type { PageFaultEvent } from './gpu-page-fault.ts';
import { chromeExport, eventKind, keyOfRow, store, type RowOfKind } from './kind.ts';

const row: RowOfKind = {
  ...{ of: 'program', key: 'cpu page faults', title: 'CPU page faults', track: 'thread', place: 0 },
};
const accessColumn = { accessType: computed(integer, 'w.accessType') } as const;

export const cpuPageFault = eventKind({
  title: 'CPU page fault',
  section: 'others',
  colour: () => ({ tone: 'copy', hue: 28 }),
  picture: () => ['fault', 'page fault'],
  table: {
    name: 'CUDA_UM_CPU_PAGE_FAULT_EVENTS',
    ...{ owner: null, isCorrelated: false },
    from: 'CUDA_UM_CPU_PAGE_FAULT_EVENTS t LEFT JOIN SIMSIGHT_CPU_PAGE_FAULTS w ON w.fault = t.rowid',
    end: 'coalesce(w.end, t.start)',
    exported: 'start!, globalPid, address!, originalFaultPc, CpuInstruction, module, unresolvedFaultPc',
  },
  rows: [row],

  columns: accessColumn,
  rowOf: () => keyOfRow(row, 0),
  load: (timeline) => (event) =>
    timeline.add(keyOfRow(row, 0), event, timeline.style(`${faultAccessName(event.accessType)} fault`)),
  titleOf: () => 'CPU page fault',

  details: { address: integer },
  describe(event) {
    const title = 'CPU page fault';
    const fields = [field('Access', faultAccessName(event.accessType)), field('Address', formatAddress(event.address))];
    return { title, fullName: title, groups: [timing(event), { title: 'Memory', fields }] };
  },

  stores: [
    store<PageFaultEvent>('page-fault', (recording) => {
      const faults = recording.table('CUDA_UM_CPU_PAGE_FAULT_EVENTS', ['start', 'globalPid', 'address']);
      const waits = recording.table('SIMSIGHT_CPU_PAGE_FAULTS', ['fault', 'end', 'accessType']);
      return ({ processor, start, end, address, access }) => {
        if (processor === 'host') waits.add(faults.add(start, globalId(), address), end, faultAccesses[access]);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 3, side: 'host' },
    columns: { ...accessColumn, globalPid: integerOrNull, address: integer },
    open: (rows) => (event) => ({
      row: rows.process('CPU page faults', pidOf(event.globalPid ?? 0), 3),
      ...{ category: 'page_fault', name: `${faultAccessName(event.accessType)} fault` },
      arguments: { address: event.address },
    }),
  }),
});
