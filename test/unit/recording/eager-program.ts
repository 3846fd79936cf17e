/** A thread that makes events as fast as it can, for the test of back-pressure. */
import { parentPort, workerData } from 'node:worker_threads';
import { batchEvents, EventBatches } from '../../../engine/recording/batches.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';

const { inFlight, batches, posted } = workerData as { inFlight: Int32Array; batches: number; posted: Int32Array };
const sending = new EventBatches(inFlight, (events) => {
  Atomics.add(posted, 0, 1);
  // Numbers are as good as events here.
  parentPort!.postMessage(events);
});
for (let i = 0; i < batches * batchEvents; i++) sending.add(i as unknown as TraceEvent);
sending.flush();
parentPort!.postMessage('done');
