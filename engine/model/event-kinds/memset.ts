/** Fills of device memory. */
import { formatBytes, formatThroughput } from '../format.ts';
import { memoryKinds } from '../nsight-codes.ts';
import { integer, integerOrNull } from '../typed-columns.ts';
import { field, place, queueTime, timing } from './detail-fields.ts';
import { chromeExport, eventKind, store, workColumns } from './kind.ts';
import {
  chromeArguments,
  chromeGraph,
  placeCells,
  placeColumns,
  rowOfWork,
  streamPlace,
  type DeviceWork,
} from './work.ts';

export interface MemsetEvent extends DeviceWork {
  type: 'memset';
  value: number;
  bytes: number;
}

const fullName = '[CUDA memset]';
const fillColumns = { value: integer, bytes: integer, graphNodeId: integerOrNull } as const;

export const memset = eventKind({
  title: 'Memset',
  section: 'memory',
  colour: () => ({ tone: 'copy', hue: 190, chroma: 0.06 }),
  picture: () => ['fill', 'fill'],
  table: {
    name: 'CUPTI_ACTIVITY_KIND_MEMSET',
    ...{ stored: 'MEMSET', owner: 'globalPid', isCorrelated: true },
    exported: `start!, end!, deviceId!, contextId!, greenContextId, streamId!, correlationId, globalPid, value!, bytes!,
      graphNodeId, memKind`,
  },
  work: 'fills',
  hasBytes: true,

  columns: workColumns,
  rowOf: rowOfWork,
  load(timeline) {
    const style = timeline.style('Memset', fullName);
    return (event) => {
      timeline.add(rowOfWork(event, timeline), event, style);
      timeline.busy(event.deviceId, event);
    };
  },
  titleOf: () => 'Memset',

  details: fillColumns,
  describe(event, context) {
    const fields = [
      field('Bytes', formatBytes(event.bytes)),
      field('Value', event.value),
      field('Throughput', formatThroughput(event.bytes, event.end - event.start)),
    ];
    return {
      title: 'Memset',
      fullName,
      groups: [timing(event, queueTime(context, event)), { title: 'Memory', fields }, place(context, event)],
    };
  },

  stores: [
    store<MemsetEvent>('memset', (recording) => {
      const fills = recording.events('CUPTI_ACTIVITY_KIND_MEMSET', [
        ...placeColumns,
        ...['value', 'bytes', 'memKind', 'graphNodeId'],
      ]);
      return (event) => {
        const { start, end, correlationId, value, bytes, graphNodeId = null } = event;
        const shape = fills.shape([...placeCells(event), value, bytes, memoryKinds.device, graphNodeId]);
        fills.add(start, end, correlationId, shape);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 2, side: 'device' },
    columns: { ...workColumns, ...fillColumns },
    open: (rows) => (event) => ({
      row: rows.stream(streamPlace(event), { before: 'Stream' }),
      ...{ category: 'gpu_memset', name: 'Memset' },
      arguments: {
        ...chromeArguments(event),
        ...{ bytes: event.bytes, value: event.value },
        ...chromeGraph(null, event.graphNodeId),
      },
    }),
  }),
});
