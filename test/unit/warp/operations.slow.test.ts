/** Block-wide votes, structs, pointers in memory, and other things that only some programs use. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { compileModule, dim, download, f64, launch as launchOn, upload } from './cuda.ts';

const source = `
__global__ void blockVotes(int *o, int rounds) {
  int t = threadIdx.x, s = 0;
  for (int r = 0; r < rounds; r++) s += __syncthreads_count(t % (r + 2) == 0) + 1000 * __syncthreads_and(t < 90) + 10000 * __syncthreads_or(t == r);
  o[t] = s;
}
template <int N> struct Many { float x[N]; };
__global__ void structs(Many<5> a, Many<3> *o, bool b, char c, long long l, double d, float4 q) {
  Many<3> r;
  for (int i = 0; i < 3; i++) r.x[i] = a.x[(i + threadIdx.x) % 5] + b + c + l + d + q.y;
  o[threadIdx.x] = r;
}
struct Node { Node *next; int value; };
__global__ void lists(Node *n, int *o) { int s = 0; for (Node *p = n + threadIdx.x; p; p = p->next) s += p->value; o[threadIdx.x] = s; }
__global__ void flags(bool *o, const int *a) {
  __shared__ bool done;
  if (threadIdx.x == 0) done = false;
  __syncthreads();
  if (a[threadIdx.x] > 4) done = true;
  __syncthreads();
  o[threadIdx.x] = done;
}
__global__ void warps(int *o, double *d, const float *__restrict__ f) {
  int t = threadIdx.x, all;
  o[t] = __reduce_add_sync(~0u, t) + 1000 * __reduce_max_sync(~0u, t ^ 5);
  o[32 + t] = __match_any_sync(~0u, t & 3);
  o[64 + t] = __match_all_sync(~0u, 5, &all) + all;
  o[96 + t] = __ldg(f + t) + __isShared(o) + __ffs(t) + __popcll((unsigned long long)t << 33);
  d[t] = __shfl_xor_sync(~0u, d[t], 1) + __shfl_down_sync(~0u, (long long)t << 40, 2);
}
__device__ double total;
__device__ int *where = 0;
__device__ const char text[] = "warp";
__device__ float half_of[2][2] = {{0.5f, 1.5f}, {2.5f, -1e30f}};
__global__ void variables(int *o, float *f) {
  atomicAdd(&total, 0.25);
  o[threadIdx.x] = text[threadIdx.x & 3];
  f[threadIdx.x] = half_of[threadIdx.x & 1][threadIdx.x >> 1 & 1];
}
`;

let module: DeviceModule;
let device: Device;
const launch = (name: string, threads: number, args: (number | Uint8Array)[]) =>
  launchOn(
    device,
    module.kernels.map((kernel) => kernel.name),
    name,
    dim(1),
    dim(threads),
    args,
  );

beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
});

describe('operations', () => {
  it('block-wide votes, again and again', () => {
    const out = upload(device, new Int32Array(96));
    launch('blockVotes', 96, [out, 5]);
    let expected = 0;
    for (let r = 0; r < 5; r++) expected += Math.ceil(96 / (r + 2)) + 10000;
    expect(download(device, out, new Int32Array(96))).toEqual(new Int32Array(96).fill(expected));
  });

  it('structs by value with variable indices, and all sizes of scalars', () => {
    const out = upload(device, new Float32Array(96));
    const a = new Float32Array([1, 2, 3, 4, 5]);
    const long = new Uint8Array(new BigInt64Array([-7n]).buffer);
    launch('structs', 32, [
      new Uint8Array(a.buffer),
      out,
      Uint8Array.of(1),
      Uint8Array.of(0xfe),
      long,
      f64(0.5),
      new Uint8Array(new Float32Array([0, 8, 0, 0]).buffer),
    ]);
    const expected = Float32Array.from(
      { length: 96 },
      (_, k) => (a[((k % 3) + Math.floor(k / 3)) % 5] ?? 0) + 1 - 2 - 7 + 0.5 + 8,
    );
    expect(download(device, out, expected)).toEqual(expected);
  });

  it('follows pointers stored in device memory', () => {
    // A pointer and an integer in 16 bytes.
    const nodes = upload(device, new Uint32Array(400));
    const words = new Uint32Array(device.memory.buffer, nodes, 400);
    for (let i = 0; i < 100; i++) words.set([i % 7 === 6 ? 0 : nodes + 16 * (i + 1), 0, i], 4 * i);
    const out = upload(device, new Int32Array(64));
    launch('lists', 64, [nodes, out]);
    const sum = (i: number): number => i + (i % 7 === 6 ? 0 : sum(i + 1));
    expect(download(device, out, new Int32Array(64))).toEqual(Int32Array.from({ length: 64 }, (_, i) => sum(i)));
  });

  it('bool in shared memory', () => {
    const out = upload(device, new Uint8Array(64));
    const input = new Int32Array(64);
    launch('flags', 64, [out, upload(device, input)]);
    expect(download(device, out, new Uint8Array(64))).toEqual(new Uint8Array(64));
    input[50] = 9;
    launch('flags', 64, [out, upload(device, input)]);
    expect(download(device, out, new Uint8Array(64))).toEqual(new Uint8Array(64).fill(1));
  });

  it('warp reductions, matches and 64-bit shuffles', () => {
    const out = upload(device, new Int32Array(128));
    const d = Float64Array.from({ length: 32 }, (_, i) => i * 1.25);
    const doubles = upload(device, d);
    launch('warps', 32, [
      out,
      doubles,
      upload(
        device,
        Float32Array.from({ length: 32 }, (_, i) => i * 100),
      ),
    ]);
    const got = download(device, out, new Int32Array(128));
    const popcount = (x: number): number => (x === 0 ? 0 : (x & 1) + popcount(x >>> 1));
    for (let t = 0; t < 32; t++) {
      expect(got[t]).toBe(496 + 31000);
      expect(got[32 + t]).toBe((0x11111111 << (t & 3)) | 0);
      expect(got[64 + t]).toBe(-1 + 1);
      expect(got[96 + t]).toBe(t * 100 + (t === 0 ? 0 : 32 - Math.clz32(t & -t)) + popcount(t));
    }
    const from = (t: number): number => (t + 2 <= 31 ? t + 2 : t);
    expect(download(device, doubles, d)).toEqual(d.map((_, t) => (d[t ^ 1] ?? 0) + from(t) * 2 ** 40));
  });

  it('initialised device variables', () => {
    const [o, f] = [upload(device, new Int32Array(32)), upload(device, new Float32Array(32))];
    launch('variables', 32, [o, f]);
    expect(String.fromCharCode(...download(device, o, new Int32Array(4)))).toBe('warp');
    expect([...download(device, f, new Float32Array(4))]).toEqual([0.5, 2.5, 1.5, Math.fround(-1e30)]);
    const total = device.variables.find(({ name }) => name === 'total');
    expect(new Float64Array(device.memory.buffer, total?.address ?? 0, 1)[0]).toBe(8);
  });
});
