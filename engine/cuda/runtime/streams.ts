/** Streams, events, and waiting for the device. */
import type { ApiFunction } from './api.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from './errors.ts';

const { Success, InvalidValue, InvalidResourceHandle, NotReady } = cudaError;

/** Priorities that CUDA offers on all recent GPUs: 0 (least) to -5 (greatest). */
export const greatestPriority = -5;

const nonBlockingFlag = 1;
const blockingSyncFlag = 1;
const disableTimingFlag = 2;

function createStream(context: CudaContext, target: number, flags: number, priority: number): number {
  if (target === 0 || flags > nonBlockingFlag) return InvalidValue;
  const clamped = Math.max(greatestPriority, Math.min(0, priority | 0));
  const id = context.system.createStream({ nonBlocking: (flags & nonBlockingFlag) !== 0, priority: clamped });
  const handle = context.newHandle();
  context.streams.set(handle, { id, flags, priority: clamped });
  context.memory.setU32(target, handle);
  return Success;
}

function createEvent(context: CudaContext, target: number, flags: number): number {
  if (target === 0 || flags > 7) return InvalidValue;
  const timing = (flags & disableTimingFlag) === 0;
  const id = context.system.createEvent({ timing, blockingSync: (flags & blockingSyncFlag) !== 0 });
  const handle = context.newHandle();
  context.events.set(handle, { id, timing, recorded: false });
  context.memory.setU32(target, handle);
  return Success;
}

export const streamCalls: Record<string, ApiFunction> = {
  cudaStreamCreate: (context, _call, target) => createStream(context, target!, 0, 0),
  cudaStreamCreateWithFlags: (context, _call, target, flags) => createStream(context, target!, flags!, 0),
  cudaStreamCreateWithPriority: (context, _call, target, flags, priority) =>
    createStream(context, target!, flags!, priority!),
  cudaStreamDestroy: (context, _call, handle) => {
    const stream = context.streams.get(handle!);
    if (!stream) return InvalidResourceHandle;
    context.streams.delete(handle!);
    context.system.destroyStream(stream.id);
    return Success;
  },
  cudaStreamSynchronize: (context, call, handle) => {
    const stream = context.streamOf(handle!);
    if (stream === null) return InvalidResourceHandle;
    context.system.synchronizeStream(call, stream);
    return context.noticeFault();
  },
  cudaStreamQuery: (context, _call, handle) => {
    const stream = context.streamOf(handle!);
    if (stream === null) return InvalidResourceHandle;
    return context.system.queryStream(stream) ? context.noticeFault() : NotReady;
  },
  cudaStreamWaitEvent: (context, call, handle, eventHandle) => {
    const stream = context.streamOf(handle!);
    const event = context.events.get(eventHandle!);
    if (stream === null || !event) return InvalidResourceHandle;
    // An event that was never recorded counts as complete.
    if (event.recorded) context.system.streamWaitEvent(call, stream, event.id);
    return Success;
  },

  cudaEventCreate: (context, _call, target) => createEvent(context, target!, 0),
  cudaEventCreateWithFlags: (context, _call, target, flags) => createEvent(context, target!, flags!),
  cudaEventDestroy: (context, _call, handle) => {
    const event = context.events.get(handle!);
    if (!event) return InvalidResourceHandle;
    context.events.delete(handle!);
    context.system.destroyEvent(event.id);
    return Success;
  },
  cudaEventRecord: (context, call, eventHandle, handle) => {
    const event = context.events.get(eventHandle!);
    const stream = context.streamOf(handle!);
    if (!event || stream === null) return InvalidResourceHandle;
    event.recorded = true;
    context.system.recordEvent(call, event.id, stream);
    return Success;
  },
  cudaEventRecordWithFlags: (context, call, event, handle) =>
    streamCalls.cudaEventRecord!(context, call, event!, handle!),
  cudaEventSynchronize: (context, call, handle) => {
    const event = context.events.get(handle!);
    if (!event) return InvalidResourceHandle;
    if (event.recorded) context.system.synchronizeEvent(call, event.id);
    return context.noticeFault();
  },
  cudaEventQuery: (context, _call, handle) => {
    const event = context.events.get(handle!);
    if (!event) return InvalidResourceHandle;
    return !event.recorded || context.system.queryEvent(event.id) ? context.noticeFault() : NotReady;
  },
  cudaEventElapsedTime: (context, _call, target, startHandle, endHandle) => {
    const start = context.events.get(startHandle!);
    const end = context.events.get(endHandle!);
    if (!start || !end || !start.timing || !end.timing || !start.recorded || !end.recorded)
      return InvalidResourceHandle;
    const milliseconds = context.system.elapsedMilliseconds(start.id, end.id);
    if (milliseconds === null) return NotReady;
    context.memory.setF32(target!, milliseconds);
    return Success;
  },

  cudaDeviceSynchronize: (context, call) => {
    context.system.synchronizeDevice(call);
    return context.noticeFault();
  },
  cudaThreadSynchronize: (context, call) => streamCalls.cudaDeviceSynchronize!(context, call),
};
