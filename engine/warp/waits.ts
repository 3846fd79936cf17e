/**
 * Waits of warps in loops that poll: execution iterates as often as it takes turns, hardware as often as others need. So of each such loop
 * only the last iteration stays in the stream, and says how many writes of the traced warps it has seen in the sector that it reads. The
 * simulated SM iterates until as many have come, see {@link syncAction}.
 *
 * A sector stands for what lies in it: who waits for one of two flags there waits for both. What no traced warp has written since
 * it was polled in vain was written by a block of another SM. That had come as far as those of this one, which are taken to have
 * to come as far as the atomics that they have executed until then: the last block at a barrier lets all others go, say.
 */
import { sectorsPerLine } from '../model/geometry.ts';
import {
  accessKind,
  accessOf,
  anyAtomic,
  countOf,
  kindOf,
  lengthOf,
  lineOf,
  sectorsOf,
  syncAction,
  syncToken,
  syncWords,
  tokenType,
  typeOf,
  waitAccess,
  type WarpStream,
} from '../model/warp-stream.ts';

/** Blocks of code of a loop that polls. */
export interface PollLoop {
  head: number;
  end: number;
}

/** A warp's last time around so far: where its tokens begin, and the lanes that take part. */
interface Round extends PollLoop {
  from: number;
  mask: number;
  /** Writes that each of its accesses has seen, in their order, and those of the time around before. */
  seen: number[];
  before: number[];
  /** Atomics of traced warps until its last access. */
  atomics: number;
}

/** State of one sector. */
interface Place {
  /** Blocks that wait for what is written there. */
  blocks: Set<number>;
  /** Some of what is written there are atomics. */
  atomics: boolean;
  /** Some of what was waited for was written by blocks that are not traced. */
  byOthers: boolean;
}

const pollWords = 1 + syncWords;

export class Waits {
  private readonly loops: Map<number, PollLoop>;
  private readonly changesNothing: (access: number) => boolean;
  private readonly warpsPerBlock: number;
  private readonly rounds: (Round | undefined)[] = [];
  /** Writes that the accesses of a round had seen when it was broken off. */
  private readonly before: (number[] | undefined)[] = [];
  /** Writes of traced warps until now, by sector. */
  private readonly writes = new Map<number, number>();
  private readonly places = new Map<number, Place>();

  /** `changesNothing`: of accesses that are atomics and leave what they find. */
  constructor(loops: readonly PollLoop[], changesNothing: (access: number) => boolean, warpsPerBlock: number) {
    this.loops = new Map(loops.map((loop) => [loop.head, loop]));
    this.changesNothing = changesNothing;
    this.warpsPerBlock = warpsPerBlock;
  }

  /** The warp is about to execute a block of code; its stream so far. */
  enter(warp: number, stream: number[], block: number, mask: number): void {
    const round = this.rounds[warp];
    if (round !== undefined) {
      if (block === round.head && mask === round.mask) {
        stream.length = round.from;
        round.before = round.seen;
        round.seen = [];
        return;
      }
      if (block > round.head && block < round.end) return;
      if ((mask & round.mask) === 0) {
        // Other lanes go on meanwhile; these begin anew.
        stream.length = round.from - pollWords;
        this.before[warp] = round.seen;
        this.rounds[warp] = undefined;
      } else this.leave(warp, stream, round);
    }
    const loop = this.loops.get(block);
    if (loop === undefined) return;
    stream.push(syncToken(syncAction.poll, waitAccess), 0, 0, 0);
    const before = this.before[warp] ?? [];
    this.before[warp] = undefined;
    this.rounds[warp] = { ...loop, from: stream.length, mask, seen: [], before, atomics: 0 };
  }

  /** The warp accesses lines: those of a token of its stream. */
  access(warp: number, stream: readonly number[], at: number): void {
    const round = this.rounds[warp];
    if (round === undefined) this.count(stream, at);
    else {
      round.seen.push(this.writes.get(placesOf(stream, at)[0]!) ?? 0);
      round.atomics = this.writes.get(anyAtomic) ?? 0;
    }
  }

  private count(stream: readonly number[], at: number): void {
    if (!this.isWrite(stream[at]!)) return;
    const places = placesOf(stream, at);
    if (kindOf(stream[at]!) === accessKind.atomic) places.push(anyAtomic);
    for (const place of places) this.writes.set(place, (this.writes.get(place) ?? 0) + 1);
  }

  private isWrite(token: number): boolean {
    const kind = kindOf(token);
    if (kind === accessKind.atomic) return !this.changesNothing(accessOf(token));
    return kind === accessKind.store || kind === accessKind.bulkStore || kind === accessKind.surfaceStore;
  }

  /** The last time around has ended, or that of some lanes. */
  private leave(warp: number, stream: number[], { from, seen, before, atomics }: Round): void {
    const tokens = stream.splice(from);
    let accesses = 0;
    for (let at = 0; at < tokens.length; at += lengthOf(tokens[at]!)) {
      const token = tokens[at]!;
      if (typeOf(token) === tokenType.global) {
        const [place] = placesOf(tokens, at);
        const known = this.places.get(place!) ?? { blocks: new Set<number>(), atomics: false, byOthers: false };
        known.blocks.add(Math.floor(warp / this.warpsPerBlock));
        this.places.set(place!, known);
        stream.push(syncToken(syncAction.await, accessOf(token)), place!, seen[accesses]!, 0);
        if (before[accesses] === seen[accesses]) {
          known.byOthers = true;
          stream.push(syncToken(syncAction.await, accessOf(token)), anyAtomic, atomics, 0);
        }
        accesses++;
        this.count(tokens, at);
      }
      for (let i = 0; i < lengthOf(token); i++) stream.push(tokens[at + i]!);
    }
    stream.push(syncToken(syncAction.pollEnd, waitAccess), 0, 0, 0);
    this.rounds[warp] = undefined;
  }

  /** The streams, with what others wait for marked where it is written. */
  finish(streams: readonly number[][]): WarpStream[] {
    streams.forEach((stream, warp) => {
      const round = this.rounds[warp];
      if (round !== undefined) this.leave(warp, stream, round);
    });
    if (this.places.size === 0) return streams.map((stream) => Uint32Array.from(stream));
    for (const stream of streams)
      for (let at = 0; at < stream.length; at += lengthOf(stream[at]!))
        if (typeOf(stream[at]!) === tokenType.global && kindOf(stream[at]!) === accessKind.atomic)
          for (const place of placesOf(stream, at)) {
            const known = this.places.get(place);
            if (known !== undefined) known.atomics = true;
          }
    // Where each atomic counts, all of them need not.
    const any = [...this.places.values()].some(({ atomics, byOthers }) => byOthers && !atomics);
    return streams.map((stream) => this.marked(stream, any));
  }

  private marked(stream: readonly number[], any: boolean): WarpStream {
    const out: number[] = [];
    let last = 0;
    for (let at = 0; at < stream.length;) {
      const token = stream[at]!;
      const end = at + lengthOf(token);
      if (typeOf(token) === tokenType.sync && kindOf(token) === syncAction.await) {
        const place = stream[at + 1]!;
        if (place !== anyAtomic) out.push(token, place, stream[at + 2]!, this.isCommon(place) ? 1 : 0);
        else if (!this.places.get(last)!.atomics) out.push(token, place, stream[at + 2]!, 0);
        last = place;
        at = end;
        continue;
      }
      if (typeOf(token) === tokenType.global && this.isWrite(token)) {
        for (const place of placesOf(stream, at))
          if (this.places.has(place))
            out.push(syncToken(syncAction.signal, accessOf(token)), place, 1, this.isCommon(place) ? 1 : 0);
        if (any && kindOf(token) === accessKind.atomic)
          out.push(syncToken(syncAction.signal, accessOf(token)), anyAtomic, 1, 0);
      }
      for (; at < end; at++) out.push(stream[at]!);
    }
    return Uint32Array.from(out);
  }

  /** True if all blocks of the grid are taken to meet there: it is a counter, or several of the traced ones wait for it. */
  private isCommon(place: number): boolean {
    const { atomics, blocks } = this.places.get(place)!;
    return atomics || blocks.size > 1;
  }
}

/** Sectors of an access, numbered through memory. */
function placesOf(stream: readonly number[], at: number): number[] {
  const places: number[] = [];
  for (let i = 1; i <= countOf(stream[at]!); i++) {
    const word = stream[at + i]!;
    for (let s = 0; s < sectorsPerLine; s++)
      if ((sectorsOf(word) >> s) & 1) places.push(lineOf(word) * sectorsPerLine + s);
  }
  return places;
}
