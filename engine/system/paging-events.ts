/** Events of the migrations and page faults of managed memory, as the trace shows them. */
import { ns } from '../base/units.ts';
import type { MigrationEvent } from '../model/event-kinds/memcpy.ts';
import type { PageFaultEvent } from '../model/event-kinds/gpu-page-fault.ts';
import { host } from './managed-pages.ts';
import type { Migration, Paging } from './managed.ts';

const deviceOf = (processor: number): number => Math.max(0, processor - 1);
/** The GPU that a migration is shown at: the one that gets it, or that the host gets it from. */
const ownerOf = ({ from, to }: Migration): number => deviceOf(to === host ? from : to);

function directionOf({ from, to }: Migration): MigrationEvent['direction'] {
  if (from === host) return 'host-to-device';
  return to === host ? 'device-to-host' : 'device-to-device';
}

/**
 * The events of work that took from `start` to `end`. Its steps are as long as they are; what it did beside them is spread
 * evenly between them.
 */
export function pagingEvents(paging: Paging, start: number, end: number): (MigrationEvent | PageFaultEvent)[] {
  const { steps } = paging;
  const own = Math.max(0, end - start - paging.duration);
  const events: (MigrationEvent | PageFaultEvent)[] = [];
  let at = start + paging.before;
  steps.forEach((step, i) => {
    const begins = Math.round(at + (own * i) / steps.length);
    if (step.faults) {
      const { processor, address, count, access } = step.faults;
      events.push({
        type: 'page-fault',
        processor: processor === host ? 'host' : 'device',
        start: ns(begins),
        end: ns(begins + step.duration),
        deviceId: deviceOf(processor),
        address,
        count,
        access,
      });
    }
    for (const migration of step.migrations) {
      const { offset, duration, address, bytes, cause, from, to } = migration;
      events.push({
        type: 'migration',
        start: ns(begins + offset),
        end: ns(begins + offset + duration),
        deviceId: ownerOf(migration),
        direction: directionOf(migration),
        ...(from === host || to === host ? {} : { peer: { from: deviceOf(from), to: deviceOf(to) } }),
        address,
        bytes,
        cause,
      });
    }
    at += step.duration;
  });
  return events;
}
