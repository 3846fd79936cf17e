/** What GPUs decide themselves, and what they wait with until the host has written: the trace has it when and as often as it ran. */
import { expect, it } from 'vitest';
import { recorded } from './recorded.ts';

const kernels = `SELECT s.value, k.start, k.end, k.graphNodeId IS NOT NULL FROM CUPTI_ACTIVITY_KIND_KERNEL k
  JOIN StringIds s ON s.id = k.shortName ORDER BY k.start`;

it('has the nodes of the bodies of a graph as often as they ran, one after the other', async () => {
  const { trace, exitCode } = await recorded(`#include <cuda_runtime.h>
__global__ void countDown(int *left, cudaGraphConditionalHandle again) { cudaGraphSetConditional(again, --*left > 0); }
__global__ void after() {}
int main() {
  int *left, three = 3; cudaMalloc(&left, 4); cudaMemcpy(left, &three, 4, cudaMemcpyHostToDevice);
  cudaGraph_t graph; cudaGraphExec_t executable; cudaGraphConditionalHandle handle; cudaGraphNode_t loop, node;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional}, kernel = {cudaGraphNodeTypeKernel};
  condition.conditional.handle = handle;
  condition.conditional.type = cudaGraphCondTypeWhile;
  condition.conditional.size = 1;
  cudaGraphAddNode(&loop, graph, nullptr, nullptr, 0, &condition);
  void *arguments[] = {&left, &handle};
  kernel.kernel.func = (void *)countDown;
  kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
  kernel.kernel.kernelParams = arguments;
  cudaGraphAddNode(&node, condition.conditional.phGraph_out[0], nullptr, nullptr, 0, &kernel);
  kernel.kernel.func = (void *)after;
  cudaGraphAddNode(&node, graph, &loop, nullptr, 1, &kernel);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, 0);
  return cudaDeviceSynchronize();
}`);
  expect(exitCode).toBe(0);
  const rows = trace.query(kernels) as [string, number, number, number][];
  trace.close();
  expect(rows.map(([name]) => name)).toEqual(['countDown', 'countDown', 'countDown', 'after']);
  for (const [i, [, start, , inGraph]] of rows.entries()) {
    expect(inGraph).toBe(1);
    if (i > 0) expect(start).toBeGreaterThan(rows[i - 1]![2]);
  }
});

it('has a kernel that waits for the host from its turn until the host has written', async () => {
  const { trace, exitCode } = await recorded(`#include <cuda_runtime.h>
__global__ void waitFor(volatile int *latch) { while (*latch == 0) {} }
__global__ void behind() {}
int main() {
  int *latch; cudaMallocHost(&latch, 4); *latch = 0;
  void *memory[20];
  waitFor<<<1, 32>>>(latch);
  behind<<<1, 32>>>();
  for (void *&each : memory) cudaMalloc(&each, 1 << 26);
  *latch = 1;
  return cudaDeviceSynchronize();
}`);
  expect(exitCode).toBe(0);
  const [[waits, start, end], [next, begin]] = trace.query(kernels) as [string, number, number][] as [
    [string, number, number],
    [string, number, number],
  ];
  const [[firstLaunch, written]] = trace.query(
    `SELECT (SELECT min(end) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE 'cudaLaunchKernel%'),
      (SELECT start FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE 'cudaDeviceSynchronize%')`,
  ) as [[number, number]];
  trace.close();
  expect([waits, next]).toEqual(['waitFor', 'behind']);
  expect(start - firstLaunch).toBeLessThan(10_000);
  expect(end).toBeGreaterThan(written);
  expect(end - written).toBeLessThan(20_000);
  expect(begin).toBeGreaterThan(end);
});
