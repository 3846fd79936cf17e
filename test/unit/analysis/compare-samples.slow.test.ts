/** Comparing recordings of real machines, and a simulated one with a real one. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import { formatComparison } from '../../../engine/analysis/compare/text.ts';
import type { Comparison } from '../../../engine/model/comparison.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { changedSample } from '../formats/nsys-samples.ts';
import { kernel, temporaryFolder, write } from '../trace/example-recording.ts';
import { sample } from '../trace/samples.ts';

const folder = temporaryFolder();
const open: Trace[] = [];
async function opened(path: string): Promise<Trace> {
  const trace = await openRecording(path, { here: true });
  open.push(trace);
  return trace;
}
afterAll(() => open.forEach((trace) => trace.close()));

const total = ({ rows }: Comparison, name: string) => rows.find((row) => row.kind === 'total' && row.name === name)!;
const sumOf = ({ waterfall }: Comparison): number => waterfall.reduce((sum, { differenceNs }) => sum + differenceNs, 0);

describe('two GPUs by Nsight Systems', () => {
  let compared: Comparison;
  beforeAll(async () => {
    const [before, after] = [
      await opened(sample('nsys-2gpu-before.sqlite', folder)),
      await opened(sample('nsys-2gpu-after.sqlite', folder)),
    ];
    compared = compareTraces(before, after);
  });

  test('kernels take less, and nothing is faster', () => {
    // Figures of the recordings' authors: 535.20 and 488.84 ms.
    expect(total(compared, 'Kernel time').beforeNs / 1e6).toBeCloseTo(535.2, 1);
    expect(total(compared, 'Kernel time').afterNs / 1e6).toBeCloseTo(488.84, 1);
    expect(compared.judgement).toMatchObject({ verdict: 'neutral', noise: 0.02, comparability: expect.closeTo(1, 2) });
    expect(compared.judgement.reasons.join(' ')).toMatch(/All kernels together changed by −8\.66 %/);
    expect(sumOf(compared)).toBe(compared.judgement.afterNs - compared.judgement.beforeNs);
  });

  test('the kernels that its authors name changed most, and by what', () => {
    const kernels = compared.rows.filter(({ kind }) => kind === 'kernel');
    const flash = kernels.find(({ name }) => name.includes('flash_fwd_kernel'))!;
    expect(flash).toMatchObject({ beforeCount: 68, afterCount: 60, change: 'calls' });
    expect(flash.differenceNs / 1e6).toBeCloseTo(-31.56, 2);
    const nccl = kernels.find(({ name }) => name.startsWith('ncclDevKernel_SendRecv'))!;
    expect(nccl).toMatchObject({ beforeCount: 66, afterCount: 62, change: 'slower' });
    expect(nccl.differenceNs / 1e6).toBeCloseTo(8.34, 2);
    expect(kernels.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  test('ranges without the numbers of operators', () => {
    const copies = compared.rows.find(
      ({ kind, name }) => kind === 'range' && name === 'aten::to › aten::_to_copy › aten::copy_',
    );
    expect(copies).toMatchObject({ beforeCount: 740, afterCount: 664 });
  });
});

test('PyTorch on two GPUs: steps are found, and kernels of only one of them', async () => {
  const [before, after] = [
    await opened(sample('kineto-before.json', folder)),
    await opened(sample('kineto-after.json', folder)),
  ];
  const compared = compareTraces(before, after);
  expect(compared.steps).toMatchObject({ name: 'ProfilerStep#', before: { count: 6 }, after: { count: 6 } });
  expect(compared.judgement).toMatchObject({ verdict: 'regression', measure: 'step' });
  expect(compared.judgement.reasons).toContain('The GPUs differ: NVIDIA A100-PG509-200 and Tesla V100-SXM2-16GB.');
  expect(sumOf(compared)).toBe(
    compared.after.window.toNs -
      compared.before.window.toNs +
      compared.before.window.fromNs -
      compared.after.window.fromNs,
  );
  const lost = compared.rows.filter(({ kind, match }) => kind === 'kernel' && match === 'only');
  expect(lost.some(({ name, before: was }) => was !== null && name.startsWith('ampere_sgemm'))).toBe(true);
  expect(lost.some(({ name, after: is }) => is !== null && name.startsWith('volta_sgemm'))).toBe(true);
  const step = compareTraces(before, after, { align: { by: 'steps', number: 1 } });
  // From when the work of the step before is done to when its own is: less than the host's range where that one lags behind.
  expect([step.judgement.beforeNs, step.judgement.afterNs]).toEqual([76_800_000, 117_128_000]);
});

describe('one recording, changed', () => {
  const changed = changedSample(folder);
  /** All copies and kernels `by` of their length longer. */
  const longer = (by: number): string =>
    ['KERNEL', 'MEMCPY']
      .map(
        (table) => `UPDATE CUPTI_ACTIVITY_KIND_${table} SET end = start + CAST((end - start) * ${1 + by} AS INTEGER)`,
      )
      .join(';');

  test('itself, what runs differ by, and what they do not', async () => {
    const was = await opened(changed('was.sqlite', longer(0)));
    const equal = compareTraces(was, was);
    expect(equal.judgement.verdict).toBe('neutral');
    expect(equal.rows.every(({ change }) => change === 'same')).toBe(true);
    const kinds = (compared: Comparison) =>
      new Set(compared.rows.filter(({ kind }) => kind === 'copy' || kind === 'kernel').map(({ change }) => change));
    expect(kinds(compareTraces(was, await opened(changed('hardly.sqlite', longer(0.01)))))).toEqual(new Set(['noise']));
    expect(kinds(compareTraces(was, await opened(changed('much.sqlite', longer(0.1)))))).toEqual(new Set(['slower']));
  });

  test('a simulated recording beside it: the error of each kernel', async () => {
    const real = await opened(sample('nsys-streams.sqlite', folder));
    const names = new Map([
      ['add', { demangled: 'add_parallel(float const*, float const*, float*, int)', short: 'add_parallel' }],
    ]);
    // The median of the real launches is 1,209,909 ns.
    const events = [0, 1].map((i) => kernel(i * 2e6, i * 2e6 + 1.1e6, i + 1, 7, { kernel: 'add' }));
    const simulated = openTrace(write(join(folder, 'simulated.simsight'), events, { names }));
    const compared = compareTraces(simulated, real);
    const realNs = compared.rows.find(({ kind }) => kind === 'kernel')!.after!.medianNs;
    expect(compared.modelError).toEqual({
      simulated: 'before',
      kernels: [{ name: 'add_parallel', simulatedNs: 1.1e6, realNs, error: 1.1e6 / realNs - 1, share: 1 }],
      meanError: 1 - 1.1e6 / realNs,
    });
    expect(compared.judgement.verdict).toBe('inconclusive');
    expect(formatComparison(compared)).toMatch(/The trace before is simulated, the other one is real: off by \d/);
    expect(compareTraces(real, simulated).modelError).toMatchObject({
      simulated: 'after',
      meanError: 1 - 1.1e6 / realNs,
    });
    simulated.close();
  });
});
