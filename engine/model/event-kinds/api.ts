/** Calls of the CUDA runtime and driver. */
import type { Nanoseconds } from '../../base/units.ts';
import { apiName, errorName, eventClasses, tidOf } from '../nsight-codes.ts';
import { failedFlavour } from '../timeline.ts';
import { integer, integerOrNull, nameOf } from '../typed-columns.ts';
import { callColour, callPicture } from './calls.ts';
import { field, timing } from './detail-fields.ts';
import { chromeExport, eventKind, keyOfRow, store, type RecordingTables, type RowOfKind } from './kind.ts';

export interface ApiEvent {
  type: 'api';
  start: Nanoseconds;
  end: Nanoseconds;
  name: string;
  correlationId: number;
  threadId: number;
  returnValue: number;
}

const row: RowOfKind = { of: 'thread', key: 'api', title: 'CUDA API', track: 'thread', place: 1 };

/** Value of `cudaError_t` and `CUresult` that says that something is not done yet, which a program that asks wants to know. */
const notReady = 600;
const isError = (returnValue: number): boolean => returnValue !== 0 && returnValue !== notReady;

/** Calls of one function by one thread differ in their times alone. */
function shapesOfCalls(
  recording: RecordingTables,
  shape: (cells: (string | number)[]) => number,
): (event: ApiEvent) => number {
  const calls = new Map<string, Map<number, number>>();
  return ({ name, threadId, returnValue }) => {
    let known = calls.get(name);
    if (!known) calls.set(name, (known = new Map()));
    const key = threadId * 0x10000 + returnValue;
    let found = known.get(key);
    if (found === undefined) {
      const eventClass = /^cu[A-Z]/.test(name) ? eventClasses.driver : eventClasses.runtime;
      found = shape([eventClass, recording.thread(threadId), recording.string(name), returnValue]);
      known.set(key, found);
    }
    return found;
  };
}

export const api = eventKind({
  title: 'CUDA API',
  section: 'calls',
  colour: callColour,
  picture: callPicture,
  table: {
    name: 'CUPTI_ACTIVITY_KIND_RUNTIME',
    ...{ stored: 'RUNTIME', owner: 'globalTid', isCorrelated: true },
    exported: 'start!, end!, eventClass!, globalTid, correlationId, nameId!, returnValue!, callchainId',
  },
  rows: [row],

  columns: { globalTid: integerOrNull, nameId: integer, returnValue: integer },
  rowOf: ({ globalTid }) => keyOfRow(row, globalTid || 0),
  load(timeline) {
    const [done, failed] = [timeline.namedStyles(apiName), timeline.namedStyles(apiName, failedFlavour)];
    return (event) => {
      const globalTid = event.globalTid || 0;
      timeline.called(globalTid, event.correlationId);
      timeline.add(keyOfRow(row, globalTid), event, (isError(event.returnValue) ? failed : done)(event.nameId));
    };
  },
  titleOf: ({ nameId }, name) => apiName(name(nameId)),

  details: { name: nameOf('nameId') },
  describe(event) {
    const name = apiName(String(event.name));
    const fields = [field('Return Value', errorName(event.returnValue)), field('Thread', tidOf(event.globalTid ?? 0))];
    return { title: name, fullName: name, groups: [timing(event), { title: 'Call', fields }] };
  },

  stores: [
    store<ApiEvent>('api', (recording) => {
      const calls = recording.events('CUPTI_ACTIVITY_KIND_RUNTIME', [
        'eventClass',
        'globalTid',
        'nameId',
        'returnValue',
      ]);
      const shapeOf = shapesOfCalls(recording, (cells) => calls.shape(cells));
      return (event) => calls.add(event.start, event.end, event.correlationId, shapeOf(event));
    }),
  ],
  chrome: chromeExport({
    ...{ place: 0, side: 'host' },
    columns: { globalTid: integerOrNull, nameId: integer, returnValue: integer, eventClass: integer },
    open: (rows) => (event) => {
      const globalTid = event.globalTid ?? 0;
      return {
        row: rows.thread('CUDA API', globalTid, 1, tidOf(globalTid)),
        category: event.eventClass === eventClasses.driver ? 'cuda_driver' : 'cuda_runtime',
        name: apiName(rows.name(event.nameId)),
        arguments: { correlation: event.correlationId, 'return value': event.returnValue },
      };
    },
  }),
});
