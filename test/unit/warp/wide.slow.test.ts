/** IR for a 64-bit device is executed: pointers of 8 bytes in memory, sizes of 64 bits, and the machine code of the very blocks that run. */
import { describe, expect, test } from 'vitest';
import { compileIrToWasm } from '../../../engine/compile/index.ts';
import { buildDeviceModule } from '../../../engine/kernels/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { cacheFolder } from '../../setup/kept.ts';
import { deviceIr, dim, download, f32, launch, upload } from './cuda.ts';

const source = `
struct Node { float value; Node *next; int weight; };
struct View { float *data; size_t count; const int *order; };

__global__ void link(Node *nodes, int n) {
  int i = threadIdx.x;
  nodes[i].value = i;
  nodes[i].weight = 2 * i;
  nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
}
__global__ void walk(const Node *nodes, float *out) {
  float sum = 0;
  for (const Node *at = nodes + threadIdx.x; at; at = at->next) sum += at->value + at->weight;
  out[threadIdx.x] = sum;
}
__global__ void view(View v, float factor, float *out) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.count) out[i] = v.data[v.order[i]] * factor;
}
__global__ void byPointer(const View *v, float *out) { out[threadIdx.x] = v->data[v->count - 1 - threadIdx.x]; }
__global__ void sizes(unsigned long long *out, size_t n, const float *p, long step) {
  out[0] = sizeof(void *);
  out[1] = sizeof(View);
  out[2] = n * n;
  out[3] = (size_t)p;
  out[4] = (size_t)(step * -3L);
  out[5] = &p[7] - &p[2];
}
__global__ void behind(const int *in, int *out, int n) {
  const int *end = in + n;
  for (int i = threadIdx.x + 1; i <= n; i += blockDim.x) out[i - 1] = end[-i] - in[n - i];
  out[threadIdx.x] += end[-1 - (int)threadIdx.x];
}
__global__ void local(const float *a, const float *b, float *out, int k) {
  const float *arrays[4] = {a, b, a + 32, b + 32};
  float own[8];
  for (int i = 0; i < 8; i++) own[(i + k) & 7] = arrays[(i + k + threadIdx.x) & 3][threadIdx.x];
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += own[(i * k) & 7] * (i + 1);
  out[threadIdx.x] = sum;
}
__global__ void exchange(unsigned long long *sum, Node **head, Node *nodes, size_t *out) {
  atomicAdd(sum, (1ull << 33) + threadIdx.x);
  Node *mine = &nodes[threadIdx.x];
  mine->next = (Node *)atomicExch((unsigned long long *)head, (unsigned long long)mine);
  size_t value = ((size_t)threadIdx.x << 35) | 5;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, value, 1);
  Node *other = (Node *)__shfl_sync(0xffffffff, (size_t)mine, (threadIdx.x + 1) & 31);
  out[32 + threadIdx.x] = other - nodes;
}
struct Shape { int side; __device__ Shape(int s) : side(s) {} __device__ virtual int area() const = 0; __device__ virtual int edges() const { return 0; } };
struct Square : Shape { __device__ Square(int s) : Shape(s) {} __device__ int area() const override { return side * side; } __device__ int edges() const override { return 4; } };
struct Cube : Shape { __device__ Cube(int s) : Shape(s) {} __device__ int area() const override { return 6 * side * side; } };
__global__ void shapes(Shape **all, int *out) {
  int i = threadIdx.x;
  all[i] = i % 2 ? (Shape *)new Square(i) : (Shape *)new Cube(i);
  __syncthreads();
  out[i] = all[31 - i]->area() + 1000 * all[i]->edges();
  __syncthreads();
  delete all[i];
}
__device__ int twice(int x) { return 2 * x; }
__device__ int negative(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function table[2] = {twice, negative};
__device__ int numbers[4] = {1, 2, 3, 4};
struct Names { int *second; const char *text; long size; };
__device__ Names names = {numbers + 1, "abc", 5000000000L};
__global__ void globals(int *out, long *size, Function *kept) {
  kept[threadIdx.x] = table[threadIdx.x & 1];
  out[threadIdx.x] = kept[threadIdx.x](threadIdx.x) + names.second[threadIdx.x & 1] + names.text[1];
  size[threadIdx.x] = names.size;
}
__device__ int depth(const Node *at) { return at ? 1 + depth(at->next) : 0; }
__global__ void recursive(const Node *nodes, int *out) { out[threadIdx.x] = depth(nodes + threadIdx.x); }
__global__ void prints(size_t n, const float *p) {
  if (threadIdx.x == 3) printf("%zu %ld %d %lx %s %p %lld %f|", n, -5L, 7, 0x123456789aL, "text", p, -1LL, 1.5);
}
__global__ void allocates(size_t bytes, int *out) {
  void *p = malloc(bytes);
  out[threadIdx.x] = p != nullptr;
  free(p);
}
__global__ void copies(const View *from, View *to, char *bytes, const char *source, size_t n) {
  to[threadIdx.x] = from[threadIdx.x & 1];
  memcpy(bytes + 16 * threadIdx.x, source + threadIdx.x, n);
}
__global__ void sharedAddress(int *out) {
  __shared__ int tile[64];
  __shared__ int *places[32];
  tile[threadIdx.x] = threadIdx.x;
  tile[threadIdx.x + 32] = 100 + threadIdx.x;
  places[threadIdx.x] = &tile[63 - threadIdx.x];
  __syncthreads();
  unsigned at = __cvta_generic_to_shared(&tile[threadIdx.x + 1]);
  int value;
  asm volatile("ld.shared.s32 %0, [%1+4];" : "=r"(value) : "r"(at));
  out[threadIdx.x] = value + *places[threadIdx.x ^ 1];
}
__global__ void strides(const float *in, float *out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = 2 * in[n - 1 - i];
}
__global__ void outside(float *p, long i) { p[i + threadIdx.x] = 1; }
`;

const module = await buildDeviceModule(await deviceIr(source), {
  sourceName: 'kernels.cu',
  toWasm: (unit) => compileIrToWasm(unit, { cacheFolder }),
});
const names = module.kernels.map(({ name }) => name);
const device = Device.create([module], { memoryBytes: 1 << 30 });
const run = (name: string, args: (number | Uint8Array)[], block = 32, grid = 1): ReturnType<typeof launch> =>
  launch(device, names, name, dim(grid), dim(block), args);
const size = (value: bigint): Uint8Array => new Uint8Array(new BigInt64Array([value]).buffer);
const floats = (count: number, of: (i: number) => number): number =>
  upload(
    device,
    Float32Array.from({ length: count }, (_, i) => of(i)),
  );
const room = (bytes: number): number => upload(device, new Uint8Array(bytes));
const ints = (address: number, count = 32): number[] => [...download(device, address, new Int32Array(count))];
const longs = (address: number, count = 32): bigint[] => [...download(device, address, new BigInt64Array(count))];
const lanes = <T>(of: (lane: number) => T, count = 32): T[] => Array.from({ length: count }, (_, i) => of(i));

describe('pointers in memory', () => {
  test('linked structs', () => {
    const nodes = room(24 * 32);
    run('link', [nodes, 32]);
    expect(longs(nodes, 6).map((each) => each & 0xffffffffn)[1]).toBe(BigInt(nodes + 24));
    expect(longs(nodes + 24 * 31, 3)[1]).toBe(0n);
    const out = room(128);
    run('walk', [nodes, out]);
    const from = (lane: number): number => lanes((i) => (i >= lane ? 3 * i : 0)).reduce((a, b) => a + b);
    expect([...download(device, out, new Float32Array(32))]).toEqual(lanes(from));
    const depths = room(128);
    run('recursive', [nodes, depths]);
    expect(ints(depths)).toEqual(lanes((i) => 32 - i));
  });

  test('structs by value and by pointer', () => {
    const data = floats(64, (i) => i);
    const order = upload(
      device,
      Int32Array.from({ length: 64 }, (_, i) => 63 - i),
    );
    const view = new Uint8Array(new BigInt64Array([BigInt(data), 50n, BigInt(order)]).buffer);
    const out = room(256);
    run('view', [view, f32(2), out], 64);
    expect([...download(device, out, new Float32Array(64))]).toEqual(lanes((i) => (i < 50 ? 2 * (63 - i) : 0), 64));
    run('byPointer', [upload(device, view), out]);
    expect([...download(device, out, new Float32Array(32))]).toEqual(lanes((i) => 49 - i));
  });

  test('arrays of pointers of a thread', () => {
    const a = floats(64, (i) => i);
    const b = floats(64, (i) => 1000 + i);
    const out = room(128);
    run('local', [a, b, out, 3]);
    const expected = lanes((lane) => {
      const arrays = [0, 1000, 32, 1032];
      const own = lanes(() => 0, 8);
      for (let i = 0; i < 8; i++) own[(i + 3) & 7] = arrays[(i + 3 + lane) & 3]! + lane;
      return lanes((i) => own[(i * 3) & 7]! * (i + 1), 8).reduce((x, y) => x + y);
    });
    expect([...download(device, out, new Float32Array(32))]).toEqual(expected);
  });

  test('variables that point to variables, functions and texts', () => {
    const [out, sizes, kept] = [room(128), room(256), room(256)];
    run('globals', [out, sizes, kept]);
    expect(ints(out)).toEqual(lanes((i) => (i % 2 ? -i : 2 * i) + 2 + (i % 2) + 'b'.charCodeAt(0)));
    expect(longs(sizes)).toEqual(lanes(() => 5000000000n));
  });

  test('virtual functions of objects in the heap', () => {
    const [all, out] = [room(256), room(128)];
    run('shapes', [all, out]);
    const area = (i: number): number => (i % 2 ? 1 : 6) * i * i;
    expect(ints(out)).toEqual(lanes((i) => area(31 - i) + (i % 2 ? 4000 : 0)));
  });

  test('copies of structs and bytes', () => {
    const views = upload(device, BigInt64Array.from([1n, 2n, 3n, 4n, 5n, 6n]));
    const [to, bytes, from] = [
      room(24 * 32),
      room(16 * 32),
      upload(
        device,
        Uint8Array.from({ length: 64 }, (_, i) => i),
      ),
    ];
    run('copies', [views, to, bytes, from, size(11n)]);
    expect(longs(to, 6)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    expect([...download(device, bytes, new Uint8Array(32))].slice(16, 28)).toEqual([...lanes((i) => i + 1, 11), 0]);
  });
});

describe('integers of 64 bits', () => {
  test('sizes, differences, products', () => {
    const out = room(48);
    run('sizes', [out, size(5_000_000_000n), 1 << 20, size(7n)], 1);
    const n = 5_000_000_000n;
    expect(longs(out, 6)).toEqual([8n, 24n, BigInt.asIntN(64, n * n), 1n << 20n, -21n, 5n]);
  });

  test('negative indices, and loops over sizes', () => {
    const input = upload(
      device,
      Int32Array.from({ length: 100 }, (_, i) => i * i),
    );
    const out = room(400);
    run('behind', [input, out, 100]);
    expect(ints(out)).toEqual(lanes((i) => (99 - i) ** 2));
    const numbers = floats(1000, (i) => i);
    const doubled = room(4000);
    run('strides', [numbers, doubled, size(1000n)], 64, 2);
    expect([...download(device, doubled, new Float32Array(1000))]).toEqual(lanes((i) => 2 * (999 - i), 1000));
  });

  test('atomics and shuffles', () => {
    const [sum, head, nodes, out] = [room(8), room(8), room(24 * 32), room(512)];
    run('exchange', [sum, head, nodes, out]);
    expect(longs(sum, 1)).toEqual([32n * (1n << 33n) + 496n]);
    expect(longs(out, 64)).toEqual([
      ...lanes((i) => (BigInt(i ^ 1) << 35n) | 5n),
      ...lanes((i) => BigInt((i + 1) & 31)),
    ]);
    let count = 0;
    for (let at = Number(longs(head, 1)[0]); at !== 0; at = Number(longs(at, 3)[1])) count++;
    expect(count).toBe(32);
  });

  test('shared memory by its address', () => {
    const out = room(128);
    run('sharedAddress', [out]);
    const tile = lanes((i) => (i < 32 ? i : 68 + i), 64);
    expect(ints(out)).toEqual(lanes((i) => tile[i + 2]! + tile[63 - (i ^ 1)]!));
  });
});

describe('what the host answers', () => {
  test('printf', () => {
    run('prints', [size(5_000_000_000n), 4096]);
    expect(device.takeOutput()).toBe('5000000000 -5 7 123456789a text 0x1000 -1 1.500000|');
  });

  test('malloc: more than 32 bits hold is more than there is', () => {
    const out = room(128);
    run('allocates', [size(64n), out]);
    expect(ints(out)).toEqual(lanes(() => 1));
    run('allocates', [size((1n << 32n) + 64n), out]);
    expect(ints(out)).toEqual(lanes(() => 0));
  });

  test('an access outside of what is allocated', () => {
    expect(() => run('outside', [room(64), size(1n << 20n)])).toThrow(/Invalid __global__ write of size 4/);
  });
});

test('accesses of machine code are the ones that are executed', () => {
  for (const { machine: code, sites, name } of module.kernels) {
    const machine = code!;
    const accesses = machine.blocks.flatMap(({ instructions }) => instructions.flatMap(({ access }) => access ?? []));
    expect(Math.max(-1, ...accesses), name).toBeLessThan(sites.length);
    expect(machine.blocks.length, name).toBe(machine.successors.length);
  }
});
