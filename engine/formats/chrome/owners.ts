/** Who did what, once all events are there: work of GPUs belongs to processes of the host, and rows of GPUs to GPUs. */
import { deviceOfThread, gpuThread, tidOf } from '../../trace/codes.ts';
import type { GpuRows } from './gpu-rows.ts';
import type { Rows } from './rows.ts';
import type { ChromeProcess } from './threads.ts';

/** Kernels by which it is told which process launched those of a GPU. */
const launchesLookedAt = 10_000;

/** Whether a process of the file stands for a GPU: in containers those of the host may have the same small numbers. */
export const isGpuProcess = ({ deviceRows, hostRows, calls }: ChromeProcess): boolean =>
  deviceRows > 0 && hostRows === 0 && calls === 0;

/** The process of the host with most of the calls, or of the rows. */
export function mainProcess({ threads }: Rows): ChromeProcess | undefined {
  const hosts = [...threads.processes.values()].filter((process) => !isGpuProcess(process));
  return hosts.sort((a, b) => b.calls - a.calls || b.ranges - a.ranges || a.number - b.number)[0];
}

/** What ran on a GPU belongs to the process that started most of it. */
export function giveToProcesses(rows: Rows): void {
  const processes = [...rows.threads.processes.values()];
  const callers = processes.filter(({ calls }) => calls > 0);
  const main = mainProcess(rows);
  const caller = rows.db.prepare(
    `SELECT (r.globalTid >> 24) << 24 FROM
       (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? AND correlationId > 0
        LIMIT ${launchesLookedAt}) k
     JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
     GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
  );
  const owners = new Map<number, number>();
  for (const { globalPid, deviceRows } of processes) {
    if (deviceRows === 0) continue;
    const found = callers.length > 1 ? caller.pluck().get(globalPid) : undefined;
    owners.set(globalPid, Number(found ?? (callers[0] ?? main)?.globalPid ?? globalPid));
  }
  for (const kind of ['KERNEL', 'MEMCPY', 'MEMSET', 'SYNCHRONIZATION', 'GRAPH_TRACE']) {
    renumber(rows, `SIMSIGHT_SHAPES_${kind}`, 'globalPid', owners);
  }
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
