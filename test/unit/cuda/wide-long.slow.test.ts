/** `long` has 64 bits in kernels, whichever overload takes it; and what the formats of 16 bits are assigned and converted from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

const folder = join(import.meta.dirname, 'wide-long');
const text = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('hints, matches, shuffles, minima and conversions print what an H200 printed (nvcc 13.0, sm_90)', async () => {
  const { trace } = await recorded(text('wide-long.cu'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect(said).toBe(text('h200.txt'));
});
