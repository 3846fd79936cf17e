/**
 * Kernels that kernels launch, in time. A launch keeps its thread busy; software on the GPU starts what was launched, one
 * kernel after the other, as soon as the launch has returned, so children run beside the kernel that launched them. Those of
 * a stream follow each other: at once where they were known when the first of them started, after a round through that
 * software where they came later.
 *
 * A warp is taken to do its own work in equal parts before each of its launches. What comes out are the kernels with what each
 * has to wait for, so that the system can shift them where the GPU has other work as well.
 */
import { ns } from '../base/units.ts';
import { deviceRuntime } from '../gpus/device-runtime.ts';
import { TimeHeap } from './queues.ts';
import type { ChildKernel } from './types.ts';

/** A launch that a kernel has made. */
export interface DeviceLaunch<Grid> {
  grid: Grid;
  /** Name of the stream: launches of one name follow each other; null: fire and forget. */
  stream: string | null;
  /** Starts when the launching kernel and all else that it launched have ended. */
  isTail: boolean;
  /** Block and warp that launched it; the warp by its number in the block. */
  block: number;
  warp: number;
  /** Nanoseconds that its warp has spent on launches when this one returns. */
  launching: number;
}

/** Executes a grid that starts so long after the first one, at this depth; null where it fails. */
export type RunGrid<Grid> = (
  grid: Grid,
  depth: number,
  start: number,
) => { work: ChildKernel['work']; launches: DeviceLaunch<Grid>[] } | null;

interface Kernel<Grid> {
  grid: Grid;
  depth: number;
  launcher: Kernel<Grid> | null;
  isTail: boolean;
  /** When its launch has returned. */
  launched: number;
  stream: Stream<Grid> | null;
  /** Index in the list of kernels. */
  index: number;
  start: number;
  /** Kernels with which it has ended, and when that is: with its children and tail launches. */
  ends: number[];
  end: number;
  /** Children that have not ended. */
  open: number;
  /** Tail launches that are left, in their order. */
  tails: Kernel<Grid>[];
}

interface Stream<Grid> {
  waiting: Kernel<Grid>[];
  next: number;
  /** Time up to which kernels launched earlier follow without a round through the software. */
  knownUntil: number;
  /** When its kernels started. */
  starts: number[];
}

/** Kernel to be started, with the one that it waits for. */
interface Ready<Grid> {
  time: number;
  order: number;
  kernel: Kernel<Grid>;
  after: Kernel<Grid> | null;
}

/** CUDA C++ Programming Guide, technical specifications: resident grids per device. Each needs a row of its own in the trace. */
const mostRows = 128;

export interface LaunchTree {
  /** The first is the one that the host launched. */
  kernels: ChildKernel[];
  /** From the end of the last of them to that of the launch. */
  ending: number;
}

/**
 * Executes a grid, which may launch others, and all that comes of it, in the order of simulated time; null where one of them
 * fails.
 */
export function runLaunchTree<Grid>(
  first: Grid,
  mayLaunch: boolean,
  smCount: number,
  run: RunGrid<Grid>,
): LaunchTree | null {
  const tree = new Tree(smCount, run).run(first);
  return tree && !mayLaunch ? { ...tree, ending: 0 } : tree;
}

class Tree<Grid> {
  private readonly smCount: number;
  private readonly runGrid: RunGrid<Grid>;
  private readonly kernels: ChildKernel[] = [];
  private readonly ready = new TimeHeap<Ready<Grid>>();
  private order = 0;
  /** When what starts kernels can start the next. */
  private free = 0;
  /** When the last kernel of each row ends, and which it is. */
  private readonly rows: { end: number; last: number }[] = [];
  private readonly streams: Stream<Grid>[] = [];
  /** Kernels in no stream. */
  private readonly alone: Kernel<Grid>[] = [];

  constructor(smCount: number, run: RunGrid<Grid>) {
    this.smCount = smCount;
    this.runGrid = run;
  }

  run(first: Grid): LaunchTree | null {
    const root = kernelOf(first, 0, null, false, 0);
    if (!this.begin(root, 0, null)) return null;
    for (let next = this.ready.take(); next; next = this.ready.take()) {
      const { kernel, after } = next;
      const { start } = deviceRuntime;
      let time = next.time;
      if (!kernel.isTail) {
        time = Math.max(time, this.free);
        this.free = time + (kernel.stream ? start.inStream : start.alone);
        if (kernel.stream && !after) kernel.stream.knownUntil = time;
        if (kernel.stream) kernel.stream.starts.push(time);
        else this.alone.push(kernel);
      }
      if (!this.begin(kernel, time, after)) return null;
    }
    return { kernels: this.kernels, ending: this.ending() };
  }

  private begin(kernel: Kernel<Grid>, time: number, after: Kernel<Grid> | null): boolean {
    const row = this.rowFor(time);
    const start = Math.max(time, this.rows[row]!.end);
    const result = this.runGrid(kernel.grid, kernel.depth, start);
    if (!result) return false;
    const { work, launches } = result;
    const { index, launcher } = { index: this.kernels.length, launcher: kernel.launcher };
    const { duration, times } = this.withLaunches(work, launches);
    kernel.index = index;
    kernel.start = start;
    kernel.end = start + duration;
    kernel.ends = [index];
    const before = this.rows[row]!.last;
    this.rows[row] = { end: kernel.end, last: index };
    this.kernels.push({
      work: { ...work, duration: ns(duration) },
      dependencies: after ? after.ends : [],
      gap: after ? start - after.end : 0,
      launcher: launcher && !after ? { index: launcher.index, offset: start - launcher.start } : null,
      row,
      before,
    });
    this.addChildren(kernel, launches, times);
    if (kernel.open === 0) this.complete(kernel);
    return true;
  }

  /** Duration of a kernel with its launches, and the times at which each of them has returned, both from its start. */
  private withLaunches(
    { duration, blocks }: ChildKernel['work'],
    launches: DeviceLaunch<Grid>[],
  ): { duration: number; times: number[] } {
    if (launches.length === 0) return { duration: Math.round(duration), times: [] };
    const atOnce = Math.min(blocks.count, blocks.perSm * this.smCount);
    const waves = Math.ceil(blocks.count / atOnce);
    const longest = Array.from({ length: waves }, () => 0);
    /** Time that each warp spends on launches. */
    const ofWarps = new Map<number, number>();
    const waveOf = (block: number): number => Math.floor(block / atOnce);
    for (const { block, warp, launching } of launches) {
      longest[waveOf(block)] = Math.max(longest[waveOf(block)]!, launching);
      ofWarps.set(warpKey(block, warp), Math.max(ofWarps.get(warpKey(block, warp)) ?? 0, launching));
    }
    const begins: number[] = [];
    let time = 0;
    for (const launching of longest) {
      begins.push(time);
      time += duration / waves + launching;
    }
    const times = launches.map(({ block, warp, launching }) => {
      const worked = (launching / ofWarps.get(warpKey(block, warp))!) * (duration / waves);
      // Blocks come one after the other; which comes first is anybody's guess. The first one is in the middle, as if in a
      // circle, since its times are those of a middle one.
      const turn = (block + Math.floor(atOnce / 2)) % atOnce;
      return begins[waveOf(block)]! + worked + launching + (turn - (atOnce - 1) / 2) * deviceRuntime.lock.launch;
    });
    return { duration: Math.round(time), times };
  }

  private addChildren(kernel: Kernel<Grid>, launches: DeviceLaunch<Grid>[], times: number[]): void {
    const streams = new Map<string, Stream<Grid>>();
    const inOrder = launches.map((launch, i) => ({ launch, time: times[i]! })).sort((a, b) => a.time - b.time);
    for (const { launch, time } of inOrder) {
      const { grid, stream: name, isTail } = launch;
      // A tail launch is in place of the kernel, as far as others are concerned, so no deeper than it.
      const depth = kernel.depth + (isTail ? 0 : 1);
      const child = kernelOf(grid, depth, kernel, isTail, kernel.start + time);
      if (isTail) {
        kernel.tails.push(child);
        continue;
      }
      kernel.open++;
      if (name !== null) {
        child.stream = streams.get(name) ?? this.newStream();
        streams.set(name, child.stream);
        child.stream.waiting.push(child);
        if (child.stream.waiting.length > 1) continue;
      }
      this.push(child.launched + deviceRuntime.notice, child, null);
    }
  }

  /** A kernel and its children have ended: what waits for that goes on. */
  private complete(ended: Kernel<Grid>): void {
    let kernel: Kernel<Grid> | null = ended;
    while (kernel?.open === 0) {
      const tail = kernel.tails.shift();
      if (tail) return this.push(kernel.end + deviceRuntime.tailGap, tail, kernel);
      const { launcher, stream, ends, end }: Kernel<Grid> = kernel;
      if (!launcher) return;
      if (kernel.isTail) {
        launcher.ends = [...ends];
        launcher.end = end;
      } else {
        for (const index of ends) launcher.ends.push(index);
        launcher.end = Math.max(launcher.end, end);
        launcher.open--;
        if (stream) this.goOn(stream, kernel);
      }
      kernel = launcher;
    }
  }

  private goOn(stream: Stream<Grid>, ended: Kernel<Grid>): void {
    const next = stream.waiting[stream.next++];
    if (!next) return;
    const { gap, notice } = deviceRuntime;
    if (next.launched <= stream.knownUntil) return this.push(ended.end + gap.known, next, ended);
    stream.knownUntil = Math.max(ended.end + gap.unknown, next.launched + notice);
    this.push(stream.knownUntil, next, ended);
  }

  private newStream(): Stream<Grid> {
    const stream: Stream<Grid> = { waiting: [], next: 1, knownUntil: 0, starts: [] };
    this.streams.push(stream);
    return stream;
  }

  private ending(): number {
    const { none, fixed, perWaiting, mostWaiting } = deviceRuntime.ending;
    if (this.kernels.length === 1) return none;
    let waiting = 0;
    for (const { waiting: kernels, starts } of this.streams) {
      waiting = Math.max(
        waiting,
        mostTogether(
          kernels.map(({ launched }) => launched),
          starts,
        ) - 1,
      );
    }
    const last = this.rows.reduce((latest, { end }) => Math.max(latest, end), 0);
    return Math.round(Math.max(fixed + perWaiting * Math.min(waiting, mostWaiting), this.gathered() - last));
  }

  /** When the ends of all that are in no stream are known. */
  private gathered(): number {
    const { from, delay, each } = deviceRuntime.gathering;
    const { alone } = this;
    const together = mostTogether(
      alone.map(({ launched }) => launched),
      alone.map(({ launched }) => launched + delay),
    );
    return together < from ? 0 : alone[0]!.start + delay + each * alone.length;
  }

  /** One that is free then, or the one that is free first. */
  private rowFor(time: number): number {
    const free = this.rows.findIndex(({ end }) => end <= time);
    if (free >= 0) return free;
    if (this.rows.length < mostRows) return this.rows.push({ end: 0, last: -1 }) - 1;
    return this.rows.reduce((best, { end }, row) => (end < this.rows[best]!.end ? row : best), 0);
  }

  private push(time: number, kernel: Kernel<Grid>, after: Kernel<Grid> | null): void {
    this.ready.push({ time: Math.round(time), order: this.order++, kernel, after });
  }
}

const warpKey = (block: number, warp: number): number => block * 32 + warp;

function kernelOf<Grid>(
  grid: Grid,
  depth: number,
  launcher: Kernel<Grid> | null,
  isTail: boolean,
  launched: number,
): Kernel<Grid> {
  const unknown = { index: -1, start: 0, end: 0, ends: [], open: 0 };
  return { grid, depth, launcher, isTail, launched, stream: null, tails: [], ...unknown };
}

/** Maximum number of overlapping intervals, given the times at which they begin and end. */
function mostTogether(begins: readonly number[], ends: readonly number[]): number {
  const [opening, closing] = [Float64Array.from(begins).sort(), Float64Array.from(ends).sort()];
  let most = 0;
  for (let opened = 0, closed = 0; opened < opening.length;) {
    if (opening[opened]! < closing[closed]!) most = Math.max(most, ++opened - closed);
    else closed++;
  }
  return most;
}
