/** Launches of graphs: from the start of the first node to the end of the last. */
import type { EventField } from '../event-queries.ts';
import { formatNumber, formatPercent, formatTime } from '../format.ts';
import { computed, integer } from '../typed-columns.ts';
import { field, place, queueTime, timing } from './detail-fields.ts';
import { chromeExport, eventKind, store, workColumns, type EventContext } from './kind.ts';
import { rowKeys } from './row-keys.ts';
import { chromeArguments, chromeGraph, placeCells, placeColumns, streamPlace, type DeviceWork } from './work.ts';

export interface GraphEvent extends DeviceWork {
  type: 'graph';
  /** The executable's. */
  graphId: number;
}

const nodeKinds = { kernel: 'Kernels', memcpy: 'Copies', memset: 'Memsets' } as const;

/** Nodes of a launch by kind: how many, how long together, and as a share of the launch. */
function nodeFields(context: EventContext, duration: number): EventField[] {
  return (['kernel', 'memcpy', 'memset'] as const).flatMap((kind) => {
    const nodes = context.correlated(kind, { length: computed(integer, 't.end - t.start') });
    if (nodes.length === 0) return [];
    const time = nodes.reduce((sum, { length }) => sum + length, 0);
    const share = duration > 0 ? ` (${formatPercent((100 * time) / duration)} of the launch)` : '';
    return [field(nodeKinds[kind], `${formatNumber(nodes.length)}, ${formatTime(time)}${share}`)];
  });
}

export const graph = eventKind({
  title: 'Graph launch',
  section: 'others',
  colour: () => ({ tone: 'quiet', hue: 225, chroma: 0.07 }),
  picture: () => ['launch', 'launch'],
  table: {
    name: 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
    ...{ stored: 'GRAPH_TRACE', owner: 'globalPid', isCorrelated: true },
    exported: `start!, end!, deviceId!, contextId!, greenContextId, streamId!, correlationId, globalPid, graphId!,
      graphExecId!`,
  },

  columns: { ...workColumns, graphId: integer },
  rowOf: (event) => rowKeys.stream(streamPlace(event)),
  load: (timeline) => (event) => {
    const place = streamPlace(event);
    timeline.launched(place, event.correlationId);
    timeline.add(rowKeys.stream(place), event, timeline.style(`Graph ${event.graphId}`));
  },
  titleOf: ({ graphId }) => `Graph ${graphId}`,

  details: {},
  describe(event, context) {
    const title = `Graph ${event.graphId}`;
    const fields = nodeFields(context, event.end - event.start);
    return {
      title,
      fullName: title,
      groups: [timing(event, queueTime(context, event)), { title: 'Nodes', fields }, place(context, event)],
    };
  },

  stores: [
    store<GraphEvent>('graph', (recording) => {
      const launches = recording.events('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', [...placeColumns, 'graphId', 'graphExecId']);
      return (event) => {
        const shape = launches.shape([...placeCells(event), event.graphId, event.graphId]);
        launches.add(event.start, event.end, event.correlationId, shape);
      };
    }),
  ],
  chrome: chromeExport({
    ...{ place: 3, side: 'device' },
    columns: { ...workColumns, graphId: integer },
    // The nodes are on the rows of the streams that they ran on.
    open: (rows) => (event) => ({
      row: rows.stream(streamPlace(event), { before: 'Graphs, stream' }, -0.5),
      ...{ category: 'graph', name: `Graph ${event.graphId}` },
      arguments: { ...chromeArguments(event), ...chromeGraph(event.graphId, null) },
    }),
  }),
});
