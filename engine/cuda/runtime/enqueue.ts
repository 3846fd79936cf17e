/** The one way into streams: work is carried out and timed, or becomes a node of the graph that is being captured. */
import type { ApiCall, HeldKernel, StreamId } from '../../system/types.ts';
import { addCaptured } from './capture.ts';
import type { CudaContext } from './context.ts';
import type { DeviceState } from './device-state.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { extentOf, OnlyWaited, perform, type Work } from './work.ts';

/** Puts work into a stream, or into the graph that the stream is being captured into. */
export function enqueue(context: CudaContext, call: ApiCall, handle: number, work: Work, async = true): number {
  const stream = context.streamOf(handle);
  if (stream === null) return cudaError.InvalidResourceHandle;
  const capture = context.captureOf(handle);
  const device = context.deviceOfStream(handle);
  if (capture) return addCaptured(context, capture, stream, work, device.index);
  const { deferred } = context;
  const place = { stream, device, async };
  if (!async || waitsForHost(context, work)) deferred.end(() => !isBehind(context, handle));
  if (isBehind(context, handle)) {
    const later = startLater(context, call, keepSource(context, work), place);
    deferred.put({ stream, device: device.index, run: later });
    return cudaError.Success;
  }
  if (work.type === 'kernel') {
    const run = startLater(context, call, work, place);
    if (!run(false)) deferred.put({ stream, device: device.index, run });
  } else carryOut(context, call, work, place);
  return async ? cudaError.Success : context.afterWait(call, () => context.noticeFault(device));
}

interface Place {
  stream: StreamId;
  device: DeviceState;
  async: boolean;
}

/** See `run` of what is deferred. */
function startLater(context: CudaContext, call: ApiCall, work: Work, place: Place): (mustEnd: boolean) => boolean {
  let held: HeldKernel | undefined;
  return (mustEnd) => {
    context.mayWait = work.type === 'kernel' && !mustEnd;
    try {
      carryOut(context, call, work, place, held);
      return true;
    } catch (error) {
      if (!(error instanceof OnlyWaited)) throw error;
      held ??= context.system.hold(place.stream);
      return false;
    } finally {
      context.mayWait = false;
    }
  };
}

/** `held`: the beginning of a kernel that has waited for the host. */
function carryOut(context: CudaContext, call: ApiCall, work: Work, place: Place, held?: HeldKernel): void {
  const { stream, device, async } = place;
  const timed = perform(context, work, device, stream);
  if (held !== undefined && timed === null) context.system.letGo(held);
  switch (timed?.type) {
    case 'kernel':
      context.system.launch(call, { ...timed, stream, ...(held === undefined ? {} : { held }) });
      break;
    case 'copy':
      context.system.copy(call, { ...timed, stream, async });
      break;
    case 'memset':
      context.system.memset(call, { ...timed, stream, async });
      break;
    case 'host':
      context.system.hostFunction(call, stream);
  }
}

/** Copies to pageable memory return when they have ended. */
const waitsForHost = (context: CudaContext, work: Work): boolean =>
  work.type === 'copy' && work.direction.endsWith('to-host') && context.isPageable(work.target.address);

/** Copies from pageable memory have read it when the call returns. */
function keepSource(context: CudaContext, work: Work): Work {
  if (work.type !== 'copy' || !work.direction.startsWith('host') || !context.isPageable(work.source.address))
    return work;
  return { ...work, kept: context.memory.bytes(work.source.address, extentOf(work.source, work)).slice() };
}

/** True if what is put into a stream now has to wait for deferred work. */
export const isBehind = (context: CudaContext, handle: number): boolean =>
  context.deferred.isBehind(context.streamOf(handle)!, context.deviceOfStream(handle).index);

/** Puts something into a stream that is behind deferred work, or is now; `run`: false where it has to wait for other streams. */
export function putBehind(context: CudaContext, handle: number, run: () => boolean): void {
  const stream = context.streamOf(handle)!;
  context.deferred.put({ stream, device: context.deviceOfStream(handle).index, run });
}

/** Does something in its turn of a stream: at once where nothing there has been deferred. */
export function inTurn(context: CudaContext, handle: number, run: () => void): void {
  if (isBehind(context, handle)) putBehind(context, handle, () => (run(), true));
  else run();
}
