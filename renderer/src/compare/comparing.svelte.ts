/* eslint-disable svelte/prefer-svelte-reactivity -- maps here are made anew as a whole */
/** Two traces side by side: how they lie on each other, what the engine says of them, and how that is looked at. */
import type {
  CompareAlign,
  CompareChange,
  CompareKernelPair,
  CompareLadder,
  CompareRow,
  Comparison,
  KernelComparison,
  KernelPair,
} from '../../../engine/model/comparison.ts';
import type { DocumentFormat, WrittenReport } from '../../../engine/model/tables.ts';
import type { TraceInfo } from '../../../engine/model/timeline.ts';
import type { Connection } from '../app/connection.svelte.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import { formatRatio } from '../format.ts';
import { changeColour, type Theme } from '../timeline/colours.ts';
import type { Tint } from '../timeline/rect-batch.ts';
import { visibleRows } from '../timeline/row-layout.ts';
import type { Ghost } from '../timeline/scene.ts';
import type { TimeWindow } from '../timeline/time-window.ts';
import { TimelineView } from '../timeline/view.svelte.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';
import { counterparts } from './counterparts.ts';

export const compareViews = [
  { id: 'summary', title: 'Summary' },
  { id: 'table', title: 'Table' },
  { id: 'waterfall', title: 'Waterfall' },
  { id: 'kernels', title: 'Kernels' },
  { id: 'ladder', title: 'Ladder' },
] as const;
export type CompareView = (typeof compareViews)[number]['id'];

export class Comparing {
  readonly before: OpenTrace;
  readonly after: OpenTrace;
  result = $state.raw<Comparison | null>(null);
  problem = $state.raw<Problem | null>(null);
  view = $state<CompareView>('summary');
  align = $state.raw<CompareAlign>({ by: 'start' });
  scaled = $state(false);
  /** A pair of kernels that is looked at, and what there is to say of its first launches. */
  pair = $state.raw<CompareKernelPair | null>(null);
  kernels = $state.raw<KernelComparison | null>(null);
  kernelsProblem = $state.raw<Problem | null>(null);
  /** Recordings between and beside the two, in order; they have no timeline. */
  steps = $state.raw<readonly TraceInfo[]>([]);
  ladder = $state.raw<CompareLadder | null>(null);
  ladderProblem = $state.raw<Problem | null>(null);
  readonly #connection: Connection;
  #asked = 0;

  constructor(connection: Connection, before: OpenTrace, after: OpenTrace) {
    this.#connection = connection;
    this.before = before;
    this.after = after;
  }

  get #traces(): { before: number; after: number } {
    return { before: this.before.info.traceId, after: this.after.info.traceId };
  }
  get #options(): { align: CompareAlign; scaled: boolean } {
    return { align: $state.snapshot(this.align) as CompareAlign, scaled: this.scaled };
  }

  async run(): Promise<void> {
    const asked = ++this.#asked;
    try {
      const result = await this.#connection.call('compare.run', { ...this.#traces, ...this.#options });
      if (asked !== this.#asked) return;
      this.result = result;
      this.problem = null;
      this.pair = result.kernels.find(({ name }) => name === this.pair?.name) ?? null;
      // Linked views follow the rulers; somebody who has moved since stays where they are.
      if (this.isLinked) this.link(this.before.view.window === this.#fitted);
    } catch (error) {
      if (asked === this.#asked) this.problem = problemOf('The traces could not be compared', error);
    }
  }
  /** The screen stays as it is until the engine has answered; a refusal changes nothing. */
  async alignBy(align: CompareAlign, scaled = this.scaled): Promise<void> {
    const before = { align: this.align, scaled: this.scaled };
    Object.assign(this, { align, scaled });
    this.#fitted = this.before.view.window;
    await this.run();
    if (this.problem) Object.assign(this, before);
  }
  /** Events that are selected in both traces begin at the same time. */
  get selectedEvents(): CompareAlign | null {
    const [before, after] = [this.before.selection?.event.ref, this.after.selection?.event.ref];
    return before && after ? { by: 'events', before: { ...before }, after: { ...after } } : null;
  }

  isLinked = $state(false);
  /** `fit`: to the windows that are compared. */
  link(fit = false): void {
    const { before, after, result } = this;
    const { window, width } = before.view;
    this.isLinked = true;
    const views = [before, after].map((trace) => {
      const view = new TimelineView(trace.info.durationNs);
      view.width = width;
      view.rows = [before.rows, after.rows];
      trace.view = view;
      return view;
    });
    const [first, second] = views as [TimelineView, TimelineView];
    const rulers = result?.align;
    TimelineView.link(first, second, {
      firstNs: rulers?.before.originNs ?? 0,
      secondNs: rulers?.after.originNs ?? 0,
      scale: rulers ? rulers.after.scale / rulers.before.scale : 1,
    });
    if (!fit) first.show(window);
    else if (!result) first.window = first.whole;
    else {
      const [a, b] = [result.before.window, result.after.window];
      first.fit(Math.min(a.fromNs, first.fromOther(b.fromNs)), Math.max(a.toNs, first.fromOther(b.toNs)));
    }
    this.#fitted = fit ? first.window : null;
  }
  /** As it was laid out; somebody who has moved since stays where they are. */
  #fitted: TimeWindow | null = null;
  /** Apart, each keeps what it shows, or with `fit` shows all. */
  unlink(fit = false): void {
    this.isLinked = false;
    for (const trace of [this.before, this.after]) {
      const { window, width } = trace.view;
      trace.view = new TimelineView(trace.info.durationNs);
      trace.view.width = width;
      trace.view.rows = [trace.rows];
      if (!fit) trace.view.show(window);
    }
  }
  /** Zero of the common ruler in a trace's time. */
  originOf(trace: OpenTrace): number {
    const align = this.result?.align;
    return !align ? 0 : trace === this.before ? align.before.originNs : align.after.originNs;
  }

  /** The change of events by their names; null where there is none. */
  changeOf(label: string, fullName: string): CompareChange | null {
    return this.#changes.get(fullName) ?? this.#changes.get(label) ?? null;
  }
  readonly #changes = $derived.by(() => {
    const changes = new Map<string, CompareChange>();
    for (const row of this.result?.rows ?? []) {
      const { kind, beforeName, afterName } = row;
      if (kind === 'total' || kind === 'range') continue;
      // As the table says it: what changed by less than half a percent is the same.
      const isTiny = row.ratio !== null && formatRatio(row.ratio).change === 'same';
      for (const name of [beforeName, afterName]) if (name !== null) changes.set(name, isTiny ? 'same' : row.change);
    }
    return changes;
  });

  /** Events of both in the colour of what became of them. */
  colours = $state(false);
  readonly tint = $derived.by((): ((theme: Theme) => Tint) | null => {
    // Changes belong to one result: another one is another tint.
    const changes = this.#changes;
    if (!this.colours || changes.size === 0) return null;
    const known = new Map<Theme, Tint>();
    return (theme) => {
      let tint = known.get(theme);
      if (!tint) {
        tint = (label, fullName) => {
          const change = this.changeOf(label, fullName);
          return change && changeColour(change, theme);
        };
        known.set(theme, tint);
      }
      return tint;
    };
  });

  /** True while the trace before is drawn behind the rows after. */
  showsGhost = $state(false);
  readonly #rows = $derived.by(() => counterparts(this.after.info.tracks, this.before.info.tracks));
  readonly ghost = $derived.by((): Ghost | null => {
    const { before } = this;
    if (!this.showsGhost || !this.isLinked) return null;
    const { window, width } = before.view;
    const { windows } = before;
    void before.dataVersion;
    const rows = this.#rows;
    return {
      window,
      windowOf: (track) => {
        const own = rows.get(track);
        return own === undefined ? undefined : windows.best(own, window, width);
      },
    };
  });
  /** Tracks of `before` that are behind what is in sight of `after`. */
  readonly ghostTracks = $derived.by((): number[] => {
    if (!this.showsGhost || !this.isLinked) return [];
    const { layout, scrollTop, viewportHeight } = this.after.rows.main;
    return visibleRows(layout.rows, scrollTop, scrollTop + viewportHeight).flatMap(({ sources }) =>
      sources.flatMap((track) => this.#rows.get(track) ?? []),
    );
  });

  /** A kernel before is the one after, whatever they are called; remembered by the engine. */
  pairUp(before: string, after: string): Promise<void> {
    return this.#changePairs((pairs) => [...pairs, [before, after]]);
  }
  part([before, after]: KernelPair): Promise<void> {
    return this.#changePairs((pairs) => pairs.filter((each) => each[0] !== before || each[1] !== after));
  }
  async #changePairs(change: (pairs: KernelPair[]) => KernelPair[]): Promise<void> {
    try {
      const pairs = change(await this.#connection.call('compare.pairs', {}));
      await this.#connection.call('compare.pairs', { pairs });
      await this.run();
    } catch (error) {
      this.problem = problemOf('The pair of kernels could not be saved', error);
    }
  }

  /** `row`: of a launch before; without, the first of those with the most time. */
  async look(pair: CompareKernelPair, launch = 0): Promise<void> {
    this.view = 'kernels';
    this.pair = pair;
    this.kernels = null;
    this.kernelsProblem = null;
    const rows = pair.launches[launch];
    if (!rows) return;
    try {
      const found = await this.#connection.call('compare.kernel', {
        ...this.#traces,
        ...{ beforeKernel: rows.before.row, afterKernel: rows.after.row },
      });
      if (this.pair === pair) this.kernels = found;
    } catch (error) {
      if (this.pair === pair) this.kernelsProblem = problemOf('The kernels could not be compared', error);
    }
  }
  /** The pair that a row of the table is of. */
  pairOf(row: CompareRow): CompareKernelPair | null {
    if (row.kind !== 'kernel') return null;
    const isOf = (pair: CompareKernelPair): boolean =>
      pair.beforeName === row.beforeName && pair.afterName === row.afterName;
    return this.result?.kernels.find(isOf) ?? null;
  }
  rowOf(pair: CompareKernelPair): CompareRow | null {
    return this.result?.rows.find((row) => this.pairOf(row) === pair) ?? null;
  }

  async addStep(path: string): Promise<void> {
    try {
      const info = await this.#connection.call('trace.open', { path });
      this.steps = [...this.steps, info];
      await this.climb();
    } catch (error) {
      this.ladderProblem = problemOf('The recording could not be added', error);
    }
  }
  async removeStep(step: TraceInfo): Promise<void> {
    this.steps = this.steps.filter((each) => each !== step);
    this.#forget(step);
    await this.climb();
  }
  /** Each recording against the one before it, and the first. */
  async climb(): Promise<void> {
    const traces = [this.before.info, ...this.steps, this.after.info].map(({ traceId }) => traceId);
    try {
      this.ladder = await this.#connection.call('compare.ladder', { traces, ...this.#options });
      this.ladderProblem = null;
    } catch (error) {
      this.ladderProblem = problemOf('The recordings could not be compared', error);
    }
  }

  document(format: DocumentFormat): Promise<WrittenReport> {
    return this.#connection.call('compare.document', { ...this.#traces, ...this.#options, format });
  }

  /** The engine that had them open is gone. */
  forgetSteps(): void {
    this.steps = [];
    this.ladder = null;
  }
  close(): void {
    for (const step of this.steps) this.#forget(step);
  }
  #forget({ traceId }: TraceInfo): void {
    this.#connection.call('trace.close', { traceId }).catch(() => {
      // An engine that is gone has closed it already.
    });
  }
}
