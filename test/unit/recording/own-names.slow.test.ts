/** A recording never takes the place of one before it that nobody named; the same recording is not kept twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freeName, keptAt } from '../../../engine/recording/own-names.ts';
import { record } from '../../../engine/recording/record.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

test('the first name that nothing has', () => {
  const folder = newFolder();
  const path = join(folder, 'app-h200.simsight');
  expect(freeName(path)).toBe(path);
  writeFileSync(path, '');
  expect(freeName(path)).toBe(join(folder, 'app-h200-2.simsight'));
  // A killed recording may leave its log alone; an interrupted replacement, the previous trace.
  writeFileSync(join(folder, 'app-h200-2.simsight-wal'), '');
  writeFileSync(join(folder, 'app-h200-3.simsight.previous'), '');
  expect(freeName(path)).toBe(join(folder, 'app-h200-4.simsight'));
});

test('one that is equal to one before it is that one', () => {
  const folder = newFolder();
  const at = (name: string): string => join(folder, `${name}.simsight`);
  for (const [name, text] of Object.entries({ app: 'one', 'app-2': 'two', 'app-3': 'two', 'app-4': 'six' }))
    writeFileSync(at(name), text);
  expect(keptAt(at('app-4'), at('app'))).toBe(at('app-4'));
  expect(keptAt(at('app-3'), at('app'))).toBe(at('app-2'));
  expect(keptAt(at('app'), at('app'))).toBe(at('app'));
  expect(readdirSync(folder).sort()).toEqual(['app-2.simsight', 'app-4.simsight', 'app.simsight']);
});

test('a changed program is recorded beside what it was, also under a title', async () => {
  const folder = newFolder();
  const source = join(folder, 'app.cu');
  const recordWith = async (threads: number, title?: string): Promise<string> => {
    writeFileSync(source, `__global__ void kernel() {}\nint main() { kernel<<<1, ${threads}>>>(); return 0; }\n`);
    const { path } = await record({
      ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [] },
      ...{ recordingsFolder: join(folder, 'recordings'), keepTrace: true, cacheFolder },
      ...(title === undefined ? {} : { title }),
    });
    return path;
  };
  const first = await recordWith(32);
  const before = readFileSync(first);
  const [second, again, titled] = [await recordWith(64), await recordWith(32), await recordWith(96, 'app')];
  expect(second).toBe(first.replace('.simsight', '-2.simsight'));
  expect(again).toBe(first);
  expect(titled).toBe(first.replace('.simsight', '-3.simsight'));
  expect(readFileSync(first).equals(before)).toBe(true);
  expect(readdirSync(join(folder, 'recordings'))).toHaveLength(3);
});
