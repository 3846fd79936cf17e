import { SimsightError } from '../../../base/errors.ts';
import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import type { Instruction, Value } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { findIntrinsic } from '../table.ts';
import type { Leaf } from '../writer.ts';
import { laneType } from '../writer.ts';
import { leafRange } from './aggregates.ts';
import type { KernelContext } from './context.ts';
import { elementOf, narrowOf } from './element-types.ts';

/** One instruction of LLVM IR: which part writes it. */
export class Instructions {
  private readonly kernel: KernelContext;

  constructor(kernel: KernelContext) {
    this.kernel = kernel;
  }

  private acquired({ flags, operands }: Instruction, values: Leaf[]): Leaf[] {
    if (flags.includes('acquire') && this.kernel.analysis.pointers.space(operands[0]!) <= 1)
      this.kernel.barriers.forgetL1();
    return values;
  }

  /** Writes one instruction: leaves of its result. */
  write(instruction: Instruction, block: FlowBlock): Leaf[] {
    const { analysis, arithmetic, atomics, calls, conversions, loads, locals, stores, writer: w } = this.kernel;
    const { op, operands, type } = instruction;
    const operand = (index: number): Value => operands[index] as Value;
    switch (op) {
      case 'load':
        return this.acquired(instruction, loads.load(instruction, block.index));
      case 'store':
        stores.store(instruction, block.index);
        return [];
      case 'atomicrmw':
      case 'cmpxchg':
        return this.acquired(instruction, atomics.write(instruction, block.index));
      case 'call': {
        const target = analysis.module.functions.get(instruction.callee);
        return target === undefined ? this.callOf(instruction) : calls.call(instruction, target);
      }
      case 'alloca':
        return locals.dynamicArray(instruction);
      case 'getelementptr':
        return [this.kernel.operands.address(operand(0), instruction.accessType, operands.slice(1))];
      case 'fence':
        return [];
      case 'freeze':
        return this.kernel.operands.leaves(operand(0));
      case 'select': {
        const conditions = this.kernel.operands.leaves(operand(0));
        const no = this.kernel.operands.leaves(operand(2));
        return this.kernel.operands
          .leaves(operand(1))
          .map((leaf, i) =>
            w.select((conditions.length > 1 ? conditions[i] : conditions[0]) as Leaf, leaf, no[i] as Leaf),
          );
      }
      case 'extractvalue':
      case 'insertvalue': {
        const all = [...this.kernel.operands.leaves(operand(0))];
        const [start, count] = leafRange(operand(0).type, instruction.indices);
        if (op === 'extractvalue') return all.slice(start, start + count);
        all.splice(start, count, ...this.kernel.operands.leaves(operand(1)));
        return all;
      }
      case 'extractelement':
      case 'insertelement': {
        const all = [...this.kernel.operands.leaves(operand(0))];
        const index = operand(op === 'extractelement' ? 1 : 2);
        if (index.kind === 'int' || index.kind === 'zero') {
          const at = index.kind === 'int' ? Number(index.value) : 0;
          if (op === 'extractelement') return [all[at] ?? w.constant(laneType(type), 'undef')];
          all[at] = this.kernel.operands.leaf(operand(1));
          return all;
        }
        const position = this.kernel.operands.leaf(index);
        const here = (k: number): Leaf => w.compare('eq', position, w.constant(position.type, k));
        if (op === 'insertelement')
          return all.map((leaf, k) => w.select(here(k), this.kernel.operands.leaf(operand(1)), leaf));
        return [all.reduce((chosen, leaf, k) => (k === 0 ? leaf : w.select(here(k), leaf, chosen)))];
      }
      case 'shufflevector': {
        const all = [...this.kernel.operands.leaves(operand(0)), ...this.kernel.operands.leaves(operand(1))];
        return instruction.indices.map((index) => all[Math.max(0, index)] as Leaf);
      }
      case 'bitcast':
      case 'ptrtoint':
      case 'inttoptr':
      case 'ptrtoaddr':
      case 'addrspacecast':
        return conversions.reinterpret(
          this.kernel.operands.leaves(operand(0)),
          leavesOf(type).map((leaf) => laneType(leaf.type)),
          op,
        );
      default: {
        const element = type.kind === 'vector' ? type.element : type;
        const fused = arithmetic.contracted(instruction, element);
        if (fused !== null) return fused;
        const a = this.kernel.operands.leaves(operand(0));
        const b = operands.length > 1 ? this.kernel.operands.leaves(operand(1)) : [];
        const source = operand(0).type;
        const from = source.kind === 'vector' ? source.element : source;
        return a.map((leaf, i) =>
          arithmetic.flushing(op, [leaf, b[i]], (x, y) => arithmetic.scalarOp(instruction, element, from, x, y)),
        );
      }
    }
  }

  private callOf(instruction: Instruction): Leaf[] {
    const { analysis, conversions } = this.kernel;
    const { callee, type } = instruction;
    const intrinsic = findIntrinsic(callee);
    if (intrinsic === undefined) {
      if (/wmma|mma\./.test(callee)) throw analysis.unsupported(`a tensor-core operation (${callee})`, instruction);
      if (/^llvm\.nvvm\.(?:vote|shfl)\./.test(callee)) throw withoutMask(instruction);
      throw analysis.unsupported(`the function ${callee}`, instruction);
    }
    const operands = instruction.operands.filter((operand) => operand.kind !== 'metadata');
    const groups = operands.map((operand) => {
      const kind = intrinsic.narrow === true ? null : narrowOf(elementOf(operand.type));
      const leaves = this.kernel.operands.leaves(operand);
      return kind === null ? leaves : leaves.map((leaf) => conversions.toFloat(leaf, kind));
    });
    // `llvm.fma.v2f32`: element by element.
    const results =
      type.kind === 'vector' && intrinsic.whole !== true
        ? Array.from({ length: type.count }, (_, k) =>
            intrinsic.emit(
              this.kernel,
              groups.map((leaves) => (leaves.length > 1 ? leaves[k] : leaves[0]) as Leaf),
              instruction,
            ),
          ).flat()
        : intrinsic.emit(this.kernel, groups.flat(), instruction);
    if (intrinsic.narrow === true) return results;
    const wanted = leavesOf(type);
    return results.map((leaf, i) => {
      const kind = narrowOf(wanted[i]?.type ?? type);
      return kind !== null && leaf.type === 'float' ? conversions.fromFloat(leaf, kind) : leaf;
    });
  }
}

/** Votes and shuffles as GPUs before compute capability 7.0 have them, and the headers for them do not use. */
function withoutMask({ place }: Instruction): SimsightError {
  return new SimsightError(
    'unsupported-construct',
    'Votes and shuffles without a mask (__any, __ballot, __shfl_xor and the like) are for GPUs before compute capability 7.0, as in CUDA.',
    'Use those that end in _sync, with the mask of the lanes that take part: 0xffffffff where all do.',
    place ? { file: place.file, line: place.line, column: place.column } : {},
  );
}
