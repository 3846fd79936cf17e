/** A process's resources and the processes it has started, from Linux's /proc; nothing, where it has ended or the system does not tell. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process and all that it and theirs have started. */
export function treeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(treeOf)];
  } catch {
    return [pid];
  }
}

/** Bytes, resident. The kernel's own record of the most that a process had: nothing between two looks is missed, but after the last. */
export function peakOf(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The clock of Linux in what /proc says of a process. */
const ticksPerSecond = 100;

/** Milliseconds of a core. */
export function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (1000 * (user! + system!)) / ticksPerSecond;
  } catch {
    return 0;
  }
}
