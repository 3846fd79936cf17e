/**
 * The warp scheduler of each sub-partition. Every warp knows the cycle in which its next instruction could issue (`wake`), so
 * nothing happens in the cycles between, and they are jumped over:
 *
 *   wheel      warps by the cycle in which they wake, a mask of warps per cycle
 *   ready      mask of warps whose next instruction waits for nothing but its pipe and the scheduler
 *   want       the same, per pipe: what a busy pipe holds back is one mask
 */
import { Fetch, instructionBytes } from './fetch.ts';
import { pipesPerSub } from './pipes.ts';
import { never } from './resident-warps.ts';
import { stateNumbers } from './state-numbers.ts';
import type { Pipes } from './pipes.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { SmOptions, SmProgram } from './types.ts';

const { no_instruction: noInstruction, wait: waiting } = stateNumbers;

/** Cycles that the wheel spans; warps that wake later are looked at again when it has turned. */
const wheelSize = 1024;
const wheelMask = wheelSize - 1;
const wheelWords = wheelSize / 32;

/**
 * Cycles after which a block is preferred to later ones: spins.cu, where blocks 6 to 8 of an SM, which arrive within 200 cycles
 * of the first, go around their loop 3 or 4 times, a hundred cycles or two each, and then not again while others want to.
 */
const settlingCycles = 600;
const newBlock = Number.MAX_SAFE_INTEGER;

export class Schedulers {
  private readonly options: SmOptions;
  private readonly program: SmProgram;
  private readonly subs: number;
  private readonly warps: ResidentWarps;
  private readonly scoreboards: Scoreboards;
  private readonly pipes: Pipes;

  /** Null where the near cache holds the whole program. */
  readonly fetch: Fetch | null;
  /** The pipe's busy time when the warp became ready. */
  readonly busyBefore: Int32Array;
  /** Last issue of an instruction with addresses. */
  readonly lastAddress: Int32Array;
  readonly wheel: Int32Array;
  readonly wheelUsed: Int32Array;
  readonly wheelUsedWords: Int32Array;
  readonly ready: Int32Array;
  /** Cycle in which there may be something to do. */
  readonly next: Int32Array;
  readonly want: Int32Array;

  constructor(options: SmOptions, warps: ResidentWarps, scoreboards: Scoreboards, pipes: Pipes) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    this.options = options;
    this.program = options.program;
    this.subs = options.program.parameters.subPartitions;
    this.warps = warps;
    this.scoreboards = scoreboards;
    this.pipes = pipes;
    const { parameters, pipe } = options.program;
    const bytes = pipe.length * instructionBytes;
    this.fetch = bytes > parameters.nearInstructionBytes ? new Fetch(parameters) : null;
    this.busyBefore = words();
    this.lastAddress = words();
    this.wheel = new Int32Array(this.subs * wheelSize);
    this.wheelUsed = new Int32Array(this.subs * wheelWords);
    this.wheelUsedWords = new Int32Array(this.subs);
    this.ready = new Int32Array(this.subs);
    this.next = new Int32Array(this.subs).fill(never);
    this.want = new Int32Array(this.subs * pipesPerSub);
  }

  /** Finds the cycle of the warp's next issue: `floor` or when what it needs is there. */
  schedule(w: number, floor: number, floorWhy: number, now: number): void {
    const { warps } = this;
    const { needsStart, needs, registers } = this.program;
    const { registerReady } = this.scoreboards;
    const p = warps.pc[w]!;
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
        why = this.scoreboards.registerWhy[register]!;
      }
    }
    if (this.program.addresses[p] !== 0) {
      const free = this.lastAddress[w]! + this.program.parameters.warpAddressInterval;
      if (free > time) {
        time = free;
        why = waiting;
      }
    }
    warps.wake[w] = time;
    warps.why[w] = why;
    if (time >= never) {
      warps.unknown[w] = 1;
      warps.floor[w] = floor;
      warps.floorWhy[w] = floorWhy;
    } else this.insert(w, time, now);
  }

  /** Puts a warp into the wheel. */
  insert(w: number, wake: number, now: number): void {
    const { warps } = this;
    const time = wake - now < wheelSize ? wake : now + wheelSize - 1;
    const sub = warps.subOf[w]!;
    const place = time & wheelMask;
    const word = place >> 5;
    this.wheel[sub * wheelSize + place]! |= warps.bitOf[w]!;
    this.wheelUsed[sub * wheelWords + word]! |= 1 << (place & 31);
    this.wheelUsedWords[sub]! |= 1 << word;
    if (time < this.next[sub]!) this.next[sub] = time;
  }

  /** The first cycle after `now` in which a warp of the sub-partition wakes. */
  nextWake(sub: number, now: number): number {
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

  wakeUp(sub: number, now: number, woken: number): void {
    const { warps, pipes } = this;
    const place = now & wheelMask;
    const word = sub * wheelWords + (place >> 5);
    this.wheel[sub * wheelSize + place] = 0;
    const left = (this.wheelUsed[word]! &= ~(1 << (place & 31)));
    if (left === 0) this.wheelUsedWords[sub]! &= ~(1 << (place >> 5));
    for (let rest = woken; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const w = (31 - Math.clz32(bit)) * this.subs + sub;
      if (warps.wake[w]! > now) {
        this.insert(w, warps.wake[w]!, now);
        continue;
      }
      const index = sub * pipesPerSub + this.program.pipe[warps.pc[w]!]!;
      this.ready[sub]! |= bit;
      this.want[index]! |= bit;
      warps.readyAt[w] = now;
      const ahead = pipes.free[index]! - now;
      this.busyBefore[w] = pipes.busyTime[index]! - (ahead > 0 ? ahead : 0);
    }
  }

  /**
   * Selects the warp of the oldest block that has not issued for the longest. Recently launched blocks count as equally old where {@link
   * SmOptions.firstDispatchCycles} gives their dispatch interval.
   */
  ofOldestBlock(sub: number, candidates: number, now: number): number {
    const { warps } = this;
    if ((candidates & (candidates - 1)) === 0) return 31 - Math.clz32(candidates);
    const { warpsPerBlock, firstDispatchCycles } = this.options;
    const settling = firstDispatchCycles !== undefined;
    let found = -1;
    let oldest = Infinity;
    let longest = Infinity;
    for (let rest = candidates; rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest);
      const w = bit * this.subs + sub;
      let block = warps.blockOf[Math.floor(w / warpsPerBlock)]!;
      if (settling && now + warps.skipped < warps.starts[block]! + settlingCycles) block = newBlock;
      if (block > oldest || (block === oldest && warps.lastIssue[w]! >= longest)) continue;
      found = bit;
      oldest = block;
      longest = warps.lastIssue[w]!;
    }
    return found;
  }

  /**
   * The warp of the sub-partition that issues at `now`, as its number there, after those that wake have been looked at; -1 if
   * none can, in which case {@link next} says when to look again.
   */
  select(sub: number, now: number): number {
    const { free, busy } = this.pipes;
    const { want } = this;
    const place = now & wheelMask;
    const woken = this.wheel[sub * wheelSize + place]!;
    if (woken !== 0) this.wakeUp(sub, now, woken);

    const ready = this.ready[sub]!;
    if (ready === 0) {
      this.next[sub] = this.nextWake(sub, now);
      return -1;
    }
    let held = 0;
    let earliest = never;
    for (let rest = busy[sub]!; rest !== 0; rest &= rest - 1) {
      const index = sub * pipesPerSub + 31 - Math.clz32(rest & -rest);
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
      return -1;
    }
    return this.ofOldestBlock(sub, candidates, now);
  }

  /** Says when the sub-partition, one of whose warps has issued at `now`, has something to do again. */
  settle(sub: number, now: number): void {
    this.next[sub] = this.ready[sub] !== 0 ? now + 1 : this.nextWake(sub, now);
  }
}
