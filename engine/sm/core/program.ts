/**
 * Machine blocks as the flat arrays that the simulation runs over: opcodes become pipes and latencies, names of registers
 * small numbers.
 */
import { flag, memoryKind, pipe } from './types.ts';
import { warpStates } from '../../model/warp-states.ts';
import { parametersOf } from './parameters.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import { numberedAccess } from '../../model/warp-stream.ts';
import { countOf, rowOf, wordsMoved, type OpcodeRow } from '../../model/opcodes.ts';
import { linesOfSpill } from '../../isa/machine.ts';
import type { MachineBlock, MachineInstruction } from '../../model/machine.ts';
import type { CoreParameters } from './parameters.ts';
import type { SmProgram } from './types.ts';
import type { WarpState } from '../../model/warp-states.ts';

/** Behaviour of one opcode on one GPU; cycles. */
interface Behaviour {
  pipe: number;
  interval: number;
  latency: number;
  reason: WarpState;
  memory: number;
  passes: number;
  flags: number;
}

/** `overrides` replace single figures of the GPU, for studies of one mechanism. */
export function assemble(
  blocks: readonly MachineBlock[],
  gpu: GpuDescription,
  overrides: Partial<CoreParameters> = {},
): SmProgram {
  const parameters = { ...parametersOf(gpu), ...overrides };
  const instructions = blocks.flatMap((block) => block.instructions);
  const count = instructions.length;
  const blockStart = new Int32Array(blocks.length + 1);
  blocks.forEach((block, i) => (blockStart[i + 1] = blockStart[i]! + block.instructions.length));

  const behaviours = instructions.map((instruction) => behaviourOf(instruction, parameters));
  const registers = numberRegisters(blocks);
  const needs: number[] = [];
  const makes: number[] = [];
  const needsStart = new Int32Array(count + 1);
  const makesStart = new Int32Array(count + 1);
  /** Registers that some instruction of variable latency makes: another one that makes them waits for it. */
  const late = new Set<string>();
  instructions.forEach(({ writes }, i) => {
    if (behaviours[i]!.reason !== 'wait') for (const name of writes) late.add(name);
  });
  const definitions = new Map<string, number>();
  for (const { writes } of instructions) {
    for (const name of writes) definitions.set(name, (definitions.get(name) ?? 0) + 1);
  }
  blocks.forEach((block, b) => {
    block.instructions.forEach((instruction, k) => {
      const { reads, writes } = instruction;
      const waits = new Set(reads.filter((name) => definitions.has(name)));
      for (const name of writes) {
        const overwrites = registers.isShared(name) || definitions.get(name)! > 1;
        if (late.has(name) && overwrites && registers.of(name) >= 0) waits.add(name);
      }
      for (const name of waits) needs.push(registers.of(name));
      for (const name of new Set(writes)) if (registers.of(name) >= 0) makes.push(registers.of(name));
      const i = blockStart[b]! + k;
      needsStart[i + 1] = needs.length;
      makesStart[i + 1] = makes.length;
    });
  });

  const spills = placesOfSpills(instructions);
  return {
    parameters,
    opcodes: instructions.map(({ opcode }) => opcode),
    blockStart,
    pipe: Uint8Array.from(behaviours, (behaviour) => behaviour.pipe),
    interval: Uint16Array.from(behaviours, (behaviour) => behaviour.interval),
    latency: Int32Array.from(behaviours, (behaviour) => behaviour.latency),
    reason: Uint8Array.from(behaviours, (behaviour) => warpStates.indexOf(behaviour.reason)),
    memory: Uint8Array.from(behaviours, (behaviour) => behaviour.memory),
    addresses: Uint8Array.from(behaviours, ({ memory }) =>
      memory === memoryKind.none || memory === memoryKind.pass || memory === memoryKind.constant ? 0 : 1,
    ),
    passes: Uint8Array.from(behaviours, (behaviour) => behaviour.passes),
    access: Int32Array.from(instructions, (instruction, i) =>
      (behaviours[i]!.flags & flag.numbered) !== 0 ? numberedAccess : (instruction.access ?? -1),
    ),
    ...spills,
    flags: Uint16Array.from(behaviours, (behaviour) => behaviour.flags),
    needsStart,
    needs: Int32Array.from(needs),
    makesStart,
    makes: Int32Array.from(makes),
    registers: registers.count,
  };
}

/** Spilled values one after the other; a word of all lanes is a line, since local memory is interleaved by threads. */
function placesOfSpills(
  instructions: readonly MachineInstruction[],
): Pick<SmProgram, 'spill' | 'spillLines' | 'spillFrame'> {
  const places = new Map<string, number>();
  let spillFrame = 0;
  const spill = Int32Array.from(instructions, (instruction) => {
    const lines = linesOfSpill(instruction);
    if (lines === 0) return -1;
    const name = instruction.memory ?? '';
    const place = places.get(name) ?? spillFrame;
    if (!places.has(name)) {
      places.set(name, place);
      spillFrame += lines;
    }
    return place;
  });
  const spillLines = Uint8Array.from(instructions, linesOfSpill);
  return { spill, spillLines, spillFrame };
}

/**
 * Values that live within one block share numbers with those of other blocks, so that a warp's registers stay few and in
 * the cache; -1 for values that nobody reads.
 */
function numberRegisters(blocks: readonly MachineBlock[]): {
  count: number;
  of: (name: string) => number;
  isShared: (name: string) => boolean;
} {
  const home = new Map<string, number>();
  const shared = new Set<string>();
  const read = new Set<string>();
  const written = new Set<string>();
  blocks.forEach((block, b) => {
    const writtenHere = new Set<string>();
    for (const { reads, writes } of block.instructions) {
      for (const name of reads) {
        read.add(name);
        // Values from another block, or from the previous iteration of a loop.
        if (!writtenHere.has(name) || home.get(name) !== b) shared.add(name);
      }
      for (const name of writes) {
        writtenHere.add(name);
        written.add(name);
        if ((home.get(name) ?? b) !== b) shared.add(name);
        home.set(name, b);
      }
    }
  });
  const numbers = new Map<string, number>();
  for (const name of shared) if (written.has(name)) numbers.set(name, numbers.size);
  const first = numbers.size;
  let count = first;
  for (const block of blocks) {
    let next = first;
    for (const { writes } of block.instructions) {
      for (const name of writes) if (read.has(name) && !numbers.has(name)) numbers.set(name, next++);
    }
    count = Math.max(count, next);
  }
  return { count, of: (name) => numbers.get(name) ?? -1, isShared: (name) => shared.has(name) };
}

/** True for waits for copies, whose {@link countOf} is the number of groups that may remain pending. */
const isCounted = ({ effect }: OpcodeRow): boolean => effect === 'asyncWait' || effect === 'bulkWait';

function behaviourOf(instruction: MachineInstruction, p: CoreParameters): Behaviour {
  const row = rowOf(instruction);
  return {
    // The FMA pipe of some GPUs has one half, which multiplies integers too.
    pipe: pipe[row.pipe === 'imad' && !p.fmaHalves ? 'fma' : row.pipe],
    interval: intervalOf(row, p),
    latency: latencyOf(instruction, row, p),
    // GPUs without FP64 units of their own in each sub-partition have no fixed latency.
    reason: row.pipe === 'fp64' && row.file === 'R' && p.fp64Interval > 8 ? 'short_scoreboard' : row.stall,
    memory: memoryKind[row.request],
    passes: isCounted(row) ? countOf(instruction) : passesOf(instruction, row),
    flags: row.effect === null ? 0 : flag[row.effect],
  };
}

/** Registers of 32 bits that a lane's access can have. */
const widths = [1, 2, 4];

/** Four lanes of 128 bits, eight of 64, fill the 32 banks. */
function passesOf(instruction: MachineInstruction, { memory }: OpcodeRow): number {
  const words = wordsMoved(instruction);
  return memory === null ? 0 : widths.includes(words) ? words : 1;
}

function intervalOf({ interval, intervals, each }: OpcodeRow, p: CoreParameters): number {
  const cycles = p[interval] * intervals;
  return each === null ? cycles : Math.round(cycles * p[each.of]);
}

function latencyOf(instruction: MachineInstruction, row: OpcodeRow, p: CoreParameters): number {
  const { latency, wide, each, turns, file, request } = row;
  if (turns !== null) return p.masks < 2 ? 1 : Math.round(p.masks * p[turns]);
  if (row.effect === 'sleep') return Math.ceil(countOf(instruction) * p.cyclesPerNanosecond);
  if (latency === null) return 0;
  if (file === 'P') return p[latency] + p.predicateLatency - p.aluLatency;
  if (each !== null) return Math.round(p[latency] + (p[each.of] - 1) * p[each.latency]);
  const further = wide === null ? 0 : (p[wide][widths.indexOf(wordsMoved(instruction)) - 1] ?? 0);
  return request === 'globalAtomic' ? Math.round(p[latency]) : p[latency] + further;
}
