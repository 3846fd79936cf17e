/** All about one event, for the selection panel: groups of fields under the names that Nsight uses. */
import { SimsightError } from '../base/errors.ts';
import { eventKinds, kindOf, type EventKind } from '../model/event-kinds/index.ts';
import {
  eventColumns,
  type EventCells,
  type EventContext,
  type Query,
  type RowContext,
} from '../model/event-kinds/kind.ts';
import type { StreamPlace } from '../model/event-kinds/row-keys.ts';
import type { EventDetails } from '../model/event-queries.ts';
import { processOf } from '../model/nsight-codes.ts';
import {
  cellsOf,
  computed,
  integer,
  integerOrNull,
  type Cells,
  type CellsOf,
  type Columns,
} from '../model/typed-columns.ts';
import type { EventRef } from '../model/timeline.ts';
import { devicesOfContexts } from './contexts.ts';
import { gpuOf, type Trace } from './trace.ts';
import { selectFrom } from './typed-rows.ts';

type EventSource = Pick<Trace, 'path' | 'query' | 'facts' | 'correlated'>;

export function describeEvent(trace: EventSource, ref: EventRef, trackOf: (key: string) => number): EventDetails {
  const { table, columns, details, rowOf, describe } = kindOf[ref.kind];
  const all = { ...eventColumns(table), ...columns, ...details, ...ownerColumn(ref.kind) };
  const [found] = trace.query(`${selectFrom(table, all)} WHERE t.rowid = ?`, ref.row);
  if (!found) throw new SimsightError('bad-request', `${trace.path} has no ${ref.kind} ${ref.row}.`);
  const event = cellsOf(all, found) as OwnedEvent;
  const call = new CallOfEvents(trace, event);
  const { title, fullName, groups } = describe(event, contextOf(trace, ref.row, call));
  return {
    ref,
    track: trackOf(rowOf(event, call)),
    title,
    fullName,
    startNs: event.start,
    durationNs: event.end - event.start,
    groups: groups.filter(({ fields }) => fields.length > 0),
    correlated: correlatedWith(trace, ref, call, trackOf),
  };
}

function contextOf(trace: EventSource, row: number, call: CallOfEvents): EventContext {
  const query: Query = (sql, ...parameters) => trace.query(sql, ...parameters);
  return {
    row,
    query,
    graph: (graphExecId) => eventKinds.flatMap((kind) => kindOf[kind].fieldsOfGraph?.(graphExecId, query) ?? []),
    correlated: (kind, columns) => call.eventsOf(kind, columns),
    deviceName: (device) => gpuOf(trace.facts, device)?.name ?? 'GPU',
    memoryBandwidth: (device) => gpuOf(trace.facts, device)?.memory?.bandwidth,
    areThreads: trace.facts.areThreads,
  };
}

/** An event with the process or thread that it is of, null where that is not known. */
type OwnedEvent = EventCells & Cells & { readonly owner: number | null };
const ownerColumn = (kind: EventKind): { owner: typeof integerOrNull } => ({
  owner: computed(integerOrNull, kindOf[kind].table.owner === null ? 'NULL' : `t.${kindOf[kind].table.owner}`),
});

/** The events that belong to one call, by their correlation id, which is unique within a process only. */
class CallOfEvents implements RowContext {
  readonly correlationId: number | null;
  private readonly trace: EventSource;
  private readonly process: number;
  private launch: StreamPlace | null | undefined;

  constructor(trace: EventSource, { correlationId, owner }: Pick<OwnedEvent, 'correlationId' | 'owner'>) {
    this.trace = trace;
    this.correlationId = correlationId;
    this.process = processOf(owner);
  }

  /** Context of another call of the process. */
  other(correlationId: number): CallOfEvents {
    return new CallOfEvents(this.trace, { correlationId, owner: this.process * 2 ** 24 });
  }

  /** Columns of the events of one kind that belong to the call, in order of start. */
  eventsOf<C extends Columns>(kind: EventKind, columns: C): CellsOf<C>[] {
    if (this.correlationId === null) return [];
    const rows = this.trace.correlated(kind, this.correlationId);
    if (rows.length === 0) return [];
    const { table } = kindOf[kind];
    const sql = `${selectFrom(table, columns)} WHERE t.rowid IN (SELECT value FROM json_each(?))
      AND coalesce(t.${table.owner} >> 24, ?) = ? ORDER BY t.start, t.rowid`;
    const found = this.trace.query(sql, JSON.stringify(rows), this.process, this.process);
    return found.map((row) => cellsOf(columns, row));
  }

  /** Stream in which the graph was launched whose nodes belong to the call; the last of several, as on the timeline. */
  graphLaunch(): StreamPlace | null {
    if (this.launch === undefined) {
      const launches = this.eventsOf('graph', launchColumns).filter(
        ({ globalPid }) => processOf(globalPid) === this.process,
      );
      const last = launches.sort((a, b) => a.rowid - b.rowid).at(-1);
      this.launch = last
        ? { device: last.deviceId, process: this.process, context: last.contextId, stream: last.streamId }
        : null;
    }
    return this.launch;
  }

  callingThread(): number {
    const [call] = this.eventsOf('api', { globalTid: integer });
    return call?.globalTid ?? 0;
  }

  deviceOfContext(process: number, context: number, otherwise: number): number {
    return devicesOfContexts((sql) => this.trace.query(sql))(process, context, otherwise);
  }
}

const launchColumns = {
  rowid: integer,
  deviceId: integer,
  contextId: integer,
  streamId: integer,
  globalPid: integerOrNull,
} as const;

/** Kinds whose events have correlation ids. */
const correlatedKinds = eventKinds.filter((kind) => kindOf[kind].table.isCorrelated);
/** Work of a GPU, which waits and is waited for. */
const workKinds = eventKinds.filter((kind) => kindOf[kind].work !== undefined);

/** Events of the same call, then of those that it waited for, or that waited for it. */
function correlatedWith(
  trace: EventSource,
  ref: EventRef,
  own: CallOfEvents,
  trackOf: (key: string) => number,
): EventDetails['correlated'] {
  const found: EventDetails['correlated'] = [];
  const name = (id: number): string =>
    String(trace.query('SELECT value FROM StringIds WHERE id = ?', id)[0]?.[0] ?? null);
  const add = (kind: EventKind, call: CallOfEvents): void => {
    const { table, columns, rowOf, titleOf } = kindOf[kind];
    for (const cells of call.eventsOf(kind, { ...eventColumns(table), ...columns })) {
      const event = cells as EventCells & typeof cells;
      if (kind === ref.kind && event.rowid === ref.row) continue;
      found.push({
        ref: { kind, row: event.rowid },
        track: trackOf(rowOf(event, call)),
        title: titleOf(event, name),
        startNs: event.start,
        durationNs: event.end - event.start,
      });
    }
  };
  for (const kind of correlatedKinds) if (kind !== 'graph' || own.graphLaunch()) add(kind, own);
  // Work on other streams that a stream waited for; for work, also the work and waits that waited for it.
  const addOthers = (correlationId: number, kinds: readonly EventKind[]): void => {
    const call = own.other(correlationId);
    for (const kind of call.graphLaunch() ? (['graph'] as const) : kinds) add(kind, call);
  };
  for (const other of dependencies(trace, 'waitsFor', 'correlationId', own)) addOthers(other, workKinds);
  if (ref.kind !== 'api') {
    for (const other of dependencies(trace, 'correlationId', 'waitsFor', own))
      addOthers(other, [...workKinds, 'synchronization']);
  }
  return found;
}

/** No more than can be told apart. */
const mostDependencies = 32;
function dependencies(
  trace: Pick<Trace, 'query'>,
  wanted: string,
  given: string,
  { correlationId }: CallOfEvents,
): number[] {
  if (correlationId === null) return [];
  const sql = `SELECT DISTINCT ${wanted} FROM SIMSIGHT_STREAM_DEPENDENCIES WHERE ${given} = ? ORDER BY 1 LIMIT ${mostDependencies}`;
  return trace.query(sql, correlationId).map(([id]) => Number(id ?? 0));
}
