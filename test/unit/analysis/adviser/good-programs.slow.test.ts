/** Advice on programs without flaws, on equal recordings, and on real ones. */
import { afterAll, expect, test } from 'vitest';
import { advise } from '../../../../engine/analysis/adviser/index.ts';
import { formatFindings } from '../../../../engine/analysis/adviser/text.ts';
import { prepare, preparationOf } from '../../../../engine/formats/prepare.ts';
import type { Finding } from '../../../../engine/model/findings.ts';
import { openTrace } from '../../../../engine/trace/reader.ts';
import { temporaryFolder, write } from '../../trace/example-recording.ts';
import { sample } from '../../trace/samples.ts';
import { advised, closeAll, evidence, findingOf } from './recordings.ts';

afterAll(closeAll);
const folder = temporaryFolder();
const a100 = { gpu: 'a100' };
const rulesIn = (findings: readonly Finding[]): string[] => findings.map(({ rule }) => rule);

test('the lab on overlap: what its last variant has been changed for is not said of that', async () => {
  const overlap = await advised('labs/overlap', 'pageable 1 8 1', a100);
  expect(rulesIn(overlap.findings)).toEqual(expect.arrayContaining(['pageable-copies', 'missing-overlap']));
  expect(findingOf(overlap.findings, 'pageable-copies')!.lab).toBe('pinned-memory');
  const overlapped = await advised('labs/overlap', 'pinned 4 8 1', a100);
  // The link is what is left, and the kernel has reached its roof.
  expect(rulesIn(overlapped.findings).filter((rule) => rule !== 'copy-bound')).toEqual(['stop-here']);
});

test('the lab on launches: the same', async () => {
  const launches = await advised('labs/launches', 'sync 100 2', a100);
  expect(rulesIn(launches.findings)).toEqual(expect.arrayContaining(['launch-bound', 'needless-sync']));
  const ahead = await advised('labs/launches', 'stream 100 2', a100);
  expect(rulesIn(ahead.findings)).toEqual(['launch-bound']);
  const fused = await advised('labs/launches', 'fused 100 2', a100);
  expect(rulesIn(fused.findings)).toEqual([]);
  // Launching ahead saves some of it; the graph, or one kernel, the rest.
  const saved = launches.trace.info.durationNs - ahead.trace.info.durationNs;
  expect(findingOf(launches.findings, 'needless-sync')!.gain!.ns).toBeGreaterThan(saved);
});

test('the lab on matrix products: the same', async () => {
  const naive = await advised('labs/matmul', 'naive 256', a100);
  expect(findingOf(naive.findings, 'repeated-global-loads', 'matmulNaive')!.lab).toBe('matmul');
  const tiled = await advised('labs/matmul', 'tiled 256', a100);
  expect(rulesIn(tiled.findings)).not.toContain('repeated-global-loads');
  for (const rule of ['bank-conflicts', 'uncoalesced-access', 'low-occupancy', 'divergence', 'register-spills']) {
    expect(rulesIn(tiled.findings)).not.toContain(rule);
  }
});

test('equal recordings give equal findings, each in the same order', async () => {
  const first = await advised('timeline', 'turns');
  const second = await advised('timeline', 'turns', { title: 'again' });
  expect(first.trace.path).not.toBe(second.trace.path);
  expect(second.findings).toEqual(first.findings);
  expect(advise(first.trace)).toEqual(first.findings);
});

test('without single accesses: what counts tell is still said', async () => {
  const { findings } = await advised('memory', 'column turned', { detail: 'counters' });
  const column = findingOf(findings, 'uncoalesced-access', 'column')!;
  expect(column.title).toContain('32 sectors per request of global memory where 4 would do');
  expect(findingOf(findings, 'bank-conflicts', 'turned')!.todo).toContain('pad the rows');
});

async function imported(name: string): Promise<Finding[]> {
  const path = sample(name, folder);
  const target = `${path}.simsight`;
  await prepare(path, preparationOf(path)!, target, () => {});
  const trace = openTrace(target);
  const findings = advise(trace);
  trace.close();
  return findings;
}

test('real recordings have no counters: their timelines are looked at, and nothing is said of kernels', async () => {
  for (const name of [
    'kineto-before.json',
    'kineto-after.json',
    'kineto-sync.json',
    'nsys-streams.sqlite',
    'nsys-2gpu-before.sqlite',
  ]) {
    const findings = await imported(name);
    for (const { stage, gain } of findings) {
      expect(stage, name).toBe('timeline');
      expect(gain === null || gain.ns > 0).toBe(true);
    }
    expect(formatFindings(findings)).toBeTruthy();
    // Its authors sped it up on the host's side: the GPUs wait for that.
    if (name.startsWith('nsys-2gpu')) {
      const [first] = findings;
      expect(first).toMatchObject({ rule: 'host-bound' });
      expect(evidence(first, 'idle that the program’s own work between calls explains')).toBe(first!.gain!.ns);
    }
    // Copies of 100 MB each over PCI Express, and kernels of microseconds.
    if (name.startsWith('nsys-streams')) expect(rulesIn(findings)).toContain('copy-bound');
  }
});

test('a trace without events', () => {
  const empty = openTrace(write(`${folder}/empty.simsight`, []));
  expect(advise(empty)).toEqual([]);
  expect(formatFindings([])).toContain('Nothing to say');
  empty.close();
});

test('as text: what, why, what to do, how much, where', async () => {
  const { findings } = await advised('timeline', 'turns');
  const text = formatFindings(findings);
  expect(text).toContain('1. ');
  expect(text).toMatch(/Why {3}.+/);
  expect(text).toMatch(/Gain {2}up to /);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(140);
});
