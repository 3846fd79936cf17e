/**
 * A kernel's machine code and its warps as the simulation of an SM takes them: instructions in the order of ptxas, loops that
 * it unrolls, arms of branches that it executes under a predicate.
 */
import type { GpuDescription } from '../gpus/types.ts';
import type { MachineBlock, MachineInstruction } from '../isa/machine.ts';
import { schedule } from '../isa/schedule.ts';
import type { WarpStream } from '../warp/trace.ts';
import { assemble } from './core/program.ts';
import type { SmProgram } from './core/types.ts';

export interface KernelProgram {
  program: SmProgram;
  /** A warp's stream, as traced, for this program. */
  prepare: (stream: WarpStream) => WarpStream;
}

/** Parts, 0 to 1, of the sectors that reach L2 and go on to DRAM. */
export interface MissShares {
  loads: number;
  stores: number;
}

/** `sites`: how many memory instructions the kernel has. */
export function kernelProgram(
  blocks: readonly MachineBlock[],
  sites: number,
  misses: MissShares,
  gpu: GpuDescription,
): KernelProgram {
  const groups = groupsOf(blocks);
  const all = blocks.map((block, i) => {
    const members = groups.get(i);
    const instructions =
      members === undefined ? block.instructions : members.flatMap((each) => blocks[each]!.instructions);
    return { ...block, instructions: schedule(instructions) };
  });
  const copied = new Map<number, number>();
  blocks.forEach((block, i) => {
    if (block.unrolled <= 1 || groups.has(i)) return;
    copied.set(i, all.length);
    all.push({ ...block, instructions: schedule(copies(block, sites)) });
  });
  return {
    program: assemble(all, gpu),
    prepare: (stream) => prepareStream(stream, { blocks, groups, copied, sites, misses }),
  };
}

/** Blocks that are one on hardware, by the first: with its arms, what follows them, the arms of that, and so on. */
function groupsOf(blocks: readonly MachineBlock[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  const firstOf = blocks.map((_, i) => i);
  blocks.forEach(({ predicatedBy, follows }, i) => {
    const before = predicatedBy ?? follows;
    if (before === null || before >= i) return;
    const first = firstOf[before]!;
    firstOf[i] = first;
    groups.set(first, [...(groups.get(first) ?? [first]), i]);
  });
  return groups;
}

/** The copies of a loop's block one after the other; accesses of copy `i` have the numbers from `i * sites` on. */
function copies({ instructions, unrolled }: MachineBlock, sites: number): MachineInstruction[] {
  const written = new Set<string>();
  /** What goes on from one time around to the next keeps its register. */
  const carried = new Set<string>();
  for (const { reads, writes } of instructions) {
    for (const name of reads) if (!written.has(name)) carried.add(name);
    for (const name of writes) written.add(name);
  }
  return Array.from({ length: unrolled }, (_, copy) => {
    const rename = (name: string): string =>
      copy === unrolled - 1 || carried.has(name) || !written.has(name) ? name : `${name}#${copy}`;
    return instructions
      .filter(({ every }) => Math.floor((copy + 1) / every) > Math.floor(copy / every))
      .map((instruction) => ({
        ...instruction,
        reads: instruction.reads.map(rename),
        writes: instruction.writes.map(rename),
        access: instruction.access === null ? null : instruction.access + copy * sites,
      }));
  }).flat();
}

interface Step {
  block: number;
  mask: number;
  /** Positions of its access tokens in the stream. */
  accesses: number[];
}

const accessOf = (token: number): number => (token >>> 8) & 0xffff;

interface Preparation {
  blocks: readonly MachineBlock[];
  groups: ReadonlyMap<number, number[]>;
  copied: ReadonlyMap<number, number>;
  sites: number;
  misses: MissShares;
}

/** Bits of a line's word that say where it is: 1 in L2, 2 in DRAM. */
const inL2 = 1 << 29;
const inDram = 2 << 29;

/** Lines scattered over 0 to 1. */
function scattered(line: number): number {
  let x = Math.imul(line ^ (line >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
}

function prepareStream(stream: WarpStream, { blocks, groups, copied, sites, misses }: Preparation): WarpStream {
  const steps: Step[] = [];
  for (let i = 0; i < stream.length;) {
    const token = stream[i]!;
    if (token >>> 30 === 0) {
      steps.push({ block: token, mask: stream[i + 1]!, accesses: [] });
      i += 2;
    } else {
      steps.at(-1)?.accesses.push(i);
      i += token >>> 30 === 1 ? 1 + (token & 0xff) : 1;
    }
  }
  const out: number[] = [];
  const putAccesses = ({ accesses }: Step, offset: number): void => {
    accesses.sort((a, b) => accessOf(stream[a]!) - accessOf(stream[b]!));
    for (const at of accesses) {
      const token = stream[at]!;
      out.push((token + (offset << 8)) >>> 0);
      if (token >>> 30 !== 1) continue;
      const share = ((token >>> 24) & 3) === 1 ? misses.stores : misses.loads;
      for (let k = 1; k <= (token & 0xff); k++) {
        const word = stream[at + k]!;
        out.push((word | (scattered(word & 0x1ff_ffff) < share ? inDram : inL2)) >>> 0);
      }
    }
  };
  const put = (step: Step): void => {
    out.push(step.block, step.mask);
    putAccesses(step, 0);
  };
  for (let i = 0; i < steps.length;) {
    const step = steps[i]!;
    const copy = copied.get(step.block);
    if (copy !== undefined) {
      const { unrolled } = blocks[step.block]!;
      let run = 1;
      while (run < unrolled && steps[i + run]?.block === step.block && steps[i + run]!.mask === step.mask) run++;
      if (run === unrolled) {
        out.push(copy, step.mask);
        for (let k = 0; k < run; k++) putAccesses(steps[i + k]!, k * sites);
        i += run;
        continue;
      }
    }
    i++;
    const [, ...members] = groups.get(step.block) ?? [];
    if (members.length === 0) {
      put(step);
      continue;
    }
    const accesses = [...step.accesses];
    for (const member of members) if (steps[i]?.block === member) accesses.push(...steps[i++]!.accesses);
    put({ ...step, accesses });
  }
  return Uint32Array.from(out);
}
