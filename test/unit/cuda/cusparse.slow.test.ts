/** cuSPARSE against plain loops on the host: every call, in every format, type and order that it takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

const types = ['float', 'double', 'complex', 'double complex'];

/** What a program beside this file says, with what it includes from here, and the names of its kernels. */
async function said(name: string): Promise<{ lines: string[]; kernels: string[] }> {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8');
  const { trace, exitCode } = await recorded(text, { includeFolders: [import.meta.dirname] });
  const lines = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  const kernels = trace
    .query(
      'SELECT DISTINCT s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName ORDER BY s.value',
    )
    .flat()
    .map(String);
  trace.close();
  expect(exitCode).toBe(0);
  return { lines, kernels };
}

test('products with vectors and matrices, and of sparse matrices, are right, and say what cannot be', async () => {
  const { lines, kernels } = await said('cusparse-products.cu');
  expect(lines).toEqual([
    'none yet: CUSPARSE_STATUS_NOT_INITIALIZED',
    ...types.map((type) => `SpMV of ${type}: right`),
    'SpMV of half: right',
    'SpMV of bfloat16: right',
    ...types.map((type) => `SpMM of ${type}: right`),
    ...types.map((type) => `SDDMM of ${type}: right`),
    ...types.map((type) => `SpGEMM of ${type}: right`),
    'sizes: CUSPARSE_STATUS_INVALID_VALUE',
    'types: operation not supported',
    'no matrix: invalid value',
  ]);
  expect(kernels).toEqual(expect.arrayContaining(['cusparse_scsrmv', 'cusparse_zcoomv', 'cusparse_dcsrmm_row']));
});

test('triangular systems and incomplete factorizations are right, in narrow levels and in wide ones', async () => {
  const { lines } = await said('cusparse-solve.cu');
  expect(lines).toEqual([
    ...types.map((type) => `SpSV and SpSM of ${type}: right`),
    'wide levels of double: right',
    ...types.flatMap((type) => [`ILU(0) of ${type}: right`, `IC(0) of ${type}: right`]),
  ]);
});

test('vectors, dense matrices and indices are converted and sorted', async () => {
  const { lines } = await said('cusparse-conversions.cu');
  expect(lines).toEqual([
    ...types.map((type) => `vectors of ${type}: right`),
    ...types.map((type) => `dense of ${type}: right`),
    'orders of indices: right',
    'attributes of descriptions: right',
  ]);
});
