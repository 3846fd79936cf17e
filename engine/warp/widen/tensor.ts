/** Matrix instructions, written for a warp. The arithmetic is in runtime/tensor.c. */
import type { Element, Product, Shape, tensor as rows, tensorFamilies as families } from '../../ir/calls/tensor.ts';
import { tileRegisters } from '../../ir/calls/tensor.ts';
import type { Instruction } from '../../ir/ir.ts';
import { matrixElement } from '../layout.ts';
import { arg, type Emissions, type FamilyEmissions } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import { type Leaf } from './writer.ts';

const code = (type: Element): number => matrixElement[type];
const shapeCode = ({ m, n, k }: Shape): number => m | (n << 8) | (k << 16);

/** Address of 32-bit registers (doubles: 64) in memory, in the named buffer where they are nowhere yet: pairs of halves, numbers, bits of floats. */
function put(kernel: KernelContext, name: string, leaves: Leaf[]): string {
  const w = kernel.writer;
  const there = kernel.fragments.address(leaves);
  if (there !== null) return there;
  const [buffer] = kernel.entry.buffers([name]) as [string];
  leaves.forEach((leaf, i) => {
    // Halves are interleaved: register j holds elements 2 j and 2 j + 1.
    if (leaf.type === 'i16') {
      if (i % 2 === 1) return;
      const [low, high] = [leaf, leaves[i + 1] as Leaf].map((part) => w.cast('zext', part, 'i32')) as [Leaf, Leaf];
      const both = w.binary('or', low, w.binary('shl', high, w.constant('i32', 16)));
      w.line(
        `store <32 x i32> ${w.vector(both)}, ptr ${w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${64 * i}`)}, align 16`,
      );
      return;
    }
    const bytes = leaf.type === 'double' ? 256 : 128;
    w.line(
      `store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${bytes * i}`)}, align 16`,
    );
  });
  return buffer;
}
function multiply(
  kernel: KernelContext,
  args: Leaf[],
  instruction: Instruction,
  { shape, types: [d, a, b, c], isSaturated, isAnd, isFragments }: Product,
): Leaf[] {
  const w = kernel.writer;
  const perLeaf = (type: Element): number => (args[0]?.type === 'i16' && (type === 'f16' || type === 'bf16') ? 2 : 1);
  let countA = tileRegisters(shape.m * shape.k, a) * perLeaf(a);
  let countB = tileRegisters(shape.k * shape.n, b) * perLeaf(b);
  // wmma fragments of halves have 16 elements, whatever they need.
  const [usedA, usedB] = [countA, countB];
  if (isFragments && a === 'f16') countA = countB = 16;
  const left = put(kernel, 'a', args.slice(0, usedA));
  const right = put(kernel, 'b', args.slice(countA, countA + usedB));
  const before = put(kernel, 'c', args.slice(countA + countB));
  const after = kernel.fragments.result(instruction);
  const packed = code(a) | (code(b) << 4) | (code(c) << 8) | (code(d) << 12);
  const flags = (isSaturated ? 1 : 0) | (isAnd ? 2 : 0);
  w.line(
    `call void @matrix_multiply(ptr ${left}, ptr ${right}, ptr ${before}, ptr ${after.at}, i32 ${shapeCode(shape)}, i32 ${packed}, i32 ${flags})`,
  );
  return after.leaves;
}

export const tensor: Emissions<typeof rows> = {
  'simsight.movmatrix': (kernel, args, instruction) => {
    const from = put(kernel, 'a', args);
    const { at, leaves } = kernel.fragments.result(instruction);
    kernel.writer.line(`call void @matrix_transpose(ptr ${at}, ptr ${from})`);
    return leaves;
  },
};

export const tensorFamilies: FamilyEmissions<typeof families> = {
  product: (product) => (kernel, args, instruction) => multiply(kernel, args, instruction, product),
  intrinsicProduct: (product) => (kernel, args, instruction) => multiply(kernel, args, instruction, product),
  fragments:
    ({ shape, isStore, matrix, layout, hasStride, type, used }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const [rows, columns] =
        matrix === 'a' ? [shape.m, shape.k] : matrix === 'b' ? [shape.k, shape.n] : [shape.m, shape.n];
      const natural = layout === 'row' ? columns : rows;
      const step = hasStride ? (args.at(-1) as Leaf) : w.constant('i32', natural);
      const address = arg(args, 0);
      const isPaged = address.type === 'i64';
      if (isPaged) w.line(`store <32 x i64> ${w.vector(address)}, ptr %scratch2, align 16`);
      const base = isPaged ? '<32 x i32> zeroinitializer, ptr %scratch2' : `<32 x i32> ${w.vector(address)}, ptr null`;
      const stored = isStore ? put(kernel, 'a', args.slice(1, hasStride ? -1 : undefined)) : null;
      const loaded = isStore ? null : kernel.fragments.result(instruction);
      const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0, undefined, used);
      w.line(
        `call void @fragment_accesses(ptr ${stored ?? loaded!.at}, ${base}, <32 x i32> ${w.vector(step)}, i32 ${shapeCode(shape)}, i32 ${{ a: 0, b: 1, accumulator: 2 }[matrix]}, i32 ${code(type)}, i32 ${layout === 'col' ? 1 : 0}, i32 ${used}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
      );
      if (loaded === null) return [];
      // Fragments of halves have 16 elements; those beyond what the tile needs repeat the others.
      const { leaves } = loaded;
      const have = used * (leaves[0]?.type === 'i16' ? 2 : 1);
      return leaves.map((leaf, i) => (i < have ? leaf : leaves[i % have]!));
    },
  matrixRows:
    ({ isStore, count, isTransposed }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const stored = isStore ? put(kernel, 'a', args.slice(1)) : null;
      const loaded = isStore ? null : kernel.fragments.result(instruction);
      const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0);
      w.line(
        `call void @matrix_rows(ptr ${stored ?? loaded!.at}, <32 x i32> ${w.vector(arg(args, 0))}, i32 ${count}, i32 ${isTransposed ? 1 : 0}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
      );
      return loaded?.leaves ?? [];
    },
};
