/**
 * Verdicts that one figure would get wrong. Each is of a kind that people have met: the host that runs ahead, ranges that are no steps,
 * a recorder that stops late, one recording that holds more than the other.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareTraces, type CompareOptions } from '../../../engine/analysis/compare/index.ts';
import { formatComparison } from '../../../engine/analysis/compare/text.ts';
import type { Comparison } from '../../../engine/model/comparison.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { simsightHere } from '../../cli/simsight.ts';
import { call, kernel, range, type ChromeEvent } from '../formats/chrome-file.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const open: Trace[] = [];
afterAll(() => open.forEach((trace) => trace.close()));
const caseFile = (name: string): string => new URL(`../../cases/${name}.json`, import.meta.url).pathname;

async function openedFile(path: string): Promise<Trace> {
  const trace = await openRecording(path, { here: true });
  open.push(trace);
  return trace;
}
let made = 0;
const recording = (events: readonly ChromeEvent[]): Promise<Trace> => {
  const path = join(folder, `${++made}.json`);
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  return openedFile(path);
};
const compared = async (before: ChromeEvent[], after: ChromeEvent[], options?: CompareOptions): Promise<Comparison> =>
  compareTraces(await recording(before), await recording(after), options);

interface Shape {
  steps: number;
  /** Microseconds of the host's range of each step, or of one of them. */
  hostUs: (step: number) => number;
  kernels: number;
  /** Duration of each kernel, µs. */
  kernelUs: number;
  /** The host waits at the end of each step. */
  waits?: boolean;
  /** Before the first step, and behind the last, in ranges of the program. */
  startUs?: number;
  endUs?: number;
  category?: string;
  name?: (step: number) => string;
}
/** A program of steps, on one stream. */
function program(shape: Shape): ChromeEvent[] {
  const { steps, hostUs, kernels, kernelUs, waits = false, startUs = 0, endUs = 0 } = shape;
  const { category = 'user_annotation', name = (step: number): string => `ProfilerStep#${step}` } = shape;
  const events: ChromeEvent[] = [];
  let [now, gpu, id] = [1000, 0, 0];
  if (startUs > 0) events.push(range('load', now, startUs, { cat: 'user_annotation' }));
  now += startUs;
  for (let step = 0; step < steps; step++) {
    const start = now;
    for (let i = 0; i < kernels; i++) {
      id++;
      events.push(call('cudaLaunchKernel', now, 4, id));
      const from = Math.max(now + 8, gpu);
      events.push(kernel('k(float*)', from, kernelUs, { correlation: id }));
      gpu = from + kernelUs;
      now += Math.max(5, Math.floor(hostUs(step) / (kernels + 1)));
    }
    const end = waits ? Math.max(start + hostUs(step), gpu + 5) : start + hostUs(step);
    if (waits) events.push(call('cudaDeviceSynchronize', now, end - now, 9000 + step));
    events.push(range(name(step), start, end - start, { cat: category }));
    now = end;
  }
  if (!waits) {
    const end = Math.max(now + 5, gpu + 5);
    events.push(call('cudaDeviceSynchronize', now + 1, end - now - 1, 9999));
    now = end;
  }
  if (endUs > 0) events.push(range('save', now, endUs, { cat: 'user_annotation' }));
  return events;
}
const usual: Shape = { steps: 8, hostUs: () => 1000, kernels: 8, kernelUs: 100 };

describe('the cases', () => {
  const ofCase = async (name: string, options?: CompareOptions): Promise<Comparison> =>
    compareTraces(await openedFile(caseFile(`${name}_before`)), await openedFile(caseFile(`${name}_after`)), options);

  test('steps of a host that runs ahead last until their work is done', async () => {
    const { judgement, explanation } = await ofCase('async_steps');
    expect(judgement).toMatchObject({ verdict: 'regression', measure: 'step', ratio: 1.8 });
    expect(explanation[0]).toBe('1.8× slower: a step (ProfilerStep#) takes 1 ms → 1.8 ms.');
    expect(judgement.reasons).toContain('A step lasts until the work of GPUs that is called for in it is done.');
    const one = await ofCase('async_steps', { align: { by: 'steps', number: 2 } });
    expect(one.judgement.verdict).toBe('regression');
    const ranged = await ofCase('async_steps', { align: { by: 'range', name: 'ProfilerStep#2' } });
    expect(ranged.judgement).toMatchObject({ verdict: 'regression' });
    expect(ranged.judgement.reasons.join(' ')).toMatch(
      /^The time until the work of GPUs is done changed by \+81\.8 %.*The range itself changed by ±0\.00 %: the host does not wait/,
    );
  });

  test('functions of an interpreter are no steps', async () => {
    const { judgement, steps } = await ofCase('pyfn_steps');
    expect(steps).toBeNull();
    expect(judgement).toMatchObject({ verdict: 'regression', measure: 'window' });
    expect(judgement.ratio).toBeCloseTo(2, 2);
  });

  test('a recorder that stops later changes nothing', async () => {
    const { judgement, explanation, rows } = await ofCase('kineto_window_end');
    expect(judgement).toMatchObject({ verdict: 'neutral', ratio: 1 });
    expect(explanation[0]).toMatch(/^No difference/);
    expect(rows.some(({ name }) => name.startsWith('PyTorch Profiler'))).toBe(false);
    // It is said how long was recorded, and not as something that anybody waits for.
    expect(rows.find(({ name }) => name === 'Session duration')).toMatchObject({ change: 'more' });
  });

  test.each(['async_steps', 'pyfn_steps'])('--fail-over fails on %s and says why', async (name) => {
    const { code, stderr } = await simsightHere([
      ...['compare', caseFile(`${name}_before`), caseFile(`${name}_after`), '--fail-over', '5%'],
    ]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^simsight: compare: regression\. .* changed by \+\d+/m);
  });
});

describe('steps', () => {
  test('that are alike are judged by their median, and the whole agrees', async () => {
    const faster = await compared(
      program({ ...usual, waits: true, kernelUs: 150 }),
      program({ ...usual, waits: true, kernelUs: 130 }),
    );
    expect(faster.judgement).toMatchObject({ verdict: 'improvement', measure: 'step' });
    const longer = await compared(program({ ...usual, waits: true }), program({ ...usual, waits: true, steps: 16 }));
    expect(longer.judgement.verdict).toBe('neutral');
  });

  test.each([
    ['kernels of a host that runs ahead', { kernelUs: 240 }],
    ['one launch in each step that takes longer than the step', { kernels: 1, kernelUs: 1900 }],
  ])('work that goes on after them: %s', async (_, more) => {
    const { judgement } = await compared(program(usual), program({ ...usual, ...more }));
    expect(judgement).toMatchObject({ verdict: 'regression', measure: 'step' });
  });

  test('a launch of another thread belongs to the step in which it is called', async () => {
    const elsewhere = (events: ChromeEvent[]): ChromeEvent[] =>
      events.map((event) => (event['name'] === 'cudaLaunchKernel' ? { ...event, tid: 555 } : event));
    const { judgement } = await compared(elsewhere(program(usual)), elsewhere(program({ ...usual, kernelUs: 240 })));
    expect(judgement).toMatchObject({ verdict: 'regression', measure: 'step' });
  });

  test('one of them that takes far longer: the median is no measure', async () => {
    const slow = (us: number) => ({ ...usual, hostUs: (step: number) => (step === 3 ? us : 1000), waits: true });
    const once = await compared(program(slow(1000)), program(slow(6000)));
    expect(once.judgement).toMatchObject({ verdict: 'regression', measure: 'window' });
    expect(once.judgement.reasons.join(' ')).toMatch(/some are not like the others, so the whole is judged/);
    const less = await compared(program(slow(6000)), program(slow(1000)));
    expect(less.judgement).toMatchObject({ verdict: 'improvement', measure: 'window' });
    // With different numbers of steps nothing else tells.
    const more = await compared(program(slow(1000)), program({ ...slow(9000), steps: 10 }));
    expect(more.judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(more.explanation[0]).toMatch(/^It cannot be told whether that is faster/);
  });

  test('with a start or an end that takes longer: the same steps are not the same time', async () => {
    const start = await compared(program({ ...usual, startUs: 1000 }), program({ ...usual, startUs: 4000 }));
    expect(start.judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(start.judgement.reasons[0]).toMatch(
      /^The median of 8 steps \(ProfilerStep#\) changed by ±0\.00 %, but the whole time by \+\d+\.\d %/,
    );
    const end = await compared(program({ ...usual, endUs: 100 }), program({ ...usual, endUs: 5000 }));
    expect(end.judgement.verdict).toBe('inconclusive');
  });

  test('a host that hides what its GPU takes longer for', async () => {
    const { judgement } = await compared(program({ ...usual, kernelUs: 50 }), program({ ...usual, kernelUs: 95 }));
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(judgement.reasons[0]).toMatch(/GPUs are busy for 90 % longer/);
    // Less work that nobody gains by is no regression.
    const less = await compared(program({ ...usual, kernelUs: 95 }), program({ ...usual, kernelUs: 50 }));
    expect(less.judgement.verdict).toBe('neutral');
  });

  test.each([
    ['python_function', (step: number) => `model.py(12): forward_${step}`],
    ['cpu_op', () => 'aten::linear'],
    ['user_annotation', () => 'autograd::engine::evaluate_function: MmBackward0'],
    ['overhead', () => 'Activity Buffer Request'],
    ['toplevel', () => 'ThreadControllerImpl::RunTask'],
    ['FEE', () => 'train (/app/train.py:8)'],
  ])('are the program’s own ranges: %s is none', async (category, name) => {
    const shape = { ...usual, category, name };
    const found = await compared(program(shape), program({ ...shape, kernelUs: 240 }));
    expect(found.steps).toBeNull();
    expect(found.judgement.verdict).toBe('regression');
  });

  test('the same work in more and shorter pieces is no improvement', async () => {
    const halves = program({ ...usual, steps: 16, hostUs: () => 500, kernels: 4 });
    const { judgement } = await compared(program(usual), halves);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(judgement.reasons[0]).toMatch(/in 16 of them instead of 8.*not the same steps/);
  });

  test('a kernel that stays for several leaves them to the host', async () => {
    const persistent = (events: ChromeEvent[]): ChromeEvent[] => [
      ...events,
      kernel('server()', 1000, 8000, { stream: 20, correlation: 5000 }),
      call('cudaLaunchKernel', 990, 4, 5000),
    ];
    const { steps, judgement } = await compared(
      persistent(program({ ...usual, waits: true })),
      persistent(program({ ...usual, waits: true })),
    );
    expect(steps?.before.medianNs).toBe(1_000_000);
    expect(judgement.verdict).toBe('neutral');
  });
});

describe('what was recorded', () => {
  const plain = (launches: number, us: number): ChromeEvent[] =>
    program({
      ...usual,
      steps: 1,
      category: 'cpu_op',
      name: () => 'run',
      kernels: launches,
      hostUs: () => 100,
      kernelUs: us,
    });

  test('the end of a recorder, its start and its own work are not the program’s', async () => {
    const recorder = (until: number, since = 900): ChromeEvent[] => [
      {
        ph: 'X',
        cat: 'Trace',
        name: 'PyTorch Profiler (0)',
        pid: 'Spans',
        tid: 'PyTorch Profiler',
        ts: since,
        dur: until - since,
      },
      {
        ph: 'i',
        s: 'g',
        name: 'Iteration Start: PyTorch Profiler',
        pid: 'Traces',
        tid: 'Trace PyTorch Profiler',
        ts: since,
      },
      { ph: 'i', s: 'g', name: 'Record Window End', pid: '', tid: '', ts: until },
    ];
    const base = plain(20, 100);
    const changes: [string, ChromeEvent[]][] = [
      ['an end', recorder(40_000)],
      ['a start', recorder(4000, 10)],
      ['buffers', [{ ph: 'X', cat: 'overhead', name: 'Buffer Flush', pid: 100, tid: 0, ts: 30_000, dur: 900 }]],
      ['frames that were open', [range('train.py(1): <module>', 100, 50_000, { cat: 'python_function' })]],
      ['its functions', [range('torch/profiler/profiler.py(7): stop', 9000, 9000, { cat: 'python_function' })]],
      ['a range without an end', [{ ph: 'B', name: 'main', pid: 100, tid: 101, ts: 500 }, ...recorder(30_000)]],
      ['a mark', [{ ph: 'i', name: 'bye', pid: 100, tid: 101, ts: 30_000, s: 't' }]],
    ];
    for (const [what, more] of changes) {
      const { judgement } = await compared([...recorder(4000), ...base], [...base, ...more]);
      expect([what, judgement.verdict]).toEqual([what, 'neutral']);
    }
    // A function that is called when all else is over is.
    const saved = [...base, range('torch/serialization.py(9): save', 3200, 3000, { cat: 'python_function' })];
    expect((await compared(base, saved)).judgement.verdict).toBe('regression');
  });

  test('a call long after all else may be the recorder’s', async () => {
    const late = [...plain(20, 100), call('cudaDeviceSynchronize', 9000, 5, 999)];
    const { judgement } = await compared(plain(20, 100), late);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(judgement.reasons[0]).toMatch(/in which nothing is recorded, by .* that may be the recorder's/);
  });

  test('fewer launches that take longer are no improvement', async () => {
    const { judgement, explanation, rows } = await compared(plain(100, 100), plain(70, 115));
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(judgement.reasons[0]).toMatch(/30 % less work was recorded .* a launch takes 15 % longer/);
    expect(explanation.join(' ')).not.toMatch(/\d× faster/);
    expect(rows.find(({ name }) => name === 'Kernel time')).toMatchObject({ change: 'less' });
    expect(rows.find(({ kind }) => kind === 'kernel')).toMatchObject({ change: 'slower' });
    const text = formatComparison({ ...(await compared(plain(100, 100), plain(70, 115))) });
    expect(text).not.toMatch(/× faster/);
    // The same time for half of the work.
    expect((await compared(plain(100, 100), plain(50, 200))).judgement.verdict).toBe('inconclusive');
  });

  test('fewer or more launches of all kernels alike: less or more of the program was recorded', async () => {
    expect((await compared(plain(100, 100), plain(60, 100))).judgement.verdict).toBe('inconclusive');
    const more = await compared(plain(60, 100), plain(100, 100));
    expect(more.judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
    expect(more.judgement.reasons[0]).toMatch(
      /66\.7 % more work was recorded .*of nearly every kernel alike: for the same work it is −0\.09 %/,
    );
    // As many that take longer are a regression, and as many that take less an improvement.
    expect((await compared(plain(100, 100), plain(100, 120))).judgement.verdict).toBe('regression');
    expect((await compared(plain(100, 100), plain(100, 80))).judgement.verdict).toBe('improvement');
  });

  test('what is done once hides nothing of that', async () => {
    const once = kernel('setUp(float*)', 900, 90, { correlation: 7001 });
    const { judgement } = await compared([once, ...plain(100, 100)], [once, ...plain(60, 100)]);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', ratio: null });
  });

  test('kernels that take longer beside others which hide it', async () => {
    const beside = (us: number): ChromeEvent[] => [
      ...plain(20, 100),
      ...Array.from({ length: 20 }, (_, i) => kernel('side(float*)', 1010 + 95 * i, us, { stream: 9 })),
    ];
    const { judgement } = await compared(beside(40), beside(90));
    expect(judgement).toMatchObject({ verdict: 'inconclusive' });
    expect(judgement.reasons[0]).toMatch(/kernels take 35\.7 % longer in all/);
  });

  test('more overlap is not slower', async () => {
    const copy = (ts: number): ChromeEvent => ({
      ...{ ph: 'X', cat: 'gpu_memcpy', name: 'Memcpy HtoD (Pinned -> Device)', pid: 0, tid: 9, ts, dur: 400 },
      args: { device: 0, stream: 9, bytes: 1000 },
    });
    const { rows, judgement } = await compared([...plain(20, 100), copy(2984)], [...plain(20, 100), copy(1500)]);
    expect(rows.find(({ name }) => name === 'Copies under kernels')).toMatchObject({ change: 'more' });
    expect(judgement.verdict).toBe('improvement');
  });
});

test('events of a file may come in any order', async () => {
  const read = (name: string) => JSON.parse(readFileSync(caseFile(name), 'utf8')) as { traceEvents: ChromeEvent[] };
  const shuffled = async (name: string): Promise<Trace> => {
    const { traceEvents, ...more } = read(name);
    const path = join(folder, `${name}-shuffled.json`);
    // Events are sorted by a number that jumps around.
    const order = traceEvents.map((event, i) => ({ event, key: (i * 7919) % 1009 })).sort((a, b) => a.key - b.key);
    writeFileSync(path, JSON.stringify({ ...more, traceEvents: order.map(({ event }) => event) }));
    return openedFile(path);
  };
  for (const name of ['async_steps', 'kineto_window_end']) {
    const [was, is] = [await openedFile(caseFile(`${name}_before`)), await openedFile(caseFile(`${name}_after`))];
    const [a, b] = [await shuffled(`${name}_before`), await shuffled(`${name}_after`)];
    const plain = ({ judgement, rows, waterfall, explanation }: Comparison) => ({
      judgement,
      rows,
      waterfall,
      explanation,
    });
    expect(plain(compareTraces(a, b))).toEqual(plain(compareTraces(was, is)));
  }
});
