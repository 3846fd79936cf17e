/**
 * Which sums and products become one FFMA or DFMA, where the source allows it (`-fmad=true`, LLVM's `contract`). One list serves
 * execution and counting, so that what is counted as FFMA is also rounded as one.
 *
 * The rules are what nvcc 13.0 makes for sm_75, sm_80 and sm_90, read off the PTX and the instructions of 108 kernels
 * (test/programs/floating/contraction.cu has many of them, with what an H100 computed). Two compilers do it, one after the other:
 *
 * - NVVM takes additions from the last of a block to the first. A product goes into one if it has less than five uses, all of
 *   them additions of the same block.
 * - ptxas takes what is left, subtractions too and through negations. A product goes into its sums if all its uses are sums that
 *   it can go into: those of its block, and those of other blocks if one of its factors is a constant or lies in constant memory,
 *   and takes no register. Divisions and roots are blocks of their own to it: they have branches.
 *
 *   Products with one use are taken first, then the others, each time from the first sum to the last.
 *
 * Both take the first operand before the second. A product with any other use, a store, a factor, a comparison, the addend of
 * another product, is rounded by itself, and so is every sum of it.
 */
import { freshName } from './fresh-names.ts';
import { inAssembly } from './ir.ts';
import type { Block, FunctionIr, Instruction, Value } from './ir.ts';

export interface Contraction {
  product: Instruction;
  addend: Value;
  negateProduct: boolean;
  negateAddend: boolean;
}

/** Contracted sums of a function, by the instruction of the sum. `across`: with products of other blocks. */
export function contractions(blocks: Block[], across = false): Map<Instruction, Contraction> {
  const uses = new Uses(blocks);
  const result = new Map<Instruction, Contraction>();
  for (const block of blocks)
    for (const sum of block.instructions.filter(isAddedByNvvm).reverse()) {
      const found = uses.terms(sum).find(({ product }) => uses.isOnlyAdded(product, sum, result));
      if (found) result.set(sum, contraction(sum, found));
    }
  for (const mostUses of [1, Infinity])
    for (const block of blocks)
      for (const sum of block.instructions) {
        if (!isSum(sum) || result.has(sum)) continue;
        const found = uses.terms(sum, true).find(({ product }) => uses.isOnlySummed(product, result, mostUses, across));
        if (found) result.set(sum, contraction(sum, found));
      }
  return result;
}

/**
 * Puts copies of products that go into sums of other blocks in front of these, where {@link contractions} finds them. `ends`: behind
 * which instructions a block will be divided, which compilers do not do.
 */
export function placeProducts(fn: FunctionIr, ends: (instruction: Instruction) => boolean): void {
  const parts = new Map<Instruction, number>();
  let part = 0;
  for (const { instructions } of fn.blocks) {
    part++;
    for (const instruction of instructions) parts.set(instruction, ends(instruction) ? part++ : part);
  }
  const found = contractions(fn.blocks, true);
  for (const block of fn.blocks)
    block.instructions = block.instructions.flatMap((sum) => {
      const product = found.get(sum)?.product;
      if (product === undefined || parts.get(product) === parts.get(sum)) return sum;
      const copy = { ...product, name: freshName('product') };
      const operands = sum.operands.map((operand) =>
        operand.kind === 'local' && operand.name === product.name ? { ...operand, name: copy.name } : operand,
      );
      return [copy, { ...sum, operands }];
    });
}

interface Place {
  instruction: Instruction;
  /** Block as NVVM sees it, and as ptxas does. */
  nvvm: number;
  ptxas: number;
}
interface Term {
  product: Instruction;
  negated: boolean;
  addend: Value;
  isSecond: boolean;
}

const contraction = ({ op }: Instruction, { product, negated, addend, isSecond }: Term): Contraction => ({
  product,
  addend,
  negateProduct: negated !== (isSecond && op === 'fsub'),
  negateAddend: !isSecond && op === 'fsub',
});

const fewUses = 5;
const allows = (flag: string): boolean => flag === 'contract' || flag === 'fast';
const isSum = ({ op, flags }: Instruction): boolean => (op === 'fadd' || op === 'fsub') && flags.some(allows);
/** Half and bfloat16 are assembly to it: the functions of CUDA's headers. */
const isAddedByNvvm = (sum: Instruction): boolean =>
  isSum(sum) &&
  sum.op === 'fadd' &&
  (sum.type.kind === 'float' || sum.type.kind === 'double') &&
  !sum.flags.includes(inAssembly);
/** Functions that are inlined before NVVM's turn and have branches: large arguments have another way. */
const hasBranches = /^__nv_(sin|cos|tan|sincos|fmod|remainder|remquo|lgamma|tgamma|[jy][01n])f?$/;
/** Operations that ptxas makes branches for: operands that a fast sequence gets wrong. */
const divides = ({ op, callee }: Instruction): boolean =>
  op === 'fdiv' || (op === 'call' && /^llvm\.sqrt|\.(div|sqrt|rcp)\.r[nzmp]|^__nv_[fd](div|sqrt|rcp)_/.test(callee));

class Uses {
  private readonly definitions = new Map<string, Place>();
  /** A place for each use: an instruction that has a value twice is there twice. */
  private readonly uses = new Map<string, Place[]>();
  /** Assembly hands its results on frozen: other names of the same. */
  private readonly frozen = new Map<string, string>();

  constructor(blocks: Block[]) {
    // Before all uses: what goes around a loop is used above the place where it is frozen.
    for (const { op, name, operands } of blocks.flatMap(({ instructions }) => instructions))
      if (op === 'freeze' && operands[0]?.kind === 'local') this.frozen.set(name!, operands[0].name);
    let [nvvm, ptxas] = [0, 0];
    for (const { instructions } of blocks) {
      [nvvm, ptxas] = [nvvm + 1, ptxas + 1];
      for (const instruction of instructions) {
        if (instruction.name !== null && this.frozen.has(instruction.name)) continue;
        const place = { instruction, nvvm, ptxas };
        if (instruction.name !== null) this.definitions.set(instruction.name, place);
        for (const operand of instruction.operands) {
          if (operand.kind !== 'local') continue;
          const name = this.thawed(operand.name);
          const known = this.uses.get(name);
          if (known === undefined) this.uses.set(name, [place]);
          else known.push(place);
        }
        if (instruction.op === 'call' && hasBranches.test(instruction.callee)) nvvm++;
        if (divides(instruction) || place.nvvm !== nvvm) ptxas++;
      }
    }
  }

  /** The products that a sum may take, the first operand's first. */
  terms(sum: Instruction, throughNegations = false): Term[] {
    const [left, right] = sum.operands as [Value, Value];
    const { ptxas: here } = this.definitions.get(sum.name!)!;
    return [
      { value: left, addend: right, isSecond: false },
      { value: right, addend: left, isSecond: true },
    ].flatMap(({ value, addend, isSecond }) => {
      const first = this.definitionOf(value);
      let [found, negated] = [first, false];
      while (throughNegations && found?.op === 'fneg')
        [found, negated] = [this.definitionOf(found.operands[0]!), !negated];
      if (found !== first && this.definitions.get(found?.name ?? '')?.ptxas !== here) return [];
      return found?.op === 'fmul' && found.flags.some(allows) ? [{ product: found, negated, addend, isSecond }] : [];
    });
  }

  /** NVVM's question: whether a product may go into an addition of its block, when others have become `done`. */
  isOnlyAdded(product: Instruction, sum: Instruction, done: Map<Instruction, Contraction>): boolean {
    const { nvvm: block } = this.definitions.get(product.name!)!;
    if (this.definitions.get(sum.name!)!.nvvm !== block) return false;
    const left = this.uses.get(product.name!)!.filter(({ instruction }) => !this.isGone(instruction, product, done));
    return (
      !product.flags.includes(inAssembly) &&
      left.length < fewUses &&
      left.every(({ instruction, nvvm }) => nvvm === block && isAddedByNvvm(instruction) && !done.has(instruction))
    );
  }

  /** ptxas's question, of products with so many uses. */
  isOnlySummed(product: Instruction, done: Map<Instruction, Contraction>, mostUses: number, across: boolean): boolean {
    const { ptxas: home } = this.definitions.get(product.name!)!;
    const isLight = across && product.operands.some((factor) => this.takesNoRegister(factor));
    const goesInto = (name: string): boolean => {
      const uses = this.uses.get(name) ?? [];
      return (
        uses.length <= mostUses &&
        uses.every(({ instruction, ptxas }) => {
          if (this.isGone(instruction, product, done)) return true;
          if (ptxas !== home && !isLight) return false;
          if (instruction.op === 'fneg') return goesInto(instruction.name!);
          return isSum(instruction) && !done.has(instruction);
        })
      );
    };
    return goesInto(product.name!);
  }

  private definitionOf(value: Value): Instruction | undefined {
    return value.kind === 'local' ? this.definitions.get(this.thawed(value.name))?.instruction : undefined;
  }
  /** True if an instruction no longer uses a product: it has become its contraction, with another addend. */
  private isGone(user: Instruction, product: Instruction, done: Map<Instruction, Contraction>): boolean {
    const found = done.get(user);
    return found?.product === product && this.definitionOf(found.addend) !== product;
  }
  private thawed(name: string): string {
    const from = this.frozen.get(name);
    return from === undefined ? name : this.thawed(from);
  }

  /** A constant, a parameter, which lies in constant memory, or what is loaded from a known place there. */
  private takesNoRegister(value: Value): boolean {
    const found = this.definitionOf(value);
    return found === undefined || (found.op === 'load' && isConstantMemory(found.operands[0]!));
  }
}

function isConstantMemory(value: Value): boolean {
  if (value.type.kind === 'ptr' && value.type.space === 4)
    return value.kind === 'global' || value.kind === 'expression';
  return value.kind === 'expression' && value.operands.length > 0 && isConstantMemory(value.operands[0]!);
}
