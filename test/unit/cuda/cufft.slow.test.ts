/** cuFFT: transforms of every type beside the definition, and what the trace shows of a call. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelsOfCalls, recorded } from '../recording/recorded.ts';
import { radicesOf } from '../../../engine/cuda/libraries/cufft-passes.ts';

test('lines, planes and boxes, complex and real, by each way of making plans; errors', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'cufft.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  const [first] = kernelsOfCalls(trace);
  trace.close();
  expect(said).toEqual([
    ...['a line', 'other primes', 'long lines', 'planes and boxes', 'embedded, own area'].map(
      (what) => `${what}: right`,
    ),
    'errors: 8 3 4 1 1 1 4 0 1',
  ]);
  expect(first).toEqual(['cufftExecC2C', 'cufft_complex_single']);
  expect(exitCode).toBe(0);
});

test('callbacks are refused', async () => {
  const missing = recorded(`#include <cufftXt.h>
int main() { cufftHandle p; cufftCreate(&p); return cufftXtSetCallback(p, nullptr, CUFFT_CB_LD_COMPLEX, nullptr); }`);
  await expect(missing).rejects.toThrow(/callbacks are not supported/);
});

test('stages of lines', () => {
  expect(radicesOf(1024)).toEqual([8, 8, 8, 2]);
  expect(radicesOf(2 ** 5 * 3 * 5 * 7)).toEqual([8, 4, 3, 5, 7]);
  expect(radicesOf(1)).toEqual([]);
});
