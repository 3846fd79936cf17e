/** Matrix instructions: wmma, mma.sync, ldmatrix, stmatrix. The arithmetic is in runtime/tensor.c. */
import type { Instruction } from '../../ir/ir.ts';
import { leavesOf } from '../../ir/ir.ts';
import { matrixElement } from '../layout.ts';
import type { KernelContext } from './kernel/context.ts';
import { add, addFamily, arg } from './table.ts';
import { laneType, type Leaf } from './writer.ts';

/** -1: there is none, as of the eight-bit floats. */
const code = (type: string): number => matrixElement[type as keyof typeof matrixElement] ?? -1;
const bitsOf = (type: string): number =>
  /16$/.test(type)
    ? 16
    : /^[su]8$/.test(type)
      ? 8
      : /^[su]4$/.test(type)
        ? 4
        : type === 'b1'
          ? 1
          : type === 'f64'
            ? 64
            : 32;

interface Shape {
  m: number;
  n: number;
  k: number;
}
function shapeOf(text: string): Shape {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(text) ?? [];
  return { m: Number(m), n: Number(n), k: Number(k) };
}
const shapeCode = ({ m, n, k }: Shape): number => m | (n << 8) | (k << 16);
/** Registers that a tile of so many elements takes in each lane. */
const registers = (elements: number, type: string): number =>
  Math.max(1, (elements * (type === 'f64' ? 32 : bitsOf(type))) / 1024);

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
  shape: Shape,
  [d, a, b, c]: [string, string, string, string],
  flags: number,
  fragments: boolean,
): Leaf[] {
  const w = kernel.writer;
  const perLeaf = (type: string): number => (args[0]?.type === 'i16' && (type === 'f16' || type === 'bf16') ? 2 : 1);
  let countA = registers(shape.m * shape.k, a) * perLeaf(a);
  let countB = registers(shape.k * shape.n, b) * perLeaf(b);
  // wmma fragments of halves have 16 elements, whatever they need.
  const [usedA, usedB] = [countA, countB];
  if (fragments && a === 'f16') countA = countB = 16;
  const restC = args.slice(countA + countB);
  const buffers = kernel.entry.buffers(['a', 'b', 'c', 'd']);
  const [left, right, before, after] = buffers as [string, string, string, string];
  put(kernel, left, args.slice(0, usedA));
  put(kernel, right, args.slice(countA, countA + usedB));
  put(kernel, before, restC);
  const packed = code(a) | (code(b) << 4) | (code(c) << 8) | (code(d) << 12);
  w.line(
    `call void @matrix_multiply(ptr ${left}, ptr ${right}, ptr ${before}, ptr ${after}, i32 ${shapeCode(shape)}, i32 ${packed}, i32 ${flags})`,
  );
  return take(kernel, after, instruction);
}

/** HMMA, IMMA and DMMA do 16 x 8 x 16 halves (sm_80); others in proportion to their bits. */
function instructionsOf(shape: Shape, a: string): number {
  const most = a === 'f64' ? 8 * 8 * 4 : (16 * 8 * 256) / bitsOf(a);
  return Math.max(1, Math.round((shape.m * shape.n * shape.k) / most));
}

addFamily(
  /^simsight\.mma\.(m\d+n\d+k\d+)\.(\w+)\.(\w+)\.(\w+)\.(\w+?)(\.satfinite)?(\.and)?$/,
  ([, text, d, a, b, c, sat, and]) => {
    const shape = shapeOf(text ?? '');
    const all = [d, a, b, c] as [string, string, string, string];
    if (all.some((type) => code(type) < 0) || (shape.m === 8 && a === 'f16')) return undefined;
    return {
      uniformity: 'divergent',
      narrow: true,
      cost: { tensor: instructionsOf(shape, a ?? '') },
      emit: (kernel, args, instruction) =>
        multiply(kernel, args, instruction, shape, all, (sat ? 1 : 0) | (and ? 2 : 0), false),
    };
  },
);
addFamily(
  /^llvm\.nvvm\.(wmma|mma)\.(m\d+n\d+k\d+)(?:\.mma)?(\.and\.popc|\.xor\.popc)?\.(row|col)\.(row|col)((?:\.rn)?)((?:\.(?:and|xor)\.popc)?)(\.satfinite)?\.([\w.]+?)(\.satfinite)?$/,
  ([, form, text, popc, , , , popcAfter, sat, names, satAfter]) => {
    const shape = shapeOf(text ?? '');
    const parts = (names ?? '').split('.');
    let all: [string, string, string, string];
    const [first = '', second] = parts;
    if (/^f(16|32)$/.test(first)) all = [first, 'f16', 'f16', second ?? first];
    else if (first === 'f64') all = ['f64', 'f64', 'f64', 'f64'];
    else if (first === 'bf16' || first === 'tf32') all = ['f32', first, first, 'f32'];
    else if (/^([su][48]|b1)$/.test(first)) all = ['s32', first, second ?? first, 's32'];
    else return undefined;
    if (all.some((type) => code(type) < 0) || (form === 'mma' && shape.m === 8 && all[1] === 'f16')) return undefined;
    const flags =
      (sat !== undefined || satAfter !== undefined ? 1 : 0) |
      (`${popc ?? ''}${popcAfter ?? ''}`.includes('and') ? 2 : 0);
    return {
      uniformity: 'divergent',
      narrow: true,
      cost: { tensor: instructionsOf(shape, all[1]) },
      emit: (kernel, args, instruction) => multiply(kernel, args, instruction, shape, all, flags, form === 'wmma'),
    };
  },
);

addFamily(
  /^llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.(load|store)\.([abcd])\.(row|col)(\.stride)?\.(\w+?)(?:\.p\d+)?$/,
  ([, text, direction, matrix, layout, stride, type]) => {
    const shape = shapeOf(text ?? '');
    const what = matrix === 'a' ? 0 : matrix === 'b' ? 1 : 2;
    const elements = what === 0 ? shape.m * shape.k : what === 1 ? shape.k * shape.n : shape.m * shape.n;
    const used = registers(elements, type ?? '');
    if (code(type ?? '') < 0) return undefined;
    const isStore = direction === 'store';
    const side = what === 2 && bitsOf(type ?? '') === 32 && layout === 'row' ? 2 : 1;
    return {
      uniformity: 'divergent',
      narrow: true,
      memory: {
        kind: isStore ? 'store' : 'load',
        pointer: 0,
        times: used,
        // LDSM takes four 8 x 8 matrices of 16 bits; of rows of 32 bits, a lane has two side by side.
        together: {
          shared: bitsOf(type ?? '') === 16 && !isStore ? Math.min(4, used) : side,
          global: side,
        },
        transposed: bitsOf(type ?? '') === 16 && what !== 2 && (what === 0) !== (layout === 'row'),
      },
      emit: (kernel, args, instruction) => {
        const w = kernel.writer;
        const [buffer] = kernel.entry.buffers(['a']) as [string];
        const natural =
          what === 0
            ? layout === 'row'
              ? shape.k
              : shape.m
            : what === 1
              ? layout === 'row'
                ? shape.n
                : shape.k
              : layout === 'row'
                ? shape.n
                : shape.m;
        const step = stride === undefined ? w.constant('i32', natural) : (args.at(-1) as Leaf);
        if (isStore) put(kernel, buffer, args.slice(1, stride === undefined ? undefined : -1));
        for (let j = 0; j < used; j++) {
          const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0);
          const at = w.emit(`getelementptr i8, ptr ${buffer}, i32 ${(type === 'f64' ? 256 : 128) * j}`);
          w.line(
            `call void @fragment_access(ptr ${at}, <32 x i32> ${w.vector(arg(args, 0))}, <32 x i32> ${w.vector(step)}, i32 ${shapeCode(shape)}, i32 ${what}, i32 ${code(type ?? '')}, i32 ${layout === 'col' ? 1 : 0}, i32 ${j}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
          );
        }
        if (isStore) return [];
        // Fragments of halves have 16 elements; those beyond what the tile needs repeat the others.
        const all = take(kernel, buffer, instruction);
        const have = used * (all[0]?.type === 'i16' ? 2 : 1);
        return all.map((leaf, i) => (i < have ? leaf : (all[i % have] as Leaf)));
      },
    };
  },
);

addFamily(
  /^llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16(?:\.p\d+)?$/,
  ([, direction, countText, trans]) => {
    const count = Number(countText);
    const isStore = direction === 'st';
    return {
      uniformity: 'divergent',
      memory: { kind: isStore ? 'store' : 'load', pointer: 0, times: 1 },
      emit: (kernel, args, instruction) => {
        const w = kernel.writer;
        const [buffer] = kernel.entry.buffers(['a']) as [string];
        if (isStore) put(kernel, buffer, args.slice(1));
        const { site, space } = kernel.counters.siteOf(instruction, isStore ? 'store' : 'load', 0);
        w.line(
          `call void @matrix_rows(ptr ${buffer}, <32 x i32> ${w.vector(arg(args, 0))}, i32 ${count}, i32 ${trans ? 1 : 0}, i32 ${isStore ? 1 : 0}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
        );
        return isStore ? [] : take(kernel, buffer, instruction);
      },
    };
  },
);
add(
  'simsight.movmatrix llvm.nvvm.movmatrix.sync.aligned.m8n8.trans.b16',
  { shuffle: 1 },
  (kernel, args, instruction) => {
    const [from, to] = kernel.entry.buffers(['a', 'b']) as [string, string];
    put(kernel, from, args);
    kernel.writer.line(`call void @matrix_transpose(ptr ${to}, ptr ${from})`);
    return take(kernel, to, instruction);
  },
  'divergent',
);
