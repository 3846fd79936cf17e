/** Matrix instructions, written for a warp. The arithmetic is in runtime/tensor.c. */
import type { Element, Product, Shape, tensor as rows, tensorFamilies as families } from '../../ir/calls/tensor.ts';
import { tileRegisters } from '../../ir/calls/tensor.ts';
import type { Instruction } from '../../ir/ir.ts';
import { leavesOf } from '../../ir/ir.ts';
import { matrixElement } from '../layout.ts';
import { arg, type Emissions, type FamilyEmissions } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import { laneType, type Leaf } from './writer.ts';

const code = (type: Element): number => matrixElement[type];
const shapeCode = ({ m, n, k }: Shape): number => m | (n << 8) | (k << 16);

/** 32-bit registers (doubles: 64) in memory: pairs of halves, numbers, bits of floats. */
function put(kernel: KernelContext, buffer: string, leaves: Leaf[]): void {
  const w = kernel.writer;
  leaves.forEach((leaf, i) => {
    // Halves are interleaved: register j holds elements 2 j and 2 j + 1.
    if (leaf.type === 'i16') {
      if (i % 2 === 1) return;
      const [low, high] = [leaf, leaves[i + 1] as Leaf].map((part) => w.cast('zext', part, 'i32')) as [Leaf, Leaf];
      const both = w.binary('or', low, w.binary('shl', high, w.constant('i32', 16)));
      w.line(
        `store <32 x i32> ${w.vector(both)}, ptr ${w.emit(`getelementptr i8, ptr ${buffer}, i32 ${64 * i}`)}, align 16`,
      );
      return;
    }
    const bytes = leaf.type === 'double' ? 256 : 128;
    w.line(
      `store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${w.emit(`getelementptr i8, ptr ${buffer}, i32 ${bytes * i}`)}, align 16`,
    );
  });
}
/** Registers in memory as the leaves of a result type. */
export function take(kernel: KernelContext, buffer: string, instruction: Instruction): Leaf[] {
  const w = kernel.writer;
  const result = leavesOf(instruction.type).map((leaf) => laneType(leaf.type));
  return result.map((type, i) => {
    const at = (offset: number): string => w.emit(`getelementptr i8, ptr ${buffer}, i32 ${offset}`);
    if (type === 'i16') {
      const word = w.divergent('i32', w.emit(`load <32 x i32>, ptr ${at(128 * Math.floor(i / 2))}, align 16`));
      return w.cast('trunc', i % 2 === 0 ? word : w.binary('lshr', word, w.constant('i32', 16)), 'i16');
    }
    return w.divergent(type, w.emit(`load <32 x ${type}>, ptr ${at((type === 'double' ? 256 : 128) * i)}, align 16`));
  });
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
  const restC = args.slice(countA + countB);
  const buffers = kernel.entry.buffers(['a', 'b', 'c', 'd']);
  const [left, right, before, after] = buffers as [string, string, string, string];
  put(kernel, left, args.slice(0, usedA));
  put(kernel, right, args.slice(countA, countA + usedB));
  put(kernel, before, restC);
  const packed = code(a) | (code(b) << 4) | (code(c) << 8) | (code(d) << 12);
  const flags = (isSaturated ? 1 : 0) | (isAnd ? 2 : 0);
  w.line(
    `call void @matrix_multiply(ptr ${left}, ptr ${right}, ptr ${before}, ptr ${after}, i32 ${shapeCode(shape)}, i32 ${packed}, i32 ${flags})`,
  );
  return take(kernel, after, instruction);
}

export const tensor: Emissions<typeof rows> = {
  'simsight.movmatrix': (kernel, args, instruction) => {
    const [from, to] = kernel.entry.buffers(['a', 'b']) as [string, string];
    put(kernel, from, args);
    kernel.writer.line(`call void @matrix_transpose(ptr ${to}, ptr ${from})`);
    return take(kernel, to, instruction);
  },
};

export const tensorFamilies: FamilyEmissions<typeof families> = {
  product: (product) => (kernel, args, instruction) => multiply(kernel, args, instruction, product),
  intrinsicProduct: (product) => (kernel, args, instruction) => multiply(kernel, args, instruction, product),
  fragments:
    ({ shape, isStore, matrix, layout, hasStride, type, used }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      const [rows, columns] =
        matrix === 'a' ? [shape.m, shape.k] : matrix === 'b' ? [shape.k, shape.n] : [shape.m, shape.n];
      const natural = layout === 'row' ? columns : rows;
      const step = hasStride ? (args.at(-1) as Leaf) : w.constant('i32', natural);
      if (isStore) put(kernel, buffer, args.slice(1, hasStride ? -1 : undefined));
      const address = arg(args, 0);
      const isPaged = address.type === 'i64';
      if (isPaged) w.line(`store <32 x i64> ${w.vector(address)}, ptr %scratch2, align 16`);
      const base = isPaged ? '<32 x i32> zeroinitializer, ptr %scratch2' : `<32 x i32> ${w.vector(address)}, ptr null`;
      for (let j = 0; j < used; j++) {
        const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0);
        const at = w.emit(`getelementptr i8, ptr ${buffer}, i32 ${(type === 'f64' ? 256 : 128) * j}`);
        w.line(
          `call void @fragment_access(ptr ${at}, ${base}, <32 x i32> ${w.vector(step)}, i32 ${shapeCode(shape)}, i32 ${{ a: 0, b: 1, accumulator: 2 }[matrix]}, i32 ${code(type)}, i32 ${layout === 'col' ? 1 : 0}, i32 ${j}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
        );
      }
      if (isStore) return [];
      // Fragments of halves have 16 elements; those beyond what the tile needs repeat the others.
      const all = take(kernel, buffer, instruction);
      const have = used * (all[0]?.type === 'i16' ? 2 : 1);
      return all.map((leaf, i) => (i < have ? leaf : (all[i % have] as Leaf)));
    },
  matrixRows:
    ({ isStore, count, isTransposed }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      if (isStore) put(kernel, buffer, args.slice(1));
      const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0);
      w.line(
        `call void @matrix_rows(ptr ${buffer}, <32 x i32> ${w.vector(arg(args, 0))}, i32 ${count}, i32 ${isTransposed ? 1 : 0}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
      );
      return isStore ? [] : take(kernel, buffer, instruction);
    },
};
