/** Which of the libraries' sources a program's calls need: those that have their kernels, and no others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cudaIncludeFolder } from '../../../engine/base/paths.ts';
import { levelCalls } from '../../../engine/cuda/libraries/cublas-levels.ts';
import { eigenCalls } from '../../../engine/cuda/libraries/cusolver-eigen.ts';
import { generalEigenCalls } from '../../../engine/cuda/libraries/cusolver-general.ts';
import { refactorizationCalls } from '../../../engine/cuda/libraries/cusolver-rf.ts';
import { choleskyCalls, qrCalls, systemCalls } from '../../../engine/cuda/libraries/cusolver-sp-device-calls.ts';
import { hostCalls } from '../../../engine/cuda/libraries/cusolver-sp-host.ts';
import { choleskySteps, luSteps, qrSteps } from '../../../engine/cuda/libraries/cusolver-sp-steps.ts';
import { singularCalls } from '../../../engine/cuda/libraries/cusolver-singular.ts';
import { rotationSettings } from '../../../engine/cuda/libraries/cusolver-spectra.ts';
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
  const headers = ['cublas_api.h', join('simsight', 'cublas_calls.h')];
  const text = headers.map((name) => readFileSync(join(cudaIncludeFolder, name), 'utf8')).join('');
  for (const name of Object.keys(levelCalls)) {
    const [, letter, rest] = /^cublas(Sc|Dz|I[cz]|[SDCZ][sd](?=scal|rot_)|[SDCZ])?(\w+?)(?:_64)?$/.exec(name)!;
    const stem = letter === undefined ? `cublas${rest!}` : `##${rest!}`;
    const forms = [`${stem}(`, `${stem},`, `${stem.replace('_v2', '')},`, `(${name},`, `${name}(`];
    expect(
      forms.some((form) => text.includes(form)),
      name,
    ).toBe(true);
  }
});

test('routines in tiles have their own parts and those of products', () => {
  expect(definesOf('cublasXtSsymm')).toEqual(['BLAS_FLOAT=1', 'LEVEL_3=1 LEVELS_FLOAT=1']);
  expect(definesOf('cublasXtZspmm')).toEqual(['BLAS_COMPLEX=1', 'LEVEL_3=1 LEVELS_DOUBLE_COMPLEX=1']);
  expect(definesOf('cublasXtCreate', 'cublasXtDeviceSelect')).toEqual([]);
});

test('transforms on several GPUs have the parts of those on one, and factors between complex steps', () => {
  expect(definesOf('cufftXtExecDescriptorC2C')).toEqual(['CUFFT_SINGLE=1', 'CUFFT_PARTS=1']);
  expect(definesOf('cufftXtExecDescriptorD2Z')).toEqual(['CUFFT_DOUBLE=1']);
  expect(definesOf('cufftXtSetGPUs', 'cufftXtMalloc')).toEqual([]);
});

test('calls with 64-bit sizes have the parts of the others', () => {
  expect(definesOf('cublasSgemm_v2_64', 'cublasCdgmm_64')).toEqual(definesOf('cublasSgemm_v2', 'cublasCdgmm'));
});

test('eigenvalues and singular values: every call is declared, and has the parts of its type or of all', () => {
  const header = readFileSync(join(cudaIncludeFolder, 'cusolverDn.h'), 'utf8');
  const types = { S: 'FLOAT', D: 'DOUBLE', C: 'COMPLEX', Z: 'DOUBLE_COMPLEX' };
  for (const name of Object.keys({ ...eigenCalls, ...singularCalls, ...generalEigenCalls })) {
    const [, letter, rest] = /^cusolverDn([SDCZX])(\w+)$/.exec(name)!;
    const declared = letter === 'X' ? `${name}(` : `##${rest!.replace(/^(sy|he)/, 'SY##')}(`;
    expect(header.includes(declared), name).toBe(true);
    const found = new Set(definesOf(name));
    const wanted = letter === 'X' ? Object.values(types) : [types[letter as keyof typeof types]];
    expect(found, name).toEqual(new Set(wanted.map((type) => `SOLVER_${type}=1`)));
  }
  for (const name of Object.keys(rotationSettings)) {
    expect(header.includes(`${name}(`), name).toBe(true);
    expect(definesOf(name), name).toEqual([]);
  }
});

test('sparse matrices: every call is declared, and has kernels of its type where it launches some', () => {
  const headers = ['cusolverSp.h', 'cusolverSp_LOWLEVEL_PREVIEW.h', 'cusolverRf.h'].map((name) =>
    readFileSync(join(cudaIncludeFolder, name), 'utf8'),
  );
  const text = headers.join('\n').replaceAll('##HOST', 'Host') + headers.join('\n').replaceAll('##HOST', '');
  const declared = new Set([...text.matchAll(/\b(?:cusolver\w*|##\w+)(?=\()|(?<=ORDER\()\w+/g)].map(([name]) => name));
  const files = [hostCalls(), luSteps(), qrSteps(), choleskySteps(), systemCalls(), choleskyCalls(), qrCalls()];
  const all = [...files, refactorizationCalls()].flatMap(({ calls, objects = {} }) =>
    Object.keys({ ...calls, ...objects }),
  );
  for (const name of all) {
    const rest = /^cusolverSp[SDCZX](\w+)$/.exec(name)?.[1] ?? '';
    expect(declared.has(name) || declared.has(`##${rest}`) || declared.has(rest), name).toBe(true);
  }
  expect(definesOf('cusolverSpDcsrlsvqr')).toEqual(['SOLVER_DOUBLE=1', 'SOLVER_DOUBLE=1']);
  expect(definesOf('cusolverSpCcsrcholFactor')).toEqual(['SOLVER_COMPLEX=1', 'SOLVER_COMPLEX=1']);
  expect(definesOf('cusolverRfRefactor')).toEqual(['SOLVER_DOUBLE=1', 'SOLVER_DOUBLE=1']);
  expect(definesOf('cusolverSpDcsrlsvqrHost', 'cusolverSpXcsrsymrcmHost')).toEqual([]);
});
