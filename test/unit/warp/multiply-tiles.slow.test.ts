/** Products of tiles by the runtime beside those of a kernel's own loop, on machines that multiply and add with one rounding and on others. */
import { afterAll, expect, test, vi } from 'vitest';
import * as fused from '../../../engine/warp/fused.ts';
import { createDevice, dim, download, launch, upload } from './cuda.ts';

const has = vi.spyOn(fused, 'hasFusedMultiplyAdd');
afterAll(() => has.mockRestore());

const [rows, columns, depth, pitch] = [24, 12, 7, 32] as const;

const kernelsOf = (type: string, name: string): string => `
extern "C" __device__ void __simsight_multiply_${name}(${type} *, const ${type} *, const ${type} *, int, int, int, int);
extern "C" __global__ void tiles_${name}(${type} *c, const ${type} *a, const ${type} *b) {
  __shared__ __align__(16) ${type} sums[${pitch * columns}], left[${pitch * depth}], right[${pitch * depth}];
  for (int i = threadIdx.x; i < ${pitch * columns}; i += 64) sums[i] = c[i];
  for (int i = threadIdx.x; i < ${pitch * depth}; i += 64) left[i] = a[i], right[i] = b[i];
  __syncthreads();
  if (threadIdx.x < 32) __simsight_multiply_${name}(sums, left, right, ${rows}, ${columns}, ${depth}, ${pitch});
  __syncthreads();
  for (int i = threadIdx.x; i < ${pitch * columns}; i += 64) c[i] = sums[i];
}
extern "C" __global__ void loop_${name}(${type} *c, const ${type} *a, const ${type} *b) {
  if (threadIdx.x < ${rows})
    for (int y = 0; y < ${columns}; y++)
      for (int k = 0; k < ${depth}; k++) c[y * ${pitch} + threadIdx.x] += a[k * ${pitch} + threadIdx.x] * b[k * ${pitch} + y];
}
`;
const source = [
  ['float', 'floats'],
  ['double', 'doubles'],
  ['int', 'ints'],
]
  .map(([type, name]) => kernelsOf(type!, name!))
  .join('');
const names = ['tiles_floats', 'loop_floats', 'tiles_doubles', 'loop_doubles', 'tiles_ints', 'loop_ints'];

/** Numbers whose products and sums do not fit: each rounding shows. */
const values = <T extends Float32Array | Float64Array | Int32Array>(array: T, seed: number): T => {
  let state = seed;
  return array.map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return array instanceof Int32Array ? state : state / 3_000_000_019;
  }) as T;
};

test.each([true, false])('tiles are multiplied as by loops: with one rounding by the machine: %s', async (isFused) => {
  has.mockClear().mockReturnValue(isFused);
  const device = await createDevice(`${source}// ${isFused}`);
  expect(has).toHaveBeenCalled();
  for (const [name, make] of [
    ['floats', (size: number) => new Float32Array(size)],
    ['doubles', (size: number) => new Float64Array(size)],
    ['ints', (size: number) => new Int32Array(size)],
  ] as const) {
    const [a, b, c] = [depth, depth, columns].map((lines, i) => values(make(pitch * lines), i + 1)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const results = ['tiles', 'loop'].map((way) => {
      const target = upload(device, c);
      launch(device, names, `${way}_${name}`, dim(1), dim(64), [target, upload(device, a), upload(device, b)]);
      return download(device, target, c);
    });
    expect(results[0], name).toEqual(results[1]);
    expect(results[0], name).not.toEqual(c);
  }
});
