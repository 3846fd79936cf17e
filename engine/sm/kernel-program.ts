/**
 * A kernel's machine code and its warps as the simulation of an SM takes them: instructions in the order of ptxas, loops that
 * it unrolls, arms of branches that it executes under a predicate.
 */
import { laneCount, warpSize, wavefrontBytes } from '../model/geometry.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { copiesOf, type CopiedInstruction } from '../isa/copies.ts';
import type { MachineBlock } from '../model/machine.ts';
import { schedule } from '../isa/schedule.ts';
import {
  accessKind,
  type AccessKind,
  accessOf,
  bankPasses,
  countOf,
  globalToken,
  hintOf,
  isElsewhere,
  kindOf,
  lengthOf,
  lineHint,
  lineOf,
  lineWord,
  mostAccesses,
  passesFrom,
  onePass,
  type Passes,
  passesOf,
  scattered,
  sectorsOf,
  sharedToken,
  syncToken,
  tagPasses,
  tokenType,
  typeOf,
  waitAccess,
  withHint,
  type WarpStream,
} from '../model/warp-stream.ts';
import type { KernelMachine } from '../model/execution.ts';
import type { Compaction } from './coalescing.ts';
import type { CoreParameters } from './core/parameters.ts';
import { assemble } from './core/program.ts';
import type { SmProgram } from './core/types.ts';
import type { Regrouping } from './regrouping.ts';

export interface KernelProgram {
  program: SmProgram;
  /** A warp's stream, as traced, for this program. */
  prepare: (stream: WarpStream) => WarpStream;
  /** Index of the machine instruction of the kernel, all blocks in a row, that each instruction of the program is or copies. */
  origins: Int32Array;
}

/** Parts, 0 to 1, of the sectors that reach L2 and go on to DRAM. */
export interface MissShares {
  loads: number;
  stores: number;
  /** The part of the loads' sectors that the other half of L2 has. */
  across: number;
  /**
   * Lines are where the traced warps found them. For kernels that measure parts of themselves, if all their warps were
   * traced; others take lines by share, since what L2 replaces first is not known well enough to say which it lost.
   */
  traced: boolean;
}

/** Changes to what a kernel does, to see what a limit costs. */
export interface Changes {
  parameters?: Partial<CoreParameters>;
  regrouping?: Regrouping;
  compaction?: Compaction;
  /** Shared memory without conflicts of banks. */
  freeOfConflicts?: boolean;
  /** Bytes of each lane, by access, where that matters. */
  sizes?: Int32Array;
}

export function kernelProgram(
  machine: KernelMachine,
  misses: MissShares,
  gpu: GpuDescription,
  { parameters, regrouping, ...changes }: Changes = {},
): KernelProgram {
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
  const copied = new Map<number, Copies[]>();
  blocks.forEach((block, i) => {
    if (groups.has(i)) return;
    for (const count of block.copies.filter((count) => count * sites <= mostAccesses)) {
      copied.set(i, [...(copied.get(i) ?? []), { count, block: all.length }]);
      all.push({ ...block, instructions: schedule(copiesOf(block, count, sites), block.window, block.pressure) });
    }
  });
  const numbers = new Map(blocks.flatMap(({ instructions }) => instructions).map((one, i) => [one, i]));
  const originOf = (instruction: CopiedInstruction): number => numbers.get(instruction.copied ?? instruction)!;
  return {
    program: assemble(all, gpu, parameters),
    origins: Int32Array.from(
      all.flatMap(({ instructions }) => instructions),
      originOf,
    ),
    prepare: (stream) =>
      prepareStream(regrouping?.regroup(stream) ?? stream, { groups, copied, sites, leads, misses, changes }),
  };
}

/**
 * Index, for each block, of the first of the blocks that are one with it on hardware: its arms, the blocks that follow them, the arms of
 * those, and so on.
 */
export function firstBlocks(blocks: readonly MachineBlock[]): number[] {
  const firstOf = blocks.map((_, i) => i);
  blocks.forEach(({ predicatedBy, follows }, i) => {
    const before = predicatedBy ?? follows;
    if (before !== null && before < i) firstOf[i] = firstOf[before]!;
  });
  return firstOf;
}

/** Blocks that are one on hardware, by the first. */
function groupsOf(blocks: readonly MachineBlock[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  firstBlocks(blocks).forEach((first, i) => {
    if (first !== i) groups.set(first, [...(groups.get(first) ?? [first]), i]);
  });
  return groups;
}

/** A loop's block so many times in a row, and where in the program that is. */
interface Copies {
  count: number;
  block: number;
}

/** The begin or the end of a loop that polls, whose place in the stream stands for a mask. */
const noBlock = -1;

interface Step {
  block: number;
  mask: number;
  /** Positions of its access tokens in the stream. */
  accesses: number[];
}

/** Most lines or wavefronts in a token. */
const mostCount = 255;

/** True for accesses whose lanes may be given another layout. */
const isLaidOut = (kind: AccessKind): boolean =>
  kind === accessKind.load || kind === accessKind.loadPastL1 || kind === accessKind.store;

/** Lines that one instruction accesses by several tokens at `positions`. */
function linesOf(stream: WarpStream, positions: readonly number[]): WarpStream | number[] {
  const words = (at: number): WarpStream => stream.subarray(at + 1, at + 1 + countOf(stream[at]!));
  if (positions.length === 1) return words(positions[0]!);
  const lines = new Map<number, number>();
  for (const at of positions)
    for (const word of words(at)) {
      const hint = isElsewhere(hintOf(word)) ? hintOf(word) : lineHint.unknown;
      const sectors = sectorsOf(lines.get(lineOf(word)) ?? 0) | sectorsOf(word);
      lines.set(lineOf(word), lineWord(lineOf(word), sectors, hint));
    }
  return [...lines.values()].slice(0, mostCount);
}

const neededPasses = (bytes: number): number => Math.max(1, Math.ceil(bytes / wavefrontBytes));

/** Passes of the instruction: where it takes several tokens, as many as one of them takes, and as what they want together. */
function passesOfAll(stream: WarpStream, positions: readonly number[]): Passes {
  if (positions.length === 1) return passesOf(stream, positions[0]!);
  const all = positions.map((at) => passesOf(stream, at));
  const banks = Math.max(positions.length, ...all.map(bankPasses));
  return passesFrom(banks, Math.max(...all.map(tagPasses)));
}

/** First access, for each access, of those that one instruction makes. */
function leadsOf({ blocks, sites }: KernelMachine): Int32Array {
  const leads = Int32Array.from({ length: sites }, (_, i) => i);
  for (const { instructions } of blocks)
    for (const { access, accesses } of instructions) if (access !== null) leads.fill(access, access, access + accesses);
  return leads;
}

interface Preparation {
  groups: ReadonlyMap<number, number[]>;
  copied: ReadonlyMap<number, Copies[]>;
  sites: number;
  leads: Int32Array;
  misses: MissShares;
  changes: Omit<Changes, 'parameters' | 'regrouping'>;
}

function prepareStream(stream: WarpStream, { groups, copied, sites, leads, misses, changes }: Preparation): WarpStream {
  const { compaction, freeOfConflicts = false, sizes } = changes;
  compaction?.begin();
  /** Lanes of an access, by its position. */
  const lanesAt = sizes === undefined ? null : new Map<number, number>();
  const steps: Step[] = [];
  for (let i = 0; i < stream.length; i += lengthOf(stream[i]!)) {
    if (typeOf(stream[i]!) === tokenType.block) steps.push({ block: stream[i]!, mask: stream[i + 1]!, accesses: [] });
    else if (accessOf(stream[i]!) === waitAccess) steps.push({ block: noBlock, mask: i, accesses: [] });
    else {
      const step = steps.at(-1);
      step?.accesses.push(i);
      if (step && step.block !== noBlock) lanesAt?.set(i, laneCount(step.mask));
    }
  }
  /** Bytes that the lanes of one instruction want. */
  const bytesOf = (positions: readonly number[]): number =>
    (lanesAt?.get(positions[0]!) ?? warpSize) *
    positions.reduce((sum, at) => sum + (sizes?.[accessOf(stream[at]!)] ?? 0), 0);
  const out: number[] = [];
  const lineOut = (word: number, kind: AccessKind, salt: number): number => {
    if (isElsewhere(hintOf(word)) || (misses.traced && hintOf(word) !== lineHint.unknown)) return word;
    const stores = kind === accessKind.store || kind === accessKind.bulkStore || kind === accessKind.surfaceStore;
    const place = scattered(lineOf(word) + salt) / 2 ** 32 - (stores ? misses.stores : misses.loads);
    if (place < 0) return withHint(word, lineHint.inDram);
    return withHint(word, !stores && place < misses.across ? lineHint.inOtherHalf : lineHint.inL2);
  };
  /** Number of times that each access was made. */
  const times = new Map<number, number>();
  const putAccesses = ({ accesses }: Step, offset: number): void => {
    accesses.sort((a, b) => accessOf(stream[a]!) - accessOf(stream[b]!));
    for (let i = 0; i < accesses.length;) {
      const from = i;
      const first = stream[accesses[from]!]!;
      const kind = kindOf(first) as AccessKind;
      const leadOf = (at: number): number => leads[accessOf(stream[at]!)] ?? accessOf(stream[at]!);
      const lead = leadOf(accesses[from]!);
      while (i < accesses.length && leadOf(accesses[i]!) === lead) i++;
      const together = accesses.slice(from, i);
      if (kind >= accessKind.texture || together.some((at) => typeOf(stream[at]!) === tokenType.sync)) {
        putSync(together, lead + offset);
        continue;
      }
      if (typeOf(first) === tokenType.shared) {
        const wavefronts = together.reduce((sum, at) => sum + countOf(stream[at]!), 0);
        const needed =
          freeOfConflicts && kind !== accessKind.atomic
            ? Math.max(together.length, neededPasses(bytesOf(together)))
            : mostCount;
        out.push(sharedToken(kind, lead + offset, Math.min(mostCount, needed, wavefronts)));
        continue;
      }
      const asked = linesOf(stream, together);
      const words = isLaidOut(kind) && compaction ? compaction.lines(asked, kind, bytesOf(together)) : asked;
      const time = times.get(lead) ?? 0;
      times.set(lead, time + 1);
      // Other lines miss each time: one that missed is there when it is asked for again.
      const salt = scattered(time);
      const passes = words === asked ? passesOfAll(stream, together) : onePass * neededPasses(bytesOf(together));
      out.push(globalToken(kind, lead + offset, words.length, passes));
      for (let k = 0; k < words.length; k++) out.push(lineOut(words[k]!, kind, salt));
      if (passes !== onePass) out.push(passes);
    }
  };
  /** Copies tokens of barriers, lines of bulk copies, lines and cycles of textures as they are. */
  const putSync = (positions: readonly number[], access: number): void => {
    for (const at of positions) {
      const token = stream[at]!;
      const words = stream.subarray(at + 1, at + lengthOf(token));
      if (typeOf(token) === tokenType.sync) out.push(syncToken(kindOf(token), access), ...words);
      if (typeOf(token) === tokenType.shared)
        out.push(sharedToken(kindOf(token) as AccessKind, access, countOf(token)));
      if (typeOf(token) !== tokenType.global) continue;
      const time = times.get(access) ?? 0;
      times.set(access, time + 1);
      const kind = kindOf(token) as AccessKind;
      const passes = passesOf(stream, at);
      out.push(globalToken(kind, access, countOf(token), passes));
      for (const word of words.subarray(0, countOf(token))) out.push(lineOut(word, kind, scattered(time)));
      if (passes !== onePass) out.push(passes);
    }
  };
  const put = (step: Step): void => {
    if (step.block === noBlock) {
      out.push(...stream.subarray(step.mask, step.mask + lengthOf(stream[step.mask]!)));
      return;
    }
    out.push(step.block, step.mask);
    putAccesses(step, 0);
  };
  for (let i = 0; i < steps.length;) {
    const step = steps[i]!;
    const levels = copied.get(step.block);
    if (levels !== undefined) {
      let run = 1;
      while (run < levels[0]!.count && steps[i + run]?.block === step.block && steps[i + run]!.mask === step.mask)
        run++;
      const most = levels.find(({ count }) => count <= run);
      if (most !== undefined) {
        out.push(most.block, step.mask);
        for (let k = 0; k < most.count; k++) putAccesses(steps[i + k]!, k * sites);
        i += most.count;
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
