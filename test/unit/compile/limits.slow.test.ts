/** Sources that ask for more than a compiler should take: each ends with one clear error, and nothing else ends with it. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SimsightError } from '../../../engine/base/errors.ts';
import { compileLimits, limitVariables } from '../../../engine/compile/limits.ts';
import { compileProgram, releaseCompiler } from '../../../engine/compile/index.ts';
import { withMemoryMaximum } from '../../../engine/compile/memory-maximum.ts';
import { standardIncludes } from '../../../engine/compile/precompiled.ts';
import { gatherFiles } from '../../../engine/compile/sources.ts';
import { newFolder, request, write } from '../cuda/program.ts';

afterEach(() => {
  for (const name of Object.values(limitVariables)) delete process.env[name];
});

// In threads of this process, which the limits are of.
const shared = process.env['SIMSIGHT_TEST_COMPILER'];
beforeAll(() => {
  releaseCompiler();
  delete process.env['SIMSIGHT_TEST_COMPILER'];
});
afterAll(() => {
  releaseCompiler();
  if (shared !== undefined) process.env['SIMSIGHT_TEST_COMPILER'] = shared;
});

const failure = (text: string): Promise<SimsightError> =>
  compileProgram(request([write(newFolder(), 'app.cpp', text)]), { cacheFolder: join(newFolder(), 'cache') }).then(
    () => expect.unreachable('should not compile'),
    (error: SimsightError) => error,
  );

describe('limits', () => {
  test('come from the environment, where they are numbers that make sense', () => {
    expect(compileLimits({})).toMatchObject({ seconds: 120, memoryBytes: 1536 << 20 });
    const own = { [limitVariables.seconds]: '7', [limitVariables.memory]: '512' };
    expect(compileLimits(own)).toMatchObject({ seconds: 7, memoryBytes: 512 << 20 });
    for (const text of ['0', '-1', 'much', '1e9', '1'])
      expect(() => compileLimits({ [limitVariables.memory]: text })).toThrow(
        /SIMSIGHT_COMPILE_MEMORY=\S+ is not a limit/,
      );
  });

  test('of memory stand in the module itself', () => {
    // (module (memory 2 65536)), the maximum in three bytes.
    const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 6, 1, 1, 2, 0x80, 0x80, 4);
    const limited = withMemoryMaximum(module, 4 << 16);
    const named = Uint8Array.of(...limited, 7, 5, 1, 1, 0x6d, 2, 0);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(named));
    const memory = exports['m'] as WebAssembly.Memory;
    memory.grow(2);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });
});

describe('a source that takes too much', () => {
  test('time: it is stopped, and what is compiled next is not', async () => {
    process.env[limitVariables.seconds] = '3';
    const double = Array.from({ length: 32 }, (_, i) => `#define A${i + 1} A${i} A${i}\n`).join('');
    const error = await failure(`#define A0 +1\n${double}int x = 0 A32;\nint main() {}\n`);
    expect(error.code).toBe('budget-exceeded');
    expect(error.message).toBe('Compiling app.cpp was stopped: it took more than 3 s.');
    expect(error.remedy).toMatch(/SIMSIGHT_COMPILE_SECONDS=12 allows more/);
    delete process.env[limitVariables.seconds];
    const source = write(newFolder(), 'fine.cpp', 'int main() {}\n');
    expect(
      (await compileProgram(request([source]), { cacheFolder: join(newFolder(), 'cache') })).host.length,
    ).toBeGreaterThan(0);
  });

  test('memory', async () => {
    process.env[limitVariables.memory] = '256';
    const error = await failure('static char large[1 << 29] = {1};\nchar *p = large;\nint main() {}\n');
    expect(error.code).toBe('budget-exceeded');
    expect(error.message).toBe('Compiling app.cpp was stopped: it needs more than 256 MB of memory.');
    expect(error.remedy).toMatch(/SIMSIGHT_COMPILE_MEMORY=512 allows more/);
  });

  test('depth', async () => {
    const error = await failure(`int x = ${'('.repeat(200_000)}1${')'.repeat(200_000)};\nint main() {}\n`);
    expect(error.message).toMatch(/^Compiling app.cpp was stopped: its code is nested too deeply|bracket nesting/);
  });
});

describe('what looks at sources beforehand takes time by their length only', () => {
  const bytes = (text: string): Map<string, Uint8Array> => new Map([['/app.cu', new TextEncoder().encode(text)]]);
  const half = 1 << 19;

  test.each([
    ['comments that do not end', '/*'.repeat(half)],
    ['strings that do not end', `#define X "${'a.'.repeat(half)}`],
    ['a long string', `const char *s = "${'ab'.repeat(8 * half)}";\n`],
    ['many conditions behind much space', `${' \n'.repeat(half)}${'#ifndef _X\n#endif\n'.repeat(20_000)}`],
    ['many includes of nothing', '#include "nothing.h"\n'.repeat(20_000)],
  ])('%s', (_, text) => {
    const source = write(newFolder(), 'app.cu', text);
    expect(gatherFiles(source, { includeFolders: [] }).size).toBe(1);
    standardIncludes(bytes(text));
  });

  test('names that no file can have are not there', () => {
    const source = write(
      newFolder(),
      'app.cu',
      `#include "${'x'.repeat(5000)}"\n#include "a\0b"\n#include <${'../'.repeat(300)}x>\n`,
    );
    expect(gatherFiles(source, { includeFolders: ['/'] })).toHaveProperty('size', 1);
  });
});
