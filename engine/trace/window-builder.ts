/** Puts together what is to be drawn of a row that is no packed track. */
import type { TrackWindow } from '../model/timeline.ts';

export interface Drawn {
  start: number;
  end: number;
  lane: number;
  /** Lanes that it takes. */
  span?: number;
  kind: number;
  flavour?: number;
  label: string;
  /** Full name, where the label is a short one. */
  fullName?: string;
  /** Row of the kernel that it belongs to. */
  row?: number;
  correlation?: number;
  merged?: number;
  busy?: number;
  base?: number;
}

export class WindowBuilder {
  private readonly track: number;
  private readonly resolution: number;
  private count = 0;
  private starts = new Float64Array(256);
  private ends = new Float64Array(256);
  private lanes = new Uint16Array(256);
  private spans = new Uint8Array(256);
  private kinds = new Uint8Array(256);
  private flavours = new Uint8Array(256);
  private rows = new Uint32Array(256);
  private correlations = new Uint32Array(256);
  private merged = new Uint32Array(256);
  private busy = new Float32Array(256);
  private bases = new Float32Array(256);
  private labelIndex = new Uint32Array(256);
  private readonly labels: string[] = [];
  /** Full names, with the index of their label. */
  private readonly names = new Map<string, number>();
  private hasBases = false;
  private hasSpans = false;
  /** The last one of each lane that is shorter than a cell, and where that is. */
  private readonly cells = new Map<number, { cell: number; at: number; covered: number; longest: number }>();

  /** `resolution` (ns): what is shorter and starts in the same cell becomes one. */
  constructor(track: number, resolution: number) {
    this.track = track;
    this.resolution = resolution;
  }

  add(drawn: Drawn): void {
    const at = this.count++;
    if (at === this.starts.length) this.grow();
    this.starts[at] = drawn.start;
    this.ends[at] = drawn.end;
    this.lanes[at] = Math.min(drawn.lane, 65_535);
    this.spans[at] = drawn.span ?? 1;
    this.kinds[at] = drawn.kind;
    this.flavours[at] = drawn.flavour ?? 0;
    this.rows[at] = drawn.row ?? 0;
    this.correlations[at] = drawn.correlation ?? 0;
    this.merged[at] = drawn.merged ?? 1;
    this.busy[at] = drawn.busy ?? 1;
    this.bases[at] = drawn.base ?? 0;
    this.labelIndex[at] = this.indexOf(drawn);
    if (drawn.base !== undefined) this.hasBases = true;
    if ((drawn.span ?? 1) > 1) this.hasSpans = true;
  }

  /** Adds an event of a lane, in order of start. */
  merge(drawn: Drawn): void {
    const length = drawn.end - drawn.start;
    const cell = Math.floor(drawn.start / this.resolution);
    const before = this.cells.get(drawn.lane);
    if (!(length < this.resolution)) {
      this.cells.delete(drawn.lane);
      this.add(drawn);
    } else if (before?.cell === cell) {
      const { at } = before;
      this.ends[at] = Math.max(this.ends[at]!, drawn.end);
      this.merged[at]!++;
      before.covered += length;
      const whole = this.ends[at]! - this.starts[at]!;
      this.busy[at] = whole > 0 ? Math.min(1, before.covered / whole) : 1;
      if (length <= before.longest) return;
      before.longest = length;
      this.labelIndex[at] = this.indexOf(drawn);
      this.flavours[at] = drawn.flavour ?? 0;
    } else {
      this.cells.set(drawn.lane, { cell, at: this.count, covered: length, longest: length });
      this.add(drawn);
    }
  }

  finish(): TrackWindow {
    const { count } = this;
    return {
      track: this.track,
      count,
      starts: this.starts.slice(0, count),
      durations: this.ends.subarray(0, count).map((end, i) => end - this.starts[i]!),
      lanes: this.lanes.slice(0, count),
      kinds: this.kinds.slice(0, count),
      flavours: this.flavours.slice(0, count),
      rows: this.rows.slice(0, count),
      correlations: this.correlations.slice(0, count),
      merged: this.merged.slice(0, count),
      busy: this.busy.slice(0, count),
      labelIndex: this.labelIndex.slice(0, count),
      labels: this.labels,
      fullNames: [...this.names.keys()],
      ...(this.hasBases ? { bases: this.bases.slice(0, count) } : {}),
      ...(this.hasSpans ? { spans: this.spans.slice(0, count) } : {}),
    };
  }

  private indexOf({ label, fullName = label }: Drawn): number {
    let index = this.names.get(fullName);
    if (index === undefined) {
      index = this.labels.push(label) - 1;
      this.names.set(fullName, index);
    }
    return index;
  }

  private grow(): void {
    const grown = <T extends Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array>(
      values: T,
      made: T,
    ): T => {
      made.set(values);
      return made;
    };
    const size = 2 * this.starts.length;
    this.starts = grown(this.starts, new Float64Array(size));
    this.ends = grown(this.ends, new Float64Array(size));
    this.lanes = grown(this.lanes, new Uint16Array(size));
    this.spans = grown(this.spans, new Uint8Array(size));
    this.kinds = grown(this.kinds, new Uint8Array(size));
    this.flavours = grown(this.flavours, new Uint8Array(size));
    this.rows = grown(this.rows, new Uint32Array(size));
    this.correlations = grown(this.correlations, new Uint32Array(size));
    this.merged = grown(this.merged, new Uint32Array(size));
    this.busy = grown(this.busy, new Float32Array(size));
    this.bases = grown(this.bases, new Float32Array(size));
    this.labelIndex = grown(this.labelIndex, new Uint32Array(size));
  }
}
