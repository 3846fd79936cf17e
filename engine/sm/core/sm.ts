/**
 * One SM, warp by warp. Every warp knows the cycle in which its next instruction could issue (`wake`), because results have
 * known times as soon as their instruction leaves its queue; so nothing happens in the cycles between, and they are jumped
 * over. Per sub-partition:
 *
 *   wheel      warps by the cycle in which they wake, a mask of warps per cycle
 *   ready      mask of warps whose next instruction waits for nothing but its pipe and the scheduler
 *   want       the same, per pipe: what a busy pipe holds back is one mask
 *   busyTime   cycles that a pipe has been busy so far, so that a warp that issues knows how many of its ready cycles were
 *              those of a busy pipe, without having been looked at in between
 *
 * Memory instructions wait in their sub-partition's queues, then in the SM's own, which takes from them in turn and whose pipe
 * serves one after the other.
 *
 * The loop allocates nothing, and its arrays are flat: 3 to 6 million warp instructions per second (`test/bench/sm.ts`).
 */
import { SimsightError } from '../../base/errors.ts';
import { SharedBarriers, unknownTime, type Waiter } from './barriers.ts';
import { Fetch, instructionBytes } from './fetch.ts';
import { MemoryPath } from './memory.ts';
import { Window, windowCycles } from './steady.ts';
import {
  accessKind,
  accessOf,
  anyAtomic,
  countOf,
  kindOf,
  lengthOf,
  passesOf,
  lineHint,
  lineWord,
  numberedAccess,
  syncAction,
  syncWords,
  tokenType,
  typeOf,
  waitAccess,
  waitsForClock,
  type WarpStream,
} from '../../model/warp-stream.ts';
import { flag, memoryKind, pipe } from './types.ts';
import { warpStates } from '../../model/warp-states.ts';
import type { SmOptions, SmProgram, SmResult } from './types.ts';
import type { StateSink } from '../../model/warp-timeline.ts';
import type { WarpState } from '../../model/warp-states.ts';

/** Later than any cycle; a run may take half of it. */
const never = 0x3fff_ffff;
const longestRun = never >> 1;

/** Cycles that the wheel spans; warps that wake later are looked at again when it has turned. */
const wheelSize = 1024;
const wheelMask = wheelSize - 1;
const wheelWords = wheelSize / 32;

/** Pipes of a sub-partition, rounded up. */
const pipes = 16;
/** Entries of a queue's ring: those that wait in it, and those that are in the SM's queue. */
const ringSize = 32;
const mostShared = 16;
const queuesPerSub = 2;

const stateOf = (name: WarpState): number => warpStates.indexOf(name);
const selected = stateOf('selected');
const notSelected = stateOf('not_selected');
const waiting = stateOf('wait');
const longScoreboard = stateOf('long_scoreboard');
const atBarrier = stateOf('barrier');
const branchResolving = stateOf('branch_resolving');
const noInstruction = stateOf('no_instruction');
const membar = stateOf('membar');
const drain = stateOf('drain');

/** Values of `alive`: ended, or never launched; running; only stores are left. */
const running = 1;
const leaving = 2;

/**
 * Cycles after which a block is preferred to later ones: spins.cu, where blocks 6 to 8 of an SM, which arrive within 200 cycles
 * of the first, go around their loop 3 or 4 times, a hundred cycles or two each, and then not again while others want to.
 */
const settlingCycles = 600;
const newBlock = Number.MAX_SAFE_INTEGER;

/** Barriers with a number that a block has. */
const numberedBarriers = 16;

/** What a warp is said to wait for when its pipe is busy. */
const throttleOf = new Uint8Array(pipes).fill(stateOf('math_pipe_throttle'));
throttleOf[pipe.xu] = throttleOf[pipe.mio] = stateOf('mio_throttle');
throttleOf[pipe.lg] = stateOf('lg_throttle');
throttleOf[pipe.tex] = stateOf('tex_throttle');

/** What a warp waits for after EXIT, and at MEMBAR. */
const isStore = (kind: number): boolean =>
  kind === memoryKind.globalStore || kind === memoryKind.localStore || kind === memoryKind.globalAtomic;

const nothing: WarpStream = new Uint32Array();

/** Groups of asynchronous copies of a warp, and of those in bulk, that are told apart; older ones count as the oldest of them. */
const asyncGroups = 8;

const isSyncOf = (stream: WarpStream, at: number, access: number): boolean =>
  at < stream.length && typeOf(stream[at]!) === tokenType.sync && accessOf(stream[at]!) === access;
const isSignalOfAny = (stream: WarpStream, at: number): boolean =>
  at >= 0 &&
  typeOf(stream[at]!) === tokenType.sync &&
  kindOf(stream[at]!) === syncAction.signal &&
  stream[at + 1] === anyAtomic;
const isLinesOf = (stream: WarpStream, at: number, access: number): boolean =>
  at < stream.length && typeOf(stream[at]!) === tokenType.global && accessOf(stream[at]!) === access;

const isPollEnd = (word: number): boolean =>
  typeOf(word) === tokenType.sync && kindOf(word) === syncAction.pollEnd && accessOf(word) === waitAccess;

const notPolling = -1;
/** After so many polls in vain, one looks whether anybody is left who could write what they wait for. */
const vainPolls = 256;

const lanesOf = (mask: number): number => {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
};

/** Runs blocks until there are no more, or until a limit; see {@link SmOptions}. */
export function simulateSm(options: SmOptions): SmResult {
  return new Sm(options).run();
}

class Sm {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly sink: StateSink | null;
  private readonly subs: number;
  private readonly path: MemoryPath;
  /** Null where the near cache holds the whole program. */
  private readonly fetch: Fetch | null;

  // ---- per warp slot ----
  private readonly pc: Int32Array;
  private readonly blockEnd: Int32Array;
  private readonly streams: WarpStream[];
  /** Place in the stream: the token found last, and the first access of the machine block. */
  private readonly cursor: Int32Array;
  private readonly firstAccess: Int32Array;
  private readonly activeLanes: Int32Array;
  private readonly lastIssue: Int32Array;
  /** When the next instruction could issue, and what keeps it until then (an index of warpStates). */
  private readonly wake: Int32Array;
  private readonly why: Uint8Array;
  private readonly readyAt: Int32Array;
  /** The pipe's busy time when the warp became ready. */
  private readonly busyBefore: Int32Array;
  /** Waits for a result whose time is not known yet; the earliest issue for other reasons. */
  private readonly unknown: Uint8Array;
  private readonly floor: Int32Array;
  private readonly floorWhy: Uint8Array;
  private readonly inBarrier: Uint8Array;
  /** When the warp's stores have reached L2; those that have not left their queue; when the last one left the pipe. */
  private readonly storesDone: Int32Array;
  private readonly storesQueued: Int32Array;
  /** The former, of all warps. A fence waits for what others of its block stored before their last barrier as well. */
  private allStoresDone = 0;
  /** Last issue of an instruction with addresses. */
  private readonly lastAddress: Int32Array;
  /** Asynchronous copies: the group that is open, and of each group copies in the queue and when the last is there. */
  private readonly asyncGroup: Int32Array;
  private readonly asyncQueued: Int32Array;
  private readonly asyncReady: Int32Array;
  /** The warp waits for its groups but so many; -1 if it does not. */
  private readonly asyncWait: Int32Array;
  /** Copies in bulk out of shared memory: the group that is open, when each has been read, whether the warp waits for some. */
  private readonly bulkGroup: Int32Array;
  private readonly bulkRead: Int32Array;
  private readonly bulkWaits: Uint8Array;
  /** In a loop that polls: where it begins in the stream ({@link notPolling} elsewhere), whether the last poll was in vain, instructions since the begin. */
  private readonly pollFrom: Int32Array;
  private readonly inVain: Uint8Array;
  private readonly pollLength: Int32Array;
  /** In a loop that waits for a time: readings of the clock before it ({@link notPolling} elsewhere). */
  private readonly clockFrom: Int32Array;
  /** And until when it waits. */
  private readonly clockUntil: Float64Array;
  /** Of a silent loop: how often it has gone around. -1 elsewhere. */
  private readonly clockRounds: Float64Array;
  private readonly drained: Int32Array;
  /** Order of launch. */
  private readonly age: Int32Array;
  private readonly alive: Uint8Array;
  private readonly subOf: Uint8Array;
  private readonly bitOf: Int32Array;
  /** Per slot and register: from when it can be read, and what one waits for until then. */
  private readonly registerReady: Int32Array;
  private readonly registerWhy: Uint8Array;

  // ---- per sub-partition ----
  private readonly wheel: Int32Array;
  private readonly wheelUsed: Int32Array;
  private readonly wheelUsedWords: Int32Array;
  private readonly ready: Int32Array;
  private readonly busy: Int32Array;
  private readonly lastBit: Int32Array;
  /** Cycle in which there may be something to do. */
  private readonly next: Int32Array;
  // per sub-partition and pipe
  private readonly want: Int32Array;
  private readonly free: Int32Array;
  private readonly busyTime: Int32Array;
  /** When the execution unit behind a pipe, or each half of the FMA pipe, is free. */
  private readonly unitFree: Int32Array;

  // ---- memory queues, per sub-partition: global (0) and the others (1) ----
  private readonly queueWarp: Int32Array;
  private readonly queueInstruction: Int32Array;
  private readonly queuePosition: Int32Array;
  private readonly queueTime: Int32Array;
  /** What may have changed when the instruction leaves: the warp's lanes, and the warp itself, which may have ended. */
  private readonly queueLanes: Int32Array;
  private readonly queueGroup: Int32Array;
  private readonly queueAge: Int32Array;
  private readonly queueStreams: WarpStream[];
  private readonly spillLoads = { hits: 0, sectors: 0 };
  /** The lines of the spilled value that is moved. */
  private readonly spilled = new Uint32Array(4);
  private readonly queueHead: Int32Array;
  private readonly queueCount: Int32Array;
  private readonly addressFree: Int32Array;
  /** The SM's queue: entries of the others, in its order. */
  private readonly sharedQueue = new Int32Array(mostShared);
  private sharedCount = 0;
  /** When the next memory instruction of a warp can begin. */
  private readonly warpMemoryFree: Int32Array;
  private memoryNext = never;
  private memoryPipeFree = 0;
  private textureFree = 0;
  private turn = 0;

  // ---- per block slot ----
  /** Warps that have not issued their last instruction; those that have, but whose stores are still queued. */
  private readonly live: Int32Array;
  private readonly draining: Int32Array;
  /** The latest end of a warp so far. */
  private readonly endOf: Int32Array;
  private readonly arrived: Int32Array;
  private readonly lastArrival: Int32Array;
  private readonly blockOf: Int32Array;
  private barrierFree = 0;
  /** Of barriers with a number: threads that have come, when the last of them did, the block's warps that wait, a bit each. */
  private readonly numberedThreads: Int32Array;
  private readonly numberedWanted: Int32Array;
  private readonly numberedLast: Int32Array;
  private readonly numberedWaiting: Int32Array;
  private readonly barriers: SharedBarriers;

  /** Free block slots in the order in which they can be used again, and from when on. */
  private readonly launchSlots: number[] = [];
  private readonly launchTimes: number[] = [];
  private launchNext = 0;
  private dispatchNext = 0;
  private warpLaunchFree = 0;
  private launched = 0;

  /** The cycle in which the memory pipe is served. */
  private now = 0;

  /**
   * Cycles that were not simulated, since nothing but waiting for a time would have happened ({@link file://./steady.ts}): the
   * clock is ahead of the simulation by so much. What is known of the waiting until now, and when to look at it next.
   */
  private skipped = 0;
  private window: Window | null = null;
  /** `polling` when the window was opened. */
  private polledBefore = 0;
  private nextLook = 0;
  /** By warp slot, when it last issued: `skipped` then. */
  private readonly skippedThen: Float64Array;

  // ---- results ----
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private instructions = 0;
  private readonly issueActive: Float64Array;
  private readonly warpCycles = new Float64Array(warpStates.length);
  private readonly issues: Float64Array | null;
  private readonly instructionCycles: Float64Array | null;
  private readonly clockReads: number[][] = [];
  /** How often silent loops went around, by reading. */
  private readonly silentRounds: Map<number, number>[] = [];
  private sharedWavefronts = 0;
  private firstAtomic = Infinity;
  /** Writes that have come, by sector. */
  private readonly signals = new Map<number, number>();
  private polling = 0;
  /** A stream that is not all that its warp did has come to its end. */
  private isOver = false;
  private vainPolls = 0;

  constructor(options: SmOptions) {
    const { program, residentBlocks, warpsPerBlock } = options;
    const { parameters } = program;
    this.options = options;
    this.program = program;
    this.sink = options.sink ?? null;
    this.subs = parameters.subPartitions;
    this.path = new MemoryPath(parameters, options.memory, options.l1Bytes);
    const bytes = options.program.pipe.length * instructionBytes;
    this.fetch = bytes > parameters.nearInstructionBytes ? new Fetch(parameters) : null;
    const slots = residentBlocks * warpsPerBlock;
    if (slots > parameters.warpSlots || slots < 1) {
      throw new SimsightError(
        'internal',
        `${residentBlocks} blocks of ${warpsPerBlock} warps do not fit the ${parameters.warpSlots} warp slots of an SM.`,
      );
    }
    const words = (): Int32Array => new Int32Array(slots);
    this.pc = words();
    this.blockEnd = words();
    this.streams = Array.from({ length: slots }, () => nothing);
    this.cursor = words();
    this.firstAccess = words();
    this.activeLanes = words();
    this.lastIssue = words();
    this.wake = words();
    this.why = new Uint8Array(slots);
    this.readyAt = words();
    this.busyBefore = words();
    this.unknown = new Uint8Array(slots);
    this.floor = words();
    this.floorWhy = new Uint8Array(slots);
    this.inBarrier = new Uint8Array(slots);
    this.storesDone = words();
    this.storesQueued = words();
    this.asyncGroup = words();
    this.lastAddress = words();
    this.warpMemoryFree = words();
    this.asyncWait = words();
    this.bulkGroup = words();
    this.bulkRead = new Int32Array(asyncGroups * slots);
    this.bulkWaits = new Uint8Array(slots);
    this.asyncQueued = new Int32Array(asyncGroups * this.storesQueued.length);
    this.asyncReady = new Int32Array(asyncGroups * this.storesQueued.length);
    this.pollFrom = words();
    this.inVain = new Uint8Array(slots);
    this.pollLength = words();
    this.clockFrom = words();
    this.clockUntil = new Float64Array(slots);
    this.clockRounds = new Float64Array(slots).fill(-1);
    this.drained = words();
    this.skippedThen = new Float64Array(slots);
    this.age = words();
    this.alive = new Uint8Array(slots);
    this.subOf = Uint8Array.from({ length: slots }, (_, slot) => slot % this.subs);
    this.bitOf = Int32Array.from({ length: slots }, (_, slot) => 1 << Math.floor(slot / this.subs));
    this.registerReady = new Int32Array(slots * program.registers);
    this.registerWhy = new Uint8Array(slots * program.registers);

    this.wheel = new Int32Array(this.subs * wheelSize);
    this.wheelUsed = new Int32Array(this.subs * wheelWords);
    this.wheelUsedWords = new Int32Array(this.subs);
    this.ready = new Int32Array(this.subs);
    this.busy = new Int32Array(this.subs);
    this.lastBit = new Int32Array(this.subs);
    this.next = new Int32Array(this.subs).fill(never);
    this.want = new Int32Array(this.subs * pipes);
    this.free = new Int32Array(this.subs * pipes);
    this.busyTime = new Int32Array(this.subs * pipes);
    this.unitFree = new Int32Array(this.subs * pipes);

    const entries = this.subs * queuesPerSub * ringSize;
    this.queueWarp = new Int32Array(entries);
    this.queueInstruction = new Int32Array(entries);
    this.queuePosition = new Int32Array(entries);
    this.queueTime = new Int32Array(entries);
    this.queueLanes = new Int32Array(entries);
    this.queueGroup = new Int32Array(entries);
    this.queueAge = new Int32Array(entries);
    this.queueStreams = Array.from({ length: entries }, () => nothing);
    this.queueHead = new Int32Array(this.subs * queuesPerSub);
    this.queueCount = new Int32Array(this.subs * queuesPerSub);
    this.addressFree = new Int32Array(this.subs);

    this.live = new Int32Array(residentBlocks);
    this.draining = new Int32Array(residentBlocks);
    this.endOf = new Int32Array(residentBlocks);
    this.arrived = new Int32Array(residentBlocks);
    this.lastArrival = new Int32Array(residentBlocks);
    this.blockOf = new Int32Array(residentBlocks).fill(-1);
    this.numberedThreads = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedWanted = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedLast = new Int32Array(residentBlocks * numberedBarriers);
    this.numberedWaiting = new Int32Array(residentBlocks * numberedBarriers);
    this.barriers = new SharedBarriers(residentBlocks, (waiter, time) => this.endWait(waiter, time));
    for (let slot = 0; slot < residentBlocks; slot++) {
      this.launchSlots.push(slot);
      this.launchTimes.push(0);
    }

    this.issueActive = new Float64Array(this.subs);
    const count = program.pipe.length;
    this.issues = options.perInstruction ? new Float64Array(count) : null;
    this.instructionCycles = options.perInstruction ? new Float64Array(count * warpStates.length) : null;
  }

  run(): SmResult {
    const { next, subs } = this;
    const limit = this.options.maxInstructions ?? Infinity;
    let now = 0;
    let stopped = false;
    for (;;) {
      let time = this.memoryNext < this.launchNext ? this.memoryNext : this.launchNext;
      for (let sub = 0; sub < subs; sub++) if (next[sub]! < time) time = next[sub]!;
      if (time >= never) break;
      now = time;
      if (now >= this.nextLook) this.look(now);
      if (this.launchNext <= now) this.launch(now);
      if (this.memoryNext <= now) this.serveMemory(now);
      for (let sub = 0; sub < subs; sub++) if (next[sub]! <= now) this.step(sub, now);
      if (this.instructions - this.polling >= limit || this.isOver) {
        stopped = true;
        break;
      }
      if (now > longestRun)
        throw new SimsightError('budget-exceeded', `The SM ran for more than ${longestRun} cycles.`);
    }
    let cycles = 0;
    for (const end of this.ends) if (end > cycles) cycles = end;
    if (stopped) {
      cycles = now + 1 + this.skipped;
      this.closeStates(now + 1);
    } else if (this.live.some((count) => count > 0)) {
      throw new SimsightError('internal', `Warps wait for ever at a barrier, or for a result that nobody makes.`);
    }
    return {
      cycles,
      stopped,
      instructions: this.instructions,
      polling: this.polling,
      blockStart: Int32Array.from(this.starts),
      blockEnd: Int32Array.from(this.ends),
      issueActive: this.issueActive,
      warpCycles: this.warpCycles,
      l1HitSectors: this.path.l1HitSectors,
      l1MissSectors: this.path.l1MissSectors,
      l2Sectors: this.path.l2Sectors,
      spills: { load: this.spillLoads, store: this.path.localStores },
      dramReadSectors: this.path.dram.readSectors,
      dramWriteSectors: this.path.dram.writeSectors,
      sharedWavefronts: this.sharedWavefronts,
      firstAtomic: this.firstAtomic,
      clockReads: this.clockReads,
      silentRounds: this.silentRounds,
      perInstruction:
        this.issues === null ? null : { issues: this.issues, warpCycles: this.instructionCycles ?? new Float64Array() },
    };
  }

  // ---- time that is not simulated ----

  /** Lets time pass at once while all warps wait for a time, or at a barrier for those who do. */
  private look(now: number): void {
    const { window } = this;
    this.window = null;
    this.nextLook = now + windowCycles;
    const until = this.waitsUntil();
    if (until === Infinity) return;
    const begin = window?.begin ?? now;
    const cycles = now - begin;
    const times = cycles === 0 ? 0 : Math.floor((until - this.skipped - now) / cycles) - 1;
    if (window === null || times < 1) {
      this.window = this.openWindow(now);
      this.polledBefore = this.polling;
      return;
    }
    window.repeat(times, cycles);
    this.polling += times * (this.polling - this.polledBefore);
    this.instructions = this.issueActive.reduce((sum, issues) => sum + issues, 0);
    const all = times * cycles;
    this.skipped += all;
    // Those that did not come to issue, and are in no count.
    this.alive.forEach((state, w) => {
      if (state !== running || this.lastIssue[w]! >= begin) return;
      const why = this.inBarrier[w] !== 0 ? atBarrier : notSelected;
      this.warpCycles[why]! += all;
      if (this.instructionCycles !== null) this.instructionCycles[this.pc[w]! * warpStates.length + why]! += all;
    });
  }

  /** When the first warp has waited long enough, by the clock; infinite unless nothing else goes on. */
  private waitsUntil(): number {
    if (this.launchNext < never || this.memoryNext < never || this.queueCount.some((count) => count > 0))
      return Infinity;
    let until = Infinity;
    for (let w = 0; w < this.alive.length; w++) {
      if (this.alive[w] === 0 || (this.alive[w] === running && this.inBarrier[w] !== 0)) continue;
      if (this.alive[w] !== running || this.clockFrom[w]! < 0) return Infinity;
      until = Math.min(until, this.clockUntil[w]!);
    }
    return until;
  }

  private openWindow(now: number): Window {
    const counters = [this.issueActive, this.warpCycles, this.issues, this.instructionCycles, this.clockRounds];
    const waiting = [...this.age]
      .filter((_, w) => this.alive[w] === running && this.clockFrom[w]! >= 0 && this.clockRounds[w]! < 0)
      .map((age) => this.clockReads[age] ?? []);
    return new Window(
      now,
      counters.filter((each) => each !== null),
      waiting,
    );
  }

  // ---- blocks ----

  private launch(now: number): void {
    const { launchSlots, launchTimes, options, program } = this;
    const { warpsPerBlock } = options;
    const { launchCycles, warpLaunchInterval } = program.parameters;
    while (launchSlots.length > 0 && launchTimes[0]! <= now && this.dispatchNext <= now) {
      const streams = this.launched < (options.maxBlocks ?? Infinity) ? options.nextBlock() : null;
      if (streams === null) {
        launchSlots.length = launchTimes.length = 0;
        break;
      }
      const block = launchSlots.shift()!;
      launchTimes.shift();
      // What this SM did not take when it could is left to it: the others do not ask all at the same time.
      const { firstDispatchCycles, dispatchCycles: later = 0 } = options;
      const dispatchCycles = this.launched < options.residentBlocks ? (firstDispatchCycles ?? later) : later;
      this.dispatchNext = Math.max(this.dispatchNext, now - options.residentBlocks * dispatchCycles) + dispatchCycles;
      this.blockOf[block] = this.launched;
      this.starts.push(now + this.skipped);
      this.ends.push(-1);
      this.live[block] = streams.length;
      this.draining[block] = 0;
      this.endOf[block] = now;
      this.arrived[block] = 0;
      this.lastArrival[block] = 0;
      this.numberedThreads.fill(0, block * numberedBarriers, (block + 1) * numberedBarriers);
      this.numberedWaiting.fill(0, block * numberedBarriers, (block + 1) * numberedBarriers);
      this.barriers.clear(block);
      for (let i = 0; i < streams.length; i++) {
        const w = block * warpsPerBlock + i;
        this.streams[w] = streams[i]!;
        this.cursor[w] = this.firstAccess[w] = 0;
        this.blockEnd[w] = this.pc[w] = 0;
        this.alive[w] = running;
        this.unknown[w] = this.inBarrier[w] = 0;
        this.storesDone[w] = this.storesQueued[w] = this.drained[w] = 0;
        this.asyncGroup[w] = this.inVain[w] = 0;
        this.pollFrom[w] = this.clockFrom[w] = notPolling;
        this.clockRounds[w] = -1;
        this.lastAddress[w] = -never;
        this.warpMemoryFree[w] = 0;
        this.asyncWait[w] = -1;
        this.bulkGroup[w] = this.bulkWaits[w] = 0;
        this.bulkRead.fill(0, asyncGroups * w, asyncGroups * (w + 1));
        this.asyncQueued.fill(0, asyncGroups * w, asyncGroups * (w + 1));
        this.asyncReady.fill(0, asyncGroups * w, asyncGroups * (w + 1));
        const start = now > this.warpLaunchFree ? now : this.warpLaunchFree;
        this.warpLaunchFree = start + warpLaunchInterval;
        this.lastIssue[w] = start - 1;
        this.skippedThen[w] = this.skipped;
        this.age[w] = this.launched * warpsPerBlock + i;
        this.registerReady.fill(0, w * program.registers, (w + 1) * program.registers);
        if (this.enterBlock(w)) this.schedule(w, start + launchCycles, noInstruction, now);
        else this.exit(w, start - 1);
      }
      this.launched++;
    }
    this.launchNext = Math.max(launchTimes[0] ?? never, this.dispatchNext);
  }

  /** The warp has issued its last instruction; it stays until that and its stores have gone their way. */
  private exit(w: number, now: number): void {
    if (this.options.isCut === true || this.options.cutWarps?.has(this.age[w]!) === true) this.isOver = true;
    const block = Math.floor(w / this.options.warpsPerBlock);
    this.lastIssue[w] = now;
    this.live[block]!--;
    if (this.storesQueued[w] === 0) this.end(w, block);
    else {
      this.draining[block]!++;
      this.alive[w] = leaving;
      this.why[w] = drain;
    }
    if (this.arrived[block]! > 0 && this.arrived[block] === this.live[block]) this.releaseBarrier(block, now);
  }

  /** Nothing of the warp is queued any more: its end is known, and that of its block if it is the last. */
  private end(w: number, block: number): void {
    const exits = this.lastIssue[w]! + 1;
    const left = exits + this.program.parameters.exitCycles;
    const end = Math.max(left, this.drained[w]!);
    this.alive[w] = 0;
    this.warpCycles[branchResolving]! += left - exits;
    this.warpCycles[drain]! += end - left;
    const last = this.pc[w]! - 1;
    if (this.instructionCycles !== null && last >= 0) {
      this.instructionCycles[last * warpStates.length + branchResolving]! += left - exits;
      this.instructionCycles[last * warpStates.length + drain]! += end - left;
    }
    if (this.sink !== null) {
      const { skipped } = this;
      if (left > exits) this.sink(w, branchResolving, exits + skipped, left + skipped);
      if (end > left) this.sink(w, drain, left + skipped, end + skipped);
    }
    if (end > this.endOf[block]!) this.endOf[block] = end;
    if (this.live[block]! > 0 || this.draining[block]! > 0) return;

    const blockEnd = this.endOf[block]!;
    this.ends[this.blockOf[block]!] = blockEnd + this.skipped;
    const time = blockEnd + this.program.parameters.turnoverCycles;
    const { launchSlots, launchTimes } = this;
    let place = launchTimes.length;
    while (place > 0 && launchTimes[place - 1]! > time) place--;
    launchTimes.splice(place, 0, time);
    launchSlots.splice(place, 0, block);
    this.launchNext = Math.max(launchTimes[0]!, this.dispatchNext);
  }

  /** Goes to the next machine block of the stream that has instructions; false if there is none. */
  private enterBlock(w: number): boolean {
    const stream = this.streams[w]!;
    const { blockStart } = this.program;
    let position = this.cursor[w]!;
    while (position < stream.length) {
      const word = stream[position]!;
      if (typeOf(word) === tokenType.block) {
        const start = blockStart[word]!;
        const end = blockStart[word + 1]!;
        if (end > start) {
          this.pc[w] = start;
          this.blockEnd[w] = end;
          this.activeLanes[w] = stream[position + 1]!;
          this.cursor[w] = this.firstAccess[w] = position + 2;
          this.pollLength[w]! += end - start;
          return true;
        }
      } else if (accessOf(word) === waitAccess) {
        if (stream[position + syncWords] === waitsForClock) {
          position = this.waitForClock(w, position);
          continue;
        }
        if (kindOf(word) === syncAction.poll) {
          this.pollFrom[w] = position + lengthOf(word);
          this.pollLength[w] = 0;
        } else if (this.inVain[w] === 0) this.pollFrom[w] = notPolling;
        else {
          // Once more around.
          this.polling += this.pollLength[w]!;
          this.inVain[w] = this.pollLength[w] = 0;
          position = this.pollFrom[w]!;
          continue;
        }
      }
      position += lengthOf(word);
    }
    this.cursor[w] = position;
    return false;
  }

  private readClock(w: number, time: number): void {
    const reads = (this.clockReads[this.age[w]!] ??= []);
    const rounds = this.clockRounds[w]!;
    if (rounds > 0) reads[reads.length - 1] = time;
    else reads.push(time);
    if (rounds >= 0) this.clockRounds[w] = rounds + 1;
  }

  /** At one end of a loop that waits for a time: where in the stream the warp goes on. */
  private waitForClock(w: number, position: number): number {
    const stream = this.streams[w]!;
    const reads = (this.clockReads[this.age[w]!] ??= []);
    const after = position + lengthOf(stream[position]!);
    if (kindOf(stream[position]!) === syncAction.poll) {
      let end = after;
      while (!isPollEnd(stream[end]!)) end += lengthOf(stream[end]!);
      this.pollFrom[w] = after;
      this.clockFrom[w] = reads.length;
      this.clockRounds[w] = stream[position + 1] === 1 ? 0 : -1;
      this.clockUntil[w] = (reads.at(-1) ?? 0) + stream[end + 1]! + stream[end + 2]! * 2 ** 32;
      return after;
    }
    if (reads.at(-1)! < this.clockUntil[w]!) {
      this.polling += this.pollLength[w]!;
      this.pollLength[w] = 0;
      return this.pollFrom[w]!;
    }
    if (this.clockRounds[w]! >= 0) {
      (this.silentRounds[this.age[w]!] ??= new Map<number, number>()).set(reads.length - 1, this.clockRounds[w]!);
      this.clockRounds[w] = -1;
    }
    this.pollFrom[w] = this.clockFrom[w] = notPolling;
    return after;
  }

  /** Place of the token of a memory access of the current machine block, or -1 if no lane took part. */
  private findAccess(w: number, number: number): number {
    const stream = this.streams[w]!;
    let position = this.cursor[w]!;
    for (let again = 0; again < 2; again++) {
      while (position < stream.length) {
        const word = stream[position]!;
        if (typeOf(word) === tokenType.block) break;
        const found = accessOf(word);
        if (found === number) {
          this.cursor[w] = position;
          return position;
        }
        if (found > number) break;
        position += lengthOf(word);
      }
      // Instructions may stand in another order than their accesses.
      position = this.firstAccess[w]!;
    }
    return -1;
  }

  // ---- when a warp can issue ----

  /** Finds the cycle of the warp's next issue: `floor` or when what it needs is there. */
  private schedule(w: number, floor: number, floorWhy: number, now: number): void {
    const { needsStart, needs, registers } = this.program;
    const { registerReady } = this;
    const p = this.pc[w]!;
    const base = w * registers;
    let time = floor;
    let why = floorWhy;
    if (this.fetch !== null) {
      const there = this.fetch.arrival(p, floor);
      if (there > time) {
        time = there;
        why = noInstruction;
      }
    }
    for (let k = needsStart[p]!, end = needsStart[p + 1]!; k < end; k++) {
      const register = base + needs[k]!;
      const there = registerReady[register]!;
      if (there > time) {
        time = there;
        why = this.registerWhy[register]!;
      }
    }
    if (this.program.addresses[p] !== 0) {
      const free = this.lastAddress[w]! + this.program.parameters.warpAddressInterval;
      if (free > time) {
        time = free;
        why = waiting;
      }
    }
    this.wake[w] = time;
    this.why[w] = why;
    if (time >= never) {
      this.unknown[w] = 1;
      this.floor[w] = floor;
      this.floorWhy[w] = floorWhy;
    } else this.insert(w, time, now);
  }

  /** Puts a warp into the wheel. */
  private insert(w: number, wake: number, now: number): void {
    const time = wake - now < wheelSize ? wake : now + wheelSize - 1;
    const sub = this.subOf[w]!;
    const place = time & wheelMask;
    const word = place >> 5;
    this.wheel[sub * wheelSize + place]! |= this.bitOf[w]!;
    this.wheelUsed[sub * wheelWords + word]! |= 1 << (place & 31);
    this.wheelUsedWords[sub]! |= 1 << word;
    if (time < this.next[sub]!) this.next[sub] = time;
  }

  /** The first cycle after `now` in which a warp of the sub-partition wakes. */
  private nextWake(sub: number, now: number): number {
    const words = this.wheelUsedWords[sub]!;
    if (words === 0) return never;
    const place = (now + 1) & wheelMask;
    let word = place >> 5;
    let bits = this.wheelUsed[sub * wheelWords + word]! & (-1 << (place & 31));
    if (bits === 0) {
      const later = words & (word === 31 ? 0 : -1 << (word + 1));
      const among = later !== 0 ? later : words;
      word = 31 - Math.clz32(among & -among);
      bits = this.wheelUsed[sub * wheelWords + word]!;
    }
    const found = (word << 5) + 31 - Math.clz32(bits & -bits);
    return now + 1 + ((found - place) & wheelMask);
  }

  // ---- issue ----

  /** One cycle of a sub-partition: warps wake, one issues. */
  private step(sub: number, now: number): void {
    const { free, want, busy } = this;
    const place = now & wheelMask;
    const woken = this.wheel[sub * wheelSize + place]!;
    if (woken !== 0) this.wakeUp(sub, now, woken);

    const ready = this.ready[sub]!;
    if (ready === 0) {
      this.next[sub] = this.nextWake(sub, now);
      return;
    }
    let held = 0;
    let earliest = never;
    for (let rest = busy[sub]!; rest !== 0; rest &= rest - 1) {
      const index = sub * pipes + 31 - Math.clz32(rest & -rest);
      if (free[index]! <= now) busy[sub]! &= ~(rest & -rest);
      else if (want[index] !== 0) {
        held |= want[index]!;
        if (free[index]! < earliest) earliest = free[index]!;
      }
    }
    const candidates = ready & ~held;
    if (candidates === 0) {
      const wake = this.nextWake(sub, now);
      this.next[sub] = wake < earliest ? wake : earliest;
      return;
    }
    const bit = this.choose(sub, candidates, now);
    this.lastBit[sub] = bit;
    this.next[sub] = never;
    this.issue(sub, bit * this.subs + sub, 1 << bit, now);
    if (this.ready[sub] !== 0) this.next[sub] = now + 1;
    else this.next[sub] = this.nextWake(sub, now);
  }

  private wakeUp(sub: number, now: number, woken: number): void {
    const place = now & wheelMask;
    const word = sub * wheelWords + (place >> 5);
    this.wheel[sub * wheelSize + place] = 0;
    const left = (this.wheelUsed[word]! &= ~(1 << (place & 31)));
    if (left === 0) this.wheelUsedWords[sub]! &= ~(1 << (place >> 5));
    for (let rest = woken; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const w = (31 - Math.clz32(bit)) * this.subs + sub;
      if (this.wake[w]! > now) {
        this.insert(w, this.wake[w]!, now);
        continue;
      }
      const index = sub * pipes + this.program.pipe[this.pc[w]!]!;
      this.ready[sub]! |= bit;
      this.want[index]! |= bit;
      this.readyAt[w] = now;
      const ahead = this.free[index]! - now;
      this.busyBefore[w] = this.busyTime[index]! - (ahead > 0 ? ahead : 0);
    }
  }

  /** The warp that issues, as its number in the sub-partition. */
  private choose(sub: number, candidates: number, now: number): number {
    const last = this.lastBit[sub]!;
    const { policy = 'oldestBlock' } = this.options;
    if (policy === 'oldestBlock') return this.ofOldestBlock(sub, candidates, now);
    if (policy === 'lrr') {
      const after = candidates & ~((2 << last) - 1);
      const among = after !== 0 ? after : candidates;
      return 31 - Math.clz32(among & -among);
    }
    if ((candidates >> last) & 1) return last;
    const sign = policy === 'gto' ? -1 : 1;
    let best = -1;
    let bestAge = 0;
    for (let rest = candidates; rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest);
      const age = sign * this.age[bit * this.subs + sub]!;
      if (best < 0 || age > bestAge) {
        best = bit;
        bestAge = age;
      }
    }
    return best;
  }

  /**
   * Of the block that was launched first, the warp that has not issued for the longest. Blocks that have just come are alike
   * where {@link SmOptions.firstDispatchCycles} says how they come.
   */
  private ofOldestBlock(sub: number, candidates: number, now: number): number {
    if ((candidates & (candidates - 1)) === 0) return 31 - Math.clz32(candidates);
    const { warpsPerBlock, firstDispatchCycles } = this.options;
    const settling = firstDispatchCycles !== undefined;
    let found = -1;
    let oldest = Infinity;
    let longest = Infinity;
    for (let rest = candidates; rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest);
      const w = bit * this.subs + sub;
      let block = this.blockOf[Math.floor(w / warpsPerBlock)]!;
      if (settling && now + this.skipped < this.starts[block]! + settlingCycles) block = newBlock;
      if (block > oldest || (block === oldest && this.lastIssue[w]! >= longest)) continue;
      found = bit;
      oldest = block;
      longest = this.lastIssue[w]!;
    }
    return found;
  }

  private issue(sub: number, w: number, mask: number, now: number): void {
    const { program } = this;
    const p = this.pc[w]!;
    const unit = program.pipe[p]!;
    const index = sub * pipes + unit;
    this.ready[sub]! &= ~mask;
    this.want[index]! &= ~mask;

    // The cycles since the last issue: waiting, then ready with the pipe busy or with another warp chosen.
    const first = this.lastIssue[w]! + 1;
    const readyAt = this.readyAt[w]!;
    const throttled = this.busyTime[index]! - this.busyBefore[w]!;
    const cycles = this.warpCycles;
    cycles[this.why[w]!]! += readyAt - first;
    cycles[throttleOf[unit]!]! += throttled;
    cycles[notSelected]! += now - readyAt - throttled;
    cycles[selected]!++;
    if (this.issues !== null) this.countInstruction(p, w, first, throttled, now);
    if (this.sink !== null) this.tell(w, first, throttled, now);
    this.lastIssue[w] = now;
    this.skippedThen[w] = this.skipped;
    this.instructions++;
    this.issueActive[sub]!++;

    if (program.addresses[p] !== 0) this.lastAddress[w] = now;
    if (program.memory[p] === memoryKind.none) this.execute(sub, index, w, p, now);
    else if (unit === pipe.tex) this.sample(sub, w, p, now);
    else this.enqueue(sub, index, w, p, now);

    // On to the next instruction.
    const flags = program.flags[p]!;
    if ((flags & flag.clock) !== 0) this.readClock(w, now + this.skipped);
    const meeting = (flags & flag.numbered) === 0 ? -1 : this.findAccess(w, numberedAccess);
    if (meeting >= 0) this.meet(w, meeting, now);
    this.pc[w] = p + 1;
    if (p + 1 === this.blockEnd[w] && !this.enterBlock(w)) {
      this.exit(w, now);
      return;
    }
    if ((flags & ~flag.asyncCopy) === 0) this.schedule(w, now + 1, waiting, now);
    else this.scheduleAfterControl(w, flags, p, now);
  }

  private scheduleAfterControl(w: number, flags: number, p: number, now: number): void {
    const { parameters } = this.program;
    if (flags & flag.barrier) this.arrive(w, now);
    else if (flags & flag.numbered) {
      if (this.inBarrier[w] === 0) this.schedule(w, now + 1, waiting, now);
      else this.why[w] = atBarrier;
      this.releaseNumbered(Math.floor(w / this.options.warpsPerBlock), now);
    } else if (flags & flag.bulk) {
      const further = Math.max(0, lanesOf(this.activeLanes[w]!) - 1) * parameters.bulkLaneCycles;
      const loops = this.program.memory[p] === memoryKind.bulkLoad ? parameters.bulkIssueCycles + further : 0;
      this.schedule(w, now + 1 + loops, waiting, now);
    } else if (flags & flag.bulkWait) {
      this.bulkWaits[w] = this.unknown[w] = 1;
      this.floor[w] = now + 1;
      this.floorWhy[w] = this.why[w] = longScoreboard;
    } else if (flags & flag.clock) {
      this.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.forgetL1) {
      this.path.forgetL1();
      this.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.sleep) this.schedule(w, now + this.program.latency[p]!, this.program.reason[p]!, now);
    else if (flags & flag.asyncCommit) {
      this.asyncGroup[w]!++;
      this.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.asyncWait) {
      this.asyncWait[w] = this.program.passes[p]!;
      this.awaitCopies(w, now);
    } else if (flags & flag.membar) {
      if (this.storesQueued[w] === 0)
        this.schedule(w, Math.max(now, this.allStoresDone) + parameters.membarCycles, membar, now);
      else {
        this.unknown[w] = 1;
        this.floor[w] = now + 1;
        this.floorWhy[w] = this.why[w] = membar;
      }
    } else {
      const taken = flags & flag.jump || this.pc[w] !== p + 1;
      this.schedule(w, now + (taken ? parameters.takenBranchCycles : parameters.branchCycles), branchResolving, now);
    }
  }

  /** Goes on when all groups but the last few are there; tries again with each copy that leaves its queue. */
  private awaitCopies(w: number, now: number): void {
    const open = this.asyncGroup[w]!;
    const last = open - this.asyncWait[w]!;
    let time = now + 1;
    for (let group = Math.max(0, open + 1 - asyncGroups); group < last; group++) {
      const place = asyncGroups * w + (group % asyncGroups);
      if (this.asyncQueued[place]! > 0) {
        this.unknown[w] = 1;
        this.floor[w] = time;
        this.floorWhy[w] = this.why[w] = longScoreboard;
        return;
      }
      if (this.asyncReady[place]! > time) time = this.asyncReady[place]!;
    }
    this.asyncWait[w] = -1;
    this.schedule(w, time, longScoreboard, now);
  }

  /** Occupies the pipe and says when the results are there. */
  private execute(sub: number, index: number, w: number, p: number, now: number): void {
    const { program, unitFree } = this;
    const unit = program.pipe[p]!;
    const interval = program.interval[p]!;
    let start = now;
    if (unit === pipe.xu) {
      // A queue in front of the unit: the instruction may start later than it issues.
      if (unitFree[index]! > now) start = unitFree[index]!;
      unitFree[index] = start + interval;
      this.occupy(sub, unit, start + interval - program.parameters.specialQueueDepth * interval, now);
    } else if (unit <= pipe.imad && program.parameters.fmaHalves) {
      const light = sub * pipes + pipe.fma;
      const heavy = sub * pipes + pipe.imad;
      unitFree[unit === pipe.fma && unitFree[light]! <= now ? light : heavy] = now + interval;
      const heavyFree = unitFree[heavy]!;
      this.occupy(sub, pipe.imad, heavyFree, now);
      this.occupy(sub, pipe.fma, heavyFree < unitFree[light]! ? heavyFree : unitFree[light]!, now);
    } else this.occupy(sub, unit, now + interval, now);
    this.setResults(w, p, start + program.latency[p]!, program.reason[p]!);
  }

  /** Gives a fetch to the SM's texture unit, which takes so many cycles for it, and finds its texels in L1 or beyond. */
  private sample(sub: number, w: number, p: number, now: number): void {
    const { program, path } = this;
    const { parameters } = program;
    const stream = this.streams[w]!;
    const access = program.access[p]!;
    let at = this.findAccess(w, access);
    const start = Math.max(now + 1, this.textureFree);
    let time = start + program.latency[p]! - 1;
    let cycles = 0;
    for (; at >= 0 && at < stream.length && typeOf(stream[at]!) !== tokenType.block; at += lengthOf(stream[at]!)) {
      const token = stream[at]!;
      if (accessOf(token) !== access) break;
      if (typeOf(token) === tokenType.shared) cycles += countOf(token);
      else if (kindOf(token) === accessKind.surfaceStore)
        this.storesDone[w] = path.store(stream, at + 1, countOf(token), start);
      else
        time = Math.max(
          time,
          path.load(stream, at + 1, countOf(token), start, program.latency[p]! - parameters.l1Latency),
        );
    }
    this.textureFree = start + cycles;
    this.occupy(sub, pipe.tex, this.textureFree - parameters.textureBacklog, now);
    this.setResults(w, p, time + Math.max(0, cycles - 1) * parameters.textureQuadLatency, program.reason[p]!);
  }

  /** A pipe takes nothing until `time`. */
  private occupy(sub: number, unit: number, time: number, now: number): void {
    if (time <= now + 1) return;
    const index = sub * pipes + unit;
    this.busyTime[index]! += time - (now + 1);
    this.free[index] = time;
    this.busy[sub]! |= 1 << unit;
  }

  private setResults(w: number, p: number, time: number, why: number): void {
    const { makesStart, makes, registers } = this.program;
    for (let k = makesStart[p]!, end = makesStart[p + 1]!; k < end; k++) {
      const register = w * registers + makes[k]!;
      this.registerReady[register] = time;
      this.registerWhy[register] = why;
    }
  }

  // ---- barriers ----

  private arrive(w: number, now: number): void {
    const block = Math.floor(w / this.options.warpsPerBlock);
    const arrival = now > this.barrierFree ? now : this.barrierFree;
    this.barrierFree = arrival + this.program.parameters.barrierArrivalInterval;
    this.lastArrival[block] = arrival;
    this.inBarrier[w] = 1;
    this.why[w] = atBarrier;
    this.arrived[block]!++;
    if (this.arrived[block] === this.live[block]) this.releaseBarrier(block, now);
  }

  private releaseBarrier(block: number, now: number): void {
    const { warpsPerBlock } = this.options;
    const time = Math.max(this.lastArrival[block]! + this.program.parameters.barrierLatency, now + 1);
    this.arrived[block] = 0;
    for (let w = block * warpsPerBlock; w < (block + 1) * warpsPerBlock; w++) {
      if (this.inBarrier[w] === 0) continue;
      this.inBarrier[w] = 0;
      this.schedule(w, time, atBarrier, now);
    }
  }

  /** Comes to a barrier with a number: the words of its token are the number, how many threads it waits for, whether this one waits. */
  private meet(w: number, position: number, now: number): void {
    const stream = this.streams[w]!;
    const { warpsPerBlock } = this.options;
    const block = Math.floor(w / warpsPerBlock);
    const barrier = block * numberedBarriers + stream[position + 1]!;
    const arrival = now > this.barrierFree ? now : this.barrierFree;
    this.barrierFree = arrival + this.program.parameters.barrierArrivalInterval;
    this.numberedLast[barrier] = arrival;
    this.numberedThreads[barrier]! += 32;
    this.numberedWanted[barrier] = stream[position + 2]!;
    if (stream[position + 3] === 0) return;
    this.numberedWaiting[barrier]! |= 1 << (w % warpsPerBlock);
    this.inBarrier[w] = 1;
  }

  /** Lets go on who waits at a barrier with a number to which enough have come. */
  private releaseNumbered(block: number, now: number): void {
    const { warpsPerBlock } = this.options;
    for (let barrier = block * numberedBarriers; barrier < (block + 1) * numberedBarriers; barrier++) {
      const threads = this.numberedThreads[barrier]!;
      if (threads === 0 || threads < this.numberedWanted[barrier]!) continue;
      const time = Math.max(this.numberedLast[barrier]! + this.program.parameters.barrierLatency, now + 1);
      this.numberedThreads[barrier] = 0;
      for (let rest = this.numberedWaiting[barrier]!; rest !== 0; rest &= rest - 1) {
        const w = block * warpsPerBlock + 31 - Math.clz32(rest & -rest);
        this.inBarrier[w] = 0;
        if (this.alive[w] === running) this.schedule(w, time, atBarrier, now);
      }
      this.numberedWaiting[barrier] = 0;
    }
  }

  // ---- memory ----

  /**
   * Puts a memory instruction into its queue. One without active lanes goes the same way, with nothing to do at its end
   * (H200 reference, predicated.cu).
   */
  private enqueue(sub: number, index: number, w: number, p: number, now: number): void {
    const { program } = this;
    const kind = program.memory[p]!;
    const access = kind === memoryKind.pass ? -1 : program.access[p]!;
    const position = access < 0 ? -1 : this.findAccess(w, access);
    if (isStore(kind)) this.storesQueued[w]!++;
    const isCopy = (program.flags[p]! & flag.asyncCopy) !== 0;
    const group = isCopy ? asyncGroups * w + (this.asyncGroup[w]! % asyncGroups) : -1;
    if (isCopy) this.asyncQueued[group]!++;
    const queue = sub * queuesPerSub + (program.pipe[p] === pipe.lg ? 0 : 1);
    const count = this.queueCount[queue]!++;
    const entry = queue * ringSize + ((this.queueHead[queue]! + count) & (ringSize - 1));
    this.queueWarp[entry] = w;
    this.queueInstruction[entry] = p;
    this.queuePosition[entry] = position;
    this.queueTime[entry] = now;
    this.queueLanes[entry] = this.activeLanes[w]!;
    this.queueGroup[entry] = group;
    this.queueAge[entry] = this.age[w]!;
    this.queueStreams[entry] = this.streams[w]!;
    if (count + 1 === program.parameters.queueDepth) this.occupy(sub, program.pipe[p]!, never, now);
    this.setResults(w, p, never, program.reason[p]!);
    const time = this.addressFree[sub]! > now ? this.addressFree[sub]! : now + 1;
    if (time < this.memoryNext) this.memoryNext = time;
  }

  /** Moves what it can into the SM's queue, and lets the memory pipe begin with one of them if it is free. */
  private serveMemory(now: number): void {
    const { subs, addressFree, queueCount } = this;
    this.accept(now);
    if (this.sharedCount > 0 && this.pipeTime() <= now) {
      this.serve(this.takeShared(now), now);
      this.accept(now);
    }
    let next = this.sharedCount > 0 ? this.pipeTime() : never;
    if (this.sharedCount < this.program.parameters.sharedQueueDepth) {
      for (let sub = 0; sub < subs; sub++) {
        const queue = sub * queuesPerSub;
        if (queueCount[queue] === 0 && queueCount[queue + 1] === 0) continue;
        if (addressFree[sub]! < next) next = addressFree[sub]!;
      }
    }
    this.memoryNext = next <= now ? now + 1 : next;
  }

  /** When the SM's memory pipe can begin with an instruction of its queue. */
  private pipeTime(): number {
    let time = never;
    for (let i = 0; i < this.sharedCount && time > this.memoryPipeFree; i++) {
      const free = this.warpMemoryFree[this.queueWarp[this.sharedQueue[i]!]!]!;
      if (free < time) time = free;
    }
    return time > this.memoryPipeFree ? time : this.memoryPipeFree;
  }

  /** The first of them whose warp is not in the middle of another. */
  private takeShared(now: number): number {
    const { sharedQueue } = this;
    let i = 0;
    while (this.warpMemoryFree[this.queueWarp[sharedQueue[i]!]!]! > now) i++;
    const entry = sharedQueue[i]!;
    sharedQueue.copyWithin(i, i + 1, this.sharedCount--);
    return entry;
  }

  /** The SM's queue takes the oldest instruction of each sub-partition in turn, as long as it has room. */
  private accept(now: number): void {
    const { program, queueCount, queueHead, queueTime, queueInstruction, addressFree, subs } = this;
    const { sharedQueueDepth, addressInterval, queueDepth } = program.parameters;
    const first = this.turn;
    for (let k = 0; k < subs && this.sharedCount < sharedQueueDepth; k++) {
      const sub = (first + k) % subs;
      if (addressFree[sub]! > now) continue;
      const global = sub * queuesPerSub;
      const other = global + 1;
      if (queueCount[global] === 0 && queueCount[other] === 0) continue;
      const queue =
        queueCount[other] === 0 ||
        (queueCount[global] !== 0 &&
          queueTime[global * ringSize + queueHead[global]!]! < queueTime[other * ringSize + queueHead[other]!]!)
          ? global
          : other;
      const entry = queue * ringSize + queueHead[queue]!;
      this.sharedQueue[this.sharedCount++] = entry;
      this.turn = (sub + 1) % subs;
      addressFree[sub] = now + addressInterval;
      queueHead[queue] = (queueHead[queue]! + 1) & (ringSize - 1);
      if (queueCount[queue]!-- !== queueDepth) continue;
      const unit = sub * pipes + program.pipe[queueInstruction[entry]!]!;
      this.busyTime[unit]! -= never - now;
      this.free[unit] = now;
      if (this.ready[sub] !== 0) this.next[sub] = now;
    }
  }

  private serve(entry: number, now: number): void {
    const { program, path } = this;
    const { parameters } = program;
    const w = this.queueWarp[entry]!;
    const p = this.queueInstruction[entry]!;
    let position = this.queuePosition[entry]!;
    const stream = this.queueStreams[entry]!;

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
      this.warpMemoryFree[w] = now + passes * parameters.warpPassInterval;
    } else if (kind === memoryKind.sync) {
      if (position >= 0) time = this.serveSync(w, p, position, stream, this.queueAge[entry]!, now);
    } else if (kind >= memoryKind.bulkLoad) {
      time = this.serveBulk(w, p, position, stream, now);
    } else if (kind === memoryKind.constant) {
      const words = position < 0 ? 1 : countOf(stream[position]!);
      time += (words - 1) * parameters.constantWordLatency;
      pipeCycles *= words;
    } else if (program.spill[p]! >= 0) {
      const lines = this.linesOfSpill(w, p, this.queueLanes[entry]!);
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
      if (kind === memoryKind.globalAtomic && this.firstAtomic === Infinity) this.firstAtomic = now + this.skipped;
      if (isStore(kind)) this.storesDone[w] = time;
    } else if (position >= 0 && kind !== memoryKind.pass) {
      const lines = countOf(stream[position]!);
      if (kind === memoryKind.globalLoad) {
        const wide = latency - parameters.l1Latency;
        const passes = passesOf(stream, position);
        const isPastL1 = kindOf(stream[position]!) === accessKind.loadPastL1;
        time = isPastL1
          ? path.loadPastL1(stream, position + 1, lines, now, wide, passes)
          : path.load(stream, position + 1, lines, now, wide, passes);
        // What goes through L1 to shared memory is in the pipe once more.
        if (this.queueGroup[entry]! >= 0 && !isPastL1) time += path.copyOn(passes);
        this.warpMemoryFree[w] = now + path.warpCycles;
      } else if (kind === memoryKind.localStore) path.storeLocal(stream, position + 1, lines, now);
      else if (kind === memoryKind.globalStore) this.storesDone[w] = path.store(stream, position + 1, lines, now);
      else {
        const lanes = lanesOf(this.queueLanes[entry]!);
        if (this.firstAtomic === Infinity) this.firstAtomic = now + this.skipped;
        time = path.atomic(stream, position + 1, lines, now, latency, lanes);
        this.storesDone[w] = time;
      }
      pipeCycles = path.pipeCycles;
    }
    this.memoryPipeFree = now + pipeCycles;
    if (isStore(kind)) {
      if (this.storesDone[w]! > this.allStoresDone) this.allStoresDone = this.storesDone[w]!;
      this.leaveStore(w, now);
    }
    const group = this.queueGroup[entry]!;
    if (group >= 0 && this.queueAge[entry] === this.age[w]) this.arriveCopy(w, group, time, now);
    if (kind === memoryKind.bulkWait && this.queueAge[entry] === this.age[w]) {
      this.bulkWaits[w] = this.unknown[w] = 0;
      this.schedule(w, time > now ? time : now + 1, longScoreboard, now);
    }
    if (time !== unknownTime) this.deliver(w, p, this.queueAge[entry]!, time, now);
  }

  /** The results of an instruction are there at `time`; its warp may wait for them. */
  private deliver(w: number, p: number, age: number, time: number, now: number): void {
    const { program } = this;
    if (program.makesStart[p] === program.makesStart[p + 1] || age !== this.age[w]) return;
    this.setResults(w, p, time, program.reason[p]!);
    if (this.unknown[w] === 0 || this.asyncWait[w]! >= 0 || this.bulkWaits[w] !== 0) return;
    if (this.floorWhy[w] === membar && this.storesQueued[w]! > 0) return;
    this.unknown[w] = 0;
    const floor = this.floor[w]!;
    this.schedule(w, floor > now ? floor : now + 1, this.floorWhy[w]!, now);
  }

  /**
   * An access to sectors where blocks meet: it goes to their home, past L1 and past the copies in the other half of L2; returns
   * when its result is back. What others have written by then decides whether a loop that polls goes around once more.
   */
  private meetAt(w: number, p: number, position: number, stream: WarpStream, now: number): number {
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
      else this.inVain[w] = 1;
    }
    return Math.ceil(back) - 1;
  }

  /** Whether some warp neither polls nor waits at a barrier. Who waits for a block that finds no place here has it elsewhere. */
  private isAnyoneAtWork(): boolean {
    if (this.launchNext < never) return true;
    return this.alive.some(
      (state, w) => state === running && this.inBarrier[w] === 0 && (this.pollFrom[w]! < 0 || this.clockFrom[w]! >= 0),
    );
  }

  // ---- barriers in shared memory, copies in bulk ----

  /** Does what the tokens of one SYNCS say; returns when its result is there, if that is known. */
  private serveSync(w: number, p: number, position: number, stream: WarpStream, age: number, now: number): number {
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
          this.barriers.init(block, place, amount, now);
          break;
        case syncAction.arrive:
          this.barriers.change(block, place, now, amount, 0, other);
          break;
        case syncAction.drop:
          this.barriers.change(block, place, now, amount, amount, other);
          break;
        case syncAction.bytes:
          this.barriers.change(block, place, now, 0, 0, other);
          break;
        case syncAction.afterCopies: {
          let copied = now;
          for (let k = asyncGroups * w; k < asyncGroups * (w + 1); k++) copied = Math.max(copied, this.asyncReady[k]!);
          if (amount > 0) this.barriers.change(block, place, copied, amount, 0, 0);
          else this.barriers.delay(block, place, copied);
          break;
        }
        default: {
          // A test that was in vain is over at once.
          if (amount === 0) break;
          const over = this.barriers.over(block, place, other, now, { warp: w, age, instruction: p });
          if (over === unknownTime) return unknownTime;
          if (over > now) time = Math.max(time, over + parameters.syncWakeLatency);
        }
      }
    }
    return time;
  }

  /** A phase is over: a test has its result. */
  private endWait({ warp, age, instruction }: Waiter, over: number): void {
    const time = Math.max(over + this.program.parameters.syncWakeLatency, this.now + 1);
    this.deliver(warp, instruction, age, time, this.now);
  }

  /** Copies in bulk, lane after lane, the end of a group of them, or the wait for groups; returns when that is over. */
  private serveBulk(w: number, p: number, position: number, stream: WarpStream, now: number): number {
    const { program, path } = this;
    const { parameters } = program;
    this.now = now;
    switch (program.memory[p]) {
      case memoryKind.bulkCommit: {
        const group = ++this.bulkGroup[w]!;
        this.bulkRead[asyncGroups * w + (group % asyncGroups)] = 0;
        return now;
      }
      case memoryKind.bulkWait: {
        const open = this.bulkGroup[w]!;
        let time = now;
        for (let group = Math.max(0, open + 1 - asyncGroups); group < open - program.passes[p]!; group++)
          time = Math.max(time, this.bulkRead[asyncGroups * w + (group % asyncGroups)]!);
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
        const group = asyncGroups * w + (this.bulkGroup[w]! % asyncGroups);
        this.bulkRead[group] = Math.max(this.bulkRead[group]!, done + parameters.bulkStoreLatency);
      } else this.barriers.change(block, place, done + parameters.bulkLatency, 0, 0, -bytes);
    }
    return now;
  }

  /** Words of the stream as an access to a spilled value would have; returns how many. They lie below device memory. */
  private linesOfSpill(w: number, p: number, lanes: number): number {
    const { spill, spillLines, spillFrame } = this.program;
    const first = 1 + w * spillFrame + spill[p]!;
    let sectors = 0;
    for (let s = 0; s < 4; s++) if ((lanes >>> (8 * s)) & 255) sectors |= 1 << s;
    for (let i = 0; i < spillLines[p]!; i++) this.spilled[i] = lineWord(first + i, sectors, lineHint.inL2);
    return sectors === 0 ? 0 : spillLines[p]!;
  }

  private arriveCopy(w: number, group: number, time: number, now: number): void {
    this.asyncQueued[group]!--;
    if (time > this.asyncReady[group]!) this.asyncReady[group] = time;
    if (this.asyncWait[w]! < 0 || this.unknown[w] === 0) return;
    this.unknown[w] = 0;
    this.awaitCopies(w, now);
  }

  /** A store has left its queue; the warp may have waited for that. */
  private leaveStore(w: number, now: number): void {
    this.drained[w] = now + this.program.parameters.drainLatency;
    this.storesQueued[w]!--;
    if (this.storesQueued[w]! > 0) return;
    if (this.alive[w] === leaving) {
      const block = Math.floor(w / this.options.warpsPerBlock);
      this.draining[block]!--;
      this.end(w, block);
    } else if (this.unknown[w] === 1 && this.floorWhy[w] === membar) {
      this.unknown[w] = 0;
      const sent = Math.max(this.floor[w]!, this.allStoresDone);
      this.schedule(w, sent + this.program.parameters.membarCycles, membar, now);
    }
  }

  // ---- what the caller may want to see ----

  private countInstruction(p: number, w: number, first: number, throttled: number, now: number): void {
    const cycles = this.instructionCycles!;
    const base = p * warpStates.length;
    const readyAt = this.readyAt[w]!;
    this.issues![p]!++;
    cycles[base + this.why[w]!]! += readyAt - first;
    cycles[base + throttleOf[this.program.pipe[p]!]!]! += throttled;
    cycles[base + notSelected]! += now - readyAt - throttled;
    cycles[base + selected]!++;
  }

  /** The busy cycles of a ready warp are told as one stretch in front of those in which others were chosen. */
  private tell(w: number, first: number, throttled: number, now: number): void {
    const sink = this.sink!;
    const { skipped } = this;
    const readyAt = this.readyAt[w]! + skipped;
    const from = first + this.skippedThen[w]!;
    if (readyAt > from) sink(w, this.why[w]!, from, readyAt);
    const chosenFrom = readyAt + throttled;
    const issued = now + skipped;
    if (throttled > 0) sink(w, throttleOf[this.program.pipe[this.pc[w]!]!]!, readyAt, chosenFrom);
    if (issued > chosenFrom) sink(w, notSelected, chosenFrom, issued);
    sink(w, selected, issued, issued + 1, this.pc[w]!);
  }

  /** Adds what warps have been doing since their last issue, for runs that are stopped. */
  private closeStates(end: number): void {
    for (let w = 0; w < this.alive.length; w++) {
      if (this.alive[w] === 0) continue;
      const first = this.lastIssue[w]! + 1;
      if (first >= end) continue;
      const isReady = this.alive[w] === running && (this.ready[this.subOf[w]!]! & this.bitOf[w]!) !== 0;
      const until = isReady ? this.readyAt[w]! : end;
      this.warpCycles[this.why[w]!]! += until - first;
      const { skipped } = this;
      if (until > first) this.sink?.(w, this.why[w]!, first + this.skippedThen[w]!, until + skipped);
      if (!isReady) continue;
      this.warpCycles[notSelected]! += end - until;
      if (end > until) this.sink?.(w, notSelected, until + skipped, end + skipped);
    }
  }
}
