/** Puts together what is to be drawn of a row that is no packed track. */
import type { TrackWindow } from '../api/types.ts';

export interface Drawn {
  start: number;
  end: number;
  lane: number;
  /** Lanes that it takes. */
  span?: number;
  kind: number;
  flavour?: number;
  label: string;
  /** Of the kernel that it belongs to. */
  row?: number;
  correlation?: number;
  merged?: number;
  busy?: number;
  base?: number;
}

export class WindowBuilder {
  private readonly track: number;
  private readonly resolution: number;
  private readonly all: Required<Drawn>[] = [];
  /** The last one of each lane that is shorter than a cell, and where that is. */
  private readonly cells = new Map<number, { cell: number; last: Required<Drawn>; covered: number; longest: number }>();

  /** `resolution` (ns): what is shorter and starts in the same cell becomes one. */
  constructor(track: number, resolution: number) {
    this.track = track;
    this.resolution = resolution;
  }

  add(drawn: Drawn): void {
    this.all.push({ ...defaults, ...drawn });
  }

  /** In a lane, in order of start. */
  merge(drawn: Drawn): void {
    const length = drawn.end - drawn.start;
    const cell = Math.floor(drawn.start / this.resolution);
    const before = this.cells.get(drawn.lane);
    if (!(length < this.resolution)) {
      this.cells.delete(drawn.lane);
      this.add(drawn);
    } else if (before?.cell === cell) {
      const { last } = before;
      last.end = Math.max(last.end, drawn.end);
      last.merged++;
      before.covered += length;
      last.busy = last.end > last.start ? Math.min(1, before.covered / (last.end - last.start)) : 1;
      if (length > before.longest) {
        before.longest = length;
        last.label = drawn.label;
        last.flavour = drawn.flavour ?? 0;
      }
    } else {
      this.add(drawn);
      this.cells.set(drawn.lane, { cell, last: this.all.at(-1)!, covered: length, longest: length });
    }
  }

  finish(): TrackWindow {
    const { all, track } = this;
    const labels = new Map<string, number>();
    const indexOf = (label: string): number => {
      let index = labels.get(label);
      if (index === undefined) labels.set(label, (index = labels.size));
      return index;
    };
    const labelIndex = Uint32Array.from(all, ({ label }) => indexOf(label));
    return {
      track,
      count: all.length,
      starts: Float64Array.from(all, ({ start }) => start),
      durations: Float64Array.from(all, ({ start, end }) => end - start),
      lanes: Uint8Array.from(all, ({ lane }) => Math.min(lane, 255)),
      kinds: Uint8Array.from(all, ({ kind }) => kind),
      flavours: Uint8Array.from(all, ({ flavour }) => flavour),
      rows: Uint32Array.from(all, ({ row }) => row),
      correlations: Uint32Array.from(all, ({ correlation }) => correlation),
      merged: Uint32Array.from(all, ({ merged }) => merged),
      busy: Float32Array.from(all, ({ busy }) => busy),
      labelIndex,
      labels: [...labels.keys()],
      ...(all.some(({ base }) => base >= 0) ? { bases: Float32Array.from(all, ({ base }) => base) } : {}),
      ...(all.some(({ span }) => span > 1) ? { spans: Uint8Array.from(all, ({ span }) => span) } : {}),
    };
  }
}

const defaults = { span: 1, flavour: 0, row: 0, correlation: 0, merged: 1, busy: 1, base: -1 };
