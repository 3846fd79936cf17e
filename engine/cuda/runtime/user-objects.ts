/** Objects of the program that graphs keep alive. CUDA programming guide, "CUDA User Objects". */
import { callCost } from '../../system/call-costs.ts';
import type { CudaCall } from './api.ts';
import { asWord } from '../host-exports.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';

export interface UserObject {
  /** Pointer that the program gave, and the function that is called with it when the last reference is gone. */
  readonly pointer: number;
  readonly destroy: number;
  references: number;
  readonly handle: number;
}

const { Success, InvalidValue } = cudaError;
const noDestructorSync = 1;
const move = 1;

/** CUDA has a thread of its own call the destructor, some time later; here it is called at once. */
export function releaseObject(context: CudaContext, object: UserObject, count: number): void {
  object.references -= count;
  if (object.references > 0 || !context.userObjects.delete(object.handle)) return;
  context.callHost(object.destroy, asWord(object.pointer));
}

export const userObjectCalls: Record<string, CudaCall> = {
  cudaUserObjectCreate: {
    cost: callCost.unmeasured,
    run: (context, _call, target, pointer, destroy, references, flags) => {
      if (target === 0 || destroy === 0 || references === 0 || flags !== noDestructorSync) return InvalidValue;
      const object = { pointer: pointer!, destroy: destroy!, references: references!, handle: context.newHandle() };
      context.userObjects.set(object.handle, object);
      context.memory.setWord(target!, object.handle);
      return Success;
    },
  },
  cudaUserObjectRetain: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, count) => {
      const object = context.userObjects.get(handle!);
      if (!object || count === 0) return InvalidValue;
      object.references += count!;
      return Success;
    },
  },
  cudaUserObjectRelease: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, count) => {
      const object = context.userObjects.get(handle!);
      if (!object || count === 0) return InvalidValue;
      releaseObject(context, object, count!);
      return Success;
    },
  },
  cudaGraphRetainUserObject: {
    cost: callCost.unmeasured,
    run: (context, _call, graphHandle, handle, count, flags) => {
      const graph = context.graphs.get(graphHandle!);
      const object = context.userObjects.get(handle!);
      if (!graph || !object || count === 0 || flags! > move) return InvalidValue;
      if (flags !== move) object.references += count!;
      graph.userObjects.set(object, (graph.userObjects.get(object) ?? 0) + count!);
      return Success;
    },
  },
  cudaGraphReleaseUserObject: {
    cost: callCost.unmeasured,
    run: (context, _call, graphHandle, handle, count) => {
      const graph = context.graphs.get(graphHandle!);
      const object = context.userObjects.get(handle!);
      if (!graph || !object || count === 0) return InvalidValue;
      // More than it has cannot be released; an H200 takes the call all the same.
      const held = graph.userObjects.get(object) ?? 0;
      const released = Math.min(held, count!);
      if (released === held) graph.userObjects.delete(object);
      else graph.userObjects.set(object, held - released);
      if (released > 0) releaseObject(context, object, released);
      return Success;
    },
  },
};
