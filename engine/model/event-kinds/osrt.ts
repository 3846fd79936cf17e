/** Calls of the C library, in recordings of Nsight Systems. */
import { tidOf } from '../nsight-codes.ts';
import { integer, integerOrNull, nameOf } from '../typed-columns.ts';
import { callColour, callPicture } from './calls.ts';
import { field, timing } from './detail-fields.ts';
import { chromeExport, eventKind, keyOfRow, type RowOfKind } from './kind.ts';

const row: RowOfKind = { of: 'thread', key: 'os calls', title: 'OS runtime', track: 'thread', place: 2 };

export const osrt = eventKind({
  title: 'OS runtime',
  section: null,
  colour: callColour,
  picture: callPicture,
  table: {
    name: 'OSRT_API',
    ...{ stored: 'OSRT', owner: 'globalTid', isCorrelated: false },
    exported: 'start!, end!, eventClass!, globalTid, nameId!, returnValue!, nestingLevel, callchainId!, argumentsId',
  },
  rows: [row],

  columns: { globalTid: integerOrNull, nameId: integer },
  rowOf: ({ globalTid }) => keyOfRow(row, globalTid || 0),
  load(timeline) {
    const style = timeline.namedStyles((name) => name);
    return (event) => timeline.add(keyOfRow(row, event.globalTid || 0), event, style(event.nameId));
  },
  titleOf: ({ nameId }, name) => name(nameId),

  details: { returnValue: integer, name: nameOf('nameId') },
  describe(event) {
    const title = event.name ?? '';
    const fields = [field('Return Value', event.returnValue), field('Thread', tidOf(event.globalTid ?? 0))];
    return { title, fullName: title, groups: [timing(event), { title: 'Call', fields }] };
  },

  stores: [],
  chrome: chromeExport({
    ...{ place: 2, side: 'host' },
    columns: { globalTid: integerOrNull, nameId: integer, returnValue: integer },
    open: (rows) => (event) => ({
      row: rows.thread('OS runtime', event.globalTid ?? 0, 2),
      ...{ category: 'os_runtime', name: rows.name(event.nameId) },
      arguments: { 'return value': event.returnValue },
    }),
  }),
});
