/** Traces of ours in which something is different for each event. */
import { ns } from '../../../engine/base/units.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { api, end, facts, kernel } from '../../unit/trace/example-recording-events.ts';

export interface Different {
  stream?: boolean;
  device?: boolean;
  name?: boolean;
  thread?: boolean;
  nested?: boolean;
}

export async function writeTrace(
  path: string,
  count: number,
  each: Different = {},
  named = 'void saxpy<float>(int)',
): Promise<void> {
  const names = new Map(facts.names);
  names.set('k', { demangled: named, short: named.slice(0, 1000) });
  if (each.name) for (let i = 0; i < count; i++) names.set(`k${i}`, { demangled: `void k<${i}>(int)`, short: 'k' });
  const writer = createTraceWriter(path, { ...facts, names });
  for (let from = 0; from < count; from += 10_000) {
    const events: TraceEvent[] = [];
    for (let i = from; i < Math.min(count, from + 10_000); i++) {
      const more = { kernel: each.name ? `k${i}` : 'k', ...(each.device ? { deviceId: i } : {}) };
      events.push({
        ...api('cudaLaunchKernel', i * 20, i * 20 + 5, i + 1),
        ...(each.thread ? { threadId: i + 1 } : {}),
      } as TraceEvent);
      events.push(kernel(i * 20 + 8, i * 20 + 15, i + 1, each.stream ? i + 7 : 7, more));
      if (each.nested)
        events.push({
          ...{ type: 'nvtx', kind: 'push-pop', start: ns(i), end: ns(40 * count - i), text: `range ${i}`, threadId: 1 },
          ...{ color: null, category: null, domainId: 0, rangeId: i, payload: null },
        } as TraceEvent);
    }
    writer.append(events);
  }
  await writer.finish(end);
}
