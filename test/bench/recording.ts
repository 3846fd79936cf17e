/** Large recordings for benches: a program that launches kernels into streams, copies, waits and names what it does. */
import { ns } from '../../engine/base/units.ts';
import { gpuById } from '../../engine/gpus/index.ts';
import type { TraceEvent } from '../../engine/model/events.ts';

/** A small fixed generator. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const details = {
  registersPerThread: 32,
  staticSharedBytes: 0,
  localBytesPerThread: 0,
  sharedConfigBytes: 65536,
  metrics: { 'sm__warps_active.avg.pct_of_peak_sustained_active': 87.5, 'dram__bytes_read.sum': 1048576 },
};
/** Batches of about 4,000 events, `count` in all, on so many GPUs with so many streams each; times and sizes by a fixed generator. */
export function* recording(count: number, devices = 1, streams = 4): Generator<TraceEvent[]> {
  const next = random(1);
  const free = new Float64Array(devices * streams);
  let host = 0;
  let correlationId = 0;
  let made = 0;
  while (made < count) {
    const batch: TraceEvent[] = [];
    while (batch.length < 4000 && made + batch.length < count) {
      correlationId++;
      const stream = next(devices * streams);
      const call = (name: string, length: number): void => {
        const start = host;
        host += length;
        batch.push({ type: 'api', name, start: ns(start), end: ns(host), correlationId, threadId: 1, returnValue: 0 });
        host += 300 + next(1500);
      };
      const onStream = (
        length: number,
      ): {
        start: ReturnType<typeof ns>;
        end: ReturnType<typeof ns>;
        deviceId: number;
        streamId: number;
        correlationId: number;
      } => {
        const start = Math.max(host, free[stream]!) + 900;
        free[stream] = start + length;
        return {
          start: ns(start),
          end: ns(start + length),
          deviceId: stream % devices,
          streamId: 13 + stream,
          correlationId,
        };
      };
      const kind = next(20);
      if (kind < 16) {
        call('cudaLaunchKernel', 2400 + next(600));
        const name = next(20);
        batch.push({
          type: 'kernel',
          kernel: `_Z${name + 7}kernel_${name}PfS_i`,
          ...onStream(2000 + 400 * name + next(1000)),
          grid: { x: 132 * (1 + (name % 4)), y: 1, z: 1 },
          block: { x: 256, y: 1, z: 1 },
          dynamicSharedBytes: 0,
          details,
        });
      } else if (kind < 18) {
        call('cudaMemcpyAsync', 1900 + next(500));
        const bytes = 4096 << next(12);
        const place = onStream(1500 + Math.ceil(bytes / 50));
        const direction = next(2) ? 'host-to-device' : 'device-to-host';
        batch.push({
          type: 'copy',
          ...place,
          direction,
          hostMemory: 'pinned',
          bytes,
          engine: direction === 'host-to-device' ? 0 : 1,
        });
      } else if (kind === 18) {
        const start = host;
        call('cudaStreamSynchronize', 500 + Math.max(0, free[stream]! - host));
        batch.push({
          type: 'synchronization',
          start: ns(start),
          end: ns(host),
          kind: 'stream',
          deviceId: stream % devices,
          streamId: 13 + stream,
          eventId: null,
          correlationId,
        });
      } else {
        const [start, text] = [host, `step ${next(50)}`];
        host += 5000;
        batch.push({
          type: 'nvtx',
          kind: 'push-pop',
          start: ns(start),
          end: ns(host),
          text,
          color: null,
          category: null,
          domainId: 0,
          rangeId: null,
          payload: null,
          threadId: 1,
        });
      }
    }
    made += batch.length;
    yield batch;
  }
}

export const facts = {
  title: 'Bench',
  program: 'bench.cu',
  arguments: [],
  gpu: gpuById('h200'),
  sources: [],
  names: new Map(),
};
