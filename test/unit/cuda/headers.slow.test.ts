/** Our headers against the compiler: layouts and numbers that the runtime relies on, and a broad sample of the language. */
import { describe, expect, test } from 'vitest';
import { cudaErrors } from '../../../engine/model/cuda-errors.ts';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { fakeRun } from './fakes.ts';
import { compileText } from './program.ts';

async function output(text: string): Promise<string> {
  const program = await compileText(text);
  const { options, system } = fakeRun(program.host);
  await runHostProgram(options);
  return system.output.stdout;
}

/** Sizes and offsets, bytes: those that gcc says of NVIDIA's cuda.h of CUDA 13.0. */
const driverLayouts: [what: string, bytes: number][] = [
  ['CUctxCreateParams', 24],
  ['CUDA_MEMCPY2D', 128],
  ['CUDA_MEMCPY2D.dstArray', 96],
  ['CUDA_MEMCPY3D', 200],
  ['CUDA_MEMCPY3D.dstArray', 144],
  ['CUDA_ARRAY_DESCRIPTOR', 24],
  ['CUDA_ARRAY3D_DESCRIPTOR', 40],
  ['CUDA_RESOURCE_DESC', 144],
  ['CUDA_RESOURCE_DESC.res', 8],
  ['CUDA_RESOURCE_DESC.flags', 136],
  ['CUDA_TEXTURE_DESC', 104],
  ['CUDA_TEXTURE_DESC.borderColor', 40],
  ['CUDA_RESOURCE_VIEW_DESC', 112],
  ['CUmemLocation', 8],
  ['CUmemAllocationProp', 32],
  ['CUmemAllocationProp.allocFlags', 24],
  ['CUmemAccessDesc', 12],
];

describe('headers', () => {
  test('error numbers agree with the runtime', async () => {
    const lines = cudaErrors.map(([, name]) => `printf("%s %d\\n", cudaGetErrorName(${name}), ${name});`);
    const text = await output(`#include <cstdio>\nint main() {\n${lines.join('\n')}\n}\n`);
    const expected = cudaErrors.map(([code, name]) => `${name} ${code}`);
    expect(text.trimEnd().split('\n')).toEqual(expected);
  });

  test('the GPU describes itself', async () => {
    const text = await output(`#include <cstdio>
int main() {
  cudaDeviceProp p; int value, count, driver; size_t free, total;
  cudaGetDeviceCount(&count);
  cudaGetDeviceProperties(&p, 0);
  cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
  cudaDriverGetVersion(&driver);
  cudaMemGetInfo(&free, &total);
  printf("%d|%s|%d.%d|%d|%d|%d|%zu|%d\\n", count, p.name, p.major, p.minor, value, p.maxThreadsDim[2], driver,
         p.sharedMemPerBlockOptin, free == total && total == p.totalGlobalMem);
  printf("%d %d\\n", cudaGetDeviceProperties(&p, 3), cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
}
`);
    expect(text).toBe('1|NVIDIA A100-SXM4-80GB|8.0|108|64|12080|166912|1\n101 1\n');
  });

  test('structs of the driver API have the layouts of CUDA 13', async () => {
    const sizes = driverLayouts.map(([what]) => {
      const [type, field] = what.split('.');
      return field === undefined ? `sizeof(${type})` : `offsetof(${type}, ${field})`;
    });
    const lines = sizes.map((size) => `printf("%zu\\n", ${size});`);
    const includes = '#include <cstddef>\n#include <cstdio>\n#include <cuda.h>\n';
    const text = await output(`${includes}int main() {\n${lines.join('\n')}\n}\n`);
    const numbers = text.trimEnd().split('\n').map(Number);
    expect(driverLayouts.map(([what], i) => [what, numbers[i]])).toEqual(driverLayouts);
  });

  test('vector types have the alignments of the programming guide', async () => {
    const types = ['char2', 'char3', 'uchar4', 'short3', 'ushort4', 'int2', 'int3', 'uint4', 'float2', 'float3', 'float4', 'double2', 'double3', 'double4', 'longlong2', 'ulonglong4', 'dim3']; // prettier-ignore
    const lines = types.map((type) => `printf("${type} %zu %zu\\n", sizeof(${type}), alignof(${type}));`);
    const text = await output(`#include <cstdio>\nint main() {\n${lines.join('\n')}\n}\n`);
    expect(text.trimEnd().split('\n')).toEqual([
      'char2 2 2', 'char3 3 1', 'uchar4 4 4', 'short3 6 2', 'ushort4 8 8', 'int2 8 8', 'int3 12 4', 'uint4 16 16',
      'float2 8 8', 'float3 12 4', 'float4 16 16', 'double2 16 16', 'double3 24 8', 'double4 32 16',
      'longlong2 16 16', 'ulonglong4 32 16', 'dim3 12 4',
    ]); // prettier-ignore
  });

  test('a broad sample of device code compiles in both passes', async () => {
    const program = await compileText(sample);
    const ir = program.device[0]!.ir;
    expect(program.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    for (const instruction of [
      'atomicrmw',
      'llvm.nvvm.barrier',
      'llvm.nvvm.shfl.sync',
      'llvm.nvvm.vote',
      '__nv_sinf',
      'vprintf',
      '__assertfail',
    ]) {
      // prettier-ignore
      expect(ir).toContain(instruction);
    }
    expect(ir).toMatch(/define .*ptx_kernel void @_Z7atomics/);
  });
});

const sample = `#include <cassert>
#include <cstdio>
#include <cmath>
#include <algorithm>
#include <vector>
#include <iostream>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <cuda.h>

__constant__ float coefficients[16];
__device__ unsigned long long total;
extern __shared__ float dynamic[];

template <class T, int N> struct Tile { T value[N]; __host__ __device__ T &operator[](int i) { return value[i]; } };

__global__ void atomics(int *i, unsigned *u, unsigned long long *ull, long long *ll, float *f, double *d, unsigned short *us) {
  atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(ull, 1ull); atomicAdd(f, 1.f); atomicAdd(d, 1.0);
  atomicAdd_block(i, 1); atomicAdd_system(f, 1.f);
  atomicSub(i, 1); atomicSub(u, 1u);
  atomicExch(i, 1); atomicExch(u, 1u); atomicExch(ull, 1ull); atomicExch(f, 1.f);
  atomicMin(i, 1); atomicMin(u, 1u); atomicMin(ull, 1ull); atomicMin(ll, 1ll);
  atomicMax(i, 1); atomicMax(u, 1u); atomicMax(ull, 1ull); atomicMax(ll, 1ll);
  atomicInc(u, 7u); atomicDec(u, 7u);
  atomicCAS(i, 0, 1); atomicCAS(u, 0u, 1u); atomicCAS(ull, 0ull, 1ull); atomicCAS(us, (unsigned short)0, (unsigned short)1);
  atomicAnd(i, 1); atomicOr(u, 1u); atomicXor(ull, 1ull); atomicAnd(ll, 1ll);
  atomicAdd(&total, (unsigned long long)clock64());
}

__global__ void __launch_bounds__(256, 2) warps(float *out, const float *__restrict__ in, int n) {
  __shared__ float tile[32][33];
  const unsigned lane = threadIdx.x % warpSize, mask = __activemask();
  float v = __ldg(in + blockIdx.x * blockDim.x + threadIdx.x) * coefficients[lane & 15];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  v += __shfl_down_sync(mask, v, 1) + __shfl_up_sync(mask, v, 2) + __shfl_sync(mask, v, 0);
  double w = __shfl_down_sync(mask, (double)v, 4);
  if (__any_sync(mask, v > 0) && __all_sync(mask, v < 1e30f)) v += __popc(__ballot_sync(mask, lane & 1));
  v += __match_any_sync(mask, lane) + __reduce_add_sync(mask, lane);
  tile[lane][threadIdx.y] = v;
  dynamic[threadIdx.x] = w;
  __syncthreads();
  __syncwarp();
  if (__syncthreads_or(v > 3)) v += tile[threadIdx.y][lane] + dynamic[0];
  __threadfence(); __threadfence_block(); __threadfence_system();
  out[min(n - 1, (int)threadIdx.x)] = v;
}

__global__ void arithmetic(float *f, double *d, int *i) {
  const dim3 grid = gridDim; const uint3 index = threadIdx;
  float x = f[index.x];
  f[0] = sinf(x) + cosf(x) + expf(x) + logf(x) + sqrtf(x) + rsqrtf(x) + powf(x, 2.f) + tanhf(x) + fmaf(x, x, x) + erff(x);
  f[1] = __sinf(x) + __expf(x) + __fdividef(x, 3.f) + __frcp_rn(x) + __fmul_rn(x, x) + __saturatef(x) + fminf(x, 1) + rsqrt(x);
  f[2] = std::sqrt(x) + std::abs(x) + std::max(x, 2.f) + sqrt(x) + floor(x) + CUDART_PI_F + CUDART_INF_F;
  float s, c; sincosf(x, &s, &c); f[3] = s + c + fabs(x) + isnan(x) + ceilf(x) + roundf(x) + fmodf(x, 2.f) + cbrtf(x);
  d[0] = sin(d[1]) + exp(d[2]) + pow(d[3], 0.5) + fma(d[0], d[1], d[2]) + __double2int_rn(d[1]) + max(d[0], 1.0);
  i[0] = __popc(i[1]) + __clz(i[2]) + __ffs(i[3]) + __brev(i[4]) + __mulhi(i[5], 3) + __umulhi(i[6], 3u) + __mul24(2, 3) + __sad(1, 2, 3u);
  i[1] = __float2int_rn(x) + __float_as_int(x) + __byte_perm(i[0], i[1], 0x3210) + __funnelshift_l(i[0], i[1], 3) + __popcll(7ull) + grid.x;
  i[2] = max(i[0], 3) + min(3u, 4u) + abs(i[3]) + __vadd4(i[0], i[1]) + __dp4a(i[0], i[1], i[2]);
  f[4] = __int_as_float(i[0]) + __uint2float_rn(i[1]);
  assert(x > 0);
  if (x < 0) { printf("%f %d\\n", x, i[0]); __trap(); }
  Tile<float, 4> t; t[index.x & 3] = x; f[5] = t[1];
  float4 v = reinterpret_cast<float4 *>(f)[2]; v.x += v.w; reinterpret_cast<float4 *>(f)[3] = v;
  __nanosleep(100);
  asm volatile("membar.gl;" ::: "memory");
}

int main() {
  nvtxRangePushA("setup"); nvtxRangePop(); nvtxMark("here");
  cudaProfilerStart();
  std::vector<float> host(1024, 1.0f);
  std::cout << min(3, 4) << max(2.5f, 1.f) << std::min(1u, 2u) << make_float3(1, 2, 3).z << std::endl;
  cudaStream_t stream; cudaStreamCreate(&stream);
  auto kernel = warps;
  kernel<<<1, dim3(32, 8), 1024, stream>>>(nullptr, nullptr, 1);
  CUresult status = CUDA_SUCCESS;
  return status;
}
`;
