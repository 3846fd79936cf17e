/**
 * Reads Chrome's JSON trace event format piece by piece, as fast as its bytes come, whatever they are.
 *
 *   const reader = new TraceEventReader({ event: (fields) => …, value: (key, json) => … });
 *   for (const piece of pieces) reader.read(piece);
 *   const { malformed, isCut } = reader.finish();
 *
 * The file is `{"traceEvents": […], …}` in any order of keys, or the bare list, whose end may be missing. `JSON.parse` cannot take it:
 * strings end at 512 MB, times in nanoseconds do not fit a double, and one unescaped quote would cost all of it. So bytes are looked
 * at where they lie, one event at a time, and fields are where their text starts and ends. An event that is no JSON is counted,
 * and reading goes on at the next one. NaN, Infinity, control characters within strings and stray commas are let pass.
 */
import { absent, eventTable, isText, type EventFields } from './fields.ts';
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  incomplete,
  isSpace,
  openBrace,
  openBracket,
  quote,
  wrong,
} from './json-bytes.ts';
import { ObjectScanner } from './object-scanner.ts';
import { Skipper } from './skipper.ts';

export interface TraceEventSink {
  event(fields: EventFields): void;
  /** The text of a value beside the events, of those in `wantedValues`. */
  value(key: string, json: string): void;
}

/** Values beside the events that say something about the recording. */
export const wantedValues: ReadonlySet<string> = new Set([
  ...['schemaVersion', 'deviceProperties', 'distributedInfo', 'baseTimeNanoseconds', 'traceName', 'displayTimeUnit'],
  ...['otherData', 'metadata', 'viztracer_metadata', 'cupti_version', 'cuda_runtime_version', 'cuda_driver_version'],
]);

export interface ReadingResult {
  form: 'object' | 'list';
  hasEvents: boolean;
  /** Events that are no JSON, or none that could be one; and where the first of them starts (bytes). */
  malformed: number;
  firstMalformed: number;
  /** True if the file ends within an event or a value. */
  isCut: boolean;
  /** The end of the file (bytes). */
  end: number;
}

/** Error of a file that cannot be read as a whole. */
export class NotATrace extends Error {
  /** Offset in bytes. */
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** An event with more text than this is left out: nothing is kept of what it would say. */
const longestEvent = 16 * 2 ** 20;
const longestValue = 2 ** 20;

type State = 'start' | 'keys' | 'value' | 'skip' | 'events' | 'lost event' | 'lost value' | 'end';

export class TraceEventReader {
  private readonly sink: TraceEventSink;
  private readonly scanner: ObjectScanner;
  /** The unread part of the file, with room for two zeros behind it, which are nowhere allowed between tokens. */
  private bytes: Buffer;
  private pos = 0;
  private end = 0;
  /** The place of `bytes[0]` in the file. */
  private offset = 0;
  /** So many bytes before it is worth another try. */
  private wanted = 1;
  private isLast = false;
  private state: State = 'start';
  private key = '';
  private readonly skipper = new Skipper();
  private readonly result: ReadingResult = {
    ...{ form: 'object', hasEvents: false, malformed: 0, firstMalformed: 0, isCut: false, end: 0 },
  };

  constructor(sink: TraceEventSink) {
    this.sink = sink;
    this.bytes = Buffer.alloc(2 ** 21);
    this.scanner = new ObjectScanner(this.bytes);
  }

  /** Throws {@link NotATrace}. */
  read(piece: Uint8Array): void {
    this.append(piece);
    if (this.end - this.pos >= this.wanted) this.run();
  }

  /** Throws {@link NotATrace}. */
  finish(): ReadingResult {
    this.isLast = true;
    this.run();
    const { result, state } = this;
    result.end = this.offset + this.end;
    if (state === 'start') throw new NotATrace('it is empty', 0);
    // A list need not be closed.
    const isOpen = state === 'events' || state === 'lost event';
    result.isCut ||= state !== 'end' && !(isOpen && result.form === 'list');
    return result;
  }

  private append(piece: Uint8Array): void {
    const left = this.end - this.pos;
    if (this.pos > 0 && (left === 0 || this.end + piece.length + 2 > this.bytes.length)) {
      this.bytes.copy(this.bytes, 0, this.pos, this.end);
      this.offset += this.pos;
      this.pos = 0;
      this.end = left;
    }
    if (this.end + piece.length + 2 > this.bytes.length) {
      const grown = Buffer.alloc(2 * (this.end + piece.length + 2));
      this.bytes.copy(grown, 0, 0, this.end);
      this.bytes = this.scanner.fields.bytes = grown;
    }
    this.bytes.set(piece, this.end);
    this.scanner.end = this.end += piece.length;
    this.bytes[this.end] = this.bytes[this.end + 1] = 0;
  }

  /** Reads as far as the bytes go. */
  private run(): void {
    this.wanted = 1;
    for (;;) {
      const before = this.pos;
      const { state } = this;
      if (this.step()) continue;
      // Nothing more can be said without more bytes.
      if (this.isLast) return;
      if (this.pos === before && this.state === state) this.wanted = Math.min(2 * (this.end - before), longestEvent);
      return;
    }
  }

  /** One thing: whether there is more to do. */
  private step(): boolean {
    switch (this.state) {
      case 'start':
        return this.readStart();
      case 'keys':
        return this.readKey();
      case 'value':
        return this.readValue();
      case 'skip':
        return this.skipValue();
      case 'events':
        return this.readEvents();
      case 'lost event':
        return this.findEvent();
      case 'lost value':
        return this.findEvents();
      case 'end':
        this.pos = this.end;
        return false;
    }
  }

  private readStart(): boolean {
    const { bytes } = this;
    if (this.end < 3 && !this.isLast) return false;
    if (this.offset === 0 && this.pos === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      this.pos = 3;
    const at = (this.pos = this.skipSpace(this.pos));
    if (at === this.end) return false;
    if (bytes[at] === openBrace) this.state = 'keys';
    else if (bytes[at] === openBracket) {
      this.state = 'events';
      this.result.form = 'list';
      this.result.hasEvents = true;
    } else throw new NotATrace('it does not start with { or [', this.offset + at);
    this.pos = at + 1;
    return true;
  }

  /** Between the values of the outermost object. */
  private readKey(): boolean {
    const { bytes } = this;
    let p = this.pos;
    while (isSpace(bytes[p]!) || bytes[p] === comma) p++;
    this.pos = p;
    if (p >= this.end) return false;
    if (bytes[p] === closeBrace) {
      this.state = 'end';
      return true;
    }
    const first = p + 1;
    const last = bytes[p] === quote ? this.scanner.string(first) : wrong;
    if (last === incomplete) return this.isTooLong() ? this.loseValue(this.end) : false;
    if (last === wrong) return this.loseValue(p);
    p = this.skipSpace(last + 1);
    if (p >= this.end) return this.isTooLong() ? this.loseValue(p) : false;
    if (bytes[p] !== colon) return this.loseValue(p);
    this.key = bytes.toString('latin1', first, Math.min(last, first + 64));
    this.pos = p + 1;
    this.state = 'value';
    return true;
  }

  private readValue(): boolean {
    const { bytes } = this;
    const p = (this.pos = this.skipSpace(this.pos));
    if (p >= this.end) return false;
    if (this.key === 'traceEvents' && bytes[p] === openBracket) {
      this.pos = p + 1;
      this.state = 'events';
      this.result.hasEvents = true;
      return true;
    }
    if (wantedValues.has(this.key)) {
      this.skipper.start();
      const after = this.skipper.run(bytes, p, this.end, this.isLast);
      if (after === wrong) return this.loseValue(this.skipper.wrongAt);
      if (after === incomplete && this.end - p < longestValue) return false;
      if (after !== incomplete && after - p <= longestValue) {
        this.sink.value(this.key, bytes.toString('utf8', p, after));
        this.pos = after;
        this.state = 'keys';
        return true;
      }
    }
    this.skipper.start();
    this.state = 'skip';
    return true;
  }

  /** A value of any length that nobody wants. */
  private skipValue(): boolean {
    const after = this.skipper.run(this.bytes, this.pos, this.end, this.isLast);
    if (after === wrong) return this.loseValue(this.skipper.wrongAt);
    this.pos = after === incomplete ? this.end : after;
    if (after === incomplete) return false;
    this.state = 'keys';
    return true;
  }

  private loseValue(at: number): boolean {
    this.pos = at;
    this.state = 'lost value';
    this.countMalformed(at);
    return true;
  }

  /** After a value that is no JSON: the events, if they are still to come. */
  private findEvents(): boolean {
    // Its first quote may have been taken for the end of something broken.
    const name = 'traceEvents"';
    const found = this.bytes.subarray(0, this.end).indexOf(name, this.pos, 'latin1');
    if (found < 0) {
      this.pos = Math.max(this.pos, this.end - name.length);
      if (this.isLast) this.pos = this.end;
      return false;
    }
    this.pos = found;
    let p = this.skipSpace(found + name.length);
    if (this.bytes[p] === colon) p = this.skipSpace(p + 1);
    if (p >= this.end) return false;
    if (this.bytes[p] === openBracket) {
      this.state = 'events';
      this.result.hasEvents = true;
    }
    this.pos = p + 1;
    return true;
  }

  private readEvents(): boolean {
    const { bytes, scanner, sink } = this;
    const { fields } = scanner;
    let p = this.pos;
    for (;;) {
      let c = bytes[p]!;
      while (c === 32 || c === 10 || c === comma || c === 13 || c === 9) c = bytes[++p]!;
      this.pos = p;
      if (p >= this.end) return false;
      if (c === closeBracket) {
        this.pos = p + 1;
        this.state = this.result.form === 'list' ? 'end' : 'keys';
        return true;
      }
      if (c !== openBrace) {
        // Not an event, whatever it is.
        this.countMalformed(p);
        this.goOnFrom(p);
        return true;
      }
      fields.kinds.fill(absent);
      const after = scanner.object(p, eventTable);
      if (after < 0) return this.loseEvent(after, p);
      sink.event(fields);
      p = after;
    }
  }

  /** An event that is not all there yet, or none. */
  private loseEvent(after: number, start: number): boolean {
    if (after === incomplete && !this.isLast && !this.isTooLong()) return false;
    if (after === incomplete && this.isLast) {
      this.result.isCut = true;
      this.pos = this.end;
      return false;
    }
    this.countMalformed(start);
    this.goOnFrom(after === incomplete ? this.end : Math.max(this.scanner.wrongAt, start + 1));
    return true;
  }

  private goOnFrom(at: number): void {
    let p = at - 1;
    while (p > 0 && isSpace(this.bytes[p]!)) p--;
    this.before = this.bytes[p] ?? 0;
    this.pos = at;
    this.state = 'lost event';
  }
  /** The last byte before `pos` that is no space, while an event is looked for. */
  private before = 0;

  /**
   * After something that is no event: the next `{` behind a comma or another event that starts one with a phase, or the end of the
   * list. What is passed over is never looked at again, so this takes no longer than reading it.
   */
  private findEvent(): boolean {
    const { bytes, scanner } = this;
    const { fields } = scanner;
    let p = this.pos;
    let { before } = this;
    for (; p < this.end; p++) {
      const c = bytes[p]!;
      if (isSpace(c)) continue;
      if (c === openBrace && (before === comma || before === closeBrace)) {
        fields.kinds.fill(absent);
        const after = this.scanner.object(p, eventTable);
        if (after === incomplete && !this.isLast && this.end - p < longestEvent) {
          this.pos = p;
          this.before = before;
          return false;
        }
        if (after >= 0 && fields.kinds[0] === isText) {
          this.pos = p;
          this.state = 'events';
          return true;
        }
        if (after === incomplete) {
          this.result.isCut ||= this.isLast;
          this.pos = this.end;
          return false;
        }
        // Beyond it, or where it turned out to be none.
        p = after >= 0 ? after - 1 : Math.max(this.scanner.wrongAt - 1, p);
        before = after >= 0 ? closeBrace : bytes[p]!;
        if (isSpace(before)) before = 0;
        continue;
      }
      if (c === closeBracket) {
        const after = this.keyAfter(p + 1);
        if (after === incomplete && !this.isLast) {
          this.pos = p;
          this.before = before;
          return false;
        }
        if (after >= 0) {
          this.pos = after;
          this.state = 'keys';
          return true;
        }
      }
      before = c;
    }
    this.pos = this.end;
    this.before = before;
    return false;
  }

  /** The place of the key where a comma and one of the keys beside the events follow: their list ends here. */
  private keyAfter(at: number): number {
    if (this.result.form === 'list') return wrong;
    let p = this.skipSpace(at);
    if (p >= this.end) return incomplete;
    if (this.bytes[p] === closeBrace && this.isLast && this.skipSpace(p + 1) === this.end) return p;
    if (this.bytes[p] !== comma) return wrong;
    p = this.skipSpace(p + 1);
    if (p >= this.end) return incomplete;
    if (this.bytes[p] !== quote) return wrong;
    const last = this.scanner.string(p + 1);
    if (last < 0) return this.end - p > 64 ? wrong : incomplete;
    return wantedValues.has(this.bytes.toString('latin1', p + 1, last)) ? p : wrong;
  }

  private isTooLong(): boolean {
    return this.end - this.pos >= longestEvent;
  }

  private countMalformed(at: number): void {
    if (this.result.malformed++ === 0) this.result.firstMalformed = this.offset + at;
  }

  private skipSpace(p: number): number {
    while (isSpace(this.bytes[p]!)) p++;
    return Math.min(p, this.end);
  }
}
