/**
 * A trace in Chrome's JSON trace event format, as Perfetto reads it (perfetto.dev/docs/getting-started/other-formats).
 * Categories, arguments and arrows are called what Kineto, PyTorch's profiler, calls them, so that scripts for its traces
 * work here.
 *
 *   await writeChromeTrace(file, 'out.json.gz');
 *
 * Slices of one thread have to nest there, so a row whose events overlap becomes as many threads as it has lanes, and a GPU
 * is a process whose streams are threads. Everything is read in order of time and written as it comes: memory does not grow
 * with the trace.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { eventKinds, kindOf, type EventKind } from '../model/event-kinds/index.ts';
import { eventColumns, type ChromeRows, type ChromeSlice, type EventCells } from '../model/event-kinds/kind.ts';
import { pidOf, tidOf } from '../model/nsight-codes.ts';
import { computed, integer, integerOrNull } from '../model/typed-columns.ts';
import { devicesOfContexts } from '../trace/contexts.ts';
import { namesByDevice } from '../trace/gpu-names.ts';
import type { TraceFile } from '../trace/open-file.ts';
import type { Row } from '../trace/trace.ts';
import { selectFrom, typedRows, whereOf } from '../trace/typed-rows.ts';
import { metadata } from './chrome-export/json-events.ts';
import { Rates } from './chrome-export/rates.ts';
import { mostLanes, TimelineRows, type PlacedSlice } from './chrome-export/timeline-rows.ts';
import { reading } from './export-target.ts';

/** Characters per piece that goes to the file. */
const pieceLength = 65536;
/** Names are written with each event: longer ones, which no compiler makes, are cut. */
const longestName = 16_384;

/** Compressed where the name ends in `.gz`. */
export async function writeChromeTrace(file: TraceFile, path: string, compressed: boolean): Promise<void> {
  await reading(file, async () => {
    const pieces = Readable.from(inPieces(chromeTrace(file)));
    if (compressed) await pipeline(pieces, createGzip(), createWriteStream(path));
    else await pipeline(pieces, createWriteStream(path));
  });
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* chromeTrace(file: TraceFile): Generator<string> {
  const facts = file.db.prepare('SELECT name, value FROM SIMSIGHT_RECORDING').raw().all() as [string, string | null][];
  const shown = new Set(['engineVersion', 'title', 'program', 'gpuId', 'complete', 'importedFrom']);
  const otherData = Object.fromEntries(facts.filter(([name]) => shown.has(name)));
  yield `{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[`;
  let separator = '\n';
  const events = new ChromeEvents(file);
  for (const line of events.all()) {
    yield separator + line;
    separator = ',\n';
  }
  yield events.leftOut === 0 ? '\n]}\n' : `\n],"notice":${JSON.stringify(leftOutText(events.leftOut))}}\n`;
}

const leftOutText = (count: number): string =>
  `${count} events were left out: more than ${mostLanes} of their row run at the same time.`;

/** The kinds of one side that are exported, in their order. */
const kindsOn = (side: 'host' | 'device'): EventKind[] =>
  eventKinds
    .filter((kind) => kindOf[kind].chrome?.side === side)
    .sort((a, b) => kindOf[a].chrome!.place - kindOf[b].chrome!.place);

class ChromeEvents {
  private readonly file: TraceFile;
  private readonly strings: ReadonlyMap<unknown, string>;
  private readonly tables: ReadonlySet<string>;
  /** Devices on which several processes have work: each has rows of its own. */
  private readonly sharing: ReadonlySet<number>;
  private readonly rows = new TimelineRows();
  private readonly rates = new Rates();

  constructor(file: TraceFile) {
    this.file = file;
    const { db } = file;
    const texts = db.prepare('SELECT id, value FROM StringIds').raw().all() as [number, string][];
    this.strings = new Map(
      texts.map(([id, text]) => [
        id,
        String(text).length > longestName ? `${String(text).slice(0, longestName)}…` : text,
      ]),
    );
    this.tables = new Set(db.prepare('SELECT name FROM sqlite_schema').pluck().all() as string[]);
    this.sharing = this.sharedDevices();
  }

  get leftOut(): number {
    return this.rows.leftOut;
  }

  *all(): Generator<string> {
    yield* this.processes();
    const places = this.places();
    for (const kind of kindsOn('host')) yield* this.written(this.slices(kind, places));
    yield* this.written(merge(...kindsOn('device').map((kind) => this.slices(kind, places))));
    yield* this.rates.until(Infinity);
  }

  private *processes(): Generator<string> {
    for (const [globalPid, name] of this.query('SELECT globalPid, name FROM PROCESSES')) {
      const pid = pidOf(Number(globalPid));
      yield metadata('process_name', pid, { name: name ?? `Process ${pid}` });
      yield metadata('process_sort_index', pid, { sort_index: 0 });
    }
    const names = namesByDevice((sql) => this.query(sql));
    for (const [device, name] of [...names].sort(([a], [b]) => a - b)) {
      const pid = this.rows.gpu(device);
      yield metadata('process_name', pid, { name: `${name} (${device})` });
      yield metadata('process_labels', pid, { labels: `GPU ${device}` });
      yield metadata('process_sort_index', pid, { sort_index: 1 + device });
    }
  }

  private sharedDevices(): Set<number> {
    const work = eventKinds
      .filter((kind) => kindOf[kind].work !== undefined)
      .map((kind) => `SELECT deviceId, globalPid FROM SIMSIGHT_SHAPES_${kindOf[kind].table.stored}`)
      .join(' UNION ');
    const shared = this.query(`SELECT deviceId FROM (${work}) GROUP BY deviceId HAVING count(*) > 1`);
    return new Set([...shared].map(([device]) => Number(device)));
  }

  /** The places that kinds put their slices on. */
  private places(): ChromeRows {
    const { rows } = this;
    const [[rangesOf = ''] = []] = this.query("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'rangesOf'");
    return {
      query: (sql) => this.query(sql),
      name: (id, otherwise = '?') => String(this.strings.get(id) ?? otherwise),
      areThreads: rangesOf === 'threads',
      thread: (title, globalTid, order, tid) =>
        rows.row(pidOf(globalTid), `${title}, thread ${tidOf(globalTid)}`, order, true, tid),
      process: (title, pid, order) => rows.row(pid, title, order),
      gpu: (title, device, order) => rows.row(rows.gpu(device), title, order),
      stream: ({ device, process, stream }, { before, after = '' }, order = 0) => {
        const of = this.sharing.has(device) ? `, process ${process % 2 ** 24}` : '';
        return rows.row(rows.gpu(device), `${before} ${stream}${after}${of}`, streamOrder(stream) + order);
      },
      deviceOfContext: devicesOfContexts((sql) => [...this.query(sql)]),
      move: (device, rate, event, bytes) => this.rates.move(rows.gpu(device), rate, event, bytes),
    };
  }

  /** The slices of a kind in order of start; what a GPU did with the call that caused it. */
  private *slices(kind: EventKind, places: ChromeRows): Generator<PlacedSlice> {
    const { table, chrome } = kindOf[kind];
    if (!chrome || !this.tables.has(table.name)) return;
    const isCalled = table.isCorrelated && table.owner === 'globalPid';
    const columns = { ...eventColumns(table), ...chrome.columns, ...(isCalled ? callColumns : {}) };
    const from = selectFrom(table, columns) + (isCalled ? joinedCalls : '') + whereOf(table);
    const made = chrome.open(places) as (event: EventCells) => ChromeSlice;
    const sql = `${from} ORDER BY 1, 2 DESC${isCalled ? ', t.rowid' : ''}`;
    for (const event of typedRows(this.file.db, columns, sql)) {
      const [start, end] = event.row;
      if (!isRange(start, end)) continue;
      const slice = made(event as unknown as EventCells);
      const { callThread, callStart } = event as unknown as CallCells;
      const isArrow = isCalled && slice.isCalled !== false && callStart !== null;
      yield {
        ...{ row: slice.row, category: slice.category, name: slice.name, arguments: slice.arguments },
        ...{ start: start as number, end: end as number },
        ...(isArrow ? { call: { pid: pidOf(callThread), tid: tidOf(callThread), start: callStart } } : {}),
      };
    }
  }

  private *written(slices: Iterable<PlacedSlice>): Generator<string> {
    for (const slice of slices) {
      yield* this.rows.write(slice);
      yield* this.rates.until(slice.start);
    }
  }

  private query(sql: string): Iterable<Row> {
    return this.file.db.prepare(sql).raw().iterate() as Iterable<Row>;
  }
}

/** One call per correlation id: a call may be there as one of the runtime and one of the driver, and in a file all may have the same. */
const firstCalls = `SELECT correlationId, globalTid >> 24 AS process, globalTid, start, min(rowid)
  FROM ${kindOf.api.table.name} WHERE correlationId IS NOT NULL GROUP BY 1, 2`;
const joinedCalls = ` LEFT JOIN (${firstCalls}) r ON r.correlationId = t.correlationId AND r.process = t.globalPid >> 24`;
const callColumns = {
  callThread: computed(integer, 'r.globalTid'),
  callStart: computed(integerOrNull, 'r.start'),
} as const;
interface CallCells {
  callThread: number;
  callStart: number | null;
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 2 ** 53;
const isRange = (start: unknown, end: unknown): boolean => isTime(start) && isTime(end) && start <= end;

/** Streams stand below what a GPU has beside them, in the order of their numbers. */
const streamOrder = (stream: number): number => 2 + Math.min(stream, 2 ** 24);

/** Several sequences in order of start as one. */
function* merge(...sequences: Generator<PlacedSlice>[]): Generator<PlacedSlice> {
  try {
    const heads = sequences.map((sequence) => ({ sequence, head: sequence.next() }));
    for (;;) {
      let first: (typeof heads)[number] | undefined;
      for (const each of heads) {
        if (!each.head.done && (!first || each.head.value.start < (first.head.value as PlacedSlice).start))
          first = each;
      }
      if (!first) return;
      yield first.head.value as PlacedSlice;
      first.head = first.sequence.next();
    }
  } finally {
    // Where one fails, the others would keep the database busy.
    for (const sequence of sequences) sequence.return(undefined);
  }
}
