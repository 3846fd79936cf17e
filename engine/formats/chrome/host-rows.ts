import { nvtxTypes } from '../../model/nsight-codes.ts';
import { mostDomains, type Category } from './categories.ts';
import { field, type EventView } from './event-view.ts';
import { isText } from './fields.ts';
import { RangePairs, Unpaired, type OpenRange } from './range-pairs.ts';
import type { Rows } from './rows.ts';
import type { ChromeThread } from './threads.ts';

/** Shapes of rows that a thread remembers. */
const mostShapes = 2 ** 16;
const tooManyOpen = 'ranges beyond a million that are open at once';

interface AsyncRange extends OpenRange {
  thread: ChromeThread;
}

/** Rows of what threads did: calls of the CUDA API, ranges, marks. */
export class HostRows {
  private readonly rows: Rows;
  private readonly event: EventView;
  private readonly pairs = new RangePairs<OpenRange>();
  private readonly asyncPairs = new RangePairs<AsyncRange>();
  /** Open async ranges by category and id. */
  private readonly async = new Map<string, Unpaired<AsyncRange>>();

  constructor(rows: Rows) {
    this.rows = rows;
    this.event = rows.event;
  }

  /** Begins without an end, and ends without a begin. */
  get alone(): { begins: number; ends: number } {
    const [ranges, async] = [this.pairs.alone, this.asyncPairs.alone];
    return { begins: ranges.begins + async.begins, ends: ranges.ends + async.ends };
  }

  call(eventClass: number): void {
    const { event, rows } = this;
    const { clock, correlations, tables } = rows;
    const thread = rows.thread();
    const name = rows.name(field.name);
    const result = event.count(field.result);
    // Below those of ranges.
    const key = result === 0 ? -2 * name - eventClass : 0;
    let shape = thread.shapes.get(key);
    if (shape === undefined || key === 0) {
      shape = tables.RUNTIME.shape([eventClass, thread.globalTid, name, result]);
      if (thread.shapes.size === mostShapes) thread.shapes.clear();
      thread.shapes.set(key, shape);
    }
    thread.hasRows = true;
    thread.process.calls++;
    const correlation = correlations.id();
    const row = tables.RUNTIME.add(clock.start, clock.start + clock.length, correlation, shape);
    if (correlation === null) correlations.lone('RUNTIME', row, thread);
  }

  /** A range that is one event. */
  complete({ kind, domain }: Category): void {
    const { rows } = this;
    const { start, length } = rows.clock;
    const thread = rows.thread(kind === 'gpu range');
    if (kind === 'host range' || kind === 'function') thread.process.hostRows++;
    const type = this.ownType();
    const isMark = type === nvtxTypes.mark;
    this.range(
      thread,
      type ?? nvtxTypes['push-pop'],
      rows.name(field.name),
      type === undefined ? domain : rows.categories.domainOf(this.event.text(field.domain)),
      start,
      isMark ? null : start + length,
    );
  }

  /** Our own exports say what kind of range it was, in which domain. */
  private ownType(): number | undefined {
    if (this.event.fields.kinds[field.style] !== isText) return undefined;
    return nvtxStyles[this.event.text(field.style)];
  }

  /** An event without length. */
  mark({ kind, domain }: Category): void {
    const { rows } = this;
    const thread = rows.thread(kind === 'gpu range');
    this.range(thread, nvtxTypes.mark, rows.name(field.name), domain, rows.clock.start, null);
  }

  begin({ kind, domain }: Category): void {
    const { rows } = this;
    const { clock } = rows;
    const thread = rows.thread(kind === 'gpu range');
    const range = { name: rows.name(field.name), domain, start: clock.start };
    if (!this.pairs.begin(thread.unpaired, range)) return rows.skip(tooManyOpen);
    clock.span(clock.start, clock.start);
  }

  end({ kind }: Category): void {
    const { start } = this.rows.clock;
    const thread = this.rows.thread(kind === 'gpu range');
    const range = this.pairs.end(thread.unpaired, start);
    if (range) this.ended(thread, range, start, nvtxTypes['push-pop']);
  }

  beginAsync({ name: category, domain }: Category): void {
    const { rows } = this;
    const { clock } = rows;
    // Such ranges overlap with those of their thread: they have a row of their own.
    const process = rows.threads.process(this.event.id(field.pid));
    const thread = rows.threads.thread(process, `async ${category}`);
    const range = { name: rows.name(field.name), domain, start: clock.start, thread };
    if (!this.asyncPairs.begin(this.asyncOf(this.asyncKey()), range)) return rows.skip(tooManyOpen);
    clock.span(clock.start, clock.start);
  }

  endAsync(): void {
    const { start } = this.rows.clock;
    const key = this.asyncKey();
    const unpaired = this.asyncOf(key);
    // Ids may be used in several processes at once, and one range may end in another process than it began in.
    const process = this.rows.threads.process(this.event.id(field.pid));
    const range = this.asyncPairs.end(unpaired, start, ({ thread }) => thread.process === process);
    if (range) this.ended(range.thread, range, start, nvtxTypes['start-end']);
    if (unpaired.begins.length === 0 && unpaired.ends.length === 0) this.async.delete(key);
  }

  private asyncOf(key: string): Unpaired<AsyncRange> {
    let unpaired = this.async.get(key);
    if (!unpaired) this.async.set(key, (unpaired = new Unpaired()));
    return unpaired;
  }

  private asyncKey(): string {
    const { event } = this;
    const id = event.text(event.has(field.id) ? field.id : field.id2);
    const isLocal = !event.has(field.id) && id.includes('"local"');
    return `${event.text(field.cat)}\0${id}\0${isLocal ? event.text(field.pid) : ''}`;
  }

  /** When all events are there: ranges that were never ended last as long as the recording. */
  finish(): void {
    const { clock, threads } = this.rows;
    const { last } = clock;
    for (const thread of threads.threads()) {
      this.pairs.finish(thread.unpaired, last, (range, end) => this.close(thread, range, end, nvtxTypes['push-pop']));
    }
    for (const unpaired of this.async.values()) {
      this.asyncPairs.finish(unpaired, last, (range, end) =>
        this.close(range.thread, range, end, nvtxTypes['start-end']),
      );
    }
  }

  /** Notes the end of a range of the program; ranges that are only closed because the recording ends say nothing of when it did. */
  private ended(thread: ChromeThread, range: OpenRange, end: number, type: number): void {
    this.rows.clock.program.add(range.start, end);
    this.close(thread, range, end, type);
  }

  private close(thread: ChromeThread, { name, domain, start }: OpenRange, end: number, type: number): void {
    this.rows.clock.span(start, end);
    this.range(thread, type, name, domain, start, end);
  }

  private range(
    thread: ChromeThread,
    type: number,
    name: number,
    domain: number,
    start: number,
    end: number | null,
  ): void {
    const { NVTX } = this.rows.tables;
    const key = (name * mostDomains + domain) * 4 + (type & 3);
    let shape = thread.shapes.get(key);
    if (shape === undefined) {
      shape = NVTX.shape([type, thread.globalTid, name, null, domain || null]);
      if (thread.shapes.size === mostShapes) thread.shapes.clear();
      thread.shapes.set(key, shape);
    }
    thread.hasRows = true;
    thread.process.ranges++;
    NVTX.add(start, end, null, shape);
  }
}

const nvtxStyles: Readonly<Record<string, number>> = {
  PushPop: nvtxTypes['push-pop'],
  StartEnd: nvtxTypes['start-end'],
  Mark: nvtxTypes.mark,
};
