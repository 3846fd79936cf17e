/** A disk that becomes full while a recording is written, at every stage: on a small file system of its own, where one can be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SimsightError, fileError } from '../../../engine/base/errors.ts';
import { writeTarget } from '../../../engine/formats/export-target.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { end, events, facts, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = join(temporaryFolder(), 'disk');
mkdirSync(folder);
const mount = (...words: string[]): boolean => spawnSync('mount', words).status === 0;
const canMount = mount('-t', 'tmpfs', '-o', 'size=1m', 'none', folder);
afterAll(() => void (canMount && spawnSync('umount', [folder])));
if (!canMount) console.warn('SKIPPED: no file system can be mounted here, so no disk becomes full in these tests.');

const path = join(folder, 'out.simsight');
/** With so much room. */
function emptied(kilobytes: number): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  mount('-o', `remount,size=${kilobytes}k`, folder);
}
const named = (): string[] =>
  readdirSync(folder).filter((name) => !/^out\.simsight(\.previous)?(-wal|-shm)?$/.test(name));

/** Error of a recording that writes so many launches; null if it finishes. */
function record(launches: number): SimsightError | null {
  const writer = createTraceWriter(path, { ...facts, title: 'new' });
  try {
    for (let i = 0; i < launches; i += 500)
      writer.append(Array.from({ length: 500 }, (_, k) => kernel(10 * (i + k), 10 * (i + k) + 5, i + k)));
    writer.finish(end);
    return null;
  } catch (error) {
    const kept = writer.cutShort(fileError(error, path)!);
    writer.abandon();
    return kept ?? (error instanceof SimsightError ? error : fileError(error, path));
  }
}

test.skipIf(!canMount)('at every size the earlier trace is kept, and what was committed with it', () => {
  const outcomes = new Set<string>();
  for (const size of [200, 1000, 1600, 2200, 30_000]) {
    emptied(30_000);
    write(path, events, { title: 'earlier' });
    const before = readFileSync(path);
    mount('-o', `remount,size=${Math.max(size, Math.ceil(before.length / 1024) + 8)}k`, folder);
    let failure: SimsightError | null;
    try {
      failure = record(80_000);
    } catch (error) {
      failure = error as SimsightError;
    }
    expect(named()).toEqual([]);
    mount('-o', 'remount,size=64m', folder);
    const trace = openTrace(path);
    const { title, complete, eventCount, notices } = trace.info;
    trace.close();
    if (failure === null) {
      expect([title, complete, eventCount]).toEqual(['new', true, 80_000]);
      expect(readdirSync(folder)).toEqual(['out.simsight']);
      outcomes.add('finished');
      continue;
    }
    expect(failure).toMatchObject({ code: 'disk-full', message: expect.stringContaining('disk full') as string });
    if (title === 'earlier') {
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(folder)).toEqual(['out.simsight']);
      outcomes.add('nothing committed');
      continue;
    }
    expect(eventCount).toBeGreaterThan(0);
    expect(failure.remedy).toContain(`What was recorded until then: ${path}`);
    expect(failure.remedy).toContain(`${path}.previous`);
    expect(notices.join('\n')).toContain('out.simsight.previous');
    expect(readFileSync(`${path}.previous`).equals(before)).toBe(true);
    outcomes.add(complete ? 'not finished' : 'cut short');
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(['finished', 'nothing committed', 'cut short', 'not finished']));
});

test.skipIf(!canMount)('an export leaves what was there, and nothing half made', async () => {
  emptied(100);
  const target = join(folder, 'out.txt');
  writeFileSync(target, 'earlier');
  await expect(
    writeTarget(target, { force: true, holds: 'text' }, (file) => writeFileSync(file, 'x'.repeat(2 ** 20))),
  ).rejects.toMatchObject({ code: 'disk-full', message: `${target} cannot be written: disk full.` });
  expect(readFileSync(target, 'utf8')).toBe('earlier');
  expect(readdirSync(folder)).toEqual(['out.txt']);
});
