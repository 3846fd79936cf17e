/**
 * Instruction selection: LLVM IR of one kernel to what ptxas would emit for it (sm_80 and later), block by block. Values are
 * selected when something that stays needs them, so that what folds into addresses and operands costs nothing.
 *
 *   addresses   IMAD.WIDE per 32-bit index, LEA and LEA.HI.X per 64-bit one; constants fold into [R+imm]; an address that
 *               differs from one at hand by one product is made of that; products with a loop's counter are stepped
 *   widths      64-bit integers that hold 32-bit ones (counters that Clang widened) are 32-bit ones; others take two
 *   folding     FFMA/DFMA/IMAD for mul + add, LEA for shl + add, IADD3 for three, LOP3 for three, predicates into ISETP
 *   branches    short arms are predicated; others take BRA, and BSSY and BSYNC where lanes may go both ways
 *   constants   each parameter and launch dimension used is loaded once (ULDC, LDC); constant memory by ULDC where all lanes have one
 *               address that was not loaded itself, 8 bytes at most, by LDC otherwise
 */
import type { Flow, FlowBlock, Loop } from '../ir/analysis/flow.ts';
import { contains, dominatorSets, loopsOf } from '../ir/analysis/flow.ts';
import { oneForAll, type OneForAll } from '../ir/analysis/one-for-all.ts';
import type { Uniformity } from '../ir/analysis/uniformity.ts';
import type { Pointers, Space } from '../ir/addresses.ts';
import { parameterSpace } from '../ir/addresses.ts';
import { isArrival, isBarrier, isCountedBarrier } from '../ir/prepare.ts';
import type { Instruction, Type, Value } from '../ir/ir.ts';
import { leavesOf, nounroll, sizeOf, terminatorOf } from '../ir/ir.ts';
import type { InstructionClass } from '../model/execution.ts';
import { findIntrinsic } from '../warp/widen/intrinsics.ts';
import { callRow, usualOpcodes } from './calls.ts';
import type { Contraction } from '../ir/contraction.ts';
import { contractions } from '../ir/contraction.ts';
import { keyOf, LinearForms, plus, type Linear } from './linear.ts';
import type { MachineInstruction } from '../model/machine.ts';
import { coded, opcodes, rowOf, type Opcode, type OpcodeRow, type Spelled } from '../model/opcodes.ts';
import { spreadOverPipes } from './pipes.ts';
import { scheduleWithin, type ScheduledCode } from './registers.ts';

export interface SelectedFrom {
  flow: Flow;
  uniformity: Uniformity;
  pointers: Pointers;
}

/** Arms up to this many instructions are executed under a predicate. */
const predicatedLength = 7;
const widestRead = 16;
const widestUniformRead = 8;
/** Chains of values longer than this are selected in pieces. */
const deepestDemand = 300;
const pieceOfChain = 100;
/** Of pointers that are advanced again and again, so many make one address. */
const mostAdvances = 8;
const foldingOps = new Set(['mul', 'fmul', 'shl', 'and', 'or', 'xor', 'icmp', 'fcmp', 'sext', 'zext', 'getelementptr']);
/**
 * Loops that count by a constant are copied twice over (SASS of loops by length, CUDA 13): up to 56 instructions of LLVM
 * four times, up to 90 twice, by nvcc's optimizer; what then is up to 33 instructions of SASS four times, by ptxas, if it counts in
 * 32 bits.
 */
const optimizerCopies = [
  { copies: 4, longest: 56 },
  { copies: 2, longest: 90 },
];
/** Loops that run a known number of times, up to so many instructions of LLVM in all, are copied so often. */
const longestWhole = 1024;
const assemblerCopies = 4;
const longestCopied = 33;
/** Around loops that optimizer and assembler have copied. */
const aroundCopies = {
  optimizer: ['LOP3', 'IADD', 'LEA', 'ISETP', 'LOP3', 'MOV', 'BRA', 'SHF', 'IMAD', 'IMAD', 'LEA', 'LEA', 'BSYNC'],
  before: ['IADD', 'ISETP', 'BRA', 'BSSY'],
  behind: ['BSYNC', 'IADD', 'BSSY', 'ISETP', 'BRA', 'BSYNC', 'ISETP', 'BRA'],
} as const satisfies Record<string, readonly Opcode[]>;
/** What adds a constant to a counter. */
const addsConstants: ReadonlySet<Opcode> = new Set(['IADD', 'IADD3', 'MOV']);

interface Definition {
  instruction: Instruction;
  block: FlowBlock;
  order: number;
}

type Local = Value & { kind: 'local' };

/** How the address of an element of an element of a pointer is made. */
interface Element {
  base: Value;
  /** Bytes of an element. */
  scale: number;
  own: readonly Local[];
  /** What its own indices are added to, if that is used without them as well. */
  after: Element | null;
  /** Names of all indices, in alphabetical order. */
  key: string;
}
/** The registers of a number of 64 bits. */
interface Pair {
  name: string;
  lower: string[];
  upper: string[];
}
const pairOf = (name: string): Pair => ({ name, lower: [`${name}'1`], upper: [name] });

interface Place {
  block: number;
  order: number;
  source: Instruction | null;
}

/** `limit`: registers per thread that it may have. */
export function selectInstructions(kernel: SelectedFrom, limit?: number): ScheduledCode {
  return new Selection(kernel).run(limit);
}

const scalar = (type: Type): Type => (type.kind === 'vector' ? type.element : type);
const lanes = (type: Type): number => (type.kind === 'vector' ? type.count : 1);
const isInt = (type: Type, bits: number): boolean => type.kind === 'int' && type.bits === bits;
const isPredicate = (type: Type): boolean => isInt(type, 1);
const isHalf = (type: Type): boolean => type.kind === 'half' || type.kind === 'bfloat';
/** One does two halves, or one of anything else. */
const instructionsFor = (type: Type): number => (isHalf(scalar(type)) ? Math.ceil(lanes(type) / 2) : lanes(type));

/** Names that stand for a value: one for two halves of a vector, for any other scalar, and for the fields of structs. */
function partsOf(type: Type): number {
  if (type.kind === 'struct') return type.fields.reduce((sum, field) => sum + partsOf(field), 0);
  if (type.kind === 'array') return type.count * partsOf(type.element);
  return type.kind === 'void' ? 0 : instructionsFor(type);
}
/** The part that an element or field begins in. */
function partAt(type: Type, index: number): number {
  if (type.kind === 'struct') return type.fields.slice(0, index).reduce((sum, field) => sum + partsOf(field), 0);
  if (type.kind === 'array') return index * partsOf(type.element);
  return isHalf(scalar(type)) ? index >> 1 : index;
}

const floatOpcode = <Name extends 'ADD' | 'MUL' | 'FMA' | 'SETP'>(
  type: Type,
  name: Name,
): `D${Name}` | `H${Name}2` | `F${Name}` =>
  type.kind === 'double' ? `D${name}` : isHalf(type) ? `H${name}2` : `F${name}`;

const upperHalf = /^__nv_u?mulhi$/;

const aliasOps = new Set(['bitcast', 'freeze', 'addrspacecast', 'inttoptr', 'ptrtoint', 'trunc', 'fneg']);

class Selection {
  private readonly flow: Flow;
  private readonly uniformity: Uniformity;
  private readonly pointers: Pointers;
  private readonly definitions = new Map<string, Definition>();
  private readonly blockOf = new Map<Instruction, number>();
  /** Instructions that use a value, once per operand. */
  private readonly users = new Map<string, Instruction[]>();
  private readonly contracted: Map<Instruction, Contraction>;
  private readonly linear: LinearForms;
  private readonly narrow: Set<string>;
  private readonly dominators: bigint[];
  private readonly blocks: MachineInstruction[][];
  private readonly predicatedBy: (number | null)[];
  private readonly copies: number[][];
  /** The block whose condition guards an arm: for arms within arms the inner one, while `predicatedBy` is the outer one. */
  private readonly guardOf: (number | null)[];
  /** Of blocks that guard others. */
  private readonly conditions = new Map<number, string[]>();
  /** Names of the registers of values that have been selected; several for vectors and structs. */
  private readonly selected = new Map<string, string[]>();
  private readonly addresses: { block: number; register: string; form: Linear }[] = [];
  private readonly loaded = new Set<string>();
  private readonly phis: { instruction: Instruction; name: string }[] = [];
  /** Divisors whose reciprocals a block has, see division. */
  private readonly reciprocals = new Set<string>();
  private readonly merged = new Map<string, string>();
  /** Phis that are stepped by what does not change in their loop, and the steps of those that are stepped by a constant. */
  private readonly counters = new Set<string>();
  private readonly steps = new Map<string, number>();
  private readonly joins = new Set<number>();
  private readonly joined = new Map<string, string>();
  /** Addresses that are made of other ones, by name. */
  private readonly elements = new Map<string, Element>();
  /** By {@link Element.key}: the pointers that have an element there. */
  private readonly basesOf = new Map<string, Set<string>>();
  /** Registers of which such addresses are made. */
  private readonly parts = new Set<string>();
  /** Of what indices are added to, and is scaled: the block of each. */
  private readonly sums = new Map<string, number>();
  private depth = 0;
  private readonly widths = new Map<string, number>();

  constructor(kernel: SelectedFrom) {
    this.flow = kernel.flow;
    this.uniformity = kernel.uniformity;
    this.pointers = kernel.pointers;
    const { blocks } = this.flow;
    for (const block of blocks) {
      block.block.instructions.forEach((instruction, order) => {
        this.blockOf.set(instruction, block.index);
        if (instruction.name !== null) this.definitions.set(instruction.name, { instruction, block, order });
        for (const operand of instruction.operands) {
          if (operand.kind !== 'local') continue;
          const users = this.users.get(operand.name);
          if (users === undefined) this.users.set(operand.name, [instruction]);
          else users.push(instruction);
        }
      });
    }
    this.contracted = contractions(blocks.map(({ block }) => block));
    this.linear = new LinearForms((value) => this.definition(value)?.instruction);
    this.narrow = this.findNarrow();
    this.dominators = dominatorSets(this.flow);
    this.blocks = blocks.map(() => []);
    this.predicatedBy = blocks.map(() => null);
    this.guardOf = blocks.map(() => null);
    this.copies = blocks.map(() => []);
    this.findCounters();
    this.findElements();
  }

  run(limit: number | undefined): ScheduledCode {
    this.emit(place(0, -2), 'LDC', [], ['stack']);
    for (const block of this.flow.blocks) {
      let access = 0;
      block.block.instructions.forEach((instruction, order) => {
        const at = { block: block.index, order, source: instruction };
        if (instruction.op === 'load' || instruction.op === 'store' || /^(atomicrmw|cmpxchg)$/.test(instruction.op))
          this.memory(instruction, at, access++);
        else if (instruction.op === 'call') {
          const memory = findIntrinsic(instruction.callee)?.memory;
          if (memory !== undefined || this.stays(instruction)) this.call(instruction, at, memory ? access : null);
          access += memory?.times ?? 0;
        } else if (instruction.op === 'fence') this.emit(at, 'MEMBAR', [], []);
      });
    }
    for (const block of this.flow.blocks) this.condition(block);
    // Each may ask for more.
    for (const { instruction, name } of this.phis) this.meet(instruction, name);
    for (const block of [...this.flow.blocks].reverse()) this.predicate(block);
    for (const block of this.flow.blocks) this.branch(block);
    for (const block of this.flow.blocks) this.unroll(block);
    this.beforeCopies();
    this.blocks.forEach(spreadOverPipes);
    const guardsOf = (i: number): string[] => this.conditions.get(this.guardOf[i] ?? -1) ?? [];
    const blocks = this.blocks.map((instructions, i) => ({
      instructions: instructions
        .sort((a, b) => a.order - b.order)
        .map((instruction) => ({
          ...instruction,
          reads: [...new Set([...instruction.reads, ...guardsOf(i)].map(this.registerOf))],
          writes: [...new Set(instruction.writes.map(this.registerOf))],
        })),
      copies: this.copies[i]!,
      predicatedBy: this.predicatedBy[i] ?? null,
      follows: this.followed(i),
      window: 1,
      pressure: null,
    }));
    const words = new Map<string, number>();
    for (const [name, count] of this.widths) {
      const register = this.registerOf(name);
      words.set(register, Math.max(count, words.get(register) ?? 0));
    }
    return scheduleWithin(this.flow, blocks, words, limit);
  }

  /** Values that a phi joins share its register. */
  private readonly registerOf = (name: string): string => {
    let register = name;
    for (let next = this.joined.get(register); next !== undefined; next = this.joined.get(register)) register = next;
    return register;
  };
  private join(a: string, b: string): void {
    const [from, to] = [this.registerOf(a), this.registerOf(b)];
    if (from !== to) this.joined.set(from, to);
  }

  // ---- what is known beforehand ----

  private definition(value: Value): Definition | undefined {
    return value.kind === 'local' ? this.definitions.get(value.name) : undefined;
  }

  private usersOf(name: string): readonly Instruction[] {
    return this.users.get(name) ?? [];
  }

  /** 64-bit integers whose value fits 32 bits: extended ones, and what is computed of those; counters are taken to fit. */
  private findNarrow(): Set<string> {
    const narrow = new Set<string>();
    for (const [name, { instruction }] of this.definitions) {
      const wide = isInt(instruction.type, 64);
      if (wide && /^(sext|zext|add|sub|mul|or|and|shl|lshr|ashr|phi|select|xor|urem|call)$/.test(instruction.op))
        narrow.add(name);
    }
    const fits = (value: Value): boolean => {
      if (value.kind === 'int') return value.value >= -(2n ** 31n) && value.value < 2n ** 32n;
      return value.kind === 'zero' || value.kind === 'undef' || (value.kind === 'local' && narrow.has(value.name));
    };
    /** A product of two whole 32-bit numbers was written as one of 64 bits; one with a counter became that. */
    const counts = (value: Value): boolean => {
      if (value.kind === 'int') return true;
      const instruction = this.definition(value)?.instruction;
      if (instruction === undefined) return false;
      return (
        instruction.op === 'phi' ||
        (/^(add|or|sub)$/.test(instruction.op) &&
          instruction.operands.some((operand) => operand.kind === 'local' && counts(operand)))
      );
    };
    const keeps = ({ op, operands, callee }: Instruction): boolean => {
      const [left, right] = operands;
      switch (op) {
        case 'sext':
        case 'zext':
          return true;
        case 'and':
        case 'urem':
          return operands.some((operand) =>
            operand.kind === 'int' ? operand.value >= 0n && operand.value < 2n ** 32n : fits(operand),
          );
        case 'call':
          return /^llvm\.[us]m(in|ax)/.test(callee) && operands.every(fits);
        case 'select':
          return operands.slice(1).every(fits);
        case 'shl':
          return fits(left!) && counts(left!) && right?.kind === 'int' && right.value < 8n;
        case 'mul':
          return operands.every(fits) && operands.some(counts);
        default:
          return operands.every(fits);
      }
    };
    /** A product of itself, a time around a loop ago, does not stay small. */
    const grows = (name: string): boolean => {
      const { instruction, block } = this.definitions.get(name)!;
      if (block.loop === null || !/^(mul|shl)$/.test(instruction.op)) return false;
      const seen = new Set<string>();
      const open = [instruction];
      for (let each = open.pop(); each !== undefined; each = open.pop())
        for (const operand of each.operands) {
          if (operand.kind !== 'local' || !narrow.has(operand.name) || seen.has(operand.name)) continue;
          seen.add(operand.name);
          open.push(this.definitions.get(operand.name)!.instruction);
        }
      return seen.has(name);
    };
    for (let before = -1; before !== narrow.size;) {
      before = narrow.size;
      for (const name of narrow)
        if (!keeps(this.definitions.get(name)!.instruction) || grows(name)) narrow.delete(name);
    }
    return narrow;
  }

  /** Elements of pointers that are themselves elements, of the same size; not one step after another of the same length. */
  private findElements(): void {
    const linkOf = (value: Value): { base: Value; index: Local; scale: number } | null => {
      const instruction = this.definition(value)?.instruction;
      if (instruction?.op !== 'getelementptr' || instruction.operands.length !== 2) return null;
      const [base, index] = instruction.operands;
      const scale = sizeOf(instruction.accessType!);
      return index?.kind === 'local' && instruction.type.kind === 'ptr' && scale > 1
        ? { base: base!, index, scale }
        : null;
    };
    const elementOf = (value: Value, scale: number, advances = 1): Element | null => {
      const link = linkOf(value);
      if (link?.scale !== scale || advances > mostAdvances) return null;
      const { base, index } = link;
      const { instruction } = this.definition(value)!;
      const isLinked = base.kind === 'local' && this.isAdvanced(base, instruction) && !this.isAtHand(base, instruction);
      const before = isLinked ? elementOf(base, scale, advances + 1) : null;
      if (before === null) return { base, scale, own: [index], after: null, key: index.name };
      const isShared = base.kind === 'local' && this.usersOf(base.name).length > 1;
      return {
        ...{ base: before.base, scale, after: isShared ? before : before.after },
        own: isShared ? [index] : [...before.own, index],
        key: [...before.key.split('+'), index.name].sort().join('+'),
      };
    };
    for (const [name, { instruction }] of this.definitions) {
      const value: Value = { kind: 'local', name, type: instruction.type };
      const link = linkOf(value);
      const element = link && elementOf(value, link.scale);
      const names = element?.key.split('+') ?? [];
      if (element === null || names.length === 1 || new Set(names).size < names.length) continue;
      const { base, key } = element;
      this.elements.set(name, element);
      this.basesOf.set(
        key,
        (this.basesOf.get(key) ?? new Set()).add(base.kind === 'local' || base.kind === 'global' ? base.name : ''),
      );
    }
  }

  /**
   * Whether the source has a pointer and indexes it: it has a name then, and Clang knows that both are in bounds. Where Clang takes one
   * index apart, the pointer has none, or bounds are not known. What it moves out of a loop has a name of its own.
   */
  private isAdvanced(pointer: Local, user: Instruction): boolean {
    const made = this.definition(pointer)?.instruction;
    const [, index] = made?.operands ?? [];
    if (pointer.name.startsWith('invariant.gep')) return index?.kind === 'local' && index.name.startsWith('idx.ext');
    const areInBounds = made?.flags.includes('inbounds') === true && user.flags.includes('inbounds');
    return areInBounds && !/^\d/.test(pointer.name);
  }

  /** Whether a block accesses the pointer that it makes, and so has it in a register. */
  private isAtHand(pointer: Local, user: Instruction): boolean {
    const block = this.definition(pointer)!.block.index;
    const isAccessed = (each: Instruction): boolean =>
      /^(load|store|atomicrmw)$/.test(each.op) ||
      ((each.op === 'addrspacecast' || (each.op === 'getelementptr' && each.operands[1]?.kind === 'int')) &&
        this.usersOf(each.name!).some(isAccessed));
    return (
      this.blockOf.get(user) === block &&
      this.usersOf(pointer.name).some((each) => this.blockOf.get(each) === block && isAccessed(each))
    );
  }

  private dominates(a: number, b: number): boolean {
    return ((this.dominators[b]! >> BigInt(a)) & 1n) === 1n;
  }

  /** Phis of loop heads that count; of those that count alike, one does. */
  private findCounters(): void {
    for (const { block, index, loop } of this.flow.blocks) {
      if (loop === null || loop.head !== index) continue;
      const alike = new Map<string, { phi: string; next: string }>();
      for (const phi of block.instructions) {
        if (phi.op !== 'phi') break;
        if (phi.name === null || phi.type.kind !== 'int') continue;
        const inside = phi.operands.filter((_, i) => contains(loop, this.flow.indexOf.get(phi.labels[i] ?? '') ?? -1));
        const outside = phi.operands.filter((operand) => !inside.includes(operand));
        const [next] = inside;
        if (next?.kind !== 'local' || inside.length !== 1) continue;
        const step = plus(this.linear.of(next), new Map([[phi.name, 1]]), -1);
        if ([...step.keys()].some((product) => product.split('*').includes(phi.name!))) continue;
        this.counters.add(phi.name);
        if (keyOf(step) === '') this.steps.set(phi.name, step.get('') ?? 0);
        const [start] = outside;
        if (outside.length !== 1 || start?.kind !== 'int' || keyOf(step) !== '') continue;
        const key = `${step.get('') ?? 0}`;
        const first = alike.get(key);
        if (first === undefined) alike.set(key, { phi: phi.name, next: next.name });
        else {
          this.merged.set(phi.name, first.phi);
          this.merged.set(next.name, first.next);
        }
      }
    }
  }

  private hasCounter(products: Iterable<string>): boolean {
    for (const product of products) if (product.split('*').some((name) => this.counters.has(name))) return true;
    return false;
  }

  /** 32-bit registers of a scalar. */
  private words(value: Value): number {
    const type = scalar(value.type);
    if (type.kind === 'ptr') return this.isShort(this.pointers.space(value)) ? 1 : 2;
    if (type.kind === 'int' && type.bits === 64) return value.kind === 'local' && !this.narrow.has(value.name) ? 2 : 1;
    if (type.kind === 'int' && type.bits > 64) return Math.ceil(type.bits / 32);
    return type.kind === 'double' ? 2 : 1;
  }
  private isShort(space: Space): boolean {
    return space === 3 || space === 4 || space === 5 || space === parameterSpace;
  }

  // ---- emission ----

  private emit(
    at: Place,
    opcode: Spelled,
    reads: string[],
    writes: string[],
    access: number | null = null,
    accesses = 1,
    memory?: string | null,
    addresses: number | null = null,
  ): void {
    const code = coded(opcode);
    const row = rowOf(code);
    const instruction = {
      ...code,
      reads,
      writes,
      addresses,
      order: at.order,
      access,
      accesses,
      memory: memory ?? memoryOf(row),
      place: at.source?.place ?? null,
      every: 1,
      leads: false,
    };
    this.blocks[at.block]!.push(instruction);
    if (row.allotted === 0) return;
    for (const name of writes) if (!this.widths.has(name)) this.widths.set(name, row.allotted);
  }
  /** `count` instructions, of which the last makes the result; each reads what the one before made. */
  private chain(at: Place, opcode: Spelled, reads: string[], name: string, count: number): void {
    let before: string[] = [];
    for (let i = 1; i <= count; i++) {
      const made = i === count ? name : `${name}'${i}`;
      this.emit(at, opcode, i === 1 ? reads : [...reads, ...before], [made]);
      before = [made];
    }
  }

  /** Where a constant's load belongs: in front of the loops around a place. */
  private beforeLoops(index: number): Place {
    let block = this.flow.blocks[index]!;
    while (block.loop !== null) {
      const { head } = block.loop;
      const outside = this.flow.blocks[head]!.predecessors.filter((from) => from < head);
      const next = outside.at(-1);
      if (next === undefined) break;
      block = this.flow.blocks[next]!;
      if (block.index === head) break;
    }
    return place(block.index, block.index === 0 ? -1 : 0);
  }
  private once(name: string, at: Place, opcode: Spelled, count = 1): string[] {
    if (!this.loaded.has(name)) {
      this.loaded.add(name);
      this.chain(this.beforeLoops(at.block), opcode, [], name, count);
    }
    return [name];
  }

  /** Where the block's shared memory begins in that of its cluster. */
  private sharedBase(at: Place): string[] {
    const name = '@shared';
    if (!this.loaded.has(name)) {
      this.loaded.add(name);
      const before = this.beforeLoops(at.block);
      this.emit(before, 'S2UR', [], [`${name}'block`]);
      this.emit(before, 'UMOV', [], [`${name}'window`]);
      this.emit(before, 'ULEA', [`${name}'block`, `${name}'window`], [name]);
    }
    return [name];
  }

  // ---- values ----

  /** The registers of a value, which is selected if it has not been; none for constants. */
  private need(value: Value, at: Place): string[] {
    switch (value.kind) {
      case 'local':
        return this.local(value, at);
      case 'global': {
        const space = this.pointers.space(value);
        if (space === 3) return this.sharedBase(at);
        if (space === 4) return [];
        return this.once(`@${value.name}`, at, 'ULDC.64');
      }
      case 'expression': {
        const first = value.operands[0];
        return first === undefined ? [] : this.need(first, at);
      }
      case 'aggregate':
        return value.elements.flatMap((element) => this.need(element, at));
      default:
        return [];
    }
  }
  private needAll(values: Value[], at: Place): string[] {
    return values.flatMap((value) => this.need(value, at));
  }

  private local(value: Local, at: Place): string[] {
    const name = this.merged.get(value.name) ?? value.name;
    const known = this.selected.get(name);
    if (known !== undefined) return known;
    const definition = this.definitions.get(name);
    if (definition === undefined)
      return this.pointers.space(value) === parameterSpace ? [] : this.once(name, at, 'ULDC');
    const { instruction, block, order } = definition;
    if (this.depth > deepestDemand) this.selectAlong(name);
    this.depth++;
    this.selected.set(name, [name]);
    if (!isPredicate(instruction.type) && lanes(instruction.type) === 1 && instruction.type.kind !== 'struct')
      this.widths.set(name, this.words(value));
    const registers = this.select(instruction, name, { block: block.index, order, source: instruction });
    this.selected.set(name, registers);
    this.depth--;
    return registers;
  }

  /** Long chains of values are selected piece by piece from their beginning: the stack is not made for thousands. */
  private selectAlong(last: string): void {
    const order: string[] = [];
    const seen = new Set([last]);
    const stack = [{ name: last, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const operand = this.definitions.get(top.name)!.instruction.operands[top.next++];
      if (operand === undefined) {
        order.push(top.name);
        stack.pop();
      } else if (operand.kind === 'local' && this.definitions.has(operand.name)) {
        const name = this.merged.get(operand.name) ?? operand.name;
        if (seen.has(name) || this.selected.has(name)) continue;
        seen.add(name);
        stack.push({ name, next: 0 });
      }
    }
    const depth = this.depth;
    this.depth = 0;
    let passed = 0;
    for (const name of order.slice(0, -1)) {
      const { instruction, block } = this.definitions.get(name)!;
      // Not what might fold into its user.
      if (++passed < pieceOfChain || foldingOps.has(instruction.op)) continue;
      passed = 0;
      this.local({ kind: 'local', name, type: instruction.type }, place(block.index, 0));
    }
    this.depth = depth;
  }

  /** The definition of an operand that only this use has, if it is one of `ops`: it may fold into its user. */
  private foldable(value: Value | undefined, ops: string, at: Place): Instruction | null {
    if (value?.kind !== 'local' || this.usersOf(value.name).length !== 1 || this.selected.has(value.name)) return null;
    const { instruction, block } = this.definitions.get(value.name) ?? {};
    // What lies outside of the loop stays there.
    if (
      instruction === undefined ||
      block?.loop !== this.flow.blocks[at.block]!.loop ||
      !ops.split(' ').includes(instruction.op) ||
      instruction.type.kind === 'vector'
    )
      return null;
    return instruction;
  }

  private select(instruction: Instruction, name: string, at: Place): string[] {
    const { op, operands, type } = instruction;
    const own: Value = { kind: 'local', name, type };
    const element = scalar(type);
    const count = instructionsFor(type);
    const words = this.words(own);
    const [left, right] = operands;
    switch (op) {
      case 'phi':
        // What comes around a loop may be under way: its registers are not known yet.
        this.phis.push({ instruction, name });
        return [name];
      case 'alloca':
        return ['stack'];
      case 'getelementptr':
        return this.pointer(own, at);
      case 'extractelement':
      case 'extractvalue': {
        const all = this.need(left!, at);
        const index = op === 'extractvalue' ? instruction.indices[0] : right?.kind === 'int' ? Number(right.value) : 0;
        return all.length > 1 ? [all[Math.min(partAt(left!.type, index ?? 0), all.length - 1)]!] : all;
      }
      case 'insertelement':
      case 'insertvalue': {
        const before = this.need(left!, at);
        const inserted = this.need(right!, at);
        const size = partsOf(type);
        const index =
          op === 'insertvalue'
            ? (instruction.indices[0] ?? 0)
            : operands[2]?.kind === 'int'
              ? Number(operands[2].value)
              : 0;
        const list = Array.from({ length: size }, (_, i) => before[before.length > 1 ? i : 0] ?? '');
        list[partAt(type, index)] = inserted[0] ?? '';
        return list;
      }
      case 'shufflevector':
        return this.needAll(operands, at);
      case 'add':
      case 'sub':
        this.sum(instruction, name, at, words, count);
        return [name];
      case 'mul': {
        const reads = this.needAll(operands, at);
        const upper = this.twin(instruction, ({ op, callee }) => op === 'call' && upperHalf.test(callee));
        if (upper !== null) {
          this.selected.set(upper, [upper]);
          this.widths.set(upper, 1);
          this.emit(at, 'IMAD.WIDE', reads, [name, upper]);
        } else if (words === 1) this.chain(at, 'IMAD', reads, name, count);
        else if (this.isProductOfNarrow(operands)) this.emit(at, 'IMAD.WIDE', reads, [name]);
        else this.chain(at, 'IMAD', reads, name, 4 * count);
        return [name];
      }
      case 'shl':
      case 'lshr':
      case 'ashr': {
        const variable = right?.kind !== 'int';
        // The halves of a pair are registers.
        if (isInt(element, 64) && !variable && right.value === 32n && op !== 'ashr') return this.need(left!, at);
        const opcode = op === 'shl' && !variable && words === 1 ? 'SHL' : 'SHF';
        this.chain(at, opcode, this.needAll(operands, at), name, (words === 2 ? (variable ? 3 : 2) : 1) * count);
        return [name];
      }
      case 'and':
      case 'or':
      case 'xor':
        return this.logic(instruction, name, at, words, count);
      case 'udiv':
      case 'sdiv':
      case 'urem':
      case 'srem':
        this.division(instruction, name, at, words, count);
        return [name];
      case 'fadd':
      case 'fsub':
      case 'fmul':
        this.float(instruction, name, at, count);
        return [name];
      case 'fdiv': {
        this.quotient(element, this.needAll(operands, at), left?.kind === 'float' && Number(left.text) === 1, name, at);
        return [name];
      }
      case 'frem':
        this.chain(at, floatOpcode(element, 'FMA'), this.needAll(operands, at), name, 20 * count);
        return [name];
      case 'fcmp':
        this.emit(at, floatOpcode(scalar(left!.type), 'SETP'), this.needAll(operands, at), [name]);
        return [name];
      case 'icmp': {
        const truth = this.truthOf(instruction);
        if (truth !== null) return this.need(truth, at);
        this.chain(
          at,
          'ISETP',
          this.needAll(operands, at),
          name,
          Math.max(this.words(left!), this.words(right!)) * count,
        );
        return [name];
      }
      case 'select':
        if (isPredicate(element)) this.emit(at, 'PLOP3', this.needAll(operands, at), [name]);
        else this.chain(at, element.kind === 'float' ? 'FSEL' : 'SEL', this.needAll(operands, at), name, words * count);
        return [name];
      case 'zext':
      case 'sext':
        return this.extend(instruction, name, at, words);
      case 'fptrunc':
      case 'fpext':
        this.chain(
          at,
          isHalf(element) || isHalf(scalar(left!.type)) ? 'F2F.F16' : 'F2F',
          this.needAll(operands, at),
          name,
          count,
        );
        return [name];
      case 'fptosi':
      case 'fptoui':
        this.chain(at, 'F2I', this.needAll(operands, at), name, count);
        return [name];
      case 'sitofp':
      case 'uitofp':
        // 32 bits to float on the ALU since Ampere: I2FP.
        if (element.kind === 'float' && this.words(left!) === 1)
          this.chain(at, 'I2FP', this.needAll(operands, at), name, count);
        else this.chain(at, 'I2F', this.needAll(operands, at), name, count);
        return [name];
      case 'call':
        // Those that access memory are emitted where they stand.
        return findIntrinsic(instruction.callee)?.memory === undefined
          ? this.call(instruction, at)
          : this.results(instruction);
      case 'load':
      case 'atomicrmw':
      case 'cmpxchg':
        return this.results(instruction);
      default:
        if (aliasOps.has(op)) return this.need(left!, at);
        return this.needAll(operands, at);
    }
  }

  /** Names for the registers of a vector or struct. */
  private results({ name, type, callee }: Instruction): string[] {
    if (name === null) return [];
    const count = partsOf(type);
    // Fragments have more elements than registers: they repeat.
    const memory = findIntrinsic(callee)?.memory;
    const loaded = memory?.kind === 'load' ? memory.times : count;
    const distinct = count > loaded && loaded > 1 ? loaded : count;
    return count > 1 ? Array.from({ length: count }, (_, i) => `${name}.${i % distinct}`) : [name];
  }

  /** The lower or upper half of the same product, in the same block: one instruction makes both. */
  private twin(instruction: Instruction, isOther: (user: Instruction) => boolean): string | null {
    const { op, callee, type, operands } = instruction;
    if (!isInt(type, 32) || !(op === 'mul' || upperHalf.test(callee))) return null;
    const textOf = (list: readonly Value[]): string =>
      list
        .slice(0, 2)
        .map((value) => (value.kind === 'local' ? value.name : value.kind === 'int' ? `${value.value}` : ''))
        .sort()
        .join();
    const [local] = operands.filter((operand) => operand.kind === 'local');
    const found = this.usersOf(local?.kind === 'local' ? local.name : '').find(
      (user) =>
        isOther(user) &&
        isInt(user.type, 32) &&
        this.blockOf.get(user) === this.blockOf.get(instruction) &&
        textOf(user.operands) === textOf(operands),
    );
    return found?.name ?? null;
  }

  private isProductOfNarrow(operands: Value[]): boolean {
    return operands.every((operand) => operand.kind === 'int' || this.words(operand) === 1);
  }

  /** Values that meet share a register, unless one of them is needed besides: that one is copied. */
  private meet(phi: Instruction, name: string): void {
    phi.operands.forEach((operand, i) => {
      if (operand.kind === 'undef') return;
      const from = this.flow.indexOf.get(phi.labels[i] ?? '') ?? 0;
      const at = place(from, widestOrder);
      const reads = this.need(operand, at);
      if (operand.kind === 'local' && !this.isCopied(phi, name, operand, from)) {
        if (reads.length === 1) this.join(reads[0]!, name);
      } else if (!isPredicate(phi.type)) {
        // A pair of zeros is one CS2R.
        this.chain(at, 'MOV', reads, name, operand.kind === 'local' ? this.words(operand) : 1);
      }
    });
  }
  /**
   * What is needed after the phi as well: by what stands behind it, or by another phi. In the head of a loop also what comes from
   * an earlier time around.
   */
  private isCopied(phi: Instruction, name: string, operand: Local, from: number): boolean {
    const { block } = this.definitions.get(name)!;
    if (block.loop?.head !== block.index)
      return this.usersOf(operand.name).some((user) => user !== phi && this.isBehind(user, operand.name, block.index));
    if (!contains(block.loop, from)) return this.usersOf(operand.name).length > 1;
    const made = this.definitions.get(operand.name);
    return made?.block === block && made.instruction.op === 'phi' && operand.name !== name;
  }
  /** Whether an instruction reads a value in a block or behind it; phis do where they are reached from. */
  private isBehind(user: Instruction, value: string, index: number): boolean {
    const at = this.blockOf.get(user)!;
    if (user.op !== 'phi') return at >= index;
    return user.operands.some(
      (operand, i) =>
        operand.kind === 'local' &&
        operand.name === value &&
        (at === index || (this.flow.indexOf.get(user.labels[i] ?? '') ?? 0) >= index),
    );
  }

  private sum(instruction: Instruction, name: string, at: Place, words: number, count: number): void {
    const [left, right] = instruction.operands;
    if (words === 2) {
      for (const [product, other] of [
        [left, right],
        [right, left],
      ] as const) {
        const folded = this.foldable(product, 'mul shl', at);
        if (folded !== null && this.isProductOfNarrow(folded.operands)) {
          this.emit(at, 'IMAD.WIDE', [...this.needAll(folded.operands, at), ...this.widened(other!, at)], [name]);
          return;
        }
      }
      this.chain(at, 'IADD3', this.needAll(instruction.operands, at), name, 2 * count);
      return;
    }
    const factors = (value: Value | undefined): Instruction | null => this.foldable(value, 'mul', at);
    const shifted = (value: Value | undefined): Instruction | null => {
      const shift = this.foldable(value, 'shl', at);
      return shift?.operands[1]?.kind === 'int' ? shift : null;
    };
    const product = factors(left) ?? factors(right);
    if (product !== null) {
      const other = product.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      this.emit(at, 'IMAD', [...this.needAll(product.operands, at), ...this.need(other!, at)], [name]);
      return;
    }
    const shift = shifted(left) ?? shifted(right);
    if (shift !== null) {
      const other = shift.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      this.emit(at, 'LEA', [...this.needAll(shift.operands, at), ...this.need(other!, at)], [name]);
      return;
    }
    // Three addends.
    const inner = this.foldable(left, 'add sub', at) ?? this.foldable(right, 'add sub', at);
    if (
      inner !== null &&
      this.words({ kind: 'local', name: inner.name!, type: inner.type }) === 1 &&
      !this.isMerged(inner)
    ) {
      const other = inner.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      const folds = inner.operands.some((operand) => this.foldable(operand, 'mul shl', at) !== null);
      if (!folds) {
        this.emit(at, 'IADD3', [...this.needAll(inner.operands, at), ...this.need(other!, at)], [name]);
        return;
      }
    }
    this.chain(at, 'IADD', this.needAll(instruction.operands, at), name, count);
  }
  /** The register pair of an addend: the upper half of a 32-bit value is made once. */
  private widened(value: Value, at: Place): string[] {
    const reads = this.need(value, at);
    if (value.kind !== 'local' || this.words(value) === 2) return reads;
    const upper = `${value.name}^`;
    if (!this.loaded.has(upper)) {
      this.loaded.add(upper);
      this.emit(at, this.definition(value)?.instruction.op === 'sext' ? 'SHF' : 'MOV', reads, [upper]);
    }
    return [...reads, upper];
  }
  private isMerged({ name }: Instruction): boolean {
    return name !== null && this.merged.has(name);
  }

  private logic(instruction: Instruction, name: string, at: Place, words: number, count: number): string[] {
    const { operands, type } = instruction;
    if (isPredicate(scalar(type))) {
      // The last comparison takes in the others.
      const comparisons = operands.some((operand) => this.foldable(operand, 'icmp fcmp', at) !== null);
      const reads = this.needAll(operands, at);
      if (!comparisons && operands.every((operand) => operand.kind === 'local')) this.emit(at, 'PLOP3', reads, [name]);
      else return reads;
      return [name];
    }
    if (instruction.op === 'or' && instruction.flags.includes('disjoint')) {
      // As an addition, which LEA and IMAD do along with a product.
      this.sum({ ...instruction, op: 'add' }, name, at, words, count);
      return [name];
    }
    const inner =
      operands
        .map((operand) => this.foldable(operand, 'and or xor', at))
        .find((folded) => folded !== null && folded !== undefined) ?? null;
    const others = operands.filter((operand) => !(operand.kind === 'local' && operand.name === inner?.name));
    const reads =
      inner !== null && !inner.flags.includes('disjoint')
        ? [...this.needAll(inner.operands, at), ...this.needAll(others, at)]
        : this.needAll(operands, at);
    this.chain(at, 'LOP3', reads, name, words * count);
    return [name];
  }

  /**
   * A reciprocal and its refinement, behind a check of the exponents with a branch to the slow way, which is hardly ever
   * taken (test/reference/h200/math.json: f_div, f_rcp, d_div, d_rcp).
   */
  private quotient(type: Type, reads: string[], reciprocal: boolean, name: string, at: Place): void {
    const isDouble = type.kind === 'double';
    this.emit(at, 'BSSY', [], []);
    this.emit(at, 'MUFU', reads, [`${name}'r`]);
    const steps = isDouble ? (reciprocal ? 5 : 8) : reciprocal ? 3 : 5;
    this.chain(at, floatOpcode(type, 'FMA'), [...reads, `${name}'r`], `${name}'q`, steps);
    if (isDouble) this.chain(at, 'FFMA', reads, `${name}'f`, reciprocal ? 1 : 3);
    if (isDouble || reciprocal) this.chain(at, 'ISETP', reads, `${name}'c`, isDouble ? 3 : 2);
    else this.emit(at, 'FCHK', reads, [`${name}'c`]);
    this.emit(at, 'BRA', [`${name}'c`], []);
    this.emit(at, 'IMAD', [`${name}'q`], [name]);
    this.emit(at, 'BSYNC', [], []);
  }

  private division(instruction: Instruction, name: string, at: Place, words: number, count: number): void {
    const [left, right] = instruction.operands;
    const rest = instruction.op.endsWith('rem') ? 1 : 0;
    const signed = instruction.op.startsWith('s');
    const reads = this.needAll([left!, right!], at);
    if (right?.kind === 'int') {
      const [multiplies, others] = words === 2 ? [6, 9] : [1 + (signed ? 1 : 0), 1 + (signed ? 1 : 0)];
      this.chain(at, 'IMAD.HI', reads, `${name}'q`, (multiplies + rest) * count);
      this.chain(at, 'SHF', [`${name}'q`, ...reads], name, others * count);
      return;
    }
    if (words === 2) {
      // The way of values that fit 32 bits.
      this.chain(at, 'ISETP', reads, `${name}'s`, 4);
      this.emit(at, 'BRA', [`${name}'s`], []);
    }
    // What depends on the divisor alone is kept for the next division by it.
    const divisor = this.needAll([right!], at);
    const reciprocal = `${divisor[0] ?? name}'${signed ? 's' : 'u'}reciprocal`;
    if (!this.reciprocals.has(`${reciprocal} ${at.block}`)) {
      this.reciprocals.add(`${reciprocal} ${at.block}`);
      if (signed) this.emit(at, 'IABS', divisor, [`${reciprocal}a`]);
      this.emit(at, 'I2F', signed ? [`${reciprocal}a`] : divisor, [`${reciprocal}f`]);
      this.emit(at, 'MUFU', [`${reciprocal}f`], [`${reciprocal}r`]);
      this.emit(at, 'IADD3', [`${reciprocal}r`], [`${reciprocal}i`]);
      this.emit(at, 'F2I', [`${reciprocal}i`], [`${reciprocal}c`]);
      this.chain(at, 'IMAD', [`${reciprocal}c`, ...divisor], reciprocal, 3);
      this.emit(at, 'ISETP', divisor, [`${reciprocal}z`]);
    }
    const extra = signed ? (rest === 1 ? 3 : 4) : 0;
    this.chain(at, 'IMAD', [reciprocal, ...reads], `${name}'m`, (3 + (extra >> 1)) * count);
    this.chain(at, 'IADD3', [`${name}'m`], name, (6 - rest + extra - (extra >> 1)) * count);
    if (words === 2) this.emit(at, 'BSYNC', [], []);
  }

  private float(instruction: Instruction, name: string, at: Place, count: number): void {
    const element = scalar(instruction.type);
    const contraction = this.contracted.get(instruction);
    const opcode = instruction.op === 'fmul' ? 'MUL' : contraction === undefined ? 'ADD' : 'FMA';
    const operands =
      contraction === undefined ? instruction.operands : [...contraction.product.operands, contraction.addend];
    const reads = operands.flatMap((operand) => [...this.need(operand, at), ...this.wideConstant(operand, at)]);
    if (count === 1) this.emit(at, floatOpcode(element, opcode), reads, [name]);
    else this.chain(at, floatOpcode(element, opcode), reads, name, count);
  }

  /** A double of which more than the upper half is not zero does not fit an instruction: UMOV for each half. */
  private wideConstant(value: Value, at: Place): string[] {
    if (value.kind !== 'float' || value.type.kind !== 'double') return [];
    const bits = new DataView(new ArrayBuffer(8));
    if (value.text.startsWith('0x')) bits.setBigUint64(0, BigInt(value.text));
    else bits.setFloat64(0, Number(value.text));
    if (bits.getUint32(4) === 0) return [];
    const inLoop = this.flow.blocks[at.block]!.loop !== null;
    const name = inLoop ? `=${value.text}` : `${at.block}.${at.order}=${value.text}`;
    if (inLoop) return this.once(name, at, 'UMOV', 2);
    this.chain(at, 'UMOV', [], name, 2);
    return [name];
  }

  private extend(instruction: Instruction, name: string, at: Place, words: number): string[] {
    const [from] = instruction.operands;
    const reads = this.need(from!, at);
    if (isPredicate(from!.type)) {
      this.emit(at, 'SEL', reads, [name]);
      return [name];
    }
    const small = from!.type.kind === 'int' && from!.type.bits < 32;
    if (small && this.definition(from!)?.instruction.op !== 'load') {
      this.emit(at, 'LOP3', reads, [name]);
      return [name];
    }
    if (words === 2) {
      this.emit(at, instruction.op === 'sext' ? 'SHF' : 'MOV', reads, [name]);
      return [name];
    }
    return reads;
  }

  // ---- addresses ----

  /** The register of a pointer that a GEP makes; constant distances from it are part of the instructions that use it. */
  private pointer(value: Local, at: Place): string[] {
    const { root, offset } = this.pointers.resolve(value);
    const isShort = this.isShort(this.pointers.space(value));
    if (root.kind !== 'local' || root.name !== value.name) {
      const base = this.need(root, at);
      if (offset === 0 || base.length === 0 || this.onlyAddresses(value.name)) return base;
      this.chain(at, 'IADD3', base, value.name, isShort ? 1 : 2);
      return [value.name];
    }
    const form = this.linear.of(value);
    const key = keyOf(form);
    const here = this.addresses.filter((other) => this.dominates(other.block, at.block));
    const same = here.find((other) => keyOf(other.form) === key);
    if (same !== undefined) return [same.register];
    const register = this.newAddress(value, form, here, isShort, at);
    this.addresses.push({ block: at.block, register, form });
    return [register];
  }

  private onlyAddresses(name: string): boolean {
    return this.usersOf(name).every(({ op, operands }) => {
      const isStored = operands[0]?.kind === 'local' && operands[0].name === name;
      return /^(load|getelementptr|atomicrmw)$/.test(op) || (op === 'store' && !isStored);
    });
  }

  private newAddress(
    value: Local,
    form: Linear,
    here: { register: string; form: Linear }[],
    isShort: boolean,
    at: Place,
  ): string {
    const { instruction } = this.definitions.get(value.name)!;
    const [base, ...indices] = instruction.operands;
    const variable = indices.filter((index) => index.kind === 'local');
    const element = isShort ? undefined : this.elements.get(value.name);
    if (element !== undefined && !element.own.some((index) => this.isStepped(index, at)))
      return this.addressOf(element, value.name, at);
    let reads = this.need(base!, at);
    // From the last address that differs by one product, unless that is where it starts from anyway.
    for (const other of here.filter(({ register }) => register !== reads[0]).reverse()) {
      const distance = [...plus(form, other.form, -1)].filter(([product]) => product !== '');
      const [first] = distance;
      if (distance.length !== 1 || first === undefined) continue;
      const [product] = first;
      const names = product.split('*');
      if (names.length !== 1 || this.counters.has(names[0]!) || names[0]!.startsWith('@')) continue;
      const symbol: Value = { kind: 'local', name: names[0]!, type: this.typeOf(names[0]!) };
      if (symbol.type.kind === 'ptr' || (!isShort && this.words(symbol) !== 1)) continue;
      if (variable.length === 1 && this.words(variable[0]!) === 1 && !this.isNewProduct(variable[0]!)) continue;
      this.emit(at, isShort ? 'IMAD' : 'IMAD.WIDE', [other.register, ...this.need(symbol, at)], [value.name]);
      return value.name;
    }
    if (isShort && reads.length === 0 && variable.length === 1 && sizeOf(instruction.accessType!) === 1) {
      // Where a variable lies is part of the instruction that accesses it.
      const [offset] = this.need(variable[0]!, at);
      if (offset !== undefined) return offset;
    }
    variable.forEach((index, i) => {
      const made = i === variable.length - 1 ? value.name : `${value.name}'${i}`;
      const narrow = this.words(index) === 1;
      const products = [...this.linear.of(index)].filter(([product]) => product.includes('*'));
      // A product with a counter of a loop: the address is stepped instead.
      if (products.length > 0 && this.hasCounter(products.map(([product]) => product))) {
        const names = products.flatMap(([product]) => product.split('*')).filter((name) => !this.counters.has(name));
        const symbols = names.map((name): Value => ({ kind: 'local', name, type: this.typeOf(name) }));
        this.emit(at, isShort ? 'IMAD' : 'IMAD.WIDE', [...reads, ...this.needAll(symbols, at)], [made]);
      } else if (isShort) this.emit(at, 'LEA', [...reads, ...this.need(this.unshifted(index), at)], [made]);
      else if (narrow) this.emit(at, 'IMAD.WIDE', [...reads, ...this.need(index, at)], [made]);
      else {
        const scaled = `${index.kind === 'local' ? index.name : ''}*${sizeOf(instruction.accessType!)}`;
        const shared = this.pointersOf(index) > 1 && sizeOf(instruction.accessType!) > 1;
        if (shared && !this.loaded.has(scaled)) {
          this.loaded.add(scaled);
          this.chain(at, 'SHF', this.need(index, at), scaled, 2);
        }
        const scale = sizeOf(instruction.accessType!);
        const odd = (scale & (scale - 1)) !== 0 && !shared;
        this.chain(
          at,
          shared ? 'IADD3' : odd ? 'IMAD.ADDRESS' : 'LEA',
          [...reads, ...(shared ? [scaled] : this.need(index, at))],
          made,
          odd ? 3 : 2,
        );
      }
      reads = [made];
    });
    return variable.length === 0 ? (reads[0] ?? value.name) : value.name;
  }

  /** The indices are added first, in 64 bits, and scaled then (SASS of sm_90: what is indexed off a pointer that was advanced). */
  private addressOf(element: Element, name: string, at: Place): string {
    let sum = this.sumOf(element, at);
    const reads = this.need(element.base, at);
    const isShared = this.basesOf.get(element.key)!.size > 1;
    if (isShared) {
      const scaled = pairOf(`${sum.name}*${element.scale}`);
      if (this.isNew(scaled.name, at)) {
        this.part(at, 'SHL', sum.lower, scaled.lower);
        this.part(at, 'SHF', [...sum.lower, ...sum.upper], scaled.upper);
      }
      sum = scaled;
    }
    const opcode = isShared ? 'IADD3' : 'LEA';
    this.part(at, opcode, [...reads, ...sum.lower], [`${name}'1`]);
    this.emit(at, opcode, [...reads, ...sum.lower, ...sum.upper, `${name}'1`], [name]);
    return name;
  }

  private part(at: Place, opcode: Opcode, reads: string[], writes: string[]): void {
    for (const name of writes) this.parts.add(name);
    this.emit(at, opcode, reads, writes);
  }

  /** Of an element's indices; of its own ones those that stay the same in the loop are added in front of it. */
  private sumOf({ own, after }: Element, at: Place): Pair {
    const { loop } = this.flow.blocks[at.block]!;
    const stays = (index: Local): boolean => {
      const block = this.definition(index)?.block.index;
      return loop === null || block === undefined || !contains(loop, block);
    };
    const staying = own.filter(stays);
    const ordered = [...staying, ...own.filter((index) => !stays(index))];
    let sum = after === null ? this.extended(ordered.shift()!, at) : this.sumOf(after, at);
    for (const index of ordered) {
      const isInvariant = after === null && staying.includes(index);
      sum = this.added(sum, index, isInvariant ? this.behind(staying, at) : at);
    }
    return sum;
  }

  /** Whether an index of 64 bits counts in the loop, so that the address is stepped. */
  private isStepped(index: Local, at: Place): boolean {
    const { loop } = this.flow.blocks[at.block]!;
    if (loop === null || this.words(index) === 1) return false;
    const names = [...this.linear.of(index).keys()].flatMap((product) => product.split('*'));
    return names.some((name) => this.counters.has(name) && this.definitions.get(name)?.block.index === loop.head);
  }

  private isUnsigned(index: Local): boolean {
    return this.definition(index)?.instruction.op === 'zext';
  }

  private extended(index: Local, at: Place): Pair {
    const { name } = index;
    const lower = this.need(index, at);
    if (this.words(index) > 1) return { name, lower, upper: lower };
    if (this.isUnsigned(index)) return { name, lower, upper: [] };
    const upper = `${name}'upper`;
    const where = this.behind([index], at);
    if (this.isNew(upper, where)) this.part(where, 'SHF', lower, [upper]);
    return { name, lower, upper: [upper] };
  }

  private added(before: Pair, index: Local, at: Place): Pair {
    const sum = pairOf(`${before.name}+${index.name}`);
    if (!this.isNew(sum.name, at)) return sum;
    const lower = this.need(index, at);
    this.part(at, 'IADD3', [...before.lower, ...lower], sum.lower);
    const upper = this.isUnsigned(index) && this.words(index) === 1 ? [] : lower;
    this.part(at, upper.length > 0 ? 'LEA' : 'IADD3', [...before.upper, ...upper, ...sum.lower], sum.upper);
    return sum;
  }

  /** Whether a part of a sum has to be made here; it is there from now on. */
  private isNew(name: string, at: Place): boolean {
    const known = this.sums.get(name);
    if (known !== undefined && this.dominates(known, at.block)) return false;
    this.sums.set(name, at.block);
    return true;
  }

  /** Where all of them are known first. */
  private behind(values: readonly Local[], at: Place): Place {
    const made = values.map((value) => this.definition(value)).filter((definition) => definition !== undefined);
    const last = made.sort((a, b) => a.block.index - b.block.index || a.order - b.order).at(-1);
    return last === undefined ? this.beforeLoops(at.block) : place(last.block.index, last.order);
  }

  /** What an index that is nothing but a shifted value is made of: LEA shifts by that, too. */
  private unshifted(index: Value): Value {
    const form = [...this.linear.of(index)];
    const [first] = form;
    if (form.length !== 1 || first === undefined || first[0] === '' || first[0].includes('*')) return index;
    const [name, scale] = first;
    const isPower = scale > 1 && (scale & (scale - 1)) === 0;
    const isKnown = index.kind === 'local' && this.selected.has(index.name);
    return isPower && !isKnown && this.definitions.has(name) ? { kind: 'local', name, type: this.typeOf(name) } : index;
  }

  /** How many addresses are made with an index. */
  private pointersOf(index: Value): number {
    if (index.kind !== 'local') return 0;
    const isIndex = ({ op, operands }: Instruction): boolean =>
      op === 'getelementptr' &&
      operands.slice(1).some((operand) => operand.kind === 'local' && operand.name === index.name);
    return new Set(this.usersOf(index.name).filter(isIndex)).size;
  }

  /** A multiplication that nothing else needs. */
  private isNewProduct(index: Value): boolean {
    const inner = this.definition(index)?.instruction;
    if (inner === undefined) return false;
    if (inner.op === 'sext' || inner.op === 'zext') return this.isNewProduct(inner.operands[0]!);
    if (inner.op === 'add' || inner.op === 'or' || inner.op === 'sub' || inner.op === 'mul')
      return !this.selected.has(inner.name ?? '');
    return false;
  }
  private typeOf(name: string): Type {
    return this.definitions.get(name)?.instruction.type ?? { kind: 'int', bits: 32 };
  }

  // ---- memory ----

  private memory(instruction: Instruction, at: Place, access: number): void {
    const { op, operands, name } = instruction;
    const pointer = operands[op === 'store' ? 1 : 0]!;
    const space = this.pointers.space(pointer);
    const { root } = this.pointers.resolve(pointer);
    const accessed = instruction.accessType ?? instruction.type;
    const constantBank = space === 4 || space === parameterSpace;
    const fixed = root.kind === 'global' || (root.kind === 'local' && space === parameterSpace);
    if (op === 'load' && constantBank && fixed && name !== null) {
      this.selected.set(name, this.once(name, at, 'ULDC'));
      return;
    }
    // The store of an LDGSTS, whose load has been counted.
    if (op === 'store' && instruction.flags.includes('async')) return;
    const value =
      op === 'store' ? this.need(operands[0]!, at) : op === 'load' ? [] : this.needAll(operands.slice(1), at);
    const address = this.need(pointer.kind === 'local' ? this.rootOf(pointer) : pointer, at);
    const unused = op !== 'load' && name !== null && this.usersOf(name).length === 0;
    const isCopy = op === 'load' && this.isAsync(name);
    const what = op === 'load' || op === 'store' ? op : unused ? 'reduction' : 'atomic';
    const plain = isCopy ? 'LDGSTS' : memoryOpcode(what, space);
    const isGlobal = opcodes[plain].memory.space === 'global';
    if (isGlobal) this.once('@descriptor', at, 'ULDC.64');
    const size = sizeOf(accessed);
    // One address for all lanes, in a uniform register: the uniform datapath loads it, 8 bytes at most (SASS of sm_90).
    const uniform = op === 'load' && constantBank && this.isUniform(pointer) && !this.isMadeOfLoaded(pointer);
    const parts =
      accessed.kind !== 'vector' || size > widestRead
        ? leavesOf(accessed).length
        : uniform
          ? Math.ceil(size / widestUniformRead)
          : 1;
    const results = name === null ? [] : this.results(instruction);
    const perPart = uniform ? Math.max(1, results.length / parts) : 1;
    if (name !== null) this.selected.set(name, results);
    // The words of a vector lie in registers side by side.
    if (op === 'store' && accessed.kind === 'vector' && parts === 1) {
      const copies = value.length === 1 ? lanes(accessed) - 1 : value.length - new Set(value).size;
      for (let i = 0; i < copies; i++) this.emit(at, 'MOV', value.slice(0, 1), [`${at.block}.${at.order}=${i}`]);
    }
    const together = op === 'atomicrmw' ? this.oneForAll(instruction) : null;
    if (together !== null) {
      this.once('laneid', at, 'S2R');
      this.emit(at, 'VOTEU', [], [`${name}'mask`]);
      this.emit(at, 'FLO', [`${name}'mask`], [`${name}'first`]);
      this.emit(at, 'ISETP', ['laneid', `${name}'first`], [`${name}'is`]);
      if (together === 'reduce') this.emit(at, 'REDUX.ATOMIC', value, [`${name}'sum`]);
      else this.emit(at, 'POPC', [`${name}'mask`], [`${name}'count`]);
      if (together !== 'reduce' && operands[1]?.kind !== 'int')
        this.emit(at, 'IMAD', [`${name}'count`, ...value], [`${name}'sum`]);
    }
    if (isGlobal && instruction.flags.includes('release')) this.emit(at, 'MEMBAR', [], []);
    for (let i = 0; i < parts; i++) {
      const own = results.slice(i * perPart, (i + 1) * perPart);
      const made = parts === 1 ? results : own.length > 0 ? own : [name!];
      const writes = op === 'store' || unused || isCopy ? [] : together === null ? made : [`${name}'old`];
      this.emit(
        at,
        `${uniform ? 'ULDC' : plain}${widthOf(what, Math.ceil(size / parts))}`,
        [...address, ...value],
        writes,
        access,
        1,
        space === 3 ? null : this.restrictedBase(pointer),
        address.length,
      );
    }
    if (isGlobal && op !== 'store' && instruction.flags.includes('acquire')) this.emit(at, 'CCTL.IVALL', results, []);
    if (together === 'fetch') {
      this.once('lanesbefore', at, 'S2R');
      this.emit(at, 'LOP3', ['lanesbefore', `${name}'mask`], [`${name}'before`]);
      this.emit(at, 'POPC', [`${name}'before`], [`${name}'rank`]);
      this.emit(at, 'SHFL', [`${name}'old`, `${name}'first`], [`${name}'base`]);
      const one = operands[1]?.kind === 'int';
      this.emit(at, one ? 'IADD3' : 'IMAD', [`${name}'base`, `${name}'rank`, ...value], results);
    }
  }
  /** Whether all lanes have the same. */
  private isUniform(value: Value): boolean {
    const root = this.rootOf(value);
    return root.kind !== 'local' || !this.uniformity.divergentValues.has(root.name);
  }
  /** Whether a value was loaded or came from another lane, in part at least: that is in a register of each lane (SASS of A1 const_lat). */
  private isMadeOfLoaded(value: Value): boolean {
    const seen = new Set<string>();
    const open = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.kind === 'expression') open.push(...next.operands);
      if (next.kind !== 'local' || seen.has(next.name)) continue;
      seen.add(next.name);
      const made = this.definition(next)?.instruction;
      if (made === undefined) continue;
      const isUniformCall = made.op === 'call' && /sreg\.|^llvm\.(?!nvvm\.)/.test(made.callee);
      const isParameter = made.op === 'load' && this.pointers.space(made.operands[0]!) === parameterSpace;
      if (/^(load|atomicrmw|cmpxchg|call)$/.test(made.op) && !isUniformCall && !isParameter) return true;
      open.push(...made.operands);
    }
    return false;
  }
  private oneForAll({ name, predicate, operands, type }: Instruction): OneForAll | null {
    if (!/^(add|sub)$/.test(predicate) || type.kind !== 'int') return null;
    const [uniformAddress, uniformValue] = operands.map((operand) => this.isUniform(operand)) as [boolean, boolean];
    const isUsed = name !== null && this.usersOf(name).length > 0;
    return oneForAll({ type: type.bits === 64 ? 'i64' : 'i32', isUsed, uniformAddress, uniformValue });
  }
  /** The load of an LDGSTS: what it loads goes to shared memory, and nobody waits for it. */
  private isAsync(name: string | null): boolean {
    return name !== null && this.usersOf(name).some(({ op, flags }) => op === 'store' && flags.includes('async'));
  }
  /** The `__restrict__` parameter that a pointer is made of. */
  private restrictedBase(pointer: Value): string | null {
    const seen = new Set<string>();
    let value = this.rootOf(pointer);
    while (value.kind === 'local' && !seen.has(value.name)) {
      const definition = this.definition(value)?.instruction;
      if (definition === undefined) return this.pointers.isRestricted(value.name) ? value.name : null;
      seen.add(value.name);
      const from = definition.operands.find(
        (operand) => operand.type.kind === 'ptr' && !(operand.kind === 'local' && seen.has(operand.name)),
      );
      if (from === undefined) return null;
      value = this.rootOf(from);
    }
    return null;
  }
  private rootOf(pointer: Value): Value {
    return this.pointers.resolve(pointer).root;
  }

  /** The predicate that an integer stands for which is compared with zero: as it is or the other way around costs the same. */
  private truthOf({ predicate, operands: [number, zero] }: Instruction): Value | null {
    if (!/^(eq|ne)$/.test(predicate) || zero?.kind !== 'int' || zero.value !== 0n) return null;
    let made = this.definition(number!)?.instruction;
    while (made?.op === 'freeze') made = this.definition(made.operands[0]!)?.instruction;
    const [condition, ...values] = made?.op === 'select' ? made.operands : [];
    const isBit = values.every((value, i) => value.kind === 'int' && value.value === BigInt(1 - i));
    return condition !== undefined && isBit && condition.type.kind === 'int' ? condition : null;
  }

  // ---- calls ----

  private stays(instruction: Instruction): boolean {
    const { callee } = instruction;
    if (isBarrier(instruction) || callRow(callee)?.stays) return true;
    if (/^llvm\.(lifetime|assume|experimental|invariant|dbg|expect|prefetch)/.test(callee)) return false;
    return findIntrinsic(callee) === undefined || instruction.name === null;
  }

  private call(instruction: Instruction, at: Place, access: number | null = null): string[] {
    const { callee, operands, name } = instruction;
    if (name !== null) this.selected.set(name, this.results(instruction));
    const results = this.results(instruction);
    if (isBarrier(instruction)) {
      const counted = isCountedBarrier(instruction);
      this.emit(at, counted ? 'BAR.SYNC.COUNT' : 'BAR.SYNC', counted ? this.needAll(operands, at) : [], []);
      return [];
    }
    if (isArrival(instruction)) {
      this.emit(at, 'BAR.ARV', this.needAll(operands, at), []);
      return [];
    }
    const row = callRow(callee);
    if (row?.isOperand) return this.need(operands[0]!, at);
    if (row?.fetched !== undefined) return this.once(callee, at, row.fetched);
    if (row?.code !== undefined) {
      const [given] = operands;
      const reads = row.reads ? this.needAll(operands, at) : [];
      for (const { opcode, count } of row.code) {
        const amount = given?.kind === 'int' ? given.value : count;
        this.emit(at, count === undefined ? opcode : `${opcode}.${amount!}`, reads, results);
      }
      return results;
    }
    const lower = upperHalf.test(callee) ? this.twin(instruction, ({ op }) => op === 'mul') : null;
    if (lower !== null && name !== null) {
      this.need({ kind: 'local', name: lower, type: instruction.type }, at);
      return [name];
    }
    const reads = this.needAll(operands, at);
    if (row?.mask !== undefined) this.checkMask(operands[row.mask.operand]!, row.mask.turns, at);
    const intrinsic = findIntrinsic(callee);
    if (intrinsic?.memory?.opcode === 'TEX.LL') {
      // The level of detail.
      this.emit(at, 'MOV', [], [`${name}'level`]);
      reads.push(`${name}'level`);
    }
    if (intrinsic === undefined) {
      this.emit(at, 'CALL', reads, []);
      this.chain(at, 'MOV', reads, name ?? `${callee}'`, Math.max(1, operands.length));
      this.emit(at, 'RET', [], results);
      return results;
    }
    const times = instructionsFor(instruction.type);
    const total = Object.values(intrinsic.cost ?? {}).reduce((sum, amount) => sum + Math.round(amount * times), 0);
    const memory = intrinsic.memory;
    const space = memory === undefined ? null : this.pointers.space(operands[memory.pointer]!);
    const together = memory?.together?.[space === 3 ? 'shared' : 'global'] ?? 1;
    const requests = Math.ceil((memory?.times ?? 0) / together);
    let made = 0;
    let before: string[] = reads;
    const next = (): string[] => {
      made++;
      return made === total + requests ? results : [`${name ?? callee}'${made}`];
    };
    for (const [name, amount] of Object.entries(intrinsic.cost ?? {})) {
      const kind = name as InstructionClass;
      const opcode = row?.opcodes?.[kind] ?? usualOpcodes[kind];
      const count = Math.round(amount * times);
      for (let i = 0; i < count; i++) {
        // The slow way of a function, hardly ever taken.
        if (kind === 'branch' && i < count - 1) {
          this.emit(at, 'BSSY', [], []);
          made++;
          continue;
        }
        // Each makes a part of a matrix; of other functions, the last makes the result.
        const isPart = kind === 'tensor' && results.length > count;
        const part = results.slice((i * results.length) / count, ((i + 1) * results.length) / count);
        const writes = isPart ? part : next();
        this.emit(at, opcode, isPart || made === 1 ? reads : [...reads, ...before], writes);
        before = writes;
      }
    }
    if (memory !== undefined && space !== null) {
      const parts = results.length / requests;
      for (let i = 0; i < requests; i++) {
        const isMatrix = space === 3 && together > 1 && memory.kind === 'load';
        const plain = memoryOpcode(memory.kind, space);
        const opcode = memory.opcode ?? (isMatrix ? 'LDSM' : together > 1 ? (`${plain}.64` as const) : plain);
        const writes =
          memory.kind === 'load' || memory.unit !== undefined
            ? results.slice(Math.floor(i * parts), Math.ceil((i + 1) * parts))
            : [];
        const number = access === null ? null : access + i * together;
        this.emit(at, opcode, reads, writes, number, together);
      }
      if (memory.transposed === true && space !== 3)
        for (const name of new Set(results)) this.emit(at, 'MOVM', [name], [name]);
    }
    if (total + requests === 0)
      return results.length > 1 ? results.map((_, i) => before[i] ?? before[0] ?? '') : before;
    return results;
  }

  /**
   * Lanes may have masks of their own: once for each mask of a block ptxas compares them, and goes another way where some differ
   * from what it takes. Groups shuffle at once then, but vote, match and add up one after the other (SASS of warpwide.cu).
   */
  private checkMask(mask: Value, turns: 'VOTE' | 'MATCH' | null, at: Place): void {
    if (this.isUniform(mask)) return;
    const [name] = this.need(mask, at);
    const checked = `${name}'checked ${at.block}`;
    if (name !== undefined && !this.loaded.has(checked)) {
      this.loaded.add(checked);
      this.compareMasks(name, checked, turns === null, at);
    }
    if (turns !== null) this.emit(at, `WARPSYNC.COLLECTIVE.${turns}`, [], []);
  }
  private compareMasks(name: string, checked: string, comparesMasks: boolean, at: Place): void {
    this.emit(at, 'REDUX', [name], [`${checked}U`]);
    if (comparesMasks) {
      this.emit(at, 'MATCH.ANY.MASK', [name], [`${checked}same`]);
      this.emit(at, 'VOTEU', [], [`${checked}all`]);
      this.emit(at, 'LOP3', [name, `${checked}same`, `${checked}all`], [`${checked}P`]);
    } else this.emit(at, 'R2UR', [name], [`${checked}P`]);
    this.emit(at, 'BRA.DIV', [`${checked}P`, `${checked}U`], []);
  }

  // ---- control flow ----

  private condition(block: FlowBlock): void {
    const { terminator, index } = block;
    const at = { block: index, order: block.block.instructions.length, source: terminator };
    if (new Set(block.successors).size > 1 || terminator.op === 'switch')
      this.needAll(terminator.operands.slice(0, 1), at);
  }

  private isExit(index: number): boolean {
    const block = this.flow.blocks[index]!;
    return block.successors.length === 0 && this.blocks[index]!.length === 0;
  }

  /** A block that ends where its one predecessor's other way leads, with arms of its own: what a predicate may guard. */
  private armFrom(index: number, parent: FlowBlock): { members: number[]; join: number } | null {
    const { predecessors, successors, block, loop } = this.flow.blocks[index]!;
    if (predecessors.length !== 1 || loop !== parent.loop || loop?.head === index) return null;
    const members = [index, ...this.flow.blocks.flatMap((_, i) => (this.predicatedBy[i] === index ? [i] : []))];
    const outside = new Set(
      members.flatMap((each) => this.flow.blocks[each]!.successors).filter((to) => !members.includes(to)),
    );
    const [join] = outside;
    if (join === undefined || outside.size !== 1 || (members.length === 1 && successors.length !== 1)) return null;
    const length = members.reduce((sum, each) => sum + this.blocks[each]!.length, 0);
    const isGuarded = !block.instructions.some(
      (each) =>
        isBarrier(each) ||
        isArrival(each) ||
        // k_block_spin (H200 reference, C5), whose arm of 5 instructions reads the timer. What is known of arms that read
        // the cycle counter fits predicates better (misses.cu).
        (each.op === 'call' && /shfl|vote|sync|globaltimer/.test(each.callee)),
    );
    return isGuarded && length <= predicatedLength ? { members, join } : null;
  }

  /** Short arms of a branch, with nothing in them that a predicate cannot guard; inner ones have been found before. */
  private predicate(block: FlowBlock): void {
    const targets = [...new Set(block.successors)];
    if (targets.length !== 2 || block.terminator.op !== 'br') return;
    const [a, b] = targets as [number, number];
    const [left, right] = [this.armFrom(a, block), this.armFrom(b, block)];
    const guard = (arm: { members: number[] }): void => {
      for (const each of arm.members) {
        this.guardOf[each] ??= block.index;
        this.predicatedBy[each] = block.index;
      }
    };
    if (left !== null && left.join === b) guard(left);
    else if (right !== null && right.join === a) guard(right);
    else if (left !== null && right !== null && left.join === right.join) {
      guard(left);
      guard(right);
    }
  }

  /** The block whose arms all meet in this one. */
  private followed(index: number): number | null {
    const { predecessors, loop } = this.flow.blocks[index]!;
    if (loop?.head === index) return null;
    const from = new Set(predecessors.map((each) => this.predicatedBy[each] ?? each));
    const [only] = from;
    const hasArms = predecessors.some((each) => this.predicatedBy[each] != null);
    return from.size === 1 && hasArms && this.predicatedBy[index] === null ? only! : null;
  }

  /** In front of the first LDGSTS of what is executed without a jump stand three loads that nobody executes (SASS of B9 and B12). */
  private beforeCopies(): void {
    const regions = this.flow.blocks.map((_, i) => i);
    const seen = new Set<number>();
    this.blocks.forEach((instructions, i) => {
      const before = this.predicatedBy[i] ?? this.followed(i);
      if (before !== null) regions[i] = regions[before]!;
      const copy = instructions.find(({ opcode }) => opcode === 'LDGSTS');
      if (copy === undefined || seen.has(regions[i]!)) return;
      seen.add(regions[i]!);
      for (let n = 0; n < 3; n++) this.emit(place(i, copy.order - 0.5), 'LDS.NEVER', [], []);
    });
  }

  private branch(block: FlowBlock): void {
    const { index, terminator } = block;
    const at: Place = { block: index, order: widestOrder + 1, source: terminator };
    const targets = [...new Set(block.successors)];
    const control = (opcode: Opcode, reads: string[] = [], where = at): void => this.emit(where, opcode, reads, []);
    if (terminator.op === 'ret' || terminator.op === 'unreachable') {
      // Blocks that jump here end by themselves.
      if (this.blocks[index]!.length > 0 || index === 0 || !block.predecessors.every((from) => this.exits(from, index)))
        control('EXIT');
      return;
    }
    if (terminator.op === 'switch') {
      // A search by halves.
      const tests = Math.min(terminator.cases.length, Math.ceil(Math.log2(terminator.cases.length + 1)) + 1);
      for (let i = 0; i < tests; i++) {
        this.emit(at, 'ISETP', this.need(terminator.operands[0]!, at), [`${index}?${i}`]);
        control('BRA', [`${index}?${i}`]);
      }
      return;
    }
    let next = index + 1;
    while (this.predicatedBy[next] !== null && this.predicatedBy[next] !== undefined) next++;
    if (targets.length === 1) {
      if (this.predicatedBy[index] === null && targets[0] !== next && targets[0] !== index + 1) control('BRA');
      return;
    }
    const condition = this.need(terminator.operands[0]!, at);
    if (this.guardOf.includes(index)) {
      this.conditions.set(index, condition);
      return;
    }
    if (targets.some((target) => this.exits(index, target))) {
      control('EXIT', condition);
      const other = targets.find((target) => !this.exits(index, target));
      if (other !== undefined && other !== index + 1) control('BRA');
      return;
    }
    control('BRA', condition);
    if (!targets.includes(index + 1)) control('BRA');
    if (!this.uniformity.divergentBranches.has(index)) return;
    const left = loopsOf(block).find((loop) => targets.some((target) => !contains(loop, target)));
    const join = left === undefined ? (this.flow.postDominator[index] ?? -1) : left.end;
    if (join < 0 || join >= this.flow.blocks.length || this.isExit(join) || this.joins.has(join)) return;
    this.joins.add(join);
    if (left === undefined) control('BSSY');
    else {
      const outside = this.flow.blocks[left.head]!.predecessors.find((from) => !contains(left, from));
      if (outside !== undefined) control('BSSY', [], place(outside, widestOrder));
    }
    control('BSYNC', [], place(join, -1));
  }
  /**
   * Copies of a loop of one block that counts by a constant, unless it has been copied or must not be (`.pragma "nounroll"`):
   * counting, comparing and jumping are done once for all, and so are sums of the counter that several copies need; addresses that
   * follow the counter differ by constants.
   */
  private unroll(around: FlowBlock): void {
    const { index, block, successors, loop } = around;
    const instructions = this.blocks[index]!;
    if (loop === null || !successors.includes(index) || terminatorOf(block).flags.includes(nounroll)) return;
    if (instructions.some(({ opcode }) => opcode === 'CALL')) return;
    // Without a condition it never ends, and counts nothing.
    const [asked] = terminatorOf(block).operands;
    const condition = asked && this.definition(asked)?.instruction;
    if (condition?.op !== 'icmp') return;
    const compared = condition.operands.map((operand) => this.linear.of(operand));
    const counts = compared.findIndex((form) => [...form.keys()].some((product) => this.counters.has(product)));
    const [bound] = condition.operands.filter((_, i) => i !== counts);
    const inside = bound?.kind === 'local' && this.definition(bound)?.block.index === index;
    if (counts < 0 || inside) return;
    const counted = [...compared[counts]!.keys()].find((product) => this.counters.has(product))!;
    const step = this.steps.get(counted);
    if (step === undefined) return;

    const sums = new Map<MachineInstruction, number>();
    const once = new Set<MachineInstruction>();
    for (const instruction of instructions) {
      const made = instruction.writes[0];
      if (rowOf(instruction).class === 'branch' || made === condition.name) once.add(instruction);
      if (made === undefined || !this.definitions.has(made)) continue;
      const form = this.linear.of({ kind: 'local', name: made, type: this.typeOf(made) });
      const products = [...form.keys()].filter((product) => product !== '');
      const [first] = products;
      if (addsConstants.has(instruction.opcode)) {
        if (products.length === 1 && this.steps.has(first!) && form.get(first!) === 1)
          sums.set(instruction, form.get('') ?? 0);
      } else if (this.definitions.get(made)!.instruction.op === 'getelementptr') {
        const follows = products.filter((product) => this.steps.has(product));
        const isFixed = (product: string): boolean =>
          product.split('*').every((name) => this.definitions.get(name)?.block.index !== index);
        if (follows.length > 0 && products.every((product) => follows.includes(product) || isFixed(product))) {
          once.add(instruction);
          instruction.leads = true;
        }
      }
    }
    const addressesOfElements = instructions.filter(({ writes }) => writes.some((name) => this.elements.has(name)));
    if (addressesOfElements.every((address) => once.has(address)))
      for (const instruction of instructions)
        if (instruction.writes.some((name) => this.parts.has(name))) once.add(instruction);
    const length = block.instructions.filter(({ op }) => op !== 'phi').length;
    const times = this.timesAround(around, condition, step);
    const names = new Set(block.instructions.flatMap(({ name }) => name ?? []));
    const isCopied = [...names].some((name) => names.has(`${name}.1`));
    const byOptimizer = isCopied ? 1 : (optimizerCopies.find(({ longest }) => length <= longest)?.copies ?? 1);
    const isNarrow = condition.operands.every((operand) => operand.kind === 'int' || this.words(operand) === 1);
    const shared = once.size + sums.size;
    const long = (instructions.length - shared) * byOptimizer + shared;
    const byAssembler = isNarrow && long <= longestCopied ? assemblerCopies : 1;
    const addresses = block.instructions.filter(({ op }) => op === 'getelementptr').length;
    const isWhole = times !== null && times * (length - addresses) <= longestWhole;
    const copies = isWhole ? times : byOptimizer * byAssembler;
    if (copies === 1) return;
    // Where the rest is too short for all copies, there are half as many, and those of the optimizer alone.
    const halves = !isWhole && byAssembler > 1 ? [copies / 2, ...(byOptimizer > 1 ? [byOptimizer] : [])] : [];
    this.copies[index] = [copies, ...halves];

    const distinct = new Set(
      [...sums.values()].flatMap((sum) => Array.from({ length: copies }, (_, i) => sum + i * step)),
    );
    if (!isWhole) this.aroundCopies(index, loop, byOptimizer > 1, byAssembler > 1);
    for (const instruction of once) instruction.every = copies;
    for (const instruction of sums.keys()) instruction.every = Math.max(1, (copies * sums.size) / distinct.size);
    // A counter that only counts is stepped once.
    if (sums.size === 1) for (const instruction of sums.keys()) instruction.every = copies;
  }

  /**
   * What is executed around a loop that has been copied: how many times around are left over for all of the copies (SASS of
   * V5 softmax: 17 instructions before and 8 behind a loop that optimizer and ptxas have copied).
   */
  private aroundCopies(index: number, loop: Loop, byOptimizer: boolean, byAssembler: boolean): void {
    const outside = this.flow.blocks[index]!.predecessors.find((from) => !contains(loop, from));
    const left = this.flow.blocks[index]!.successors.find((to) => !contains(loop, to));
    const put = (at: Place, list: readonly Opcode[]): void =>
      list.forEach((opcode, i) =>
        this.emit(at, opcode, [], opcodes[opcode].class === 'branch' ? [] : [`${at.block}.${index}~${i}`]),
      );
    if (outside !== undefined) {
      const at = place(outside, widestOrder - 1);
      if (byOptimizer) put(at, aroundCopies.optimizer);
      if (byAssembler) put(at, aroundCopies.before);
    }
    if (left !== undefined && byAssembler) put(place(left, -1), aroundCopies.behind);
  }

  /** How often a block of a loop is executed in a row, where that is known. */
  private timesAround(
    { index, block, successors }: FlowBlock,
    { predicate, operands }: Instruction,
    step: number,
  ): number | null {
    const phis = block.instructions.filter(({ op }) => op === 'phi');
    for (const phi of phis) {
      const start = phi.operands.find((operand) => operand.kind === 'int');
      if (this.steps.get(phi.name!) !== step || start?.kind !== 'int') continue;
      const [left, right] = operands.map((operand) => this.linear.of(operand));
      const distance = plus(right!, left!, -1);
      const own = distance.get(phi.name!) ?? 0;
      if (Math.abs(own) !== 1 || [...distance.keys()].some((name) => name !== '' && name !== phi.name)) continue;
      // From what is compared in the first time around to the bound.
      const steps = Math.abs(((distance.get('') ?? 0) + own * Number(start.value)) / step);
      if (/^(eq|ne)$/.test(predicate)) return Number.isInteger(steps) ? steps + 1 : null;
      const goesOn = successors[0] === index;
      return predicate.endsWith(goesOn ? 'e' : 't') ? Math.floor(steps) + 2 : Math.ceil(steps) + 1;
    }
    return null;
  }

  private exits(from: number, to: number): boolean {
    const { loop, successors } = this.flow.blocks[from]!;
    return loop === null && this.isExit(to) && successors.includes(to) && new Set(successors).size > 1;
  }
}

const widestOrder = 1e6;
const place = (block: number, order: number): Place => ({ block, order, source: null });

/** Of `bytes` of a lane: none for words, and of atomics none below. */
function widthOf(what: MemoryOperation, bytes: number): '' | `.${string}` {
  if (bytes > 4) return `.${Math.min(128, 8 * bytes)}`;
  return bytes < 4 && (what === 'load' || what === 'store') ? `.U${8 * bytes}` : '';
}

/** For the order of accesses, see {@link MachineInstruction}. */
const memoryOf = ({ memory }: OpcodeRow): string | null =>
  memory === null || memory.space === 'constant' ? null : memory.space === 'shared' ? 'shared' : 'global';

type MemoryOperation = 'load' | 'store' | 'atomic' | 'reduction';
/** Generic addresses are accessed as global memory is. */
function memoryOpcode(what: MemoryOperation, space: Space) {
  if (space === 3) return ({ load: 'LDS', store: 'STS', atomic: 'ATOMS', reduction: 'REDS' } as const)[what];
  if (space === 5 && what === 'load') return 'LDL';
  if (space === 5 && what === 'store') return 'STL';
  if ((space === 4 || space === parameterSpace) && what === 'load') return 'LDC';
  return ({ load: 'LDG', store: 'STG', atomic: 'ATOMG', reduction: 'REDG' } as const)[what];
}
