/**
 * One SM, warp by warp: a unit per file, as SMs have them, which this one joins. Results have known times as soon as their
 * instruction leaves its queue, so only cycles in which something happens are simulated. Blocks come ({@link BlockLauncher}), their
 * warps are chosen ({@link Schedulers}) and issue into {@link Pipes}, or into {@link MemoryQueues}, from which the
 * {@link LoadStoreUnit} serves them.
 *
 * The loop allocates nothing, and its arrays are flat: 3 to 6 million warp instructions per second (`test/bench/sm.ts`).
 */
import { laneCount } from '../../model/geometry.ts';
import { SimsightError } from '../../base/errors.ts';
import { warpStates } from '../../model/warp-states.ts';
import { numberedAccess } from '../../model/warp-stream.ts';
import { AsyncCopies } from './async-copies.ts';
import { SharedBarriers } from './barriers.ts';
import { BlockBarriers } from './block-barriers.ts';
import { BlockLauncher } from './block-launcher.ts';
import { LoadStoreUnit } from './load-store-unit.ts';
import { MemoryQueues } from './memory-queues.ts';
import { Pipes, pipesPerSub } from './pipes.ts';
import { ResidentWarps, longestRun, never, running } from './resident-warps.ts';
import { Schedulers } from './schedulers.ts';
import { Scoreboards } from './scoreboards.ts';
import { stateNumbers } from './state-numbers.ts';
import { StateSamples, throttleOf } from './state-samples.ts';
import { tally, Window, windowCycles } from './steady.ts';
import { Stores } from './stores.ts';
import { StreamReader } from './stream-reader.ts';
import { flag, memoryKind, pipe } from './types.ts';
import type { SmUnits } from './units.ts';
import type { SmOptions, SmProgram, SmResult } from './types.ts';

const {
  barrier: atBarrier,
  branch_resolving: branchResolving,
  long_scoreboard: longScoreboard,
  membar,
  not_selected: notSelected,
  selected,
  wait: waiting,
} = stateNumbers;

/** Runs blocks until there are no more, or until a limit; see {@link SmOptions}. */
export function simulateSm(options: SmOptions): SmResult {
  return new Sm(options).run();
}

class Sm implements SmUnits {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly subs: number;
  readonly warps: ResidentWarps;
  readonly samples: StateSamples;
  readonly stores: Stores;
  readonly scoreboards: Scoreboards;
  readonly pipes: Pipes;
  readonly schedulers: Schedulers;
  readonly blockBarriers: BlockBarriers;
  readonly copies: AsyncCopies;
  readonly reader: StreamReader;
  readonly queues: MemoryQueues;
  readonly sharedBarriers: SharedBarriers;
  readonly blocks: BlockLauncher;
  readonly lsu: LoadStoreUnit;

  private window: Window | null = null;
  /** All warps waited for a time at the last look, too: what is on its way to memory now will be again. */
  private waited = false;
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
    this.queues = new MemoryQueues(options, this);
    this.sharedBarriers = new SharedBarriers(residentBlocks, (waiter, time) => this.lsu.endWait(waiter, time));
    this.blocks = new BlockLauncher(options, this);
    this.lsu = new LoadStoreUnit(options, this);
  }

  run(): SmResult {
    const { queues, blocks, lsu, reader, warps, samples } = this;
    const { next } = this.schedulers;
    const { subs } = this;
    const limit = this.options.maxInstructions ?? Infinity;
    let now = 0;
    let stopped = false;
    for (;;) {
      let time = queues.memoryNext < blocks.launchNext ? queues.memoryNext : blocks.launchNext;
      for (let sub = 0; sub < subs; sub++) if (next[sub]! < time) time = next[sub]!;
      if (time >= never) break;
      now = time;
      if (now >= this.nextLook) this.look(now);
      if (blocks.launchNext <= now) blocks.launch(now);
      if (queues.memoryNext <= now) lsu.serveMemory(now);
      for (let sub = 0; sub < subs; sub++) if (next[sub]! <= now) this.step(sub, now);
      if (this.instructions - reader.polling >= limit || blocks.isOver) {
        stopped = true;
        break;
      }
      if (now > longestRun)
        throw new SimsightError('budget-exceeded', `The SM ran for more than ${longestRun} cycles.`);
    }
    let cycles = 0;
    for (const end of warps.ends) if (end > cycles) cycles = end;
    if (stopped) {
      cycles = now + 1 + warps.skipped;
      samples.closeStates(now + 1, this.schedulers.ready);
    } else if (warps.live.some((count) => count > 0)) {
      throw new SimsightError('internal', `Warps wait for ever at a barrier, or for a result that nobody makes.`);
    }
    return {
      cycles,
      stopped,
      instructions: this.instructions,
      polling: reader.polling,
      blockStart: Int32Array.from(warps.starts),
      blockEnd: Int32Array.from(warps.ends),
      issueActive: samples.issueActive,
      warpCycles: samples.warpCycles,
      l1HitSectors: lsu.path.l1HitSectors,
      l1MissSectors: lsu.path.l1MissSectors,
      l2Sectors: lsu.path.l2Sectors,
      spills: { load: lsu.spillLoads, store: lsu.path.localStores },
      dramReadSectors: lsu.path.dram.readSectors,
      dramWriteSectors: lsu.path.dram.writeSectors,
      sharedWavefronts: lsu.sharedWavefronts,
      firstAtomic: lsu.firstAtomic,
      clockReads: reader.clockReads,
      silentRounds: reader.silentRounds,
      perInstruction:
        samples.issues === null
          ? null
          : { issues: samples.issues, warpCycles: samples.instructionCycles ?? new Float64Array() },
    };
  }

  /** Lets time pass at once while all warps wait for a time, or at a barrier for those who do. */
  private look(now: number): void {
    const { window, warps, samples } = this;
    this.window = null;
    this.nextLook = now + windowCycles;
    const until = this.waitsUntil();
    const { waited } = this;
    this.waited = until < Infinity;
    if (!this.waited) return;
    const begin = window?.begin ?? now;
    const cycles = now - begin;
    const times = cycles === 0 ? 0 : Math.floor((until - warps.skipped - now) / cycles) - 1;
    if (window === null || times < 1) {
      if (waited || !this.isMemoryBusy()) this.window = this.openWindow(now);
      return;
    }
    window.repeat(times, cycles);
    this.instructions = samples.issueActive.reduce((sum, issues) => sum + issues, 0);
    const all = times * cycles;
    warps.skipped += all;
    // Warps that did not come to issue, and are in no count.
    warps.alive.forEach((state, w) => {
      if (state !== running || warps.lastIssue[w]! >= begin) return;
      const why = warps.inBarrier[w] !== 0 ? atBarrier : notSelected;
      samples.warpCycles[why]! += all;
      if (samples.instructionCycles !== null) samples.instructionCycles[warps.pc[w]! * warpStates.length + why]! += all;
    });
  }

  /** When the first warp has waited long enough, by the clock; infinite unless nothing else goes on. */
  private waitsUntil(): number {
    const { warps, reader } = this;
    if (this.blocks.launchNext < never) return Infinity;
    let until = Infinity;
    for (let w = 0; w < warps.alive.length; w++) {
      if (warps.alive[w] === 0 || (warps.alive[w] === running && warps.inBarrier[w] !== 0)) continue;
      if (warps.alive[w] !== running || reader.clockFrom[w]! < 0) return Infinity;
      until = Math.min(until, reader.clockUntil[w]!);
    }
    return until;
  }

  private isMemoryBusy(): boolean {
    const { memoryNext, queueCount } = this.queues;
    return memoryNext < never || queueCount.some((count) => count > 0);
  }

  private openWindow(now: number): Window {
    const { samples, reader, warps, lsu } = this;
    const { path } = lsu;
    const counters = [
      samples.issueActive,
      samples.warpCycles,
      samples.issues,
      samples.instructionCycles,
      reader.clockRounds,
    ];
    const waiting = [...warps.age]
      .filter((_, w) => warps.alive[w] === running && reader.clockFrom[w]! >= 0 && reader.clockRounds[w]! < 0)
      .map((age) => reader.clockReads[age] ?? []);
    return new Window(
      now,
      counters.filter((each) => each !== null),
      waiting,
      [
        tally(reader, 'polling'),
        tally(lsu, 'sharedWavefronts'),
        ...[tally(path, 'l1HitSectors'), tally(path, 'l1MissSectors'), tally(path, 'l2Sectors')],
        ...[tally(path.dram, 'readSectors'), tally(path.dram, 'writeSectors')],
        ...[lsu.spillLoads, path.localStores].flatMap((of) => [tally(of, 'hits'), tally(of, 'sectors')]),
      ],
    );
  }

  /** One cycle of a sub-partition: warps wake, one issues. */
  private step(sub: number, now: number): void {
    const { schedulers } = this;
    const bit = schedulers.select(sub, now);
    if (bit < 0) return;
    schedulers.next[sub] = never;
    this.issue(sub, bit * this.subs + sub, 1 << bit, now);
    schedulers.settle(sub, now);
  }

  private issue(sub: number, w: number, mask: number, now: number): void {
    const { program, warps, schedulers, pipes, samples, reader } = this;
    const p = warps.pc[w]!;
    const unit = program.pipe[p]!;
    const index = sub * pipesPerSub + unit;
    schedulers.ready[sub]! &= ~mask;
    schedulers.want[index]! &= ~mask;

    // The cycles since the last issue: waiting, then ready with the pipe busy or with another warp chosen.
    const first = warps.lastIssue[w]! + 1;
    const readyAt = warps.readyAt[w]!;
    const throttled = pipes.busyTime[index]! - schedulers.busyBefore[w]!;
    const cycles = samples.warpCycles;
    cycles[warps.why[w]!]! += readyAt - first;
    cycles[throttleOf[unit]!]! += throttled;
    cycles[notSelected]! += now - readyAt - throttled;
    cycles[selected]!++;
    if (samples.issues !== null) samples.countInstruction(p, w, first, throttled, now);
    if (samples.sink !== null) samples.tell(w, first, throttled, now);
    warps.lastIssue[w] = now;
    warps.skippedThen[w] = warps.skipped;
    this.instructions++;
    samples.issueActive[sub]!++;

    if (program.addresses[p] !== 0) schedulers.lastAddress[w] = now;
    if (program.memory[p] === memoryKind.none) pipes.execute(sub, index, w, p, now);
    else if (unit === pipe.tex) this.lsu.sample(sub, w, p, now);
    else this.queues.enqueue(sub, index, w, p, now);

    // On to the next instruction.
    const flags = program.flags[p]!;
    if ((flags & flag.clock) !== 0) reader.readClock(w, now + warps.skipped);
    const meeting = (flags & flag.numbered) === 0 ? -1 : reader.findAccess(w, numberedAccess);
    if (meeting >= 0) this.blockBarriers.meet(w, meeting, now);
    warps.pc[w] = p + 1;
    if (p + 1 === warps.blockEnd[w] && !reader.enterBlock(w)) {
      this.blocks.exit(w, now);
      return;
    }
    if ((flags & ~flag.asyncCopy) === 0) schedulers.schedule(w, now + 1, waiting, now);
    else this.scheduleAfterControl(w, flags, p, now);
  }

  private scheduleAfterControl(w: number, flags: number, p: number, now: number): void {
    const { blockBarriers, warps, schedulers, copies, stores } = this;
    const { parameters } = this.program;
    if (flags & flag.barrier) blockBarriers.arrive(w, now);
    else if (flags & flag.numbered) {
      if (warps.inBarrier[w] === 0) schedulers.schedule(w, now + 1, waiting, now);
      else warps.why[w] = atBarrier;
      blockBarriers.releaseNumbered(Math.floor(w / this.options.warpsPerBlock), now);
    } else if (flags & flag.bulk) {
      const further = Math.max(0, laneCount(warps.activeLanes[w]!) - 1) * parameters.bulkLaneCycles;
      const loops = this.program.memory[p] === memoryKind.bulkLoad ? parameters.bulkIssueCycles + further : 0;
      schedulers.schedule(w, now + 1 + loops, waiting, now);
    } else if (flags & flag.bulkWait) {
      copies.bulkWaits[w] = warps.unknown[w] = 1;
      warps.floor[w] = now + 1;
      warps.floorWhy[w] = warps.why[w] = longScoreboard;
    } else if (flags & flag.clock) {
      schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.forgetL1) {
      this.lsu.path.forgetL1();
      schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.sleep) schedulers.schedule(w, now + this.program.latency[p]!, this.program.reason[p]!, now);
    else if (flags & flag.asyncCommit) {
      copies.asyncGroup[w]!++;
      schedulers.schedule(w, now + 1, waiting, now);
    } else if (flags & flag.asyncWait) {
      copies.asyncWait[w] = this.program.passes[p]!;
      copies.awaitCopies(w, now);
    } else if (flags & flag.membar) {
      if (stores.storesQueued[w] === 0)
        schedulers.schedule(w, Math.max(now, stores.allStoresDone) + parameters.membarCycles, membar, now);
      else {
        warps.unknown[w] = 1;
        warps.floor[w] = now + 1;
        warps.floorWhy[w] = warps.why[w] = membar;
      }
    } else {
      const taken = flags & flag.jump || warps.pc[w] !== p + 1;
      schedulers.schedule(
        w,
        now + (taken ? parameters.takenBranchCycles : parameters.branchCycles),
        branchResolving,
        now,
      );
    }
  }
}
