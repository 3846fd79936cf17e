/** Which of the libraries' sources a program's calls need: those that have their kernels, and no others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cudaIncludeFolder } from '../../../engine/base/paths.ts';
import { levelCalls } from '../../../engine/cuda/libraries/cublas-levels.ts';
import { sourcesOf } from '../../../engine/cuda/libraries/index.ts';

const definesOf = (...calls: string[]): string[] => sourcesOf(calls).map(({ defines }) => defines.join(' '));

test('each of the calls of the three levels has a part of one type', () => {
  // Rotations are made on the host.
  const names = Object.keys(levelCalls).filter((name) => !/rotm?g_v2$|^cublasRotEx$/.test(name));
  const types = { S: 'FLOAT', D: 'DOUBLE', C: 'COMPLEX', Z: 'DOUBLE_COMPLEX' };
  for (const name of names) {
    const letter = /^cublas(?:Sc|Ic)/.test(name) ? 'C' : /^cublas(?:Dz|Iz)/.test(name) ? 'Z' : name[6]!;
    const type = types[letter as keyof typeof types];
    expect(definesOf(name), name).toEqual([expect.stringMatching(new RegExp(`^LEVEL_[123]=1 LEVELS_${type}=1$`))]);
  }
});

test('products of general matrices and real vectors have others, and settings none', () => {
  expect(definesOf('cublasSgemm_v2', 'cublasIsamax_v2')).toEqual(['BLAS_FLOAT=1']);
  expect(definesOf('cublasCgemm3m')).toEqual(['BLAS_COMPLEX=1']);
  expect(definesOf('cublasDgemmGroupedBatched')).toEqual(['BLAS_DOUBLE=1']);
  expect(definesOf('cublasSgemvBatched')).toEqual(['LEVEL_2=1 LEVELS_FLOAT=1']);
  expect(definesOf('cublasCreate_v2', 'cublasSetStream_v2', 'cublasDestroy_v2', 'cublasCrotg_v2')).toEqual([]);
});

test('every call is declared', () => {
  const header = readFileSync(join(cudaIncludeFolder, 'cublas_v2.h'), 'utf8');
  for (const name of Object.keys(levelCalls)) {
    const [, letter, rest] = /^cublas(Sc|Dz|I[cz]|[SDCZ][sd](?=scal|rot_)|[SDCZ])?(\w+)$/.exec(name)!;
    const declared = letter === undefined ? `cublas${rest}(` : `##${rest}(`;
    expect(header.includes(declared) || header.includes(`${name}(`), name).toBe(true);
  }
});
