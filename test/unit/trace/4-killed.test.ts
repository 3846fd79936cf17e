/** A recording that is killed leaves a trace that opens, holds what was committed and says that it is incomplete. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter, rowsPerCommit } from '../../../engine/trace/writer.ts';
import { end, events, facts, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();

test('killed fifty times, at any moment', { timeout: 180_000 }, async () => {
  const seen: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    // Early ones come often; the last is late enough for the first commits.
    const delay = turn === 49 ? 700 : 300 * Math.random() ** 3;
    const path = join(folder, `killed-${turn}.simsight`);
    const child = spawn(process.execPath, [join(import.meta.dirname, 'endless-recording.ts'), path]);
    await once(child.stdout, 'data');
    await sleep(delay);
    child.kill('SIGKILL');
    await once(child, 'exit');

    const before = readFileSync(path);
    const trace = openTrace(path);
    expect(trace.info.complete).toBe(false);
    expect(trace.info.exitCode).toBe(null);
    expect(trace.info.title).toBe('Saxpy');
    expect(trace.info.notices[0]).toMatch(/cut short/);
    expect(trace.query('PRAGMA integrity_check')).toEqual([['ok']]);
    const [[kernels], [calls]] = ['KERNEL', 'RUNTIME'].map(
      (table) => trace.query(`SELECT count(*) FROM CUPTI_ACTIVITY_KIND_${table}`)[0],
    ) as [[number], [number]];
    expect(Math.abs(kernels - calls)).toBeLessThanOrEqual(1);
    seen.push(kernels);
    trace.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  }
  expect(seen.at(-1)).toBeGreaterThan(1000);
});

test('a recording still running can be looked at, and goes on', () => {
  const path = join(folder, 'running.simsight');
  const writer = createTraceWriter(path, facts);
  writer.append(Array.from({ length: 2.5 * rowsPerCommit }, (_, i) => kernel(i, i + 1, i)));
  const trace = openTrace(path);
  expect(trace.info.complete).toBe(false);
  expect(trace.info.eventCount).toBe(2 * rowsPerCommit);
  trace.close();
  writer.finish(end);
  const finished = openTrace(path);
  expect(finished.info.complete).toBe(true);
  expect(finished.info.eventCount).toBe(2.5 * rowsPerCommit);
  finished.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('running'))).toEqual(['running.simsight']);
});

test('recording again in place of a killed one leaves nothing of it', async () => {
  const path = join(folder, 'again.simsight');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'endless-recording.ts'), path]);
  await once(child.stdout, 'data');
  await sleep(100);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(`${path}-wal`)).toBe(true);
  write(path, events);
  const trace = openTrace(path);
  expect(trace.info.eventCount).toBe(12);
  trace.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('again'))).toEqual(['again.simsight']);
});
