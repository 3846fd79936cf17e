/** Implicit synchronization: work of a stream waited for work of another one because of the legacy default stream, which is one of the two. */
import type { Nanoseconds } from '../../base/units.ts';
import { implicitWaitName, nullStreamId } from '../nsight-codes.ts';
import { integer } from '../typed-columns.ts';
import { field, place, timing } from './detail-fields.ts';
import { eventKind, store, workColumns } from './kind.ts';
import { rowKeys } from './row-keys.ts';
import { placeCells, placeColumns, streamPlace } from './work.ts';

export interface ImplicitWaitEvent {
  type: 'implicit-wait';
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  /** Stream that waited, and call that put the work there. */
  streamId: number;
  correlationId: number;
  /** Stream waited for; the correlation id is 0 where that did nothing but take its turn. */
  otherStreamId: number;
  waitsFor: number;
}

export const implicitWait = eventKind({
  title: 'Implicit synchronization',
  section: 'others',
  // Fuller than waits that somebody has asked for.
  colour: () => ({ tone: 'copy', hue: 52, chroma: 0.12 }),
  picture: () => ['wait', 'implicit synchronization'],
  table: { name: 'SIMSIGHT_IMPLICIT_WAITS', owner: 'globalPid', isCorrelated: true },

  columns: { ...workColumns, otherStreamId: integer },
  rowOf: (event) => rowKeys.streamSync(streamPlace(event)),
  load: (timeline) => (event) =>
    timeline.add(rowKeys.streamSync(streamPlace(event)), event, timeline.style(implicitWaitName(event.otherStreamId))),
  titleOf: ({ otherStreamId }) => implicitWaitName(otherStreamId),

  details: {},
  describe(event, context) {
    const name = implicitWaitName(event.otherStreamId);
    const why =
      event.otherStreamId === nullStreamId
        ? 'Blocking streams wait for what was put into the legacy default stream (stream 0) before'
        : 'The legacy default stream (stream 0) waits for what was put into all blocking streams before';
    const fields = [
      field('Why', why),
      field('To do', 'cudaStreamNonBlocking, another stream than 0, or --default-stream per-thread'),
    ];
    return {
      title: name,
      fullName: name,
      groups: [timing(event), { title: 'Implicit synchronization', fields }, place(context, event)],
    };
  },

  stores: [
    store<ImplicitWaitEvent>('implicit-wait', (recording) => {
      const waits = recording.table('SIMSIGHT_IMPLICIT_WAITS', [
        ...['start', 'end', ...placeColumns, 'correlationId', 'otherStreamId', 'waitsFor'],
      ]);
      return (event) => {
        const { start, end, correlationId, otherStreamId, waitsFor } = event;
        waits.add(start, end, ...placeCells(event), correlationId, otherStreamId, waitsFor);
      };
    }),
  ],
});
