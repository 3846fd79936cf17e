import type { Space } from '../../../ir/addresses.ts';
import { oneForAll } from '../../../ir/analysis/one-for-all.ts';
import { isIdle } from '../../../ir/analysis/spin.ts';
import type { Instruction, Value } from '../../../ir/ir.ts';
import type { Leaf } from '../writer.ts';
import { laneBytes, laneType, memoryType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { elementOf, narrowOf } from './element-types.ts';
import { runtimeSpace } from './memory-access.ts';

type Needs = Pick<KernelContext, 'analysis' | 'conversions' | 'counters' | 'current' | 'operands' | 'writer'>;

/** Atomic operations on memory. */
export class Atomics {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** atomicAdd on __half, __half2 and their bfloat16 kin. */
  private narrowAtomic(instruction: Instruction, kind: string, address: string, space: Space, site: string): Leaf[] {
    const { conversions, current, operands, writer: w } = this.kernel;
    const leaves = operands.leaves(instruction.operands[1] as Value);
    const type = leaves.length === 2 ? 'i32' : 'i16';
    const value =
      leaves.length === 2 ? (conversions.reinterpret(leaves, ['i32'], 'bitcast')[0] as Leaf) : (leaves[0] as Leaf);
    w.line(`store <32 x ${type}> ${w.vector(value)}, ptr %scratch2, align 16`);
    w.line(
      `call void @atomic_fadd_${kind}${leaves.length === 2 ? '2' : ''}(ptr %scratch, <32 x i32> ${address}, ptr %scratch2, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
    );
    const old = w.divergent(type, w.emit(`load <32 x ${type}>, ptr %scratch, align 16`));
    return leaves.length === 2 ? conversions.reinterpret([old], ['i16', 'i16'], 'bitcast') : [old];
  }

  /** An atomicrmw or cmpxchg: leaves of its result. */
  write(instruction: Instruction, block: number): Leaf[] {
    const { analysis, counters, current, operands, writer: w } = this.kernel;
    const pointer = instruction.operands[0] as Value;
    const space = analysis.pointers.space(pointer);
    const { root, offset } = operands.pointerOf(pointer);
    const addsFloats = /^f(add|sub)$/.test(instruction.predicate) ? { addsFloats: true } : {};
    const silent = isIdle(instruction) ? { changesNothing: true } : {};
    const reduction = analysis.used.has(instruction.name ?? '') ? {} : { isReduction: true };
    const site = counters.site({
      ...{ block, kind: 'atomic', space, place: instruction.place },
      ...addsFloats,
      ...silent,
      ...reduction,
    });
    const address = w.vector(operands.plus(root, offset));
    const narrow = narrowOf(elementOf(instruction.type));
    if (narrow !== null && instruction.op === 'atomicrmw' && instruction.predicate === 'fadd')
      return this.narrowAtomic(instruction, narrow, address, space, site);
    const accessed = instruction.accessType!;
    const inLanes = laneType(accessed);
    const inMemory = accessed.kind === 'ptr' ? memoryType(accessed) : inLanes;
    const values = instruction.operands.slice(1).map((operand) => {
      const leaf = operands.leaf(operand);
      return leaf.type === inMemory ? leaf : w.cast('zext', leaf, inMemory);
    });
    const { type } = values[0] as Leaf;
    const unsigned = { i16: 'u16', i32: 'u32', i64: 'u64', float: 'u32', double: 'u64' }[type];
    const spec = instruction.op === 'cmpxchg' ? 'cas' : instruction.predicate;
    const suffix = /^f(add|sub|max|min)$/.test(spec) ? type : unsigned;
    if (
      suffix === undefined ||
      (type === 'i16' && spec !== 'cas') ||
      !/^(cas|add|sub|and|or|xor|nand|xchg|umax|umin|max|min|uinc_wrap|udec_wrap|fadd|fsub|fmax|fmin)$/.test(spec)
    ) {
      throw analysis.unsupported(`an atomic ${spec} on ${type}`, instruction);
    }
    const [value] = values as [Leaf];
    const store = (leaf: Leaf, to: string): void =>
      void w.line(`store <32 x ${type}> ${w.vector(leaf)}, ptr ${to}, align 16`);
    const previous = (): Leaf => w.divergent(type, w.emit(`load <32 x ${type}>, ptr %scratch, align 16`));
    if (spec === 'add' && (type === 'i32' || type === 'i64')) {
      const isUsed = analysis.used.has(instruction.name ?? '');
      const one = `ptr %launch, ptr ${site}, i32 ${root.uniform ? operands.plus(root, offset).text : ''}`;
      const where = `i32 ${runtimeSpace(space)}, i32 ${current.mask}`;
      switch (oneForAll({ type, isUsed, uniformAddress: root.uniform, uniformValue: value.uniform })) {
        case 'sum':
          w.line(`call void @atomic_sum${laneBytes(type)}(${one}, ${type} ${value.text}, ${where})`);
          return [w.uniform(type, 'undef')];
        case 'fetch':
          w.line(`call void @atomic_fetch${laneBytes(type)}(ptr %scratch, ${one}, ${type} ${value.text}, ${where})`);
          return [previous()];
        case 'reduce':
          store(value, '%scratch2');
          w.line(`call void @atomic_reduce4(${one}, ptr %scratch2, ${where})`);
          return [w.uniform(type, 'undef')];
      }
      if (space === 3 && type === 'i32' && value.text === '1' && !isUsed) {
        w.line(`call void @atomic_count4(ptr %launch, ptr ${site}, <32 x i32> ${address}, i32 ${current.mask})`);
        return [w.uniform(type, 'undef')];
      }
    }
    const inputs = ['%scratch2', '%scratch3'];
    values.forEach((value, i) => store(value, inputs[i]!));
    w.line(
      `call void @atomic_${spec}_${suffix}(ptr %scratch, <32 x i32> ${address}, ${values.map((_, i) => `ptr ${inputs[i]}`).join(', ')}, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
    );
    const stored = previous();
    const old = type === inLanes ? stored : w.cast('trunc', stored, inLanes);
    return instruction.op === 'cmpxchg' ? [old, w.compare('eq', stored, values[0] as Leaf)] : [old];
  }
}
