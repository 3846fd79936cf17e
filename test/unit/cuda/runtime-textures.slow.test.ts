/** Texture and surface objects: the descriptors that device code reads, and the errors of their creation. */
import { recorded } from '../recording/recorded.ts';
import { expect, test } from 'vitest';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { fakeRun } from './fakes.ts';
import { compileText } from './program.ts';

const program = `#include <cstdio>
int main() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float4>(), i = cudaCreateChannelDesc<int>(); cudaArray_t a, b;
  cudaMallocArray(&a, &d, 8, 4); cudaMallocArray(&b, &i, 8, 4);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaTextureDesc t = {}; t.addressMode[1] = cudaAddressModeBorder; t.filterMode = cudaFilterModeLinear;
  t.normalizedCoords = 1; t.borderColor[3] = 2.0f;
  cudaTextureObject_t object; cudaSurfaceObject_t surface;
  printf("%d ", cudaCreateTextureObject(&object, &r, &t, nullptr));
  printf("%d %u\\n", cudaCreateSurfaceObject(&surface, &r), (unsigned)object);
  r.res.array.array = b;
  printf("%d ", cudaCreateTextureObject(&object, &r, &t, nullptr));
  t.filterMode = cudaFilterModePoint; t.readMode = cudaReadModeNormalizedFloat;
  printf("%d ", cudaCreateTextureObject(&object, &r, &t, nullptr));
  printf("%d %d\\n", cudaDestroySurfaceObject(surface), cudaDestroySurfaceObject(surface));
}
`;

test('descriptors', async () => {
  const { host } = await compileText(program);
  const { options, system, device } = fakeRun(host);
  await runHostProgram(options);
  const [first, second] = system.output.stdout.split('\n') as [string, string];
  expect(first).toMatch(/^0 0 \d+$/);
  expect(second).toBe('26 27 0 1');
  const words = new Uint32Array(device.memory.buffer, Number(first.split(' ')[2]), 20);
  expect([...words].slice(1)).toEqual([8, 4, 1, 128, 512, 4, 32, 2, 0, 3, 0, 1, 0, 1, 1, 0, 0, 0, 0x40000000]);
});

const allocations = `#include <cstdio>
int main() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>(); cudaArray_t flat, deep; cudaPitchedPtr box; void *rows; size_t pitch;
  cudaMallocArray(&flat, &d, 64, 32); cudaMalloc3DArray(&deep, &d, make_cudaExtent(64, 32, 4));
  cudaMalloc3D(&box, make_cudaExtent(1000, 10, 5)); cudaMallocPitch(&rows, &pitch, 1000, 10);
  printf("%d\\n", (int)pitch);
  cudaFreeArray(deep); cudaFreeArray(flat);
}
`;

test('what arrays, boxes and rows cost depends on what they take', async () => {
  const { host } = await compileText(allocations);
  const { options, system } = fakeRun(host);
  await runHostProgram(options);
  const pitch = Number(system.output.stdout);
  expect(system.sized).toEqual([
    { name: 'cudaMallocArray', bytes: 64 * 32 * 4 },
    { name: 'cudaMalloc3DArray', bytes: 64 * 32 * 4 * 4 },
    { name: 'cudaMalloc3D', bytes: pitch * 10 * 5 },
    { name: 'cudaMallocPitch', bytes: pitch * 10 },
    { name: 'cudaFreeArray', bytes: 64 * 32 * 4 * 4 },
    { name: 'cudaFreeArray', bytes: 64 * 32 * 4 },
  ]);
});

test('linear memory: a size beyond the allocation is taken, and no more of it is read than there is', async () => {
  const { trace, exitCode } = await recorded(`#include <cstdio>
__global__ void fetch(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x == 0 ? 63 : 64); }
int main() {
  float *data, *out, host[64], got[2];
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&data, sizeof host);
  cudaMalloc(&out, sizeof got);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 2 * sizeof host;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  printf("%d ", cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  fetch<<<1, 2>>>(texture, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  printf("%g %g\\n", got[0], got[1]);
}`);
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect(said).toBe('0 63 0\n');
  expect(exitCode).toBe(0);
});
