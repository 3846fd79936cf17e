/**
 * How cuBLASXt cuts a routine of level 3: for each tile of the result the calls of cuBLAS that make it, with tiles of the operands. Tiles
 * on a diagonal take the routine itself, others a product of general matrices.
 */

/** Part of a matrix as it is stored. `c`: the result, also where a tile of it is needed for another. */
export interface Block {
  of: 'a' | 'b' | 'c';
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** A scalar of the call, or a constant; `conjugate`: of alpha. */
export type Scalar = 'alpha' | 'conjugate' | 'beta' | 'one' | 'minusOne';

/** A call of cuBLAS. A block is two arguments, address and leading dimension; `tile`: that of the result. */
export interface Step {
  routine: string;
  args: readonly (number | Scalar | Block | 'tile')[];
}

/** `keeps`: what is in the tile before counts; `beta`: unless that is 0. */
export interface Tile {
  block: Block;
  keeps: boolean | 'beta';
  steps: readonly Step[];
}

/** Tiles of which each may need those before it. */
export type Chain = readonly Tile[];

/** Indices of a dimension that a tile has. */
interface Range {
  at: number;
  length: number;
}

/** Of nothing one of no length, so that what is summed over it is zero. */
function rangesOf(length: number, most: number): Range[] {
  const count = Math.max(1, Math.ceil(length / most));
  return Array.from({ length: count }, (_, i) => ({ at: i * most, length: Math.min(most, length - i * most) }));
}

const block = (of: Block['of'], rows: Range, columns: Range): Block => ({
  ...{ of, row: rows.at, column: columns.at, rows: rows.length, columns: columns.length },
});
/** The part of a stored matrix whose `op` has these rows and columns. */
const operand = (of: Block['of'], trans: number, rows: Range, columns: Range): Block =>
  trans === 0 ? block(of, rows, columns) : block(of, columns, rows);

interface Product {
  ops: [number, number];
  inner: Range;
  a: Block;
  b: Block;
  alpha?: Scalar;
  beta: Scalar;
}

function gemm(rows: Range, columns: Range, { ops, inner, a, b, alpha = 'alpha', beta }: Product): Step {
  const sizes = [rows.length, columns.length, inner.length];
  return { routine: 'gemm', args: [...ops, ...sizes, alpha, a, b, beta, 'tile'] };
}

/** Tiles in an order of a grid's, each of them alone. */
const alone = (tiles: readonly Tile[]): Chain[] => tiles.map((tile) => [tile]);

/** C = alpha op(A) op(B) + beta C. */
export function productTiles(most: number, ops: [number, number], sizes: { m: number; n: number; k: number }): Chain[] {
  const inners = rangesOf(sizes.k, most);
  return alone(
    rangesOf(sizes.n, most).flatMap((columns) =>
      rangesOf(sizes.m, most).map((rows) => ({
        block: block('c', rows, columns),
        keeps: 'beta' as const,
        steps: inners.map((inner, turn) => {
          const [a, b] = [operand('a', ops[0], rows, inner), operand('b', ops[1], inner, columns)];
          return gemm(rows, columns, { ops, inner, a, b, beta: turn === 0 ? 'beta' : 'one' });
        }),
      })),
    ),
  );
}

/** `second`: the matrix that op(A) is multiplied with; `two`: and the other way round. */
export interface RankUpdate {
  routine: string;
  upper: boolean;
  trans: number;
  n: number;
  k: number;
  hermitian: boolean;
  second: 'a' | 'b';
  two: boolean;
}

/** A triangle of C = alpha op(A) op(B)' + beta C, and its counterpart where there are two. */
export function rankTiles(most: number, of: RankUpdate): Chain[] {
  const { routine, upper, trans, hermitian, second, two } = of;
  const turned = hermitian ? 2 : 1;
  const ops: [number, number] = trans === 0 ? [0, turned] : [turned, 0];
  const ranges = rangesOf(of.n, most);
  const inners = rangesOf(of.k, most);
  const pairs = ranges.flatMap((columns) => ranges.map((rows) => [rows, columns] as const));
  const stored = pairs.filter(([rows, columns]) => (upper ? rows.at <= columns.at : rows.at >= columns.at));
  return alone(
    stored.map(([rows, columns]) => ({
      block: block('c', rows, columns),
      keeps: rows === columns || 'beta',
      steps: inners.flatMap((inner, turn): Step[] => {
        const beta: Scalar = turn === 0 ? 'beta' : 'one';
        const part = (matrix: Block['of'], range: Range): Block => operand(matrix, trans, range, inner);
        if (rows === columns) {
          const own = second === 'a' ? [part('a', rows)] : [part('a', rows), part('b', rows)];
          const args = [Number(upper), trans, rows.length, inner.length, 'alpha' as const, ...own, beta];
          return [{ routine, args: [...args, 'tile'] }];
        }
        const first = gemm(rows, columns, { ops, inner, a: part('a', rows), b: part(second, columns), beta });
        if (!two) return [first];
        const alpha = hermitian ? 'conjugate' : 'alpha';
        const back = { ops, inner, a: part('b', rows), b: part('a', columns), alpha, beta: 'one' } as const;
        return [first, gemm(rows, columns, back)];
      }),
    })),
  );
}

/** `right`: on which side of B the matrix A stands. */
interface Sided {
  right: boolean;
  upper: boolean;
  m: number;
  n: number;
}

/** C = alpha A B + beta C or alpha B A + beta C, with a symmetric or hermitian A of which a triangle is stored. */
export function symmetricTiles(most: number, of: Sided & { routine: string; hermitian: boolean }): Chain[] {
  const { routine, right, upper, hermitian } = of;
  const [all, across] = [rangesOf(of.m, most), rangesOf(of.n, most)];
  /** The part of A with these rows and columns, and what is to be done with it. */
  const partOf = (rows: Range, columns: Range): [number, Block] =>
    upper === rows.at < columns.at ? [0, block('a', rows, columns)] : [hermitian ? 2 : 1, block('a', columns, rows)];
  const step = (rows: Range, columns: Range, inner: Range, beta: Scalar): Step => {
    const other = right ? block('b', rows, inner) : block('b', inner, columns);
    const own = right ? columns : rows;
    if (inner.at === own.at) {
      const args = [Number(right), Number(upper), rows.length, columns.length, 'alpha' as const];
      return { routine, args: [...args, block('a', own, own), other, beta, 'tile'] };
    }
    const [op, part] = right ? partOf(inner, columns) : partOf(rows, inner);
    return right
      ? gemm(rows, columns, { ops: [0, op], inner, a: other, b: part, beta })
      : gemm(rows, columns, { ops: [op, 0], inner, a: part, b: other, beta });
  };
  return alone(
    across.flatMap((columns) =>
      all.map((rows) => ({
        block: block('c', rows, columns),
        keeps: 'beta' as const,
        steps: (right ? across : all).map((inner, turn) => step(rows, columns, inner, turn === 0 ? 'beta' : 'one')),
      })),
    ),
  );
}

/** What B is multiplied with, or divided by. */
export interface Triangle extends Sided {
  trans: number;
  unit: boolean;
}

/**
 * Chains of a triangle: a row or a column of tiles each, along the triangle in an order in which every tile comes before those that it is
 * overwritten for. `make`: from the tile's place, the range of the triangle's diagonal that it belongs to, and the ranges beside it that count.
 */
function alongTriangle(
  most: number,
  { right, upper, trans, m, n }: Triangle,
  solves: boolean,
  make: (rows: Range, columns: Range, own: Range, others: Range[]) => Tile,
): Chain[] {
  const [all, across] = [rangesOf(m, most), rangesOf(n, most)];
  const [along, chains] = right ? [across, all] : [all, across];
  const isUpper = upper !== (trans !== 0);
  /** A tile needs those of the diagonal's ranges behind its own, or before it. */
  const needsLater = isUpper !== right;
  const order = needsLater === solves ? [...along].reverse() : along;
  return chains.map((chain) =>
    order.map((own) => {
      const others = along.filter(({ at }) => (needsLater ? at > own.at : at < own.at));
      return right ? make(chain, own, own, others) : make(own, chain, own, others);
    }),
  );
}

/** The product of a part of op(A), beside the diagonal, and a tile of another matrix. */
function besideDiagonal(
  { right, trans }: Triangle,
  [rows, columns]: readonly [Range, Range],
  { inner, from, alpha, beta }: { inner: Range; from: 'b' | 'c'; alpha: Scalar; beta: Scalar },
): Step {
  return right
    ? gemm(rows, columns, {
        ...{ ops: [0, trans], inner, alpha, beta },
        ...{ a: block(from, rows, inner), b: operand('a', trans, inner, columns) },
      })
    : gemm(rows, columns, {
        ...{ ops: [trans, 0], inner, alpha, beta },
        ...{ a: operand('a', trans, rows, inner), b: block(from, inner, columns) },
      });
}

const callOf = (routine: string, ...args: Step['args']): Step => ({ routine, args });

const flags = ({ right, upper, trans, unit }: Triangle): number[] => [
  Number(right),
  Number(upper),
  trans,
  Number(unit),
];

/** C = alpha op(A) B or alpha B op(A) with a triangular A; C may be B. */
export function triangularTiles(most: number, triangle: Triangle): Chain[] {
  return alongTriangle(most, triangle, false, (rows, columns, own, others) => ({
    block: block('c', rows, columns),
    keeps: false,
    steps: [
      callOf(
        'trmm',
        ...flags(triangle),
        rows.length,
        columns.length,
        'alpha',
        block('a', own, own),
        block('b', rows, columns),
        'tile',
      ),
      ...others.map((inner) =>
        besideDiagonal(triangle, [rows, columns], { inner, from: 'b', alpha: 'alpha', beta: 'one' }),
      ),
    ],
  }));
}

/** op(A) X = alpha B or X op(A) = alpha B with a triangular A; X takes B's place. */
export function solvingTiles(most: number, triangle: Triangle): Chain[] {
  return alongTriangle(most, triangle, true, (rows, columns, own, others) => ({
    block: block('c', rows, columns),
    keeps: true,
    steps: [
      ...others.map((inner, turn) =>
        besideDiagonal(triangle, [rows, columns], {
          ...{ inner, from: 'c', alpha: 'minusOne', beta: turn === 0 ? 'alpha' : 'one' },
        }),
      ),
      callOf(
        'trsm',
        ...flags(triangle),
        rows.length,
        columns.length,
        others.length === 0 ? 'alpha' : 'one',
        block('a', own, own),
        'tile',
      ),
    ],
  }));
}
