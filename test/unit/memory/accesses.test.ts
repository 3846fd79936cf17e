/** Costs of single accesses, against Nsight Compute's counters on an H200 and against the rules of global memory. */
import { expect, test } from 'vitest';
import {
  globalCost,
  idealWavefronts,
  linesOf,
  wavefrontsOf,
  type SharedAccessKind,
  type WarpAccess,
} from '../../../engine/memory/accesses.ts';
import measured from '../../reference/h200/banks.json' with { type: 'json' };

const kinds: Record<string, [SharedAccessKind, number]> = {
  load4: ['load', 4],
  load8: ['load', 8],
  load16: ['load', 16],
  store4: ['store', 4],
  store8: ['store', 8],
  store16: ['store', 16],
  add: ['atomic', 4],
  addResult: ['atomic', 4],
  exchange: ['atomic', 4],
  exchange8: ['atomic', 8],
  count: ['count', 4],
  matrix1: ['matrix', 16],
  matrix2: ['matrix', 16],
  matrix4: ['matrix', 16],
};
const rowsOfMatrices: Record<string, number> = { matrix1: 0xff, matrix2: 0xffff };

const rows = measured.rows as unknown as [string, number, number, number[]][];
test.each(Object.keys(kinds))('wavefronts of shared memory, as an H200 counts them: %s', (name) => {
  const [kind, size] = kinds[name]!;
  const own = rows.filter(([kernel]) => kernel === name);
  expect(own.length).toBeGreaterThan(50);
  for (const [, mask, count, addresses] of own) {
    const access = { size, lanes: rowsOfMatrices[name] ?? mask, addresses };
    const wavefronts = wavefrontsOf(kind, access);
    expect({ addresses, mask, count: wavefronts.length }).toEqual({ addresses, mask, count });
    expect(idealWavefronts(kind, access)).toBeLessThanOrEqual(count);
    // Every lane gets every word of its own, each from the bank that has it.
    for (const [lane, address] of addresses.entries()) {
      if (((access.lanes >>> lane) & 1) === 0) continue;
      const words = Array.from({ length: size / 4 }, (_, i) => address / 4 + i);
      const served = wavefronts.flatMap(({ words, lanes }) =>
        words.filter((word, bank) => ((lanes[bank]! >>> lane) & 1) === 1 && word % 32 === bank),
      );
      expect(served.sort((a, b) => a - b)).toEqual(words);
    }
  }
});

const access = (size: number, of: (lane: number) => number, lanes = 0xffff_ffff): WarpAccess => ({
  ...{ size, lanes },
  addresses: Array.from({ length: 32 }, (_, lane) => of(lane)),
});
const base = 0x1000_0000;

test.each([
  ['coalesced', access(4, (i) => base + 4 * i), 4, 4],
  ['coalesced', access(4, (i) => base + 4 * (31 - i)), 4, 4],
  ['coalesced', access(16, (i) => base + 16 * i), 16, 16],
  ['coalesced', access(4, (i) => base + 4 * i, 0xff), 1, 1],
  ['misaligned', access(4, (i) => base + 4 + 4 * i), 5, 4],
  ['misaligned', access(1, (i) => base + 20 + i), 2, 1],
  ['strided', access(4, (i) => base + 8 * i), 8, 4],
  ['strided', access(4, (i) => base + 512 * i), 32, 4],
  ['strided', access(4, (i) => base + 65536 - 128 * i), 32, 4],
  ['broadcast', access(4, () => base + 64), 1, 1],
  ['broadcast', access(8, (i) => base + 4096 * i, 1 << 9), 1, 1],
  ['scattered', access(4, (i) => base + 4 * ((i * 7919 * 13) % 4096)), 32, 4],
] as const)('global memory: %s', (pattern, each, sectors, idealSectors) => {
  expect(globalCost(each, 'load')).toMatchObject({ pattern, sectors, idealSectors });
});

test.each([
  // H200 reference, A6: sectors per request of all lanes on one address, and of each on its own.
  ['same address', access(4, () => base + 64), 32, 1],
  ['coalesced', access(4, (i) => base + 4 * i), 4, 4],
  ['strided', access(4, (i) => base + 128 * i), 32, 4],
  ['scattered', access(4, (i) => base + 4 * ((i * 7919 * 13) % 4096)), 32, 4],
  // Two addresses of one sector: a pass serves a lane on each.
  ['colliding', access(4, (i) => base + 4 * (i % 2)), 16, 1],
  ['colliding', access(4, (i) => base + 4096 * (i >> 1)), 32, 2],
  ['same address', access(4, () => base, 0b11), 2, 1],
  ['single', access(8, () => base + 8, 1 << 9), 1, 1],
] as const)('atomics on global memory: %s', (pattern, each, sectors, idealSectors) => {
  expect(globalCost(each, 'atomic')).toMatchObject({ pattern, sectors, idealSectors });
});

test('lines are told with their sectors', () => {
  const lines = linesOf(access(8, (i) => base + 120 + 8 * i, 0b111));
  expect(lines).toEqual([
    { address: base, sectors: 0b1000 },
    { address: base + 128, sectors: 0b0001 },
  ]);
  expect(
    globalCost(
      access(4, (i) => base + 128 * i),
      'load',
    ).strideBytes,
  ).toBe(128);
  expect(
    globalCost(
      access(4, (i) => base + 4 * i),
      'load',
    ).strideBytes,
  ).toBe(null);
});
