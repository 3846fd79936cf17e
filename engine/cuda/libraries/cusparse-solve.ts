/** cuSPARSE's triangular systems and incomplete factorizations: analysed once into levels of rows, which kernels then go through. */
import { Areas, scan, scanInts, transpose, transposedAreas } from './cusparse-indices.ts';
import {
  ceilDiv,
  inOrder,
  lanesFor,
  size,
  type Call,
  type Cusparse,
  type CusparseCalls,
  type Handle,
} from './cusparse.ts';
import {
  columnOf,
  denseStruct,
  elementsOf,
  format,
  letters,
  rowsOf,
  sparseStruct,
  status,
  type Elements,
  type Rows,
  type SparseMatrix,
} from './cusparse-matrices.ts';
import { Words } from './library.ts';

/** Levels of so many threads' work are spread over all SMs; others are left to one block, which goes on to the next by itself. */
const mostInBlock = 8192;
/** An int of bytes that a memset writes: above all rows. */
const noRow = 0x7f7f7f7f;
const noRowByte = 0x7f;

/** Levels that one launch goes through. */
interface Step {
  first: number;
  end: number;
  /** The most rows of one of them. */
  width: number;
}

interface Levels {
  order: number;
  starts: number;
  steps: Step[];
}

/** Areas of {@link levelsOf}. */
const levelAreas = (areas: Areas, n: number) => ({
  levels: areas.ints(n),
  order: areas.ints(n),
  counts: areas.ints(n),
  starts: areas.ints(n + 1),
  next: areas.ints(n + 1),
  highest: areas.ints(1),
  scratch: areas.ints(scanInts(n)),
});

function stepsOf(starts: Int32Array, lanes: number): Step[] {
  const steps: Step[] = [];
  let last: Step | null = null;
  for (let level = 0; level + 1 < starts.length; level++) {
    const width = starts[level + 1]! - starts[level]!;
    if (width * lanes > mostInBlock) {
      steps.push({ first: level, end: level + 1, width });
      last = null;
    } else if (last) {
      last.end = level + 1;
      last.width = Math.max(last.width, width);
    } else {
      last = { first: level, end: level + 1, width };
      steps.push(last);
    }
  }
  return steps;
}

/** Levels of a triangle of a matrix, whose number the host waits for. */
function levelsOf(
  sparse: Cusparse,
  handle: Handle,
  rows: Rows,
  { lower, lanes }: { lower: boolean; lanes: number },
  areas: ReturnType<typeof levelAreas>,
): Levels | number {
  const n = rows.rows;
  const { levels, order, counts, starts, next, highest, scratch } = areas;
  if (n === 0) return { order, starts, steps: [] };
  let code = inOrder(
    () => sparse.block(handle, 'levels', 1024, sparseStruct(rows), lower ? 1 : 0, levels),
    () => sparse.fill(handle, highest, 0, 4),
    () => sparse.grid(handle, 'highest', { x: Math.min(ceilDiv(n, 256), 2 * sparse.smCount) }, n, levels, highest),
  );
  if (code !== status.SUCCESS) return code;
  const count = sparse.integers(handle, highest, 1)?.[0];
  if (count === undefined || count < 1) return status.EXECUTION_FAILED;
  code = inOrder(
    () => sparse.fill(handle, counts, 0, 4 * count),
    () => sparse.each(handle, 'count', n, n, levels, 0, 1, counts),
    () => scan(sparse, handle, { n: count, counts, out: starts, base: 0, scratch }),
    () => sparse.copy(handle, next, starts, 4 * (count + 1)),
    () => sparse.each(handle, 'order', n, n, levels, next, order),
  );
  if (code !== status.SUCCESS) return code;
  const begins = sparse.integers(handle, starts, count + 1);
  return begins === null ? status.EXECUTION_FAILED : { order, starts, steps: stepsOf(begins, lanes) };
}

/** Launches a kernel for all levels, and for each of so many columns. */
function eachStep(
  sparse: Cusparse,
  handle: Handle,
  { order, starts, steps }: Levels,
  { kernel, lanes, columns }: { kernel: string; lanes: number; columns: number },
  values: (levels: Uint8Array) => (number | Uint8Array)[],
): number {
  return inOrder(
    ...steps.map(({ first, end, width }) => () => {
      const words = new Words();
      words.pointers(order, starts);
      words.ints(first, end);
      const work = width * lanes;
      const isWide = work > mostInBlock;
      const threads = isWide ? 256 : Math.min(1024, 32 * ceilDiv(work, 32));
      const grid = { x: isWide ? ceilDiv(work, threads) : 1, y: columns, z: 1 };
      return sparse.launch(handle, `cusparse_${kernel}`, grid, threads, ...values(words.bytes));
    }),
  );
}

/** What an analysis leaves for the solution. */
interface Analysis {
  rows: Rows;
  /** Of a transposed matrix: entries' places among its values; 0: they lie as the entries do. */
  places: number;
  lower: boolean;
  lanes: number;
  levels: Levels;
}

/** `cusparseSpSVDescr_t` and `cusparseSpSMDescr_t`; null before the analysis. */
type Solves = Map<number, { analysis: Analysis | null }>;

const solveAreas = (areas: Areas, n: number, entries: number) => ({
  ...levelAreas(areas, n),
  cooOffsets: areas.ints(n + 1),
  transposed: transposedAreas(areas, n, entries),
});

/** A system that a call asks for. */
interface System {
  a: SparseMatrix;
  b: Elements;
  x: Elements;
  conjugateB: boolean;
  operation: number;
  alpha: number;
  letter: string;
  type: number;
  descr: number;
}

type Checked = System | number;

function checkMatrix(a: SparseMatrix, operation: number, type: number, others: number[]): string | number {
  if (a.rows !== a.columns || operation < 0 || operation > 2) return status.INVALID_VALUE;
  const letter = letters.get(type);
  if (letter === undefined || a.type !== type || others.some((other) => other !== type)) return status.NOT_SUPPORTED;
  // Rows of a list of entries are counted as ints of 32 bits.
  return a.format === format.coo && a.wideIndices ? status.NOT_SUPPORTED : letter;
}

/** Of the arguments of `cusparseSpSV_…`. */
function vectorSystem(sparse: Cusparse, args: number[]): Checked {
  const [operation, alpha, matA, vecX, vecY, type, , descr] = args as [number, number, ...number[]];
  const [a, x, y] = [sparse.sparse(matA!), sparse.vector(vecX!), sparse.vector(vecY!)];
  if (!a || !x || !y || alpha === 0 || x.size !== a.rows || y.size !== a.rows) return status.INVALID_VALUE;
  const letter = checkMatrix(a, operation, type!, [x.type, y.type]);
  if (typeof letter === 'number') return letter;
  const sides = { b: columnOf(x), x: columnOf(y), conjugateB: false };
  return { a, ...sides, operation, alpha, letter, type: type!, descr: descr! };
}

/** Of the arguments of `cusparseSpSM_…`. */
function matrixSystem(sparse: Cusparse, args: number[]): Checked {
  const [operation, operationB, alpha, matA, matB, matC, type, , descr] = args as [number, number, ...number[]];
  const [a, b, c] = [sparse.sparse(matA!), sparse.dense(matB!), sparse.dense(matC!)];
  if (!a || !b || !c || alpha === 0 || operationB < 0 || operationB > 2) return status.INVALID_VALUE;
  const [right, x] = [elementsOf(b, operationB), elementsOf(c)];
  if (right.rows !== a.rows || x.rows !== a.rows || right.columns !== x.columns) return status.INVALID_VALUE;
  const letter = checkMatrix(a, operation, type!, [b.type, c.type]);
  if (typeof letter === 'number') return letter;
  const sides = { b: right, x, conjugateB: operationB === 2 };
  return { a, ...sides, operation, alpha: alpha!, letter, type: type!, descr: descr! };
}

/** Rows of what is solved for: those of the matrix, or of its transpose. */
function analyse(sparse: Cusparse, handle: Handle, { a, operation }: System, buffer: number): Analysis | number {
  const areas = solveAreas(new Areas(buffer), a.rows, a.entries);
  const source = rowsOf(a);
  const isTransposed = operation !== 0;
  const lower = a.upper === isTransposed;
  const turns = (a.format === format.csc) !== isTransposed;
  const narrow = { base: 0, wideOffsets: false, wideIndices: false };
  let rows = source;
  let places = 0;
  let code = status.SUCCESS;
  if (turns) {
    const { offsets, indices } = areas.transposed;
    code = transpose(sparse, handle, source, areas.transposed, 0);
    places = areas.transposed.places;
    rows = { ...source, ...narrow, offsets, indices, rows: source.columns, columns: source.rows };
  } else if (a.format === format.coo) {
    const values = [a.entries, a.rowIndices, a.rows, areas.cooOffsets, a.base] as const;
    code = sparse.each(handle, 'coo2csr', a.entries + 1, ...values);
    rows = { ...source, offsets: areas.cooOffsets };
  }
  if (code !== status.SUCCESS) return code;
  // Half of the entries are in the triangle.
  const lanes = lanesFor(a.entries / 2, a.rows);
  const levels = levelsOf(sparse, handle, rows, { lower, lanes }, areas);
  return typeof levels === 'number' ? levels : { rows, places, lower, lanes, levels };
}

function solve(sparse: Cusparse, handle: Handle, system: System, analysis: Analysis): number {
  const { a, b, x, conjugateB, operation, alpha, letter, type } = system;
  const { rows, places, lower, lanes, levels } = analysis;
  if (x.columns === 0) return status.SUCCESS;
  const words = new Words();
  words.pointers(places);
  words.ints(lower ? 1 : 0, a.unit ? 1 : 0, operation === 2 ? 1 : 0, lanes);
  // As `struct Triangle`. The values are those that the matrix has now.
  const triangle = Buffer.concat([sparseStruct({ ...rows, values: a.values }), words.bytes]);
  const scalar = sparse.scalar(handle, alpha, type);
  const sides = [denseStruct(b), denseStruct(x)] as const;
  return eachStep(sparse, handle, levels, { kernel: `${letter}sv_levels`, lanes, columns: x.columns }, (which) => [
    triangle,
    which,
    ...sides,
    ...scalar,
    conjugateB ? 1 : 0,
  ]);
}

/** The four calls of a kind of system; `place`: that of the size among the arguments of `bufferSize`. */
function solveCalls(name: string, check: (sparse: Cusparse, args: number[]) => Checked, place: number): CusparseCalls {
  const solves: Solves = new Map();
  const withSystem =
    (act: (sparse: Cusparse, handle: Handle, system: System, args: number[]) => number): Call =>
    (sparse, handle, args) => {
      const system = check(sparse, args);
      if (typeof system === 'number') return system;
      return solves.has(system.descr) ? act(sparse, handle, system, args) : status.INVALID_VALUE;
    };
  return {
    calls: {
      [`${name}_bufferSize`]: withSystem((sparse, handle, { a }, args) =>
        size(place, () => {
          const areas = new Areas(0);
          solveAreas(areas, a.rows, a.entries);
          return areas.bytes;
        })(sparse, handle, args),
      ),
      [`${name}_analysis`]: withSystem((sparse, handle, system, args) => {
        const analysis = analyse(sparse, handle, system, args[place]!);
        if (typeof analysis === 'number') return analysis;
        solves.get(system.descr)!.analysis = analysis;
        return status.SUCCESS;
      }),
      [`${name}_solve`]: withSystem((sparse, handle, system) => {
        const { analysis } = solves.get(system.descr)!;
        return analysis === null ? status.INVALID_VALUE : solve(sparse, handle, system, analysis);
      }),
    },
    objects: {
      [`${name}_createDescr`]: (sparse, [target]) => sparse.all.add(solves, target!, { analysis: null }),
      [`${name}_destroyDescr`]: (_sparse, [descr]) =>
        descr === 0 || solves.delete(descr!) ? status.SUCCESS : status.INVALID_VALUE,
    },
  };
}

/** `csrilu02Info_t` and `csric02Info_t`. */
interface FactorInfo {
  /** Where on the device the first row without a pivot is said; {@link noRow}: there is none. */
  zero: number;
  analysis: { levels: Levels; diagonal: number; base: number } | null;
}

const factorAreas = (areas: Areas, n: number) => ({ ...levelAreas(areas, n), diagonal: areas.ints(n) });

/** Arguments that the calls of a factorization have in common. */
function factorArguments(sparse: Cusparse, args: number[]) {
  const [m, entries, descr, values, offsets, indices, info] = args as [number, number, number, number, ...number[]];
  const description = sparse.all.matrices.get(descr);
  if (m < 0 || entries < 0 || !description) return status.INVALID_VALUE;
  if (description.type !== 0) return status.MATRIX_TYPE_NOT_SUPPORTED;
  if (m > 0 && (offsets === 0 || (entries > 0 && (indices === 0 || values === 0)))) return status.INVALID_VALUE;
  return { m, entries, values, offsets: offsets!, indices: indices!, info: info!, base: description.base };
}

/** The calls of an incomplete factorization, `csrilu02` or `csric02`, of all types. */
function factorCalls(name: string, kernel: string): CusparseCalls {
  const infos = new Map<number, FactorInfo>();
  const calls: Record<string, Call> = {
    [`cusparseX${name}_zeroPivot`]: (sparse, handle, [info, position]) => {
      const found = infos.get(info!);
      if (!found || position === 0) return status.INVALID_VALUE;
      const row = sparse.integers(handle, found.zero, 1)?.[0];
      if (row === undefined) return status.EXECUTION_FAILED;
      const value = row === noRow ? -1 : row + (found.analysis?.base ?? 0);
      if (handle.devicePointers) sparse.writeInt(position!, value);
      else sparse.give(position!, value);
      return value < 0 ? status.SUCCESS : status.ZERO_PIVOT;
    },
  };
  for (const letter of letters.values()) {
    const prefix = `cusparse${letter.toUpperCase()}${name}`;
    calls[`${prefix}_bufferSize`] = (sparse, _handle, args) => {
      const found = factorArguments(sparse, args);
      if (typeof found === 'number') return found;
      const areas = new Areas(0);
      factorAreas(areas, found.m);
      return sparse.give(args[7]!, areas.bytes);
    };
    calls[`${prefix}_analysis`] = (sparse, handle, args) => {
      const found = factorArguments(sparse, args);
      if (typeof found === 'number') return found;
      const info = infos.get(found.info);
      if (!info) return status.INVALID_VALUE;
      const { m, entries, values, offsets, indices, base } = found;
      const rows: Rows = {
        ...{ offsets, rowIndices: 0, indices, values, offsetStride: 0, entryStride: 0, rows: m, columns: m, entries },
        ...{ base, wideOffsets: false, wideIndices: false },
      };
      const areas = factorAreas(new Areas(args[8]!), m);
      const code = inOrder(
        () => sparse.fill(handle, info.zero, noRowByte, 4),
        () => sparse.warps(handle, 'diagonal', m, sparseStruct(rows), areas.diagonal, info.zero),
      );
      if (code !== status.SUCCESS) return code;
      const levels = levelsOf(sparse, handle, rows, { lower: true, lanes: 32 }, areas);
      if (typeof levels === 'number') return levels;
      info.analysis = { levels, diagonal: areas.diagonal, base };
      return status.SUCCESS;
    };
    calls[prefix] = (sparse, handle, args) => {
      const found = factorArguments(sparse, args);
      if (typeof found === 'number') return found;
      const info = infos.get(found.info);
      if (!info?.analysis) return status.INVALID_VALUE;
      const { levels, diagonal } = info.analysis;
      const words = new Words();
      words.pointers(found.offsets, found.indices, diagonal, info.zero);
      words.ints(found.base);
      const how = { kernel: `${letter}${kernel}_levels`, lanes: 32, columns: 1 };
      return inOrder(
        () => sparse.fill(handle, info.zero, noRowByte, 4),
        () => eachStep(sparse, handle, levels, how, (which) => [words.bytes, which, found.values]),
      );
    };
  }
  const upper = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return {
    calls,
    objects: {
      [`cusparseCreate${upper}Info`]: (sparse, [target]) => {
        if (target === 0) return status.INVALID_VALUE;
        const zero = sparse.allocate(16);
        if (zero === null) return status.ALLOC_FAILED;
        sparse.writeInt(zero, noRow);
        return sparse.all.add(infos, target!, { zero, analysis: null });
      },
      [`cusparseDestroy${upper}Info`]: (sparse, [info]) => {
        const found = infos.get(info!);
        if (found) sparse.release(found.zero);
        infos.delete(info!);
        return status.SUCCESS;
      },
    },
  };
}

/** Of one program: descriptions are its own. */
export const solvingCalls = (): CusparseCalls[] => [
  solveCalls('cusparseSpSV', vectorSystem, 8),
  solveCalls('cusparseSpSM', matrixSystem, 9),
  factorCalls('csrilu02', 'ilu'),
  factorCalls('csric02', 'ic'),
];
