/**
 * Access policy windows of streams: which addresses are to persist in L2. They are kept and given back as CUDA does it; L2 itself is
 * timed without persisting lines, which a notice says once.
 */
import { persistingL2 } from '../../gpus/persisting-l2.ts';
import { cudaAccessPolicyWindow as field } from './abi.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;

/** `cudaAccessProperty`. */
const persisting = 2;

/** Says once that windows change no times; `at`: the window. */
export function noticeWindow(context: CudaContext, at: number): void {
  if (context.memory.word(at + field.num_bytes) === 0 || context.saidOfWindows) return;
  context.saidOfWindows = true;
  context.system.notice(
    'An access policy window is set: it changes no times here, L2 is simulated without lines that persist or are streamed.',
  );
}

/** What an H200 with driver 580.159 refuses: a wide window, a share that is none, and misses that persist. */
function isPossible(context: CudaContext, at: number): boolean {
  const ratio = context.memory.f32(at + field.hitRatio);
  const { window } = persistingL2(context.gpu);
  const isNarrow = context.memory.word(at + field.num_bytes) <= window;
  return isNarrow && ratio >= 0 && ratio <= 1 && context.memory.u32(at + field.missProp) !== persisting;
}

export function setWindow(context: CudaContext, handle: number, at: number): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  if (at === 0 || !isPossible(context, at)) return InvalidValue;
  noticeWindow(context, at);
  context.accessWindows.set(stream, context.memory.bytes(at, field.bytes).slice());
  return Success;
}

export function getWindow(context: CudaContext, handle: number, at: number): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  if (at === 0) return InvalidValue;
  context.memory.bytes(at, field.bytes).set(context.accessWindows.get(stream) ?? new Uint8Array(field.bytes));
  return Success;
}

export function copyWindow(context: CudaContext, target: number, source: number): number {
  const [to, from] = [context.streamOf(target), context.streamOf(source)];
  if (to === null || from === null) return InvalidResourceHandle;
  const window = context.accessWindows.get(from);
  if (window === undefined) context.accessWindows.delete(to);
  else context.accessWindows.set(to, window);
  return Success;
}
