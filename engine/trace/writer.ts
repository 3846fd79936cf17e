/**
 * Writes a recording into a `.simsight` file while it runs.
 *
 *   const writer = createTraceWriter('out.simsight', facts);
 *   writer.append(events);                       // as often as there are some
 *   writer.finish({ exitCode: 0, notices: [], complete: true });
 *
 * Nothing is lost: the file has its schema and facts before it gets its name, and from then on rows are committed every
 * 32768 or every quarter of a second to the write-ahead log beside it (`out.simsight-wal`). A recording that is
 * killed leaves these two files, which open together and say that they are incomplete; so does one that finds the disk
 * full. The log is merged into the file only at the end, so a reader that copies file and log never sees half a merge. A trace that had
 * the name before is kept beside it until then, however often recordings in its place are killed ({@link keepPrevious}).
 * Whatever else has the name, or one that is needed beside it, is refused before anything is touched (engine/base/targets.ts).
 *
 * Two recordings of one program are equal byte for byte: `finish` copies the database table by table into a new file
 * (`VACUUM INTO`), whose bytes depend on the rows alone and not on when they were committed, adds the index of
 * the timeline's rows there, and
 * puts it in the place of the log-keeping one in a single rename.
 */
import Database from 'better-sqlite3';
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { fileError, SimsightError } from '../base/errors.ts';
import { cutOff } from '../base/harmless.ts';
import type { Limit } from '../base/limits.ts';
import { checkLogs, targetAt, traceTarget, type Found } from '../base/targets.ts';
import { removeAbandoned, unfinishedName } from '../base/unfinished-files.ts';
import { version } from '../base/version.ts';
import { busLocation } from '../gpus/bus.ts';
import type { GpuDescription } from '../gpus/types.ts';
import {
  contextIdOf,
  copyKinds,
  eventClasses,
  faultAccesses,
  globalId,
  memoryKinds,
  memoryOperations,
  migrationCauses,
  migrationKinds,
  none,
  nullStreamId,
  nvtxTypes,
  peerCopyKind,
  pid,
  streamFlags,
  syncTypes,
} from './codes.ts';
import type {
  ApiEvent,
  CopyEvent,
  FailureEvent,
  KernelEvent,
  MigrationEvent,
  NvtxEvent,
  PageFaultEvent,
  ProfileEvent,
  TraceEvent,
  Failure,
} from '../model/events.ts';
import { createSchema } from './schema.ts';
import { previousOf } from './previous.ts';
import { hasTrackIndex, indexTracks } from './track-index.ts';
import { EventTable, Table, type Cell, type EventTableName } from './tables.ts';
import { accessSampleColumns, addAccessSample } from './access-samples.ts';
import { addMix, addWarps, warpColumns } from './warp-table.ts';

export interface KernelNames {
  /** With template arguments and parameters. */
  demangled: string;
  /** The function's name alone. */
  short: string;
}

/** What is known when a recording starts. Nothing in here may differ between two recordings of one program. */
export interface RecordingFacts {
  title: string;
  /** Name of the program, without folders. */
  program: string;
  arguments: string[];
  gpu: GpuDescription;
  /** Further GPUs: devices 1 and up. */
  others?: readonly GpuDescription[];
  /** The limit that times were computed without. */
  lifted?: Limit;
  /** The program's own files, with paths as the user gave them. */
  sources: { path: string; text: string }[];
  /** By mangled name; kernels that are not in it keep the mangled one. */
  names: ReadonlyMap<string, KernelNames>;
}

export interface RecordingEnd {
  /** null when the program did not come to its end. */
  exitCode: number | null;
  notices: string[];
  /** False when the recording was cut short. */
  complete: boolean;
}

export interface TraceWriter {
  append(events: readonly TraceEvent[]): void;
  /** Events that are in the file for certain, whatever happens now. */
  readonly committed: number;
  /**
   * Closes the file; its bytes depend on facts and events only. Where it cannot be written, the error says what is kept: all that was
   * committed.
   */
  finish(end: RecordingEnd): void;
  /** Ends the recording where nothing more can be written, and keeps what was: `fault`, and where that is. Null where nothing was. */
  cutShort(fault: SimsightError): SimsightError | null;
  /** Drops the recording: removes what was written and puts a trace back that had the name before. */
  abandon(): void;
}

const pageSize = 4096;
/** A recording that is killed lacks no more than these, and no more than the last quarter of a second. */
export const rowsPerCommit = 32768;
/** Characters. Kernels of template libraries have names of some thousand. */
export const longestName = 65_536;
/** Of all names together, and how long further ones may be. */
const mostNameCharacters = 128 * 2 ** 20;
const longestOfMany = 64;
const commitEveryMs = 250;

export function createTraceWriter(name: string, facts: RecordingFacts): TraceWriter {
  const path = traceTarget(name);
  const previous = previousOf(path);
  const ownsPrevious = checkBeside(path, previous);
  removeAbandoned(path);
  const begun = unfinishedName(path);
  let tookPlace = false;
  let db: Database.Database;
  try {
    createFile(begun, facts);
    if (existsSync(path)) keepPrevious(path, previous);
    takePlace(begun, path);
    tookPlace = true;
    db = openToAppend(path);
  } catch (error) {
    removeTrace(begun);
    if (tookPlace) restore(path, previous, ownsPrevious);
    throw fileError(error, name) ?? error;
  }
  const rows = new RowWriter(db, facts);
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  let inTransaction = false;
  let committed = 0;
  let failure: Error | null = null;

  function commit(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    rows.flush();
    if (inTransaction) db.exec('COMMIT');
    inTransaction = false;
    committed = rows.added;
  }

  /** A disk that is full when the timer fires is reported to the next caller: nobody hears a timer. */
  function commitLater(): void {
    try {
      commit();
    } catch (error) {
      failure = error as Error;
    }
  }

  /** Leaves what is committed, as file and log if need be; nothing in here may need room on the disk. */
  function leave(notice: string): string {
    closed = true;
    if (timer) clearTimeout(timer);
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch {
        // There is no room for it.
      }
    };
    if (db.inTransaction) attempt(() => db.exec('ROLLBACK'));
    attempt(() => db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)').run(notice));
    attempt(() => db.pragma('journal_mode = DELETE'));
    db.close();
    return whatIsKept();
  }

  function whatIsKept(): string {
    const before =
      ownsPrevious && existsSync(previous) ? ` The trace that it was to replace is kept: ${previous}.` : '';
    const log = existsSync(`${path}-wal`) ? ` and ${path}-wal, which belong together` : '';
    return `What was recorded until then: ${path}${log}.${before}`;
  }

  return {
    append(events) {
      if (closed) throw new Error('append after the end of the recording');
      if (failure) throw failure;
      try {
        for (const event of events) {
          if (!inTransaction) db.exec('BEGIN');
          inTransaction = true;
          rows.add(event);
          if (rows.sinceFlush >= rowsPerCommit) commit();
        }
      } catch (error) {
        // Whoever goes on would add to half a transaction.
        failure = error as Error;
        throw error;
      }
      if (inTransaction) timer ??= setTimeout(commitLater, commitEveryMs).unref();
    },
    get committed() {
      return committed;
    },
    finish({ exitCode, notices, complete }) {
      const finished = unfinishedName(path);
      try {
        if (failure) throw failure;
        commit();
        db.transaction(() => {
          const notice = db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
          for (const text of [...notices, ...rows.notices]) notice.run(text);
          const fact = db.prepare('UPDATE SIMSIGHT_RECORDING SET value = ? WHERE name = ?');
          fact.run(exitCode === null ? null : String(exitCode), 'exitCode');
          fact.run(complete ? 'true' : 'false', 'complete');
        })();
        // One file, before there is another: so there are never three times the bytes of the recording on the disk.
        db.pragma('journal_mode = DELETE');
        db.prepare('VACUUM INTO ?').run(finished);
        const copy = new Database(finished);
        try {
          indexTracks(copy);
        } finally {
          copy.close();
        }
        closed = true;
        db.close();
        takePlace(finished, path);
      } catch (error) {
        removeTrace(finished);
        const fault = fileError(error, name);
        if (fault === null || committed === 0) throw error;
        throw withRemedy(fault, closed ? whatIsKept() : leave(fault.message));
      }
      if (ownsPrevious) removeTrace(previous);
    },
    cutShort(fault) {
      if (closed || committed === 0) return null;
      return withRemedy(fault, leave(fault.message));
    },
    abandon() {
      if (closed) return;
      closed = true;
      if (timer) clearTimeout(timer);
      db.close();
      restore(path, previous, ownsPrevious);
    },
  };
}

const withRemedy = ({ code, message, remedy, place }: SimsightError, more: string): SimsightError =>
  new SimsightError(code, message, `${remedy} ${more}`.trim(), place);

/**
 * Nothing beside the trace may be somebody else's, where this recording would remove or write it. Gives whether what is kept under the
 * name of the previous trace is ours.
 */
function checkBeside(path: string, previous: string): boolean {
  const isThere = existsSync(path);
  const kept = foundUnder(previous);
  const ownsPrevious = kept === 'nothing' || kept === 'empty' || kept === 'trace';
  // What versions before this one left when they were killed lies beside no trace, but beside the one that they kept.
  checkLogs(path, { belongsToNothing: !isThere && kept !== 'trace' });
  if (ownsPrevious) checkLogs(previous);
  else if (isThere) {
    throw new SimsightError(
      'file-not-allowed',
      `${previous} is in the way: the trace that is to be replaced is kept under that name, and what is there is no trace.`,
      'Move it, or choose another output file.',
      { file: previous },
    );
  }
  return ownsPrevious;
}

function foundUnder(path: string): Found | 'other' {
  try {
    return targetAt(path).found;
  } catch {
    return 'other';
  }
}

function openToAppend(path: string): Database.Database {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('wal_autocheckpoint = 0');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** As it was before the recording. */
function restore(path: string, previous: string, ownsPrevious: boolean): void {
  if (!ownsPrevious || !existsSync(previous)) {
    removeTrace(path);
    return;
  }
  const isWhole = mergeLog(previous);
  takePlace(previous, path);
  // What cannot be put together stays together.
  if (!isWhole && existsSync(`${previous}-wal`)) renameSync(`${previous}-wal`, `${path}-wal`);
}

/** What SQLite has beside a file. It belongs to that file alone: beside another one it would be replayed into it. */
const companions = ['-wal', '-shm', '-journal'];
/** What is beside it goes first, so that nothing of it is left for the next file of that name. */
function removeTrace(path: string): void {
  for (const end of [...companions, '']) rmSync(path + end, { force: true });
}
/** Puts a whole file in the place of another, or of what one that was killed left. */
function takePlace(from: string, to: string): void {
  for (const end of companions) rmSync(to + end, { force: true });
  renameSync(from, to);
}

/**
 * Keeps what has the name under another until the recording is finished: a trace that is, or the first one that was killed. Those
 * killed after it go, and what was kept before them stays. At any moment there is a file of that name.
 */
function keepPrevious(path: string, previous: string): void {
  const isWhole = mergeLog(path);
  if (existsSync(previous) && (!isWhole || isUnfinished(path))) return;
  removeTrace(previous);
  try {
    linkOrCopy(path, previous);
    // A damaged one and what belongs to it; the log is the last to have both names.
    if (!isWhole && existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${previous}-wal`);
  } catch (error) {
    removeTrace(previous);
    throw error;
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Not all file systems have two names for a file.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Makes one file of a trace and its log; false where it is damaged. Throws where that cannot be written. */
function mergeLog(path: string): boolean {
  let db: Database.Database | undefined;
  try {
    // Who records into it does so for long, and meanwhile nothing else is done here.
    db = new Database(path, { fileMustExist: true, timeout: 100 });
    db.pragma('trusted_schema = OFF');
    db.pragma('journal_mode = DELETE');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new SimsightError(
        'file-not-allowed',
        `${path} is in use: something is still being recorded into it.`,
        'Choose another output file, or wait for its end.',
        { file: path },
      );
    }
    // Its log is needed, and cannot be written into it.
    const fault = fileError(error, path);
    if (fault !== null) throw fault;
    return false;
  } finally {
    db?.close();
  }
}

/** Whether a file is what a recording that was killed left; SQLite files of other programs are not. */
function isUnfinished(path: string): boolean {
  const db = new Database(path, { readonly: true });
  try {
    const complete = db.prepare("SELECT value FROM SIMSIGHT_RECORDING WHERE name = 'complete'").pluck().get();
    return complete === 'false' && !hasTrackIndex(db);
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** The file with all that is known at the start, complete in itself. */
function createFile(path: string, facts: RecordingFacts): void {
  const db = new Database(path);
  try {
    db.pragma(`page_size = ${pageSize}`);
    db.pragma('synchronous = NORMAL');
    createSchema(db);
    db.transaction(() => writeFacts(db, facts))();
  } finally {
    db.close();
  }
}

function writeFacts(db: Database.Database, facts: RecordingFacts): void {
  const { gpu, others = [] } = facts;
  const fact = db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
  fact.run('engineVersion', version);
  fact.run('title', facts.title);
  fact.run('program', facts.program);
  fact.run('arguments', JSON.stringify(facts.arguments));
  fact.run('gpuId', gpu.id);
  fact.run('gpu', JSON.stringify(gpu));
  if (others.length > 0) fact.run('otherGpus', JSON.stringify(others));
  if (facts.lifted !== undefined) fact.run('lifted', facts.lifted);
  fact.run('exitCode', null);
  fact.run('complete', 'false');

  const source = db.prepare('INSERT INTO SIMSIGHT_SOURCES (path, text) VALUES (?, ?)');
  for (const { path, text } of facts.sources) source.run(path, text);

  insert(db, 'PROCESSES', { globalPid: globalId(), pid, name: facts.program });
  insert(db, 'TARGET_INFO_SESSION_START_TIME', {
    // Always the same, or no two recordings would be equal.
    utcEpochNs: 1_767_225_600_000_000_000n,
    utcTime: '2026-01-01T00:00:00',
    localTime: '2026-01-01T00:00:00',
    systemClockNs: 0,
  });
  [gpu, ...others].forEach((each, device) => writeGpu(db, each, device));
  const exported: [string, string][] = [
    ['EXPORT_PRODUCT_NAME', 'Simsight'],
    ['EXPORT_PRODUCT_VERSION', version],
    ['EXPORT_SCHEMA_VERSION', '3.25.0'],
    ['EXPORT_SCHEMA_VERSION_MAJOR', '3'],
    ['EXPORT_SCHEMA_VERSION_MINOR', '25'],
    ['EXPORT_SCHEMA_VERSION_MICRO', '0'],
  ];
  for (const [name, value] of exported) insert(db, 'META_DATA_EXPORT', { name, value });
}

function writeGpu(db: Database.Database, gpu: GpuDescription, device: number): void {
  insert(db, 'TARGET_INFO_GPU', {
    vmId: globalId() - pid * 2 ** 24,
    id: device,
    name: gpu.name,
    busLocation: busLocation(device),
    isDiscrete: 1,
    l2CacheSize: gpu.memory.l2Bytes,
    totalMemory: gpu.memory.capacityBytes,
    memoryBandwidth: Math.round(gpu.memory.bandwidth),
    clockRate: Math.round(gpu.core.smClockMhz * 1e6),
    smCount: gpu.core.smCount,
    chipName: gpu.chip,
    cuDevice: device,
    maxRegistersPerBlock: gpu.limits.registersPerSm,
    maxShmemPerBlock: gpu.limits.sharedBytesPerBlock,
    maxShmemPerBlockOptin: gpu.limits.sharedBytesPerBlockOptin,
    maxShmemPerSm: gpu.limits.sharedBytesPerSm,
    maxRegistersPerSm: gpu.limits.registersPerSm,
    threadsPerWarp: 32,
    asyncEngines: gpu.hostLink.copyEngines,
    maxWarpsPerSm: gpu.limits.warpsPerSm,
    maxBlocksPerSm: gpu.limits.blocksPerSm,
    maxThreadsPerBlock: gpu.limits.threadsPerBlock,
    computeMajor: gpu.computeCapability.major,
    computeMinor: gpu.computeCapability.minor,
    smMajor: gpu.computeCapability.major,
    smMinor: gpu.computeCapability.minor,
  });
  insert(db, 'TARGET_INFO_CUDA_DEVICE', { gpuId: device, cudaId: device, pid, numMultiprocessors: gpu.core.smCount });
  insert(db, 'TARGET_INFO_CUDA_CONTEXT_INFO', {
    nullStreamId,
    hwId: 0,
    vmId: 1,
    processId: pid,
    deviceId: device,
    contextId: contextIdOf(device),
    parentContextId: 0,
    isGreenContext: 0,
    numMultiprocessors: 0,
  });
}

function insert(db: Database.Database, table: string, row: Record<string, string | number | bigint | null>): void {
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}

const nvtxColumns = [
  'eventType',
  'rangeId',
  'category',
  'color',
  'text',
  'globalTid',
  'domainId',
  'uint64Value',
  'int64Value',
  'doubleValue',
  'uint32Value',
  'int32Value',
  'floatValue',
];

const deviceColumns = ['deviceId', 'contextId', 'streamId', 'globalPid'];

/** Turns events into rows. */
class RowWriter {
  sinceFlush = 0;
  /** Events so far. */
  added = 0;
  private readonly facts: RecordingFacts;
  private readonly strings: Table;
  private readonly stringIds = new Map<string, number>();
  private readonly threads = new Set<number>();
  private readonly runtime: EventTable;
  private readonly kernels: EventTable;
  private readonly metrics: Table;
  private readonly profiles: Table;
  private readonly accessSamples: Table;
  private readonly branches: Table;
  private readonly sharedArrays: Table;
  /** Counters that launches have in common, by their text; launches often share the object too. */
  private readonly metricSets = new Map<string, number>();
  private readonly calls = new Map<string, Map<number, number>>();
  /** By kernel and stream. */
  private readonly lastLaunches = new Map<string, Map<number, { event: KernelEvent; shape: number }>>();
  private readonly knownMetrics = new WeakMap<object, number>();
  private readonly instructions: Table;
  private readonly instructionStates: Table;
  private readonly blocks: Table;
  private readonly warps: Table;
  private readonly mixes: Table;
  private readonly stateIds: ReadonlyMap<string, number>;
  private readonly failures: Table;
  private readonly implicitWaits: Table;
  private readonly copies: EventTable;
  private readonly gpuFaults: Table;
  private readonly cpuFaults: Table;
  private readonly cpuWaits: Table;
  private readonly memsets: EventTable;
  private readonly graphs: EventTable;
  private readonly graphsMade: Table;
  private readonly synchronizations: EventTable;
  private readonly streams: Table;
  private readonly threadNames: Table;
  private readonly memory: Table;
  private readonly dependencies: Table;
  private readonly console: Table;
  private readonly tables: (Table | EventTable)[] = [];
  private readonly nvtx: EventTable;
  private nameCharacters = 0;
  /** Said at the end of the recording. */
  readonly notices: string[] = [];

  constructor(db: Database.Database, facts: RecordingFacts) {
    this.facts = facts;
    const table = (name: string, columns: string[]): Table => {
      const made = new Table(db, name, columns);
      this.tables.push(made);
      return made;
    };
    const events = (name: EventTableName, columns: string[]): EventTable => {
      const made = new EventTable(db, name, columns);
      this.tables.push(made);
      return made;
    };
    this.strings = table('StringIds', ['id', 'value']);
    this.threadNames = table('ThreadNames', ['nameId', 'priority', 'globalTid']);
    this.runtime = events('CUPTI_ACTIVITY_KIND_RUNTIME', ['eventClass', 'globalTid', 'nameId', 'returnValue']);
    this.nvtx = events('NVTX_EVENTS', nvtxColumns);
    this.kernels = events('CUPTI_ACTIVITY_KIND_KERNEL', [
      ...deviceColumns,
      'demangledName',
      'shortName',
      'mangledName',
      'launchType',
      'cacheConfig',
      'registersPerThread',
      'gridX',
      'gridY',
      'gridZ',
      'blockX',
      'blockY',
      'blockZ',
      'staticSharedMemory',
      'dynamicSharedMemory',
      'localMemoryPerThread',
      'localMemoryTotal',
      'sharedMemoryExecuted',
      'sharedMemoryLimitConfig',
      'graphId',
      'graphNodeId',
      'metricSet',
      'profile',
    ]);
    this.failures = table('SIMSIGHT_FAILURES', [
      ...['correlationId', 'kernel', 'nameId', 'error', 'errorName', 'message', 'remedy', 'file', 'line'],
    ]);
    this.implicitWaits = table('SIMSIGHT_IMPLICIT_WAITS', [
      ...['start', 'end', ...deviceColumns, 'correlationId', 'otherStreamId', 'waitsFor'],
    ]);
    this.metrics = table('SIMSIGHT_METRIC_SETS', ['id', 'nameId', 'value']);
    this.profiles = table('SIMSIGHT_PROFILES', ['id', 'cycles', 'share', 'warpCycles']);
    this.instructions = table('SIMSIGHT_INSTRUCTIONS', [
      'profile',
      'instruction',
      'opcodeId',
      'block',
      'fileId',
      'line',
      'executed',
      'threads',
      'threadsOn',
      'sectors',
      'wavefronts',
      'operands',
      'partial',
      'idealWavefronts',
    ]);
    this.instructionStates = table('SIMSIGHT_INSTRUCTION_STATES', ['profile', 'instruction', 'state', 'cycles']);
    this.accessSamples = table('SIMSIGHT_ACCESS_SAMPLES', accessSampleColumns);
    this.branches = table('SIMSIGHT_BRANCHES', ['profile', 'instruction', 'executed', 'diverged', 'taken', 'notTaken']);
    this.sharedArrays = table('SIMSIGHT_SHARED_ARRAYS', ['profile', 'nameId', 'offset', 'bytes', 'rowBytes']);
    this.blocks = table('SIMSIGHT_SM_BLOCKS', ['profile', 'block', 'start', 'end']);
    this.warps = table('SIMSIGHT_WARP_CHUNKS', warpColumns);
    this.mixes = table('SIMSIGHT_WARP_MIX', ['profile', 'width', 'cells', 'data']);
    this.copies = events('CUPTI_ACTIVITY_KIND_MEMCPY', [
      ...deviceColumns,
      'bytes',
      'copyKind',
      'srcKind',
      'dstKind',
      'srcDeviceId',
      'srcContextId',
      'dstDeviceId',
      'dstContextId',
      'copyCount',
      'graphNodeId',
      'migrationCause',
      'virtualAddress',
      'engine',
    ]);
    this.gpuFaults = table('CUDA_UM_GPU_PAGE_FAULT_EVENTS', [
      ...['start', 'end', 'globalPid', 'deviceId', 'address', 'numberOfPageFaults', 'faultAccessType'],
    ]);
    this.cpuFaults = table('CUDA_UM_CPU_PAGE_FAULT_EVENTS', ['start', 'globalPid', 'address']);
    this.cpuWaits = table('SIMSIGHT_CPU_PAGE_FAULTS', ['fault', 'end', 'accessType']);
    this.memsets = events('CUPTI_ACTIVITY_KIND_MEMSET', [...deviceColumns, 'value', 'bytes', 'memKind', 'graphNodeId']);
    this.graphs = events('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', [...deviceColumns, 'graphId', 'graphExecId']);
    this.graphsMade = table('CUDA_GRAPH_EVENTS', [
      'start',
      'end',
      'eventClass',
      'globalTid',
      'nameId',
      'graphId',
      'originalGraphId',
      'graphExecId',
    ]);
    this.synchronizations = events('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', [
      ...deviceColumns,
      'syncType',
      'eventId',
      'eventSyncId',
    ]);
    this.streams = table('TARGET_INFO_CUDA_STREAM', [
      'streamId',
      'hwId',
      'vmId',
      'processId',
      'contextId',
      'priority',
      'flag',
    ]);
    this.memory = table('CUDA_GPU_MEMORY_USAGE_EVENTS', [
      ...['start', 'globalPid', 'deviceId', 'contextId', 'address', 'bytes', 'memKind', 'memoryOperationType'],
      'correlationId',
    ]);
    this.dependencies = table('SIMSIGHT_STREAM_DEPENDENCIES', ['correlationId', 'waitsFor']);
    this.console = table('SIMSIGHT_CONSOLE', ['time', 'stream', 'text']);
    const states = db.prepare('SELECT name, id FROM ENUM_SIMSIGHT_WARP_STATE').raw().all() as [string, number][];
    this.stateIds = new Map(states);
  }

  flush(): void {
    for (const table of this.tables) table.flush();
    this.sinceFlush = 0;
  }

  add(event: TraceEvent): void {
    this.sinceFlush++;
    this.added++;
    switch (event.type) {
      case 'api': {
        this.runtime.add(event.start, event.end, event.correlationId, this.callShape(event));
        break;
      }
      case 'kernel':
        this.addKernel(event);
        break;
      case 'failure':
        this.addFailure(event, event.failure, null);
        break;
      case 'profile':
        this.addProfile(event);
        break;
      case 'copy':
        this.addCopy(event);
        break;
      case 'migration':
        this.addMigration(event);
        break;
      case 'page-fault':
        this.addPageFault(event);
        break;
      case 'memset':
        this.memsets.add(
          event.start,
          event.end,
          event.correlationId,
          this.memsets.shape([
            ...placeOf(event),
            event.value,
            event.bytes,
            memoryKinds.device,
            event.graphNodeId ?? null,
          ]),
        );
        break;
      case 'graph':
        this.graphs.add(
          event.start,
          event.end,
          event.correlationId,
          this.graphs.shape([...placeOf(event), event.graphId, event.graphId]),
        );
        break;
      case 'graph-made': {
        const { start, end, threadId, name, made } = event;
        this.graphsMade.add(
          start,
          end,
          eventClasses[made.kind],
          this.thread(threadId),
          this.string(name),
          made.graphId,
          made.kind === 'clone' ? made.originalGraphId : null,
          made.kind === 'executable' ? made.graphExecId : null,
        );
        break;
      }
      case 'synchronization':
        this.synchronizations.add(
          event.start,
          event.end,
          event.correlationId,
          this.synchronizations.shape([...placeOf(event), syncTypes[event.kind], event.eventId ?? none, none]),
        );
        break;
      case 'implicit-wait': {
        const { start, end, correlationId, otherStreamId, waitsFor } = event;
        this.implicitWaits.add(start, end, ...placeOf(event), correlationId, otherStreamId, waitsFor);
        break;
      }
      case 'stream': {
        const created = event.nonBlocking ? streamFlags.nonBlocking : streamFlags.default;
        const flag = event.streamId === nullStreamId ? streamFlags.null : created;
        // nsys keeps priorities as unsigned numbers: -5 is 4294967291.
        this.streams.add(event.streamId, 0, 1, pid, contextIdOf(event.deviceId), event.priority >>> 0, flag);
        break;
      }
      case 'nvtx':
        this.addNvtx(event);
        break;
      case 'thread-name':
        this.nameThread(event.threadId, event.name);
        break;
      case 'memory':
        this.memory.add(
          event.time,
          globalId(),
          event.deviceId,
          contextIdOf(event.deviceId),
          event.address,
          event.bytes,
          memoryKinds[event.kind],
          memoryOperations[event.operation],
          event.correlationId,
        );
        break;
      case 'dependency':
        this.dependencies.add(event.correlationId, event.waitsFor);
        break;
      case 'notice':
        this.notices.push(event.text);
        break;
      case 'console':
        this.console.add(event.time, event.stream === 'stdout' ? 1 : 2, event.text);
        break;
    }
  }

  /** Calls of one function by one thread differ in their times alone. */
  private callShape({ name, threadId, returnValue }: ApiEvent): number {
    let known = this.calls.get(name);
    if (!known) this.calls.set(name, (known = new Map()));
    const key = threadId * 0x10000 + returnValue;
    let shape = known.get(key);
    if (shape === undefined) {
      const eventClass = /^cu[A-Z]/.test(name) ? eventClasses.driver : eventClasses.runtime;
      shape = this.runtime.shape([eventClass, this.thread(threadId), this.string(name), returnValue]);
      known.set(key, shape);
    }
    return shape;
  }

  private addKernel(event: KernelEvent): void {
    let byStream = this.lastLaunches.get(event.kernel);
    if (!byStream) this.lastLaunches.set(event.kernel, (byStream = new Map()));
    let last = byStream.get(event.streamId);
    if (!last || !isLike(last.event, event)) {
      last = { event, shape: this.kernelShape(event) };
      byStream.set(event.streamId, last);
    }
    const row = this.kernels.add(event.start, event.end, event.correlationId, last.shape);
    if (event.failure) this.addFailure(event, event.failure, row);
  }

  /** `row`: of the kernel, where it was on the GPU. */
  private addFailure(
    { correlationId, kernel }: Pick<FailureEvent, 'correlationId' | 'kernel'>,
    { error, errorName, message, remedy, place }: Failure,
    row: number | null,
  ): void {
    const name = kernel === null ? null : (this.facts.names.get(kernel)?.demangled ?? kernel);
    this.failures.add(
      ...[correlationId, row, name === null ? null : this.string(name)],
      ...[error, errorName, message, remedy, place?.file ?? null, place?.line ?? null],
    );
  }

  private kernelShape(event: KernelEvent): number {
    const { details, grid, block } = event;
    const names = this.facts.names.get(event.kernel) ?? { demangled: event.kernel, short: event.kernel };
    const { gpu, others = [] } = this.facts;
    const { limits, core } = others[event.deviceId - 1] ?? gpu;
    return this.kernels.shape([
      ...placeOf(event),
      this.string(names.demangled),
      this.string(names.short),
      this.string(event.kernel),
      1,
      0,
      details.registersPerThread,
      grid.x,
      grid.y,
      grid.z,
      block.x,
      block.y,
      block.z,
      details.staticSharedBytes,
      event.dynamicSharedBytes,
      details.localBytesPerThread,
      // The driver sets local memory apart for every thread that the GPU can hold.
      details.localBytesPerThread * limits.threadsPerSm * core.smCount,
      details.sharedConfigBytes,
      event.dynamicSharedBytes + details.staticSharedBytes > limits.sharedBytesPerBlock ? 1 : 0,
      event.graphId ?? null,
      event.graphNodeId ?? null,
      this.metricSet(details.metrics),
      event.profile ?? null,
    ]);
  }

  private metricSet(metrics: Record<string, number>): number {
    const same = this.knownMetrics.get(metrics);
    if (same !== undefined) return same;
    const key = JSON.stringify(metrics);
    let id = this.metricSets.get(key);
    if (id === undefined) {
      id = this.metricSets.size + 1;
      this.metricSets.set(key, id);
      for (const [name, value] of Object.entries(metrics)) {
        if (Number.isFinite(value)) this.metrics.add(id, this.string(name), value);
      }
    }
    this.knownMetrics.set(metrics, id);
    return id;
  }

  private addProfile({ id, profile }: ProfileEvent): void {
    this.profiles.add(id, profile.cycles, profile.share, Math.round(profile.warpCycles));
    profile.instructions.forEach((one, i) => {
      const { opcode, block, file, line, executed, threads, threadsOn, sectors, wavefronts, states, samples } = one;
      const { operands, partial, idealWavefronts } = one;
      const place = file === null ? [null, null] : [this.string(file), line];
      this.instructions.add(
        ...[id, i, this.string(opcode), block],
        ...place,
        ...[executed, threads, threadsOn, sectors, wavefronts, operands, partial, idealWavefronts],
      );
      for (const [state, cycles] of Object.entries(states))
        this.instructionStates.add(id, i, this.stateIds.get(state)!, cycles);
      for (const sample of samples) addAccessSample(this.accessSamples, id, i, sample);
    });
    for (const { instruction, executed, diverged, taken, notTaken } of profile.branches)
      this.branches.add(id, instruction, executed, diverged, taken, notTaken);
    for (const { name, offset, bytes, rowBytes } of profile.sharedArrays)
      this.sharedArrays.add(id, this.string(name), offset, bytes, rowBytes);
    for (const { block, start, end } of profile.blocks) this.blocks.add(id, block, start, end < 0 ? null : end);
    addMix(this.mixes, id, profile.mix);
    addWarps(this.warps, id, profile.warps, profile.issues, this.facts.gpu.throughput.schedulers);
    this.sinceFlush += profile.instructions.length;
  }

  private addCopy(event: CopyEvent): void {
    const host = memoryKinds[event.hostMemory];
    const source = event.direction.startsWith('host') ? host : memoryKinds.device;
    const target = event.direction.endsWith('host') ? host : memoryKinds.device;
    const peers = event.peer
      ? [event.peer.from, contextIdOf(event.peer.from), event.peer.to, contextIdOf(event.peer.to)]
      : [null, null, null, null];
    this.copies.add(
      event.start,
      event.end,
      event.correlationId,
      this.copies.shape([
        ...placeOf(event),
        event.bytes,
        event.peer ? peerCopyKind : copyKinds[event.direction],
        source,
        target,
        ...peers,
        1,
        event.graphNodeId ?? null,
        null,
        null,
        event.engine,
      ]),
    );
  }

  /** No call and no stream makes it. */
  private addMigration({ start, end, deviceId, direction, peer, bytes, address, cause }: MigrationEvent): void {
    const { managed } = memoryKinds;
    const between = peer
      ? [peer.from, contextIdOf(peer.from), peer.to, contextIdOf(peer.to)]
      : [null, null, null, null];
    this.copies.add(
      start,
      end,
      null,
      this.copies.shape([
        ...[deviceId, contextIdOf(deviceId), none, globalId()],
        ...[bytes, migrationKinds[direction], managed, managed],
        ...between,
        ...[1, null, migrationCauses[cause], address, null],
      ]),
    );
  }

  private addPageFault({ processor, start, end, deviceId, address, count, access }: PageFaultEvent): void {
    if (processor === 'device') {
      this.gpuFaults.add(start, end, globalId(), deviceId, address, count, faultAccesses[access]);
    } else {
      const row = this.cpuFaults.add(start, globalId(), address);
      this.cpuWaits.add(row, end, faultAccesses[access]);
    }
  }

  private addNvtx(event: NvtxEvent): void {
    const { kind, start, end, text, color, category, domainId, rangeId, payload } = event;
    const of = (...kinds: string[]): Cell => {
      if (!payload || !kinds.includes(payload.kind)) return null;
      // SQLite's integers have a sign.
      return typeof payload.value === 'bigint' ? Number(BigInt.asIntN(64, payload.value)) : payload.value;
    };
    this.nvtx.add(
      start,
      end,
      null,
      this.nvtx.shape([
        nvtxTypes[kind],
        rangeId,
        category,
        color,
        text,
        this.thread(event.threadId),
        domainId,
        of('uint64'),
        of('int64'),
        of('double'),
        of('uint32'),
        of('int32'),
        of('float'),
      ]),
    );
  }

  private nameThread(threadId: number, name: string): void {
    const globalTid = globalId(pid + threadId - 1);
    this.threads.add(globalTid);
    this.threadNames.add(this.string(name), 30, globalTid);
  }

  private string(value: string): number {
    const known = this.stringIds.get(value);
    if (known !== undefined) return known;
    const room = this.nameCharacters < mostNameCharacters ? longestName : longestOfMany;
    if (value.length > room) return this.cutString(value, room);
    const id = this.stringIds.size + 1;
    this.stringIds.set(value, id);
    this.strings.add(id, value);
    this.nameCharacters += value.length;
    return id;
  }

  private cutString(value: string, room: number): number {
    const notice =
      room === longestName
        ? `Names are cut off after ${longestName} characters.`
        : `There are more than ${mostNameCharacters / 2 ** 20} MiB of names: further ones are cut off after ${longestOfMany} characters.`;
    if (!this.notices.includes(notice)) this.notices.push(notice);
    return this.string(cutOff(value, room));
  }

  private thread(threadId: number): number {
    // The main thread, number 1, has the id of its process.
    const globalTid = globalId(pid + threadId - 1);
    if (!this.threads.has(globalTid)) {
      this.threads.add(globalTid);
      const name = this.threads.size === 1 ? this.facts.program : `thread ${threadId}`;
      this.threadNames.add(this.string(name), 20, globalTid);
    }
    return globalTid;
  }
}

/** Whether two launches of a kernel differ in their times alone. */
const isLike = (a: KernelEvent, b: KernelEvent): boolean =>
  a.details.metrics === b.details.metrics &&
  a.details.registersPerThread === b.details.registersPerThread &&
  a.details.staticSharedBytes === b.details.staticSharedBytes &&
  a.details.localBytesPerThread === b.details.localBytesPerThread &&
  a.details.sharedConfigBytes === b.details.sharedConfigBytes &&
  a.deviceId === b.deviceId &&
  a.streamId === b.streamId &&
  a.dynamicSharedBytes === b.dynamicSharedBytes &&
  a.graphId === b.graphId &&
  a.graphNodeId === b.graphNodeId &&
  a.profile === b.profile &&
  (['x', 'y', 'z'] as const).every((axis) => a.grid[axis] === b.grid[axis] && a.block[axis] === b.block[axis]);

/** Device, context, stream, process. */
function placeOf({ deviceId, streamId }: { deviceId: number; streamId: number | null }): number[] {
  return [deviceId, contextIdOf(deviceId), streamId ?? none, globalId()];
}
