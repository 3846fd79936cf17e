/**
 * Memory instructions on their way to the SM's memory pipe: in their sub-partition's queues, then in the SM's own, which takes
 * from them in turn and whose pipe serves one after the other.
 */
import { asyncGroups } from './async-copies.ts';
import { pipesPerSub } from './pipes.ts';
import { never } from './resident-warps.ts';
import { flag, memoryKind, pipe } from './types.ts';
import type { WarpStream } from '../../model/warp-stream.ts';
import type { AsyncCopies } from './async-copies.ts';
import type { Pipes } from './pipes.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { Stores } from './stores.ts';
import type { StreamReader } from './stream-reader.ts';
import type { SmUnits } from './units.ts';
import type { SmOptions, SmProgram } from './types.ts';

/** Places of a queue's ring: more than a queue ever has, which several pipes fill. */
const ringSize = 32;
const mostShared = 16;
const queuesPerSub = 2;

/** A store that a warp waits for after EXIT, and at MEMBAR. */
export const isStore = (kind: number): boolean =>
  kind === memoryKind.globalStore || kind === memoryKind.localStore || kind === memoryKind.globalAtomic;

export class MemoryQueues {
  private readonly program: SmProgram;
  private readonly subs: number;
  private readonly warps: ResidentWarps;
  private readonly stores: Stores;
  private readonly scoreboards: Scoreboards;
  private readonly pipes: Pipes;
  private readonly schedulers: Schedulers;
  private readonly copies: AsyncCopies;
  private readonly reader: StreamReader;

  readonly queueWarp: Int32Array;
  readonly queueInstruction: Int32Array;
  readonly queuePosition: Int32Array;
  readonly queueTime: Int32Array;
  /** State at issue that may have changed when the instruction leaves: the warp's lanes, and the warp itself, which may have ended. */
  readonly queueLanes: Int32Array;
  readonly queueGroup: Int32Array;
  readonly queueAge: Int32Array;
  readonly queueStreams: WarpStream[];
  /** Entries by places of the queues' rings. */
  private readonly ring: Int32Array;
  /** Entries that are in no queue. Those in the SM's leave it in any order: some stay while many others come and go. */
  private readonly free: Int32Array;
  private freeCount: number;
  readonly queueHead: Int32Array;
  readonly queueCount: Int32Array;
  readonly addressFree: Int32Array;
  /** The SM's queue: entries of the others, in its order. */
  readonly sharedQueue = new Int32Array(mostShared);
  sharedCount = 0;
  /** When the next memory instruction of a warp can begin. */
  readonly warpMemoryFree: Int32Array;
  memoryNext = never;
  memoryPipeFree = 0;
  turn = 0;

  constructor(
    options: SmOptions,
    units: Pick<SmUnits, 'warps' | 'stores' | 'scoreboards' | 'pipes' | 'schedulers' | 'copies' | 'reader'>,
  ) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    this.program = options.program;
    this.subs = options.program.parameters.subPartitions;
    this.warps = units.warps;
    this.stores = units.stores;
    this.scoreboards = units.scoreboards;
    this.pipes = units.pipes;
    this.schedulers = units.schedulers;
    this.copies = units.copies;
    this.reader = units.reader;
    const places = this.subs * queuesPerSub * ringSize;
    const entries = places + mostShared;
    this.ring = new Int32Array(places);
    this.free = Int32Array.from({ length: entries }, (_, i) => i);
    this.freeCount = entries;
    this.queueWarp = new Int32Array(entries);
    this.queueInstruction = new Int32Array(entries);
    this.queuePosition = new Int32Array(entries);
    this.queueTime = new Int32Array(entries);
    this.queueLanes = new Int32Array(entries);
    this.queueGroup = new Int32Array(entries);
    this.queueAge = new Int32Array(entries);
    this.queueStreams = Array.from({ length: entries }, () => new Uint32Array());
    this.queueHead = new Int32Array(this.subs * queuesPerSub);
    this.queueCount = new Int32Array(this.subs * queuesPerSub);
    this.addressFree = new Int32Array(this.subs);
    this.warpMemoryFree = words();
  }

  /**
   * Puts a memory instruction into its queue. One without active lanes goes the same way, with nothing to do at its end
   * (H200 reference, predicated.cu).
   */
  enqueue(sub: number, index: number, w: number, p: number, now: number): void {
    const { program, copies, warps } = this;
    const kind = program.memory[p]!;
    const access = kind === memoryKind.pass ? -1 : program.access[p]!;
    const position = access < 0 ? -1 : this.reader.findAccess(w, access);
    if (isStore(kind)) this.stores.storesQueued[w]!++;
    const isCopy = (program.flags[p]! & flag.asyncCopy) !== 0;
    const group = isCopy ? asyncGroups * w + (copies.asyncGroup[w]! % asyncGroups) : -1;
    if (isCopy) copies.asyncQueued[group]!++;
    const queue = sub * queuesPerSub + (program.pipe[p] === pipe.lg ? 0 : 1);
    const count = this.queueCount[queue]!++;
    const entry = this.free[--this.freeCount]!;
    this.ring[queue * ringSize + ((this.queueHead[queue]! + count) & (ringSize - 1))] = entry;
    this.queueWarp[entry] = w;
    this.queueInstruction[entry] = p;
    this.queuePosition[entry] = position;
    this.queueTime[entry] = now;
    this.queueLanes[entry] = warps.activeLanes[w]!;
    this.queueGroup[entry] = group;
    this.queueAge[entry] = warps.age[w]!;
    this.queueStreams[entry] = warps.streams[w]!;
    if (count + 1 === program.parameters.queueDepth) this.pipes.occupy(sub, program.pipe[p]!, never, now);
    this.scoreboards.setResults(w, p, never, program.reason[p]!);
    const time = this.addressFree[sub]! > now ? this.addressFree[sub]! : now + 1;
    if (time < this.memoryNext) this.memoryNext = time;
  }

  /** When the SM's memory pipe can begin with an instruction of its queue. */
  pipeTime(): number {
    let time = never;
    for (let i = 0; i < this.sharedCount && time > this.memoryPipeFree; i++) {
      const free = this.warpMemoryFree[this.queueWarp[this.sharedQueue[i]!]!]!;
      if (free < time) time = free;
    }
    return time > this.memoryPipeFree ? time : this.memoryPipeFree;
  }

  /** The first of them whose warp is not in the middle of another. */
  takeShared(now: number): number {
    const { sharedQueue } = this;
    let i = 0;
    while (this.warpMemoryFree[this.queueWarp[sharedQueue[i]!]!]! > now) i++;
    const entry = sharedQueue[i]!;
    sharedQueue.copyWithin(i, i + 1, this.sharedCount--);
    // Nothing comes before it is served.
    this.free[this.freeCount++] = entry;
    return entry;
  }

  /** The SM's queue takes the oldest instruction of each sub-partition in turn, as long as it has room. */
  accept(now: number): void {
    const { program, queueCount, queueHead, queueTime, queueInstruction, addressFree, subs, pipes, schedulers } = this;
    const { ring } = this;
    const { sharedQueueDepth, addressInterval, queueDepth } = program.parameters;
    const begin = this.turn;
    for (let k = 0; k < subs && this.sharedCount < sharedQueueDepth; k++) {
      const sub = (begin + k) % subs;
      if (addressFree[sub]! > now) continue;
      const global = sub * queuesPerSub;
      const other = global + 1;
      if (queueCount[global] === 0 && queueCount[other] === 0) continue;
      const first = ring[global * ringSize + queueHead[global]!]!;
      const second = ring[other * ringSize + queueHead[other]!]!;
      const isGlobal = queueCount[other] === 0 || (queueCount[global] !== 0 && queueTime[first]! < queueTime[second]!);
      const queue = isGlobal ? global : other;
      const entry = isGlobal ? first : second;
      this.sharedQueue[this.sharedCount++] = entry;
      this.turn = (sub + 1) % subs;
      addressFree[sub] = now + addressInterval;
      queueHead[queue] = (queueHead[queue]! + 1) & (ringSize - 1);
      if (queueCount[queue]!-- !== queueDepth) continue;
      const unit = sub * pipesPerSub + program.pipe[queueInstruction[entry]!]!;
      pipes.busyTime[unit]! -= never - now;
      pipes.free[unit] = now;
      if (schedulers.ready[sub] !== 0) schedulers.next[sub] = now;
    }
  }

  /** Says when the memory pipe, or a queue in front of it, has something to do again after `now`. */
  lookAgain(now: number): void {
    const { addressFree, queueCount, subs } = this;
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
}
