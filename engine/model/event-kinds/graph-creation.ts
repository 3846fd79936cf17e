/**
 * Graphs that a program made: from nothing, as a clone of another, or as an executable of one (`CUDA_GRAPH_EVENTS`). All of them are
 * numbered together, as CUPTI does: what an H200's activities with CUDA 13.0 have as the graph of a kernel or of a launch is the executable.
 */
import type { Nanoseconds } from '../../base/units.ts';
import { apiName, eventClasses, tidOf } from '../nsight-codes.ts';
import { integer, integerOrNull, nameOf } from '../typed-columns.ts';
import { field, timing } from './detail-fields.ts';
import { chromeExport, eventKind, keyOfRow, store, type RowOfKind } from './kind.ts';

export interface GraphCreationEvent {
  type: 'graph-creation';
  start: Nanoseconds;
  end: Nanoseconds;
  /** The call's. */
  name: string;
  threadId: number;
  made:
    | { kind: 'graph'; graphId: number }
    | { kind: 'clone'; graphId: number; originalGraphId: number }
    | { kind: 'executable'; graphId: number; graphExecId: number };
}

const tableName = 'CUDA_GRAPH_EVENTS';
const row: RowOfKind = { of: 'thread', key: 'graph creations', title: 'CUDA graphs', track: 'thread', place: 3 };

const titles: ReadonlyMap<number, string> = new Map([
  [eventClasses.graph, 'Graph creation'],
  [eventClasses.clone, 'Graph clone'],
  [eventClasses.executable, 'Graph instantiation'],
]);
/** Names without the graph: a program that makes a thousand of them has three names in sums. */
const titleOf = ({ eventClass }: { eventClass: number }): string => titles.get(eventClass) ?? 'Graph';

const graphColumns = { graphId: integerOrNull, originalGraphId: integerOrNull, graphExecId: integerOrNull } as const;

export const graphCreation = eventKind({
  title: 'Graph creation',
  section: 'others',
  // As launches of graphs.
  colour: () => ({ tone: 'quiet', hue: 225, chroma: 0.07 }),
  picture: () => ['call', 'other call'],
  table: {
    name: tableName,
    ...{ owner: 'globalTid', isCorrelated: false },
    exported: 'start!, end!, eventClass!, globalTid, nameId!, graphId, originalGraphId, graphExecId',
  },
  rows: [row],

  columns: { globalTid: integerOrNull, eventClass: integer },
  rowOf: ({ globalTid }) => keyOfRow(row, globalTid || 0),
  load: (timeline) => (event) =>
    timeline.add(keyOfRow(row, event.globalTid || 0), event, timeline.style(titleOf(event))),
  titleOf,

  details: { ...graphColumns, name: nameOf('nameId') },
  describe(event) {
    const title = titleOf(event);
    const { graphId, originalGraphId, graphExecId } = event;
    const fields = [
      field('Graph', graphExecId ?? graphId ?? 'unknown'),
      ...(originalGraphId === null ? [] : [field('Cloned From', `Graph ${originalGraphId}`)]),
      ...(graphExecId === null || graphId === null ? [] : [field('Instantiated From', `Graph ${graphId}`)]),
    ];
    const call = [field('Call', apiName(event.name ?? '?')), field('Thread', tidOf(event.globalTid ?? 0))];
    return {
      title,
      fullName: title,
      groups: [timing(event), { title: 'Graph', fields }, { title: 'Call', fields: call }],
    };
  },
  fieldsOfGraph(graphExecId, query) {
    const [made] = query(`SELECT graphId FROM ${tableName} WHERE graphExecId = ?`, graphExecId);
    return made ? [field('Instantiated From', `Graph ${Number(made[0] ?? 0)}`)] : [];
  },

  stores: [
    store<GraphCreationEvent>('graph-creation', (recording) => {
      const graphs = recording.table(tableName, [
        ...['start', 'end', 'eventClass', 'globalTid', 'nameId', 'graphId', 'originalGraphId', 'graphExecId'],
      ]);
      return ({ start, end, threadId, name, made }) => {
        graphs.add(
          ...[start, end, eventClasses[made.kind], recording.thread(threadId), recording.string(name), made.graphId],
          made.kind === 'clone' ? made.originalGraphId : null,
          made.kind === 'executable' ? made.graphExecId : null,
        );
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 4, side: 'host' },
    columns: { ...graphColumns, globalTid: integerOrNull, eventClass: integer },
    open: (rows) => (event) => ({
      row: rows.thread('CUDA graphs', event.globalTid ?? 0, 2.5),
      ...{ category: 'cuda_graph', name: titleOf(event) },
      arguments: {
        ...(event.graphId === null ? {} : { 'graph id': event.graphId }),
        ...(event.originalGraphId === null ? {} : { 'original graph id': event.originalGraphId }),
        ...(event.graphExecId === null ? {} : { 'graph exec id': event.graphExecId }),
      },
    }),
  }),
});
