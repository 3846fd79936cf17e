/** Turns the events of a Chrome trace into rows, as they come; see {@link file://./import.ts}. */
import type Database from 'better-sqlite3';
import { eventClasses, nvtxTypes } from '../../model/nsight-codes.ts';
import type { Category, CategoryKind } from './categories.ts';
import { field } from './event-view.ts';
import { RecordingFacts } from './facts.ts';
import { absent, isText, type EventFields } from './fields.ts';
import { GpuRows } from './gpu-rows.ts';
import { HostRows } from './host-rows.ts';
import { giveToGpus, giveToProcesses, nameThreads } from './owners.ts';
import type { ReadingResult, TraceEventSink } from './reader.ts';
import { Rows } from './rows.ts';
import { tellProgramSpan } from './program-span.ts';
import { counterValues, describeGpus, tellFacts, tellNotices } from './summary.ts';

/** Arrows of these kinds have been seen to go from calls to what they start. */
const callArrows = /^(ac2g|async_cpu_to_gpu)$/;
/** Names of counters that are told. */
const mostCounters = 8;

export class ChromeEvents implements TraceEventSink {
  /** Events of any kind, names and arrows among them. */
  seen = 0;
  private readonly rows: Rows;
  private readonly hosts: HostRows;
  private readonly gpus: GpuRows;
  private readonly values = new Map<string, string>();
  private readonly counters = new Set<string>();

  /** `base`: what {@link betterBase} gave. */
  constructor(db: Database.Database, base: number | null = null) {
    this.rows = new Rows(db, base);
    this.hosts = new HostRows(this.rows);
    this.gpus = new GpuRows(this.rows);
  }

  /** The time to count from instead (µs), where the first one in the file stands alone. */
  get betterBase(): number | null {
    return this.rows.clock.betterBase;
  }

  value(key: string, json: string): void {
    this.values.set(key, json);
  }

  event(fields: EventFields): void {
    const { event } = this.rows;
    event.fields = fields;
    const { kinds, starts, bytes } = fields;
    if (kinds[field.ph] !== isText) {
      // `{}` ends a list that programs close without looking.
      if (kinds.some((kind) => kind !== absent)) this.rows.skip('events without a phase');
      return;
    }
    this.seen++;
    switch (String.fromCharCode(bytes[starts[field.ph]!]!)) {
      case 'X':
        return this.complete();
      case 'B':
        return this.timed((category) => this.hosts.begin(category));
      case 'E':
        return this.timed((category) => this.hosts.end(category));
      case 'b':
      case 'S':
        return this.timed((category) => this.hosts.beginAsync(category));
      case 'e':
      case 'F':
        if (this.rows.clock.readStart(event)) this.hosts.endAsync();
        return;
      case 'i':
      case 'I':
      case 'R':
      case 'n':
      case 'T':
      case 'p':
        return this.timed((category) => this.instant(category));
      case 'M':
        return this.metadata();
      case 's':
        return this.arrow(true);
      case 'f':
        return this.arrow(false);
      case 't':
        return;
      case 'C':
        this.rows.skip(counterValues);
        if (this.counters.size < mostCounters) this.counters.add(event.text(field.name));
        return;
      default: {
        const phase = event.text(field.ph);
        this.rows.skip(phaseNames[phase] ?? `events of phase ${phase}`);
      }
    }
  }

  private timed(add: (category: Category) => void): void {
    const { categories, clock, event } = this.rows;
    if (clock.readStart(event)) add(categories.of(event));
  }

  private complete(): void {
    const { categories, clock, event } = this.rows;
    const category = categories.of(event);
    const kind = this.kindOf(category);
    if (kind === 'nothing') return this.rows.skip(category.name);
    if (!clock.readStart(event) || !clock.readLength(event)) return;
    clock.span(clock.start, clock.start + clock.length);
    if (kind !== 'recorder' && kind !== 'function' && clock.length > 0)
      clock.program.add(clock.start, clock.start + clock.length);
    switch (kind) {
      case 'kernel':
        return this.gpus.kernel();
      case 'memcpy':
        return this.gpus.memcpy();
      case 'memset':
        return this.gpus.memset();
      case 'synchronization':
        return this.gpus.synchronization();
      case 'graph':
        return this.gpus.graph();
      case 'runtime':
      case 'driver':
        return this.hosts.call(eventClasses[kind]);
      default:
        return this.hosts.complete(category);
    }
  }

  /** Others may call something a kernel or a runtime, too. */
  private kindOf({ kind, name }: Category): CategoryKind {
    const { event } = this.rows;
    if (kind === 'kernel' && !(event.has(field.device) || event.has(field.stream) || event.has(field.grid)))
      return 'range';
    if (name === 'Runtime' && !(event.has(field.correlation) || event.has(field.cbid))) return 'range';
    if (kind === 'graph' && !event.has(field.graph)) return 'range';
    return kind;
  }

  private instant(category: Category): void {
    const { clock } = this.rows;
    clock.span(clock.start, clock.start);
    if (category.kind === 'nothing') return this.rows.skip(category.name);
    this.hosts.mark(category);
  }

  private metadata(): void {
    const { event, threads } = this.rows;
    const what = event.text(field.name);
    if (what === 'process_name') {
      threads.process(event.id(field.pid)).name ||= event.text(field.argsName);
    } else if (what === 'thread_name') {
      // Kineto names the streams of GPUs so, too.
      const name = event.text(field.argsName).trim();
      const thread = this.rows.thread();
      if (name !== '') thread.name = name;
    }
  }

  private arrow(isStart: boolean): void {
    const { rows } = this;
    const name = rows.event.text(field.cat);
    if (callArrows.test(name)) rows.correlations.arrow(isStart, () => rows.thread());
    else if (isStart) rows.skip(name === '' ? 'arrows' : `arrows ${name}`);
  }

  /** When all events are there. `damage`: what is wrong with the file beside its JSON. */
  finish(result: ReadingResult, damage: string | null): void {
    const { rows, hosts, gpus, counters } = this;
    const facts = new RecordingFacts(this.values);
    hosts.finish();
    const zero = rows.clock.zero(facts.isOurs);
    this.nameDomains();
    rows.flushEvents();
    rows.correlations.join();
    // Names of calls are looked at.
    rows.flushStrings();
    const unowned = giveToProcesses(rows);
    giveToGpus(rows, gpus);
    nameThreads(rows);
    rows.flushStrings();
    rows.setZero(zero);
    tellProgramSpan(rows, facts, zero);
    describeGpus(rows, gpus, facts);
    tellFacts(rows, facts, zero, damage === null && !result.isCut);
    tellNotices(rows, { facts, result, damage, gpus, hosts, counters, unowned });
  }

  private nameDomains(): void {
    const { categories, clock, tables } = this.rows;
    const { NVTX } = tables;
    const start = Number.isFinite(clock.first) ? clock.first : 0;
    for (const [name, domain] of categories.domains) {
      NVTX.add(start, null, null, NVTX.shape([nvtxTypes['domain-create'], null, null, name, domain]));
    }
  }
}

const phaseNames: Readonly<Record<string, string>> = {
  ...{ P: 'samples', O: 'snapshots of objects', N: 'objects', D: 'objects' },
  ...{ v: 'memory dumps', V: 'memory dumps', c: 'clock synchronizations' },
};
