/** cuBLAS's LU factorizations of batches: products, solutions and inverses beside the matrices they are of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('batches of every type are factorized, solved and inverted, with pivots and without', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'cublas-lu.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual([
    'float: right',
    'float without pivots: right',
    'double: right',
    'double, one singular: right',
    'double without pivots, one singular: right',
    'complex: right',
    'double complex: right',
    'double complex without pivots: right',
  ]);
  expect(exitCode).toBe(0);
});
