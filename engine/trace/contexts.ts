/** Devices of the contexts of a trace. */
import { processOf } from '../model/nsight-codes.ts';
import type { Row } from './trace.ts';

/** The device of a context of a process; `otherwise` for one that had no work. */
export type DeviceOfContext = (process: number, context: number, otherwise: number) => number;

/**
 * Finds the devices of contexts by the work that they had: each context is on one device. Exports of Nsight Systems assign all waits to
 * device 0, whichever stream of which device waits, so the device that a wait states is only the fallback.
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
