/** The load/store unit: what memory instructions, barriers in shared memory and copies in bulk do once the SM's memory pipe takes them. */
import { laneCount } from '../../model/geometry.ts';
import {
  accessKind,
  accessOf,
  anyAtomic,
  countOf,
  kindOf,
  lengthOf,
  lineHint,
  lineWord,
  passesOf,
  syncAction,
  tokenType,
  typeOf,
} from '../../model/warp-stream.ts';
import { asyncGroups } from './async-copies.ts';
import { unknownTime } from './barriers.ts';
import { isStore } from './memory-queues.ts';
import { MemoryPath } from './memory.ts';
import { leaving, never, running } from './resident-warps.ts';
import { stateNumbers } from './state-numbers.ts';
import { memoryKind, pipe } from './types.ts';
import type { WarpStream } from '../../model/warp-stream.ts';
import type { AsyncCopies } from './async-copies.ts';
import type { SharedBarriers, Waiter } from './barriers.ts';
import type { BlockLauncher } from './block-launcher.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { Pipes } from './pipes.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { Stores } from './stores.ts';
import type { StreamReader } from './stream-reader.ts';
import type { SmUnits } from './units.ts';
import type { SmOptions, SmProgram } from './types.ts';

const { long_scoreboard: longScoreboard, membar } = stateNumbers;

/** Polls in vain after which one looks whether anybody is left who could write what they wait for. */
const vainPolls = 256;

const isSyncOf = (stream: WarpStream, at: number, access: number): boolean =>
  at < stream.length && typeOf(stream[at]!) === tokenType.sync && accessOf(stream[at]!) === access;
const isSignalOfAny = (stream: WarpStream, at: number): boolean =>
  at >= 0 &&
  typeOf(stream[at]!) === tokenType.sync &&
  kindOf(stream[at]!) === syncAction.signal &&
  stream[at + 1] === anyAtomic;
const isLinesOf = (stream: WarpStream, at: number, access: number): boolean =>
  at < stream.length && typeOf(stream[at]!) === tokenType.global && accessOf(stream[at]!) === access;

export class LoadStoreUnit {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly warps: ResidentWarps;
  private readonly stores: Stores;
  private readonly scoreboards: Scoreboards;
  private readonly pipes: Pipes;
  private readonly schedulers: Schedulers;
  private readonly copies: AsyncCopies;
  private readonly reader: StreamReader;
  private readonly queues: MemoryQueues;
  private readonly sharedBarriers: SharedBarriers;
  private readonly blocks: BlockLauncher;

  readonly path: MemoryPath;
  readonly spillLoads = { hits: 0, sectors: 0 };
  /** The lines of the spilled value that is moved. */
  readonly spilled = new Uint32Array(4);
  textureFree = 0;
  /** The cycle in which the memory pipe is served. */
  now = 0;
  sharedWavefronts = 0;
  firstAtomic = Infinity;
  /** Writes that have come, by sector. */
  readonly signals = new Map<number, number>();
  vainPolls = 0;

  constructor(
    options: SmOptions,
    units: Pick<
      SmUnits,
      | 'warps'
      | 'stores'
      | 'scoreboards'
      | 'pipes'
      | 'schedulers'
      | 'copies'
      | 'reader'
      | 'queues'
      | 'sharedBarriers'
      | 'blocks'
    >,
  ) {
    this.options = options;
    this.program = options.program;
    this.warps = units.warps;
    this.stores = units.stores;
    this.scoreboards = units.scoreboards;
    this.pipes = units.pipes;
    this.schedulers = units.schedulers;
    this.copies = units.copies;
    this.reader = units.reader;
    this.queues = units.queues;
    this.sharedBarriers = units.sharedBarriers;
    this.blocks = units.blocks;
    this.path = new MemoryPath(options.program.parameters, options.memory, options.l1Bytes);
  }

  /** Gives a fetch to the SM's texture unit, which takes so many cycles for it, and finds its texels in L1 or beyond. */
  sample(sub: number, w: number, p: number, now: number): void {
    const { program, path } = this;
    const { parameters } = program;
    const stream = this.warps.streams[w]!;
    const access = program.access[p]!;
    let at = this.reader.findAccess(w, access);
    const start = Math.max(now + 1, this.textureFree);
    let time = start + program.latency[p]! - 1;
    let cycles = 0;
    for (; at >= 0 && at < stream.length && typeOf(stream[at]!) !== tokenType.block; at += lengthOf(stream[at]!)) {
      const token = stream[at]!;
      if (accessOf(token) !== access) break;
      if (typeOf(token) === tokenType.shared) cycles += countOf(token);
      else if (kindOf(token) === accessKind.surfaceStore)
        this.stores.storesDone[w] = path.store(stream, at + 1, countOf(token), start);
      else
        time = Math.max(
          time,
          path.load(stream, at + 1, countOf(token), start, program.latency[p]! - parameters.l1Latency),
        );
    }
    this.textureFree = start + cycles;
    this.pipes.occupy(sub, pipe.tex, this.textureFree - parameters.textureBacklog, now);
    this.scoreboards.setResults(
      w,
      p,
      time + Math.max(0, cycles - 1) * parameters.textureQuadLatency,
      program.reason[p]!,
    );
  }

  /** Moves what it can into the SM's queue, and lets the memory pipe begin with one of them if it is free. */
  serveMemory(now: number): void {
    const { queues } = this;
    queues.accept(now);
    if (queues.sharedCount > 0 && queues.pipeTime() <= now) {
      this.serve(queues.takeShared(now), now);
      queues.accept(now);
    }
    queues.lookAgain(now);
  }

  serve(entry: number, now: number): void {
    const { program, path, queues, warps, stores, copies } = this;
    const { parameters } = program;
    const w = queues.queueWarp[entry]!;
    const p = queues.queueInstruction[entry]!;
    let position = queues.queuePosition[entry]!;
    const stream = queues.queueStreams[entry]!;

    const latency = program.latency[p]!;
    let time = now + latency - 1;
    let pipeCycles = program.interval[p]!;
    const isIdle = position < 0 && program.addresses[p] === 1 && program.access[p]! >= 0;
    if (isIdle) time -= program.pipe[p] === pipe.lg ? parameters.idleGlobal : parameters.idleShared;
    const kind = program.memory[p]!;
    if (isSignalOfAny(stream, position)) {
      this.signals.set(anyAtomic, (this.signals.get(anyAtomic) ?? 0) + 1);
      position += lengthOf(stream[position]!);
    }
    if (kind === memoryKind.shared || kind === memoryKind.sharedAtomic) {
      const passes = isIdle ? 1 : position < 0 ? program.passes[p]! : countOf(stream[position]!);
      if (!isIdle) this.sharedWavefronts += passes;
      time += (passes - 1) * parameters.sharedPassLatency;
      if (passes > pipeCycles) pipeCycles = passes;
      // A register at a time, where two with the same addresses are not packed into one.
      if (!parameters.packsRegisters && program.passes[p]! > pipeCycles) pipeCycles = program.passes[p]!;
      queues.warpMemoryFree[w] = now + passes * parameters.warpPassInterval;
    } else if (kind === memoryKind.sync) {
      if (position >= 0) time = this.serveSync(w, p, position, stream, queues.queueAge[entry]!, now);
    } else if (kind >= memoryKind.bulkLoad) {
      time = this.serveBulk(w, p, position, stream, now);
    } else if (kind === memoryKind.constant) {
      const words = position < 0 ? 1 : countOf(stream[position]!);
      time += (words - 1) * parameters.constantWordLatency;
      pipeCycles *= words;
    } else if (program.spill[p]! >= 0) {
      const lines = this.linesOfSpill(w, p, queues.queueLanes[entry]!);
      if (kind === memoryKind.localStore) path.storeLocal(this.spilled, 0, lines, now);
      else {
        const before = path.l1HitSectors + path.l1MissSectors;
        const hits = path.l1HitSectors;
        time = path.load(this.spilled, 0, lines, now, latency - parameters.l1Latency);
        this.spillLoads.hits += path.l1HitSectors - hits;
        this.spillLoads.sectors += path.l1HitSectors + path.l1MissSectors - before;
      }
      pipeCycles = path.pipeCycles;
    } else if (position >= 0 && kind !== memoryKind.pass && typeOf(stream[position]!) === tokenType.sync) {
      time = this.meetAt(w, p, position, stream, now);
      pipeCycles = parameters.passInterval;
      if (kind === memoryKind.globalAtomic && this.firstAtomic === Infinity) this.firstAtomic = now + warps.skipped;
      if (isStore(kind)) stores.storesDone[w] = time;
    } else if (position >= 0 && kind !== memoryKind.pass) {
      const lines = countOf(stream[position]!);
      if (kind === memoryKind.globalLoad) {
        const wide = latency - parameters.l1Latency;
        const passes = passesOf(stream, position);
        const isPastL1 = kindOf(stream[position]!) === accessKind.loadPastL1;
        time = isPastL1
          ? path.loadPastL1(stream, position + 1, lines, now, wide, passes)
          : path.load(stream, position + 1, lines, now, wide, passes);
        // Copies through L1 to shared memory pass through the pipe once more.
        if (queues.queueGroup[entry]! >= 0 && !isPastL1) time += path.copyOn(passes);
        queues.warpMemoryFree[w] = now + path.warpCycles;
      } else if (kind === memoryKind.localStore) path.storeLocal(stream, position + 1, lines, now);
      else if (kind === memoryKind.globalStore) stores.storesDone[w] = path.store(stream, position + 1, lines, now);
      else {
        const lanes = laneCount(queues.queueLanes[entry]!);
        if (this.firstAtomic === Infinity) this.firstAtomic = now + warps.skipped;
        time = path.atomic(stream, position + 1, lines, now, latency, lanes);
        stores.storesDone[w] = time;
      }
      pipeCycles = path.pipeCycles;
    }
    queues.memoryPipeFree = now + pipeCycles;
    if (isStore(kind)) {
      if (stores.storesDone[w]! > stores.allStoresDone) stores.allStoresDone = stores.storesDone[w]!;
      this.leaveStore(w, now);
    }
    const group = queues.queueGroup[entry]!;
    if (group >= 0 && queues.queueAge[entry] === warps.age[w]) copies.arriveCopy(w, group, time, now);
    if (kind === memoryKind.bulkWait && queues.queueAge[entry] === warps.age[w]) {
      copies.bulkWaits[w] = warps.unknown[w] = 0;
      this.schedulers.schedule(w, time > now ? time : now + 1, longScoreboard, now);
    }
    if (time !== unknownTime) this.deliver(w, p, queues.queueAge[entry]!, time, now);
  }

  /** The results of an instruction are there at `time`; its warp may wait for them. */
  deliver(w: number, p: number, age: number, time: number, now: number): void {
    const { program, warps, copies } = this;
    if (program.makesStart[p] === program.makesStart[p + 1] || age !== warps.age[w]) return;
    this.scoreboards.setResults(w, p, time, program.reason[p]!);
    if (warps.unknown[w] === 0 || copies.asyncWait[w]! >= 0 || copies.bulkWaits[w] !== 0) return;
    if (warps.floorWhy[w] === membar && this.stores.storesQueued[w]! > 0) return;
    warps.unknown[w] = 0;
    const floor = warps.floor[w]!;
    this.schedulers.schedule(w, floor > now ? floor : now + 1, warps.floorWhy[w]!, now);
  }

  /**
   * An access to sectors where blocks meet: it goes to their home, past L1 and past the copies in the other half of L2; returns
   * when its result is back. What others have written by then decides whether a loop that polls goes around once more.
   */
  meetAt(w: number, p: number, position: number, stream: WarpStream, now: number): number {
    const { path, signals } = this;
    const { parameters, memory } = this.program;
    const { smCount = 1 } = this.options;
    const latency =
      parameters.homeLatency +
      (memory[p] === memoryKind.globalAtomic ? parameters.atomicLatency : parameters.l2Latency);
    const access = accessOf(stream[position]!);
    let back = now;
    for (let at = position; isSyncOf(stream, at, access); at += lengthOf(stream[at]!)) {
      const place = stream[at + 1]!;
      if (place !== anyAtomic)
        back = Math.max(back, path.meet(place, now, latency, stream[at + 3] === 1 ? smCount : 1) + latency / 2);
      if (kindOf(stream[at]!) === syncAction.signal) {
        signals.set(place, (signals.get(place) ?? 0) + 1);
        continue;
      }
      if ((signals.get(place) ?? 0) >= stream[at + 2]!) continue;
      if (++this.vainPolls % vainPolls === 0 && !this.isAnyoneAtWork()) signals.set(place, stream[at + 2]!);
      else this.reader.inVain[w] = 1;
    }
    return Math.ceil(back) - 1;
  }

  /**
   * True if some warp neither polls nor waits at a barrier. A block that polling warps wait for, but that has no room here, runs on another
   * SM.
   */
  isAnyoneAtWork(): boolean {
    const { warps, reader } = this;
    if (this.blocks.launchNext < never) return true;
    return warps.alive.some(
      (state, w) =>
        state === running && warps.inBarrier[w] === 0 && (reader.pollFrom[w]! < 0 || reader.clockFrom[w]! >= 0),
    );
  }

  /** Does what the tokens of one SYNCS say; returns when its result is there, if that is known. */
  serveSync(w: number, p: number, position: number, stream: WarpStream, age: number, now: number): number {
    const { sharedBarriers } = this;
    const { parameters, latency } = this.program;
    const block = Math.floor(w / this.options.warpsPerBlock);
    const access = accessOf(stream[position]!);
    let time = now + latency[p]! - 1;
    this.now = now;
    for (let at = position; isSyncOf(stream, at, access); at += lengthOf(stream[at]!)) {
      const place = stream[at + 1]!;
      const amount = stream[at + 2]!;
      const other = stream[at + 3]! | 0;
      switch (kindOf(stream[at]!)) {
        case syncAction.init:
          sharedBarriers.init(block, place, amount, now);
          break;
        case syncAction.arrive:
          sharedBarriers.change(block, place, now, amount, 0, other);
          break;
        case syncAction.drop:
          sharedBarriers.change(block, place, now, amount, amount, other);
          break;
        case syncAction.bytes:
          sharedBarriers.change(block, place, now, 0, 0, other);
          break;
        case syncAction.afterCopies: {
          let copied = now;
          for (let k = asyncGroups * w; k < asyncGroups * (w + 1); k++)
            copied = Math.max(copied, this.copies.asyncReady[k]!);
          if (amount > 0) sharedBarriers.change(block, place, copied, amount, 0, 0);
          else sharedBarriers.delay(block, place, copied);
          break;
        }
        default: {
          // A test that was in vain is over at once.
          if (amount === 0) break;
          const over = sharedBarriers.over(block, place, other, now, { warp: w, age, instruction: p });
          if (over === unknownTime) return unknownTime;
          if (over > now) time = Math.max(time, over + parameters.syncWakeLatency);
        }
      }
    }
    return time;
  }

  /** A phase is over: a test has its result. */
  endWait({ warp, age, instruction }: Waiter, over: number): void {
    const time = Math.max(over + this.program.parameters.syncWakeLatency, this.now + 1);
    this.deliver(warp, instruction, age, time, this.now);
  }

  /** Copies in bulk, lane after lane, the end of a group of them, or the wait for groups; returns when that is over. */
  serveBulk(w: number, p: number, position: number, stream: WarpStream, now: number): number {
    const { program, path, copies } = this;
    const { parameters } = program;
    this.now = now;
    switch (program.memory[p]) {
      case memoryKind.bulkCommit: {
        const group = ++copies.bulkGroup[w]!;
        copies.bulkRead[asyncGroups * w + (group % asyncGroups)] = 0;
        return now;
      }
      case memoryKind.bulkWait: {
        const open = copies.bulkGroup[w]!;
        let time = now;
        for (let group = Math.max(0, open + 1 - asyncGroups); group < open - program.passes[p]!; group++)
          time = Math.max(time, copies.bulkRead[asyncGroups * w + (group % asyncGroups)]!);
        return time;
      }
    }
    if (position < 0) return now;
    const block = Math.floor(w / this.options.warpsPerBlock);
    const access = accessOf(stream[position]!);
    let begin = now - parameters.bulkLaneCycles;
    for (let at = position; isSyncOf(stream, at, access);) {
      const place = stream[at + 1]!;
      const bytes = stream[at + 3]!;
      const stores = kindOf(stream[at]!) === syncAction.bulkStore;
      begin += parameters.bulkLaneCycles;
      let done = begin;
      for (at += lengthOf(stream[at]!); isLinesOf(stream, at, access); at += lengthOf(stream[at]!)) {
        const lines = countOf(stream[at]!);
        const end = stores ? path.bulkStore(stream, at + 1, lines, begin) : path.bulkLoad(stream, at + 1, lines, begin);
        if (end > done) done = end;
      }
      if (stores) {
        const group = asyncGroups * w + (copies.bulkGroup[w]! % asyncGroups);
        copies.bulkRead[group] = Math.max(copies.bulkRead[group]!, done + parameters.bulkStoreLatency);
      } else this.sharedBarriers.change(block, place, done + parameters.bulkLatency, 0, 0, -bytes);
    }
    return now;
  }

  /** Words of the stream as an access to a spilled value would have; returns how many. They lie below device memory. */
  linesOfSpill(w: number, p: number, lanes: number): number {
    const { spill, spillLines, spillFrame } = this.program;
    const first = 1 + w * spillFrame + spill[p]!;
    let sectors = 0;
    for (let s = 0; s < 4; s++) if ((lanes >>> (8 * s)) & 255) sectors |= 1 << s;
    for (let i = 0; i < spillLines[p]!; i++) this.spilled[i] = lineWord(first + i, sectors, lineHint.inL2);
    return sectors === 0 ? 0 : spillLines[p]!;
  }

  /** A store has left its queue; the warp may have waited for that. */
  leaveStore(w: number, now: number): void {
    const { stores, warps, blocks } = this;
    stores.drained[w] = now + this.program.parameters.drainLatency;
    stores.storesQueued[w]!--;
    if (stores.storesQueued[w]! > 0) return;
    if (warps.alive[w] === leaving) {
      const block = Math.floor(w / this.options.warpsPerBlock);
      blocks.draining[block]!--;
      blocks.end(w, block);
    } else if (warps.unknown[w] === 1 && warps.floorWhy[w] === membar) {
      warps.unknown[w] = 0;
      const sent = Math.max(warps.floor[w]!, stores.allStoresDone);
      this.schedulers.schedule(w, sent + this.program.parameters.membarCycles, membar, now);
    }
  }
}
