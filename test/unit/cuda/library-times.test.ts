/** Times of NVIDIA's kernels: models beside what was measured, on other GPUs, and where nothing was. */
import { expect, test } from 'vitest';
import { gemmTimes, streamTimes } from '../../../engine/cuda/libraries/timing/index.ts';
import { gemvCall, vectorCall } from '../../../engine/cuda/libraries/timing/calls.ts';
import type { GemmCall, GemmType } from '../../../engine/cuda/libraries/timing/types.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { compared, errorsOf } from '../../fidelity/libraries/compare.ts';

const product = (type: GemmType, m: number, n = m, k = m): GemmCall => ({
  ...{ type, transposedA: false, transposedB: false, m, n, k, lda: m, ldb: k, ldc: m, batch: 1 },
  ...{ readsC: false, hasEpilogue: false },
});
const h200 = gpuById('h200');
const sum = (kernels: readonly { duration: number }[] | null): number =>
  (kernels ?? []).reduce((total, { duration }) => total + duration, 0);

test('calls that the parameters were not made of are as far off as is said of them', () => {
  const unseen = compared().filter(({ seen }) => !seen);
  const of = (key: RegExp): [mean: number, p90: number] => {
    const { mean, p90 } = errorsOf(unseen.filter((call) => key.test(call.key)));
    return [mean, p90];
  };
  /** Percent: mean, and what one in ten exceeds. */
  const reached: [RegExp, number, number][] = [
    [/./, 12, 26.5],
    [/^half 8$/, 8.2, 19],
    [/^(s|d)$/, 10.7, 25],
    [/^c$/, 7.5, 17],
    [/^(axpy|dot|nrm2|asum|scal|copy|swap|amax|amin) /, 8, 19],
  ];
  expect(unseen.length).toBeGreaterThan(6000);
  for (const [key, mean, p90] of reached) {
    const [ownMean, ownP90] = of(key);
    expect(ownMean, `${key}`).toBeLessThan(mean);
    expect(ownP90, `${key}`).toBeLessThan(p90);
  }
});

test('a product has the library’s kernels: one, or one for parts of k and one that adds them up', () => {
  const whole = gemmTimes(product('b32', 4096), h200)!;
  expect(whole.map(({ name }) => name?.split('_')[0])).toEqual(['nvjet']);
  const parts = gemmTimes(product('s', 128, 128, 16384), h200)!;
  expect(parts).toHaveLength(2);
  expect(parts[1]!.name).toContain('splitKreduce');
  expect(parts[0]!.grid.z).toBeGreaterThan(1);
});

test('halves are faster than floats, floats as TF32 between them', () => {
  const [halves, tf32, floats] = (['h32', 'tf32', 's'] as const).map((type) =>
    sum(gemmTimes(product(type, 4096), h200)),
  );
  expect(halves!).toBeLessThan(tf32!);
  expect(tf32!).toBeLessThan(floats!);
});

test('other GPUs are slower or faster by their peaks, and give their kernels no names', () => {
  const a100 = gpuById('a100');
  const call = product('h32', 8192);
  // 312 of 990 TFLOP/s.
  const ratio = sum(gemmTimes(call, a100)) / sum(gemmTimes(call, h200));
  expect(ratio).toBeGreaterThan(2);
  expect(ratio).toBeLessThan(4);
  expect(gemmTimes(call, a100)![0]!.name).toBeNull();
  const copy = vectorCall('copy', 's', 1e8, [1, 1]);
  const bandwidth = (h200.memory.bandwidth * 0.91) / (a100.memory.bandwidth * a100.memory.achievableFraction!);
  expect(sum(streamTimes(copy, a100)) / sum(streamTimes(copy, h200))).toBeCloseTo(bandwidth, 1);
});

test('published times of other GPUs, which nothing was fitted to', () => {
  // "Inside CUDA: Performance Engineering": SGEMM of 1024, milliseconds.
  const error = (gpu: string, published: number): number =>
    sum(gemmTimes(product('s', 1024), gpuById(gpu))) / 1e6 / published - 1;
  expect(Math.abs(error('mx330', 2.423))).toBeLessThan(0.05);
  expect(Math.abs(error('a4000', 0.206))).toBeLessThan(0.2);
  // Without tensor cores for them, floats are multiplied as they are.
  const mx330 = gpuById('mx330');
  expect(gemmTimes(product('tf32', 1024), mx330)).toEqual(gemmTimes(product('s', 1024), mx330));
});

test('reductions are two kernels, and what fits one block is one', () => {
  expect(streamTimes(vectorCall('dot', 'd', 100_000, [1, 1]), h200)!.map(({ grid }) => grid.x)).toEqual([782, 1]);
  expect(streamTimes(vectorCall('amax', 's', 1000, [1]), h200)).toHaveLength(1);
  expect(streamTimes(vectorCall('amax', 's', 100_000, [1]), h200)).toHaveLength(2);
});

test('what is not measured has no time, and a product with a vector is one that goes through the matrix', () => {
  expect(gemmTimes(product('s', 64, 64, 0), h200)).toBeNull();
  expect(streamTimes({ key: 'rotm s', rows: 1, columns: 1, bytes: 1, length: 0 }, h200)).toBeNull();
  expect(gemmTimes(product('s', 4096, 1, 4096), h200)).toEqual(streamTimes(gemvCall('s', false, 4096, 4096), h200));
});
