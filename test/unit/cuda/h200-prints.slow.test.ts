/** Programs beside what an H200 printed (nvcc 13.0, sm_90). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

const text = (name: string): string => readFileSync(join(import.meta.dirname, 'h200', name), 'utf8');

test.each([
  ['wide-long', '`long` has 64 bits, whichever overload takes it; conversions of the formats of 16 bits'],
  ['nv-atomics', 'atomic functions with order and scope'],
  ['device-malloc', 'cudaMalloc and cudaFree of kernels'],
])('%s: %s', async (name) => {
  const { trace } = await recorded(text(`${name}.cu`));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect(said).toBe(text(`${name}.txt`));
});
