/**
 * How cuFFT spreads arrays over GPUs, in complex cells (two real numbers that lie side by side are one). Natural order: rows of the first
 * dimension. Shuffled order, that of results: of arrays parts of the second dimension, all rows of each; of a single line strings of
 * substrings. The sizes of these are those that cuFFT 12 reports on an H200.
 */

export interface Range {
  first: number;
  count: number;
}

/** As equal parts as there can be; the first ones are larger by one. */
export function share(length: number, count: number): Range[] {
  const [least, more] = [Math.floor(length / count), length % count];
  return Array.from({ length: count }, (_, i) => ({
    first: i * least + Math.min(i, more),
    count: least + (i < more ? 1 : 0),
  }));
}

/** Rows of a block of cells: where the first one is, and how far it is to the next. `gpu`: null for the host. */
interface Place {
  gpu: number | null;
  offset: number;
  pitch: number;
}

/** A block of cells that goes from one place to another. */
export interface Move {
  from: Place;
  to: Place;
  width: number;
  rows: number;
}

export const backwards = (moves: readonly Move[]): Move[] =>
  moves.map(({ from, to, ...block }) => ({ from: to, to: from, ...block }));

/** An array of `rows` of `middle` rows of `inner` cells. */
export interface Cells {
  rows: number;
  middle: number;
  inner: number;
}

/** Cells of each GPU in the two orders. */
export const naturalCells = ({ rows, middle, inner }: Cells, gpus: number): number[] =>
  share(rows, gpus).map(({ count }) => count * middle * inner);
export const shuffledCells = ({ rows, middle, inner }: Cells, gpus: number): number[] =>
  share(middle, gpus).map(({ count }) => rows * count * inner);

/** From the host to natural order: each part is in one piece. */
export function hostToNatural(parts: readonly number[]): Move[] {
  let offset = 0;
  return parts.map((width, gpu) => {
    const from = { gpu: null, offset, pitch: width };
    offset += width;
    return { from, to: { gpu, offset: 0, pitch: width }, width, rows: 1 };
  });
}

export const hostToShuffled = ({ rows, middle, inner }: Cells, gpus: number): Move[] =>
  share(middle, gpus).map(({ first, count }, gpu) => {
    const width = count * inner;
    const from = { gpu: null, offset: first * inner, pitch: middle * inner };
    return { from, to: { gpu, offset: 0, pitch: width }, width, rows };
  });

/** Between GPUs: each has a block for each. */
export const naturalToShuffled = ({ rows, middle, inner }: Cells, gpus: number): Move[] =>
  share(rows, gpus).flatMap((own, i) =>
    share(middle, gpus).map(({ first, count }, j) => {
      const width = count * inner;
      return {
        from: { gpu: i, offset: first * inner, pitch: middle * inner },
        to: { gpu: j, offset: own.first * width, pitch: width },
        ...{ width, rows: own.count },
      };
    }),
  );

/** A line as cuFFT factors it: `cufftXt1dFactors`. */
export interface Factors {
  size: number;
  /** Strings on all GPUs together, cells of one, and of a substring. */
  strings: number;
  string: number;
  substring: number;
  factor1: number;
  factor2: number;
}

const leastBits = 6;
/** Of factor1, from the shortest line on. */
const factor1Bits = [4, 4, 5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 12, 12, 12, 12, 13, 14, 16, 16, 17];

/** Null: there can be no such line on so many GPUs. */
export function factorsOf(size: number, gpus: number): Factors | null {
  const bits = Math.log2(size);
  const factor1 = 2 ** factor1Bits[bits - leastBits]!;
  if (!Number.isInteger(bits) || Number.isNaN(factor1) || !Number.isInteger(Math.log2(gpus))) return null;
  const factor2 = size / factor1;
  if (factor2 < gpus) return null;
  const strings = size >= 16 * gpus ** 3 ? 4 * gpus : gpus;
  return { size, strings, string: size / strings, substring: factor1 / strings, factor1, factor2 };
}

/** Strings of all GPUs, with the place of the first cell in the line's own order. */
const stringsOf = ({ strings, string, substring }: Factors, gpus: number) =>
  Array.from({ length: strings }, (_, i) => ({
    gpu: Math.floor(i / (strings / gpus)),
    offset: (i % (strings / gpus)) * string,
    first: i * substring,
  }));

/** From a line in shuffled order to the host: cell k of the line is cell k modulo `substring` of a substring. */
export const lineToHost = (line: Factors, gpus: number): Move[] =>
  stringsOf(line, gpus).map(({ gpu, offset, first }) => ({
    from: { gpu, offset, pitch: line.substring },
    to: { gpu: null, offset: first, pitch: line.factor1 },
    ...{ width: line.substring, rows: line.factor2 },
  }));

export const lineToNatural = (line: Factors, gpus: number): Move[] =>
  stringsOf(line, gpus).flatMap(({ gpu, offset, first }) =>
    share(line.factor2, gpus).map((own, i) => ({
      from: { gpu, offset: offset + own.first * line.substring, pitch: line.substring },
      to: { gpu: i, offset: first, pitch: line.factor1 },
      ...{ width: line.substring, rows: own.count },
    })),
  );
