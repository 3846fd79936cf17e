import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCached } from '../../../engine/compile/cache.ts';
import { deviceArguments, hostArguments } from '../../../engine/compile/flags.ts';
import { releaseCompiler } from '../../../engine/compile/index.ts';
import { standardIncludes, withStandardHeaders } from '../../../engine/compile/precompiled.ts';
import { layOut } from '../../../engine/compile/sources.ts';
import { newFolder, request } from '../cuda/program.ts';

const includes = (...texts: string[]): string[] | null =>
  standardIncludes(new Map(texts.map((text, i) => [`/p/${i === 0 ? 'app.cu' : `header${i}.h`}`, Buffer.from(text)])));

describe('the standard headers of a source', () => {
  test('are found in it and in the user’s headers, sorted, each once', () => {
    expect(includes('#include <vector>\n# include <cmath> // x\n', '#pragma once\n#include <vector>\n')).toEqual([
      'cmath',
      'vector',
    ]);
    expect(includes('#ifndef H\n#define H\n#include <map>\n#endif\n')).toEqual(['map']);
  });
  test('leave out what is not standard, in comments, or the user’s own', () => {
    expect(includes('#include <cassert>\n#include <unistd.h>\n#include "vector"\n')).toEqual([]);
    expect(includes('/* \n#include <map>\n*/\n// \\\n#include <set>\n')).toEqual([]);
    expect(
      standardIncludes(
        new Map([
          ['/p/a.cu', Buffer.from('#include <vector>\n')],
          ['/i/vector', Buffer.from('')],
        ]),
      ),
    ).toEqual([]);
  });
  test('cannot be compiled apart where there are others, or a macro or a pragma may change them', () => {
    expect(includes('#include <map>\n#include <shared_mutex>\n')).toBeNull();
    expect(includes('#if X\n#include <map>\n#endif\n')).toBeNull();
    expect(includes('#include <map>\n#if X\n#include <map>\n#endif\n')).toEqual(['map']);
    for (const line of ['#define _GNU_SOURCE', '#define private public', '#define NDEBUG', '#pragma pack(1)'])
      expect(includes(`${line}\n#include <vector>\n`)).toBeNull();
    expect(includes('#include <map>\n#if X\n#include <ctime>\n#endif\n')).toEqual(['map']);
    for (const word of ['warning(disable : 4996)', 'GCC diagnostic ignored "-Wall"', 'message("so")', 'ivdep'])
      expect(includes(`#pragma ${word}\n#include <vector>\n`)).toEqual(['vector']);
    for (const word of ['GCC optimize("O0")', 'clang fp contract(off)', 'push_macro("min")', 'STDC FP_CONTRACT OFF'])
      expect(includes(`#pragma ${word}\n#include <vector>\n`)).toBeNull();
    // No header has them.
    expect(includes('#define _CRT_SECURE_NO_DEPRECATE\n#define __MY_HEADER\n#include <vector>\n')).toEqual(['vector']);
    expect(includes('#define N 100\n#pragma unroll\n#include <vector>\n')).toEqual(['vector']);
  });
});

describe('what is compiled with them', () => {
  afterAll(releaseCompiler);
  const source = '/p/app.cu';
  const text = `#include <cmath>
#ifdef M_PI
__constant__ float pi = M_PI;
#endif
__global__ void fill(float *x) { x[threadIdx.x] = TILE * std::sqrt(x[TILE]); }
`;
  const hostText = `#include <cstdio>
int main(int argc, char **argv) { return std::puts(argv[argc - 1]); }
`;
  const textOf = (of: string) => new Map([[source, new TextEncoder().encode(of)]]);

  /** With the precompiled headers, which are kept in the folder, and without. */
  async function bothWays(cacheFolder: string, defines: string[], files = textOf(text)): Promise<[string, string]> {
    const translation = {
      request: { ...request([source]), defines },
      ...{ source, includeFolders: [], sourceFolder: dirname(source) },
    };
    const run = { arguments: deviceArguments(translation), files: layOut(files), outputs: ['-'] };
    const plain = await runCached(run, { cacheFolder: newFolder() });
    const quick = await runCached(run, { cacheFolder }, (same) =>
      withStandardHeaders(same, translation, 'device', files, { cacheFolder }),
    );
    expect([plain.outcome, quick.outcome]).toEqual(['success', 'success']);
    const [one, two] = [plain, quick].map(({ outputs }) => new TextDecoder().decode(outputs[0]![1]));
    return [one!, two!];
  }

  test('is the same; macros that they do not know share them, others do not', async () => {
    const cacheFolder = newFolder();
    for (const [defines, count] of [
      [['TILE=16'], 2],
      [['TILE=17'], 3],
      [['TILE=18', 'M_PI=3'], 5],
      [['TILE=19', 'NDEBUG'], 7],
      [['TILE=20', 'NDEBUG'], 8],
    ] as const) {
      const [plain, quick] = await bothWays(cacheFolder, [...defines]);
      expect(quick).toBe(plain);
      expect([defines, readdirSync(cacheFolder).length]).toEqual([defines, count]);
    }
  });

  test('is the same for a C++ source beside the CUDA ones; without heavy headers it is compiled as it is', async () => {
    const cacheFolder = newFolder();
    const cpp = '/p/host.cpp';
    for (const [more, count] of [
      ['#include <cmath>', 2],
      ['#include <vector>', 4],
      ['#include <cuda_runtime.h>\n#include <vector>', 5],
    ] as const) {
      const files = new Map([[cpp, Buffer.from(`${more}\n${hostText}`)]]);
      const translation = { request: request([cpp]), source: cpp, includeFolders: [], sourceFolder: dirname(cpp) };
      const run = { arguments: hostArguments(translation, 'c++'), files: layOut(files), outputs: ['-'] };
      const plain = await runCached(run, { cacheFolder: newFolder() });
      const quick = await runCached(run, { cacheFolder }, () =>
        withStandardHeaders(run, translation, 'c++', files, { cacheFolder }),
      );
      expect([plain.outcome, quick.outcome]).toEqual(['success', 'success']);
      expect(Buffer.from(quick.outputs[0]![1]).equals(Buffer.from(plain.outputs[0]![1]))).toBe(true);
      expect([more, readdirSync(cacheFolder).length]).toEqual([more, count]);
    }
  });

  test('shares them with sources that differ by headers which cuda_runtime.h includes anyway, or which cost little', async () => {
    const cacheFolder = newFolder();
    for (const [more, count] of [
      ['', 2],
      ['#include <cstdlib>', 3],
      ['#include <utility>\n#include <string.h>\n#include <stdint.h>', 4],
      ['#include <cstdio>\n#include <limits>\n#include <time.h>', 5],
      ['#include <bitset>', 7],
    ] as const) {
      const [plain, quick] = await bothWays(cacheFolder, ['TILE=16'], textOf(`${more}\n${text}`));
      expect(quick).toBe(plain);
      expect([more, readdirSync(cacheFolder).length]).toEqual([more, count]);
    }
  });
});
