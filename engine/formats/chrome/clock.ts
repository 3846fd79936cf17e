import { field, type EventView } from './event-view.ts';
import { ExactTime } from './exact-time.ts';
import { absent, isNumber, isText } from './fields.ts';

/** Times that can be drawn, from the first one on: 2^52 ns are 52 days. */
const latest = 2 ** 52;

/** From the start of the first of some events to the end of the last. */
export class Extent {
  first = Infinity;
  last = -Infinity;

  add(start: number, end: number): void {
    if (start < this.first) this.first = start;
    if (end > this.last) this.last = end;
  }
}

/** Times of events, in nanoseconds from the first one in the file, and how far they reach. */
export class Clock {
  /** The start of the event that was read last. */
  start = 0;
  length = 0;
  /** From the first event to the end of the last one. */
  first = Infinity;
  last = -Infinity;
  /** The same of what the program did and took time: neither marks nor what the recorder says of itself, nor functions of interpreters. */
  readonly program = new Extent();
  /** Microseconds of the first time in the file: all others count from it until the smallest is known. */
  base: number | null;
  /** Events whose times cannot be read or kept, and events that end before they start. */
  unreadable = 0;
  negative = 0;
  /** Times that can be kept, and the first one (µs) that is too far from the base to be. */
  private near = 0;
  private far: number | null = null;
  private readonly time = new ExactTime();

  constructor(base: number | null) {
    this.base = base;
  }

  /** The time to count from instead (µs), where the first time in the file stands alone. */
  get betterBase(): number | null {
    return this.unreadable > this.near ? this.far : null;
  }

  /** Reads `ts` into `start`; false, and counted, where it is none. */
  readStart({ fields: { bytes, kinds, starts, ends } }: EventView): boolean {
    const { time } = this;
    const kind = kinds[field.ts]!;
    if ((kind === isNumber || kind === isText) && time.read(bytes, starts[field.ts]!, ends[field.ts]!)) {
      this.base ??= time.microseconds;
      this.start = (time.microseconds - this.base) * 1000 + time.nanoseconds;
      if (Math.abs(this.start) <= latest) {
        this.near++;
        return true;
      }
      this.far ??= time.microseconds;
    }
    this.unreadable++;
    return false;
  }

  /** Reads `dur` into `length`: 0 where there is none, or a negative one. */
  readLength({ fields: { bytes, kinds, starts, ends } }: EventView): boolean {
    const { time } = this;
    const kind = kinds[field.dur]!;
    this.length = 0;
    if (kind === absent) return true;
    if ((kind === isNumber || kind === isText) && time.read(bytes, starts[field.dur]!, ends[field.dur]!)) {
      this.length = time.microseconds * 1000 + time.nanoseconds;
      if (this.length < 0) {
        this.negative++;
        this.length = 0;
      }
      if (this.length <= latest) return true;
    }
    this.unreadable++;
    return false;
  }

  span(start: number, end: number): void {
    if (start < this.first) this.first = start;
    if (end > this.last) this.last = end;
  }

  /** The time that all others count from in the end: the first of them; our own exports count from the start already. */
  zero(isOurs: boolean): number {
    if (isOurs && this.base !== null && this.base <= latest / 1000) return -1000 * this.base;
    return Number.isFinite(this.first) ? this.first : 0;
  }
}
