/** Groups of fields that the details of several kinds of events have, under the names that Nsight uses. */
import type { EventField } from '../event-queries.ts';
import { formatTime } from '../format.ts';
import { none } from '../nsight-codes.ts';
import { integer } from '../typed-columns.ts';
import type { EventCells, EventContext } from './kind.ts';

interface Group {
  title: string;
  fields: EventField[];
}

export const field = (name: string, value: string | number): EventField => ({ name, value: String(value) });

/** Start, end and duration; `more` before the correlation id. */
export function timing({ start, end, correlationId }: EventCells, more: EventField[] = []): Group {
  const fields = [
    field('Start', formatTime(start)),
    field('End', formatTime(end)),
    field('Duration', formatTime(end - start)),
  ];
  fields.push(...more);
  if (correlationId !== null) fields.push(field('Correlation ID', correlationId));
  return { title: 'Timing', fields };
}

interface Place {
  deviceId: number;
  contextId?: number;
  streamId: number;
  graphId?: number | null;
  graphNodeId?: number | null;
}

/** The device, context, stream and graph of an event. */
export function place(context: EventContext, { deviceId, contextId, streamId, graphId, graphNodeId }: Place): Group {
  const fields = [field('Device', `${context.deviceName(deviceId)} (${deviceId})`)];
  if (contextId !== undefined) fields.push(field('Context', contextId));
  if (streamId !== none) fields.push(field('Stream', streamId));
  if (graphId) fields.push(field('Graph', graphId), ...context.graph(graphId));
  if (graphNodeId) fields.push(field('Graph Node', graphNodeId));
  return { title: 'Where', fields };
}

/** From the end of the launching call to the start on the GPU, where that is positive: nsys's queue time. */
export function queueTime(context: EventContext, { start }: EventCells): EventField[] {
  const [call] = context.correlated('api', { end: integer });
  const queued = call ? start - call.end : 0;
  return queued > 0 ? [field('Queue Time', formatTime(queued))] : [];
}
