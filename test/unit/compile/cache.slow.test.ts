/** The cache of compilations where it is damaged, full, or holds what nobody of ours has put there. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../../engine/base/paths.ts';
import { entryBytes, parseEntry } from '../../../engine/compile/cache-entry.ts';
import { isCached, runCached } from '../../../engine/compile/cache.ts';
import type { ToolResult, ToolRun } from '../../../engine/compile/clang.ts';
import { releaseCompiler } from '../../../engine/compile/index.ts';
import { newFolder } from '../cuda/program.ts';

afterAll(releaseCompiler);

/** A run of a tool that is over at once. */
const preprocessed = (text: string): ToolRun => ({
  arguments: ['clang++', '-E', '-P', '/a.cc', '-o', '-'],
  files: [['/a.cc', new TextEncoder().encode(text)]],
  outputs: ['-'],
});

const onUnix = test.skipIf(process.platform === 'win32');
const makeFifo = (path: string): void => void spawnSync('mkfifo', [path]);

describe('an entry', () => {
  const key = 'a'.repeat(64);
  const result: ToolResult = {
    outcome: 'success',
    messages: 'warning: é\n',
    outputs: [
      ['/one', new Uint8Array([1, 2, 3])],
      ['-', new Uint8Array([10, 0, 255])],
    ],
  };
  const bytes = entryBytes(key, result);

  test('says what was put in', () => {
    expect(parseEntry(key, bytes)).toEqual(result);
    const nothing: ToolResult = { outcome: 'success', messages: '', outputs: [] };
    expect(parseEntry(key, entryBytes(key, nothing))).toEqual(nothing);
  });
  test('is none with any bit of it flipped, cut anywhere, or longer', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect([bit, parseEntry(key, flipped)]).toEqual([bit, null]);
    }
    for (let length = 0; length < bytes.length; length++) expect(parseEntry(key, bytes.subarray(0, length))).toBeNull();
    expect(parseEntry(key, Buffer.concat([bytes, Buffer.from([0])]))).toBeNull();
    expect(parseEntry(key, Buffer.alloc(bytes.length))).toBeNull();
  });
  test('is not that of another key', () => {
    expect(parseEntry('b'.repeat(64), bytes)).toBeNull();
  });
});

describe('the cache', () => {
  const run = preprocessed('int kept;\n');
  /** A folder with the entry of `run`, and of another run. */
  async function filled(): Promise<{ cacheFolder: string; result: ToolResult; file: string; other: string }> {
    const cacheFolder = newFolder();
    const { cached, outcome, messages, outputs } = await runCached(run, { cacheFolder });
    const result = { outcome, messages, outputs };
    expect(cached).toBe(false);
    const [name] = readdirSync(cacheFolder) as [string];
    await runCached(preprocessed('int other;\n'), { cacheFolder });
    const other = readdirSync(cacheFolder).find((entry) => entry !== name)!;
    return { cacheFolder, result, file: join(cacheFolder, name), other: join(cacheFolder, other) };
  }

  /** Whatever lies in the place of an entry, the run gives the same, and its entry is there again afterwards. */
  async function expectHealed(damage: (file: string, other: string) => void): Promise<void> {
    const { cacheFolder, result, file, other } = await filled();
    const before = readFileSync(file);
    damage(file, other);
    expect(await isCached(run, { cacheFolder })).toBe(false);
    expect(await runCached(run, { cacheFolder })).toMatchObject({ ...result, cached: false });
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await runCached(run, { cacheFolder })).toMatchObject({ ...result, cached: true });
    expect(readdirSync(cacheFolder).filter((name) => !name.endsWith('.llvm'))).toEqual([]);
  }

  test('makes an entry anew of which a bit is flipped, in the line that describes it or in its content', async () => {
    const flip = (at: (length: number) => number) => (file: string) => {
      const bytes = readFileSync(file);
      bytes[at(bytes.length)]! ^= 4;
      writeFileSync(file, bytes);
    };
    await expectHealed(flip(() => 3));
    await expectHealed(flip(() => 80));
    await expectHealed(flip((length) => length - 2));
  });

  test('takes no other entry for it, be it a copy, moved, or a link', async () => {
    await expectHealed((file, other) => copyFileSync(other, file));
    await expectHealed((file, other) => renameSync(other, file));
    await expectHealed((file, other) => {
      rmSync(file);
      symlinkSync(other, file);
    });
  });

  test('clears away a folder in its place', async () => {
    await expectHealed((file) => {
      rmSync(file);
      mkdirSync(join(file, 'deep'), { recursive: true });
      writeFileSync(join(file, 'deep', 'x'), 'x');
    });
  });

  onUnix('does not wait for a FIFO, read a device or follow a link', async () => {
    await expectHealed((file) => {
      rmSync(file);
      makeFifo(file);
    });
    for (const target of ['/dev/zero', '/nowhere']) {
      await expectHealed((file) => {
        rmSync(file);
        symlinkSync(target, file);
      });
    }
    // As root every file can be read.
    if (process.getuid?.() !== 0) await expectHealed((file) => chmodSync(file, 0));
  });

  test('believes no claim that cannot be true', async () => {
    const alive = JSON.stringify({ pid: process.pid, host: hostname() });
    const put = (claim: string, text: string, at: number): void => {
      writeFileSync(claim, text);
      utimesSync(claim, new Date(at), new Date(at));
    };
    const kinds: [string, (claim: string) => void][] = [
      ['of long ago', (claim) => put(claim, alive, Date.now() - 3_600_000)],
      ['of times to come', (claim) => put(claim, alive, Date.now() + 3_600_000)],
      ['empty', (claim) => put(claim, '', Date.now() - 10_000)],
      ...['null', '{', '\0\0\0', '{"pid":-1}', `{"pid":"x","host":"${hostname()}"}`].map(
        (text): [string, (claim: string) => void] => [text, (claim) => put(claim, text, Date.now())],
      ),
      ['a folder', (claim) => mkdirSync(join(claim, 'x'), { recursive: true })],
      ...(process.platform === 'win32' ? [] : [['a FIFO', makeFifo] as [string, (claim: string) => void]]),
    ];
    const { cacheFolder, result, file } = await filled();
    for (const [name, make] of kinds) {
      rmSync(file);
      make(file.replace(/llvm$/, 'claim'));
      // A claim that is believed is waited for for a minute, which no test lasts.
      expect([name, await runCached(run, { cacheFolder })]).toMatchObject([name, { ...result, cached: false }]);
      expect([name, existsSync(file), existsSync(file.replace(/llvm$/, 'claim'))]).toEqual([name, true, false]);
    }
  });

  test('where nothing can be written does without', async () => {
    const { result } = await filled();
    const inTheWay = join(newFolder(), 'file');
    writeFileSync(inTheWay, '');
    for (const cacheFolder of [inTheWay, join(inTheWay, 'below')]) {
      expect(await runCached(run, { cacheFolder })).toMatchObject({ ...result, cached: false });
    }
  });

  onUnix('where there is no room for an entry does without, and leaves nothing of it', () => {
    const folder = newFolder();
    const script = join(folder, 'compile.ts');
    const cacheUrl = pathToFileURL(join(root, 'engine/compile/cache.ts')).href;
    writeFileSync(
      script,
      `import { runCached } from '${cacheUrl}';
       const files = [['/a.cc', new TextEncoder().encode('int large;\\n'.repeat(1e5))]];
       const run = { arguments: ['clang++', '-E', '-P', '/a.cc', '-o', '-'], files, outputs: ['-'] };
       const { outcome, outputs } = await runCached(run, { cacheFolder: process.argv[2] });
       console.log(outcome, outputs[0][1].length > 1e6);
       process.exit();`,
    );
    const cacheFolder = join(folder, 'cache');
    // No file may become larger than 100 blocks: to a program that is a full disk.
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, script, cacheFolder],
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
    );
    expect([stdout.trim(), stderr]).toEqual(['success true', '']);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  test('stays within its limit while entries are added; those used last are kept', async () => {
    const cacheFolder = newFolder();
    const mostBytes = 64 * 4096;
    const size = (): number =>
      readdirSync(cacheFolder).reduce((sum, name) => sum + statSync(join(cacheFolder, name)).size, 0);
    const first = preprocessed('int first;\n');
    const large = (i: number): ToolRun => preprocessed(`int number${i};\n`.repeat(2000));
    await runCached(first, { cacheFolder, mostBytes });
    for (let i = 0; i < 20; i++) {
      await runCached(large(i), { cacheFolder, mostBytes });
      expect((await runCached(first, { cacheFolder, mostBytes })).cached).toBe(true);
      expect(size()).toBeLessThanOrEqual(mostBytes);
    }
    expect(readdirSync(cacheFolder).length).toBeGreaterThan(4);
    expect(await isCached(large(19), { cacheFolder })).toBe(true);
    expect(await isCached(large(0), { cacheFolder })).toBe(false);
  });
});
