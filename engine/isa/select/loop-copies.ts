import { contains, type FlowBlock, type Loop } from '../../ir/analysis/flow.ts';
import { nounroll, terminatorOf, type Instruction } from '../../ir/ir.ts';
import type { MachineInstruction } from '../../model/machine.ts';
import { opcodes, rowOf, type Opcode } from '../../model/opcodes.ts';
import { plus } from '../linear.ts';
import type { SelectionContext } from './context.ts';
import { place, widestOrder, type Place } from './place.ts';

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

/** Copies that ptxas makes of loops up to `longestCopied` instructions of SASS. */
const assemblerCopies = 4;
const longestCopied = 33;

/** Instructions around loops that optimizer and assembler have copied. */
const aroundCopies = {
  optimizer: ['LOP3', 'IADD', 'LEA', 'ISETP', 'LOP3', 'MOV', 'BRA', 'SHF', 'IMAD', 'IMAD', 'LEA', 'LEA', 'BSYNC'],
  before: ['IADD', 'ISETP', 'BRA', 'BSSY'],
  behind: ['BSYNC', 'IADD', 'BSSY', 'ISETP', 'BRA', 'BSYNC', 'ISETP', 'BRA'],
} as const satisfies Record<string, readonly Opcode[]>;

/** Opcodes that add a constant to a counter. */
const addsConstants: ReadonlySet<Opcode> = new Set(['IADD', 'IADD3', 'MOV']);

type Needs = Pick<SelectionContext, 'code' | 'counters' | 'elements' | 'facts' | 'sums'>;

/** Copies that the optimizer and ptxas make of a loop of one block. */
export class LoopCopies {
  private readonly kernel: Needs;
  /** Numbers of copies of each block, the largest first. */
  readonly ofBlock: number[][];

  constructor(kernel: Needs) {
    this.kernel = kernel;
    this.ofBlock = kernel.facts.flow.blocks.map(() => []);
  }

  /**
   * Copies of a loop of one block that counts by a constant, unless it has been copied or must not be (`.pragma "nounroll"`):
   * counting, comparing and jumping are done once for all, and so are sums of the counter that several copies need; addresses that
   * follow the counter differ by constants.
   */
  unroll(around: FlowBlock): void {
    const { index, block, successors, loop } = around;
    const instructions = this.kernel.code.blocks[index]!;
    if (loop === null || !successors.includes(index) || terminatorOf(block).flags.includes(nounroll)) return;
    if (instructions.some(({ opcode }) => opcode === 'CALL')) return;
    // Without a condition it never ends, and counts nothing.
    const [asked] = terminatorOf(block).operands;
    const condition = asked && this.kernel.facts.definition(asked)?.instruction;
    if (condition?.op !== 'icmp') return;
    const compared = condition.operands.map((operand) => this.kernel.facts.linear.of(operand));
    const counts = compared.findIndex((form) =>
      [...form.keys()].some((product) => this.kernel.counters.names.has(product)),
    );
    const [bound] = condition.operands.filter((_, i) => i !== counts);
    const inside = bound?.kind === 'local' && this.kernel.facts.definition(bound)?.block.index === index;
    if (counts < 0 || inside) return;
    const counted = [...compared[counts]!.keys()].find((product) => this.kernel.counters.names.has(product))!;
    const step = this.kernel.counters.steps.get(counted);
    if (step === undefined) return;

    const sums = new Map<MachineInstruction, number>();
    const once = new Set<MachineInstruction>();
    for (const instruction of instructions) {
      const made = instruction.writes[0];
      if (rowOf(instruction).class === 'branch' || made === condition.name) once.add(instruction);
      if (made === undefined || !this.kernel.facts.definitions.has(made)) continue;
      const form = this.kernel.facts.linear.of({ kind: 'local', name: made, type: this.kernel.facts.typeOf(made) });
      const products = [...form.keys()].filter((product) => product !== '');
      const [first] = products;
      if (addsConstants.has(instruction.opcode)) {
        if (products.length === 1 && this.kernel.counters.steps.has(first!) && form.get(first!) === 1)
          sums.set(instruction, form.get('') ?? 0);
      } else if (this.kernel.facts.definitions.get(made)!.instruction.op === 'getelementptr') {
        const follows = products.filter((product) => this.kernel.counters.steps.has(product));
        const isFixed = (product: string): boolean =>
          product.split('*').every((name) => this.kernel.facts.definitions.get(name)?.block.index !== index);
        if (follows.length > 0 && products.every((product) => follows.includes(product) || isFixed(product))) {
          once.add(instruction);
          instruction.leads = true;
        }
      }
    }
    const addressesOfElements = instructions.filter(({ writes }) =>
      writes.some((name) => this.kernel.elements.byName.has(name)),
    );
    if (addressesOfElements.every((address) => once.has(address)))
      for (const instruction of instructions)
        if (instruction.writes.some((name) => this.kernel.sums.parts.has(name))) once.add(instruction);
    const length = block.instructions.filter(({ op }) => op !== 'phi').length;
    const times = this.timesAround(around, condition, step);
    const names = new Set(block.instructions.flatMap(({ name }) => name ?? []));
    const isCopied = [...names].some((name) => names.has(`${name}.1`));
    const byOptimizer = isCopied ? 1 : (optimizerCopies.find(({ longest }) => length <= longest)?.copies ?? 1);
    const isNarrow = condition.operands.every(
      (operand) => operand.kind === 'int' || this.kernel.facts.words(operand) === 1,
    );
    const shared = once.size + sums.size;
    const long = (instructions.length - shared) * byOptimizer + shared;
    const byAssembler = isNarrow && long <= longestCopied ? assemblerCopies : 1;
    const addresses = block.instructions.filter(({ op }) => op === 'getelementptr').length;
    const isWhole = times !== null && times * (length - addresses) <= longestWhole;
    const copies = isWhole ? times : byOptimizer * byAssembler;
    if (copies === 1) return;
    // Where the rest is too short for all copies, there are half as many, and those of the optimizer alone.
    const halves = !isWhole && byAssembler > 1 ? [copies / 2, ...(byOptimizer > 1 ? [byOptimizer] : [])] : [];
    this.ofBlock[index] = [copies, ...halves];

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
   * Instructions around a loop that has been copied, which find how many times around are left over for all of the copies (SASS of
   * V5 softmax: 17 instructions before and 8 behind a loop that optimizer and ptxas have copied).
   */
  private aroundCopies(index: number, loop: Loop, byOptimizer: boolean, byAssembler: boolean): void {
    const outside = this.kernel.facts.flow.blocks[index]!.predecessors.find((from) => !contains(loop, from));
    const left = this.kernel.facts.flow.blocks[index]!.successors.find((to) => !contains(loop, to));
    const put = (at: Place, list: readonly Opcode[]): void =>
      list.forEach((opcode, i) =>
        this.kernel.code.emit(at, opcode, [], opcodes[opcode].class === 'branch' ? [] : [`${at.block}.${index}~${i}`]),
      );
    if (outside !== undefined) {
      const at = place(outside, widestOrder - 1);
      if (byOptimizer) put(at, aroundCopies.optimizer);
      if (byAssembler) put(at, aroundCopies.before);
    }
    if (left !== undefined && byAssembler) put(place(left, -1), aroundCopies.behind);
  }

  /** Number of times that a block of a loop is executed in a row, where that is known. */
  private timesAround(
    { index, block, successors }: FlowBlock,
    { predicate, operands }: Instruction,
    step: number,
  ): number | null {
    const phis = block.instructions.filter(({ op }) => op === 'phi');
    for (const phi of phis) {
      const start = phi.operands.find((operand) => operand.kind === 'int');
      if (this.kernel.counters.steps.get(phi.name!) !== step || start?.kind !== 'int') continue;
      const [left, right] = operands.map((operand) => this.kernel.facts.linear.of(operand));
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
}
