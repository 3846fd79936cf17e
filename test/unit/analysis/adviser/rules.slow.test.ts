/** Each rule: programs with a flaw, in which it has to speak, and the same without, in which it must not. */
import { afterAll, describe, expect, test } from 'vitest';
import { advise, rules } from '../../../../engine/analysis/adviser/index.ts';
import { formatFindings } from '../../../../engine/analysis/adviser/text.ts';
import { adviceStages, type Finding } from '../../../../engine/model/findings.ts';
import { labs } from '../../../../engine/labs/index.ts';
import type { RecordCall } from '../../../../engine/recording/types.ts';
import type { Trace } from '../../../../engine/trace/trace.ts';
import { advised, closeAll, evidence, findingOf, type Advised } from './recordings.ts';

afterAll(closeAll);

/** A program, its arguments, and the kernel that is meant; without, the timeline. */
interface Run {
  program: string;
  words: string;
  kernel?: string;
  more?: Partial<RecordCall>;
}
interface Case {
  rule: string;
  flawed: Run;
  fixed: Run[];
  /** Further checks of the finding. */
  check?: (finding: Finding, trace: Trace) => void;
}

const number = (trace: Trace, sql: string, ...parameters: (string | number)[]): number =>
  Number(trace.query(sql, ...parameters)[0]?.[0]);
const kernelRow = ({ places }: Finding): number => {
  const place = places.find(({ kind }) => kind === 'kernel');
  return place?.kind === 'kernel' ? place.kernel : 0;
};
/** Sum over instructions of the kernel of a finding. */
const instructions = (finding: Finding, trace: Trace, what: string, opcodes: string): number =>
  number(
    trace,
    `SELECT sum(${what}) FROM SIMSIGHT_INSTRUCTIONS i JOIN SIMSIGHT_KERNEL_PROFILES p USING (profile)
     JOIN StringIds o ON o.id = i.opcodeId WHERE p.kernel = ? AND o.value GLOB ?`,
    kernelRow(finding),
    opcodes,
  );
/** Source line of the finding's first place. */
const firstLine = ({ places }: Finding, trace: Trace): string | undefined => {
  const [place] = places;
  if (place?.kind !== 'line') return undefined;
  return trace
    .sources()
    .find(({ path }) => path === place.file)
    ?.text.split('\n')[place.line - 1];
};

const memoryFlaws = 'column gather structures turned indexed';
const memoryFixes = 'row gatherRows stencil arrays turnedPadded unindexed';
const binsFlaws = 'binsGlobal binsMeeting tableShared';
const binsFixes = 'binsShared table';
const latencyFlaws = 'chaseShared oneWorks copyWords staged divergent';
const latencyFixes = 'chase allWork copyVectors pipelined uniform';
const memory = (words: string, kernel: string): Run => ({ program: 'memory', words, kernel });
const latency = (words: string, kernel: string): Run => ({ program: 'latency', words, kernel });
const products = (words: string, kernel: string): Run => ({ program: 'products', words, kernel });
/** On a GPU with 4 MB of L2. */
const streams = (words: string, kernel: string): Run => ({ program: 'streams', words, kernel, more: { gpu: 't4' } });
const timeline = (words: string, more: Partial<RecordCall> = {}): Run => ({ program: 'timeline', words, more });

const cases: Case[] = [
  {
    rule: 'failed-launch',
    flawed: timeline('failing'),
    fixed: [timeline('turns'), timeline('launching')],
    check: (finding, trace) => {
      // Before all else, with the line.
      expect(advise(trace)[0]).toEqual(finding);
      expect(firstLine(finding, trace)).toContain('__global__ void touch');
      expect(evidence(finding, 'such launches')).toBe(1);
    },
  },
  {
    rule: 'host-bound',
    flawed: timeline('preparing', { hostRate: 2 }),
    fixed: [timeline('prepared', { hostRate: 2 }), timeline('turns')],
  },
  {
    rule: 'launch-bound',
    flawed: timeline('launching'),
    fixed: [timeline('graph'), timeline('turns'), timeline('overlapped')],
    check: (finding, trace) => {
      expect(evidence(finding, 'kernels')).toBe(number(trace, 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL'));
      const [busy, span] = [
        number(trace, 'SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL'),
        number(trace, 'SELECT max(end) - min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL'),
      ];
      expect(evidence(finding, 'time with a kernel running')).toBe(busy);
      // Nothing but kernels: all that is not one is a gap.
      expect(finding.gain!.ns).toBe(span - busy);
    },
  },
  {
    rule: 'needless-sync',
    flawed: timeline('waiting'),
    fixed: [timeline('reading'), timeline('launching')],
    check: (finding, trace) => {
      expect(evidence(finding, 'waits after which nothing had been copied to the host')).toBe(39);
      // The same gaps are what the launches cost, which says so.
      const launches = findingOf(advise(trace), 'launch-bound')!;
      const shared = evidence(launches, 'of that, behind waits whose result nobody reads')!;
      expect(shared).toBeGreaterThan(0);
      expect(shared).toBeLessThanOrEqual(Math.min(finding.gain!.ns, launches.gain!.ns));
      expect(launches.gain!.basis).toMatch(/Without the needless waits in them, .* are left\./);
      expect(formatFindings(advise(trace))).toMatch(/\nGains do not add up: /);
    },
  },
  {
    rule: 'synchronous-apis',
    flawed: timeline('blocking'),
    fixed: [timeline('overlapped'), timeline('turns')],
    check: (finding, trace) => {
      const calls = `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN
        (SELECT id FROM StringIds WHERE value = 'cudaMemcpy' OR value GLOB 'cudaMemcpy_v*') AND start > (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL)
        AND end < (SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL)`;
      expect(evidence(finding, 'calls of cudaMemcpy between kernels')).toBe(number(trace, calls));
    },
  },
  { rule: 'synchronous-apis', flawed: timeline('allocating'), fixed: [timeline('reusing')] },
  {
    rule: 'pageable-copies',
    flawed: timeline('pageable'),
    fixed: [timeline('turns'), timeline('overlapped')],
    check: (finding, trace) => {
      const upload = 'FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 1 AND srcKind = 0';
      expect(evidence(finding, 'copies to the GPU, pageable')).toBe(number(trace, `SELECT count(*) ${upload}`));
      expect(evidence(finding, 'bytes to the GPU, pageable')).toBe(number(trace, `SELECT sum(bytes) ${upload}`));
      expect(evidence(finding, 'time on the copy engine to the GPU, pageable')).toBe(
        number(trace, `SELECT sum(end - start) ${upload}`),
      );
    },
  },
  {
    rule: 'legacy-default-stream',
    flawed: timeline('implicit'),
    fixed: [timeline('overlapped'), timeline('turns'), timeline('blocking')],
    check: (finding, trace) => {
      // The adviser does not recommend what the program has already.
      const others = advise(trace).map(({ rule }) => rule);
      for (const rule of ['missing-overlap', 'synchronous-apis', 'pageable-copies']) expect(others).not.toContain(rule);
      // Each kernel for its copy there, each copy back for the kernel; and each copy there for the kernel before it.
      const waits = 'FROM SIMSIGHT_IMPLICIT_WAITS WHERE';
      expect(number(trace, `SELECT count(*) ${waits} streamId = 7`)).toBe(8);
      expect(number(trace, `SELECT count(*) ${waits} streamId <> 7 AND otherStreamId = 7`)).toBe(15);
      expect(evidence(finding, 'implicit synchronizations')).toBe(23);
      expect(finding.todo).toContain('cudaStreamNonBlocking');
      // It is drawn on the row of the stream that waits, and says for what.
      const [place] = finding.places;
      if (place?.kind !== 'event') throw new Error('no event');
      const wait = trace.event(place.ref);
      expect(trace.info.tracks[wait.track]!.title).toMatch(/\(sync\)$/);
      expect(wait.title).toMatch(/^Implicit sync: (default stream|stream \d+)$/);
      // The work that waited, its call, and what it waited for.
      const kinds = wait.correlated.map(({ ref }) => ref.kind);
      expect(kinds).toContain('api');
      expect(kinds).toEqual(expect.arrayContaining(['kernel', 'memcpy']));
      const work = trace.event(wait.correlated.find(({ ref }) => ref.kind === 'kernel')!.ref);
      expect(work.correlated.map(({ ref }) => ref.kind)).toContain('implicit-wait');
    },
  },
  {
    rule: 'missing-overlap',
    flawed: timeline('turns'),
    fixed: [timeline('overlapped'), timeline('launching')],
    check: (finding) => expect(evidence(finding, 'both at once')).toBe(0),
  },
  {
    rule: 'copy-bound',
    flawed: timeline('overlapped'),
    fixed: [timeline('launching'), timeline('graph')],
    check: (finding, trace) => {
      const sum = (what: string): number =>
        number(trace, `SELECT sum(${what}) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 1`);
      expect(evidence(finding, 'bytes to the GPU')).toBe(sum('bytes'));
      expect(evidence(finding, 'rate to the GPU')).toBeCloseTo((1e9 * sum('bytes')) / sum('end - start'), 0);
    },
  },
  {
    rule: 'unified-memory-thrashing',
    flawed: timeline('managed'),
    fixed: [timeline('apart'), timeline('prefetched')],
    check: (finding, trace) => {
      const moved = 'SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind =';
      expect(evidence(finding, 'migrated to GPUs')).toBe(number(trace, `${moved} 11`));
      expect(evidence(finding, 'migrated to the host')).toBe(number(trace, `${moved} 12`));
    },
  },
  {
    rule: 'uncoalesced-access',
    flawed: memory(memoryFlaws, 'column'),
    fixed: [memory(memoryFixes, 'row'), memory(memoryFlaws, 'gather'), memory(memoryFlaws, 'structures')],
    check: (finding, trace) => {
      expect(evidence(finding, 'sectors of these accesses')).toBe(instructions(finding, trace, 'sectors', 'LDG*'));
      expect(evidence(finding, 'sectors that they need')).toBe(
        instructions(finding, trace, 'threadsOn * 4 / 32', 'LDG*'),
      );
      expect(finding.title).toContain('32 sectors per request of global memory where 4 would do');
      expect(firstLine(finding, trace)).toContain('in[(i % side) * side + i / side]');
    },
  },
  {
    rule: 'low-sector-use',
    flawed: memory(memoryFlaws, 'gather'),
    fixed: [memory(memoryFixes, 'gatherRows'), memory(memoryFlaws, 'column')],
    check: (finding) =>
      // One word of each sector.
      expect(evidence(finding, 'bytes that threads ask for, of those sectors')).toBeCloseTo(100 / 8, 1),
  },
  {
    rule: 'misaligned-access',
    flawed: memory('gatherOffset aligned', 'gatherOffset'),
    fixed: [
      memory(memoryFixes, 'gatherRows'),
      memory('gatherOffset aligned', 'aligned'),
      memory(memoryFixes, 'stencil'),
    ],
  },
  {
    rule: 'aos-layout',
    flawed: memory(memoryFlaws, 'structures'),
    fixed: [memory(memoryFixes, 'arrays'), memory(memoryFlaws, 'column')],
    check: (finding) => expect(evidence(finding, 'bytes from lane to lane')).toBe(20),
  },
  {
    rule: 'repeated-global-loads',
    flawed: { program: 'labs/matmul', words: 'naive 256', kernel: 'matmulNaive' },
    fixed: [{ program: 'labs/matmul', words: 'tiled 256', kernel: 'matmulTiled' }, memory(memoryFixes, 'stencil')],
  },
  {
    rule: 'low-l2-hit-rate',
    flawed: streams('again', 'passes'),
    fixed: [streams('parts', 'passes'), streams('scaleAndShift', 'scaleAndShift')],
  },
  {
    rule: 'cache-carve-out',
    flawed: memory(binsFlaws, 'table'),
    fixed: [memory(binsFixes, 'table'), latency(latencyFixes, 'pipelined')],
  },
  {
    rule: 'bank-conflicts',
    flawed: memory(memoryFlaws, 'turned'),
    fixed: [memory(memoryFixes, 'turnedPadded'), latency(latencyFlaws, 'staged')],
    check: (finding, trace) => {
      const conflicts =
        instructions(finding, trace, 'wavefronts - executed', 'LDS*') +
        instructions(finding, trace, 'wavefronts - executed', 'STS*');
      const counted = ['ld', 'st'].map((kind) =>
        evidence(finding, `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${kind}.sum`),
      );
      expect(counted[0]! + counted[1]!).toBe(conflicts);
      expect(finding.todo).toMatch(/4 bytes more behind each row \(128 bytes\) of tile takes 6 % of the wavefronts/);
      expect(firstLine(finding, trace)).toContain('tile[threadIdx.x][j]');
    },
  },
  ...['binsGlobal', 'binsMeeting'].map((kernel): Case => ({
    rule: 'atomic-contention',
    flawed: memory(binsFlaws, kernel),
    fixed: [memory(binsFixes, 'binsShared')],
    // Code of a header, at the line that calls it.
    check: (finding, trace) => expect(firstLine(finding, trace)).toMatch(/atomic(Add|Max)\(/),
  })),
  {
    rule: 'register-spills',
    flawed: memory(memoryFlaws, 'indexed'),
    fixed: [memory(memoryFixes, 'unindexed')],
    check: (finding, trace) => {
      const executed =
        instructions(finding, trace, 'executed', 'LDL*') + instructions(finding, trace, 'executed', 'STL*');
      expect(evidence(finding, 'LDL and STL instructions executed by warps')).toBe(executed);
      expect(evidence(finding, 'local memory per thread')).toBe(256);
    },
  },
  {
    rule: 'unfused-kernels',
    flawed: streams('scale shift', 'scale'),
    fixed: [streams('scaleAndShift', 'scaleAndShift')],
    check: (finding) => expect(evidence(finding, 'bytes stored by the one and loaded by the other')).toBe(2 ** 24),
  },
  {
    rule: 'divergence',
    flawed: latency(latencyFlaws, 'divergent'),
    fixed: [latency(latencyFixes, 'uniform'), latency(latencyFlaws, 'chase')],
    check: (finding, trace) => {
      const sum = (what: string): number =>
        number(
          trace,
          `SELECT sum(b.${what}) FROM SIMSIGHT_BRANCHES b JOIN SIMSIGHT_KERNEL_PROFILES p USING (profile) WHERE p.kernel = ?`,
          kernelRow(finding),
        );
      expect(evidence(finding, 'branches executed by warps')).toBe(sum('executed'));
      expect(evidence(finding, 'of these, with lanes at different places afterwards')).toBe(sum('diverged'));
    },
  },
  {
    rule: 'missed-tensor-cores',
    flawed: products('product recurrence', 'product'),
    fixed: [
      products('tensor', 'tensor'),
      products('product recurrence', 'recurrence'),
      latency(latencyFixes, 'pipelined'),
      latency(latencyFixes, 'allWork'),
    ],
    check: (finding, trace) =>
      expect(evidence(finding, 'multiply-adds of float by threads')).toBe(
        instructions(finding, trace, 'threadsOn', 'FFMA*'),
      ),
  },
  {
    rule: 'low-occupancy',
    flawed: latency(latencyFlaws, 'chase'),
    fixed: [latency(latencyFixes, 'chase'), latency(latencyFixes, 'copyVectors')],
    check: (finding) => expect(finding.title).toContain('runs 16 of 64 warps on an SM, limited by shared memory'),
  },
  {
    rule: 'barrier-stalls',
    flawed: latency(latencyFlaws, 'oneWorks'),
    fixed: [latency(latencyFixes, 'allWork'), latency(latencyFixes, 'pipelined')],
  },
  {
    rule: 'tail-effect',
    flawed: latency('tail', 'longBlocks'),
    fixed: [latency('noTail', 'longBlocks'), latency('small', 'longBlocks')],
    check: (finding) => expect(evidence(finding, 'blocks of the last one')).toBe(4),
  },
  {
    rule: 'small-grid',
    flawed: latency('small', 'longBlocks'),
    // The same beside others that take the SMs it leaves.
    fixed: [latency('noTail', 'longBlocks'), latency('beside', 'longBlocks')],
    check: (finding) => expect(evidence(finding, 'launch__grid_size')).toBe(8),
  },
  {
    rule: 'accidental-doubles',
    flawed: { program: 'corpus', words: 'literals', kernel: 'literals', more: { gpu: 'rtx4090' } },
    fixed: [
      { program: 'corpus', words: 'floats', kernel: 'floats', more: { gpu: 'rtx4090' } },
      { program: 'corpus', words: 'reallyDoubles', kernel: 'reallyDoubles', more: { gpu: 'rtx4090' } },
    ],
    check: (finding, trace) => expect(firstLine(finding, trace)).toContain('v * 1.0001 + 0.5'),
  },
  {
    rule: 'missed-vector-loads',
    flawed: latency(latencyFlaws, 'copyWords'),
    // Few bytes under way as well, but it is atomics that its warps wait for.
    fixed: [latency(latencyFixes, 'copyVectors'), memory('countGlobal', 'countGlobal')],
  },
  {
    rule: 'missed-async-copy',
    flawed: latency(latencyFlaws, 'staged'),
    fixed: [latency(latencyFixes, 'pipelined'), memory(memoryFixes, 'turnedPadded')],
  },
  {
    rule: 'stop-here',
    flawed: latency(latencyFixes, 'copyVectors'),
    fixed: [latency(latencyFlaws, 'copyWords'), streams('again', 'passes'), products('product recurrence', 'product')],
    check: (finding, trace) => {
      const metric = (name: string): number =>
        number(
          trace,
          'SELECT m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE m.kernel = ? AND s.value = ?',
          kernelRow(finding),
          name,
        );
      const bytes = metric('dram__bytes_read.sum') + metric('dram__bytes_write.sum');
      const peak = trace.facts.gpu!.memory.bandwidth * metric('gpu__time_duration.sum') * 1e-9;
      expect(evidence(finding, 'share of the bandwidth of DRAM')).toBeCloseTo((100 * bytes) / peak, 6);
    },
  },
];

const runOf = ({ program, words, more }: Run): Promise<Advised> => advised(program, words, more);

describe.each(cases)('$rule', ({ rule, flawed, fixed, check }) => {
  test(`speaks of ${flawed.kernel ?? flawed.words}`, async () => {
    const { findings, trace } = await runOf(flawed);
    const finding = findingOf(findings, rule, flawed.kernel);
    expect(finding, JSON.stringify(findings.map(({ title }) => title))).toBeDefined();
    check?.(finding!, trace);
  });

  test.each(fixed)('is silent in $words', async (run) => {
    const { findings, kernels } = await runOf(run);
    // Silent because nothing is wrong, not because it is not looked at.
    if (run.kernel !== undefined) expect(kernels).toContain(run.kernel);
    expect(findingOf(findings, rule, run.kernel)).toBeUndefined();
  });
});

test('tensor instructions, which a header has, belong to the line that calls them', async () => {
  const { trace } = await runOf(products('tensor', 'tensor'));
  const lines = trace.query(
    `SELECT DISTINCT i.line FROM SIMSIGHT_INSTRUCTIONS i JOIN StringIds o ON o.id = i.opcodeId WHERE o.value GLOB 'HMMA*'`,
  );
  const { text } = trace.sources()[0]!;
  expect(lines.length).toBeGreaterThan(0);
  for (const [line] of lines) expect(text.split('\n')[Number(line) - 1]).toContain('mma_sync(');
});

test('every rule is among these', () => {
  expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual(rules.map(({ id }) => id).sort());
});

test('counters are those of the trace; places, units and labs are there', async () => {
  let compared = 0;
  for (const { flawed } of cases) {
    const { findings, trace } = await runOf(flawed);
    for (const finding of findings) {
      expect(finding.evidence.length).toBeGreaterThan(0);
      expect(finding.places.length).toBeGreaterThan(0);
      if (finding.lab !== null) expect(labs.map(({ id }) => id)).toContain(finding.lab);
      if (finding.gain) {
        expect(finding.gain.ns).toBeGreaterThan(0);
        expect(finding.gain.ns).toBeLessThanOrEqual(trace.info.durationNs);
      }
      for (const { name, value } of finding.evidence) {
        expect(Number.isFinite(value), `${finding.rule}: ${name}`).toBe(true);
        const counted = trace.query(
          'SELECT m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE m.kernel = ? AND s.value = ?',
          kernelRow(finding),
          name,
        )[0]?.[0];
        if (counted === undefined) continue;
        expect(value, `${finding.rule}: ${name}`).toBe(counted);
        compared++;
      }
      for (const place of finding.places) {
        if (place.kind !== 'line') continue;
        const source = trace.sources().find(({ path }) => path === place.file);
        expect(source?.text.split('\n')[place.line - 1], `${finding.rule}: ${place.file}:${place.line}`).toBeTruthy();
      }
    }
  }
  expect(compared).toBeGreaterThan(100);
});

/** Flawed and fixed kernels that do the same. */
const pairs: [rule: string, flawed: Run, fixed: Run][] = [
  ['uncoalesced-access', memory(memoryFlaws, 'column'), memory(memoryFixes, 'row')],
  ['low-sector-use', memory(memoryFlaws, 'gather'), memory(memoryFixes, 'gatherRows')],
  ['misaligned-access', memory('gatherOffset aligned', 'gatherOffset'), memory(memoryFixes, 'gatherRows')],
  // After the same kernel each: what is in L2 then, and in part to be written back, decides as much.
  ['aos-layout', memory('row structures', 'structures'), memory('row arrays', 'arrays')],
  ['bank-conflicts', memory(memoryFlaws, 'turned'), memory(memoryFixes, 'turnedPadded')],
  ['cache-carve-out', memory(binsFlaws, 'table'), memory(binsFixes, 'table')],
  ['atomic-contention', memory(binsFlaws, 'binsGlobal'), memory(binsFixes, 'binsShared')],
  ['low-l2-hit-rate', streams('again', 'passes'), streams('parts', 'passes')],
  ['low-occupancy', latency(latencyFlaws, 'chase'), latency(latencyFixes, 'chase')],
  ['missed-vector-loads', latency(latencyFlaws, 'copyWords'), latency(latencyFixes, 'copyVectors')],
  ['missed-async-copy', latency(latencyFlaws, 'staged'), latency(latencyFixes, 'pipelined')],
  ['divergence', latency(latencyFlaws, 'divergent'), latency(latencyFixes, 'uniform')],
];
const timeOf = async (run: Run): Promise<number> =>
  number(
    (await runOf(run)).trace,
    'SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE shortName = (SELECT id FROM StringIds WHERE value = ?)',
    run.kernel!,
  );

test.each(pairs)('%s: the fix saves something, and no more than was said', async (rule, flawed, fixed) => {
  const saved = (await timeOf(flawed)) - (await timeOf(fixed));
  const { findings } = await runOf(flawed);
  expect(saved).toBeGreaterThan(0);
  expect(findingOf(findings, rule, flawed.kernel)!.gain!.ns).toBeGreaterThanOrEqual(saved);
});

test('findings come in the order of stages, and in each with the most to gain first', async () => {
  for (const { flawed } of cases) {
    const { findings } = await runOf(flawed);
    const stages = findings.map(({ stage }) => adviceStages.indexOf(stage));
    expect(stages).toEqual([...stages].sort((a, b) => a - b));
    for (const [i, { stage, gain }] of findings.entries()) {
      const next = findings[i + 1];
      if (next?.stage === stage) expect(gain?.ns ?? 0).toBeGreaterThanOrEqual(next.gain?.ns ?? 0);
    }
  }
});
