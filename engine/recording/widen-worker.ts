/**
 * A thread that translates the device side of one source after another. What a source asks for may take any time and memory, so it
 * is not done where other recordings and viewers are served: this thread has limits, and can be ended.
 */
import { parentPort } from 'node:worker_threads';
import { reportOf } from '../base/errors.ts';
import { registersAllowed, withinRegisters } from '../sm/occupancy.ts';
import { widenModule } from '../kernels/module.ts';
import type { UnitCode } from '../warp/unit-code.ts';
import type { WidenOrder, WidenReply } from './widen.ts';

/** Launch bounds say how many registers there may be; `maxRegisters` is for kernels without them. */
function registerLimit({ gpu, maxRegisters }: WidenOrder): (maxThreads: number | null, minBlocks: number) => number {
  return (maxThreads, minBlocks) =>
    maxThreads === null && maxRegisters !== null
      ? registersAllowed(maxRegisters, gpu)
      : withinRegisters(gpu.limits.registersPerThread, gpu, maxThreads, minBlocks);
}

function widen(order: WidenOrder): WidenReply {
  const { ir, sourceName, checks, gpu, paged = false } = order;
  const independentLanes = gpu.computeCapability.major >= 7;
  try {
    const onUnits = (units: readonly UnitCode[]): void => parentPort!.postMessage({ units } satisfies WidenReply);
    const options = { checks, paged, independentLanes, registerLimit: registerLimit(order), onUnits };
    return { module: widenModule(ir, sourceName, options) };
  } catch (error) {
    if (error instanceof RangeError) return { limit: /call stack/.test(error.message) ? 'stack' : 'memoryBytes' };
    return { error: reportOf(error) };
  }
}

parentPort!.on('message', (order: WidenOrder) => parentPort!.postMessage(widen(order)));
