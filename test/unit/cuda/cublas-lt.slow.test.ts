/** cuBLASLt: products with each epilogue beside loops of the host, and what the trace shows of a call. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelsOfCalls, recorded } from '../recording/recorded.ts';

const program = readFileSync(join(import.meta.dirname, 'cublas-lt.cu'), 'utf8');

test('products with epilogues, of several types, batched, with descriptions of either kind', async () => {
  const { trace, exitCode } = await recorded(program);
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  const [first] = kernelsOfCalls(trace);
  trace.close();
  expect(said).toEqual([
    'plain: right',
    'transposed, with C: right',
    'bias, batched: right',
    'relu and bias: right',
    'gelu: right',
    'gelu, bias and what was before: right',
    'slope of gelu: right',
    'bfloat16 with bias: right',
    'half with gelu: right',
    'gradient of the bias: no way, CUBLAS_STATUS_NOT_SUPPORTED',
    'doubles: right',
    'halves throughout: right',
    'bytes to integers: right',
    'bytes to floats: right',
    'doubles by floats: no way, CUBLAS_STATUS_NOT_SUPPORTED',
    'bytes with a ReLU: no way, CUBLAS_STATUS_NOT_SUPPORTED',
  ]);
  // The library's own: ours computes in its place.
  expect(first).toEqual(['cublasLtMatmul', expect.stringContaining('sm80_xmma_gemm') as string]);
  expect(exitCode).toBe(0);
});
