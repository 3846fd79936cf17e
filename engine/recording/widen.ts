/**
 * From device IR to what is executed and timed, in a thread with limits of time and memory (`widen-worker.ts`). One thread is kept for
 * the next recording; it is ended when a recording is cancelled or a limit is reached, and nothing else is.
 */
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorFrom, SimsightError, type ErrorReport } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { cancelled, compileLimits, endAfter, limitError, type LimitName } from '../compile/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { DeviceCheck } from '../model/execution.ts';
import type { DeviceModule } from '../warp/module.ts';
import type { UnitCode } from '../warp/unit-code.ts';

export interface WidenOrder {
  ir: string;
  sourceName: string;
  checks: readonly DeviceCheck[];
  gpu: GpuDescription;
  /** Register limit of kernels without launch bounds; null: as many as the GPU has. */
  maxRegisters: number | null;
  /** For paged memory. */
  paged?: boolean;
}

/** What is to be compiled, early, and then the whole. */
export type WidenReply =
  { units: readonly UnitCode[] } | { module: DeviceModule } | { error: ErrorReport } | { limit: LimitName };

const idleMilliseconds = 120_000;
let idle: { worker: Worker; timer: NodeJS.Timeout } | null = null;

/** Heap limit of the thread, MiB: it holds the IR as objects, which takes more than Clang does. */
const heapMib = (memoryBytes: number): number => 2 * (memoryBytes >> 20);

function takeWorker(memoryBytes: number): Worker {
  if (idle !== null) {
    const { worker, timer } = idle;
    idle = null;
    clearTimeout(timer);
    worker.ref();
    return worker;
  }
  return new Worker(workerUrl('recording/widen-worker'), {
    name: 'widen',
    resourceLimits: { maxOldGenerationSizeMb: heapMib(memoryBytes) },
  });
}

/** Only our own: a worker listens to itself, for who listens to it. */
function release(worker: Worker): void {
  worker.removeAllListeners('message');
  worker.removeAllListeners('error');
}

function keepWorker(worker: Worker): void {
  release(worker);
  if (idle !== null) return void worker.terminate();
  worker.on('error', () => (idle = null));
  worker.unref();
  const timer = setTimeout(() => {
    idle = null;
    void worker.terminate();
  }, idleMilliseconds).unref();
  idle = { worker, timer };
}

/**
 * `onUnits` hears of the units to compile while the rest is made. Errors: those of {@link import('../kernels/module.ts').widenModule},
 * `budget-exceeded`, `cancelled`.
 */
export function widen(
  order: WidenOrder,
  signal?: AbortSignal,
  onUnits: (units: readonly UnitCode[]) => void = () => {},
): Promise<DeviceModule> {
  const limits = compileLimits();
  const what = { name: `the kernels of ${basename(order.sourceName)}`, file: order.sourceName };
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(cancelled());
    const worker = takeWorker(limits.memoryBytes);
    const fail = (error: Error): void => {
      forgetTime();
      signal?.removeEventListener('abort', abort);
      release(worker);
      void worker.terminate();
      reject(error);
    };
    const abort = (): void => fail(cancelled());
    const forgetTime = endAfter(worker, limits.seconds, () => fail(limitError('seconds', limits, what)));
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      fail(
        isFull
          ? limitError('memoryBytes', { ...limits, memoryBytes: 2 * limits.memoryBytes }, what)
          : new SimsightError('internal', `Translating ${what.name} failed: ${error.message}`),
      );
    });
    worker.on('message', (reply: WidenReply) => {
      if ('units' in reply) return onUnits(reply.units);
      if ('limit' in reply) return fail(limitError(reply.limit, limits, what));
      forgetTime();
      signal?.removeEventListener('abort', abort);
      keepWorker(worker);
      if ('module' in reply) resolve(reply.module);
      else reject(errorFrom(reply.error));
    });
    worker.postMessage(order);
  });
}
