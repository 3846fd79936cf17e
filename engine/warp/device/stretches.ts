/**
 * Some blocks of a large grid, where a recording asks for that (`--sample`): of each eighth of the grid a stretch, as long as together they
 * cost no more than they may. What the other blocks would count is taken to be like those.
 */
import { instructionCosts, lineCost } from '../../model/execution-cost.ts';
import {
  blockCounterBytes,
  launchField,
  siteCounterBytes,
  siteCounterField,
  statistics,
  statisticsElsewhere,
} from '../layout.ts';
import type { ModuleKernel } from '../module.ts';
import type { LaunchPlaces } from './launch-places.ts';

/** The grid is cut into so many zones. */
const zones = 8;
/** Twice as many blocks are executed together each time, while they cost little of what a zone may: few large pieces, which several threads can share. */
const little = 1 / 4;
/** Grids of fewer blocks are executed whole. */
export const fewestInGrid = zones;

/** Executes blocks, all of them. */
type Execute = (first: number, end: number) => void;

interface Zone {
  first: number;
  end: number;
  /** What it may cost. */
  most: number;
  /** Counters when it began, and when half of that was spent: caches are warm then. */
  began: Float64Array;
  warm: Float64Array | null;
  /** Blocks until now, and since then. */
  executed: number;
  counted: number;
  cost: number;
  isOver: boolean;
}

export class Stretches {
  private readonly blocks: number;
  private readonly mostCost: number;
  /** Of code, of accesses, of the launch. */
  private readonly counters: readonly BigUint64Array[];
  /** Per counter what a count of it costs. */
  private readonly costs: Float64Array;
  /** What blocks of zones have counted, or would have; of so many blocks. */
  private readonly sum: Float64Array;
  private summed = 0;
  private zone: Zone | null = null;
  /** Blocks of the zones before, and what they cost. */
  private executed = 0;
  private spent = 0;
  /** Blocks to execute together. */
  private step = 1;

  constructor(
    memory: WebAssembly.Memory,
    kernel: ModuleKernel,
    { launch, counts, sites }: LaunchPlaces,
    { blocks, mostCost }: { blocks: number; mostCost: number },
  ) {
    this.blocks = blocks;
    this.mostCost = mostCost;
    const at = (address: number, bytes: number): BigUint64Array =>
      new BigUint64Array(memory.buffer, address, bytes / 8);
    this.counters = [
      at(counts, kernel.blocks.length * blockCounterBytes),
      at(sites, kernel.sites.length * siteCounterBytes),
      ...[...statistics, ...statisticsElsewhere].map((name) => at(launch + launchField[name], 8)),
    ];
    this.costs = costsOf(kernel, this.counters);
    this.sum = new Float64Array(this.costs.length);
  }

  /** Executes blocks, or as many of them as their zones may have. Calls are in the order of blocks. */
  run(first: number, end: number, execute: Execute): void {
    for (let next = first; next < end;) {
      const zone = this.zoneOf(next);
      const last = Math.min(end, zone.end);
      const stop = zone.isOver ? last : Math.min(last, next + this.step);
      if (!zone.isOver) {
        execute(next, stop);
        this.count(zone, stop - next);
      }
      next = stop;
    }
  }

  /** Executes a block in any case. */
  runAnyhow(block: number, execute: () => void): void {
    const zone = this.zoneOf(block);
    const before = zone.isOver ? this.now() : null;
    execute();
    if (before === null) this.count(zone, 1);
    else this.write(before);
  }

  /** Leaves what all blocks would have counted; returns the share that was executed. */
  end(): number {
    this.leave();
    if (this.executed < this.blocks) this.write(this.sum.map((value) => (value * this.blocks) / this.summed));
    return this.executed / this.blocks;
  }

  private zoneOf(block: number): Zone {
    const { zone } = this;
    if (zone !== null && block < zone.end) return zone;
    this.leave();
    const number = Math.floor((block * zones) / this.blocks);
    const [first, end] = [number, number + 1].map((n) => Math.ceil((this.blocks * n) / zones)) as [number, number];
    const most = (this.mostCost * (number + 1)) / zones - this.spent;
    const began = this.now();
    const none = { warm: null, executed: 0, counted: 0, cost: 0 };
    this.step = Math.ceil(this.step / 2);
    return (this.zone = { first, end, most, began, ...none, isOver: most <= 0 && this.summed > 0 });
  }

  private count(zone: Zone, blocks: number): void {
    const now = this.now();
    const cost = this.costs.reduce((sum, each, i) => sum + each * (now[i]! - zone.began[i]!), 0);
    if (cost - zone.cost < little * zone.most) this.step *= 2;
    zone.cost = cost;
    zone.executed += blocks;
    zone.counted += blocks;
    if (zone.executed === zone.end - zone.first) return;
    const projected = ((this.spent + cost) / (this.executed + zone.executed)) * this.blocks;
    if (cost >= zone.most) zone.isOver = projected > this.mostCost;
    else if (zone.warm === null && cost >= zone.most / 2) Object.assign(zone, { warm: now, counted: 0 });
  }

  private leave(): void {
    const { zone } = this;
    if (zone === null) return;
    this.executed += zone.executed;
    this.spent += zone.cost;
    if (zone.executed === 0) return;
    const isWhole = zone.executed === zone.end - zone.first;
    const [from, counted] = zone.warm === null || isWhole ? [zone.began, zone.executed] : [zone.warm, zone.counted];
    const blocks = zone.end - zone.first;
    this.now().forEach((value, i) => (this.sum[i]! += ((value - from[i]!) * blocks) / counted));
    this.summed += blocks;
  }

  private now(): Float64Array {
    const all = new Float64Array(this.costs.length);
    let at = 0;
    for (const counters of this.counters) for (const value of counters) all[at++] = Number(value);
    return all;
  }

  private write(values: Float64Array): void {
    let at = 0;
    for (const counters of this.counters)
      for (let i = 0; i < counters.length; i++) counters[i] = BigInt(Math.round(values[at++]!));
  }
}

/** Of counters as {@link Stretches} has them: executions of blocks of code, and lines. */
function costsOf({ blocks, sites }: ModuleKernel, counters: readonly BigUint64Array[]): Float64Array {
  const costs = new Float64Array(counters.reduce((length, { length: more }) => length + more, 0));
  for (const { mix, counted } of blocks)
    costs[(counted * blockCounterBytes) / 8]! += mix.reduce((sum, amount, i) => sum + amount * instructionCosts[i]!, 0);
  const first = (blocks.length * blockCounterBytes) / 8;
  sites.forEach((_, i) => (costs[first + (i * siteCounterBytes + siteCounterField.lines) / 8] = lineCost));
  return costs;
}
