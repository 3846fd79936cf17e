/**
 * Warps as if lanes that execute the same code were together in full ones: a piece of code that is executed with k of 32 lanes is
 * left out of the stream but for k of 32 times. What it would have loaded and stored goes with the next time that is not left out,
 * of this warp or of another, so that memory has as much to do.
 */
import { laneCount, warpSize } from '../model/geometry.ts';
import type { MachineBlock } from '../model/machine.ts';
import { rowOf } from '../model/opcodes.ts';
import {
  accessKind,
  accessOf,
  countOf,
  kindOf,
  lengthOf,
  syncAction,
  tokenType,
  typeOf,
  waitAccess,
  type WarpStream,
} from '../model/warp-stream.ts';
import type { KernelMachine } from '../model/execution.ts';

const allLanes = 0xffff_ffff;
/** Sums of parts of warps come to a whole one. */
const whole = 1 - 1e-9;
/** Parts of a warp that pieces of code begin with, spread evenly, so that not all of them are left out by the same warps. */
const goldenRatio = 0.618_033_988_749_895;

export class Regrouping {
  /** Machine instructions of the streams until now, and those of them that were not left out. */
  executed = 0;
  kept = 0;
  private readonly lengths: readonly number[];
  /** First block of those that are one on hardware, by block of code. */
  private readonly firstOf: readonly number[];
  /** True if nothing in the block has to happen at its time, by first block. */
  private readonly isFree: readonly boolean[];
  /** Part of a warp that has accumulated, by first block. */
  private readonly filled: Float64Array;
  /** Accesses of the executions that were left out, by block. */
  private readonly waiting = new Map<number, number[]>();

  constructor({ blocks, polling }: KernelMachine, firstOf: readonly number[]) {
    this.lengths = blocks.map(({ instructions }) => instructions.length);
    this.firstOf = firstOf;
    const isFree = blocks.map((block, i) => polling[i] !== true && mayBeLeftOut(block));
    blocks.forEach((_, i) => (isFree[firstOf[i]!] &&= isFree[i]!));
    this.isFree = isFree;
    this.filled = Float64Array.from(blocks, (_, i) => (i * goldenRatio) % 1);
  }

  /** One warp after the other, in the order of their launch. */
  regroup(stream: WarpStream): WarpStream {
    const out: number[] = [];
    let isPolling = false;
    /** The code that the warp is in, up to where its first block began. */
    let [first, isLeaving, isFree] = [-1, false, false];
    for (let at = 0; at < stream.length;) {
      const token = stream[at]!;
      if (typeOf(token) !== tokenType.block) {
        const end = at + lengthOf(token);
        if (accessOf(token) === waitAccess) isPolling = kindOf(token) === syncAction.poll;
        for (; at < end; at++) out.push(stream[at]!);
        first = -1;
        continue;
      }
      const mask = stream[at + 1]!;
      const end = endOf(stream, at);
      if (this.firstOf[token] === token || this.firstOf[token] !== first) {
        first = this.firstOf[token]!;
        isFree = this.isFree[first]! && !isPolling && !hasSync(stream, at, end);
        isLeaving = isFree && !this.fill(first, mask);
      }
      this.executed += this.lengths[token]!;
      if (isLeaving) this.wait(token, stream.subarray(at + 2, end));
      else {
        this.kept += this.lengths[token]!;
        out.push(token, isFree ? allLanes : mask);
        this.put(out, token, stream.subarray(at + 2, end));
      }
      at = end;
    }
    return Uint32Array.from(out);
  }

  /** Adds the active lanes; true if they complete a warp. */
  private fill(block: number, mask: number): boolean {
    const filled = this.filled[block]! + laneCount(mask) / warpSize;
    const isFull = filled >= whole;
    this.filled[block] = isFull ? filled - 1 : filled;
    return isFull;
  }

  private wait(block: number, accesses: Uint32Array): void {
    const all = this.waiting.get(block);
    if (all) all.push(...accesses);
    else if (accesses.length > 0) this.waiting.set(block, [...accesses]);
  }

  /** Accesses of a block with those that have waited for it: all of their lines, and the wavefronts of the one with most. */
  private put(out: number[], block: number, accesses: Uint32Array): void {
    const waited = this.waiting.get(block);
    if (waited === undefined) {
      for (const word of accesses) out.push(word);
      return;
    }
    this.waiting.delete(block);
    const all = [...waited, ...accesses];
    const most = new Map<number, number>();
    for (let at = 0; at < all.length; at += lengthOf(all[at]!)) {
      const token = all[at]!;
      if (!isOfBanks(token)) out.push(...all.slice(at, at + lengthOf(token)));
      else if (countOf(token) > countOf(most.get(accessOf(token)) ?? 0)) most.set(accessOf(token), token);
    }
    out.push(...most.values());
  }
}

/** Wavefronts of shared memory; those of textures are cycles of their unit. */
const isOfBanks = (token: number): boolean => typeOf(token) === tokenType.shared && kindOf(token) < accessKind.texture;

/** Position at which the next block begins, or something that is no access of this one. */
function endOf(stream: WarpStream, from: number): number {
  let at = from + lengthOf(stream[from]!);
  while (at < stream.length && typeOf(stream[at]!) !== tokenType.block && accessOf(stream[at]!) !== waitAccess)
    at += lengthOf(stream[at]!);
  return at;
}

function hasSync(stream: WarpStream, from: number, to: number): boolean {
  for (let at = from; at < to; at += lengthOf(stream[at]!)) if (typeOf(stream[at]!) === tokenType.sync) return true;
  return false;
}

const mayBeLeftOut = ({ instructions }: MachineBlock): boolean => instructions.every((one) => !rowOf(one).timed);
