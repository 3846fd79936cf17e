/** What is open and what people can do with it. Screens show this; commands act on it. */
import type {
  AppInfo,
  DocumentFormat,
  FindingPlace,
  Lab,
  LabVariant,
  RecentTrace,
  RecordOptions,
  WhatIfOptions,
  TraceInfo,
  WrittenReport,
} from '../../../engine/api/types.ts';
import type { Connect, Shell } from '../bridge.ts';
import { Baselines } from '../kernel/baselines.svelte.ts';
import { Comparing } from '../compare/comparing.svelte.ts';
import { KernelPage } from '../kernel/kernel-page.svelte.ts';
import { RecordJob, type RecordStep } from '../record/record-job.svelte.ts';
import { SweepJob, type SweepRequest } from '../record/sweep-job.svelte.ts';
import { WhatIfJob } from '../record/what-if-job.svelte.ts';
import { emptyForm, formOf, gpusAlike, type RecordForm } from '../record/record-form.ts';
import type { PanelTab } from '../trace/panel-tabs.ts';
import { restoreView } from '../trace/view-state.ts';
import { svgAsPng, viewAsSvg } from '../trace/view-picture.ts';
import { saveFile } from '../widgets/save-file.ts';
import { OpenTrace } from '../trace/open-trace.svelte.ts';
import { Connection } from './connection.svelte.ts';
import { OpenJob } from './open-job.svelte.ts';
import { Keeper } from './kept-state.ts';
import { Preferences } from './preferences.svelte.ts';
import { problemOf, type Problem } from './problem.ts';
import { keepShown, pathsToShow } from './shown-paths.ts';

export interface FileChoice {
  title: string;
  kind: 'trace' | 'source';
  multiple: boolean;
  chosen(paths: string[]): void;
}
export type Dialog = 'record' | 'what-if' | 'sweep' | 'help' | 'palette' | 'time' | null;

export class Workspace {
  readonly connection: Connection;
  readonly kept: Keeper;
  readonly preferences: Preferences;
  readonly shell: Shell | null;
  info = $state.raw<AppInfo | null>(null);
  recent = $state.raw<RecentTrace[]>([]);
  /** Whose page is shown where no trace is. */
  lab = $state.raw<Lab | null>(null);
  traces = $state.raw<OpenTrace[]>([]);
  /** The one that keys and panels act on. */
  active = $state(0);
  linked = $state(true);
  /** Of two traces. */
  comparing = $state.raw<Comparing | null>(null);
  tab = $state<PanelTab>('selection');
  /** The kernel whose page lies over the timeline. */
  kernel = $state.raw<KernelPage | null>(null);
  /** What kernels are compared with, also those of traces that were open before. */
  readonly baselines = new Baselines();
  dialog = $state<Dialog>(null);
  /** In-app file browser, above any dialog. */
  choosing = $state.raw<FileChoice | null>(null);
  form = $state<RecordForm>(emptyForm());
  job = $state.raw<RecordJob | null>(null);
  /** What limits of a program are worth: being found out, or the answer. */
  whatIfJob = $state.raw<WhatIfJob | null>(null);
  sweep = $state.raw<SweepJob | null>(null);
  /** What is being opened. */
  opening = $state.raw<OpenJob | null>(null);
  problem = $state.raw<Problem | null>(null);

  constructor(connect: Connect, shell: Shell | null) {
    this.connection = new Connection(connect);
    this.shell = shell;
    this.kept = new Keeper(this.connection, (problem) => {
      this.problem = problemOf('Settings and views are not kept', problem);
    });
    this.preferences = new Preferences((name, value) => this.kept.keepPreference(name, value));
    this.linked = this.preferences.get('linked');
  }

  get trace(): OpenTrace | null {
    return this.traces[this.active] ?? this.traces[0] ?? null;
  }
  /** Work that ends with this page. */
  get isBusy(): boolean {
    return [this.job, this.whatIfJob, this.sweep].some((job) => job?.state === 'running');
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
        // What cannot be opened now is not tried again each time the page is loaded.
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

  /** One trace, or two to compare. What is open stays open when it fails. */
  async open(paths: string[]): Promise<void> {
    const infos = await this.#load(paths);
    if (!infos) return;
    for (const trace of this.traces) trace.close();
    const traces = infos.map((info) => this.#traceOf(info));
    this.#show(traces);
    if (traces.length === 1) this.tab = traces[0]!.tabBefore ?? this.tab;
  }

  /** Puts a second trace under the first. */
  async compareWith(path: string): Promise<void> {
    const first = this.traces[0];
    if (!first) return this.open([path]);
    const infos = await this.#load([path]);
    if (!infos?.[0]) return;
    for (const trace of this.traces.slice(1)) trace.close();
    this.#show([first, this.#traceOf(infos[0])]);
  }

  #traceOf(info: TraceInfo): OpenTrace {
    return new OpenTrace(this.connection, info, restoreView(info, this.kept.viewOf(info.path)));
  }

  async #load(paths: string[]): Promise<TraceInfo[] | null> {
    this.problem = null;
    const infos: TraceInfo[] = [];
    for (const path of paths) {
      // Who opens another file has given up waiting for the one before.
      this.opening?.cancel();
      const job = new OpenJob(this.connection, path);
      this.opening = job;
      try {
        infos.push(await job.run());
      } catch (error) {
        const problem = problemOf('The trace could not be opened', error);
        if (!problem.cancelled) this.problem = problem;
        for (const { traceId } of infos) void this.connection.call('trace.close', { traceId }).catch(() => undefined);
        return null;
      } finally {
        if (this.opening === job) this.opening = null;
      }
    }
    return infos;
  }

  #show(traces: OpenTrace[]): void {
    this.kernel = null;
    this.traces = traces;
    this.#keepShown();
    this.active = 0;
    this.tab = traces.length > 1 ? 'comparison' : this.tab === 'comparison' ? 'selection' : this.tab;
    this.comparing?.close();
    const [before, after] = traces;
    this.comparing = before && after ? new Comparing(this.connection, before, after) : null;
    this.linked = this.preferences.get('linked');
    if (this.linked) this.comparing?.link(true);
    else this.comparing?.unlink(true);
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
  closeTraces(): void {
    this.kernel = null;
    for (const trace of this.traces) trace.close();
    this.traces = [];
    this.#keepShown();
    this.comparing?.close();
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
    closed.close();
    this.comparing?.unlink();
    this.#show([kept]);
  }

  /** By the system's dialog, or by the in-app file browser where there is none. */
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
      chosen: (paths) => void this.open(paths.slice(0, 2)),
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

  /** What the timelines show, as a file. */
  async savePicture(kind: 'svg' | 'png'): Promise<void> {
    const [first] = this.traces;
    if (!first) return;
    const { theme } = this.preferences;
    const svg = viewAsSvg(
      this.traces.map((trace) => trace.picture(theme)),
      { theme, headerWidth: this.preferences.get('headerWidth') },
    );
    try {
      const content = kind === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await svgAsPng(svg, 2);
      saveFile(`${first.info.title}.${kind}`, content);
    } catch (error) {
      this.problem = problemOf('The view could not be saved', error);
    }
  }

  /** Of the second trace against the first where two are open, as the comparison has it. */
  async saveReport(format: DocumentFormat): Promise<void> {
    const [first, second] = this.traces.map(({ info }) => info.traceId);
    if (first === undefined) return;
    const which = second === undefined ? { traceId: first } : { traceId: second, before: first };
    try {
      this.#saveDocument(await this.connection.call('trace.document', { ...which, format }), format);
    } catch (error) {
      this.problem = problemOf('The report could not be saved', error);
    }
  }

  async saveComparison(format: DocumentFormat): Promise<void> {
    try {
      const written = await this.comparing?.document(format);
      if (written) this.#saveDocument(written, format);
    } catch (error) {
      this.problem = problemOf('The comparison could not be saved', error);
    }
  }
  #saveDocument({ fileName, text, pictures }: WrittenReport, format: DocumentFormat): void {
    const type = format === 'html' ? 'text/html' : 'text/markdown';
    saveFile(fileName, new Blob([text], { type }));
    for (const picture of pictures) saveFile(picture.fileName, new Blob([picture.text], { type: 'image/svg+xml' }));
  }

  newRecording(sources?: string[]): void {
    this.problem = null;
    if (this.job?.state === 'running') {
      this.dialog = 'record';
      return;
    }
    this.job = null;
    if (!this.form.gpu) this.form.gpu = this.gpu;
    if (sources) this.form.sources = sources;
    if (this.form.sources.length === 0) this.form.sources = [''];
    this.dialog = 'record';
  }

  /** What a lab begins and ends with. */
  recordPair(lab: Lab): void {
    this.kernel = null;
    this.recordLab(lab, [lab.variants[0]!, lab.variants.at(-1)!]);
  }
  recordLab(lab: Lab, variants: readonly LabVariant[]): void {
    const steps = variants.map((variant) => ({
      title: variant.title,
      options: {
        sources: [variant.source],
        gpu: gpusAlike(lab.gpus, this.gpu),
        includeFolders: [],
        defines: variant.defines,
        environment: [],
        arguments: variant.arguments,
        title: `${lab.title}: ${variant.title}`,
      } satisfies RecordOptions,
    }));
    // What the dialog falls back to when it fails.
    if (steps[0]) this.form = formOf(steps[0].options);
    void this.record(steps);
  }

  /** Runs in the dialog; the traces are opened when all went well. */
  async record(steps: RecordStep[]): Promise<void> {
    if (this.job?.state === 'running') return;
    this.problem = null;
    const job = new RecordJob(this.connection, steps);
    this.job = job;
    this.dialog = 'record';
    const results = await job.run();
    if (!results || this.job !== job) return;
    this.dialog = null;
    this.job = null;
    // Of a whole series, first and last are before and after.
    const paths = results.map(({ path }) => path);
    await this.open(paths.length > 2 ? [paths[0]!, paths.at(-1)!] : paths);
  }

  /** Runs in its dialog, and goes on when that is closed. */
  whatIf(title: string, options: WhatIfOptions): void {
    if (this.whatIfJob?.state === 'running') {
      this.dialog = 'what-if';
      return;
    }
    const job = new WhatIfJob(this.connection, title, options);
    this.whatIfJob = job;
    this.dialog = 'what-if';
    void job.run();
  }
  closeWhatIf(): void {
    this.dialog = null;
    if (this.whatIfJob?.state !== 'running') this.whatIfJob = null;
  }
  async runSweep(title: string, request: SweepRequest): Promise<void> {
    if (this.sweep?.state === 'running') return;
    const job = new SweepJob(this.connection, title, request);
    this.sweep = job;
    await job.run();
  }
  closeSweep(): void {
    this.dialog = null;
    if (this.sweep?.state !== 'running') this.sweep = null;
  }
  forgetSweep(): void {
    this.sweep = null;
  }
  /** One of its recordings, or one beside the best. */
  async openFromSweep(paths: string[]): Promise<void> {
    this.dialog = null;
    await this.open(paths);
  }

  async dropped(files: File[]): Promise<void> {
    if (!this.shell) {
      this.problem = {
        ...problemOf('Dropped files cannot be opened here', ''),
        message: 'A browser does not tell where a dropped file lies.',
        remedy: 'Use “Open trace…” or “Record CUDA program…” and choose it there.',
      };
      return;
    }
    const { shell } = this;
    const paths = (await Promise.all(files.map((file) => shell.pathOf(file)))).filter(Boolean);
    const sources = paths.filter((path) => /\.(cu|cpp|cc|cxx|c)$/i.test(path));
    const traces = paths.filter((path) => !sources.includes(path));
    if (sources.length > 0) this.newRecording(sources);
    else if (traces.length > 0) void this.open(traces.slice(0, 2));
  }
}
