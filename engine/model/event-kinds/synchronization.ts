/** Waits of the host, and of streams for events (`CUPTI_ACTIVITY_KIND_SYNCHRONIZATION`). */
import type { Nanoseconds } from '../../base/units.ts';
import { none, syncName, syncTypes } from '../nsight-codes.ts';
import { integer } from '../typed-columns.ts';
import { field, place, timing } from './detail-fields.ts';
import {
  chromeExport,
  eventKind,
  store,
  workColumns,
  type EventCells,
  type RowContext,
  type WorkCells,
} from './kind.ts';
import { rowKeys } from './row-keys.ts';
import { chromeArguments, placeCells, placeColumns, streamPlace } from './work.ts';

export interface SynchronizationEvent {
  type: 'synchronization';
  start: Nanoseconds;
  end: Nanoseconds;
  kind: 'event' | 'stream-wait' | 'stream' | 'context';
  deviceId: number;
  /** null for the context. */
  streamId: number | null;
  eventId: number | null;
  correlationId: number;
}

const isOfStream = ({ syncType, streamId }: { syncType: number; streamId: number }): boolean =>
  syncType === syncTypes['stream-wait'] && streamId !== none;

/** A stream that waits for an event is not the host waiting: it has a row of its own below the stream. */
function rowOf(event: EventCells & WorkCells & { syncType: number }, context: RowContext): string {
  const place = streamPlace(event);
  if (isOfStream(event)) {
    const device = context.deviceOfContext(place.process, event.contextId, event.deviceId);
    return rowKeys.streamSync({ ...place, device });
  }
  const globalTid = context.callingThread(place.process, event.correlationId);
  return globalTid > 0 ? rowKeys.threadSync(globalTid) : rowKeys.hostSync(place.process);
}

export const synchronization = eventKind({
  title: 'Synchronization',
  section: 'others',
  colour: () => ({ tone: 'quiet', hue: 75, chroma: 0.075 }),
  picture: () => ['wait', 'call that waits'],
  table: {
    name: 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
    ...{ stored: 'SYNCHRONIZATION', owner: 'globalPid', isCorrelated: true },
    exported: `start!, end!, deviceId!, contextId!, greenContextId, streamId!, correlationId, globalPid,
      deprecatedSyncType, syncType!, eventId!, eventSyncId`,
  },

  columns: { ...workColumns, syncType: integer },
  rowOf,
  load: (timeline) => (event) => timeline.add(rowOf(event, timeline), event, timeline.style(syncName(event.syncType))),
  titleOf: ({ syncType }) => syncName(syncType),

  details: { eventId: integer },
  describe(event, context) {
    const name = syncName(event.syncType);
    const where = place(context, event);
    if (event.eventId !== none) where.fields.push(field('Event', event.eventId));
    return { title: name, fullName: name, groups: [timing(event), where] };
  },

  stores: [
    store<SynchronizationEvent>('synchronization', (recording) => {
      const waits = recording.events('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', [
        ...placeColumns,
        ...['syncType', 'eventId', 'eventSyncId'],
      ]);
      return (event) => {
        const shape = waits.shape([...placeCells(event), syncTypes[event.kind], event.eventId ?? none, none]);
        waits.add(event.start, event.end, event.correlationId, shape);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 4, side: 'device' },
    columns: { ...workColumns, syncType: integer, eventId: integer },
    open: (rows) => (event) => {
      const place = streamPlace(event);
      const ofStream = isOfStream(event);
      const device = ofStream ? rows.deviceOfContext(place.process, event.contextId, event.deviceId) : event.deviceId;
      return {
        row: ofStream
          ? rows.stream({ ...place, device }, { before: 'Stream', after: ' (sync)' }, 0.5)
          : rows.process('Synchronization', place.process % 2 ** 24, 2),
        ...{ category: 'cuda_sync', name: syncName(event.syncType), isCalled: false },
        arguments: { ...chromeArguments(event), device, ...(event.eventId === none ? {} : { event: event.eventId }) },
      };
    },
  }),
});
