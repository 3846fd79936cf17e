/** Files that have to be made ready first: in a thread, with progress, cancellable, and once. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OpenProgress } from '../../../engine/model/timeline.ts';
import { pruneCache } from '../../../engine/formats/import-cache.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { events, facts, temporaryFolder, write } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';
import { withoutIndex } from '../trace/without-index.ts';

const folder = temporaryFolder();
const cache = (name: string): string => join(folder, name);
const shown = async (path: string, cacheFolder?: string): Promise<number> => {
  const trace = await openRecording(path, cacheFolder === undefined ? {} : { cacheFolder });
  trace.close();
  return trace.info.eventCount;
};

test('what another tool recorded is imported once, with progress; then it opens at once', async () => {
  const path = sample('nsys-2gpu-before.sqlite', folder);
  const before = readFileSync(path);
  const cacheFolder = cache('once');
  const seen: OpenProgress[] = [];
  const trace = await openRecording(path, { cacheFolder, onProgress: (progress) => seen.push(progress) });
  expect(trace.info.path).toBe(path);
  expect(seen[0]).toMatchObject({ phase: 'read', unit: 'rows' });
  expect(seen.find(({ phase }) => phase === 'read')!.total).toBeGreaterThan(30_000);
  expect(seen.at(-1)!.phase).toBe('index');
  trace.close();

  const [entry, ...more] = readdirSync(cacheFolder);
  expect(more).toEqual([]);
  const again: OpenProgress[] = [];
  const second = await openRecording(path, { cacheFolder, onProgress: (progress) => again.push(progress) });
  expect(again).toEqual([]);
  expect(second.info).toEqual(trace.info);
  expect(second.storedAt).toBe(join(cacheFolder, entry!));
  second.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file that changed is imported anew, and so is one whose trace was damaged', async () => {
  const path = sample('nsys-streams.sqlite', folder);
  const cacheFolder = cache('changed');
  const count = await shown(path, cacheFolder);
  utimesSync(path, new Date(), new Date(Date.now() + 5000));
  expect(await shown(path, cacheFolder)).toBe(count);
  expect(readdirSync(cacheFolder)).toHaveLength(2);
  for (const entry of readdirSync(cacheFolder)) truncateSync(join(cacheFolder, entry), 1000);
  expect(await shown(path, cacheFolder)).toBe(count);
});

test('what is kept is used as it was made or not at all, whatever became of it', async () => {
  const path = sample('nsys-streams.sqlite', folder);
  const cacheFolder = cache('hostile');
  await shown(path, cacheFolder);
  const [name] = readdirSync(cacheFolder) as [string];
  const entry = join(cacheFolder, name);
  const kept = readFileSync(entry);
  const damages: Record<string, () => void> = {
    // The same length, still SQLite: the times of events are somewhere in there.
    'a flipped bit': () => writeFileSync(entry, flipped(kept, Math.floor(kept.length * 0.6))),
    emptied: () => truncateSync(entry),
    // Reading it would take hours.
    'larger than any disk': () => truncateSync(entry, 2 ** 42),
    'another one’s': () => copyFileSync(write(join(folder, 'another.simsight')), entry),
    'a link': () => {
      renameSync(entry, join(folder, 'elsewhere'));
      writeFileSync(join(folder, 'elsewhere'), flipped(kept, 5000));
      symlinkSync(join(folder, 'elsewhere'), entry);
    },
    'a folder': () => {
      rmSync(entry);
      mkdirSync(join(entry, 'x'), { recursive: true });
    },
    'a log beside it': () => writeFileSync(`${entry}-journal`, 'x'),
    ...(process.platform === 'win32'
      ? {}
      : {
          'a FIFO': () => {
            rmSync(entry);
            spawnSync('mkfifo', [entry]);
          },
        }),
  };
  for (const [what, damage] of Object.entries(damages)) {
    damage();
    await shown(path, cacheFolder);
    expect([what, readdirSync(cacheFolder)]).toEqual([what, [name]]);
    expect([what, readFileSync(entry).equals(kept)]).toEqual([what, true]);
  }
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

test('where nothing can be kept, files open all the same', async () => {
  const path = sample('nsys-streams.sqlite', folder);
  const inTheWay = join(folder, 'in-the-way');
  writeFileSync(inTheWay, '');
  expect(await shown(path, inTheWay)).toBe(await shown(path));
  expect(await shown(path, join(inTheWay, 'below'))).toBe(await shown(path));
});

test('traces without an index are completed once, those being written every time', async () => {
  const cacheFolder = cache('own');
  expect(await shown(withoutIndex(write(join(folder, 'bare.simsight'))), cacheFolder)).toBe(12);
  expect(readdirSync(cacheFolder)).toHaveLength(1);
  expect(await shown(write(join(folder, 'new.simsight')), cacheFolder)).toBe(12);
  const path = join(folder, 'running.simsight');
  const writer = createTraceWriter(path, facts);
  writer.append(events);
  // Nothing of it is in the file until a quarter of a second has gone by.
  expect([0, 12]).toContain(await shown(path, cacheFolder));
  writer.abandon();
  expect(readdirSync(cacheFolder)).toHaveLength(1);
});

test('cancelled: nothing is left', async () => {
  const path = sample('nsys-2gpu-before.sqlite', folder);
  const cacheFolder = cache('cancelled');
  const controller = new AbortController();
  const opening = openRecording(path, { cacheFolder, signal: controller.signal, onProgress: () => controller.abort() });
  await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  expect(readdirSync(cacheFolder)).toEqual([]);
  await expect(openRecording(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
});

test('what cannot be imported: the same clear error from the thread', async () => {
  const path = join(folder, 'cut.sqlite');
  writeFileSync(path, readFileSync(sample('nsys-streams.sqlite', folder)).subarray(0, 200_000));
  await expect(openRecording(path)).rejects.toMatchObject({ code: 'trace-damaged', place: { file: path } });
});

test('the cache keeps what was used last, and nothing half made for long', () => {
  const cacheFolder = cache('pruned');
  mkdirSync(cacheFolder);
  const file = (name: string, bytes: number, age: number): void => {
    const path = join(cacheFolder, name);
    writeFileSync(path, '');
    truncateSync(path, bytes);
    utimesSync(path, new Date(Date.now() - age), new Date(Date.now() - age));
  };
  for (let i = 0; i < 5; i++) file(`${i}.simsight`, 3 * 2 ** 30, i * 1000);
  file('making-old', 10, 2 * 24 * 3600e3);
  file('making-new', 10, 1000);
  pruneCache(cacheFolder);
  expect(readdirSync(cacheFolder).sort()).toEqual(['0.simsight', '1.simsight', 'making-new']);
});
