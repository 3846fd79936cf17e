import { describe, expect, test } from 'vitest';
import { standardIncludes } from '../../../engine/compile/precompiled.ts';

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
    expect(includes('#define N 100\n#pragma unroll\n#include <vector>\n')).toEqual(['vector']);
  });
});
