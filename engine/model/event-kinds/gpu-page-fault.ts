/** Page faults of a GPU, of which those in one block of 2 MiB are served together. */
import type { Nanoseconds } from '../../base/units.ts';
import { formatAddress } from '../format.ts';
import { faultAccesses, faultAccessName, globalId, none } from '../nsight-codes.ts';
import { integer } from '../typed-columns.ts';
import { field, place, timing } from './detail-fields.ts';
import { chromeExport, eventKind, keyOfRow, store, type RowOfKind } from './kind.ts';

/** Page faults that were served together; of the host one at a time. */
export interface PageFaultEvent {
  type: 'page-fault';
  processor: 'host' | 'device';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  /** The first's. */
  address: number;
  count: number;
  access: 'read' | 'write' | 'atomic';
}

const row: RowOfKind = {
  ...{ of: 'device', key: 'gpu page faults', title: 'GPU page faults', track: 'unified-memory', place: 2 },
};
const faultColumns = { address: integer, numberOfPageFaults: integer } as const;

export const gpuPageFault = eventKind({
  title: 'GPU page fault',
  section: 'others',
  // Nsight Systems shows them in red as well: time that nobody planned for.
  colour: () => ({ tone: 'copy', hue: 28 }),
  picture: () => ['fault', 'page fault'],
  table: {
    name: 'CUDA_UM_GPU_PAGE_FAULT_EVENTS',
    ...{ owner: null, isCorrelated: false },
    exported: 'start!, end!, globalPid, deviceId!, address!, numberOfPageFaults!, faultAccessType!',
  },
  rows: [row],

  columns: { deviceId: integer, faultAccessType: integer },
  rowOf: ({ deviceId }) => keyOfRow(row, deviceId),
  load: (timeline) => (event) => {
    const style = timeline.style(`${faultAccessName(event.faultAccessType)} faults`);
    timeline.add(keyOfRow(row, event.deviceId), event, style);
  },
  titleOf: () => 'GPU page faults',

  details: faultColumns,
  describe(event, context) {
    const title = 'GPU page faults';
    const fields = [
      field('Pages', event.numberOfPageFaults),
      field('Access', faultAccessName(event.faultAccessType)),
      field('Address', formatAddress(event.address)),
    ];
    const where = place(context, { deviceId: event.deviceId, streamId: none });
    return { title, fullName: title, groups: [timing(event), { title: 'Memory', fields }, where] };
  },

  stores: [
    store<PageFaultEvent>('page-fault', (recording) => {
      const faults = recording.table('CUDA_UM_GPU_PAGE_FAULT_EVENTS', [
        ...['start', 'end', 'globalPid', 'deviceId', 'address', 'numberOfPageFaults', 'faultAccessType'],
      ]);
      return ({ processor, start, end, deviceId, address, count, access }) => {
        if (processor === 'device') faults.add(start, end, globalId(), deviceId, address, count, faultAccesses[access]);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 5, side: 'device' },
    columns: { deviceId: integer, faultAccessType: integer, ...faultColumns },
    open: (rows) => (event) => ({
      row: rows.gpu('GPU page faults', event.deviceId, 1),
      ...{ category: 'page_fault', name: `${faultAccessName(event.faultAccessType)} faults` },
      arguments: { address: event.address, pages: event.numberOfPageFaults },
    }),
  }),
});
