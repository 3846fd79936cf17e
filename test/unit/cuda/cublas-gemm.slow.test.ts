/** cuBLAS's products of complex numbers and of bytes, by each way of calling them, beside loops of the host. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('products of complex numbers and of bytes, transposed and conjugate', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'cublas-gemm.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual([
    'complex: right',
    'double complex, batched: right',
    'complex by type: right',
    'double complex by type: right',
    'complex bytes: right',
    'bytes to floats: right',
    'bytes to floats by integers: CUBLAS_STATUS_NOT_SUPPORTED',
    'complex by doubles: CUBLAS_STATUS_NOT_SUPPORTED',
  ]);
  expect(exitCode).toBe(0);
});
