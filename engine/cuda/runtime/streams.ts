/** Streams, events, and waiting for the device. */
import { callCost } from '../../system/call-costs.ts';
import { copyWindow, getWindow, setWindow } from './access-windows.ts';
import type { CudaCall } from './api.ts';
import type { ApiCall } from '../../system/types.ts';
import { recordCaptured, refuseCaptured, waitCaptured } from './capture.ts';
import type { CudaContext, EventState } from './context.ts';
import type { DeviceState } from './device-state.ts';
import { enqueue, inTurn, isBehind, putBehind } from './enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { launchAttribute } from './launch.ts';
import { releaseUnused } from './pools.ts';

const { Success, InvalidValue, InvalidResourceHandle, NotReady } = cudaError;

/** Priorities that CUDA offers on all recent GPUs: 0 (least) to -5 (greatest). */
export const greatestPriority = -5;

const nonBlockingFlag = 1;
const blockingSyncFlag = 1;
const disableTimingFlag = 2;

function createStream(context: CudaContext, target: number, flags: number, priority: number): number {
  if (target === 0 || flags > nonBlockingFlag) return InvalidValue;
  const clamped = Math.max(greatestPriority, Math.min(0, priority | 0));
  const { index: device } = context.current;
  const id = context.system.createStream({ nonBlocking: (flags & nonBlockingFlag) !== 0, priority: clamped, device });
  const handle = context.newHandle();
  context.streams.set(handle, { id, device, flags, priority: clamped });
  context.memory.setWord(target, handle);
  return Success;
}

function createEvent(context: CudaContext, target: number, flags: number): number {
  if (target === 0 || flags > 7) return InvalidValue;
  const timing = (flags & disableTimingFlag) === 0;
  const id = context.system.createEvent({ timing, blockingSync: (flags & blockingSyncFlag) !== 0 });
  const handle = context.newHandle();
  context.events.set(handle, {
    id,
    device: context.current.index,
    timing,
    recorded: false,
    captured: null,
    deferred: 0,
  });
  context.memory.setWord(target, handle);
  return Success;
}

/** Result of a call that waits for a device: pools give back what they do not use, and faults become known. */
const answerOfWait = (context: CudaContext, call: ApiCall, device: DeviceState): number =>
  context.afterWait(call, () => {
    releaseUnused(context, device);
    return context.noticeFault(device);
  });

/** Captured work never ran, so nobody can wait for it or ask about it. */
const refusedStream = (context: CudaContext, handle: number): number =>
  refuseCaptured(context.captureOf(handle), cudaError.StreamCaptureUnsupported);

function refusedEvent(context: CudaContext, { captured }: EventState): number {
  if (!captured || !context.captures.has(captured.capture)) return Success;
  return refuseCaptured(captured.capture, cudaError.CapturedEvent);
}

const externalFlag = 1;

/** Takes something away, which deferred work may still use. */
function whenCarriedOut({ deferred }: CudaContext, device: number, run: () => void): void {
  if (deferred.isEmpty) run();
  else deferred.putLast(device, run);
}

export const streamCalls: Record<string, CudaCall> = {
  cudaStreamCreate: {
    cost: 1030, // least api_duration cudaStreamCreateWithFlags; C6 stream_create_destroy_cpu: 2.4 for the pair
    run: (context, _call, target) => createStream(context, target!, 0, 0),
  },
  cudaStreamCreateWithFlags: {
    cost: 1030,
    run: (context, _call, target, flags) => createStream(context, target!, flags!, 0),
  },
  cudaStreamCreateWithPriority: {
    cost: 1030,
    run: (context, _call, target, flags, priority) => createStream(context, target!, flags!, priority!),
  },
  cudaStreamDestroy: {
    cost: 1380,
    run: (context, _call, handle) => {
      const stream = context.streams.get(handle!);
      if (!stream) return InvalidResourceHandle;
      // Of another stream that takes part, what it did has still to be joined (seen on an H200).
      const capture = context.captureOf(handle!);
      if (capture?.origin === stream.id) context.captures.delete(capture);
      context.streams.delete(handle!);
      context.accessWindows.delete(stream.id);
      whenCarriedOut(context, stream.device, () => context.system.destroyStream(stream.id));
      return Success;
    },
  },
  cudaStreamSynchronize: {
    cost: 206, // C6 stream_synchronize_cpu idle_stream
    stream: 0,
    looks: true,
    run: (context, call, handle) => {
      const stream = context.streamOf(handle!);
      if (stream === null) return InvalidResourceHandle;
      const refused = refusedStream(context, handle!);
      if (refused) return refused;
      const { index: device } = context.deviceOfStream(handle!);
      context.deferred.end(() => !context.deferred.isIn(stream, device));
      context.system.synchronizeStream(call, stream);
      return answerOfWait(context, call, context.deviceOfStream(handle!));
    },
  },
  cudaStreamQuery: {
    cost: 260,
    stream: 0,
    looks: true,
    run: (context, _call, handle) => {
      const stream = context.streamOf(handle!);
      if (stream === null) return InvalidResourceHandle;
      const refused = refusedStream(context, handle!);
      if (refused) return refused;
      const { deferred } = context;
      const { index: device } = context.deviceOfStream(handle!);
      if (deferred.isIn(stream, device)) deferred.goOn();
      if (deferred.isIn(stream, device)) return NotReady;
      return context.system.queryStream(stream) ? context.noticeFault(context.deviceOfStream(handle!)) : NotReady;
    },
  },
  cudaStreamWaitEvent: {
    cost: callCost.waitEvent,
    run: (context, call, handle, eventHandle, flags) => {
      const stream = context.streamOf(handle!);
      const event = context.events.get(eventHandle!);
      if (stream === null || !event) return InvalidResourceHandle;
      if (flags! > externalFlag) return InvalidValue;
      const capture = context.captureOf(handle!);
      if (capture && flags === externalFlag) {
        return enqueue(context, call, handle!, { type: 'event-wait', event: eventHandle! });
      }
      const live = event.captured !== null && context.captures.has(event.captured.capture);
      if (capture || live) return waitCaptured(context, event, stream, capture);
      // An event that was never recorded counts as complete.
      if (!event.recorded) return Success;
      const wait = (): void => context.system.streamWaitEvent(call, stream, event.id);
      if (event.deferred === 0) inTurn(context, handle!, wait);
      else
        putBehind(context, handle!, () => {
          if (event.deferred > 0) return false;
          wait();
          return true;
        });
      return Success;
    },
  },

  cudaEventCreate: {
    cost: 140, // C6 event_create_destroy_cpu: 0.232 for the pair; S9 0.2 and 0.14 for it alone
    run: (context, _call, target) => createEvent(context, target!, 0),
  },
  cudaEventCreateWithFlags: {
    cost: 110,
    run: (context, _call, target, flags) => createEvent(context, target!, flags!),
  },
  cudaEventDestroy: {
    cost: 90,
    run: (context, _call, handle) => {
      const event = context.events.get(handle!);
      if (!event) return InvalidResourceHandle;
      context.events.delete(handle!);
      whenCarriedOut(context, event.device, () => context.system.destroyEvent(event.id));
      return Success;
    },
  },
  cudaEventRecord: {
    cost: callCost.record,
    stream: 1,
    serial: 3.75, // with its `timedEvent`, 712 ns of 190
    run: (context, call, eventHandle, handle) => {
      const event = context.events.get(eventHandle!);
      const stream = context.streamOf(handle!);
      if (!event || stream === null) return InvalidResourceHandle;
      // Programming guide, "Multi-Device System": the event and the stream have to be of one device.
      if (event.device !== context.deviceOfStream(handle!).index) return InvalidResourceHandle;
      const capture = context.captureOf(handle!);
      if (capture) return recordCaptured(context, capture, event, stream);
      event.captured = null;
      event.recorded = true;
      if (event.deferred === 0 && !isBehind(context, handle!)) context.system.recordEvent(call, event.id, stream);
      else {
        event.deferred++;
        putBehind(context, handle!, () => {
          event.deferred--;
          context.system.recordEvent(call, event.id, stream);
          return true;
        });
      }
      return Success;
    },
  },
  cudaEventRecordWithFlags: {
    cost: callCost.record,
    stream: 1,
    run: (context, call, event, handle, flags) => {
      if (flags! > externalFlag) return InvalidValue;
      if (flags === externalFlag && context.events.has(event!) && context.captureOf(handle!)) {
        return enqueue(context, call, handle!, { type: 'event-record', event: event! });
      }
      return streamCalls.cudaEventRecord!.run(context, call, event!, handle!);
    },
  },
  cudaEventSynchronize: {
    cost: 166, // C6 event_synchronize_cpu already_complete
    run: (context, call, handle) => {
      const event = context.events.get(handle!);
      if (!event) return InvalidResourceHandle;
      const refused = refusedEvent(context, event);
      if (refused) return refused;
      context.deferred.end(() => event.deferred === 0);
      if (event.recorded) context.system.synchronizeEvent(call, event.id);
      return answerOfWait(context, call, context.devices[event.device]!);
    },
  },
  cudaEventQuery: {
    cost: 154, // C6 event_query_cpu already_complete
    run: (context, _call, handle) => {
      const event = context.events.get(handle!);
      if (!event) return InvalidResourceHandle;
      const refused = refusedEvent(context, event);
      if (refused) return refused;
      if (event.deferred > 0) context.deferred.goOn();
      const isComplete = !event.recorded || (event.deferred === 0 && context.system.queryEvent(event.id));
      return isComplete ? context.noticeFault(context.devices[event.device]) : NotReady;
    },
  },
  cudaEventElapsedTime: {
    cost: 80, // this and all without a source: S9 of system.cu, whose host is as fast as the reference's
    run: (context, _call, target, startHandle, endHandle) => {
      const start = context.events.get(startHandle!);
      const end = context.events.get(endHandle!);
      if (!start || !end || !start.timing || !end.timing || !start.recorded || !end.recorded)
        return InvalidResourceHandle;
      if (start.device !== end.device) return InvalidResourceHandle;
      if (start.deferred > 0 || end.deferred > 0) return NotReady;
      const milliseconds = context.system.elapsedMilliseconds(start.id, end.id);
      if (milliseconds === null) return NotReady;
      context.memory.setF32(target!, milliseconds);
      return Success;
    },
  },

  // Other attributes change nothing: waiting always spins.
  cudaStreamSetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, attribute, value) => {
      if (attribute === launchAttribute.accessPolicyWindow) return setWindow(context, handle!, value!);
      return context.streamOf(handle!) === null ? InvalidResourceHandle : Success;
    },
  },
  cudaStreamGetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, attribute, target) => {
      if (attribute === launchAttribute.accessPolicyWindow) return getWindow(context, handle!, target!);
      if (context.streamOf(handle!) === null) return InvalidResourceHandle;
      context.memory.bytes(target!, 64).fill(0);
      if (attribute === launchAttribute.priority)
        context.memory.setU32(target!, context.streams.get(handle!)?.priority ?? 0);
      return Success;
    },
  },
  cudaStreamCopyAttributes: {
    cost: callCost.unmeasured,
    run: (context, _call, target, source) => copyWindow(context, target!, source!),
  },

  cudaDeviceSynchronize: {
    cost: 309, // C6 device_synchronize_cpu idle
    run: (context, call) => {
      for (const capture of context.captures) capture.invalid = true;
      if (context.captures.size > 0) return cudaError.StreamCaptureUnsupported;
      context.waitForDevice(call, false, context.current.index);
      return answerOfWait(context, call, context.current);
    },
  },
  cudaThreadSynchronize: {
    cost: callCost.unmeasured,
    run: (context, call) => streamCalls.cudaDeviceSynchronize!.run(context, call),
  },
};
