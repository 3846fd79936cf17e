/** Reads the events of a trace into the tracks that show them. */
import type Database from 'better-sqlite3';
import { flavours, type EventKind } from '../model/timeline.ts';
import {
  apiName,
  copyName,
  faultAccessName,
  implicitWaitName,
  isMigration,
  memoryKindName,
  none,
  nvtxShown,
  syncName,
  processOf,
  syncTypes,
} from './codes.ts';
import { devicesOfContexts } from './contexts.ts';
import type { Row } from './trace.ts';
import { TrackEventList, type Style } from './track-events.ts';
import { eventTables, isKernels, kindNumber, trackKeys, type StreamPlace } from './tracks.ts';

/**
 * Rows of the timeline. The largest recordings have a few thousand streams and threads; each takes some kilobytes wherever the trace is
 * opened, and a file of some megabytes can name one for each of its events.
 */
export const mostRows = 20_000;
/** Of those beyond: how many there are is said up to here. */
const mostCounted = 1_000_000;

export interface LoadedEvents {
  /** Events, each once, however many tracks show it. */
  count: number;
  skipped: number;
  /** Rows of the timeline beyond {@link mostRows}, whose events are not there. */
  rowsLeftOut: number;
  /** Time in which a device did anything. */
  deviceBusyNs: Map<number, number>;
}

/**
 * Reads start, end and what tells tracks and colours apart of all events, once, in the order of the tables. Gives the tracks, by their
 * keys, as soon as they are complete, so that what was taken can be forgotten; in the end what is known of all of them. Events are
 * in `styles` by number. `onCount` is told now and then how many events were read.
 */
export function* loadEvents(
  db: Database.Database,
  styles: Style[],
  onCount: (count: number) => void = () => {},
): Generator<[key: string, list: TrackEventList], LoadedEvents> {
  const query = (sql: string): Row[] => db.prepare(sql).raw().all() as Row[];
  const lists = new Map<string, TrackEventList>();
  const styleIds = new Map<string, number>();
  /** Whatever a device does, on all its tracks together. */
  const devices = new Map<number, TrackEventList>();
  let count = 0;
  const counted = (): void => {
    if (++count % countStep === 0) onCount(count);
  };
  let skipped = 0;

  /** Of all rows so far, and of those that are too many. */
  const [known, tooMany] = [new Set<string>(), new Set<string>()];
  const unseen = new TrackEventList();
  const list = (key: string): TrackEventList => {
    let found = lists.get(key);
    if (found) return found;
    if (known.size < mostRows || known.has(key)) {
      known.add(key);
      lists.set(key, (found = new TrackEventList()));
      return found;
    }
    if (tooMany.size < mostCounted) tooMany.add(key);
    unseen.length = 0;
    return unseen;
  };
  const style = (kind: EventKind, label: string, flavour = 0, fullName = label): number => {
    const key = `${kind} ${flavour} ${label}\0${fullName}`;
    let id = styleIds.get(key);
    if (id === undefined)
      styleIds.set(key, (id = styles.push({ kind: kindNumber[kind], flavour, label, fullName }) - 1));
    return id;
  };
  const strings = new Map(query('SELECT id, value FROM StringIds').map(([id, value]) => [id, String(value)]));
  /** Styles of names by their id in the file: a million events have a few dozen names. */
  const stylesOf = (kind: EventKind, shown: (name: string) => string, flavour = 0): ((id: unknown) => number) => {
    const known = new Map<unknown, number>();
    return (id) => {
      let found = known.get(id);
      if (found === undefined) known.set(id, (found = style(kind, shown(strings.get(id as number) ?? '?'), flavour)));
      return found;
    };
  };
  const [apiStyle, apiFailed] = [stylesOf('api', apiName), stylesOf('api', apiName, failed)];
  /** Instances of a template share their short name. */
  const instances = new Map<unknown, number>();
  const nameOf = (id: unknown): string => strings.get(id as number) ?? '?';
  const kernelStyle = (short: unknown, full: unknown): number => {
    let found = instances.get(full);
    if (found === undefined) instances.set(full, (found = style('kernel', nameOf(short), 0, nameOf(full))));
    return found;
  };
  const failedKernels = new Set(query('SELECT kernel FROM SIMSIGHT_FAILURES').map(([row]) => row));
  /** Rows with times that cannot be drawn are counted and left out. */
  function* rowsOf(kind: EventKind, columns: string): Generator<Row> {
    const sql = `SELECT start, end, rowid, correlationId, ${columns} FROM ${eventTables[kind]}`;
    for (const row of db.prepare(sql).raw().iterate() as Iterable<Row>) {
      const [start, end] = row;
      if (isTime(start) && isTime(end) && start <= end) {
        counted();
        yield row;
      } else skipped++;
    }
  }
  const onDevice = (id: number, start: number, end: number): void => {
    let found = devices.get(id);
    if (!found) devices.set(id, (found = new TrackEventList()));
    found.add(start, end, 0, 0, 0);
  };
  /** What there is so far; the kernels of a device first. */
  function* complete(): Generator<[key: string, list: TrackEventList]> {
    for (const key of [...lists.keys()].sort((a, b) => Number(isKernels(b)) - Number(isKernels(a)))) {
      const found = lists.get(key)!;
      lists.delete(key);
      yield [key, found];
    }
  }

  const waiters = waitsToAssign(query);
  for (const row of rowsOf('api', 'globalTid, nameId, returnValue')) {
    const [start, end, id, correlation, globalTid, nameId, returnValue] = row as number[];
    const tid = Number(globalTid) || 0;
    const waits = waiters.get(processOf(tid));
    if (waits?.has(correlation!)) waits.set(correlation!, tid);
    const look = isError(returnValue) ? apiFailed : apiStyle;
    list(trackKeys.api(tid)).add(start!, end!, look(nameId), id!, correlation!);
  }
  yield* complete();
  /** By process and correlation id, which is unique within a process only. */
  const launches = new Map<number, Map<number, StreamPlace>>();
  const placeOf = (device: unknown, globalPid: unknown, context: unknown, stream: unknown): StreamPlace => ({
    device: device as number,
    process: processOf(globalPid),
    context: Number(context) || 0,
    stream: stream as number,
  });
  for (const row of rowsOf('graph', 'deviceId, streamId, globalPid, contextId, graphId')) {
    const [start, end, id, correlation, device, stream, globalPid, context, graphId] = row as number[];
    const place = placeOf(device, globalPid, context, stream);
    const { process } = place;
    if (correlation !== null) {
      const known = launches.get(process) ?? new Map<number, StreamPlace>();
      launches.set(process, known.set(correlation!, place));
    }
    list(trackKeys.stream(place)).add(start!, end!, style('graph', `Graph ${graphId}`), id!, correlation!);
  }
  /** Of device work: nodes of a graph are below the stream that it was launched into, whichever branch they are on. */
  const streamKey = (place: StreamPlace, correlation: number | null): string => {
    const launch = correlation === null ? undefined : launches.get(place.process)?.get(correlation);
    return launch?.device === place.device ? trackKeys.graphNodes(launch) : trackKeys.stream(place);
  };
  for (const row of rowsOf('kernel', 'deviceId, streamId, globalPid, contextId, shortName, demangledName')) {
    const [start, end, id, correlation, deviceId, stream, globalPid, context, shortName, demangledName] =
      row as number[];
    const look = failedKernels.has(id!)
      ? style('kernel', nameOf(shortName), failed, nameOf(demangledName))
      : kernelStyle(shortName, demangledName);
    const place = placeOf(deviceId, globalPid, context, stream);
    for (const key of [trackKeys.kernels(deviceId!), streamKey(place, correlation!)]) {
      list(key).add(start!, end!, look, id!, correlation!);
    }
    onDevice(deviceId!, start!, end!);
  }
  const engines = new Map(query('SELECT memcpy, engine FROM SIMSIGHT_COPY_ENGINES') as [number, number][]);
  for (const row of rowsOf('memcpy', 'deviceId, streamId, globalPid, contextId, copyKind, srcKind, dstKind')) {
    const [start, end, id, correlation, deviceId, stream, globalPid, context, kind, source, target] = row as number[];
    const { short, label: direction, flavour } = copyName(kind!);
    const fullName = `[CUDA memcpy ${direction}]`;
    if (isMigration(kind!)) {
      const key = trackKeys.migrations(deviceId!);
      list(key).add(start!, end!, style('memcpy', short, flavour, fullName), id!, 0);
      onDevice(deviceId!, start!, end!);
      continue;
    }
    const text = `Memcpy ${short} (${memoryKindName(short.startsWith('D') ? target! : source!)})`;
    const look = style('memcpy', text, flavour, fullName);
    const keys = [streamKey(placeOf(deviceId, globalPid, context, stream), correlation!)];
    const engine = engines.get(id!);
    if (engine !== undefined) keys.push(trackKeys.engine(deviceId!, engine));
    for (const key of keys) list(key).add(start!, end!, look, id!, correlation!);
    onDevice(deviceId!, start!, end!);
  }
  const memset = style('memset', 'Memset', 0, '[CUDA memset]');
  for (const row of rowsOf('memset', 'deviceId, streamId, globalPid, contextId')) {
    const [start, end, id, correlation, deviceId, stream, globalPid, context] = row as number[];
    const place = placeOf(deviceId, globalPid, context, stream);
    list(streamKey(place, correlation!)).add(start!, end!, memset, id!, correlation!);
    onDevice(deviceId!, start!, end!);
  }
  const deviceBusyNs = new Map<number, number>();
  for (const [id, { starts, ends, length }] of devices) {
    deviceBusyNs.set(id, busyTime(starts.subarray(0, length), ends.subarray(0, length)));
  }
  devices.clear();
  yield* complete();
  const deviceOf = devicesOfContexts(query);
  for (const row of rowsOf('synchronization', 'deviceId, streamId, syncType, globalPid, contextId')) {
    const [start, end, id, correlation, deviceId, stream, type, globalPid, context] = row as number[];
    // A stream that waits for an event is not the host waiting: it has a row of its own below the stream.
    const ofStream = type === syncTypes['stream-wait'] && stream !== none;
    const device = deviceOf(processOf(globalPid), Number(context), Number(deviceId));
    const place = placeOf(device, globalPid, context, stream);
    const tid = waiters.get(place.process)?.get(correlation!) ?? 0;
    const ofHost = tid > 0 ? trackKeys.threadSync(tid) : trackKeys.hostSync(place.process);
    list(ofStream ? trackKeys.streamSync(place) : ofHost).add(
      start!,
      end!,
      style('synchronization', syncName(type!)),
      id!,
      correlation!,
    );
  }
  for (const row of rowsOf('implicit-wait', 'deviceId, streamId, globalPid, contextId, otherStreamId')) {
    const [start, end, id, correlation, deviceId, stream, globalPid, context, other] = row as number[];
    const key = trackKeys.streamSync(placeOf(deviceId, globalPid, context, stream));
    list(key).add(start!, end!, style('implicit-wait', implicitWaitName(other!)), id!, correlation!);
  }
  const onGpu = `SELECT start, end, rowid, deviceId, faultAccessType FROM ${eventTables['gpu-page-fault']}`;
  for (const row of db.prepare(onGpu).raw().iterate() as Iterable<Row>) {
    const [start, end, id, deviceId, type] = row as number[];
    const look = style('gpu-page-fault', `${faultAccessName(type!)} faults`);
    if (!isTime(start) || !isTime(end) || start > end) skipped++;
    else {
      counted();
      list(trackKeys.gpuFaults(deviceId!)).add(start, end, look, id!, 0);
    }
  }
  const onHost = `SELECT t.start, coalesce(w.end, t.start), t.rowid, w.accessType FROM ${eventTables['cpu-page-fault']} t
    LEFT JOIN SIMSIGHT_CPU_PAGE_FAULTS w ON w.fault = t.rowid`;
  for (const row of db.prepare(onHost).raw().iterate() as Iterable<Row>) {
    const [start, end, id, type] = row as number[];
    const look = style('cpu-page-fault', `${faultAccessName(type ?? 0)} fault`);
    if (!isTime(start) || !isTime(end) || start > end) skipped++;
    else {
      counted();
      list(trackKeys.cpuFaults).add(start, end, look, id!, 0);
    }
  }
  const nvtxStyle = stylesOf('nvtx', (name) => name);
  const textStyles = new Map<string, number>();
  const textStyle = (text: string): number => {
    let found = textStyles.get(text);
    if (found === undefined) textStyles.set(text, (found = style('nvtx', text)));
    return found;
  };
  const nvtx = `SELECT start, coalesce(end, start), rowid, globalTid, text, textId FROM NVTX_EVENTS
    WHERE eventType IN (${nvtxShown.join(', ')})`;
  for (const row of db.prepare(nvtx).raw().iterate() as Iterable<Row>) {
    const [start, end, id, tid, text, textId] = row;
    if (!isTime(start) || !isTime(end) || start > end) {
      skipped++;
      continue;
    }
    counted();
    const key = trackKeys.nvtx(Number(tid) || 0);
    const look = text === null && textId !== null ? nvtxStyle(textId) : textStyle(String(text ?? ''));
    list(key).add(start, end, look, Number(id), 0);
  }

  const osStyle = stylesOf('osrt', (name) => name);
  const calls = `SELECT start, end, rowid, globalTid, nameId FROM ${eventTables.osrt}`;
  for (const row of db.prepare(calls).raw().iterate() as Iterable<Row>) {
    const [start, end, id, tid, nameId] = row;
    if (!isTime(start) || !isTime(end) || start > end) skipped++;
    else {
      counted();
      list(trackKeys.osrt(Number(tid) || 0)).add(start, end, osStyle(nameId), Number(id), 0);
    }
  }
  yield* complete();
  return { count, skipped, rowsLeftOut: tooMany.size, deviceBusyNs };
}

/**
 * Waits do not say which thread waits, but the calls with their correlation ids do: the ids that are to be looked for in processes in
 * which several threads call, where the thread (0: unknown) is to be put. Where one thread calls, it is the one that waits.
 */
function waitsToAssign(query: (sql: string) => Row[]): Map<number, Map<number, number>> {
  const callers = Map.groupBy(query('SELECT DISTINCT globalTid FROM SIMSIGHT_SHAPES_RUNTIME'), ([tid]) =>
    processOf(tid),
  );
  const waiters = new Map(
    [...callers].flatMap(([process, tids]) => (tids.length > 1 ? [[process, new Map<number, number>()] as const] : [])),
  );
  if (waiters.size === 0) return waiters;
  const waits = query(`SELECT correlationId, globalPid FROM ${eventTables.synchronization} WHERE correlationId > 0`);
  for (const [correlation, globalPid] of waits) waiters.get(processOf(globalPid))?.set(Number(correlation), 0);
  return waiters;
}

const failed = flavours.indexOf('failed');
/** Values of `cudaError_t` and `CUresult` that say that something is not done yet, which who asks wants to know. */
const notReady = 600;
const isError = (returnValue: unknown): boolean =>
  typeof returnValue === 'number' && returnValue !== 0 && returnValue !== notReady;

/** Progress is told each time that so many events have been read. */
const countStep = 2 ** 14;
/** What packed columns can hold: 52 days. */
const latest = 2 ** 52;
const isTime = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= latest;

/** Length of the union of ranges in any order. */
export function busyTime(starts: ArrayLike<number>, ends: ArrayLike<number>): number {
  const opening = Float64Array.from(starts).sort();
  const closing = Float64Array.from(ends).sort();
  let busy = 0;
  let since = 0;
  let open = 0;
  for (let o = 0, c = 0; c < closing.length;) {
    if (o < opening.length && opening[o]! <= closing[c]!) {
      if (open++ === 0) since = opening[o]!;
      o++;
    } else {
      if (--open === 0) busy += closing[c]! - since;
      c++;
    }
  }
  return busy;
}
