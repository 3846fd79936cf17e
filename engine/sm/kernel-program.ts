/**
 * A kernel's machine code and its warps as the simulation of an SM takes them: instructions in the order of ptxas, loops that
 * it unrolls, arms of branches that it executes under a predicate.
 */
import type { GpuDescription } from '../gpus/types.ts';
import type { MachineBlock, MachineInstruction } from '../isa/machine.ts';
import { schedule } from '../isa/schedule.ts';
import {
  accessKind,
  type AccessKind,
  accessOf,
  countOf,
  globalToken,
  kindOf,
  lengthOf,
  lineHint,
  lineOf,
  lineWord,
  scattered,
  sectorsOf,
  sharedToken,
  tokenType,
  typeOf,
  withHint,
  type WarpStream,
} from '../warp/stream.ts';
import type { KernelMachine } from '../warp/types.ts';
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

export function kernelProgram(machine: KernelMachine, misses: MissShares, gpu: GpuDescription): KernelProgram {
  const { blocks, sites } = machine;
  const leads = leadsOf(machine);
  const groups = groupsOf(blocks);
  const all = blocks.map((block, i) => {
    const members = groups.get(i);
    if (members === undefined) return block;
    return {
      ...block,
      instructions: schedule(
        members.flatMap((each) => blocks[each]!.instructions),
        block.window,
      ),
    };
  });
  const copied = new Map<number, number>();
  blocks.forEach((block, i) => {
    if (block.unrolled <= 1 || groups.has(i)) return;
    copied.set(i, all.length);
    all.push({ ...block, instructions: schedule(copies(block, sites), block.window) });
  });
  return {
    program: assemble(all, gpu),
    prepare: (stream) => prepareStream(stream, { blocks, groups, copied, sites, leads, misses }),
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

/** Stores to more lines than these are not merged. */
const mergedLines = 4;

function addSectors(lines: Map<number, number>, word: number): void {
  const line = lineOf(word);
  lines.set(line, (lines.get(line) ?? 0) | sectorsOf(word));
}

/** For each access the first of those that one instruction makes. */
function leadsOf({ blocks, sites }: KernelMachine): Int32Array {
  const leads = Int32Array.from({ length: sites }, (_, i) => i);
  for (const { instructions } of blocks)
    for (const { access, accesses } of instructions) if (access !== null) leads.fill(access, access, access + accesses);
  return leads;
}

interface Preparation {
  blocks: readonly MachineBlock[];
  groups: ReadonlyMap<number, number[]>;
  copied: ReadonlyMap<number, number>;
  sites: number;
  leads: Int32Array;
  misses: MissShares;
}

function prepareStream(stream: WarpStream, { blocks, groups, copied, sites, leads, misses }: Preparation): WarpStream {
  const steps: Step[] = [];
  for (let i = 0; i < stream.length; i += lengthOf(stream[i]!)) {
    if (typeOf(stream[i]!) === tokenType.block) steps.push({ block: stream[i]!, mask: stream[i + 1]!, accesses: [] });
    else steps.at(-1)?.accesses.push(i);
  }
  const out: number[] = [];
  const lineOut = (word: number, share: number): number =>
    withHint(word, scattered(lineOf(word)) < share * 2 ** 32 ? lineHint.inDram : lineHint.inL2);
  /** Lines of the warp's last store: what it stores there next goes along, as in runtime.c. */
  let stored = new Map<number, number>();
  const merged = (lines: Map<number, number>, kind: AccessKind): Map<number, number> => {
    if (kind !== accessKind.store) {
      stored = new Map();
      return lines;
    }
    if (![...lines.keys()].every((line) => stored.has(line))) {
      stored = lines.size <= mergedLines ? new Map(lines) : new Map();
      return lines;
    }
    const rest = new Map([...lines].map(([line, sectors]) => [line, sectors & ~stored.get(line)!]));
    for (const [line, sectors] of lines) stored.set(line, stored.get(line)! | sectors);
    return rest;
  };
  const putAccesses = ({ accesses }: Step, offset: number): void => {
    accesses.sort((a, b) => accessOf(stream[a]!) - accessOf(stream[b]!));
    for (let i = 0; i < accesses.length;) {
      const first = stream[accesses[i]!]!;
      const lead = leads[accessOf(first)]!;
      const kind = kindOf(first) as AccessKind;
      const share = kind === accessKind.store ? misses.stores : misses.loads;
      let wavefronts = 0;
      const lines = new Map<number, number>();
      for (; i < accesses.length && leads[accessOf(stream[accesses[i]!]!)] === lead; i++) {
        const at = accesses[i]!;
        const count = countOf(stream[at]!);
        if (typeOf(first) === tokenType.shared) wavefronts += count;
        else for (const word of stream.subarray(at + 1, at + 1 + count)) addSectors(lines, word);
      }
      if (typeOf(first) === tokenType.shared) out.push(sharedToken(kind, lead + offset, Math.min(255, wavefronts)));
      else {
        out.push(globalToken(kind, lead + offset, Math.min(255, lines.size)));
        for (const [line, sectors] of [...merged(lines, kind)].slice(0, 255))
          out.push(lineOut(lineWord(line, sectors), share));
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
