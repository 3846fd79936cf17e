/**
 * Activity of the warp slots of a simulated SM over time, in packed chunks of one sub-partition each, and the answers to "what is to be
 * drawn of these slots between these cycles at this resolution".
 *
 * Chunks of resolution 0 hold every interval. Long recordings have levels as well, in which time is cut into cells: for each slot and
 * cell, how many cycles it spent in each state. All answers are exact sums, from whichever level is the coarsest that serves.
 */
import type { WarpIssues, WarpWindow } from '../model/kernel-view.ts';
import { SimsightError } from '../base/errors.ts';
import { warpStates } from '../model/warp-states.ts';
import { noWarp, numbersOf, readTimeline, Runs } from '../model/warp-timeline.ts';
import { PackedReader, PackedWriter } from './packing.ts';

export interface WarpChunk {
  subPartition: number;
  /** Warp slots of the sub-partition. */
  slots: number;
  /** Cycles; 0: the intervals themselves. */
  resolution: number;
  /** Cycles: where the first interval or cell starts, and the last one ends. */
  start: number;
  end: number;
  /** Intervals that start in it. */
  intervals: number;
  data: Uint8Array;
  /** The instruction of each issue in it, as the recording knows; null of levels. */
  issues: Uint8Array | null;
}

const intervalsPerChunk = 8192;
/** Size of a chunk of a level: cells times slots. */
const cellsPerChunk = 8192;
/** Sub-partitions with fewer intervals have no levels: all of them are unpacked in a few milliseconds. */
const fewIntervals = 65536;
/** Intervals of a slot in a cell of the first level, and cells of a level in one of the next. */
const intervalsPerCell = 16;
const cellsPerCell = 8;
/** Most cells of one answer: far more than any screen has. */
const mostCells = 2 ** 22;

/** Intervals of some slots, slot by slot: slot `s` is at `offsets[s] … offsets[s + 1]`. */
interface Intervals {
  offsets: Uint32Array;
  starts: Float64Array;
  ends: Float64Array;
  states: Uint8Array;
}
const selected = warpStates.indexOf('selected');
/** Sums by cell, slot by slot: of slot `s`, cell `c` at `s * cells + c`. */
interface Cells {
  first: number;
  cells: number;
  /** Intervals that start in the cell. */
  counts: Uint32Array;
  /** Cycles by state. */
  cycles: Map<number, Uint32Array>;
}

/**
 * Packs timelines of all slots of an SM, and what they issued (see {@link file://../model/warp-timeline.ts}); slot n is in sub-partition n
 * modulo their number.
 */
export function packWarps(
  timelines: readonly Uint8Array[],
  issues: readonly Uint32Array[],
  subPartitions: number,
): WarpChunk[] {
  return Array.from({ length: subPartitions }, (_, subPartition) => {
    const isOwn = (_: unknown, slot: number): boolean => slot % subPartitions === subPartition;
    const own = timelines.filter(isOwn);
    const issued = issues.filter(isOwn).map((pairs) => numbersOf(pairs));
    const all = intervalsOf(own);
    const slots = own.length;
    const count = all.starts.length;
    if (count === 0) return [];
    const chunks = cut(all).map((part): Packed => {
      return { ...packIntervals(part), issues: packIssues(part, issued) };
    });
    const end = all.ends.reduce((last, each) => Math.max(last, each));
    if (count > fewIntervals) {
      let cell = 2 ** Math.ceil(Math.log2((intervalsPerCell * end * slots) / count));
      for (; end / cell > cellsPerCell; cell *= cellsPerCell) {
        const perChunk = Math.max(1, Math.floor(cellsPerChunk / slots));
        for (let first = 0; first * cell < end; first += perChunk) {
          const cells = Math.min(perChunk, Math.ceil(end / cell) - first);
          const sums = noCells(first, cells, slots);
          addIntervals(sums, all, cell);
          chunks.push(packCells(sums, slots, cell));
        }
      }
    }
    return chunks.map((chunk) => ({ ...chunk, subPartition, slots }));
  }).flat();
}

function intervalsOf(timelines: readonly Uint8Array[]): Intervals {
  const offsets = new Uint32Array(timelines.length + 1);
  const [starts, ends, states]: [number[], number[], number[]] = [[], [], []];
  timelines.forEach((bytes, slot) => {
    for (const { state, from, to } of readTimeline(bytes)) {
      if (!(to <= 2 ** 52)) throw new RangeError('a timeline of warp states is broken');
      starts.push(from);
      ends.push(to);
      states.push(state);
    }
    offsets[slot + 1] = starts.length;
  });
  return { offsets, starts: Float64Array.from(starts), ends: Float64Array.from(ends), states: Uint8Array.from(states) };
}

/** Parts one after the other in time; an interval is in the part in which it starts. */
function cut(all: Intervals): Intervals[] {
  const sorted = all.starts.toSorted();
  const parts = Math.ceil(sorted.length / intervalsPerChunk);
  return Array.from({ length: parts }, (_, part) => {
    const from = sorted[part * intervalsPerChunk]!;
    const to = sorted[(part + 1) * intervalsPerChunk] ?? Infinity;
    const offsets = new Uint32Array(all.offsets.length);
    const taken: number[] = [];
    for (let slot = 0; slot + 1 < offsets.length; slot++) {
      for (let i = all.offsets[slot]!; i < all.offsets[slot + 1]!; i++) {
        if (all.starts[i]! >= from && all.starts[i]! < to) taken.push(i);
      }
      offsets[slot + 1] = taken.length;
    }
    return {
      offsets,
      starts: Float64Array.from(taken, (i) => all.starts[i]!),
      ends: Float64Array.from(taken, (i) => all.ends[i]!),
      states: Uint8Array.from(taken, (i) => all.states[i]!),
    };
  }).filter(({ starts }) => starts.length > 0);
}

type Packed = Omit<WarpChunk, 'subPartition' | 'slots'>;
type PackedStates = Omit<Packed, 'issues'>;
type Unpackable = Omit<WarpChunk, 'issues'>;

/**
 * Columns: intervals of each slot, where the first of each starts; then of all intervals the state, with {@link noWarp} for gaps, the
 * shortest of each state in the order in which they come, and how much longer each is.
 */
function packIntervals({ offsets, starts, ends, states }: Intervals): PackedStates {
  const [counts, firsts, all, lengths]: [number[], number[], number[], number[]] = [[], [], [], []];
  const start = starts.reduce((least, each) => Math.min(least, each));
  for (let slot = 0; slot + 1 < offsets.length; slot++) {
    const before = all.length;
    let at = starts[offsets[slot]!] ?? start;
    firsts.push(offsets[slot]! < offsets[slot + 1]! ? at - start : 0);
    for (let i = offsets[slot]!; i < offsets[slot + 1]!; i++) {
      if (starts[i]! > at) {
        all.push(noWarp);
        lengths.push(starts[i]! - at);
      }
      all.push(states[i]!);
      lengths.push(ends[i]! - starts[i]!);
      at = ends[i]!;
    }
    counts.push(all.length - before);
  }
  const shortest = new Map<number, number>();
  all.forEach((state, i) => shortest.set(state, Math.min(shortest.get(state) ?? Infinity, lengths[i]!)));
  const writer = new PackedWriter();
  writer.column(counts);
  writer.column(firsts);
  writer.column(all);
  writer.column([...shortest.values()]);
  writer.column(lengths.map((length, i) => length - shortest.get(all[i]!)!));
  const end = ends.reduce((last, each) => Math.max(last, each));
  return { resolution: 0, start, end, intervals: starts.length, data: writer.finish() };
}

/** Columns: runs of each slot, as {@link Runs}; the first of each since that of the run before, and how many follow it. */
function packIssues({ offsets, starts, ends, states }: Intervals, issued: readonly Generator<number>[]): Uint8Array {
  const [counts, firsts, more]: [number[], number[], number[]] = [[], [], []];
  let before = 0;
  for (let slot = 0; slot + 1 < offsets.length; slot++) {
    let left = 0;
    for (let i = offsets[slot]!; i < offsets[slot + 1]!; i++) {
      if (states[i] === selected) left += ends[i]! - starts[i]!;
    }
    const runs = new Runs();
    for (; left > 0; left--) {
      const next = issued[slot]!.next();
      if (next.done === true) throw new RangeError('a warp issued more than it is known to have');
      runs.add(next.value);
    }
    const { pairs } = runs;
    counts.push(pairs.length / 2);
    for (let i = 0; i < pairs.length; i += 2) {
      firsts.push(pairs[i]! - before);
      more.push(pairs[i + 1]! - 1);
      before = pairs[i]!;
    }
  }
  const writer = new PackedWriter();
  writer.column(counts);
  writer.column(firsts);
  writer.column(more);
  return writer.finish();
}

/** Issues by slot. */
function unpackIssues(slots: number, data: Uint8Array): Uint32Array[] {
  const reader = new PackedReader(data);
  const counts = new Float64Array(slots);
  reader.column(counts);
  let runs = 0;
  for (const count of counts) runs += count;
  // A chunk has no more of them than intervals.
  if (!(runs <= 2 * intervalsPerChunk && counts.every((count) => count >= 0))) throw brokenIssues();
  const [firsts, more] = [new Float64Array(runs), new Float64Array(runs)];
  reader.column(firsts);
  reader.column(more);
  let [run, first] = [0, 0];
  return Array.from(counts, (count) => {
    const pairs: number[] = [];
    let all = 0;
    for (const stop = run + count; run < stop; run++) {
      first += firsts[run]!;
      all += 1 + more[run]!;
      if (!(first >= 0 && more[run]! >= 0 && all <= mostIssues)) throw brokenIssues();
      pairs.push(first, 1 + more[run]!);
    }
    return Uint32Array.from(numbersOf(pairs));
  });
}
/** Most issues of a slot in one chunk: those of warps that were selected all the time, in the longest possible chunk. */
const mostIssues = 2 ** 22;
const brokenIssues = (): RangeError => new RangeError('the issues of a chunk of warp states are broken');

function unpackIntervals({ slots, start, intervals: most, data }: Unpackable): Intervals {
  const reader = new PackedReader(data);
  const counts = new Float64Array(slots);
  const firsts = new Float64Array(slots);
  reader.column(counts);
  reader.column(firsts);
  let total = 0;
  for (const count of counts) total += count;
  // Gaps are at most as many as what they are between.
  if (!(total <= 2 * most && counts.every((count) => count >= 0))) {
    throw new RangeError('a chunk of warp states has a wrong size');
  }
  const all = new Uint8Array(total);
  reader.column(all);
  const place: number[] = [];
  let found = 0;
  for (const state of all) place[state] ??= found++;
  const shortest = new Float64Array(found);
  reader.column(shortest);
  const lengths = new Float64Array(total);
  reader.column(lengths);
  const offsets = new Uint32Array(slots + 1);
  const starts = new Float64Array(total);
  const ends = new Float64Array(total);
  const states = new Uint8Array(total);
  let [from, to] = [0, 0];
  for (let slot = 0; slot < slots; slot++) {
    let at = start + firsts[slot]!;
    for (const stop = from + counts[slot]!; from < stop; from++) {
      const state = all[from]!;
      const end = at + lengths[from]! + shortest[place[state]!]!;
      if (state !== noWarp) {
        starts[to] = at;
        ends[to] = end;
        states[to++] = state;
      }
      at = end;
    }
    offsets[slot + 1] = to;
  }
  return { offsets, starts: starts.subarray(0, to), ends: ends.subarray(0, to), states: states.subarray(0, to) };
}

const noCells = (first: number, cells: number, slots: number): Cells => {
  return { first, cells, counts: new Uint32Array(cells * slots), cycles: new Map() };
};

function cyclesOf({ cycles, counts }: Cells, state: number): Uint32Array {
  let found = cycles.get(state);
  if (!found) cycles.set(state, (found = new Uint32Array(counts.length)));
  return found;
}

/** Adds intervals to the cells that they touch. */
function addIntervals(out: Cells, { offsets, starts, ends, states }: Intervals, width: number): void {
  const { first, cells, counts } = out;
  const [from, to] = [first * width, (first + cells) * width];
  const byState: (Uint32Array | undefined)[] = [];
  for (let slot = 0; slot + 1 < offsets.length; slot++) {
    const base = slot * cells;
    const stop = offsets[slot + 1]!;
    for (let i = firstAfter(ends, from, offsets[slot]!, stop); i < stop; i++) {
      const [start, end, state] = [starts[i]!, ends[i]!, states[i]!];
      if (start >= to) break;
      const cycles = (byState[state] ??= cyclesOf(out, state));
      let cell = Math.floor(start / width) - first;
      if (cell >= 0) counts[base + cell]!++;
      else cell = 0;
      // Most lie in one.
      let at = Math.max(start, from);
      for (let border = (first + cell + 1) * width; border < end && cell + 1 < cells; border += width) {
        cycles[base + cell++]! += border - at;
        at = border;
      }
      cycles[base + cell]! += Math.min(end, to) - at;
    }
  }
}

/** Columns: intervals that start in each cell, slot by slot; the states there are; cycles of each of them by cell. */
function packCells({ first, cells, counts, cycles }: Cells, slots: number, resolution: number): Packed {
  const writer = new PackedWriter();
  const states = [...cycles.keys()].sort((a, b) => a - b);
  writer.column(counts);
  writer.column([states.reduce((mask, state) => mask + 2 ** state, 0)]);
  for (const state of states) writer.column(cycles.get(state)!);
  const [start, end] = [first * resolution, (first + cells) * resolution];
  const intervals = counts.reduce((sum, each) => sum + each, 0);
  return { resolution, start, end, intervals, data: writer.finish(), issues: null };
}

function unpackCells({ slots, resolution, start, end, data }: Unpackable): Cells {
  const cells = Math.round((end - start) / resolution);
  if (!(cells * slots <= cellsPerChunk + slots)) throw new RangeError('a chunk of warp states has a wrong size');
  const reader = new PackedReader(data);
  const counts = new Uint32Array(cells * slots);
  reader.column(counts);
  const mask = [0];
  reader.column(mask);
  const cycles = new Map<number, Uint32Array>();
  for (let state = 0; state < noWarp; state++) {
    if (Math.floor(mask[0]! / 2 ** state) % 2 === 0) continue;
    const values = new Uint32Array(cells * slots);
    reader.column(values);
    cycles.set(state, values);
  }
  return { first: Math.round(start / resolution), cells, counts, cycles };
}

const stateCount = warpStates.length;

/** Columns: the states there are, as bits; the cycles in each cell of each of them. */
export function packMix(cycles: Float64Array): { cells: number; data: Uint8Array } {
  const cells = cycles.length / stateCount;
  const column = (state: number): Float64Array =>
    Float64Array.from({ length: cells }, (_, cell) => cycles[cell * stateCount + state]!);
  const columns = warpStates.map((_, state) => column(state));
  const writer = new PackedWriter();
  const isThere = columns.map((values) => values.some((value) => value > 0));
  writer.column([isThere.reduce((mask, is, state) => mask + (is ? 2 ** state : 0), 0)]);
  columns.forEach((values, state) => isThere[state] && writer.column(values));
  return { cells, data: writer.finish() };
}

export function unpackMix(cells: number, data: Uint8Array): Float64Array {
  const reader = new PackedReader(data);
  const mask = [0];
  reader.column(mask);
  const cycles = new Float64Array(cells * stateCount);
  for (let state = 0; state < stateCount; state++) {
    if (Math.floor(mask[0]! / 2 ** state) % 2 === 0) continue;
    const values = new Float64Array(cells);
    reader.column(values);
    values.forEach((value, cell) => (cycles[cell * stateCount + state] = value));
  }
  return cycles;
}

/** A chunk whose data are read when they are asked for; what was issued only where states are exact. */
export type StoredWarpChunk = Omit<WarpChunk, 'data' | 'issues'> & {
  read: () => Uint8Array;
  readIssues: () => Uint8Array;
};

/** Warps of one profile: what was unpacked of it is kept as long as this is. */
export class WarpTimeline {
  /** Warp slots by sub-partition. */
  readonly slots: number[] = [];
  /** The cycle at which the last interval ends. */
  readonly end: number;
  readonly intervals: number;
  private readonly chunks: readonly StoredWarpChunk[];
  private readonly intervalsOf = new Map<StoredWarpChunk, Intervals>();
  private readonly cellsOf = new Map<StoredWarpChunk, Cells>();
  private readonly issuesOf = new Map<StoredWarpChunk, Uint32Array[]>();

  constructor(chunks: readonly StoredWarpChunk[]) {
    this.chunks = chunks;
    let [end, intervals] = [0, 0];
    for (const chunk of chunks) {
      this.slots[chunk.subPartition] = chunk.slots;
      if (chunk.resolution > 0) continue;
      end = Math.max(end, chunk.end);
      intervals += chunk.intervals;
    }
    this.end = end;
    this.intervals = intervals;
  }

  /**
   * States of the slots of a sub-partition in [from, to) cycles. Resolution 0: every interval. Otherwise cells of that many cycles,
   * anchored at 0: the state that a slot was in for longest and its share of the cell; cells with a single state are joined.
   */
  window(subPartition: number, from: number, to: number, resolution: number): WarpWindow {
    const out = new WindowWriter(subPartition, Math.floor(from), Math.ceil(to));
    const slots = this.slots[subPartition] ?? 0;
    if (resolution <= 0) {
      const parts = this.exact(subPartition, from, to);
      for (let slot = 0; slot < slots; slot++) {
        for (const { offsets, starts, ends, states } of parts) {
          const stop = offsets[slot + 1]!;
          for (let i = firstAfter(ends, from, offsets[slot]!, stop); i < stop && starts[i]! < to; i++) {
            out.add(slot, starts[i]!, ends[i]!, states[i]!, 1, 1);
          }
        }
      }
      return out.finish();
    }
    const { first, cells, counts, cycles } = this.cells(subPartition, from, to, resolution);
    const states = [...cycles];
    for (let slot = 0; slot < slots; slot++) {
      for (let cell = 0; cell < cells; cell++) {
        const at = slot * cells + cell;
        let [most, longest] = [0, noWarp];
        for (const [state, values] of states) {
          if (values[at]! > most) [most, longest] = [values[at]!, state];
        }
        if (most === 0) continue;
        const start = (first + cell) * resolution;
        out.add(slot, start, start + resolution, longest, most / resolution, counts[at]!);
      }
    }
    return out.finish();
  }

  /**
   * The instructions that the slots of a sub-partition issued in [from, to) cycles, slot by slot in the order of their time.
   */
  issues(subPartition: number, from: number, to: number): WarpIssues {
    const [slots, cycles, instructions]: [number[], number[], number[]] = [[], [], []];
    const parts: { intervals: Intervals; issues: Uint32Array[] }[] = [];
    for (const chunk of this.exactChunks(subPartition, from, to)) {
      let issues = this.issuesOf.get(chunk);
      if (!issues) {
        issues = unpackIssues(chunk.slots, chunk.readIssues());
        this.issuesOf.set(chunk, issues);
      }
      parts.push({ intervals: this.unpacked(chunk), issues });
    }
    for (let slot = 0; slot < (this.slots[subPartition] ?? 0); slot++) {
      for (const { intervals, issues } of parts) {
        const { offsets, starts, ends, states } = intervals;
        let at = 0;
        for (let i = offsets[slot]!; i < offsets[slot + 1]!; i++) {
          if (states[i] !== selected) continue;
          for (let cycle = starts[i]!; cycle < ends[i]!; cycle++, at++) {
            if (cycle < from || cycle >= to) continue;
            slots.push(slot);
            cycles.push(cycle);
            instructions.push(issues[slot]![at] ?? 0);
          }
        }
      }
    }
    return {
      count: slots.length,
      slots: Uint8Array.from(slots),
      cycles: Float64Array.from(cycles),
      instructions: Uint32Array.from(instructions),
    };
  }

  /** Warp-cycles by state in cells of `width` cycles from the one that holds `from` to that before `to`, of all slots together. */
  mix(
    subPartitions: readonly number[],
    from: number,
    to: number,
    width: number,
  ): { first: number; cycles: Map<number, Float64Array> } {
    let start = 0;
    const cycles = new Map<number, Float64Array>();
    for (const subPartition of subPartitions) {
      const { first, cells, cycles: own } = this.cells(subPartition, from, to, width);
      start = first;
      for (const [state, values] of own) {
        let sum = cycles.get(state);
        if (!sum) cycles.set(state, (sum = new Float64Array(cells)));
        for (let at = 0; at < values.length; at++) sum[at % cells]! += values[at]!;
      }
    }
    return { first: start, cycles };
  }

  private cells(subPartition: number, from: number, to: number, width: number): Cells {
    const first = Math.max(0, Math.floor(from / width));
    const cells = Math.max(0, Math.ceil(Math.min(to, this.end) / width) - first);
    const slots = this.slots[subPartition] ?? 0;
    if (cells * slots > mostCells) {
      throw new SimsightError('bad-request', `${cells} cells of ${width} cycles are too many for one question.`);
    }
    const out = noCells(first, cells, slots);
    const own = this.chunks.filter((chunk) => chunk.subPartition === subPartition);
    // Cells of a level that make up those asked for.
    const level = own.reduce(
      (best, { resolution }) => (width % resolution === 0 && resolution > best ? resolution : best),
      0,
    );
    if (level === 0) {
      for (const part of this.exact(subPartition, first * width, (first + cells) * width))
        addIntervals(out, part, width);
      return out;
    }
    for (const chunk of own) {
      if (chunk.resolution !== level || chunk.end <= first * width || chunk.start >= (first + cells) * width) continue;
      let part = this.cellsOf.get(chunk);
      if (!part) this.cellsOf.set(chunk, (part = unpackCells({ ...chunk, data: chunk.read() })));
      const scale = width / level;
      const place = (cell: number): number => Math.floor((part.first + cell) / scale) - first;
      const targets = Int32Array.from({ length: part.cells }, (_, cell) => place(cell));
      const fold = (into: Uint32Array, values: Uint32Array): void => {
        for (let slot = 0; slot < slots; slot++) {
          for (let cell = 0; cell < part.cells; cell++) {
            const target = targets[cell]!;
            if (target >= 0 && target < cells) into[slot * cells + target]! += values[slot * part.cells + cell]!;
          }
        }
      };
      fold(out.counts, part.counts);
      for (const [state, values] of part.cycles) fold(cyclesOf(out, state), values);
    }
    return out;
  }

  private exactChunks(subPartition: number, from: number, to: number): StoredWarpChunk[] {
    return this.chunks.filter(
      ({ start, end, resolution, ...chunk }) =>
        chunk.subPartition === subPartition && resolution === 0 && end > from && start < to,
    );
  }

  private exact(subPartition: number, from: number, to: number): Intervals[] {
    return this.exactChunks(subPartition, from, to).map((chunk) => this.unpacked(chunk));
  }

  private unpacked(chunk: StoredWarpChunk): Intervals {
    let found = this.intervalsOf.get(chunk);
    if (!found) this.intervalsOf.set(chunk, (found = unpackIntervals({ ...chunk, data: chunk.read() })));
    return found;
  }
}

class WindowWriter {
  private readonly subPartition: number;
  private readonly from: number;
  private readonly to: number;
  private readonly slots: number[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly states: number[] = [];
  private readonly shares: number[] = [];
  private readonly merged: number[] = [];

  constructor(subPartition: number, from: number, to: number) {
    this.subPartition = subPartition;
    this.from = from;
    this.to = to;
  }

  add(slot: number, start: number, end: number, state: number, share: number, intervals: number): void {
    const last = this.slots.length - 1;
    const goesOn =
      share === 1 &&
      this.shares[last] === 1 &&
      this.slots[last] === slot &&
      this.states[last] === state &&
      this.ends[last] === start;
    if (goesOn) {
      this.ends[last] = end;
      this.merged[last]! += intervals;
      return;
    }
    this.slots.push(slot);
    this.starts.push(start);
    this.ends.push(end);
    this.states.push(state);
    this.shares.push(share);
    this.merged.push(intervals);
  }

  finish(): WarpWindow {
    return {
      subPartition: this.subPartition,
      from: this.from,
      to: this.to,
      count: this.slots.length,
      slots: Uint8Array.from(this.slots),
      starts: Float64Array.from(this.starts),
      durations: Float64Array.from(this.starts, (start, i) => this.ends[i]! - start),
      states: Uint8Array.from(this.states),
      shares: Float32Array.from(this.shares),
      merged: Uint32Array.from(this.merged),
    };
  }
}

/** The first index in [begin, end) whose value is above `limit`. */
function firstAfter(values: Float64Array, limit: number, begin: number, end: number): number {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
