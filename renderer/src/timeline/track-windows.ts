/**
 * The events on screen and around it. Asks the engine for three window widths at a resolution that is a power of two, so
 * that panning and small zooms need nothing new; keeps the last answers per row, so that something can be drawn while
 * newer data are on their way; asks one thing at a time, so that a fast wheel leaves no queue behind.
 */
import type { TrackWindow } from '../../../engine/model/timeline.ts';
import type { TimeWindow } from './time-window.ts';

export interface WindowRequest {
  tracks: number[];
  fromNs: number;
  toNs: number;
  resolutionNs: number;
}
export interface Need {
  fromNs: number;
  toNs: number;
  resolutionNs: number;
}
interface Kept extends Need {
  window: TrackWindow;
  /** From before a reconnection: good to draw, not to be relied on. */
  stale: boolean;
}

/** A pixel's time rounded up to a power of two; below a nanosecond every event is asked for singly. */
export function resolutionFor(nsPerPixel: number): number {
  return nsPerPixel <= 1 ? 0 : 2 ** Math.ceil(Math.log2(nsPerPixel));
}

export function needFor(window: TimeWindow, width: number, durationNs: number): Need {
  const resolutionNs = resolutionFor(window.span / width);
  return {
    // Beside a longer trace the window may lie wholly behind this one's end.
    fromNs: Math.min(durationNs, Math.max(0, Math.floor(window.start - window.span))),
    toNs: Math.min(durationNs, Math.ceil(window.start + 2 * window.span)),
    resolutionNs,
  };
}

/** True while `kept` still serves: same resolution, and at least a third of a window left on both sides. */
export function serves(kept: Need, window: TimeWindow, width: number, durationNs: number): boolean {
  const room = window.span / 3;
  return (
    kept.resolutionNs === resolutionFor(window.span / width) &&
    kept.fromNs <= Math.max(0, window.start - room) &&
    kept.toNs >= Math.min(durationNs, window.start + window.span + room)
  );
}

/** How well old data stand in for new: what part of the window they cover, then how near their resolution is. */
export function fitness(kept: Need, window: TimeWindow, width: number): number {
  const end = window.start + window.span;
  const covered = Math.max(0, Math.min(kept.toNs, end) - Math.max(kept.fromNs, window.start)) / window.span;
  const distance = Math.abs(Math.log2((kept.resolutionNs || 0.5) / (window.span / width)));
  return covered - Math.min(0.5, distance * 0.02);
}

const keptPerTrack = 6;

export class TrackWindows {
  readonly #fetch: (request: WindowRequest) => Promise<TrackWindow[]>;
  readonly #durationNs: number;
  readonly #onChange: (error: unknown) => void;
  /** The newest first. */
  readonly #kept = new Map<number, Kept[]>();
  #running = false;
  #wanted: { window: TimeWindow; width: number; tracks: number[] } | null = null;
  /** Counts answers, so that drawings can tell whether they are of the newest data. */
  version = 0;

  constructor(
    fetch: (request: WindowRequest) => Promise<TrackWindow[]>,
    durationNs: number,
    onChange: (error: unknown) => void,
  ) {
    this.#fetch = fetch;
    this.#durationNs = durationNs;
    this.#onChange = onChange;
  }

  get loading(): boolean {
    return this.#running;
  }

  /** Says what is on screen. Calls `onChange` when more of it has come. */
  want(window: TimeWindow, width: number, tracks: number[]): void {
    if (width <= 0) return;
    this.#wanted = { window, width, tracks };
    if (!this.#running) void this.#run();
  }

  /** The best data at hand for a track, undefined when there are none yet. */
  best(track: number, window: TimeWindow, width: number): TrackWindow | undefined {
    let best: Kept | undefined;
    let bestFitness = -Infinity;
    for (const kept of this.#kept.get(track) ?? []) {
      const value = fitness(kept, window, width);
      if (value > bestFitness) {
        best = kept;
        bestFitness = value;
      }
    }
    return best?.window;
  }

  /** Takes over another's data to draw until own ones come: after a reconnection. They serve no request. */
  keepShowing(other: TrackWindows): void {
    for (const [track, list] of other.#kept) {
      this.#kept.set(
        track,
        list.map((kept) => ({ ...kept, stale: true })),
      );
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#wanted) {
        const { window, width, tracks } = this.#wanted;
        this.#wanted = null;
        const missing = tracks.filter(
          (track) =>
            !(this.#kept.get(track) ?? []).some((kept) => !kept.stale && serves(kept, window, width, this.#durationNs)),
        );
        if (missing.length === 0) continue;
        const need = needFor(window, width, this.#durationNs);
        const answers = await this.#fetch({ tracks: missing, ...need });
        for (const answer of answers) this.#keep({ ...need, window: answer, stale: false });
        this.version++;
        this.#onChange(null);
      }
    } catch (error) {
      this.#wanted = null;
      this.#onChange(error);
    } finally {
      this.#running = false;
    }
  }

  #keep(entry: Kept): void {
    const list = this.#kept.get(entry.window.track) ?? [];
    list.unshift(entry);
    // The first answer is the overview of the whole trace: it stays, as what can always be drawn.
    if (list.length > keptPerTrack) list.splice(keptPerTrack - 1, 1);
    this.#kept.set(entry.window.track, list);
  }
}
