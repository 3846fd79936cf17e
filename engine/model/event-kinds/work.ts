/** Common to all kinds of a GPU's work: the place of an event, and its row on the timeline. */
import type { Nanoseconds } from '../../base/units.ts';
import { contextIdOf, globalId, none, processOf } from '../nsight-codes.ts';
import type { EventCells, RowContext, WorkCells } from './kind.ts';
import { rowKeys, type StreamPlace } from './row-keys.ts';

/** Work of a GPU as the recorder emits it. */
export interface DeviceWork {
  start: Nanoseconds;
  end: Nanoseconds;
  deviceId: number;
  streamId: number;
  /** The API call that enqueued it. */
  correlationId: number;
  /** For nodes of a graph: the executable, and the node of it. */
  graphId?: number;
  graphNodeId?: number;
}

/** Columns of the place of recorded work, and their cells. */
export const placeColumns = ['deviceId', 'contextId', 'streamId', 'globalPid'];
export function placeCells({ deviceId, streamId }: { deviceId: number; streamId: number | null }): number[] {
  return [deviceId, contextIdOf(deviceId), streamId ?? none, globalId()];
}

export const streamPlace = ({ deviceId, contextId, streamId, globalPid }: WorkCells): StreamPlace => ({
  device: deviceId,
  process: processOf(globalPid),
  context: contextId || 0,
  stream: streamId,
});

/** The row of device work: nodes of a graph are below the stream that it was launched into, whichever branch they are on. */
export function rowOfWork(event: EventCells & WorkCells, context: RowContext): string {
  const place = streamPlace(event);
  const launch = context.graphLaunch(place.process, event.correlationId);
  return launch?.device === place.device ? rowKeys.graphNodes(launch) : rowKeys.stream(place);
}

/** Arguments of a slice in Chrome's format, as Kineto calls them. */
export function chromeArguments({ deviceId, contextId, streamId, correlationId }: EventCells & WorkCells): object {
  return {
    device: deviceId,
    context: contextId,
    ...(streamId === none ? {} : { stream: streamId }),
    ...(correlationId ? { correlation: correlationId } : {}),
  };
}
export const chromeGraph = (graphId: number | null, graphNodeId: number | null): object => ({
  ...(graphId === null ? {} : { 'graph id': graphId }),
  ...(graphNodeId === null ? {} : { 'graph node id': graphNodeId }),
});
