/** Where lanes accessed memory: what is kept of it, and that it explains what was counted. */
import { beforeAll, expect, it, test } from 'vitest';
import { globalCost, wavefrontsOf, type SharedAccessKind } from '../../../engine/memory/accesses.ts';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { Dim3, KernelCounts, SiteCounts } from '../../../engine/model/execution.ts';
import measured from '../../reference/h200/banks.json' with { type: 'json' };
import { caches, compileModule, dim, upload } from './cuda.ts';

const source = `
template <class T> __device__ void load(const unsigned *at, unsigned mask, T *out) {
  extern __shared__ float4 s[];
  if (mask >> threadIdx.x & 1) out[threadIdx.x] = ((T *)s)[at[threadIdx.x] / sizeof(T)];
}
template <class T> __device__ void store(const unsigned *at, unsigned mask, T *out) {
  extern __shared__ float4 s[];
  T value = out[threadIdx.x];
  if (mask >> threadIdx.x & 1) ((T *)s)[at[threadIdx.x] / sizeof(T)] = value;
}
#define PAIR(NAME, T) \\
  __global__ void load##NAME(const unsigned *at, unsigned mask, T *out) { load<T>(at, mask, out); } \\
  __global__ void store##NAME(const unsigned *at, unsigned mask, T *out) { store<T>(at, mask, out); }
PAIR(4, float)
PAIR(8, double)
PAIR(16, float4)
template <class F> __device__ void atomic(const unsigned *at, unsigned mask, F f) {
  extern __shared__ float4 s[];
  if (mask >> threadIdx.x & 1) f((char *)s + at[threadIdx.x]);
}
__global__ void add(const unsigned *at, unsigned mask, int *out) { atomic(at, mask, [=](char *p) { atomicAdd((int *)p, (int)threadIdx.x + 3); }); }
__global__ void addResult(const unsigned *at, unsigned mask, int *out) { atomic(at, mask, [=](char *p) { out[threadIdx.x] = atomicAdd((int *)p, (int)threadIdx.x + 3); }); }
__global__ void exchange(const unsigned *at, unsigned mask, int *out) { atomic(at, mask, [=](char *p) { out[threadIdx.x] = atomicExch((int *)p, (int)threadIdx.x); }); }
__global__ void exchange8(const unsigned *at, unsigned mask, int *out) { atomic(at, mask, [=](char *p) { out[threadIdx.x] = atomicExch((unsigned long long *)p, (unsigned long long)threadIdx.x); }); }
__global__ void count(const unsigned *at, unsigned mask, int *out) { atomic(at, mask, [=](char *p) { atomicAdd((int *)p, 1); }); }
__global__ void rows(const float *in, float *out, int pitch) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 40; i++) sum += in[threadIdx.x * pitch + i];
  out[threadIdx.x] = sum;
}
__global__ void one(const float *in, float *out) {
  __shared__ float tile[32][33], rest[8];
  tile[threadIdx.x][3] = in[0];
  rest[threadIdx.x % 8] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[5][threadIdx.x] + tile[2][2] + rest[1];
}
`;

let module: DeviceModule;
let device: Device;
beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
});

/** With the first block traced. */
function run(
  name: string,
  args: number[],
  block: Dim3,
  dynamicSharedBytes = 0,
): { counts: KernelCounts; sites: SiteCounts[] } {
  const kernel = module.kernels.find((one) => one.name.startsWith(`_Z${name.length}${name}`))!;
  const parameters = new Uint8Array(kernel.parameterBytes);
  kernel.parameters.forEach(({ offset }, i) => new DataView(parameters.buffer).setUint32(offset, args[i]!, true));
  const launch = { kernel: kernel.name, grid: dim(1), block, dynamicSharedBytes, parameters };
  const counts = device.launch(launch, caches, undefined, { blocks: [0], onBlock: () => false });
  return { counts, sites: counts.places!.sites };
}

const kinds: Record<string, SharedAccessKind> = {
  add: 'atomic',
  addResult: 'atomic',
  exchange: 'atomic',
  exchange8: 'atomic',
  count: 'count',
};
const names = ['load4', 'load8', 'load16', 'store4', 'store8', 'store16', ...Object.keys(kinds)];
const rows = measured.rows as unknown as [string, number, number, number[]][];

test.each(names)('%s: wavefronts as an H200 counts them, and the addresses behind them', (name) => {
  const at = device.allocate(128)!;
  const out = device.allocate(4096)!;
  const kind = kinds[name] ?? (name.startsWith('load') ? 'load' : 'store');
  for (const [, mask, wavefronts, addresses] of rows.filter(([kernel]) => kernel === name)) {
    new Uint32Array(device.memory.buffer, at, 32).set(addresses);
    const { sites } = run(name, [at, mask, out], dim(32), 65_536);
    const shared = sites.filter(({ samples }) => samples[0]?.space === 'shared');
    expect({ mask: mask.toString(16), addresses, wavefronts: shared.map((site) => site.wavefronts) }).toEqual({
      mask: mask.toString(16),
      addresses,
      wavefronts: [wavefronts],
    });
    const [sample, ...others] = shared[0]!.samples;
    expect(others).toEqual([]);
    expect(sample).toMatchObject({ block: 0, warp: 0, lanes: mask });
    const active = (list: ArrayLike<number>): number[] => Array.from(list).filter((_, lane) => (mask >>> lane) & 1);
    expect(active(sample!.addresses)).toEqual(active(addresses));
    expect(wavefrontsOf(kind, sample!)).toHaveLength(wavefronts);
  }
});

it('keeps accesses that differ, far apart in time; they explain what was counted', () => {
  const pitch = 40;
  const bytes = 4 * pitch * 64;
  const input = upload(device, new Float32Array(bytes / 4));
  const { sites } = run('rows', [input, device.allocate(4096)!, pitch], dim(64));
  const [loads] = sites.filter(({ samples }) => samples.length > 1);
  // Samples are those of the 80 accesses that lie differently on lines of memory.
  expect(loads!.samples.length).toBeLessThanOrEqual(8);
  for (const { lanes, size, space, addresses } of loads!.samples) {
    expect({ lanes, size, space }).toEqual({ lanes: 0xffff_ffff, size: 4, space: 'global' });
    addresses.forEach((address, lane) => expect(address).toBe(addresses[0]! + 4 * pitch * lane));
    expect(addresses[0]! >= input && addresses[31]! < input + bytes).toBe(true);
    expect(globalCost({ lanes, size, addresses }, 'load').sectors * 80).toBe(loads!.sectors);
  }
});

it('tells accesses of one address for all lanes, and shared variables by their names', () => {
  const out = device.allocate(4096)!;
  const { sites } = run('one', [out, out], dim(32));
  const shared = sites.flatMap(({ samples }) => samples.filter(({ space }) => space === 'shared'));
  const uniform = shared.filter(({ addresses }) => addresses.every((address) => address === addresses[0]));
  expect(uniform.map(({ addresses }) => addresses[0]!).sort((a, b) => a - b)).toEqual([
    4 * (2 * 33 + 2),
    4 * 33 * 32 + 4,
  ]);
  const { sharedArrays } = module.kernels.find(({ name }) => name.startsWith('_Z3one'))!.machine!;
  expect([...sharedArrays].sort((a, b) => a.offset - b.offset)).toEqual([
    { name: 'tile', offset: 0, bytes: 4 * 33 * 32, rowBytes: 4 * 33 },
    { name: 'rest', offset: 4 * 33 * 32, bytes: 32, rowBytes: null },
  ]);
  const load4 = module.kernels.find(({ name }) => name.startsWith('_Z5load4'))!.machine!.sharedArrays;
  expect(load4).toEqual([{ name: 's', offset: 0, bytes: null, rowBytes: null }]);
});
