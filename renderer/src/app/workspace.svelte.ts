/** The open traces and what users can do with them. Screens show this; commands act on it. */
import type { AppInfo, RecentTrace } from '../../../engine/api/types.ts';
import type { FindingPlace } from '../../../engine/model/findings.ts';
import type { Lab } from '../../../engine/model/labs.ts';
import type { TraceInfo } from '../../../engine/model/timeline.ts';
import type { Connect, Shell } from '../bridge.ts';
import { Baselines } from '../kernel/baselines.svelte.ts';
import { Comparing } from '../compare/comparing.svelte.ts';
import { KernelPage } from '../kernel/kernel-page.svelte.ts';
import { Recording } from '../record/recording.svelte.ts';
import type { PanelTab } from '../trace/panel-tabs.ts';
import { restoreView } from '../trace/view-state.ts';
import { OpenTrace } from '../trace/open-trace.svelte.ts';
import { RecentlyClosed, type ClosedTraces } from './closed-traces.svelte.ts';
import { Connection } from './connection.svelte.ts';
import type { Dialog, FileChoice } from './dialogs.ts';
import type { FileOutcome } from './file-outcomes.ts';
import { Keeper } from './kept-state.ts';
import { Opening } from './opening.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { problemOf, type Problem } from './problem.ts';
import { Saving } from './saving.ts';
import { keepShown, pathsToShow } from './shown-paths.ts';

export class Workspace {
  readonly connection: Connection;
  readonly kept: Keeper;
  readonly preferences: Preferences;
  readonly shell: Shell | null;
  info = $state.raw<AppInfo | null>(null);
  recent = $state.raw<RecentTrace[]>([]);
  /** Lab whose page is shown where no trace is. */
  lab = $state.raw<Lab | null>(null);
  traces = $state.raw<OpenTrace[]>([]);
  /** The one that keys and panels act on. */
  active = $state(0);
  linked = $state(true);
  /** The comparison of two traces. */
  comparing = $state.raw<Comparing | null>(null);
  tab = $state<PanelTab>('selection');
  /** The kernel whose page lies over the timeline. */
  kernel = $state.raw<KernelPage | null>(null);
  /** The kernels that others are compared with, also those of traces that were open before. */
  readonly baselines = new Baselines();
  dialog = $state<Dialog>(null);
  /** In-app file browser, above any dialog. */
  choosing = $state.raw<FileChoice | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly opening: Opening;
  readonly recording: Recording;
  readonly saving: Saving;
  readonly closed = new RecentlyClosed();

  constructor(connect: Connect, shell: Shell | null) {
    this.connection = new Connection(connect);
    this.shell = shell;
    this.kept = new Keeper(this.connection, (problem) => {
      this.problem = problemOf('Settings and views could not be saved', problem);
    });
    this.preferences = new Preferences((name, value) => this.kept.keepPreference(name, value));
    this.linked = this.preferences.get('linked');
    this.opening = new Opening(this.connection, (problem) => {
      this.problem = problem;
    });
    this.recording = new Recording(this);
    this.saving = new Saving(this);
  }

  get trace(): OpenTrace | null {
    return this.traces[this.active] ?? this.traces[0] ?? null;
  }
  get gpu(): string {
    const wanted = this.preferences.get('gpu');
    const known = this.info?.gpus.some(({ id }) => id === wanted);
    return known && wanted ? wanted : (this.info?.defaultGpu ?? '');
  }

  async start(): Promise<void> {
    if (!(await this.connection.open())) return;
    try {
      const [info, { preferences, problem }] = await Promise.all([
        this.connection.call('app.info', {}),
        this.kept.load(),
      ]);
      this.preferences.take(preferences);
      this.linked = this.preferences.get('linked');
      this.info = info;
      const paths = pathsToShow(info.open);
      if (paths.length > 0 && this.traces.length === 0) {
        await this.open(paths);
        // A path that cannot be opened now is not tried again each time the page is loaded.
        if (this.traces.length === 0) keepShown(info.open, []);
      }
      if (problem) this.problem ??= problemOf('Settings and views could not be restored', problem);
      await this.refreshRecent();
    } catch (error) {
      this.problem = problemOf('Simsight could not start', error);
    }
  }

  /** Everything shown stays; open traces get their new numbers from the new connection. */
  async reconnect(): Promise<void> {
    if (!this.info) return this.start();
    if (!(await this.connection.open())) return;
    this.kept.send();
    this.comparing?.forgetSteps();
    for (const trace of this.traces) {
      try {
        trace.adopt(await this.connection.call('trace.open', { path: trace.info.path }));
      } catch (error) {
        trace.problem = problemOf('The trace could not be opened again', error);
      }
    }
    void this.comparing?.run();
    await this.refreshRecent();
  }

  /** The page of the kernel that is selected. */
  openKernel(): void {
    const { trace } = this;
    const ref = trace?.selection?.event.ref;
    if (trace && ref?.kind === 'kernel') this.kernel = new KernelPage(trace, ref.row, this.baselines);
  }
  /** To what a finding speaks of: a line or a kernel on the kernel's page, all else on the timeline. */
  async showPlace(trace: OpenTrace, place: FindingPlace): Promise<void> {
    try {
      switch (place.kind) {
        case 'range':
          trace.view.measure(place.fromNs, place.toNs);
          trace.view.fit(place.fromNs, place.toNs);
          return;
        case 'event':
          return await trace.goToEvent(place.ref);
        case 'kernel':
        case 'line': {
          // The timeline behind the page is at the kernel as well.
          await trace.goToEvent({ kind: 'kernel', row: place.kernel });
          const page = new KernelPage(trace, place.kernel, this.baselines);
          this.kernel = page;
          if (place.kind === 'line') await page.showLine(place.file, place.line);
        }
      }
    } catch (error) {
      this.problem = problemOf('The place could not be shown', error);
    }
  }
  /** A launch that failed, at its place on the timeline, with what the adviser says first: of those that failed. */
  async showFailure(trace: OpenTrace, failure = trace.info.failures[0]): Promise<void> {
    this.active = Math.max(0, this.traces.indexOf(trace));
    // At once: whoever has chosen something else by the time the place is there looks at that.
    trace.advice.chosen = 0;
    this.tab = 'advice';
    this.preferences.set('panelOpen', true);
    try {
      if (failure?.ref) await trace.goToEvent(failure.ref);
    } catch (error) {
      this.problem = problemOf('The place could not be shown', error);
    }
  }
  /** The page of a kernel after, with that before as its baseline: all counters, stalls, roofline and lines, and their differences. */
  async openKernelPair(beforeKernel: number, afterKernel: number): Promise<void> {
    const { comparing } = this;
    if (!comparing) return;
    const { before, after } = comparing;
    try {
      const view = await before.ask('trace.kernel', { kernel: beforeKernel });
      this.baselines.add(before.info.path, before.info.title, view);
      this.baselines.choose(before.info.path, view);
      this.kernel = new KernelPage(after, afterKernel, this.baselines);
    } catch (error) {
      this.problem = problemOf('The kernels could not be shown', error);
    }
  }
  closeKernel(): void {
    this.kernel = null;
    // Where keys went before.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-testid=timeline]')?.focus());
  }

  async refreshRecent(): Promise<void> {
    this.recent = await this.connection.call('app.recent', {});
  }

  /**
   * One trace, or two to compare: the first that can be opened. What is open stays open when none can; what it takes the place of can
   * be opened again. `others` came together with them. Gives whether something was opened.
   */
  async open(paths: string[], others: readonly FileOutcome[] = []): Promise<boolean> {
    const infos = await this.opening.load(paths, others);
    if (!infos) return false;
    this.#leave([]);
    const traces = infos.map((info) => this.#traceOf(info));
    this.#show(traces);
    if (traces.length === 1) this.tab = traces[0]!.tabBefore ?? this.tab;
    return true;
  }

  /** Puts a second trace under the first. */
  async compareWith(path: string): Promise<boolean> {
    const first = this.traces[0];
    if (!first) return this.open([path]);
    const infos = await this.opening.load([path]);
    if (!infos?.[0]) return false;
    // One that gets company for the first time is still there.
    if (this.traces.length > 1) this.#leave([first]);
    this.#show([first, this.#traceOf(infos[0])]);
    return true;
  }

  /** One that found no room, in place of what is open, or of the second trace. */
  async openOneOf(files: readonly FileOutcome[], file: FileOutcome, compare = false): Promise<void> {
    if (!(await (compare ? this.compareWith(file.path) : this.open([file.path])))) return;
    const { path } = this.traces.at(-1)!.info;
    const shown = this.traces.map(({ info }) => info.path);
    this.opening.foundRoom(files, file, path, shown);
  }

  #traceOf(info: TraceInfo): OpenTrace {
    return new OpenTrace(this.connection, info, restoreView(info, this.kept.viewOf(info.path)));
  }

  /** The traces on the screen go, but for those that stay, and can be opened again. */
  #leave(staying: readonly OpenTrace[]): void {
    const shown = this.#shown;
    if (shown) this.closed.add(shown);
    this.#close(staying);
  }
  get #shown(): ClosedTraces | null {
    const { traces, comparing, active, linked: isLinked, tab } = this;
    return traces.length > 0 ? { traces, comparing, active, isLinked, tab } : null;
  }
  #close(staying: readonly OpenTrace[]): void {
    for (const trace of this.traces) if (!staying.includes(trace)) trace.close();
    if (!this.comparing) return;
    this.comparing.close();
    this.comparing.forgetSteps();
    this.comparing.unlink();
  }

  /** Brings back what was closed or replaced last, as it was left. */
  async reopen(): Promise<void> {
    const before = this.#shown;
    const closed = this.closed.take(before);
    if (!closed) return;
    this.problem = null;
    this.opening.files = null;
    const traces: OpenTrace[] = [];
    for (const trace of closed.traces) {
      if (this.traces.includes(trace)) traces.push(trace);
      else if (await this.#openAgain(trace)) traces.push(trace);
    }
    if (traces.length === 0) return;
    this.#close(traces);
    this.lab = null;
    this.#show(traces, closed);
  }
  async #openAgain(trace: OpenTrace): Promise<boolean> {
    try {
      const info = await this.connection.call('trace.open', { path: trace.info.path });
      trace.adopt(info);
      return true;
    } catch (error) {
      this.problem = problemOf(`${trace.info.title} could not be opened again`, error);
      return false;
    }
  }

  /** `as`: how they were shown before. */
  #show(traces: OpenTrace[], as: ClosedTraces | null = null): void {
    this.kernel = null;
    this.traces = traces;
    this.#keepShown();
    const asBefore = as?.traces.length === traces.length ? as : null;
    const tab = asBefore?.tab ?? this.tab;
    this.active = asBefore?.active ?? 0;
    this.tab = asBefore ? tab : traces.length > 1 ? 'comparison' : tab === 'comparison' ? 'selection' : tab;
    this.comparing?.close();
    const [before, after] = traces;
    this.comparing = before && after ? (asBefore?.comparing ?? new Comparing(this.connection, before, after)) : null;
    this.linked = asBefore?.isLinked ?? this.preferences.get('linked');
    const isNew = this.comparing !== asBefore?.comparing;
    if (this.linked) this.comparing?.link(isNew);
    else this.comparing?.unlink(isNew);
    void this.comparing?.run();
    void this.refreshRecent().catch(() => {
      // The list of recent traces is a convenience; the connection's own state says what is wrong.
    });
  }

  #keepShown(): void {
    keepShown(
      this.info?.open ?? [],
      this.traces.map(({ info }) => info.path),
    );
  }

  swap(): void {
    if (this.traces.length !== 2) return;
    this.#show([this.traces[1]!, this.traces[0]!]);
  }

  /** Linked traces show the same part of the common time; apart, each keeps the window it had. */
  setLinked(linked: boolean): void {
    this.preferences.set('linked', linked);
    this.linked = linked;
    if (linked) this.comparing?.link();
    else this.comparing?.unlink();
  }

  /** To the start screen. */
  goHome(): void {
    this.lab = null;
    this.closeTraces();
  }
  /** They can be opened again. */
  closeTraces(): void {
    this.kernel = null;
    this.opening.files = null;
    this.#leave([]);
    this.traces = [];
    this.#keepShown();
    this.comparing = null;
    void this.refreshRecent().catch(() => {
      // As in #show.
    });
  }
  closeTrace(index: number): void {
    const closed = this.traces[index];
    if (!closed) return;
    if (this.traces.length === 1) return this.closeTraces();
    const kept = this.traces.find((trace) => trace !== closed)!;
    this.#leave([kept]);
    this.#show([kept]);
  }

  /** Chooses a file by the system's dialog, or by the in-app file browser where there is none. */
  async choose(choice: FileChoice): Promise<void> {
    if (!this.shell) {
      this.choosing = choice;
      return;
    }
    const paths = await (choice.kind === 'trace' ? this.shell.chooseTrace() : this.shell.chooseSource());
    if (paths.length > 0) choice.chosen(paths);
  }
  chooseTrace(): void {
    void this.choose({
      title: 'Open trace',
      kind: 'trace',
      multiple: true,
      chosen: (paths) => void this.open(paths),
    });
  }
  chooseComparison(): void {
    void this.choose({
      title: 'Compare with',
      kind: 'trace',
      multiple: false,
      chosen: (paths) => void (paths[0] && this.compareWith(paths[0])),
    });
  }

  async dropped(files: File[]): Promise<void> {
    if (!this.shell) {
      this.problem = {
        ...problemOf('Dropped files cannot be opened here', ''),
        message: 'Browsers do not reveal the path of a dropped file.',
        remedy: 'Choose it with “Open trace…” or “Record CUDA program…” instead.',
      };
      return;
    }
    const { shell } = this;
    const paths = await Promise.all(files.map((file) => shell.pathOf(file)));
    const isSource = (path: string): boolean => /\.(cu|cpp|cc|cxx|c)$/i.test(path);
    const sources = paths.filter(isSource);
    const traces = paths.filter((path) => path && !isSource(path));
    const others: FileOutcome[] = [
      ...sources.map((path): FileOutcome => ({ path, became: 'source' })),
      ...files.filter((_, index) => !paths[index]).map(({ name }) => withoutPath(name)),
    ];
    await this.open(traces, others);
    if (sources.length > 0) this.recording.prepare(sources);
  }
}

const withoutPath = (name: string): FileOutcome => ({
  path: name,
  became: 'failed',
  problem: problemOf('', 'This file has no path on disk: save it first, then open it from there.'),
});
