/**
 * Machine blocks as the flat arrays that the simulation runs over: opcodes become pipes and latencies, names of registers
 * small numbers.
 */
import { flag, memoryKind, pipe } from './types.ts';
import { warpStates } from '../../model/warp-states.ts';
import { parametersOf } from './parameters.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import { numberedAccess } from '../../model/warp-stream.ts';
import { linesOfSpill, clockOpcode, neverExecuted } from '../../isa/machine.ts';
import type { MachineBlock, MachineInstruction } from '../../model/machine.ts';
import type { CoreParameters } from './parameters.ts';
import type { SmProgram } from './types.ts';
import type { WarpState } from '../../model/warp-states.ts';

/** How one opcode behaves on one GPU; cycles. */
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
        // What comes from elsewhere, or from the last time around a loop.
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

const wideLatency = (opcode: string, [at64, at128]: readonly [number, number]): number =>
  opcode.includes('128') ? at128 : opcode.includes('64') ? at64 : 0;

function behaviourOf({ opcode, kind }: MachineInstruction, p: CoreParameters): Behaviour {
  const fixed = (name: keyof typeof pipe, interval: number, latency: number, flags = 0): Behaviour => ({
    pipe: pipe[name],
    interval,
    latency,
    reason: 'wait',
    memory: memoryKind.none,
    passes: 0,
    flags,
  });
  const queued = (
    name: keyof typeof pipe,
    memory: keyof typeof memoryKind,
    latency: number,
    interval = p.passInterval,
  ): Behaviour => ({
    ...fixed(name, interval, latency),
    reason: name === 'lg' ? 'long_scoreboard' : 'short_scoreboard',
    memory: memoryKind[memory],
    // Four lanes of 128 bits, eight of 64, fill the 32 banks.
    passes: opcode.includes('128') ? 4 : opcode.includes('64') ? 2 : 1,
  });
  const special = (interval: number): Behaviour => ({
    ...fixed('xu', interval, p.specialLatency),
    reason: 'short_scoreboard',
  });

  /** MATCH.ANY takes one value of its lanes after the other. */
  const matchBehaviour = (): Behaviour => {
    const isWide = opcode.endsWith('.U64');
    const values = opcode === 'MATCH.ANY.MASK' ? p.masks : opcode.startsWith('MATCH.ANY') ? p.matchedValues : 1;
    const latency = isWide ? p.wideMatchLatency : p.matchLatency;
    const further = (values - 1) * (isWide ? p.wideMatchValueLatency : p.matchValueLatency);
    const interval = p.matchInterval * (isWide ? 2 : 1) * values;
    return queued('mio', 'pass', Math.round(latency + further), Math.round(interval));
  };

  if (kind === 'sync')
    return {
      ...queued('mio', 'sync', p.syncLatency, p.syncInterval),
      reason: opcode.includes('PHASECHK') ? 'long_scoreboard' : 'short_scoreboard',
    };
  if (kind === 'bulk') return bulkBehaviour(opcode, (memory, flags) => ({ ...queued('mio', memory, 0), flags }));
  if (opcode === 'LDGDEPBAR') return fixed('mio', p.controlInterval, 0, flag.asyncCommit);
  const groups = /^DEPBAR\.LE\.(\d+)$/.exec(opcode);
  if (groups !== null) return { ...fixed('control', p.controlInterval, 0, flag.asyncWait), passes: Number(groups[1]) };
  const sleeps = /^NANOSLEEP\.(\d+)$/.exec(opcode);
  if (sleeps !== null) {
    const cycles = Math.ceil(Number(sleeps[1]) * p.cyclesPerNanosecond);
    return { ...fixed('control', p.controlInterval, cycles, flag.sleep), reason: 'sleeping' };
  }
  const inTurn = /^WARPSYNC\.COLLECTIVE\.(\w+)$/.exec(opcode)?.[1];
  if (inTurn !== undefined) {
    const each = inTurn === 'VOTE' ? p.voteOfGroupCycles : p.matchOfGroupCycles;
    const cycles = p.masks < 2 ? 1 : Math.round(p.masks * each);
    return { ...fixed('control', p.controlInterval, cycles, flag.sleep), reason: 'branch_resolving' };
  }
  if (opcode === neverExecuted) return fixed('control', p.controlInterval, 0);
  if (opcode === clockOpcode) return fixed('alu', p.aluInterval, p.clockLatency, flag.clock);
  if (/^U[A-Z]/.test(opcode)) return fixed('uniform', p.uniformInterval, p.uniformLatency);
  if (/^(I|F|D|H)?SETP|^HSETP2|^PLOP3/.test(opcode)) {
    return kind === 'fp64'
      ? { ...fixed('fp64', p.fp64Interval, p.fp64Latency + p.predicateLatency - p.aluLatency) }
      : fixed('alu', p.aluInterval, p.predicateLatency);
  }
  if (/^(S2U?R|R2UR)/.test(opcode)) return queued('mio', 'pass', p.shuffleLatency, p.shuffleInterval);
  if (/^(POPC|FLO|BREV|MUFU)/.test(opcode)) return special(p.specialInterval);
  if (/^(FSEL|FMNMX|I2FP)/.test(opcode)) return fixed('alu', p.aluInterval, p.aluLatency);

  switch (kind) {
    case 'fp32':
      return fixed('fma', p.fmaInterval, p.aluLatency);
    case 'imad':
      return fixed(p.fmaHalves ? 'imad' : 'fma', p.imadInterval, p.aluLatency);
    case 'fp64':
      return {
        ...fixed('fp64', p.fp64Interval, p.fp64Latency),
        // GPUs without FP64 units of their own in each sub-partition have no fixed latency.
        reason: p.fp64Interval > 8 ? 'short_scoreboard' : 'wait',
      };
    case 'fp16':
      return fixed('fp16', p.fp16Interval, p.fp16Latency);
    case 'int':
    case 'vote':
      if (opcode.startsWith('REDUX')) return queued('mio', 'pass', p.reduxLatency, p.matchInterval);
      return opcode.startsWith('MATCH') ? matchBehaviour() : fixed('alu', p.aluInterval, p.aluLatency);
    case 'conversion':
      return special(p.conversionInterval);
    case 'special':
      return special(p.specialInterval);
    case 'tensor':
      return fixed('tensor', p.tensorInterval, p.tensorLatency);
    case 'shuffle':
      return queued('mio', 'pass', p.shuffleLatency, p.shuffleInterval);
    case 'load-constant':
      return { ...queued('mio', 'constant', p.constantLatency, p.constantInterval), passes: 1 };
    case 'load-shared':
      return queued('mio', 'shared', p.sharedLatency + wideLatency(opcode, p.sharedWideLatency));
    case 'store-shared':
      return queued('mio', 'shared', p.sharedLatency);
    case 'atomic-shared':
      return queued('mio', 'sharedAtomic', p.sharedAtomicLatency);
    case 'load-global':
    case 'load-local':
      return {
        ...queued('lg', 'globalLoad', p.l1Latency + wideLatency(opcode, p.globalWideLatency)),
        flags: opcode.startsWith('LDGSTS') ? flag.asyncCopy : 0,
      };
    case 'store-global':
      return queued('lg', 'globalStore', p.l1Latency);
    case 'store-local':
      return queued('lg', 'localStore', p.l1Latency);
    case 'atomic-global':
      return queued('lg', 'globalAtomic', Math.round(p.atomicLatency));
    case 'barrier':
      if (opcode === 'MEMBAR.CTA') return fixed('control', p.controlInterval, 0);
      if (opcode === 'CCTL.IVALL') return fixed('control', p.controlInterval, 0, flag.forgetL1);
      if (/^MEMBAR/.test(opcode)) return fixed('control', p.controlInterval, 0, flag.membar);
      if (/^BAR\.(ARV|SYNC\.COUNT)/.test(opcode)) return fixed('control', p.controlInterval, 0, flag.numbered);
      if (/^WARPSYNC/.test(opcode)) return fixed('control', p.controlInterval, 0);
      return fixed('control', p.controlInterval, 0, flag.barrier);
    case 'texture':
      return {
        ...fixed('tex', 1, opcode.startsWith('TLD') ? p.texturePlainLatency : p.textureLatency),
        reason: 'long_scoreboard',
        memory: memoryKind.texture,
      };
    case 'branch':
      return fixed(
        'control',
        p.controlInterval,
        0,
        /^(CALL|RET|BRA\.DIV)/.test(opcode) ? flag.jump : /^(BSSY|BSYNC)/.test(opcode) ? 0 : flag.branch,
      );
  }
}

function bulkBehaviour(
  opcode: string,
  of: (memory: 'bulkLoad' | 'bulkStore' | 'bulkCommit' | 'bulkWait', flags: number) => Behaviour,
): Behaviour {
  const groups = /^DEPBAR\.LE\.SB0\.(\d+)$/.exec(opcode)?.[1];
  if (groups !== undefined) return { ...of('bulkWait', flag.bulkWait), passes: Number(groups) };
  if (opcode === 'UTMACMDFLUSH') return of('bulkCommit', 0);
  return of(opcode === 'UBLKCP.G.S' ? 'bulkStore' : 'bulkLoad', flag.bulk);
}
