/** cuRAND's host API: the numbers of its generators, which are those of cuRAND 10.4, and what the trace shows of a call. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { poissonTable } from '../../../engine/cuda/libraries/poisson-table.ts';
import { sobolVectors } from '../../../engine/cuda/libraries/sobol-directions.ts';
import { kernelsOfCalls, recorded } from '../recording/recorded.ts';

/** What the same program printed with cuRAND 10.4; on an H200 the device's numbers are those of the host. */
const ofGenerators = [
  '101 0: 296143fc ad0405c8 20458365',
  '101 0: 35569fb2 0d97244f',
  '101 0: 25229 23972 39030 40268 ead65236',
  '121 0: 3c780faa a8a87a50 c4a7fbb4',
  '121 0: 632ee7f0 412ce6f8',
  '121 0: 24335 24384 39894 39896 b1975efc',
  '141 0: f59a08d1 4fa268df b2b760a2',
  '141 0: a2a65582 66c4404c',
  '141 0: 12604 12029 20115 19414 6bbdbd16 2d61f63b',
  '161 0: 0c872a1e d2ca487a 98d92a8a',
  '161 0: 294ba74e 87a17924',
  '161 0: 23921 23999 39797 38462 12c8ed14',
  '201 0: 5edcc08b 5e78c8f5 bcc6bda9 7918 7963 a73c4353',
  '201 0: 6768170c 838629ca',
  '203 0: ca2d9ae5 c5a452a9 b6e37e4c 4046',
];

test('every generator, order and kind of numbers, on the device and on the host; errors', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'curand.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  const around = kernelsOfCalls(trace);
  trace.close();
  expect(said).toEqual([...ofGenerators, 'device', ...ofGenerators, '103 105 103 103 104 104 0 103 0 105 0 10400']);
  expect(around).toContainEqual(['curandGenerate', 'curand_xorwow_words']);
  expect(around).toContainEqual(['curandGenerateNormalDouble', 'curand_xorwow_normal_double']);
  expect(exitCode).toBe(0);
});

test('the same generators in kernels', async () => {
  const { trace } = await recorded(readFileSync(join(import.meta.dirname, 'curand-kernels.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual(['XORWOW', 'MRG32k3a', 'MTGP32', 'Sobol'].map((generator) => `${generator}: right`));
});

test('what is missing is refused by name', async () => {
  const missing = recorded(`#include <curand.h>
int main() { curandGenerator_t g; return curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937); }`);
  await expect(missing).rejects.toThrow(/MT19937 are not supported yet/);
});

test("Sobol's direction vectors, and Poisson's sums", () => {
  const vectors = sobolVectors(3, 32);
  // The second dimension's polynomial is x + 1, the third's x^2 + x + 1 with m = 1, 3.
  expect([...vectors.subarray(32, 36)].map(Number)).toEqual([0x80000000, 0xc0000000, 0xa0000000, 0xf0000000]);
  expect([...vectors.subarray(64, 68)].map(Number)).toEqual([0x80000000, 0xc0000000, 0x60000000, 0x90000000]);
  const { first, sums } = poissonTable(2);
  expect(first).toBe(0);
  expect(sums[1]).toBeCloseTo(3 * Math.exp(-2), 14);
  const large = poissonTable(1e6).sums;
  expect(large[large.length - 1]).toBeCloseTo(1, 9);
});
