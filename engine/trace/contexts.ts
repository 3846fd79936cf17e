/** On which device the contexts of a trace are. */
import { processOf } from '../model/nsight-codes.ts';
import type { Row } from './trace.ts';

/** The device of a context of a process; `otherwise` for one that had no work. */
export type DeviceOfContext = (process: number, context: number, otherwise: number) => number;

/**
 * By the work that contexts had: each is on one device. Exports of Nsight Systems give device 0 to all waits, whichever stream of
 * which device waits, so what they say themselves is asked last.
 */
export function devicesOfContexts(query: (sql: string) => Row[]): DeviceOfContext {
  const known = new Map<string, number>();
  for (const table of ['KERNEL', 'MEMCPY', 'MEMSET']) {
    for (const [globalPid, context, device] of query(
      `SELECT DISTINCT globalPid, contextId, deviceId FROM SIMSIGHT_SHAPES_${table} WHERE contextId > 0`,
    )) {
      const key = `${processOf(globalPid)} ${Number(context)}`;
      if (!known.has(key)) known.set(key, Number(device));
    }
  }
  return (process, context, otherwise) => known.get(`${process} ${context}`) ?? otherwise;
}
