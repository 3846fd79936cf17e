/**
 * One SM, warp by warp: a unit per file, as SMs have them, which this one joins. Results have known times as soon as their
 * instruction leaves its queue, so only cycles in which something happens are simulated. Blocks come ({@link BlockLauncher}), their
 * warps are chosen ({@link Schedulers}) and issue into {@link Pipes}, or into {@link MemoryQueues}, from which the
 * {@link LoadStoreUnit} serves them.
 *
 * The loop allocates nothing, and its arrays are flat: 3 to 6 million warp instructions per second (`test/bench/sm.ts`).
 */
import { SimsightError } from '../../base/errors.ts';
import { warpStates } from '../../model/warp-states.ts';
import { numberedAccess } from '../../model/warp-stream.ts';
import { AsyncCopies } from './async-copies.ts';
import { SharedBarriers } from './barriers.ts';
import { BlockBarriers } from './block-barriers.ts';
import { BlockLauncher } from './block-launcher.ts';
import { LoadStoreUnit, lanesOf } from './load-store-unit.ts';
import { MemoryQueues } from './memory-queues.ts';
import { Pipes, pipesPerSub } from './pipes.ts';
import { ResidentWarps, longestRun, never, running } from './resident-warps.ts';
import { Schedulers } from './schedulers.ts';
import { Scoreboards } from './scoreboards.ts';
import { atBarrier, branchResolving, longScoreboard, membar, notSelected, selected, waiting } from './state-numbers.ts';
import { StateSamples, throttleOf } from './state-samples.ts';
import { Window, windowCycles } from './steady.ts';
import { Stores } from './stores.ts';
import { StreamReader } from './stream-reader.ts';
import { flag, memoryKind, pipe } from './types.ts';
import type { SmOptions, SmProgram, SmResult } from './types.ts';

/** Runs blocks until there are no more, or until a limit; see {@link SmOptions}. */
export function simulateSm(options: SmOptions): SmResult {
  return new Sm(options).run();
}

class Sm {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly subs: number;
  private readonly warps: ResidentWarps;
  private readonly samples: StateSamples;
  private readonly stores: Stores;
  private readonly scoreboards: Scoreboards;
  private readonly pipes: Pipes;
  private readonly schedulers: Schedulers;
  private readonly blockBarriers: BlockBarriers;
  private readonly copies: AsyncCopies;
  private readonly reader: StreamReader;
  private readonly queues: MemoryQueues;
  private readonly sharedBarriers: SharedBarriers;
  private readonly blocks: BlockLauncher;
  private readonly lsu: LoadStoreUnit;

  private window: Window | null = null;
  /** `polling` when the window was opened. */
  private polledBefore = 0;
  private nextLook = 0;
  private instructions = 0;

  constructor(options: SmOptions) {
    const { residentBlocks, warpsPerBlock, program } = options;
    const { subPartitions, warpSlots } = program.parameters;
    const slots = residentBlocks * warpsPerBlock;
    if (slots > warpSlots || slots < 1) {
      throw new SimsightError(
        'internal',
        `${residentBlocks} blocks of ${warpsPerBlock} warps do not fit the ${warpSlots} warp slots of an SM.`,
      );
    }
    this.options = options;
    this.program = program;
    this.subs = subPartitions;
    this.warps = new ResidentWarps(options);
    this.samples = new StateSamples(options, this.warps);
    this.stores = new Stores(options);
    this.scoreboards = new Scoreboards(options);
    this.pipes = new Pipes(options, this.scoreboards);
    this.schedulers = new Schedulers(options, this.warps, this.scoreboards, this.pipes);
    this.blockBarriers = new BlockBarriers(options, this.warps, this.schedulers);
    this.copies = new AsyncCopies(options, this.warps, this.schedulers);
    this.reader = new StreamReader(options, this.warps);
    this.queues = new MemoryQueues(
      options,
      this.warps,
      this.stores,
      this.scoreboards,
      this.pipes,
      this.schedulers,
      this.copies,
      this.reader,
    );
    this.sharedBarriers = new SharedBarriers(residentBlocks, (waiter, time) => this.lsu.endWait(waiter, time));
    this.blocks = new BlockLauncher(
      options,
      this.warps,
      this.samples,
      this.stores,
      this.scoreboards,
      this.schedulers,
      this.blockBarriers,
      this.copies,
      this.reader,
      this.queues,
      this.sharedBarriers,
    );
    this.lsu = new LoadStoreUnit(
      options,
      this.warps,
      this.stores,
      this.scoreboards,
      this.pipes,
      this.schedulers,
      this.copies,
      this.reader,
      this.queues,
      this.sharedBarriers,
      this.blocks,
    );
  }

  run(): SmResult {
    const { next } = this.schedulers;
    const { subs } = this;
    const limit = this.options.maxInstructions ?? Infinity;
    let now = 0;
    let stopped = false;
    for (;;) {
      let time = this.queues.memoryNext < this.blocks.launchNext ? this.queues.memoryNext : this.blocks.launchNext;
      for (let sub = 0; sub < subs; sub++) if (next[sub]! < time) time = next[sub]!;
      if (time >= never) break;
      now = time;
      if (now >= this.nextLook) this.look(now);
      if (this.blocks.launchNext <= now) this.blocks.launch(now);
      if (this.queues.memoryNext <= now) this.lsu.serveMemory(now);
      for (let sub = 0; sub < subs; sub++) if (next[sub]! <= now) this.step(sub, now);
      if (this.instructions - this.reader.polling >= limit || this.blocks.isOver) {
        stopped = true;
        break;
      }
      if (now > longestRun)
        throw new SimsightError('budget-exceeded', `The SM ran for more than ${longestRun} cycles.`);
    }
    let cycles = 0;
    for (const end of this.warps.ends) if (end > cycles) cycles = end;
    if (stopped) {
      cycles = now + 1 + this.warps.skipped;
      this.samples.closeStates(now + 1, this.schedulers.ready);
    } else if (this.warps.live.some((count) => count > 0)) {
      throw new SimsightError('internal', `Warps wait for ever at a barrier, or for a result that nobody makes.`);
    }
    return {
      cycles,
      stopped,
      instructions: this.instructions,
      polling: this.reader.polling,
      blockStart: Int32Array.from(this.warps.starts),
      blockEnd: Int32Array.from(this.warps.ends),
      issueActive: this.samples.issueActive,
      warpCycles: this.samples.warpCycles,
      l1HitSectors: this.lsu.path.l1HitSectors,
      l1MissSectors: this.lsu.path.l1MissSectors,
      l2Sectors: this.lsu.path.l2Sectors,
      spills: { load: this.lsu.spillLoads, store: this.lsu.path.localStores },
      dramReadSectors: this.lsu.path.dram.readSectors,
      dramWriteSectors: this.lsu.path.dram.writeSectors,
      sharedWavefronts: this.lsu.sharedWavefronts,
      firstAtomic: this.lsu.firstAtomic,
      clockReads: this.reader.clockReads,
      silentRounds: this.reader.silentRounds,
      perInstruction:
        this.samples.issues === null
          ? null
          : { issues: this.samples.issues, warpCycles: this.samples.instructionCycles ?? new Float64Array() },
    };
  }

  /** Lets time pass at once while all warps wait for a time, or at a barrier for those who do. */
  private look(now: number): void {
    const { window } = this;
    this.window = null;
    this.nextLook = now + windowCycles;
    const until = this.waitsUntil();
    if (until === Infinity) return;
    const begin = window?.begin ?? now;
    const cycles = now - begin;
    const times = cycles === 0 ? 0 : Math.floor((until - this.warps.skipped - now) / cycles) - 1;
    if (window === null || times < 1) {
      this.window = this.openWindow(now);
      this.polledBefore = this.reader.polling;
      return;
    }
    window.repeat(times, cycles);
    this.reader.polling += times * (this.reader.polling - this.polledBefore);
    this.instructions = this.samples.issueActive.reduce((sum, issues) => sum + issues, 0);
    const all = times * cycles;
    this.warps.skipped += all;
    // Those that did not come to issue, and are in no count.
    this.warps.alive.forEach((state, w) => {
      if (state !== running || this.warps.lastIssue[w]! >= begin) return;
      const why = this.warps.inBarrier[w] !== 0 ? atBarrier : notSelected;
      this.samples.warpCycles[why]! += all;
      if (this.samples.instructionCycles !== null)
        this.samples.instructionCycles[this.warps.pc[w]! * warpStates.length + why]! += all;
    });
  }

  /** When the first warp has waited long enough, by the clock; infinite unless nothing else goes on. */
  private waitsUntil(): number {
    if (
      this.blocks.launchNext < never ||
      this.queues.memoryNext < never ||
      this.queues.queueCount.some((count) => count > 0)
    )
      return Infinity;
    let until = Infinity;
    for (let w = 0; w < this.warps.alive.length; w++) {
      if (this.warps.alive[w] === 0 || (this.warps.alive[w] === running && this.warps.inBarrier[w] !== 0)) continue;
      if (this.warps.alive[w] !== running || this.reader.clockFrom[w]! < 0) return Infinity;
      until = Math.min(until, this.reader.clockUntil[w]!);
    }
    return until;
  }

  private openWindow(now: number): Window {
    const counters = [
      this.samples.issueActive,
      this.samples.warpCycles,
      this.samples.issues,
      this.samples.instructionCycles,
      this.reader.clockRounds,
    ];
    const waiting = [...this.warps.age]
      .filter(
        (_, w) => this.warps.alive[w] === running && this.reader.clockFrom[w]! >= 0 && this.reader.clockRounds[w]! < 0,
      )
      .map((age) => this.reader.clockReads[age] ?? []);
    return new Window(
      now,
      counters.filter((each) => each !== null),
      waiting,
    );
  }

  /** One cycle of a sub-partition: warps wake, one issues. */
  private step(sub: number, now: number): void {
    const bit = this.schedulers.select(sub, now);
    if (bit < 0) return;
    this.schedulers.next[sub] = never;
    this.issue(sub, bit * this.subs + sub, 1 << bit, now);
    this.schedulers.settle(sub, now);
  }

  private issue(sub: number, w: number, mask: number, now: number): void {
    const { program } = this;
    const p = this.warps.pc[w]!;
    const unit = program.pipe[p]!;
    const index = sub * pipesPerSub + unit;
    this.schedulers.ready[sub]! &= ~mask;
    this.schedulers.want[index]! &= ~mask;

    // The cycles since the last issue: waiting, then ready with the pipe busy or with another warp chosen.
    const first = this.warps.lastIssue[w]! + 1;
    const readyAt = this.warps.readyAt[w]!;
    const throttled = this.pipes.busyTime[index]! - this.schedulers.busyBefore[w]!;
    const cycles = this.samples.warpCycles;
    cycles[this.warps.why[w]!]! += readyAt - first;
    cycles[throttleOf[unit]!]! += throttled;
    cycles[notSelected]! += now - readyAt - throttled;
    cycles[selected]!++;
    if (this.samples.issues !== null) this.samples.countInstruction(p, w, first, throttled, now);
    if (this.samples.sink !== null) this.samples.tell(w, first, throttled, now);
    this.warps.lastIssue[w] = now;
    this.warps.skippedThen[w] = this.warps.skipped;
    this.instructions++;
    this.samples.issueActive[sub]!++;

    if (program.addresses[p] !== 0) this.schedulers.lastAddress[w] = now;
    if (program.memory[p] === memoryKind.none) this.pipes.execute(sub, index, w, p, now);
    else if (unit === pipe.tex) this.lsu.sample(sub, w, p, now);
    else this.queues.enqueue(sub, index, w, p, now);

    // On to the next instruction.
    const flags = program.flags[p]!;
    if ((flags & flag.clock) !== 0) this.reader.readClock(w, now + this.warps.skipped);
    const meeting = (flags & flag.numbered) === 0 ? -1 : this.reader.findAccess(w, numberedAccess);
    if (meeting >= 0) this.blockBarriers.meet(w, meeting, now);
    this.warps.pc[w] = p + 1;
    if (p + 1 === this.warps.blockEnd[w] && !this.reader.enterBlock(w)) {
      this.blocks.exit(w, now);
      return;
    }
    if ((flags & ~flag.asyncCopy) === 0) this.schedulers.schedule(w, now + 1, waiting, now);
    else this.scheduleAfterControl(w, flags, p, now);
  }

  private scheduleAfterControl(w: number, flags: number, p: number, now: number): void {
    const { parameters } = this.program;
    if (flags & flag.barrier) this.blockBarriers.arrive(w, now);
    else if (flags & flag.numbered) {
      if (this.warps.inBarrier[w] === 0) this.schedulers.schedule(w, now + 1, waiting, now);
      else this.warps.why[w] = atBarrier;
      this.blockBarriers.releaseNumbered(Math.floor(w / this.options.warpsPerBlock), now);
    } else if (flags & flag.bulk) {
      const further = Math.max(0, lanesOf(this.warps.activeLanes[w]!) - 1) * parameters.bulkLaneCycles;
      const loops = this.program.memory[p] === memoryKind.bulkLoad ? parameters.bulkIssueCycles + further : 0;
      this.schedulers.schedule(w, now + 1 + loops, waiting, now);
    } else if (flags & flag.bulkWait) {
      this.copies.bulkWaits[w] = this.warps.unknown[w] = 1;
      this.warps.floor[w] = now + 1;
      this.warps.floorWhy[w] = this.warps.why[w] = longScoreboard;
    } else if (flags & flag.clock) {
      this.schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.forgetL1) {
      this.lsu.path.forgetL1();
      this.schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.sleep)
      this.schedulers.schedule(w, now + this.program.latency[p]!, this.program.reason[p]!, now);
    else if (flags & flag.asyncCommit) {
      this.copies.asyncGroup[w]!++;
      this.schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.asyncWait) {
      this.copies.asyncWait[w] = this.program.passes[p]!;
      this.copies.awaitCopies(w, now);
    } else if (flags & flag.membar) {
      if (this.stores.storesQueued[w] === 0)
        this.schedulers.schedule(w, Math.max(now, this.stores.allStoresDone) + parameters.membarCycles, membar, now);
      else {
        this.warps.unknown[w] = 1;
        this.warps.floor[w] = now + 1;
        this.warps.floorWhy[w] = this.warps.why[w] = membar;
      }
    } else {
      const taken = flags & flag.jump || this.warps.pc[w] !== p + 1;
      this.schedulers.schedule(
        w,
        now + (taken ? parameters.takenBranchCycles : parameters.branchCycles),
        branchResolving,
        now,
      );
    }
  }
}
