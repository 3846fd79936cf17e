/** The owners of events, once all events are there: work of GPUs belongs to processes of the host, and rows of GPUs to GPUs. */
import { deviceOfThread, gpuThread, tidOf } from '../../model/nsight-codes.ts';
import type { GpuRows } from './gpu-rows.ts';
import type { Rows } from './rows.ts';
import type { ChromeProcess } from './threads.ts';

/** Kernels by which it is told which process launched those of a GPU. */
const launchesLookedAt = 10_000;

/** True if a process of the file stands for a GPU: in containers those of the host may have the same small numbers. */
export const isGpuProcess = ({ deviceRows, hostRows, calls }: ChromeProcess): boolean =>
  deviceRows > 0 && hostRows === 0 && calls === 0;

/** The process of the host with most of the calls, or of the rows. */
export function mainProcess({ threads }: Rows): ChromeProcess | undefined {
  const hosts = [...threads.processes.values()].filter((process) => !isGpuProcess(process));
  return hosts.sort((a, b) => b.calls - a.calls || b.ranges - a.ranges || a.number - b.number)[0];
}

/** The tables with the work of a process of the file that stands for a GPU. */
const ofGpus = ['KERNEL', 'MEMCPY', 'MEMSET', 'SYNCHRONIZATION', 'GRAPH_TRACE'] as const;

/**
 * Gives the work of a GPU to the process that started it: to that which started most of it, unless several processes share the GPU.
 * Gives how many events have no owner then.
 */
export function giveToProcesses(rows: Rows): number {
  const { db } = rows;
  const processes = [...rows.threads.processes.values()];
  const callers = processes.filter(({ calls }) => calls > 0);
  const main = mainProcess(rows);
  const owners = new Map<number, number>();
  const shared: number[] = [];
  if (callers.length > 1) {
    db.exec(
      `CREATE TEMP TABLE calls AS SELECT r.correlationId AS id, (r.globalTid >> 24) << 24 AS process, r.start,
         (SELECT value LIKE '%GraphLaunch%' FROM StringIds WHERE id = r.nameId) AS isGraph
       FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId > 0;
       CREATE INDEX temp.callsById ON calls (id, start)`,
    );
  }
  for (const { globalPid, deviceRows } of processes) {
    if (deviceRows === 0) continue;
    const found = callers.length > 1 ? callerOf(rows, globalPid) : null;
    if (found?.isShared) shared.push(globalPid);
    else owners.set(globalPid, found?.process ?? (callers[0] ?? main)?.globalPid ?? globalPid);
  }
  let unowned = 0;
  for (const kind of ofGpus) {
    for (const globalPid of shared) unowned += giveEach(rows, kind, globalPid);
    renumber(rows, `SIMSIGHT_SHAPES_${kind}`, 'globalPid', owners);
  }
  if (callers.length > 1) db.exec('DROP TABLE temp.calls');
  return unowned;
}

/** The share of kernels with a call that one process has to have made, unless others made calls for the rest. */
const mostly = 0.9;

/**
 * The process that launched the kernels of a GPU, by the first of them. It is shared if nobody launched nearly all, or if one call would have
 * launched several kernels where another process made a call with the same id.
 */
function callerOf({ db }: Rows, globalPid: number): { process: number; isShared: boolean } | null {
  db.exec('CREATE TEMP TABLE launched (id INTEGER PRIMARY KEY, kernels INTEGER)');
  db.prepare(
    `INSERT INTO temp.launched SELECT correlationId, count(*) FROM
       (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? AND correlationId > 0
        LIMIT ${launchesLookedAt}) GROUP BY correlationId`,
  ).run(globalPid);
  const [most] = db
    .prepare(
      `SELECT process, sum(kernels) AS kernels FROM (SELECT DISTINCT l.id, l.kernels, c.process
         FROM temp.launched l JOIN temp.calls c ON c.id = l.id)
       GROUP BY process ORDER BY kernels DESC, process LIMIT 1`,
    )
    .raw()
    .all() as [process: number, kernels: number][];
  const [[all, repeated]] = db
    .prepare(
      `SELECT sum(kernels), sum(kernels > 1 AND processes > 1 AND NOT isGraph) FROM
         (SELECT l.id, l.kernels, count(DISTINCT c.process) AS processes, max(coalesce(c.isGraph, 0)) AS isGraph
          FROM temp.launched l JOIN temp.calls c ON c.id = l.id GROUP BY l.id)`,
    )
    .raw()
    .all() as [[number | null, number | null]];
  db.exec('DROP TABLE temp.launched');
  if (!most) return null;
  return { process: most[0], isShared: most[1] < mostly * Number(all) || Number(repeated) > 0 };
}

/** Gives each event of a GPU that processes share to the process whose call with its id started last before it. */
function giveEach({ db }: Rows, kind: (typeof ofGpus)[number], globalPid: number): number {
  const shapes = `SIMSIGHT_SHAPES_${kind}`;
  db.exec('CREATE TEMP TABLE owned (event INTEGER PRIMARY KEY, shape INTEGER, owner INTEGER)');
  db.prepare(
    `INSERT INTO temp.owned SELECT k.rowid, (SELECT shape FROM SIMSIGHT_EVENTS_${kind} e WHERE e.rowid = k.rowid),
       (SELECT process FROM temp.calls c WHERE c.id = k.correlationId AND c.start <= k.start ORDER BY c.start DESC LIMIT 1)
     FROM CUPTI_ACTIVITY_KIND_${kind} k WHERE k.globalPid = ?`,
  ).run(globalPid);
  // One shape may become one for each owner.
  const columns = (db.pragma(`table_info(${shapes})`) as { name: string }[]).map(({ name }) => name);
  const copied = columns.map((name) => (name === 'id' ? 'n.id' : name === 'globalPid' ? 'n.owner' : `s.${name}`));
  db.exec(
    `CREATE TEMP TABLE shapesOfOwners AS SELECT (SELECT max(id) FROM ${shapes}) + row_number() OVER () AS id, shape, owner
       FROM (SELECT DISTINCT shape, owner FROM temp.owned ORDER BY shape, owner);
     INSERT INTO ${shapes} (${columns.join(', ')}) SELECT ${copied.join(', ')}
       FROM temp.shapesOfOwners n JOIN ${shapes} s ON s.id = n.shape;
     CREATE INDEX temp.byShape ON shapesOfOwners (shape, owner);
     UPDATE SIMSIGHT_EVENTS_${kind} SET shape = n.id FROM temp.owned o JOIN temp.shapesOfOwners n
       ON n.shape = o.shape AND n.owner IS o.owner WHERE o.event = SIMSIGHT_EVENTS_${kind}.rowid;
     DELETE FROM ${shapes} WHERE id IN (SELECT shape FROM temp.owned)`,
  );
  const unowned = db.prepare('SELECT count(*) FROM temp.owned WHERE owner IS NULL').pluck().get() as number;
  db.exec('DROP TABLE temp.owned; DROP TABLE temp.shapesOfOwners');
  return unowned;
}

/** Ranges on rows of a GPU go below that GPU. */
export function giveToGpus(rows: Rows, gpus: GpuRows): void {
  const moved = new Map<number, number>();
  for (const process of rows.threads.processes.values()) {
    const threads = [...process.gpuThreads.values(), ...(isGpuProcess(process) ? process.threads.values() : [])];
    if (threads.length === 0) continue;
    const device = process.device ?? gpus.deviceOf(process, null);
    for (const thread of threads) {
      const to = gpuThread(device, tidOf(thread.globalTid));
      if (thread.hasRows) moved.set(thread.globalTid, to);
      thread.globalTid = to;
    }
    for (const [id, thread] of process.gpuThreads) {
      const stream = process.threads.get(id)?.name || `stream ${id}`;
      thread.name = `Annotations, ${stream}`;
    }
  }
  if (moved.size > 0) renumber(rows, 'SIMSIGHT_SHAPES_NVTX', 'globalTid', moved);
}

/** Changes ids all at once: a new one may be another's old one. */
function renumber({ db }: Rows, table: string, column: string, ids: ReadonlyMap<number, number>): void {
  db.exec('CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER)');
  const insert = db.prepare('INSERT INTO renumbered VALUES (?, ?)');
  for (const pair of ids) insert.run(...pair);
  db.exec(
    `UPDATE ${table} SET ${column} = renumbered.new FROM renumbered WHERE ${column} = renumbered.old;
     DROP TABLE temp.renumbered`,
  );
}

export function nameThreads(rows: Rows): void {
  const process = rows.db.prepare('INSERT INTO PROCESSES (globalPid, pid, name) VALUES (?, ?, ?)');
  const name = rows.db.prepare('INSERT INTO ThreadNames (nameId, priority, globalTid) VALUES (?, NULL, ?)');
  for (const each of rows.threads.processes.values()) {
    const threads = [...each.threads.values(), ...each.gpuThreads.values()].filter(({ hasRows }) => hasRows);
    if (threads.some(({ globalTid }) => deviceOfThread(globalTid) === null))
      process.run(each.globalPid, each.number, each.name || null);
    for (const thread of threads) {
      if (thread.name !== '') name.run(rows.string(thread.name), thread.globalTid);
    }
  }
}
