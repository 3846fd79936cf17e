/** The one way into streams: work is carried out and timed, or becomes a node of the graph that is being captured. */
import type { ApiCall } from '../../system/types.ts';
import { addCaptured } from './capture.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from './errors.ts';
import { perform, type Work } from './work.ts';

/** Puts work into a stream, or into the graph that the stream is being captured into. */
export function enqueue(context: CudaContext, call: ApiCall, handle: number, work: Work, async = true): number {
  const stream = context.streamOf(handle);
  if (stream === null) return cudaError.InvalidResourceHandle;
  const capture = context.captureOf(handle);
  const device = context.deviceOfStream(handle);
  if (capture) return addCaptured(context, capture, stream, work, device.index);
  const timed = perform(context, work, device, stream);
  switch (timed?.type) {
    case 'kernel':
      context.system.launch(call, { ...timed, stream });
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
  return async ? cudaError.Success : context.afterWait(call, () => context.noticeFault(device));
}
