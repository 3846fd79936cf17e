/** Invalid accesses and races, as compute-sanitizer reports them, with the CUDA error of a real GPU. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { KernelError } from '../../../engine/warp/faults.ts';
import { buildDeviceModule } from '../../../engine/kernels/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { releaseCompiler } from '../../../engine/compile/clang.ts';
import { compileIrToWasm, type WasmModuleRequest } from '../../../engine/compile/wasm-module.ts';
import { newFolder } from '../cuda/program.ts';
import { deviceIr, dim, launch as launchOn, upload } from './cuda.ts';

const source = `
__global__ void read(const int *p, int *out, int offset) { out[threadIdx.x] = p[threadIdx.x + offset]; }
__global__ void write(char *p, int offset) { p[blockIdx.x * blockDim.x + threadIdx.x + offset] = 1; }
__global__ void scatter(int *p, int stride) { p[threadIdx.x * stride] = 1; }
__global__ void wide(const int4 *p, int4 *out, int offset) { out[threadIdx.x] = p[threadIdx.x + offset]; }
__global__ void one(const int *p, int *out, int i) { out[0] = p[i]; }
__global__ void add(int *p, int i) { atomicAdd(&p[i + threadIdx.x], threadIdx.x); }
__global__ void generic(int **p) { *p[0] = 5; }
__global__ void shared(int *out, int n) { extern __shared__ int s[]; s[threadIdx.x * n] = 1; out[threadIdx.x] = s[0]; }
__global__ void trap() { if (threadIdx.x == 3) __trap(); }
#include <cassert>
__global__ void asserts(int *p) { assert(p[threadIdx.x] == 12345); }
__global__ void reverse(int *out, int barrier) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (barrier) __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void overwrite(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
  s[threadIdx.x] = 1;
}
__global__ void counted(int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = s;
}
`;

let module: DeviceModule;
let checkedModule: DeviceModule;
let device: Device;
let data: number;
let out: number;

beforeAll(async () => {
  const ir = await deviceIr(source);
  releaseCompiler();
  const toWasm = (unit: WasmModuleRequest) => compileIrToWasm(unit, { cacheFolder: newFolder() });
  const build = (checks: ('racecheck' | 'memcheck')[]) =>
    buildDeviceModule(ir, { sourceName: 'kernels.cu', toWasm, checks });
  module = await build([]);
  checkedModule = await build(['racecheck']);
  device = Device.create([module], {
    memoryBytes: 1 << 30,
    names: new Map([
      ['_Z5writePci', 'write(char *, int)'],
      ['_Z7assertsPi', 'asserts(int *)'],
    ]),
  });
  data = upload(device, new Int32Array(100));
  out = upload(device, new Int32Array(256));
});

const launchAt = (at: Device, name: string, args: number[], grid = 1, block = 32, dynamic = 0) =>
  launchOn(
    at,
    module.kernels.map((kernel) => kernel.name),
    name,
    dim(grid),
    dim(block),
    args,
    dynamic,
  );
function failure(
  name: string,
  args: number[],
  grid?: number,
  block?: number,
  dynamic?: number,
  at = device,
): KernelError {
  try {
    launchAt(at, name, args, grid, block, dynamic);
  } catch (error) {
    return error as KernelError;
  }
  throw new Error('did not fail');
}

describe('global memory', () => {
  it('may be used to its last byte', () => {
    launchAt(device, 'read', [data, out, 68]);
    launchAt(device, 'write', [data, 400 - 64], 2);
    launchAt(device, 'scatter', [data, 3]);
    launchAt(device, 'wide', [data, out, 1], 1, 24);
    launchAt(device, 'one', [data, out, 99]);
    launchAt(device, 'add', [data, 68]);
  });
  it.each([
    ['a row of loads', 'read', () => [data, out, 69], /read of size 4 bytes by thread \(31,0,0\) in block \(0,0,0\)/],
    [
      'before the start',
      'read',
      () => [data, out, -1],
      /by thread \(0,0,0\).* is 4 bytes before the nearest allocation/,
    ],
    ['scattered stores', 'scatter', () => [data, 4], /write of size 4 bytes by thread \(25,0,0\)/],
    ['vectors', 'wide', () => [data, out, 1], /read of size 16 bytes by thread \(24,0,0\)/],
    ['one address for all', 'one', () => [data, out, 100], /read of size 4 bytes by thread \(0,0,0\)/],
    ['atomics', 'add', () => [data, 69], /atomic of size 4 bytes by thread \(31,0,0\)/],
    ['null', 'one', () => [0, out, 0], /address 0x0 is out of bounds/],
    ['memory of the host', 'one', () => [0x807a60, out, 0], /address 0x807a60 is out of bounds: it is one of the host/],
  ])('out of bounds: %s', (_, name, args, message) => {
    const error = failure(name, args());
    expect(error.message).toMatch(message);
    expect(error.cudaError).toBe(700);
    expect(error.place.line).toBeGreaterThan(1);
  });
  it('where overruns are allowed, what lies in a page with an allocation can be accessed, freed or not, and nothing else', () => {
    const other = Device.create([module], { memoryBytes: 1 << 30, allowOverruns: true });
    const [first, second] = [upload(other, new Int32Array(100)), upload(other, new Int32Array(256))];
    launchAt(other, 'read', [first, second, 69]);
    launchAt(other, 'scatter', [first, 8]);
    launchAt(other, 'add', [second, 250]);
    other.free(first);
    launchAt(other, 'write', [first, 0], 2);
    expect(failure('one', [second, second, 1 << 16], 1, 32, 0, other).message).toMatch(/after the nearest allocation/);
    expect(failure('one', [0, second, 0], 1, 32, 0, other).message).toMatch(/address 0x0 is out of bounds/);
  });
  it('out of bounds: by one byte in another block, with the name of the kernel', () => {
    expect(failure('write', [data, 400 - 63], 2).message).toMatch(
      /^Invalid __global__ write of size 1 byte by thread \(31,0,0\) in block \(1,0,0\) of write\(char \*, int\) \(kernels\.cu:3\): address 0x\w+ is 0 bytes after the nearest allocation at 0x\w+ of 400 bytes\.$/,
    );
  });
  it('that was freed', () => {
    const gone = upload(device, new Int32Array(64));
    device.free(gone);
    expect(failure('read', [gone, out, 0]).message).toMatch(
      /is inside the allocation at 0x\w+ of 256 bytes, which was freed/,
    );
  });
  it('misaligned', () => {
    const error = failure('read', [data + 2, out, 0]);
    expect(error.message).toMatch(/address 0x\w+ is misaligned/);
    expect(error.cudaError).toBe(716);
  });
});

describe('shared memory', () => {
  it('out of bounds', () => {
    launchAt(device, 'shared', [out, 1], 1, 32, 128);
    expect(failure('shared', [out, 1], 1, 32, 124).message).toMatch(
      /Invalid __shared__ write of size 4 bytes by thread \(31,0,0\) in block \(0,0,0\) of \S+ \(kernels\.cu:9\): offset 124/,
    );
    expect(failure('shared', [out, 3], 1, 32, 128).message).toMatch(/thread \(11,0,0\)/);
  });
});

describe('traps', () => {
  it('are launch failures', () => {
    const error = failure('trap', []);
    expect(error.message).toMatch(/trap .* by thread \(3,0,0\)/);
    expect(error.cudaError).toBe(719);
    const assertion = failure('asserts', [out]);
    expect(assertion.cudaError).toBe(710);
    expect(assertion.message).toMatch(
      /^kernels\.cu:\d+: void asserts\(int ?\*\): block: \[0,0,0\], thread: \[0,0,0\] Assertion `p\[threadIdx\.x\] == 12345` failed\.$/,
    );
  });
});

describe('racecheck', () => {
  let checked: Device;
  let target: number;
  beforeAll(async () => {
    checked = Device.create([checkedModule], { memoryBytes: 1 << 30, checks: ['racecheck'] });
    target = upload(checked, new Int32Array(64));
  });
  it('accepts barriers between accesses, and atomics', () => {
    launchAt(checked, 'reverse', [target, 1], 4, 64);
    launchAt(checked, 'counted', [target], 4, 64);
  });
  it('reports a write of what another warp read', () => {
    expect(failure('reverse', [target, 0], 1, 64, 0, checked).message).toMatch(
      /Race on __shared__ memory: write of 4 bytes at offset 128 by thread \(32,0,0\).* of \S+ \(kernels\.cu:15\) conflicts with the read of another warp at kernels\.cu:\d+ since/,
    );
  });
  it('reports a read of what another warp wrote', () => {
    expect(failure('overwrite', [target], 1, 64, 0, checked).message).toMatch(
      /Race on __shared__ memory: read of 4 bytes/,
    );
  });
  it('is off otherwise', () => {
    launchAt(device, 'reverse', [out, 0], 1, 64);
  });
});
