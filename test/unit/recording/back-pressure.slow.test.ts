/** A program that makes events faster than they are written waits for the writer; none is lost, and memory is bounded. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { batchEvents, maxBatchesInFlight, newInFlight, written } from '../../../engine/recording/batches.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { api, end, facts, temporaryFolder } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const program = new URL('./eager-program.ts', import.meta.url);
let worker: Worker | undefined;
afterEach(() => worker?.terminate());

function start(batches: number): { inFlight: Int32Array; posted: () => number; thread: Worker } {
  const inFlight = newInFlight();
  const posted = new Int32Array(new SharedArrayBuffer(4));
  const thread = (worker = new Worker(program, { workerData: { inFlight, batches, posted } }));
  return { inFlight, posted: () => Atomics.load(posted, 0), thread };
}

/** A number gets there, however long that takes, and no further while one looks. */
async function staysAt(wanted: number, read: () => number): Promise<void> {
  while (read() < wanted) await sleep(10);
  await sleep(200);
  expect(read()).toBe(wanted);
}

test('with nobody writing, no more than so many batches are on their way; each that is written lets one more go', async () => {
  const { inFlight, posted } = start(3 * maxBatchesInFlight);
  await staysAt(maxBatchesInFlight, posted);
  for (let i = 1; i <= 5; i++) {
    written(inFlight);
    await staysAt(maxBatchesInFlight + i, posted);
  }
});

test('a writer that takes its time gets all, in order', async () => {
  const batches = 3 * maxBatchesInFlight;
  const { inFlight, posted, thread } = start(batches);
  const path = join(folder, 'slow.simsight');
  const writer = createTraceWriter(path, facts);
  let [next, most, taken] = [0, 0, 0];
  await new Promise<void>((done, fail) => {
    thread.on('error', fail);
    thread.on('message', (message: number[] | 'done') => {
      if (message === 'done') return done();
      for (const number of message) {
        if (number !== next++) fail(new Error(`event ${number} came in place of ${next - 1}`));
      }
      writer.append(message.map((i) => api('cudaLaunchKernel', 10 * i, 10 * i + 5, i)));
      most = Math.max(most, posted() - taken++);
      written(inFlight);
    });
  });
  expect(next).toBe(batches * batchEvents);
  expect(most).toBeLessThanOrEqual(maxBatchesInFlight);
  expect(Atomics.load(inFlight, 0)).toBe(0);
  writer.finish(end);
  const trace = openTrace(path);
  trace.close();
  expect(trace.info.eventCount).toBe(batches * batchEvents);
});
