/** Jobs done once each, whatever happens to those that do them. Recordings are copies of one trace here. */
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SweepAxis, SweepProgress } from '../../../engine/model/sweep.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import { readManifest } from '../../../engine/sweep/manifest.ts';
import { resultPath, tracePath } from '../../../engine/sweep/results.ts';
import { prepareSweep, runSweep, type SweepRun } from '../../../engine/sweep/run.ts';
import { readSweep } from '../../../engine/sweep/view.ts';
import { inProcessRunner } from '../../../engine/sweep/workers.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { temporaryFolder, write } from '../trace/example-recording.ts';
import { filesOf, logOf, recordingOf, request, writeProgram } from './sweep.ts';

const home = temporaryFolder();
const source = writeProgram(home);
const trace = write(join(home, 'trace.simsight'));

let folders = 0;
function newSweep(): string {
  const folder = join(home, `sweep-${folders++}`);
  prepareSweep(folder, request(source));
  return folder;
}
const run = (folder: string, before: (call: RecordCall) => Promise<void> | void, more: Partial<SweepRun> = {}) =>
  runSweep({
    folder,
    runner: inProcessRunner(recordingOf(trace, before)),
    jobs: 2,
    cacheFolder: home,
    signal: new AbortController().signal,
    ...more,
  });
const started = (folder: string): string[] =>
  logOf(folder)
    .filter(({ event }) => event === 'start')
    .map(({ id }) => id);

test('each job has its own options, and is done once', async () => {
  const folder = newSweep();
  const calls: RecordCall[] = [];
  const seen: SweepProgress[] = [];
  await run(folder, (call) => void calls.push(call), { onProgress: (progress) => seen.push(progress) });
  expect(calls.map(({ gpu, defines, arguments: words }) => [gpu, ...defines, ...words]).sort()).toEqual([
    ['a100-80gb', 'WORK=1', '256'],
    ['a100-80gb', 'WORK=1', '32'],
    ['a100-80gb', 'WORK=64', '256'],
    ['a100-80gb', 'WORK=64', '32'],
  ]);
  expect(calls.every(({ sources, detail }) => sources[0] === source && detail === 'counters')).toBe(true);
  expect(seen.at(-1)).toEqual({ total: 4, done: 4, failed: 0, running: [] });
  expect(Math.max(...seen.map(({ running }) => running.length))).toBe(2);
  expect(readdirSync(join(folder, 'jobs')).filter((name) => !/^[0-9a-f]{16}\.(json|simsight)$/.test(name))).toEqual([]);

  await run(folder, () => expect.unreachable());
  expect(started(folder)).toHaveLength(4);
});

test('the same job has the same result in another sweep', async () => {
  const folder = newSweep();
  await run(folder, () => {});
  const wider = join(home, 'wider');
  const [gpu, work, block] = request(source).axes as [SweepAxis, SweepAxis, SweepAxis];
  const registers: SweepAxis = { kind: 'registers', name: 'Registers', values: ['default'] };
  prepareSweep(wider, request(source, { title: 'Wider', axes: [registers, { ...block, values: ['32'] }, work, gpu] }));
  const titles: (string | undefined)[] = [];
  await run(wider, ({ title }) => void titles.push(title));
  expect(titles.sort()).toEqual(['app.cu BLOCK=32 WORK=1 GPU=a100-80gb', 'app.cu BLOCK=32 WORK=64 GPU=a100-80gb']);
  const files = filesOf(wider);
  expect(files.size).toBe(4);
  for (const [name, bytes] of files) expect(filesOf(folder).get(name)!.equals(bytes)).toBe(true);
});

test('what fails by itself is a result; what does not is tried again', async () => {
  const folder = newSweep();
  const { lost } = await run(folder, ({ arguments: [block], defines: [work] }) => {
    if (work === 'WORK=64' && block === '32') throw new SimsightError('compile-failed', 'app.cu:1: no');
    if (work === 'WORK=64') throw new Error('out of memory');
  });
  expect(lost).toMatchObject([{ label: 'WORK=64, BLOCK=256', error: { code: 'internal' } }]);
  const view = readSweep(folder);
  expect(view).toMatchObject({ done: 2, failed: 1, missing: 1 });
  expect(view.rows.map(({ status, error }) => [status, error])).toEqual([
    ['done', null],
    ['done', null],
    ['failed', 'app.cu:1: no'],
    ['missing', null],
  ]);
  const before = started(folder).length;
  expect(await run(folder, () => {})).toEqual({ lost: [] });
  expect(started(folder).length - before).toBe(1);
  await run(folder, () => {}, { retryFailed: true });
  expect(readSweep(folder)).toMatchObject({ done: 4, failed: 0 });
});

test('a sweep that is cancelled keeps what is done', async () => {
  const folder = newSweep();
  const cancel = new AbortController();
  let begun = 0;
  const cancelled = run(
    folder,
    async ({ signal }) => {
      if (begun++ === 0) return;
      setTimeout(() => cancel.abort(), 20);
      await new Promise((_, fail) => signal!.addEventListener('abort', () => fail(new SimsightError('cancelled', ''))));
    },
    { signal: cancel.signal },
  );
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  expect(readSweep(folder)).toMatchObject({ done: 1, missing: 3 });
  expect(existsSync(join(folder, 'running.lock'))).toBe(false);
  const kept = filesOf(folder);
  await run(folder, () => {});
  const all = filesOf(folder);
  expect(all.size).toBe(8);
  for (const [name, bytes] of kept) expect(all.get(name)!.equals(bytes)).toBe(true);
});

test('half a result is none', async () => {
  const folder = newSweep();
  await run(folder, () => {});
  const [a, b, c] = readManifest(folder).jobs.map(({ id }) => id) as [string, string, string];
  truncateSync(tracePath(folder, a), 4096);
  writeFileSync(resultPath(folder, b), '{"format": "simsight-sweep-job",');
  writeFileSync(resultPath(folder, c), '');
  // Partial files of a process that is gone, and of one that lives.
  const gone = join(folder, 'jobs', `${a}.${2 ** 22 + 1}@${hostname()}.part-wal`);
  const alive = join(folder, 'jobs', `${a}.${process.ppid}@${hostname()}.part`);
  for (const path of [gone, alive]) writeFileSync(path, 'x');
  expect(readSweep(folder)).toMatchObject({ done: 1, missing: 3 });
  await run(folder, () => {});
  expect(readSweep(folder)).toMatchObject({ done: 4 });
  expect([existsSync(gone), existsSync(alive)]).toEqual([false, true]);
});

test('one process at a time; the lock of one that was killed is taken over', async () => {
  const folder = newSweep();
  const lock = join(folder, 'running.lock');
  writeFileSync(lock, JSON.stringify({ pid: process.ppid, host: hostname() }));
  await expect(run(folder, () => {})).rejects.toMatchObject({ code: 'sweep-running' });
  writeFileSync(lock, JSON.stringify({ pid: 1, host: 'another' }));
  await expect(run(folder, () => {})).rejects.toMatchObject({ code: 'sweep-running', message: /process 1 of another/ });
  writeFileSync(lock, '');
  await expect(run(folder, () => {})).rejects.toMatchObject({ code: 'sweep-running' });
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
  await run(folder, () => {});
  expect(readdirSync(folder).sort()).toEqual(['jobs', 'log.jsonl', 'sweep.json']);
});

test('the same folder for other values keeps results; for another program it is refused', async () => {
  const folder = newSweep();
  await run(folder, () => {});
  const axes = request(source).axes.map((axis) => (axis.name === 'BLOCK' ? { ...axis, values: ['32', '64'] } : axis));
  prepareSweep(folder, request(source, { axes }));
  await run(folder, ({ arguments: words }) => expect(words).toEqual(['64']));
  expect(started(folder)).toHaveLength(6);

  const other = join(home, 'other');
  mkdirSync(other);
  writeProgram(other);
  writeFileSync(join(other, 'work.h'), '#define WORK 3\n');
  expect(() => prepareSweep(folder, request(join(other, 'app.cu')))).toThrow(
    /contains a different sweep: work\.h differs/,
  );
});
