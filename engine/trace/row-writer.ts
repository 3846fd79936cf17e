/** The rows of a recording: events of each kind as its description stores them, and all that is recorded beside events. */
import type Database from 'better-sqlite3';
import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import type { RecordingTables } from '../model/event-kinds/kind.ts';
import type { Failure, MemoryEvent, StreamEvent, TraceEvent } from '../model/events.ts';
import {
  contextIdOf,
  globalId,
  memoryKinds,
  memoryOperations,
  nullStreamId,
  pid,
  streamFlags,
} from '../model/nsight-codes.ts';
import { ProfileWriter } from './profile-writer.ts';
import { RecordedNames } from './recorded-names.ts';
import type { RecordingFacts } from './recording-facts.ts';
import { EventTable, Table } from './tables.ts';

type Add = (event: TraceEvent) => void;

export class RowWriter {
  sinceFlush = 0;
  /** Events so far. */
  added = 0;
  private readonly db: Database.Database;
  private readonly facts: RecordingFacts;
  private readonly names: RecordedNames;
  private readonly tables = new Map<string, Table | EventTable>();
  /** Writers by type of event; some events are of several kinds. */
  private readonly writers = new Map<TraceEvent['type'], Add[]>();
  private readonly failures: Table;

  constructor(db: Database.Database, facts: RecordingFacts) {
    this.db = db;
    this.facts = facts;
    const strings = this.table('StringIds', ['id', 'value']);
    this.names = new RecordedNames(
      strings,
      this.table('ThreadNames', ['nameId', 'priority', 'globalTid']),
      facts.program,
    );
    const ofFailure = ['correlationId', 'kernel', 'nameId', 'error', 'errorName', 'message', 'remedy', 'file', 'line'];
    this.failures = this.table('SIMSIGHT_FAILURES', ofFailure, strings);
    const recording = this.recordingTables();
    for (const kind of eventKinds) {
      for (const { type, open } of kindOf[kind].stores) this.write(type as TraceEvent['type'], open(recording) as Add);
    }
    this.writeTheRest();
  }

  /** Notices to give at the end of the recording. */
  get notices(): string[] {
    return this.names.notices;
  }

  flush(): void {
    for (const table of this.tables.values()) table.flush();
    this.sinceFlush = 0;
  }

  add(event: TraceEvent): void {
    this.sinceFlush++;
    this.added++;
    for (const write of this.writers.get(event.type)!) write(event);
  }

  private write<T extends TraceEvent['type']>(type: T, add: (event: Extract<TraceEvent, { type: T }>) => void): void {
    const others = this.writers.get(type);
    if (others) others.push(add as Add);
    else this.writers.set(type, [add as Add]);
  }

  private table(name: string, columns: readonly string[], refersTo: Table | null = null): Table {
    const known = this.tables.get(name) ?? new Table(this.db, name, columns, refersTo);
    this.tables.set(name, known);
    return known as Table;
  }

  private recordingTables(): RecordingTables {
    const { names, facts } = this;
    return {
      table: (name, columns) => this.table(name, columns),
      events: (name, columns) => {
        const known = this.tables.get(name) ?? new EventTable(this.db, name, columns);
        this.tables.set(name, known);
        return known as EventTable;
      },
      string: (text) => names.string(text),
      thread: (threadId) => names.thread(threadId),
      kernelNames: (mangled) => facts.names.get(mangled) ?? { demangled: mangled, short: mangled },
      limits: (device) => {
        const { limits, core } = facts.others?.[device - 1] ?? facts.gpu;
        return { threads: limits.threadsPerSm * core.smCount, sharedBytesPerBlock: limits.sharedBytesPerBlock };
      },
      failed: (work, failure, row) => this.addFailure(work, failure, row),
    };
  }

  /** Writes what no row of the timeline shows by itself. */
  private writeTheRest(): void {
    const { facts, names } = this;
    this.write('failure', (event) => this.addFailure(event, event.failure, null));
    const { schedulers } = facts.gpu.throughput;
    const profiles = new ProfileWriter(this.db, (name, columns) => this.table(name, columns), names, schedulers);
    this.write('profile', (event) => {
      profiles.add(event);
      this.sinceFlush += event.profile.instructions.length;
    });
    this.write('stream', this.streams());
    this.write('memory', this.memory());
    this.write('thread-name', ({ threadId, name }) => names.nameThread(threadId, name));
    const dependencies = this.table('SIMSIGHT_STREAM_DEPENDENCIES', ['correlationId', 'waitsFor']);
    this.write('dependency', ({ correlationId, waitsFor }) => dependencies.add(correlationId, waitsFor));
    this.write('notice', ({ text }) => this.notices.push(text));
    const console = this.table('SIMSIGHT_CONSOLE', ['time', 'stream', 'text']);
    this.write('console', ({ time, stream, text }) => console.add(time, stream === 'stdout' ? 1 : 2, text));
  }

  /** `row`: of the kernel, where it was on the GPU. */
  private addFailure(
    { correlationId, kernel }: { correlationId: number; kernel: string | null },
    { error, errorName, message, remedy, place }: Failure,
    row: number | null,
  ): void {
    const name = kernel === null ? null : (this.facts.names.get(kernel)?.demangled ?? kernel);
    this.failures.add(
      ...[correlationId, row, name === null ? null : this.names.string(name)],
      ...[error, errorName, message, remedy, place?.file ?? null, place?.line ?? null],
    );
  }

  private streams(): (event: StreamEvent) => void {
    const streams = this.table('TARGET_INFO_CUDA_STREAM', [
      ...['streamId', 'hwId', 'vmId', 'processId', 'contextId', 'priority', 'flag'],
    ]);
    return ({ streamId, deviceId, priority, nonBlocking }) => {
      const created = nonBlocking ? streamFlags.nonBlocking : streamFlags.default;
      const flag = streamId === nullStreamId ? streamFlags.null : created;
      // nsys keeps priorities as unsigned numbers: -5 is 4294967291.
      streams.add(streamId, 0, 1, pid, contextIdOf(deviceId), priority >>> 0, flag);
    };
  }

  private memory(): (event: MemoryEvent) => void {
    const memory = this.table('CUDA_GPU_MEMORY_USAGE_EVENTS', [
      ...['start', 'globalPid', 'deviceId', 'contextId', 'address', 'bytes', 'memKind', 'memoryOperationType'],
      'correlationId',
    ]);
    return ({ time, deviceId, address, bytes, kind, operation, correlationId }) => {
      memory.add(
        ...[time, globalId(), deviceId, contextIdOf(deviceId), address, bytes],
        ...[memoryKinds[kind], memoryOperations[operation], correlationId],
      );
    };
  }
}
