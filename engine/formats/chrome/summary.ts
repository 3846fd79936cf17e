/** The facts of a trace beside its events: GPUs and streams, the program, what to know before believing it. */
import { basename } from 'node:path';
import { Table } from '../../trace/tables.ts';
import type { RecordingFacts, Values } from './facts.ts';
import type { GpuRows } from './gpu-rows.ts';
import type { HostRows } from './host-rows.ts';
import { isGpuProcess, mainProcess } from './owners.ts';
import type { ReadingResult } from './reader.ts';
import type { Rows } from './rows.ts';

/** The names that `deviceProperties` and `TARGET_INFO_GPU` have for the same. */
const gpuColumns = new Map([
  ['totalGlobalMem', 'totalMemory'],
  ['numSms', 'smCount'],
  ['computeMajor', 'computeMajor'],
  ['computeMinor', 'computeMinor'],
  ['warpSize', 'threadsPerWarp'],
  ['maxThreadsPerBlock', 'maxThreadsPerBlock'],
  ['regsPerBlock', 'maxRegistersPerBlock'],
  ['regsPerMultiprocessor', 'maxRegistersPerSm'],
  ['sharedMemPerBlock', 'maxShmemPerBlock'],
  ['sharedMemPerBlockOptin', 'maxShmemPerBlockOptin'],
  ['sharedMemPerMultiprocessor', 'maxShmemPerSm'],
]);

export function describeGpus(
  { db, threads }: Rows,
  { devices: numbers, priorities }: GpuRows,
  { devices }: RecordingFacts,
): void {
  const known = new Map(devices.map((device) => [Number(device['id']), device]));
  const gpu = new Table(db, 'TARGET_INFO_GPU', ['vmId', 'id', 'cuDevice', 'name', ...gpuColumns.values()]);
  // ROCm numbers GPUs behind the processors of the machine, and describes them from 0.
  const offset = offsetOf(
    [...numbers.keys()].map((key) => Number(key.split(' ')[1])),
    known,
  );
  const added = new Set<number>();
  const add = (id: number, name: string | null, from: Values): void => {
    if (added.has(id) || !Number.isSafeInteger(id)) return;
    added.add(id);
    const cells = [...gpuColumns.keys()].map((key) => (typeof from[key] === 'number' ? from[key] : null));
    gpu.add(0, id, id, name, ...cells);
  };
  for (const [key, device] of numbers) {
    const [process, own] = key.split(' ').map(Number) as [number, number];
    const given = known.get(own - offset);
    const named = [...threads.processes.values()].find(({ number }) => number === process);
    // Our own exports name the process of a GPU after it; Kineto after the program.
    const isNamed = named && isGpuProcess(named) && /\(\d+\)$/.test(named.name);
    const name = given ? String(given['name'] ?? '') : isNamed ? named.name.replace(/ \(\d+\)$/, '') : '';
    if (given || name) add(device, name || null, given ?? {});
  }
  for (const [id, device] of known) add(id + offset, String(device['name'] ?? '') || null, device);
  gpu.flush();
  const stream = new Table(db, 'TARGET_INFO_CUDA_STREAM', [
    ...['streamId', 'hwId', 'vmId', 'processId', 'contextId', 'priority', 'flag'],
  ]);
  for (const { stream: id, priority } of priorities.values()) stream.add(id, 0, 0, 0, 0, priority, 0);
  stream.flush();
}

/** The offset of the numbers of devices from their descriptions; 0 where all that are used are described, or no offset explains them. */
function offsetOf(used: readonly number[], known: ReadonlyMap<number, Values>): number {
  if (used.every((id) => known.has(id))) return 0;
  const most = Math.max(...used);
  for (let offset = 1; offset <= most; offset++) if (used.every((id) => known.has(id - offset))) return offset;
  return 0;
}

/** `zero`: what times count from, in nanoseconds from the clock's base. */
export function tellFacts(rows: Rows, facts: RecordingFacts, zero: number, isComplete: boolean): void {
  const fact = rows.db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
  const main = mainProcess(rows);
  fact.run('program', facts.program || basename((main?.name ?? '').replaceAll('\\', '/')));
  if (facts.title !== '') fact.run('title', facts.title);
  fact.run('arguments', '[]');
  fact.run('exitCode', null);
  fact.run('complete', String(isComplete));
  fact.run('importedFrom', facts.origin);
  fact.run('rangesOf', 'threads');
  const epoch = facts.epochOf(BigInt(rows.clock.base ?? 0) * 1000n + BigInt(zero));
  if (epoch !== null) rows.db.prepare('INSERT INTO TARGET_INFO_SESSION_START_TIME (utcEpochNs) VALUES (?)').run(epoch);
}

/** The input of {@link tellNotices}. */
export interface Findings {
  facts: RecordingFacts;
  result: ReadingResult;
  /** The damage of the file beside its JSON. */
  damage: string | null;
  gpus: GpuRows;
  hosts: HostRows;
  /** Names of counters, some of them. */
  counters: ReadonlySet<string>;
  /** Events of GPUs that processes share, started by none of them. */
  unowned: number;
}

export function tellNotices(rows: Rows, { facts, result, damage, gpus, hosts, counters, unowned }: Findings): void {
  const { clock, correlations, skipped } = rows;
  const notices = [`Recorded with ${facts.origin}.`];
  const tell = (count: number, text: string): void => {
    if (count > 0) notices.push(`${count} ${text}`);
  };
  if (facts.rank !== '') notices.push(facts.rank);
  if (damage !== null) notices.push(`Reading ended early: ${damage}.`);
  else if (result.isCut) notices.push(`The file was cut short: it ends at byte ${result.end}, within its JSON.`);
  tell(
    result.malformed,
    `parts of the file are no JSON and were left out, the first at byte ${result.firstMalformed}.`,
  );
  tell(clock.unreadable, 'events were left out because their times cannot be read.');
  tell(clock.negative, 'events end before they start: they are shown without length.');
  tell(hosts.alone.ends, 'ends of ranges were left out: nothing was begun.');
  tell(hosts.alone.begins, 'ranges have no end: they are shown up to the end of the recording.');
  tell(unowned, 'events of a GPU that processes share have no call before them: whose they are is unknown.');
  tell(correlations.wide, 'correlation ids do not fit 32 bits: they have got other numbers.');
  if (skipped.size > 0) {
    const parts = [...skipped].map(([what, count]) => {
      const names = what === counterValues ? ` of ${[...counters].join(', ')}` : '';
      return `${what}${names} (${count})`;
    });
    notices.push(`Not shown: ${parts.join(', ')}.`);
  }
  if (gpus.streams.size > 0) {
    const some = [...gpus.streams].slice(0, 8).map(([text, stream]) => `${text.slice(0, 40)} is ${stream}`);
    notices.push(`Streams that are not numbered have got numbers: ${some.join(', ')}.`);
  }
  if (rows.tables.KERNEL.count > 0) {
    if (!facts.isOurs) notices.push('Shared memory of kernels is known as one sum, shown as dynamic.');
    const alone = rows.db
      .prepare(
        `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k
         LEFT JOIN (SELECT DISTINCT correlationId AS id, globalTid >> 24 AS process FROM CUPTI_ACTIVITY_KIND_RUNTIME) r
           ON r.id = k.correlationId AND r.process = k.globalPid >> 24
         WHERE r.id IS NULL`,
      )
      .pluck()
      .get() as number;
    tell(alone, 'kernels have no API call in this recording.');
  }
  const notice = rows.db.prepare('INSERT INTO SIMSIGHT_NOTICES (text) VALUES (?)');
  for (const text of notices) notice.run(text);
}

/** Name of counters among what is not shown. */
export const counterValues = 'counter values';
