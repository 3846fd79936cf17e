/** The blocks of one launch, executed in their order: those that are traced one by one, others in pieces or by several threads. */
import type { TraceRequest } from '../../model/kernel-timing.ts';
import type { WarpClocks } from '../clock.ts';
import { blockCounterBytes, hotGranules } from '../layout.ts';
import type { Tracer } from '../trace.ts';
import type { CrewSharing, SharedGrid } from './crew-sharing.ts';
import type { LaunchPlaces, PlacedLaunch } from './launch-places.ts';
import type { LoadedUnit } from './loaded-modules.ts';
import type { DeviceMemory } from './memory.ts';
import { fewestInGrid, Stretches } from './stretches.ts';

/** Blocks that are executed between two looks at how many are done. */
const blocksPerLook = 64;
/**
 * Passes that one of floats or doubles on an address is worth: L2 adds to one address 1.33 integers per ns, and 0.56 floats
 * (test/reference/h200/atomics.json). Addresses that share a slice do not show it (W14 segment_sum).
 */
const floatPasses = 1.334 / 0.564;
/**
 * Blocks whose atomics wait in L2's queues, those that have ended among them, by those that are resident; where nobody waits for
 * results. H200 reference, A6 per_block_address: 1.44.
 */
const queuedAtomics = 1.5;

/** Parts that execute a launch or follow its progress. */
export interface ExecutionParts {
  memory: DeviceMemory;
  unit: LoadedUnit;
  clocks: WarpClocks;
  trace: TraceRequest | null;
  tracer: Tracer | null;
  /** Several threads; null where one has to execute all. */
  sharing: CrewSharing | null;
  /** Progress for others to look at: blocks executed, and how many there are. */
  progress: Float64Array<SharedArrayBuffer> | undefined;
}

export class GridExecution {
  /** Passes of atomics on the busiest addresses, summed over those that were resident together. */
  hottest = 0;
  /** Share of the blocks that was executed. */
  share = 1;
  private readonly placed: PlacedLaunch;
  private readonly places: LaunchPlaces;
  private readonly parts: ExecutionParts;
  private readonly run: (...args: number[]) => void;
  /** Blocks whose atomics meet are those that are resident together. */
  private readonly meeting: number;
  private readonly shared: SharedGrid;
  private stretches: Stretches | null = null;

  constructor(placed: PlacedLaunch, places: LaunchPlaces, parts: ExecutionParts) {
    const { kernel } = placed;
    this.placed = placed;
    this.places = places;
    this.parts = parts;
    this.run = parts.unit.instance.exports[`run_${kernel.entry}`] as (...args: number[]) => void;
    this.meeting = kernel.globalAtomics === 'sent' ? Math.ceil(places.resident * queuedAtomics) : places.resident;
    this.shared = {
      kernel,
      grid: {
        unit: parts.unit,
        entry: kernel.entry,
        ...{ launch: places.launch, counts: places.counts, sites: places.sites },
        blockCounters: kernel.blocks.length,
        siteCounters: kernel.sites.length,
        warps: placed.warps,
        warpBytes: kernel.warpBytes,
        sharedBytes: places.sharedBytes,
        localTotal: places.localTotal,
        smCount: placed.caches.smCount,
        l1: { address: places.l1.address, bytes: places.l1.bytes },
        meeting: kernel.globalAtomics === 'none' ? null : { blocks: this.meeting, end: () => this.endGeneration() },
        get heapEnd() {
          return parts.memory.heapEnd;
        },
      },
      measured: parts.sharing?.begin(kernel) === true,
      alone: (first, end) => this.alone(first, end),
      tell: (done) => this.tell(done),
    };
  }

  /** All blocks, or stretches of a grid that costs more than `mostCost`. */
  execute(mostCost: number): void {
    const { tracer } = this.parts;
    const { kernel, blocks, warps } = this.placed;
    this.tell(0);
    if (tracer !== null && kernel.waits) {
      const { launch, sites } = this.places;
      const execute = (): void => this.range(0, blocks);
      tracer.runBeside(launch, sites, warps, execute, (block, warp) => this.parts.clocks.shown(block, warp));
      return;
    }
    const { memory } = this.parts;
    if (mostCost < Infinity && !kernel.waits && blocks >= fewestInGrid)
      this.stretches = new Stretches(memory.wasm, kernel, this.places, { blocks, mostCost });
    const range = (first: number, end: number): void => this.range(first, end);
    const { stretches } = this;
    const run = stretches === null ? range : (first: number, end: number) => stretches.run(first, end, range);
    const next = this.executeTraced(run);
    if (next < blocks) run(next, blocks);
  }

  /** The blocks that are traced, and by `between` those before each; returns the first that remains. */
  executeTraced(between: (first: number, end: number) => void): number {
    const { trace, tracer, clocks } = this.parts;
    const { launch, sites } = this.places;
    let next = 0;
    for (const block of trace?.blocks ?? []) {
      if (tracer === null || tracer.done || block >= this.placed.blocks) break;
      if (next < block) between(next, block);
      const execute = (): void => this.alone(block, block + 1);
      tracer.run(
        block,
        launch,
        sites,
        this.placed.warps,
        () => (this.stretches === null ? execute() : this.stretches.runAnyhow(block, execute)),
        (warp) => clocks.shown(block, warp),
      );
      next = block + 1;
    }
    return next;
  }

  private range(first: number, end: number): void {
    const { sharing } = this.parts;
    const { kernel, caches } = this.placed;
    if (sharing?.isWorthIt(kernel, end - first, caches.smCount)) sharing.run(this.shared, first, end);
    else this.alone(first, end);
  }

  private alone(first: number, end: number): void {
    const { kernel } = this.placed;
    const { launch, counts, sites } = this.places;
    // Without atomics, who executes which blocks when is open.
    const isFree = kernel.globalAtomics === 'none';
    // Blocks that wait for others have to be executed together with them.
    const isOnePiece = kernel.waits || kernel.asksTime || kernel.mayLaunch || this.parts.progress === undefined;
    if (isFree && isOnePiece) return this.run(launch, first, end - first, counts, sites);
    const step = isFree ? blocksPerLook : this.meeting;
    for (let next = first; next < end;) {
      const stop = Math.min(end, next - (next % step) + step);
      this.run(launch, next, stop - next, counts, sites);
      if (!isFree && stop % this.meeting === 0) this.endGeneration();
      this.tell(stop);
      next = stop;
    }
  }

  private tell(done: number): void {
    this.parts.progress?.set([done, this.placed.blocks]);
  }

  /** Completes the launch after the last block: its atomics, and silent loops whose iterations were not executed. */
  end(): void {
    this.parts.progress?.fill(0, 0, 2);
    this.endGeneration();
    if (this.stretches !== null) {
      this.share = this.stretches.end();
      this.hottest /= this.share;
    }
    this.countSkipped();
  }

  private endGeneration(): void {
    const passesOf = new Uint32Array(this.parts.memory.wasm.buffer, this.places.hot, 2 * hotGranules);
    let [most, mostFloats] = [0, 0];
    for (let i = 0; i < hotGranules; i++) {
      if (passesOf[i]! > most) most = passesOf[i]!;
      if (passesOf[hotGranules + i]! > mostFloats) mostFloats = passesOf[hotGranules + i]!;
    }
    this.hottest += Math.max(most, mostFloats * floatPasses);
    passesOf.fill(0);
  }

  /** Adds the times around silent loops that were not executed, with as many lanes as the others. */
  private countSkipped(): void {
    const counters = new BigUint64Array(this.parts.memory.wasm.buffer);
    for (const [block, rounds] of this.parts.clocks.skipped) {
      const at = (this.places.counts + block * blockCounterBytes) / 8;
      const [times, lanes] = [Number(counters[at]), Number(counters[at + 1])];
      counters[at] = BigInt(times + rounds);
      counters[at + 1] = BigInt(Math.round(lanes * (1 + rounds / times)));
      counters[at + 3] = BigInt(Math.round(Number(counters[at + 3]) * (1 + rounds / times)));
    }
  }
}
