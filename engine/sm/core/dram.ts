/**
 * This SM's share of DRAM, behind L2: a server of its bandwidth, and the wait of each 256 bytes for their channel and bank,
 * which grows with the use.
 *
 * At first all SMs do the same at the same time, so what this one asks for at once is served at the rate of its share. Those
 * who waited come later from then on: by as much as that, what is left unused is still there when it is asked for.
 */
import { sectorBytes } from '../../model/geometry.ts';
import { lineOf, sectorsOf } from '../../model/warp-stream.ts';
import type { CoreParameters } from './parameters.ts';
import { pairedCount, sectorCount } from './sectors.ts';
import type { MemoryShare } from './types.ts';

/** Waits of mean 1, the sum of two exponential ones, in 256 steps of equal probability. */
const bankWaits = Float64Array.from({ length: 256 }, (_, i) => {
  let low = 0;
  let high = 32;
  for (let step = 0; step < 48; step++) {
    const middle = (low + high) / 2;
    if (1 - (1 + middle) * Math.exp(-middle) < (i + 0.5) / 256) low = middle;
    else high = middle;
  }
  return low / 2;
});
/** Times a number, in 32 bits: neighbours and strides come out evenly spread. */
const goldenRatio = 0x9e37_79b1;
/** Waits grow as those of a queue that this load would make endless: all bandwidth is used at 1, and not more. */
const mostLoad = 2;
/** Cycles over which the use is measured. */
const window = 4096;

export class Dram {
  /** When it has served all that was asked for. */
  free = 0;
  readSectors = 0;
  writeSectors = 0;
  /** Drift between SMs: the longest that one has waited for the others. */
  private spread = 0;

  private readonly parameters: CoreParameters;
  private readonly cyclesPerSector: number;
  /** Sectors that move when a line's mask asks for some. */
  private readonly moved: { reads: ArrayLike<number>; writes: ArrayLike<number> };
  /** Sectors served in this window, those of them that are written, and all in the window before; the end of this one. */
  private served = 0;
  private written = 0;
  private servedBefore = 0;
  private windowEnd = window;
  /** Slowdown factor of all traffic due to turning around. */
  private turning = 1;

  constructor(parameters: CoreParameters, { dramBytesPerCycle, dramSectorsPerMiss }: MemoryShare) {
    this.parameters = parameters;
    this.cyclesPerSector = sectorBytes / dramBytesPerCycle;
    const together = parameters.dramSectors === 2 ? pairedCount : sectorCount;
    const times = (amount: number): Float64Array => Float64Array.from(sectorCount, (count) => count * amount);
    this.moved =
      dramSectorsPerMiss === undefined
        ? { reads: together, writes: together }
        : { reads: times(dramSectorsPerMiss.reads), writes: times(dramSectorsPerMiss.writes) };
  }

  /** Reads `sectors` of a line, a mask, at `time`; returns when they are in L2, had it taken no time to get there and back. */
  read(word: number, sectors: number, time: number): number {
    const count = this.moved.reads[sectors]!;
    this.readSectors += count;
    const start = this.serve(count, time);
    return start + this.bankWait(word, start);
  }

  /** Writes the sectors of a line. */
  write(word: number, time: number): void {
    const count = this.moved.writes[sectorsOf(word)]!;
    this.writeSectors += count;
    this.serve(count, time);
    this.written += count;
  }

  private serve(sectors: number, time: number): number {
    const start = time > this.free ? time : this.free;
    if (start - time > this.spread) this.spread = start - time;
    this.free = Math.max(this.free, time - this.spread) + sectors * this.cyclesPerSector * this.turning;
    if (start >= this.windowEnd) this.nextWindow(start);
    this.served += sectors;
    return start;
  }

  private nextWindow(time: number): void {
    const { served, written } = this;
    const fewer = Math.min(written, served - written) / Math.max(1, served);
    this.turning = 1 + 2 * fewer * this.parameters.turnaround;
    this.servedBefore = time < this.windowEnd + window ? served : 0;
    this.served = this.written = 0;
    this.windowEnd = (Math.floor(time / window) + 1) * window;
  }

  /** Cycles that a line waits for its bank, beyond the mean wait when DRAM is idle. */
  private bankWait(word: number, time: number): number {
    const { bankWait, bankWaitLoaded } = this.parameters;
    const before = Math.max(0, this.windowEnd - time) / window;
    const load = Math.min(1, ((this.servedBefore * before + this.served) * this.cyclesPerSector) / window);
    const mean = bankWait + (bankWaitLoaded * load) / (mostLoad - load);
    return mean * bankWaits[Math.imul(lineOf(word) >>> 1, goldenRatio) >>> 24]! - bankWait;
  }
}
