/** A recording that is killed leaves a trace that opens, holds what was committed and says that it is incomplete. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter, rowsPerCommit } from '../../../engine/trace/writer.ts';
import { end, events, facts, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();

/** Kills a recording some time after it said that it had come so far; gives what it said. */
async function killed(
  path: string,
  after: 'creating' | 'created' | 'finishing',
  ms: number,
  most?: number,
): Promise<string> {
  const program = join(import.meta.dirname, 'endless-recording.ts');
  const child = spawn(process.execPath, [program, path, ...(most === undefined ? [] : [String(most)])]);
  let said = '';
  await new Promise<void>((reached) => {
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes(`${after}\n`)) reached();
    });
  });
  await sleep(ms);
  child.kill('SIGKILL');
  await once(child, 'close');
  return said;
}

const committed = (said: string): number => Number(/.*committed (\d+)\n/s.exec(said)?.[1] ?? 0);

/** Contents of a killed recording: everything committed, and an honest account of the rest. */
function look(path: string, said: string): { kernels: number; complete: boolean } {
  const before = readFileSync(path);
  const trace = openTrace(path);
  const { complete, exitCode, title, notices } = trace.info;
  expect(exitCode).toBe(complete ? end.exitCode : null);
  if (!complete) expect(notices[0]).toMatch(/cut short/);
  expect(title).toBe('Saxpy');
  expect(trace.query('PRAGMA integrity_check')).toEqual([['ok']]);
  const [[kernels], [calls]] = ['KERNEL', 'RUNTIME'].map(
    (table) => trace.query(`SELECT count(*) FROM CUPTI_ACTIVITY_KIND_${table}`)[0],
  ) as [[number], [number]];
  expect(Math.abs(kernels - calls)).toBeLessThanOrEqual(1);
  expect(kernels + calls).toBeGreaterThanOrEqual(committed(said));
  expect(trace.info.eventCount).toBe(kernels + calls);
  trace.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  return { kernels, complete };
}

test('killed fifty times, at any moment', async () => {
  // While the file is made, where another one was or none: what can be opened is whole.
  for (let turn = 0; turn < 15; turn++) {
    const path = join(folder, `creating-${turn}.simsight`);
    const isAgain = turn % 3 > 0;
    if (isAgain) write(path, events);
    const said = await killed(path, 'creating', 2 * turn);
    if (!isAgain && !existsSync(path)) continue;
    expect(existsSync(path)).toBe(true);
    const [found, kept] = [path, `${path}.previous`].map((each) => {
      if (!existsSync(each)) return null;
      const trace = openTrace(each);
      trace.close();
      return trace.info;
    });
    if (!found!.complete) look(path, said);
    if (isAgain) expect([found, kept].some((info) => info?.complete && info.eventCount === 12)).toBe(true);
  }

  // While events come.
  let most = 0;
  for (let turn = 0; turn < 20; turn++) {
    const path = join(folder, `appending-${turn}.simsight`);
    // Early ones come often; the last is late enough for the first commits.
    const said = await killed(path, 'created', turn === 19 ? 900 : 400 * Math.random() ** 2);
    const { complete, kernels } = look(path, said);
    expect(complete).toBe(false);
    most = Math.max(most, kernels);
    if (turn === 19) expect(committed(said)).toBeGreaterThan(1000);
  }
  expect(most).toBeGreaterThan(1000);

  // While it is finished: all events are in, whether it says that it is complete or not.
  const outcomes = new Set<boolean>();
  for (let turn = 0; turn < 15; turn++) {
    const path = join(folder, `finishing-${turn}.simsight`);
    write(path, events);
    const said = await killed(path, 'finishing', turn === 14 ? 1500 : 25 * turn, 20_000);
    const { complete, kernels } = look(path, said);
    outcomes.add(complete);
    if (complete) expect(kernels).toBe(20_000);
    else expect(existsSync(`${path}.previous`)).toBe(true);
  }
  expect(outcomes).toContain(true);
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
  await killed(path, 'created', 100);
  expect(existsSync(`${path}-wal`)).toBe(true);
  write(path, events);
  const trace = openTrace(path);
  expect(trace.info.eventCount).toBe(12);
  trace.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('again'))).toEqual(['again.simsight']);
});

describe('a trace whose replacement is killed', () => {
  const beside = (name: string): string[] => readdirSync(folder).filter((each) => each.startsWith(`${name}.`));
  const shown = (path: string): [complete: boolean, events: number] => {
    const trace = openTrace(path);
    trace.close();
    return [trace.info.complete, trace.info.eventCount];
  };

  test('stays, however often that happens, until one is finished', async () => {
    const path = write(join(folder, 'kept.simsight'), events);
    for (let turn = 0; turn < 3; turn++) {
      await killed(path, 'created', 50 * turn);
      const trace = openTrace(path);
      expect(trace.info.complete).toBe(false);
      expect(trace.info.notices[1]).toBe(
        'The trace that was to be replaced is kept beside this one: kept.simsight.previous.',
      );
      trace.close();
      expect(shown(`${path}.previous`)).toEqual([true, 12]);
    }
    write(path, events.slice(0, 3));
    expect(shown(path)).toEqual([true, 1]);
    expect(beside('kept')).toEqual(['kept.simsight']);
  });

  test('comes back when the next one is dropped', async () => {
    const path = write(join(folder, 'back.simsight'), events);
    await killed(path, 'created', 100);
    createTraceWriter(path, facts).abandon();
    expect(shown(path)).toEqual([true, 12]);
    expect(beside('back')).toEqual(['back.simsight']);
  });

  test('is what stays of several that were killed, the first one with all that was committed', async () => {
    const path = join(folder, 'first.simsight');
    const said = await killed(path, 'created', 800);
    const { kernels } = look(path, said);
    await killed(path, 'created', 0);
    const [complete, count] = shown(`${path}.previous`);
    expect(complete).toBe(false);
    expect(count).toBeGreaterThanOrEqual(committed(said));
    expect(Math.abs(count - 2 * kernels)).toBeLessThanOrEqual(1);
  });

  test('is found when there is nothing under its name, and a log that belongs to nobody is not replayed', async () => {
    const path = join(folder, 'gone.simsight');
    await killed(path, 'created', 700);
    // The state after a kill between two renames, in earlier versions.
    renameSync(path, `${path}.previous`);
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(() => openTrace(path)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('gone.simsight.previous') }),
    );
    const writer = createTraceWriter(path, facts);
    writer.append(events);
    writer.finish(end);
    expect(shown(path)).toEqual([true, 12]);
    expect(beside('gone')).toEqual(['gone.simsight']);
  });

  test('is refused while somebody records into it', () => {
    const path = join(folder, 'busy.simsight');
    const writer = createTraceWriter(path, facts);
    expect(() => createTraceWriter(path, facts)).toThrow(/is in use/);
    writer.append(events);
    writer.finish(end);
    expect(shown(path)).toEqual([true, 12]);
  });
});
