/**
 * Products of matrices: which tiles and parts of k cuBLAS computes them by, and how long that takes. It is taken to choose what takes
 * least by this model, of the tiles that it has been seen to use for the type and alignment.
 *
 *   duration = start + the longer, as a cube, of
 *                the turns of resident blocks: turn + stores + steps of k × the longer of latency and the SM's rate
 *                what the tiles load from L2, what comes from DRAM
 *              + the kernel that adds up the parts of k
 */
import { missing, type ScaledGpu } from './gpu.ts';
import type { GemmCall, GemmClass, GemmParameters, GemmType, LibraryKernel, Tile } from './types.ts';

/** Bytes of an element of A and B, and of C. */
const elementBytes: Readonly<Record<GemmType, { in: number; out: number }>> = {
  s: { in: 4, out: 4 },
  tf32: { in: 4, out: 4 },
  d: { in: 8, out: 8 },
  h16: { in: 2, out: 2 },
  h32: { in: 2, out: 2 },
  hs: { in: 2, out: 4 },
  b32: { in: 2, out: 2 },
  bs: { in: 2, out: 4 },
  i8: { in: 1, out: 4 },
  f8b: { in: 1, out: 2 },
  f8q: { in: 1, out: 2 },
  f8s: { in: 1, out: 4 },
  f8f8: { in: 1, out: 1 },
  c: { in: 8, out: 8 },
  z: { in: 16, out: 16 },
};
/** Sums of a part of k. */
const partBytes = 4;

/** Elements that all columns are aligned to, at most 16. */
function alignmentOf({ lda, ldb, ldc }: GemmCall): number {
  let unit = 16;
  while (lda % unit !== 0 || ldb % unit !== 0 || ldc % unit !== 0) unit /= 2;
  return unit;
}

/** Name of the class of a call: kernels of one class are measured together. */
export function gemmClassOf(call: GemmCall): string {
  const { type, m, n, transposedA, transposedB } = call;
  const unit = alignmentOf(call);
  if (m === 1 || n === 1) return `vector ${type}`;
  switch (type) {
    case 'h32':
    case 'hs':
    case 'b32':
    case 'bs':
      return `half ${unit >= 8 ? 8 : Math.min(unit, 2)}`;
    case 'h16':
      return `h16 ${unit >= 8 ? 8 : Math.min(unit, 2)}`;
    case 'tf32':
      return `tf32 ${unit >= 4 ? 4 : 1}`;
    case 'f8b':
    case 'f8s':
      return 'f8 exact';
    case 'f8q':
    case 'f8f8':
      return 'f8 fast';
    case 'i8':
      return transposedA && !transposedB ? `i8 ${unit >= 16 ? 16 : 4}` : 'i8 any';
    default:
      return type;
  }
}

const layoutOf = ({ transposedA, transposedB }: GemmCall): 'nn' | 'nt' | 'tn' | 'tt' =>
  `${transposedA ? 't' : 'n'}${transposedB ? 't' : 'n'}`;

interface Times {
  /** Of the product itself, and of adding up the parts of k; nanoseconds. */
  main: number;
  reduce: number;
  /** What SMs and DRAM would take alone. */
  compute: number;
  dram: number;
}

const noFactors = { rate: 1, step: 1, start: 1, reduce: 1 };

/** How long a call takes with these tiles, k in so many parts. */
export function timesOf(call: GemmCall, tile: Tile, parts: number, p: GemmParameters, gpu: ScaledGpu): Times {
  const { m, n, k, batch, type } = call;
  const bytes = elementBytes[type];
  const factors = p.families[tile.family] ?? noFactors;
  const blocks = Math.ceil(m / tile.m) * Math.ceil(n / tile.n) * batch * parts;
  const steps = Math.ceil(k / parts / tile.k) * tile.k;
  const layout = layoutOf(call);
  const slower = layout === 'nn' ? 1 : p[layout];
  const rate = p.rate * factors.rate * gpu.multiply(type);
  const work = slower * ((tile.m * tile.n) / rate + (tile.m + tile.n) * p.edge * gpu.latency);
  const least = p.step * factors.step * slower * gpu.latency + work * p.chain;
  const stored = (Math.min(tile.m, m) * Math.min(tile.n, n) * (parts > 1 ? partBytes : bytes.out)) / p.store;
  const turn = (resident: number): number =>
    (p.turn + resident * stored) * gpu.latency + steps * Math.max(least, resident * work);
  const perSm = Math.ceil(blocks / gpu.sms);
  const rest = perSm % tile.resident;
  const compute = Math.floor(perSm / tile.resident) * turn(tile.resident) + (rest > 0 ? turn(rest) : 0);
  const once = (m * k + k * n) * batch * bytes.in + m * n * batch * bytes.out * (call.readsC ? 2 : 1);
  const l2 = (blocks * steps * (tile.m + tile.n) * bytes.in) / (p.l2 * gpu.l2);
  const dram = (once * missing(once, gpu)) / (p.dram * gpu.dram);
  const own = call.hasEpilogue ? p.epilogue * gpu.latency + (m * n * bytes.out) / (p.epilogueRate * gpu.l2) : 0;
  const memory = Math.max(l2, dram);
  const main = p.start * factors.start * gpu.latency + Math.cbrt(compute ** 3 + memory ** 3) + own;
  const sums = ((parts + 1) * m * n * batch * partBytes) / (p.reduceRate * gpu.l2);
  const reduce = parts > 1 ? (p.reduce * factors.reduce + parts * p.part) * gpu.latency + sums : 0;
  return { main, reduce, compute, dram };
}

/** Parts that k is divided into. */
const partsOfK = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64];

const ofType = new WeakMap<readonly Tile[], Map<GemmType, readonly Tile[]>>();

/** Those that the library has kernels of for the type. */
function tilesFor(tiles: readonly Tile[], type: GemmType): readonly Tile[] {
  let known = ofType.get(tiles);
  if (known === undefined) ofType.set(tiles, (known = new Map()));
  let found = known.get(type);
  if (found === undefined) {
    const own = tiles.filter(({ names }) => Object.keys(names).some((name) => name.startsWith(`${type} `)));
    known.set(type, (found = own.length > 0 ? own : tiles));
  }
  return found;
}

export interface GemmChoice extends Times {
  tile: Tile;
  parts: number;
}

/** What takes least. */
export function chooseGemm(call: GemmCall, { tiles, parameters }: GemmClass, gpu: ScaledGpu): GemmChoice {
  let best: GemmChoice | null = null;
  for (const tile of tilesFor(tiles, call.type)) {
    const blocks = Math.ceil(call.m / tile.m) * Math.ceil(call.n / tile.n) * call.batch;
    for (const parts of partsOfK) {
      if (parts > 1 && (call.k / parts < 2 * tile.k || blocks >= 2 * gpu.sms)) break;
      const times = timesOf(call, tile, parts, parameters, gpu);
      if (best === null || times.main + times.reduce < best.main + best.reduce) best = { ...times, tile, parts };
    }
  }
  return best!;
}

/** The kernels of a call whose class has been measured. */
export function gemmKernels(call: GemmCall, kernels: GemmClass, gpu: ScaledGpu): LibraryKernel[] {
  const { tile, parts, main, reduce, compute, dram } = chooseGemm(call, kernels, gpu);
  const { m, n, type, batch } = call;
  const layout = layoutOf(call);
  const own = tile.names[`${type} ${layout}`] ?? Object.values(tile.names)[0]!;
  const name = gpu.isMeasured ? own : null;
  const { threads, registers, shared, resident } = tile;
  const share = (time: number): number => Math.min(1, time / main);
  const product: LibraryKernel = {
    ...{ name, threads, registers, shared, resident, duration: Math.round(main) },
    grid: { x: Math.ceil(m / tile.m), y: Math.ceil(n / tile.n), z: Math.min(65535, batch * parts) },
    load: { sm: share(compute), dram: share(dram) },
  };
  if (parts === 1) return [product];
  const { reducer } = kernels;
  const sums: LibraryKernel = {
    ...{ ...reducer, name: gpu.isMeasured ? reducer.name : null },
    grid: { x: Math.ceil(m / 32), y: Math.ceil(n / 16), z: Math.min(65535, batch) },
    resident: Math.max(1, Math.floor(2048 / reducer.threads)),
    duration: Math.round(reduce),
    load: { sm: 0.5, dram: 0 },
  };
  return [product, sums];
}
