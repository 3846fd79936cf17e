/**
 * Which passes a transform is made of (`struct Pass` in cufft.cu). A line that fits into shared memory is one pass; a longer one
 * is two, of its factors, with factors of unity between them (Bailey, "FFTs in external or hierarchical memory", 1990); a length
 * with other prime factors than 2, 3, 5 and 7 is a convolution with a chirp (Bluestein).
 */

/** Numbers of a line or of an array: complex, real, or the half of complex ones that says all of a real transform. */
export type Content = 'complex' | 'real' | 'half';
/** `table`: regions of the work area: for what is between two passes, for chirps, for arrays between axes. */
export type Buffer = 'in' | 'out' | 'between' | 'chirp' | 'array';

/** Lines lie in loops: elements from one to the next in what is read and in what is written. */
interface Loop {
  size: number;
  in: number;
  out: number;
  /** How much a step goes ahead in a whole line. */
  inAhead: number;
  outAhead: number;
}

/** Where a line's elements lie. */
interface Side {
  buffer: Buffer;
  content: Content;
  stride: number;
  /** How much an element goes ahead in a whole line, and its length. */
  ahead: number;
  /** From an index to the next one of the whole line. */
  wholeStride: number;
  whole: number;
}

export interface Pass {
  kernel: 'lines' | 'chirp_in' | 'chirp_multiply' | 'chirp_out';
  n: number;
  in: Side;
  out: Side;
  loops: readonly Loop[];
  /** 0: none. */
  twist: number;
  swapIn: boolean;
  swapOut: boolean;
  /** Length of the line that a chirp is of; 0: none. */
  chirp: number;
}

/** Elements of each region of the work area. */
export type WorkSizes = Record<'between' | 'chirp' | 'array', number>;

/** An array of one side: elements from one index of each dimension to the next, and from one array of a batch to the next. */
export interface Layout {
  strides: readonly number[];
  distance: number;
}

export interface Transform {
  /** Of real numbers, where there are any; the last one is the innermost. */
  dimensions: readonly number[];
  batch: number;
  in: Layout;
  out: Layout;
  content: { in: Content; out: Content };
  /** Complex elements of a line that a block can have: a power of two. */
  mostInBlock: number;
  inverse: boolean;
}

const primesOf = (n: number): number[] => {
  const primes: number[] = [];
  for (const prime of [2, 3, 5, 7]) for (; n % prime === 0; n /= prime) primes.push(prime);
  return n === 1 ? primes : [...primes, n];
};

const isSmooth = (n: number): boolean => (primesOf(n).at(-1) ?? 1) <= 7;

/** Radices of the stages of a line: eights as long as there are any, then what is left of the twos, then odd ones. */
export function radicesOf(n: number): number[] {
  const primes = primesOf(n);
  const twos = primes.filter((prime) => prime === 2).length;
  const rest = twos % 3 === 0 ? [] : [2 ** (twos % 3)];
  return [...Array<number>(Math.floor(twos / 3)).fill(8), ...rest, ...primes.filter((prime) => prime > 2)];
}

/** The divisor to split by: near the square root, or the largest that fits where a third factor is needed. */
function splitOf(n: number, most: number): number {
  const divisors: number[] = [];
  for (let d = 1; d <= most; ++d) if (n % d === 0) divisors.push(d);
  const fitting = divisors.filter((d) => n / d <= most);
  if (fitting.length === 0) return divisors.at(-1)!;
  const distance = (d: number): number => Math.abs(Math.log(d / Math.sqrt(n)));
  return fitting.reduce((best, d) => (distance(d) < distance(best) ? d : best));
}

const dense = (loops: readonly Loop[], n: number): number[] => {
  let at = n;
  return loops.map(({ size }) => (at *= size) / size);
};

/** Lines of complex numbers one after the other. */
const plain = (buffer: Buffer, stride = 1): Side => ({
  ...{ buffer, content: 'complex', stride, ahead: 0, wholeStride: 0, whole: 0 },
});

class Passes {
  readonly passes: Pass[] = [];
  readonly work: WorkSizes = { between: 0, chirp: 0, array: 0 };
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  room(region: keyof WorkSizes, elements: number): void {
    this.work[region] = Math.max(this.work[region], elements);
  }

  line(n: number, loops: readonly Loop[], from: Side, to: Side): void {
    if (!isSmooth(n)) this.chirp(n, loops, from, to);
    else if (n <= this.most) this.add({ kernel: 'lines', n, in: from, out: to, loops });
    else this.split(n, loops, from, to);
  }

  private add(pass: Pick<Pass, 'kernel' | 'n' | 'in' | 'out' | 'loops'> & Partial<Pass>): void {
    this.passes.push({ twist: 0, swapIn: false, swapOut: false, chirp: 0, ...pass });
  }

  /** n = rows * columns: first the columns, each of which is a line of `rows`, then the rows. */
  private split(n: number, loops: readonly Loop[], from: Side, to: Side): void {
    const rows = splitOf(n, this.most);
    const columns = n / rows;
    const lines = loops.reduce((all, { size }) => all * size, 1);
    this.room('between', n * lines);
    const between = dense(loops, n);
    const column: Loop = { size: columns, in: from.stride, out: 1, inAhead: from.ahead, outAhead: 0 };
    this.add({
      kernel: 'lines',
      n: rows,
      in: { ...from, stride: from.stride * columns, ahead: from.ahead * columns },
      out: plain('between', columns),
      loops: [column, ...loops.map((loop, i) => ({ ...loop, out: between[i]!, outAhead: 0 }))],
      twist: n,
    });
    const row: Loop = { size: rows, in: columns, out: to.stride, inAhead: 0, outAhead: to.ahead };
    this.line(columns, [row, ...loops.map((loop, i) => ({ ...loop, in: between[i]!, inAhead: 0 }))], plain('between'), {
      ...to,
      stride: to.stride * rows,
      ahead: to.ahead * rows,
    });
  }

  private chirp(n: number, loops: readonly Loop[], from: Side, to: Side): void {
    let m = 1;
    while (m < 2 * n - 1) m *= 2;
    const lines = loops.reduce((all, { size }) => all * size, 1);
    this.room('chirp', m * lines);
    const places = dense(loops, m);
    const inChirp = plain('chirp');
    const within = loops.map(({ size }, i) => ({
      ...{ size, in: places[i]!, out: places[i]!, inAhead: 0, outAhead: 0 },
    }));
    const start = loops.map((loop, i) => ({ ...loop, out: places[i]!, outAhead: 0 }));
    const end = loops.map((loop, i) => ({ ...loop, in: places[i]!, inAhead: 0 }));
    this.add({ kernel: 'chirp_in', n: m, in: from, out: inChirp, loops: start, chirp: n });
    this.line(m, within, inChirp, inChirp);
    this.add({ kernel: 'chirp_multiply', n: m, in: inChirp, out: inChirp, loops: within, chirp: n });
    const before = this.passes.length;
    this.line(m, within, inChirp, inChirp);
    this.passes[before]!.swapIn = true;
    this.passes.at(-1)!.swapOut = true;
    this.add({ kernel: 'chirp_out', n, in: inChirp, out: to, loops: end, chirp: n });
  }
}

const halfOf = (n: number): number => Math.floor(n / 2) + 1;

/** The passes of a transform in their turn, and what room they need. */
export function passesOf(transform: Transform): { passes: readonly Pass[]; work: WorkSizes } {
  const { dimensions, batch, content, inverse } = transform;
  const passes = new Passes(transform.mostInBlock);
  const last = dimensions.length - 1;
  const inner = dimensions[last]!;
  const real = content.in !== 'complex' || content.out !== 'complex';
  /** Sizes of arrays of complex numbers. */
  const sizes = dimensions.map((n, axis) => (real && axis === last ? halfOf(n) : n));
  const cells = sizes.reduce((all, size) => all * size, 1);
  const denseLayout: Layout = {
    strides: sizes.map((_, axis) => sizes.slice(axis + 1).reduce((all, size) => all * size, 1)),
    distance: cells,
  };
  // Real results: the innermost axis is the last one, and what leads to it may not overwrite what is read.
  const axes = dimensions.map((_, axis) => axis);
  const order = content.out === 'real' ? axes : axes.reverse();
  let [buffer, layout]: [Buffer, Layout] = ['in', transform.in];
  order.forEach((axis, turn) => {
    const isEnd = turn === order.length - 1;
    const toArray = content.out === 'real' && !isEnd;
    const [target, targetLayout]: [Buffer, Layout] = toArray ? ['array', denseLayout] : ['out', transform.out];
    if (toArray) passes.room('array', cells * batch);
    const isReal = real && axis === last;
    const whole = { whole: inner, ahead: 1 };
    const side = (of: Buffer, { strides }: Layout, own: Content): Side => ({
      ...plain(of, strides[axis]),
      ...(isReal && own !== 'complex' ? { content: own, ...whole, wholeStride: strides[axis]! } : {}),
    });
    const loops = sizes
      .map((size, other) => ({ size, in: layout.strides[other]!, out: targetLayout.strides[other]!, other }))
      .filter(({ size, other }) => other !== axis && size > 1)
      .reverse()
      .map(({ size, in: from, out: to }) => ({ size, in: from, out: to, inAhead: 0, outAhead: 0 }));
    if (batch > 1)
      loops.push({ size: batch, in: layout.distance, out: targetLayout.distance, inAhead: 0, outAhead: 0 });
    const start = passes.passes.length;
    passes.line(dimensions[axis]!, loops, side(buffer, layout, content.in), side(target, targetLayout, content.out));
    [buffer, layout] = [target, targetLayout];
    // Of each axis: the second half of real lines is made from numbers as they are.
    if (!inverse) return;
    passes.passes[start]!.swapIn = true;
    passes.passes.at(-1)!.swapOut = true;
  });
  return { passes: passes.passes, work: passes.work };
}
