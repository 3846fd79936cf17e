/** Matrix instructions: wmma, mma.sync, ldmatrix, stmatrix. */
import type { Opcode } from '../../model/opcodes.ts';
import { i32 } from '../ir.ts';
import type { Called, Family, Row } from './called.ts';

/** Types of elements: how many bits, and the opcode that multiplies them. Eight-bit floats are not among them. */
const elements = {
  f16: { bits: 16, product: 'HMMA' },
  bf16: { bits: 16, product: 'HMMA' },
  tf32: { bits: 32, product: 'HMMA.TF32' },
  f64: { bits: 64, product: 'DMMA' },
  s8: { bits: 8, product: 'IMMA' },
  u8: { bits: 8, product: 'IMMA' },
  s4: { bits: 4, product: 'IMMA.S4' },
  u4: { bits: 4, product: 'IMMA.S4' },
  b1: { bits: 1, product: 'BMMA' },
  // Only added to.
  f32: { bits: 32, product: 'HMMA' },
  s32: { bits: 32, product: 'HMMA' },
} as const satisfies Record<string, { bits: number; product: Opcode }>;
export type Element = keyof typeof elements;
const isElement = (type: string): type is Element => type in elements;

export interface Shape {
  m: number;
  n: number;
  k: number;
}
function shapeOf(text: string): Shape {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(text) ?? [];
  return { m: Number(m), n: Number(n), k: Number(k) };
}
/** Registers that a tile of so many elements takes in each lane. */
export const tileRegisters = (count: number, type: Element): number =>
  Math.max(1, (count * (type === 'f64' ? 32 : elements[type].bits)) / 1024);

export interface Product {
  shape: Shape;
  /** Element types of d, a, b and c in d = a b + c. */
  types: [Element, Element, Element, Element];
  isSaturated: boolean;
  /** Bits are multiplied by AND, not XOR. */
  isAnd: boolean;
  /** Operands are fragments of wmma. */
  isFragments: boolean;
}
/** Null for types and shapes that are not done. */
function productOf(
  shape: Shape,
  types: readonly string[],
  flags: Pick<Product, 'isSaturated' | 'isAnd' | 'isFragments'>,
): Product | undefined {
  if (!types.every(isElement)) return undefined;
  if (!flags.isFragments && shape.m === 8 && types[1] === 'f16') return undefined;
  return { shape, types: types as Product['types'], ...flags };
}
/** HMMA, IMMA and DMMA do 16 x 8 x 16 halves (sm_80); others in proportion to their bits. */
function describeProduct({ shape, types: [, a] }: Product): Called {
  const { bits, product } = elements[a];
  const most = a === 'f64' ? 8 * 8 * 4 : (16 * 8 * 256) / bits;
  return {
    uniformity: 'divergent',
    narrow: true,
    cost: { tensor: Math.max(1, Math.round((shape.m * shape.n * shape.k) / most)) },
    opcodes: { tensor: product },
  };
}
const product: Family<Product> = {
  pattern: /^simsight\.mma\.(m\d+n\d+k\d+)\.(\w+)\.(\w+)\.(\w+)\.(\w+?)(\.satfinite)?(\.and)?$/,
  parts: ([, shape = '', d = '', a = '', b = '', c = '', satfinite, and]) =>
    productOf(shapeOf(shape), [d, a, b, c], {
      isSaturated: satfinite !== undefined,
      isAnd: and !== undefined,
      isFragments: false,
    }),
  describe: describeProduct,
};
/** Types of d, a, b, c by those that intrinsics name. */
function namedTypes(names: string): readonly string[] | null {
  const [first = '', second] = names.split('.');
  if (/^f(16|32)$/.test(first)) return [first, 'f16', 'f16', second ?? first];
  if (first === 'f64') return ['f64', 'f64', 'f64', 'f64'];
  if (first === 'bf16' || first === 'tf32') return ['f32', first, first, 'f32'];
  if (/^([su][48]|b1)$/.test(first)) return ['s32', first, second ?? first, 's32'];
  return null;
}
const intrinsicProduct: Family<Product> = {
  pattern:
    /^llvm\.nvvm\.(wmma|mma)\.(m\d+n\d+k\d+)(?:\.mma)?(\.and\.popc|\.xor\.popc)?\.(row|col)\.(row|col)((?:\.rn)?)((?:\.(?:and|xor)\.popc)?)(\.satfinite)?\.([\w.]+?)(\.satfinite)?$/,
  parts: ([, form, shape = '', popc, , , , popcAfter, sat, names = '', satAfter]) => {
    const types = namedTypes(names);
    if (types === null) return undefined;
    return productOf(shapeOf(shape), types, {
      isSaturated: sat !== undefined || satAfter !== undefined,
      isAnd: `${popc ?? ''}${popcAfter ?? ''}`.includes('and'),
      isFragments: form === 'wmma',
    });
  },
  describe: describeProduct,
};

export interface FragmentAccess {
  shape: Shape;
  isStore: boolean;
  matrix: 'a' | 'b' | 'accumulator';
  layout: 'row' | 'col';
  /** The last operand says how far rows or columns are apart. */
  hasStride: boolean;
  type: Element;
  /** Registers of the tile in each lane. */
  used: number;
}
const fragments: Family<FragmentAccess> = {
  pattern: /^llvm\.nvvm\.wmma\.(m\d+n\d+k\d+)\.(load|store)\.([abcd])\.(row|col)(\.stride)?\.(\w+?)(?:\.p\d+)?$/,
  parts: ([, text = '', direction, letter, layout, stride, type = '']) => {
    if (!isElement(type)) return undefined;
    const shape = shapeOf(text);
    const matrix = letter === 'a' || letter === 'b' ? letter : 'accumulator';
    const count = matrix === 'a' ? shape.m * shape.k : matrix === 'b' ? shape.k * shape.n : shape.m * shape.n;
    return {
      shape,
      isStore: direction === 'store',
      matrix,
      layout: layout === 'row' ? 'row' : 'col',
      hasStride: stride !== undefined,
      type,
      used: tileRegisters(count, type),
    };
  },
  describe: ({ isStore, matrix, layout, type, used }) => {
    const { bits } = elements[type];
    const side = matrix === 'accumulator' && bits === 32 && layout === 'row' ? 2 : 1;
    const isTransposed = bits === 16 && matrix !== 'accumulator' && (matrix === 'a') !== (layout === 'row');
    return {
      uniformity: 'divergent',
      narrow: true,
      memory: {
        kind: isStore ? 'store' : 'load',
        pointer: 0,
        times: used,
        // LDSM takes four 8 x 8 matrices of 16 bits; of rows of 32 bits, a lane has two side by side.
        together: { shared: bits === 16 && !isStore ? Math.min(4, used) : side, global: side },
        transposes: isTransposed ? 'MOVM' : undefined,
      },
    };
  },
};

export interface MatrixRows {
  isStore: boolean;
  count: number;
  isTransposed: boolean;
}
const matrixRows: Family<MatrixRows> = {
  pattern: /^llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16(?:\.p\d+)?$/,
  parts: ([, direction, count, transposed]) => ({
    isStore: direction === 'st',
    count: Number(count),
    isTransposed: transposed !== undefined,
  }),
  describe: ({ isStore }) => ({
    uniformity: 'divergent',
    memory: { kind: isStore ? 'store' : 'load', pointer: 0, times: 1 },
  }),
};

export const tensor = {
  'simsight.movmatrix': {
    also: 'llvm.nvvm.movmatrix.sync.aligned.m8n8.trans.b16',
    uniformity: 'divergent',
    cost: { shuffle: 1 },
    opcodes: { shuffle: 'SHFL' },
    ptx: { opcodes: 'movmatrix', result: i32, operands: [i32] },
  },
} satisfies Record<string, Row>;

export const tensorFamilies = { product, intrinsicProduct, fragments, matrixRows };
