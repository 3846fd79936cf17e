/** Launches that do what an earlier one did are not executed, and nothing shows it: the trace is that of executing all, byte for byte. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const kernels = `#include <cstdio>
#include <cstdlib>
#include <vector>
__constant__ float table[64];
__device__ int counted;
__global__ void work(float *out, const float *in, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0;
  for (int k = 0; k < rounds; k++) value = value * 0.5f + table[k % 64];
  if (i < n) out[i] = value;
}
__global__ void step(float *x, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < rounds; k++) value = value * 0.5f + 1;
  if (i < n) x[i] += 1 + value * 0;
}
__global__ void sums(int *total, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < 40; k++) sum += in[(i + k * 977) % n];
  atomicAdd(total, sum);
  if (threadIdx.x == 0) atomicAdd(&counted, 1);
}
__global__ void fetch(float *out, cudaTextureObject_t texture, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 30; k++) sum += tex1Dfetch<float>(texture, (i * 7 + k) % n);
  out[i] = sum;
}
__global__ void poke(float *x, float value) { *x = value; }
__global__ void says(float *x, int n, int loud) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < 60; k++) value = value * 0.5f + 1;
  if (i < n) x[i] = 1;
  if (loud && i == 77) printf("value %g\\n", value);
}
const int n = 1 << 16;
static std::vector<float> host(n);
static double sumOf(const float *device) {
  cudaMemcpy(host.data(), device, n * 4, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float x : host) sum += x;
  return sum;
}
int main() {
  float *a, *b, ones[64];
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  for (int i = 0; i < n; i++) host[i] = i % 13;
  cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
`;
const program = (body: string): string => `${kernels}${body}
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return cudaGetLastError();
}
`;

/** `repeated`: launches that are not executed, on an H200 and on an RTX A6000. */
interface Case {
  name: string;
  body: string;
  repeated: readonly [number, number];
}

const cases: Case[] = [
  {
    name: 'one that writes what it wrote',
    body: 'for (int i = 0; i < 12; i++) work<<<n / 256, 256>>>(b, a, n, 20); printf("%g\\n", sumOf(b));',
    repeated: [10, 10],
  },
  {
    name: 'more blocks than are resident',
    body: 'for (int i = 0; i < 12; i++) work<<<n / 8, 8>>>(b, a, n, 20); printf("%g\\n", sumOf(b));',
    repeated: [5, 10],
  },
  {
    name: 'steps',
    body: 'for (int i = 0; i < 12; i++) step<<<n / 256, 256>>>(a, n, 20); printf("%g\\n", sumOf(a));',
    repeated: [0, 0],
  },
  {
    name: 'steps from a state that comes again, by copies, memsets and a kernel of its own',
    body: `for (int i = 0; i < 12; i++) {
      cudaMemcpy(a, b, n * 4, cudaMemcpyDeviceToDevice);
      step<<<n / 256, 256>>>(a, n, 20);
    }
    printf("%g\\n", sumOf(a));
    for (int i = 0; i < 12; i++) {
      cudaMemset(a, 0, n * 4);
      step<<<n / 256, 256>>>(a, n, 21);
    }
    printf("%g\\n", sumOf(a));
    for (int i = 0; i < 12; i++) {
      cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
      step<<<n / 256, 256>>>(a, n, 22);
    }
    printf("%g\\n", sumOf(a));`,
    repeated: [30, 30],
  },
  {
    name: 'constants, a value of many, an argument and a variable that change on the way',
    body: `for (int i = 0; i < 40; i++) {
      for (float &one : ones) one = i / 10;
      cudaMemcpyToSymbol(table, ones, sizeof ones);
      if (i == 25) cudaMemset(a + n / 2 + 3, 1, 1);
      work<<<n / 256, 256>>>(b, a, n, i < 35 ? 20 : 21);
      if (i % 10 == 9 || i == 25) printf("%g\\n", sumOf(b));
    }`,
    repeated: [28, 28],
  },
  {
    name: 'atomics, and a variable that counts on',
    body: `int *total = (int *)b, counts = 0;
    for (int i = 0; i < 16; i++) {
      cudaMemset(total, 0, 4);
      if (i < 8) cudaMemcpyToSymbol(counted, &counts, 4);
      sums<<<n / 256, 256>>>(total, (int *)a, n);
    }
    cudaMemcpyFromSymbol(&counts, counted, 4);
    printf("%d %g\\n", counts, sumOf(b));`,
    repeated: [6, 6],
  },
  {
    name: 'textures of what has been replaced',
    body: `cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * 4;
    cudaTextureDesc how = {};
    for (int i = 0; i < 24; i++) {
      float *other;
      cudaMalloc(&other, n * 4);
      cudaMemset(other, i / 12, n * 4);
      cudaTextureObject_t texture;
      resource.res.linear.devPtr = i % 12 < 8 ? a : other;
      cudaCreateTextureObject(&texture, &resource, &how, nullptr);
      fetch<<<n / 256, 256>>>(b, texture, n);
      if (i % 12 > 9) printf("%g\\n", sumOf(b));
      cudaDestroyTextureObject(texture);
      cudaFree(other);
    }`,
    repeated: [15, 16],
  },
  {
    name: 'a value that a small kernel, the host by managed memory, and a copy of rows change on the way',
    body: `float *x;
    cudaMallocManaged(&x, n * 4);
    for (int i = 0; i < n; i++) x[i] = i % 5;
    for (int i = 0; i < 50; i++) {
      if (i == 12) poke<<<1, 1>>>(x + 5, 7);
      if (i == 25) {
        cudaDeviceSynchronize();
        x[n - 1] += 3;
      }
      if (i == 37) cudaMemcpy2D(x + 100, 400, host.data(), 40, 4, 10, cudaMemcpyHostToDevice);
      work<<<n / 256, 256>>>(b, x, n, 4);
      if (i % 12 > 10) printf("%g\\n", sumOf(b));
    }`,
    repeated: [44, 44],
  },
  {
    name: 'managed and page-locked memory that the host sets again, and reads',
    body: `float *x, *y, *seen;
    double sum = 0;
    cudaMallocManaged(&x, n * 4);
    for (int i = 0; i < 12; i++) {
      if (i == 10) {
        cudaHostAlloc(&y, n * 4, cudaHostAllocMapped);
        cudaHostGetDevicePointer(&seen, y, 0);
      }
      for (int k = 0; k < n; k++) x[k] = k % 7;
      if (i >= 10) for (int k = 0; k < n; k++) y[k] = k % 5;
      step<<<n / 256, 256>>>(x, n, 20);
      if (i >= 10) step<<<n / 256, 256>>>(seen, n, 20);
      cudaDeviceSynchronize();
      for (int k = 0; k < n; k++) sum += x[k] + (i >= 10 ? y[k] : 0);
      printf("%g\\n", sum);
    }`,
    repeated: [8, 8],
  },
  {
    name: 'page-locked memory of the host',
    body: `float *x, *seen;
    cudaHostAlloc(&x, n * 4, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&seen, x, 0);
    for (int i = 0; i < 12; i++) {
      for (int k = 0; k < n; k++) x[k] = i > 9 ? 3 : 2;
      work<<<n / 256, 256>>>(b, seen, n, 4);
      if (i > 7) printf("%g\\n", sumOf(b));
    }`,
    repeated: [0, 0],
  },
  {
    name: 'printing',
    body: 'for (int i = 0; i < 20; i++) says<<<n / 256, 256>>>(a, n, i > 9);',
    repeated: [8, 8],
  },
  {
    name: 'graphs',
    body: `cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, n * 4, stream);
    step<<<n / 256, 256, 0, stream>>>(a, n, 20);
    work<<<n / 256, 256, 0, stream>>>(b, a, n, 20);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 16; i++) cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    printf("%g\\n", sumOf(b));`,
    repeated: [28, 28],
  },
  {
    name: 'after as much as L2 holds was written, in front of each, and of some once more',
    body: `char *flush;
    cudaMalloc(&flush, 50 << 20);
    for (int i = 0; i < 20; i++) {
      cudaMemset(flush, i > 14, i % 4 == 3 ? 20 << 20 : 50 << 20);
      if (i == 8) cudaMemcpy(flush + 100, flush + 4000000, 3000000, cudaMemcpyDeviceToDevice);
      if (i == 11) poke<<<1, 1>>>(a + 9, 5);
      work<<<n / 256, 256>>>(b, a, n, 20);
    }
    printf("%g\\n", sumOf(b));`,
    repeated: [13, 8],
  },
  {
    name: 'small ones, with a write, a memset, another kernel and a copy to the host in between',
    body: `for (int i = 0; i < 200; i++) {
      if (i == 40) cudaMemcpy(a, host.data() + 5, 64, cudaMemcpyHostToDevice);
      if (i == 70) cudaMemset(a + 8, 0, 4);
      if (i == 100) poke<<<1, 1>>>(a + 9, 5);
      if (i == 130) cudaMemcpy(host.data(), a, 64, cudaMemcpyDeviceToHost);
      if (i == 160) cudaMalloc(&b, n * 4);
      work<<<2, 64>>>(b, a, 128, 20);
      if (i % 10 == 1) printf("%g\\n", sumOf(b));
    }`,
    repeated: [160, 161],
  },
  {
    name: 'small ones that change what they read',
    body: 'for (int i = 0; i < 200; i++) step<<<2, 64>>>(a, 128, 20); printf("%g\\n", sumOf(a));',
    repeated: [0, 0],
  },
  {
    name: 'small ones in turn',
    body: `for (int i = 0; i < 100; i++) {
      work<<<2, 64>>>(b, a, 128, 20);
      work<<<2, 64>>>(b + 4096, a, 128, 20);
    }
    printf("%g\\n", sumOf(b));`,
    repeated: [0, 0],
  },
  {
    name: 'memory that was freed',
    body: `for (int i = 0; i < 12; i++) {
      if (i == 10) cudaFree(a);
      work<<<n / 256, 256>>>(b, a, n, 20);
    }`,
    repeated: [8, 8],
  },
];

test.each(cases)('$name', async ({ body, repeated }) => {
  const counts: number[] = [];
  let said = '';
  for (const gpu of ['h200', 'a6000']) {
    const all = await recorded(program(body), { gpu, executeAll: true });
    const some = await recorded(program(body), { gpu });
    said += some.trace.query(`SELECT text FROM SIMSIGHT_CONSOLE`).flat().join('');
    const [bytes, bytesOfAll] = [some, all].map(({ path, trace }) => (trace.close(), readFileSync(path)));
    expect(bytes!.equals(bytesOfAll!), said).toBe(true);
    expect(all.repeated).toBe(0);
    counts.push(some.repeated);
  }
  expect({ repeated: counts, said }).toEqual({ repeated, said });
});
