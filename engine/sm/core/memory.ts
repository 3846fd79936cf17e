/**
 * The way of a global access from the SM's memory pipe: L1, the port to L2, and this SM's share of L2 and DRAM. Each is a
 * server that is free again at some time; what comes earlier waits, so latency grows with load. Accesses come in the order
 * of time, and their results are known at once.
 *
 *   L1 tag ─ hit ─────────────────────────────────────────────── l1Latency
 *          └ miss ─ port (64 B/cycle) ─ L2 share ─ hit ────────── l2Latency
 *                                                └ miss ─ DRAM ── dramLatency
 *
 * Memory of other GPUs and of the host is behind a link instead of L2.
 */
import { lineBytes, sectorBytes, sectorsPerLine } from '../../model/geometry.ts';
import { Dram } from './dram.ts';
import type { CoreParameters } from './parameters.ts';
import { sectorCount } from './sectors.ts';
import type { MemoryShare } from './types.ts';
import {
  bankPasses,
  hintOf,
  isElsewhere,
  lineHint,
  lineOf,
  onePass,
  type Passes,
  scattered,
  sectorsOf,
  tagPasses,
} from '../../model/warp-stream.ts';

/** Index of each server's time in {@link MemoryPath.free}. */
const server = { portDown: 0, portUp: 1, l2: 2, peerReads: 3, peerWrites: 4, hostReads: 5, hostWrites: 6 } as const;

/** Memory behind a link: the link's servers, cycles per sector, and the round-trip latency. */
interface Link {
  reads: number;
  writes: number;
  cyclesPerSector: { reads: number; writes: number };
  latency: number;
  /** Sectors that lie side by side take the link as long as so many at least. */
  pieceSectors: number;
}

export class MemoryPath {
  /** Cycles that the last access held the SM's memory pipe; if it was a load, that the next one of its warp waits. */
  pipeCycles = 0;
  warpCycles = 0;
  /** True if the last load has to wait for a line. */
  private waits = false;
  l1HitSectors = 0;
  l1MissSectors = 0;
  l2Sectors = 0;
  /** Sectors of {@link storeLocal}: those that were there before, and all. */
  readonly localStores = { hits: 0, sectors: 0 };
  readonly dram: Dram;

  private readonly parameters: CoreParameters;
  private readonly free = new Float64Array(7);
  private readonly l2CyclesPerSector: number;
  private readonly portCyclesPerSector: number;
  private readonly peers: Link;
  private readonly host: Link;
  /** When the engine of copies in bulk takes the next line. */
  private bulkFree = 0;
  /** Sectors at which blocks meet: when the slice of L2 that has each is free. */
  private readonly meeting = new Map<number, number>();
  /** L1 holds nothing. */
  private isEmpty = true;
  /** Lines whose hash is below this are in L2. */
  private readonly l2HitBelow: number;

  // L1: `ways` entries per set; per entry line, valid sectors, time of use; per sector the time from which it is there.
  private readonly sets: number;
  private readonly ways: number;
  private readonly tags: Int32Array;
  private readonly valid: Uint8Array;
  private readonly used: Int32Array;
  private readonly arrivals: Int32Array;
  private uses = 0;
  /** Part of a cycle that the pipe is to be held beside the whole ones. */
  private owed = 0;
  /** When the entry that was found last can be used. */
  private placeFree = 0;

  constructor(parameters: CoreParameters, share: MemoryShare, l1Bytes: number) {
    this.parameters = parameters;
    this.l2CyclesPerSector = sectorBytes / share.l2BytesPerCycle;
    this.portCyclesPerSector = sectorBytes / parameters.portBytesPerCycle;
    this.peers = {
      reads: server.peerReads,
      writes: server.peerWrites,
      cyclesPerSector: cyclesPerSector(share.peerBytesPerCycle),
      latency: parameters.peerLatency,
      pieceSectors: 1,
    };
    this.host = {
      reads: server.hostReads,
      writes: server.hostWrites,
      cyclesPerSector: cyclesPerSector(share.hostBytesPerCycle),
      latency: parameters.hostLatency,
      pieceSectors: parameters.hostPieceSectors,
    };
    this.dram = new Dram(parameters, share);
    this.l2HitBelow = share.l2HitShare * 2 ** 32;
    this.ways = parameters.l1Ways;
    this.sets = Math.max(1, Math.floor(l1Bytes / lineBytes / this.ways));
    const entries = this.sets * this.ways;
    this.tags = new Int32Array(entries).fill(-1);
    this.valid = new Uint8Array(entries);
    this.used = new Int32Array(entries);
    this.arrivals = new Int32Array(entries * sectorsPerLine);
  }

  /**
   * A load of `lines` words of the stream from `position` on; its first tag is looked up at `now`, a cycle after its issue at
   * the earliest. `wide` is what its width adds to the latency; `passes` those of a pass per line where none are given. Returns when
   * its result can be used.
   */
  load(
    stream: Uint32Array,
    position: number,
    lines: number,
    now: number,
    wide: number,
    passes: Passes = onePass * lines,
  ): number {
    const { arrivals, valid, parameters } = this;
    const hitLatency = parameters.l1Latency + wide - 1;
    const span = this.hold(passes);
    let ready = now + hitLatency;
    let held = 0;
    let waiting = 0;
    let misses = false;
    for (let i = 0; i < lines; i++) {
      const word = stream[position + i]!;
      const line = lineOf(word);
      const sectors = sectorsOf(word);
      let time = now + held + Math.floor((i * span) / lines);
      const entry = this.find(line);
      // A line that is still on its way keeps its place: what would take it waits.
      if (this.placeFree > time) {
        held += this.placeFree - time;
        time = this.placeFree;
      }
      const missing = sectors & ~valid[entry]!;
      const hits = sectorCount[sectors & ~missing]!;
      let isLate = missing !== 0;
      if (hits > 0) {
        this.l1HitSectors += hits;
        const hit = time + hitLatency;
        if (hit > ready) ready = hit;
        for (let s = 0; s < sectorsPerLine; s++) {
          const arrival = arrivals[entry * sectorsPerLine + s]!;
          if (((sectors >> s) & 1) === 0 || arrival <= hit) continue;
          isLate = true;
          if (arrival > ready) ready = arrival;
        }
      }
      if (isLate) waiting++;
      if (missing !== 0) {
        misses = true;
        this.l1MissSectors += sectorCount[missing]!;
        const arrival = this.fetch(word, missing, time) + wide;
        valid[entry]! |= missing;
        for (let s = 0; s < sectorsPerLine; s++) {
          if ((missing >> s) & 1) arrivals[entry * sectorsPerLine + s] = arrival;
        }
        if (arrival > ready) ready = arrival;
      }
    }
    this.comesLate(waiting, misses);
    this.pipeCycles += held;
    this.warpCycles = Math.max(this.warpCycles + held, this.pipeCycles);
    return ready;
  }

  /** Passes the data of the last load on to shared memory; returns how much later it arrives there than it would in a register. */
  copyOn(passes: Passes): number {
    const { copyCycles, copyLatency, lateCopyCycles } = this.parameters;
    this.pipeCycles += bankPasses(passes) + this.whole(copyCycles + (this.waits ? lateCopyCycles : 0));
    this.warpCycles = Math.max(this.warpCycles, this.pipeCycles);
    return this.waits ? 0 : copyLatency;
  }

  /** A load that has nothing to do with L1, see {@link load}. */
  loadPastL1(stream: Uint32Array, position: number, lines: number, now: number, wide: number, passes: Passes): number {
    const span = this.hold(passes);
    this.comesLate(lines, true);
    let ready = now;
    for (let i = 0; i < lines; i++) {
      const word = stream[position + i]!;
      this.l1MissSectors += sectorCount[sectorsOf(word)]!;
      ready = Math.max(ready, this.fetch(word, sectorsOf(word), now + Math.floor((i * span) / lines)) + wide);
    }
    return ready;
  }

  /** The load that {@link hold} was of has to wait for so many lines, which come one after the other; whether it is the first to ask for one. */
  private comesLate(lines: number, misses: boolean): void {
    const { latePassCycles, furtherLatePassCycles } = this.parameters;
    this.pipeCycles = Math.max(this.pipeCycles, lines);
    if (misses) this.pipeCycles += this.whole(this.waits ? furtherLatePassCycles : latePassCycles);
    this.waits = misses;
  }

  /** Whole cycles of this many; what is left goes on to the next. */
  private whole(cycles: number): number {
    const all = cycles + this.owed;
    const whole = Math.floor(all + 1e-9);
    this.owed = all - whole;
    return whole;
  }

  /** Holds the pipe, and the warp's next load, for the passes of a load; returns the cycles from its first line to past its last. */
  private hold(passes: Passes): number {
    const { warpPassInterval, passInterval } = this.parameters;
    const [banks, tags] = [bankPasses(passes), tagPasses(passes)];
    const span = Math.max(banks * warpPassInterval, tags);
    this.pipeCycles = Math.max(banks, tags, passInterval);
    this.warpCycles = Math.max(span, this.pipeCycles);
    return span;
  }

  /**
   * `lines` words of a copy to shared memory, which has an engine of its own and nothing to do with L1; returns when the last of
   * them is there.
   */
  bulkLoad(stream: Uint32Array, position: number, lines: number, now: number): number {
    let ready = now;
    for (let i = 0; i < lines; i++) {
      const word = stream[position + i]!;
      const start = Math.max(now, this.bulkFree);
      this.bulkFree = start + this.parameters.bulkLineCycles;
      ready = Math.max(ready, this.fetch(word, sectorsOf(word), start));
    }
    return ready;
  }

  /** Passes a bulk copy out of shared memory likewise; returns when it has been read there. */
  bulkStore(stream: Uint32Array, position: number, lines: number, now: number): number {
    let read = now;
    for (let i = 0; i < lines; i++) {
      const start = Math.max(now, this.bulkFree);
      const sent = this.send(stream[position + i]!, start);
      this.bulkFree = Math.max(start, sent, this.free[server.portUp]! - this.parameters.storePortBacklog);
      read = Math.max(read, this.free[server.portUp]!);
    }
    return Math.ceil(read);
  }

  /**
   * A store to local memory goes through to L2 like any other, but stays in L1 as well (H200 reference, A8 launch_bounds_spill:
   * each sector that is stored is written in L2, one of four that are loaded is read there).
   */
  storeLocal(stream: Uint32Array, position: number, lines: number, now: number): void {
    for (let i = 0; i < lines; i++) {
      const word = stream[position + i]!;
      const sectors = sectorsOf(word);
      const entry = this.find(lineOf(word));
      this.localStores.hits += sectorCount[sectors & this.valid[entry]!]!;
      this.localStores.sectors += sectorCount[sectors]!;
      for (let s = 0; s < sectorsPerLine; s++) {
        if ((sectors >> s) & 1) this.arrivals[entry * sectorsPerLine + s] = now + i;
      }
      this.valid[entry]! |= sectors;
      this.send(word, now + i);
    }
    this.holdPipe(this.storeCycles(stream, position, lines), now);
  }

  /**
   * A store to global memory; returns when it has reached L2. Nobody waits for that but the memory pipe, if too many are on
   * their way.
   */
  store(stream: Uint32Array, position: number, lines: number, now: number): number {
    for (let i = 0; i < lines; i++) this.send(stream[position + i]!, now + i);
    return this.holdPipe(this.storeCycles(stream, position, lines), now) + this.parameters.l2Latency;
  }

  /** An atomic: goes to L2 like a store and comes back like a load. */
  atomic(stream: Uint32Array, position: number, lines: number, now: number, latency: number, lanes: number): number {
    let ready = now + latency - 1;
    const { l2Latency } = this.parameters;
    for (let i = 0; i < lines; i++) {
      const word = stream[position + i]!;
      const farther = (this.linkTo(word)?.latency ?? l2Latency) - l2Latency;
      const done = this.send(word, now + i) + latency + farther - 1;
      if (done > ready) ready = done;
    }
    this.holdPipe(lines, now);
    return Math.round(ready + Math.max(0, lanes - lines) * this.parameters.atomicLaneLatency);
  }

  /**
   * An access to a sector where blocks meet, sent at `now`, on its way for `latency` cycles. So many SMs do the same, and the
   * sector's slice takes one access after the other; this one is the last of them. Returns when its slice has done it; it is back
   * half of the latency later.
   */
  meet(place: number, now: number, latency: number, smCount: number): number {
    const { meetingCycles } = this.parameters;
    this.l2Sectors++;
    const before = this.meeting.get(place) ?? 0;
    const done = Math.max(now + latency / 2 + meetingCycles, before + meetingCycles * smCount);
    this.meeting.set(place, done);
    return done;
  }

  /** Empties L1: nothing that it held hits any more. */
  forgetL1(): void {
    if (this.isEmpty) return;
    this.valid.fill(0);
    this.isEmpty = true;
  }

  /** Cycles that a store is in the pipe, if all of its way is free. */
  private storeCycles(stream: Uint32Array, position: number, lines: number): number {
    const { storeCycles, storeBaseCycles, storeSectorCycles } = this.parameters;
    let sectors = 0;
    for (let i = 0; i < lines; i++) sectors += sectorCount[sectorsOf(stream[position + i]!)]!;
    return this.whole(Math.max(storeCycles, storeBaseCycles + sectors * storeSectorCycles));
  }

  /** The pipe is held as long as stores have booked too much of their way; returns when the port is done with them. */
  private holdPipe(cycles: number, now: number): number {
    const { free, parameters } = this;
    const booked = Math.max(
      free[server.portUp]! - parameters.storePortBacklog,
      free[server.l2]! - parameters.storeMemoryBacklog,
      free[server.peerWrites]! - parameters.storeMemoryBacklog,
      free[server.hostWrites]! - parameters.storeMemoryBacklog,
      this.dram.free - parameters.storeDramBacklog,
    );
    this.pipeCycles = Math.max(cycles, parameters.passInterval, Math.ceil(booked - now));
    return Math.ceil(free[server.portUp]!);
  }

  /** Sends sectors to L2, and through it to DRAM if they are not there; returns when L2 takes them. */
  private send(word: number, time: number): number {
    const { free } = this;
    // Part of a store before.
    if (sectorsOf(word) === 0) return time;
    const sent = Math.max(time, free[server.portUp]!);
    free[server.portUp] = sent + this.parameters.storeLineCycles;
    const count = sectorCount[sectorsOf(word)]!;
    const link = this.linkTo(word);
    if (link) {
      const start = Math.max(sent, free[link.writes]!);
      free[link.writes] = start + count * link.cyclesPerSector.writes;
      return start;
    }
    const start = Math.max(sent, free[server.l2]!);
    const { l2WriteCost, l2SingleWriteCost } = this.parameters;
    free[server.l2] = start + (count === 1 ? l2SingleWriteCost : count) * this.l2CyclesPerSector * l2WriteCost;
    this.l2Sectors += count;
    if (!this.inL2(word)) this.dram.write(word, start);
    return start;
  }

  /** Fetches sectors that L1 misses; returns when they can be used. */
  private fetch(word: number, sectors: number, time: number): number {
    const { free, parameters } = this;
    const count = sectorCount[sectors]!;
    let start = time > free[server.portDown]! ? time : free[server.portDown]!;
    free[server.portDown] = start + count * this.portCyclesPerSector;
    const link = this.linkTo(word);
    if (link) {
      if (free[link.reads]! > start) start = free[link.reads]!;
      const least = piecesOf(sectors) * link.pieceSectors;
      free[link.reads] = start + Math.max(count, least) * link.cyclesPerSector.reads;
      return Math.ceil(start + link.latency + (count - 1) * parameters.sectorLatency) - 1;
    }
    this.l2Sectors += count;
    if (free[server.l2]! > start) start = free[server.l2]!;
    free[server.l2] = start + (count === 1 ? parameters.l2SingleCost : count) * this.l2CyclesPerSector;
    const inL2 = this.inL2(word);
    const l2Latency = parameters.l2Latency + (hintOf(word) === lineHint.inOtherHalf ? parameters.l2AcrossLatency : 0);
    const arrival = inL2 ? start + l2Latency : this.dram.read(word, sectors, start) + parameters.dramLatency;
    return Math.ceil(arrival + (count - 1) * parameters.sectorLatency) - 1;
  }

  /** Null for what the GPU has itself. */
  private linkTo(word: number): Link | null {
    const hint = hintOf(word);
    if (!isElsewhere(hint)) return null;
    return hint === lineHint.inPeer ? this.peers : this.host;
  }

  private inL2(word: number): boolean {
    const hint = hintOf(word);
    return hint === lineHint.unknown ? scattered(lineOf(word)) < this.l2HitBelow : hint !== lineHint.inDram;
  }

  /** The entry of a line, which replaces the longest unused one of its set if it is not there. */
  private find(line: number): number {
    const { tags, used, ways } = this;
    // Neighbours in sets of their own, also those of strides that are powers of two.
    const first = ((line ^ (line >>> 7) ^ (line >>> 14)) % this.sets) * ways;
    const now = ++this.uses;
    this.isEmpty = false;
    this.placeFree = 0;
    for (let entry = first; entry < first + ways; entry++) {
      if (tags[entry] === line) {
        used[entry] = now;
        return entry;
      }
    }
    let victim = first;
    for (let entry = first + 1; entry < first + ways; entry++) if (used[entry]! < used[victim]!) victim = entry;
    for (let s = 0; s < sectorsPerLine; s++) {
      const arrival = this.arrivals[victim * sectorsPerLine + s]!;
      if ((this.valid[victim]! >> s) & 1 && arrival > this.placeFree) this.placeFree = arrival;
    }
    tags[victim] = line;
    used[victim] = now;
    this.valid[victim] = 0;
    return victim;
  }
}

const cyclesPerSector = (bytesPerCycle = { reads: Infinity, writes: Infinity }): { reads: number; writes: number } => ({
  reads: sectorBytes / bytesPerCycle.reads,
  writes: sectorBytes / bytesPerCycle.writes,
});

/** Sectors of a line that lie side by side make one piece. */
const piecesOf = (sectors: number): number => sectorCount[sectors & ~(sectors << 1)]!;
