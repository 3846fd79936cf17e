/* eslint-disable svelte/prefer-svelte-reactivity -- sets and maps here are replaced as a whole, or nothing shows them */
/** One trace on screen: its rows, what is selected, and the data of its panels. */
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import type { EventRef, TraceInfo, TrackWindow } from '../../../engine/model/timeline.ts';
import type { ConsoleLine } from '../../../engine/model/recording.ts';
import type { EventDetails } from '../../../engine/model/event-queries.ts';
import type { ReportTable } from '../../../engine/model/tables.ts';
import type { Method, Params, Result } from '../../../engine/api/contract.ts';
import type { CallOptions } from '../../../engine/api/rpc.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import { formatCount, formatTime } from '../../../engine/model/format.ts';
import type { MarkedEvent, Picked } from '../timeline/scene.ts';
import { visibleRows } from '../timeline/row-layout.ts';
import type { Theme } from '../timeline/colours.ts';
import { legendOf } from '../timeline/legend.ts';
import { overviewTracks } from '../timeline/overview.ts';
import type { CycleScale } from '../timeline/ticks.ts';
import { resolutionFor, TrackWindows } from '../timeline/track-windows.ts';
import { clampWindow } from '../timeline/time-window.ts';
import { TimelineView } from '../timeline/view.svelte.ts';
import { exactly } from './event-words.ts';
import { Advice } from './advice.svelte.ts';
import { EventsTable } from './events-table.svelte.ts';
import { isNamed } from './kernel-name.ts';
import { Notes } from './notes.svelte.ts';
import { RangeSummary } from './range-summary.svelte.ts';
import { TraceRows } from './rows.svelte.ts';
import { Search } from './search.svelte.ts';
import type { PicturePane, PictureRegion } from './view-picture.ts';
import type { PanelTab } from './panel-tabs.ts';
import type { ViewState } from './view-state.ts';
import { SqlConsole } from './sql-console.svelte.ts';

export interface Selection {
  event: MarkedEvent;
  title: string;
  details: EventDetails | null;
  problem: Problem | null;
}
export interface Emphasis {
  name: string;
  matches(label: string, fullName: string): boolean;
  /** True if any of several events drawn as one belongs to it. */
  contains?(track: number, fromNs: number, toNs: number): boolean;
}
/** Calls about a trace. */
type Question = { [M in Method]: Params<M> extends { traceId: number } ? M : never }[Method];

export class OpenTrace {
  info = $state.raw<TraceInfo>() as TraceInfo;
  view = $state() as TimelineView;
  selection = $state.raw<Selection | null>(null);
  hovered = $state.raw<Picked | null>(null);
  emphasis = $state.raw<Emphasis | null>(null);
  dataVersion = $state(0);
  loaded = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** Counts {@link retry}, so that the plot asks for its events again. */
  attempt = $state(0);
  /** null until somebody looks at it. */
  console = $state.raw<ConsoleLine[] | null>(null);
  /** The whole trace, coarse, for the minimap; null until it is there. */
  overview = $state.raw<TrackWindow[] | null>(null);
  windows: TrackWindows;
  readonly search = new Search(this);
  readonly events = new EventsTable(this);
  readonly range = new RangeSummary(this);
  readonly sql = new SqlConsole(this);
  readonly notes = new Notes(this);
  readonly advice = new Advice(this);
  readonly rows: TraceRows;
  /** The tab that the panel showed when it was looked at last; null for a trace that was not. */
  readonly tabBefore: PanelTab | null;
  readonly #connection: Connection;
  readonly #reports = new Map<string, Promise<ReportTable>>();

  constructor(connection: Connection, info: TraceInfo, before: ViewState | null) {
    this.#connection = connection;
    this.info = info;
    this.view = new TimelineView(info.durationNs, info.firstEventNs);
    this.rows = new TraceRows(
      () => this.info.tracks,
      (kind, change) => this.view.step(kind, change),
    );
    this.view.rows = [this.rows];
    this.tabBefore = before?.tab ?? null;
    if (before) {
      this.rows.place = { arrangement: before.rows, scrollTop: before.scrollTop };
      this.view.window = clampWindow(before.window, info.durationNs);
      if (before.measured) this.view.measure(before.measured.from, before.measured.to);
    }
    this.windows = this.#newWindows();
  }

  #newWindows(): TrackWindows {
    return new TrackWindows(
      (request) => this.#connection.call('trace.window', { traceId: this.info.traceId, ...request }),
      this.info.durationNs,
      (error) => {
        this.problem = error ? problemOf('Events could not be read', error) : null;
        this.loaded ||= !error;
        this.dataVersion++;
      },
    );
  }

  ask<M extends Question>(method: M, params: Omit<Params<M>, 'traceId'>, options?: CallOptions<M>): Promise<Result<M>> {
    return this.#connection.call(method, { ...params, traceId: this.info.traceId } as Params<M>, options);
  }

  /** After the engine was started again: the same trace under its new number. View, rows and selection stay. */
  adopt(info: TraceInfo): void {
    this.info = info;
    this.#reports.clear();
    this.problem = null;
    const old = this.windows;
    this.windows = this.#newWindows();
    // The drawing stays until the new engine has answered.
    this.windows.keepShowing(old);
    this.dataVersion++;
    this.search.again();
    this.events.again();
    this.range.again();
    this.advice.again();
  }

  /** Asks again for the events that could not be read. */
  retry(): void {
    this.problem = null;
    this.attempt++;
    void this.loadOverview();
  }

  async select(event: MarkedEvent, title: string): Promise<void> {
    const before = this.selection;
    const same = before && before.event.ref.kind === event.ref.kind && before.event.ref.row === event.ref.row;
    if (same && before.details) return;
    this.selection = { event, title, details: null, problem: null };
    try {
      const details = await this.#connection.call('trace.event', { traceId: this.info.traceId, ref: event.ref });
      if (!this.#isSelected(event.ref)) return;
      // A kernel is on its stream's row and on the row of all kernels: the one that was clicked stays selected.
      // A block or warp of a simulated SM stands for its kernel.
      const isPart = ['blocks', 'warps'].includes(this.info.tracks[event.track]?.kind ?? '');
      const track = isPart ? details.track : event.track;
      const exact = { ref: event.ref, track, startNs: details.startNs, durationNs: details.durationNs };
      this.selection = { event: exact, title: details.title, details, problem: null };
    } catch (error) {
      if (!this.#isSelected(event.ref)) return;
      this.selection = { event, title, details: null, problem: problemOf('The event could not be read', error) };
    }
  }
  #isSelected(ref: EventRef): boolean {
    const selected = this.selection?.event.ref;
    return selected?.kind === ref.kind && selected.row === ref.row;
  }
  clearSelection(): void {
    this.selection = null;
  }

  /** The selected event first, then its correlated ones. */
  get marked(): MarkedEvent[] {
    const { selection } = this;
    if (!selection) return [];
    return [selection.event, ...(selection.details?.correlated ?? [])];
  }

  emphasise(name: string | null): void {
    this.emphasis = name === null ? null : { name, matches: (label, fullName) => isNamed({ label, fullName }, name) };
  }

  /** Selects an event and brings it on screen, rows opened and scrolled as needed. */
  async go(event: MarkedEvent, title: string, fit = false): Promise<void> {
    const end = event.startNs + event.durationNs;
    this.view.step('jump', () => {
      if (fit) this.view.fit(event.startNs, end);
      else this.view.reveal(event.startNs, end);
      this.rows.reveal(event.track);
    });
    await this.select(event, title);
  }

  /**
   * The next (+1) or previous (−1) event on the selected event's row, or of its name wherever it is. With nothing selected the first
   * or last one in sight: of the row that has the focus, else of the topmost that has any.
   */
  async step(direction: 1 | -1, of: 'row' | 'name'): Promise<void> {
    const selected = this.selection;
    if (!selected) return this.#selectInSight(direction);
    const { track, startNs, ref } = selected.event;
    const name = selected.details?.fullName || selected.title;
    const filter = of === 'row' ? { tracks: [track] } : { text: exactly(name) };
    const hit = await this.ask('trace.nextHit', {
      filter,
      from: { timeNs: startNs, ref: $state.snapshot(ref) },
      direction: direction > 0 ? 'next' : 'previous',
    });
    // The row that somebody is on stays the one that is looked at.
    if (hit && this.#isSelected(ref)) await this.go(of === 'row' ? { ...hit, track } : hit, hit.name);
  }

  async #selectInSight(direction: 1 | -1): Promise<void> {
    const { layout, scrollTop, viewportHeight, focused } = this.rows.main;
    const { start, span } = this.view.window;
    const rows = visibleRows(layout.rows, scrollTop, scrollTop + viewportHeight);
    const first = rows.find(({ track }) => track.id === focused);
    const [from, direct] = direction > 0 ? ([-1, 'next'] as const) : ([this.info.durationNs + 1, 'previous'] as const);
    for (const row of first ? [first, ...rows] : rows) {
      // Charts have no events.
      const tracks = row.sources.filter((id) => (this.info.tracks[id]?.eventCount ?? 0) > 0);
      if (tracks.length === 0) continue;
      const hit = await this.ask('trace.nextHit', {
        filter: { tracks, fromNs: Math.max(0, start), toNs: Math.max(0, start + span) },
        from: { timeNs: from },
        direction: direct,
      });
      if (this.selection) return;
      if (hit) return this.select(row.flat ? hit : { ...hit, track: row.track.id }, hit.name);
    }
  }

  /** From a report's row: the event that starts at a moment, on whatever row it is. */
  async goToTime(startNs: number, durationNs: number, name: string): Promise<void> {
    const tracks = this.info.tracks.filter((track) => track.eventCount > 0).map((track) => track.id);
    const windows = await this.#connection.call('trace.window', {
      traceId: this.info.traceId,
      tracks: tracks.slice(0, 2000),
      fromNs: startNs,
      toNs: startNs + Math.max(durationNs, 1),
      resolutionNs: 0,
    });
    const found = findEvent(windows, startNs, durationNs, name);
    if (found) await this.go(found, found.label, true);
    else this.view.fit(startNs, startNs + durationNs);
  }

  /** The event itself, wherever it is. */
  async goToEvent(ref: EventRef): Promise<void> {
    const { track, title, startNs, durationNs } = await this.ask('trace.event', { ref });
    await this.go({ ref, track, startNs, durationNs }, title, true);
  }

  /** The cycles of the kernel that runs at a time, if its SM was simulated; as far as it has been drawn. */
  cyclesAt(timeNs: number): CycleScale | null {
    void this.dataVersion;
    for (const { clock, parent } of this.info.tracks) {
      const gpu = clock && this.info.tracks[parent ?? -1]?.parent;
      const kernels = this.info.tracks.find((track) => track.kind === 'kernels' && track.parent === gpu);
      const found = clock && kernels && this.windows.best(kernels.id, this.view.window, this.view.width);
      for (let i = 0; i < (found?.count ?? 0); i++) {
        const [start, length] = [found!.starts[i]!, found!.durations[i]!];
        if (found!.merged[i] !== 1 || timeNs < start || timeNs > start + length) continue;
        const zeroNs = start + Math.min(clock!.leadNs, length / 2);
        return { zeroNs, nsPerCycle: clock!.nsPerCycle, kernel: found!.labels[found!.labelIndex[i]!] ?? '' };
      }
    }
    return null;
  }

  report(name: string): Promise<ReportTable> {
    let report = this.#reports.get(name);
    if (!report) {
      report = this.#connection.call('trace.report', { traceId: this.info.traceId, report: name });
      this.#reports.set(name, report);
      // A failure is not kept: looking again tries again.
      report.catch(() => this.#reports.delete(name));
    }
    return report;
  }

  async loadOverview(): Promise<void> {
    if (this.#overviewAsked) return;
    this.#overviewAsked = true;
    try {
      this.overview = await this.#connection.call('trace.window', {
        traceId: this.info.traceId,
        tracks: overviewTracks(this.info.tracks),
        fromNs: 0,
        toNs: this.info.durationNs,
        resolutionNs: resolutionFor(this.info.durationNs / 1200),
      });
    } catch {
      // The rows say what is wrong; the strip stays empty until it is asked for again.
      this.#overviewAsked = false;
    }
  }
  #overviewAsked = false;

  async loadConsole(): Promise<void> {
    if (this.console) return;
    this.console = await this.#connection.call('trace.console', { traceId: this.info.traceId });
  }

  /** The picture of what is on screen of it. */
  picture(theme: Theme): PicturePane {
    const { title, gpu, durationNs, eventCount } = this.info;
    const regions = [this.rows.pins, this.rows.main].flatMap((region): PictureRegion[] => {
      const picture = region.scene?.picture();
      if (!picture || picture.rows.length === 0) return [];
      const rows = visibleRows(region.layout.rows, region.scrollTop, region.scrollTop + picture.height);
      const titles = rows.map(({ track, depth }) => ({
        ...{ title: track.title, subtitle: track.subtitle, depth },
        legend: legendOf(track.chart, theme),
      }));
      return [{ picture, titles }];
    });
    return {
      title,
      facts: [gpu, formatTime(durationNs), `${formatCount(eventCount)} events`].filter(Boolean).join(' · '),
      window: this.view.window,
      measured: this.view.measured,
      regions,
    };
  }

  close(): void {
    this.#connection.call('trace.close', { traceId: this.info.traceId }).catch(() => {
      // An engine that is gone has closed it already.
    });
  }
}

function findEvent(
  windows: readonly TrackWindow[],
  startNs: number,
  durationNs: number,
  name: string,
): (MarkedEvent & { label: string }) | null {
  let best: (MarkedEvent & { label: string }) | null = null;
  let bestScore = -1;
  for (const window of windows) {
    for (let i = 0; i < window.count; i++) {
      if (Math.abs(window.starts[i]! - startNs) > 0.51) continue;
      const label = window.labels[window.labelIndex[i]!] ?? '';
      const fullName = window.fullNames[window.labelIndex[i]!] ?? label;
      const score =
        (Math.abs(window.durations[i]! - durationNs) < 1 ? 2 : 0) + (isNamed({ label, fullName }, name) ? 1 : 0);
      if (score <= bestScore) continue;
      bestScore = score;
      best = {
        ref: { kind: eventKinds[window.kinds[i]!]!, row: window.rows[i]! },
        track: window.track,
        startNs: window.starts[i]!,
        durationNs: window.durations[i]!,
        label,
      };
    }
  }
  return best;
}
