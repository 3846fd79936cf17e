/**
 * An opened trace: what is in it, what is to be drawn, all about one event.
 *
 *   const trace = openTrace('out.simsight');
 *   trace.info.tracks;                                        // the rows of the timeline
 *   trace.window([3, 4], 0, 1e6, 1000);                       // their events in the first millisecond, 1 µs per pixel
 *   trace.event({ kind: 'kernel', row: 17 });
 *   trace.close();
 *
 * The file is only ever read. Events stay in it: what is drawn comes from packed pieces of its tracks, details from its tables.
 */
import type { Statement } from 'better-sqlite3';
import { basename } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { kindNumber, type EventKind } from '../model/event-kinds/index.ts';
import type { EventDetails } from '../model/event-queries.ts';
import type { WarpWindow } from '../model/kernel-view.ts';
import type { ConsoleLine } from '../model/recording.ts';
import { mostFailures, type EventRef, type TraceInfo, type TrackWindow } from '../model/timeline.ts';
import { cutShortNotices } from './cut-short.ts';
import { describeEvent } from './event-details.ts';
import { EventQueries } from './event-queries.ts';
import { readFacts } from './facts.ts';
import { readFailures } from './failures.ts';
import { gpuNames } from './gpu-names.ts';
import { mostRows } from './load-events.ts';
import { openTraceFile, type TraceFile } from './open-file.ts';
import { mostGpus, TimelineTree } from './timeline-tree.ts';
import type { Row, Trace, TraceFacts } from './trace.ts';
import { ChunkCache, mostLanesOfRow, TrackEvents, type FlatEvents, type Style } from './track-events.ts';
import { readTrackIndex, type TrackIndex } from './track-index.ts';
import type { WarpTimeline } from './warp-chunks.ts';
import { readWarps } from './warp-table.ts';

/** Profiles whose warps stay unpacked: a few MB each. */
const keptTimelines = 8;
/** Events of rows that only contain other rows. */
const noEvents = new TrackEvents({ lanes: 0, events: 0, busyNs: 0, endNs: 0 }, [], new ChunkCache([]));

export type { Row, Trace, TraceFacts } from './trace.ts';

/** `file`: what was opened in its place, of a recording of another format. */
export function openTrace(path: string, file: TraceFile = openTraceFile(path)): Trace {
  try {
    return file.guarded(() => new OpenTrace(path, file));
  } catch (error) {
    file.close();
    throw error;
  }
}

class OpenTrace implements Trace {
  readonly path: string;
  readonly storedAt: string;
  readonly info: TraceInfo;
  readonly facts: TraceFacts;
  private readonly file: TraceFile;
  /** Prepared once: all queries are ours, and few. */
  private readonly statements = new Map<string, Statement>();
  private readonly index: TrackIndex;
  readonly queries: EventQueries;
  private readonly tree: TimelineTree;
  /** Warp timelines by profile. */
  private readonly timelines = new Map<number, WarpTimeline>();

  constructor(path: string, file: TraceFile) {
    this.path = path;
    this.storedAt = file.path;
    this.file = file;
    this.facts = readFacts(this);
    this.index = readTrackIndex(file.db, file.guarded);
    const { tracks: lists, eventCount, skipped, rowsLeftOut, overlapping, deviceBusyNs } = this.index;

    const notices = this.query('SELECT text FROM SIMSIGHT_NOTICES ORDER BY id').map((row) => String(row[0]));
    notices.unshift(...cutShortNotices(path, (sql) => this.query(sql)));
    if (skipped > 0) {
      notices.push(`${skipped} events were left out because their times cannot be read.`);
    }
    if (rowsLeftOut > 0) {
      notices.push(
        `${rowsLeftOut} rows of the timeline are not shown: it has ${mostRows} at most. Reports and SQL count all events.`,
      );
    }
    if (overlapping > 0) {
      notices.push(
        `${overlapping} events are not shown: more than ${mostLanesOfRow} of their row go on at the same time. Reports and SQL count all of them.`,
      );
    }
    if (this.facts.gpuId !== '' && this.facts.gpu === null) {
      notices.push(
        'What this trace says of its GPU cannot be read: peaks, occupancy and rows of SMs, which need it, are left out.',
      );
    }
    const consoleEnd = Number(this.query('SELECT max(time) FROM SIMSIGHT_CONSOLE')[0]?.[0] ?? 0);
    let durationNs = Number.isFinite(consoleEnd) ? Math.max(consoleEnd, 0) : 0;
    let firstEventNs = Infinity;
    for (const list of lists.values()) {
      durationNs = Math.max(durationNs, list.endNs);
      firstEventNs = Math.min(firstEventNs, list.firstNs);
    }

    this.tree = new TimelineTree({ trace: this, lists, styles: this.index.styles, durationNs, deviceBusyNs });
    this.info = {
      traceId: 0,
      path,
      title: this.facts.title || basename(path),
      program: this.facts.program,
      gpu: this.facts.gpu ? machineName(this.facts) : [...new Set(gpuNames(this).values())].join(', '),
      durationNs,
      firstEventNs: Number.isFinite(firstEventNs) ? firstEventNs : 0,
      eventCount,
      exitCode: this.facts.exitCode,
      complete: this.facts.complete,
      notices,
      failures: readFailures(this, mostFailures),
      tracks: this.tree.tracks,
    };
    if (this.tree.gpusLeftOut > 0)
      notices.push(`${this.tree.gpusLeftOut} GPUs are not shown: the timeline has ${mostGpus} at most.`);
    this.queries = new EventQueries(this, this.tree.events, this.index.styles);
  }

  window(tracks: readonly number[], fromNs: number, toNs: number, resolutionNs: number): TrackWindow[] {
    return tracks.map((track) => {
      const events = this.tree.events.get(track);
      const { styles } = this.index;
      if (events) return this.file.guarded(() => events.window(track, fromNs, toNs, resolutionNs, styles));
      const activity = this.tree.activity.get(track);
      if (activity) return this.file.guarded(() => activity.window(track, fromNs, toNs, resolutionNs));
      if (this.info.tracks.some(({ id }) => id === track)) return noEvents.window(track, fromNs, toNs, 0, []);
      throw new SimsightError('bad-request', `${this.path} has no track ${track}.`);
    });
  }

  allEvents(track: number): { events: FlatEvents; styles: readonly Style[] } | null {
    const events = this.tree.events.get(track);
    return events ? { events: this.file.guarded(() => events.flat()), styles: this.index.styles } : null;
  }

  event(ref: EventRef): EventDetails {
    return describeEvent(this, ref, (key) => this.tree.trackOfKey.get(key) ?? 0);
  }

  correlated(kind: EventKind, correlationId: number): number[] {
    const rows = new Set<number>();
    this.file.guarded(() => {
      for (const events of this.index.tracks.values()) {
        for (const { style, row } of events.correlated(correlationId)) {
          if (this.index.styles[style]?.kind === kindNumber[kind]) rows.add(row);
        }
      }
    });
    return [...rows];
  }

  warps(kernel: number): WarpTimeline | null {
    const [row] = this.query('SELECT profile FROM SIMSIGHT_KERNEL_PROFILES WHERE kernel = ?', kernel);
    const profile = Number(row?.[0] ?? 0);
    const known = this.timelines.get(profile);
    const warps = known ?? this.file.guarded(() => readWarps(this, profile));
    if (!warps) return null;
    // The last one asked for is the last to go.
    this.timelines.delete(profile);
    this.timelines.set(profile, warps);
    for (const oldest of this.timelines.keys()) {
      if (this.timelines.size <= keptTimelines) break;
      this.timelines.delete(oldest);
    }
    return warps;
  }

  warpWindows(
    kernel: number,
    subPartitions: readonly number[],
    fromCycle: number,
    toCycle: number,
    resolution: number,
  ): WarpWindow[] | null {
    const warps = this.warps(kernel);
    return (
      warps && this.file.guarded(() => subPartitions.map((each) => warps.window(each, fromCycle, toCycle, resolution)))
    );
  }

  console(): ConsoleLine[] {
    const written = this.query('SELECT time, stream, text FROM SIMSIGHT_CONSOLE ORDER BY id');
    return linesOf(
      written.map(([time, stream, text]) => ({
        timeNs: Number(time),
        stream: stream === 2 ? 'stderr' : 'stdout',
        text: String(text),
      })),
    );
  }

  sources(): { path: string; text: string }[] {
    const rows = this.query('SELECT path, text FROM SIMSIGHT_SOURCES ORDER BY id');
    return rows.map(([path, text]) => ({ path: String(path), text: String(text) }));
  }

  query(sql: string, ...parameters: (string | number)[]): Row[] {
    return this.file.guarded(() => {
      let statement = this.statements.get(sql);
      if (!statement) this.statements.set(sql, (statement = this.file.db.prepare(sql).raw()));
      return statement.all(...parameters) as Row[];
    });
  }

  guarded<T>(unpack: () => T): T {
    return this.file.guarded(unpack);
  }

  close(): void {
    this.file.close();
  }
}

/**
 * Joins the output of a program, which arrives in pieces of any size, into lines with their line breaks, at the time of their first piece;
 * a line that the other stream interrupts continues in a new one.
 */
function linesOf(pieces: readonly ConsoleLine[]): ConsoleLine[] {
  const lines: ConsoleLine[] = [];
  let open = false;
  for (const { timeNs, stream, text } of pieces) {
    for (const part of text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      const last = lines.at(-1);
      if (open && last?.stream === stream) last.text += part;
      else lines.push({ timeNs, stream, text: part });
      open = !part.endsWith('\n');
    }
  }
  return lines;
}

/** All GPUs, those of a kind together: `2 × NVIDIA H200`. */
function machineName({ gpu, gpuId, otherGpus }: TraceFacts): string {
  const names = [gpu?.name ?? gpuId, ...otherGpus.map(({ name }) => name)];
  return [...new Set(names)]
    .map((name) => {
      const count = names.filter((each) => each === name).length;
      return count > 1 ? `${count} × ${name}` : name;
    })
    .join(', ');
}
