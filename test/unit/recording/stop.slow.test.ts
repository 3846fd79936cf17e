/** A recording that somebody stops keeps what there is, work included that the program has not waited for. */
import { expect, test } from 'vitest';
import { stopAndKeep } from '../../../engine/base/stopped.ts';
import { timedOnlyMetric } from '../../../engine/model/metric-names.ts';
import type { RecordProgress } from '../../../engine/model/recording.ts';
import { recorded } from './recorded.ts';

const kernel = `__global__ void work(float *x, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < rounds; k++) value = value * 0.5f + 1;
  x[i] = value + x[i];
}
`;
const program = (body: string): string => `${kernel}int main() {
  float *x;
  cudaMalloc(&x, 1 << 22);
  ${body}
}
`;

/** Records until `isTime`, then stops. */
async function stoppedWhen(text: string, isTime: (progress: RecordProgress) => boolean, sample = false) {
  const controller = new AbortController();
  return await recorded(text, {
    sample,
    signal: controller.signal,
    onProgress: (progress) => {
      if (isTime(progress)) controller.abort(stopAndKeep);
    },
  });
}

test.each([
  ['launches without end', 'for (;;) work<<<64, 256>>>(x, 100);', ({ launches }: RecordProgress) => launches > 20],
  [
    'a launch without end after others',
    'for (int i = 0; i < 20; i++) work<<<64, 256>>>(x, 100);\n  work<<<4096, 256>>>(x, 1 << 30);',
    ({ kernel: now }: RecordProgress) => now !== null && now.launches === 20,
  ],
  [
    'work of the host without end, of what was waited for before it began',
    'for (int i = 0; i < 3000; i++) work<<<64, 256>>>(x, 100), cudaDeviceSynchronize();\n  for (volatile int i = 0;; i++);',
    ({ launches }: RecordProgress) => launches >= 3000,
  ],
])('%s', async (_, body, isTime) => {
  const result = await stoppedWhen(program(body), isTime);
  const [[kernels]] = result.trace.query('SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL') as [[number]];
  expect(result).toMatchObject({ stopped: true, exitCode: 130 });
  expect(kernels).toBeGreaterThan(19);
  expect(result.trace.info).toMatchObject({ complete: false });
  expect(result.trace.info.notices.join()).toContain('The recording was stopped before the end of the program.');
  result.trace.close();
});

test('launches without end, of which most are timed and not executed', async () => {
  const text = program('for (;;) work<<<64, 256>>>(x, 1000), cudaDeviceSynchronize();');
  const { trace, timedOnly, launches, kernels } = await stoppedWhen(text, (told) => told.launches > 500, true);
  const [[marked]] = trace.query(
    `SELECT count(*) FROM SIMSIGHT_KERNEL_METRICS WHERE nameId = (SELECT id FROM StringIds WHERE value = '${timedOnlyMetric}')`,
  ) as [[number]];
  const { notices } = trace.info;
  trace.close();
  expect(timedOnly).toBe(marked);
  expect(timedOnly).toBeGreaterThan(400);
  expect(launches).toBeGreaterThanOrEqual(kernels);
  expect(notices.join('\n')).toContain(`${timedOnly} of ${launches} launches were timed and not executed`);
});

test('the kernel that is being executed is named, with the time of its launches before', async () => {
  const told: RecordProgress[] = [];
  await stoppedWhen(program('for (;;) work<<<4096, 256>>>(x, 3000);'), (progress) => {
    told.push(progress);
    return progress.kernel !== null && progress.kernel.launches > 1;
  }).then(({ trace }) => trace.close());
  const last = told.findLast(({ kernel: now }) => now !== null)!.kernel!;
  expect(last.name).toBe('work(float *, int)');
  expect(last.meanMs).toBeGreaterThan(0);
});
