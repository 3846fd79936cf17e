/** One kernel's page: what the engine knows of it, and what of that is looked at. */
import type {
  KernelOccupancy,
  KernelPlace,
  KernelView,
  OccupancyRequest,
  Precision,
} from '../../../engine/model/kernel-view.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import { sameName } from '../trace/kernel-name.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';
import type { Baseline, Baselines } from './baselines.svelte.ts';
import { KernelMemory } from './kernel-memory.svelte.ts';
import { KernelWarps } from './kernel-warps.svelte.ts';
import { placesOf, type PlaceMetric } from './place-metrics.ts';

export const kernelTabs = [
  { id: 'overview', title: 'Overview' },
  { id: 'roofline', title: 'Roofline' },
  { id: 'source', title: 'Source' },
  { id: 'warps', title: 'Warps' },
  { id: 'memory', title: 'Memory' },
  { id: 'divergence', title: 'Divergence' },
] as const;
/** As many launches of one kernel are told apart. */
const mostLaunches = 1000;

/** Launches of a kernel of that short name, by their rows, in order of time. */
async function launchesOf(trace: OpenTrace, name: string): Promise<number[]> {
  const { hits } = await trace.ask('trace.search', { filter: { text: name }, limit: mostLaunches });
  return hits.filter(({ ref, name: each }) => ref.kind === 'kernel' && sameName(each, name)).map(({ ref }) => ref.row);
}

export type KernelTab = (typeof kernelTabs)[number]['id'];

export class KernelPage {
  readonly trace: OpenTrace;
  readonly row: number;
  view = $state.raw<KernelView | null>(null);
  problem = $state.raw<Problem | null>(null);
  comparisonProblem = $state.raw<Problem | null>(null);
  tab = $state<KernelTab>('overview');

  /** The metric that lines are coloured by. */
  metric = $state<PlaceMetric>('cycles');
  file = $state('');
  /** Chosen in the source or the machine code; null: none. */
  line = $state<number | null>(null);
  /** The same in the machine code, its number. */
  instruction = $state<number | null>(null);

  /** The calculator's question and answer. */
  block = $state.raw<OccupancyRequest | null>(null);
  occupancy = $state.raw<KernelOccupancy | null>(null);

  /** The precision of the roofline; null: that of most of the work. */
  precision = $state<Precision | null>(null);
  readonly memory: KernelMemory;
  readonly warps: KernelWarps;
  readonly #baselines: Baselines;
  readonly #loaded: Promise<void>;

  constructor(trace: OpenTrace, row: number, baselines: Baselines) {
    this.trace = trace;
    this.row = row;
    this.#baselines = baselines;
    this.memory = new KernelMemory(trace, row);
    this.warps = new KernelWarps(trace, row);
    this.#loaded = this.load();
  }

  /** Baselines that this kernel is compared with: itself is none of them. */
  get baselines(): Baseline[] {
    const { view } = this;
    const { path } = this.trace.info;
    return view ? this.#baselines.list.filter((each) => each.path !== path || each.view.row !== view.row) : [];
  }
  /** The one that differences are to. */
  get baseline(): Baseline | null {
    const { chosen } = this.#baselines;
    return this.baselines.find((each) => each === chosen) ?? this.baselines[0] ?? null;
  }

  async load(): Promise<void> {
    this.problem = null;
    try {
      const view = await this.trace.ask('trace.kernel', { kernel: this.row });
      this.view = view;
      this.occupancy = view.occupancy;
      this.resetBlock();
      // The file in which most of the time goes by.
      const [hottest] = placesOf(view.lines, 'cycles').toSorted((a, b) => b.value - a.value);
      this.file = hottest?.place.file ?? view.sources[0]?.path ?? '';
    } catch (error) {
      this.problem = problemOf('The kernel could not be read', error);
    }
  }

  /** Makes the same kernel of another trace a baseline: of those of its name the launch of the same number, or the last. */
  async compareWith(other: OpenTrace): Promise<void> {
    const { view } = this;
    if (!view) return;
    try {
      const rows = await launchesOf(other, view.name);
      const at = (await launchesOf(this.trace, view.name)).indexOf(this.row);
      const row = rows[Math.min(Math.max(0, at), rows.length - 1)];
      if (row === undefined) throw new Error(`${other.info.title} has no kernel ${view.name}.`);
      const found = await other.ask('trace.kernel', { kernel: row });
      this.#baselines.add(other.info.path, other.info.title, found);
    } catch (error) {
      this.comparisonProblem = problemOf('There is nothing to compare with', error);
    }
  }

  /** Asks what an SM would hold of other blocks. */
  async tryBlock(change: Partial<OccupancyRequest>): Promise<void> {
    if (!this.block) return;
    const block = { ...this.block, ...change };
    this.block = block;
    try {
      const occupancy = await this.trace.ask('trace.occupancy', { kernel: this.row, block });
      if (this.block === block) this.occupancy = occupancy;
    } catch (error) {
      this.problem = problemOf('The occupancy could not be computed', error);
    }
  }
  resetBlock(): void {
    const { view } = this;
    if (!view) return;
    const { threadsPerBlock, registersPerThread, sharedBytesPerBlock } = view.resources;
    this.block = { threadsPerBlock, registersPerThread, sharedBytesPerBlock };
    this.occupancy = view.occupancy;
  }
  get isTried(): boolean {
    const { view, block } = this;
    if (!view || !block) return false;
    return (Object.keys(block) as (keyof OccupancyRequest)[]).some((key) => block[key] !== view.resources[key]);
  }

  /** Shows the addresses of a load, store or atomic, by its number in the machine code. */
  showAddresses(instruction: number): void {
    this.memory.choose(instruction);
    this.tab = 'memory';
  }
  showSource(instruction: number): void {
    const one = this.view?.instructions[instruction];
    if (!one) return;
    this.choosePlace(one, instruction);
    this.tab = 'source';
  }
  /** A line of the source, once it is known; files by their name in the trace, or its last part. */
  async showLine(file: string, line: number): Promise<void> {
    await this.#loaded;
    const known = this.view?.sources.map(({ path }) => path) ?? [];
    this.file = known.find((path) => path === file) ?? known.find((path) => path.endsWith(`/${file}`)) ?? file;
    this.line = line;
    this.instruction = null;
    this.tab = 'source';
  }
  choosePlace(place: KernelPlace, instruction: number | null): void {
    if (place.file !== null) this.file = place.file;
    this.line = place.line;
    this.instruction = instruction;
  }
}
