/** Kernels of cuBLAS in a trace: ours compute, and the trace has the library's, marked. */
import { expect, test } from 'vitest';
import { kernelsOf } from '../../../engine/analysis/adviser/kernel-facts.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import { libraryMetric } from '../../../engine/model/metric-names.ts';
import { isTimedByMeasurement } from '../../../engine/model/kernel-view.ts';
import { metricsOf, recorded } from '../recording/recorded.ts';

const program = `#include <cublas_v2.h>
#include <cstdio>
#include <vector>
__global__ void own(float *a) { a[threadIdx.x] += 1; }
int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  const int m = 64, k = 8192;
  float *a, *b, *c, *r, one = 1, zero = 0;
  cudaMalloc(&a, m * k * 4); cudaMalloc(&b, m * k * 4); cudaMalloc(&c, m * m * 4); cudaMalloc(&r, 64);
  std::vector<float> ones(m * k, 1.0f);
  cudaMemcpy(a, ones.data(), m * k * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, ones.data(), m * k * 4, cudaMemcpyHostToDevice);
  cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, m, m, k, &one, a, k, b, k, &zero, c, m);
  float sum = 0, got[2];
  int at = 0;
  cublasSdot(h, m * k, a, 1, b, 1, &sum);
  cublasIsamax(h, 100, a, 1, &at);
  cudaMemcpy(got, c, 8, cudaMemcpyDeviceToHost);
  own<<<1, 32>>>(a);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cublasSetStream(h, s);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, m, m, k, &one, a, k, b, k, &one, c, m);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  float again[2];
  cudaMemcpy(again, c + 10, 8, cudaMemcpyDeviceToHost);
  printf("%g %g %d %g\\n", got[1], sum, at, again[1]);
}
`;

test('names, launches and times of the library, and no counters', async () => {
  const { trace, exitCode } = await recorded(program, { gpu: 'h200' });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  // Row 10 is past the 32 elements that the program's own kernel changed: column 0 of A.
  expect([said, exitCode]).toEqual(['8192 524288 1 16384\n', 0]);
  const rows = trace.query(
    `SELECT k.rowid, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName ORDER BY k.start`,
  );
  const product = [
    'sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas',
    'cublasLt::splitKreduce_kernel',
  ];
  const names = rows.map(([, name]) => String(name).replace(/<.*/, ''));
  const vectors = ['dot_kernel', 'reduce_1Block_kernel', 'iamax_kernel'];
  expect(names).toEqual([...product, ...vectors, 'own(float *)', ...product]);
  expect(metricsOf(trace, libraryMetric)).toEqual(Array(7).fill(1));
  const views = rows.map(([row]) => kernelView(trace, Number(row)));
  expect(views.map(isTimedByMeasurement)).toEqual(names.map((name) => !name.startsWith('own')));
  for (const view of views.filter(isTimedByMeasurement)) {
    expect([view.stalls, view.instructions, view.throughput, view.simulatedPercent]).toEqual([[], [], [], null]);
    expect(view.durationNs).toBeLessThan(20_000);
  }
  expect(views.find((view) => !isTimedByMeasurement(view))!.stalls).not.toEqual([]);
  // There is no advice on them.
  expect(kernelsOf(trace, 1).filter(({ name }) => name !== 'own')).toEqual([]);
  expect(trace.info.notices.join('\n')).toContain('cuBLAS’s own, timed by measurement');
  trace.close();
});
