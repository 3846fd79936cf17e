/**
 * Speed of the simulation of an SM: `node build/run.mjs ./test/bench/sm.ts [--json FILE] [--only NAME]`. Warp instructions per
 * second of processor time on one core, medians over repeated runs after a first one; then the programs of the H200
 * reference (minutes): the longest that one of their kernels takes, executed on all cores and simulated on a sample.
 * `--only`: one of the three, or `reference`.
 */
import { writeFileSync } from 'node:fs';
import { gpuById } from '../../engine/gpus/index.ts';
import { assemble } from '../../engine/sm/core/program.ts';
import { simulateSm } from '../../engine/sm/core/sm.ts';
import { timelineBytes } from '../../engine/sm/simulate.ts';
import { TimelineWriter } from '../../engine/model/warp-timeline.ts';
import { suites, type Suite } from '../fidelity/programs.ts';
import { timeReference, type TimedKernel } from './reference.ts';
import { block, lines, machineBlock, repeat, shared, stream } from '../unit/sm/programs.ts';
import type { MachineBlock } from '../../engine/model/machine.ts';
import { median } from './median.ts';

interface Case {
  name: string;
  blocks: MachineBlock[];
  residentBlocks: number;
  warpsPerBlock: number;
  threadBlocks: number;
  warp: (block: number, warp: number) => Uint32Array;
}

const h200 = gpuById('h200');
/** An SM's share of 132. */
const memory = { l2BytesPerCycle: 32.2, dramBytesPerCycle: 16.8, l2HitShare: 0 };
const times = <T>(count: number, make: (i: number) => T[]): T[] =>
  Array.from({ length: count }, (_, i) => make(i)).flat();

const cases: Case[] = [
  {
    name: 'ffma_iadd',
    blocks: [
      machineBlock(
        ...repeat(64, (i) => (i % 3 === 2 ? `n${i % 4} = IADD3 n${i % 4} a` : `f${i % 5} = FFMA f${i % 5} a b`)),
        'BRA p',
      ),
    ],
    residentBlocks: 8,
    warpsPerBlock: 8,
    threadBlocks: 32,
    warp: () => stream(times(100, () => block(0))),
  },
  {
    // A tile of 16 in k: each thread makes 4 by 4 results from two vectors of four a step.
    name: 'tiled_gemm',
    blocks: [
      machineBlock(
        '#0 ga = LDG.128 pa',
        '#1 gb = LDG.128 pb',
        'pa = IADD3 pa',
        'pb = IADD3 pb',
        'BAR.SYNC',
        '#2 STS.128 sa ga',
        '#3 STS.128 sb gb',
        'BAR.SYNC',
        ...times(16, (k) => [
          `#${4 + 2 * k} a${k} = LDS.128 sa`,
          `#${5 + 2 * k} b${k} = LDS.128 sb`,
          ...repeat(16, (i) => `c${i} = FFMA a${k} b${k} c${i}`),
        ]),
        'p = ISETP pa',
        'BRA p',
      ),
      machineBlock(...repeat(4, (i) => `#${i} STG.128 pc c${4 * i}`), 'EXIT'),
    ],
    residentBlocks: 4,
    warpsPerBlock: 8,
    threadBlocks: 16,
    warp: (b, w) =>
      stream(
        times(24, (k) => [
          ...block(0),
          ...lines(0, b * 4096 + w * 128 + k * 4, 4, 1),
          ...lines(1, 100_000 + w * 128 + k * 4, 4, 1),
          ...shared(2, 4, 1),
          ...shared(3, 4, 1),
          ...times(16, (i) => [...shared(4 + 2 * i, 1), ...shared(5 + 2 * i, 2)]),
        ]),
        block(1),
        times(4, (i) => lines(i, 200_000 + (b * 8 + w) * 16 + 4 * i, 4, 2, 1)),
      ),
  },
  {
    name: 'dram_stream',
    blocks: [
      machineBlock(
        '#0 x = LDG.128 p',
        '#1 y = LDG.128 q',
        'p = IADD3 p',
        'q = IADD3 q',
        ...repeat(4, (i) => `z${i} = FFMA x y a`),
        '#2 STG.128 r z0 z1 z2 z3',
        'r = IADD3 r',
        'c = ISETP p',
        'BRA c',
      ),
    ],
    residentBlocks: 8,
    warpsPerBlock: 8,
    threadBlocks: 24,
    warp: (b, w) =>
      stream(
        times(64, (k) => {
          const line = ((b * 8 + w) * 64 + k) * 4;
          return [
            ...block(0),
            ...lines(0, line, 4, 2),
            ...lines(1, 1e6 + line, 4, 2),
            ...lines(2, 2e6 + line, 4, 2, 1),
          ];
        }),
      ),
  },
];

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at > 0 ? process.argv[at + 1] : undefined;
};

const rates: Record<string, number> = {};
for (const { name, blocks, residentBlocks, warpsPerBlock, threadBlocks, warp } of cases) {
  if (option('--only') !== undefined && option('--only') !== name) continue;
  const program = assemble(blocks, h200);
  const streams = Array.from({ length: threadBlocks }, (_, b) =>
    Array.from({ length: warpsPerBlock }, (_, w) => warp(b, w)),
  );
  const once = () => {
    let next = 0;
    const nextBlock = () => streams[next++] ?? null;
    // As recordings ask for it.
    const sink = new TimelineWriter(timelineBytes).sink;
    const memoryOfSm = { l1Bytes: 128 * 1024, memory };
    return simulateSm({ program, residentBlocks, warpsPerBlock, ...memoryOfSm, nextBlock, perInstruction: true, sink });
  };
  const { instructions, cycles } = once();
  const seconds: number[] = [];
  for (const begin = performance.now(); seconds.length < 7 || performance.now() - begin < 2000;) {
    const before = process.cpuUsage();
    once();
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
  }
  rates[name] = instructions / median(seconds);
  console.log(
    `${name.padEnd(12)} ${(rates[name] / 1e6).toFixed(2).padStart(6)} M warp instructions/s  ` +
      `${instructions} in ${cycles} cycles, ${(instructions / cycles).toFixed(2)} per cycle`,
  );
}
const overall = median(Object.values(rates));
console.log(`median ${(overall / 1e6).toFixed(2)} M/s`);
const slowest: TimedKernel[] = [];
for (const suite of Object.keys(suites) as Suite[]) {
  if (!['reference', undefined].includes(option('--only'))) break;
  const kernels = (await timeReference(suite)).sort((a, b) => b.seconds - a.seconds);
  slowest.push(...kernels.slice(0, 3));
  for (const { kernel, blocks, seconds } of kernels.slice(0, 3))
    console.log(`${suite.padEnd(18)} ${seconds.toFixed(2).padStart(6)} s  ${kernel}, ${blocks} blocks`);
}
const file = option('--json');
if (file !== undefined) {
  const flat = {
    warp_instructions_per_second_per_core: overall,
    slowest_reference_kernel_seconds: Math.max(...slowest.map(({ seconds }) => seconds)),
    ...Object.fromEntries(Object.entries(rates).map(([name, rate]) => [`warp_instructions_per_second_${name}`, rate])),
  };
  writeFileSync(file, `${JSON.stringify(flat, null, 2)}\n`);
}
