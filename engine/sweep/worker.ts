/** A process of a sweep: gets the number of a job, does it, answers, and waits for the next. */
import { reportOf } from '../base/errors.ts';
import { record } from '../recording/record.ts';
import { runJob } from './job.ts';
import { readManifest, type SweepManifest } from './manifest.ts';
import type { JobAnswer, JobOrder } from './workers.ts';

const cancel = new AbortController();
const manifests = new Map<string, SweepManifest>();
let busy: Promise<unknown> = Promise.resolve();

async function answerTo({ folder, index, ...parts }: JobOrder): Promise<JobAnswer> {
  try {
    const manifest = manifests.get(folder) ?? readManifest(folder);
    manifests.set(folder, manifest);
    return { result: await runJob(folder, manifest, index, { record, signal: cancel.signal, ...parts }) };
  } catch (error) {
    return { error: reportOf(error) };
  }
}

process.on('message', (order: JobOrder) => {
  busy = answerTo(order).then((answer) => process.send?.(answer));
});
// Ctrl+C reaches every process of the terminal; the one that started this decides.
process.on('SIGINT', () => {});
process.once('SIGTERM', () => {
  cancel.abort();
  // Half-written files are removed; a recording that does not end by itself gets two seconds.
  void busy.finally(() => process.exit());
  setTimeout(() => process.exit(), 2000);
});
// Nobody is left to work for.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
