/**
 * Finds the parameters of the models of library kernels from the half of the measured calls that may be seen, and writes them:
 *
 *   node build/run.mjs ./test/fidelity/libraries/fit.ts --write          (all: 3 minutes of a core)
 *   node build/run.mjs ./test/fidelity/libraries/fit.ts --write s 'dot d'
 *
 * One parameter after the other is changed by a factor, and kept where the mean error of the logarithm falls. Nothing is drawn by chance.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../engine/base/paths.ts';
import { chooseGemm } from '../../../engine/cuda/libraries/timing/gemm.ts';
import { scaled } from '../../../engine/cuda/libraries/timing/gpu.ts';
import { streamGrid, streamTime } from '../../../engine/cuda/libraries/timing/streams.ts';
import type {
  GemmCall,
  GemmClass,
  GemmParameters,
  StreamKernel,
  StreamParameters,
  Tile,
} from '../../../engine/cuda/libraries/timing/types.ts';
import { h200 } from '../../../engine/gpus/h200.ts';
import { mean, quantile } from '../summary.ts';
import { measuredCalls, type MeasuredCall, type MeasuredKernel } from './calls.ts';

const gpu = scaled(h200);

/** Errors beyond this count as this: the library's choice is a strange one at times. */
const mostError = 1;

type Numbers = Record<string, number>;

/** Parameters near `from` that make `loss` small. */
function descend(from: Numbers, loss: (numbers: Numbers) => number, rounds: number): Numbers {
  let best = { ...from };
  let least = loss(best);
  const steps: Numbers = Object.fromEntries(Object.keys(from).map((key) => [key, 0.3]));
  for (let round = 0; round < rounds; round++) {
    for (const key of Object.keys(from)) {
      const step = steps[key]!;
      const better = [step, -step].find((by) => {
        const next = { ...best, [key]: best[key]! * Math.exp(by) };
        const found = loss(next);
        if (found >= least) return false;
        [best, least] = [next, found];
        return true;
      });
      steps[key] = better === undefined ? step * 0.6 : Math.min(1.5, step * 1.3);
      // Others have changed since: look further away again.
      if (steps[key] < 0.004) steps[key] = 0.06;
    }
  }
  return best;
}

const errorOf = (model: number, measured: number): number => Math.min(mostError, Math.abs(Math.log(model / measured)));

// Products

/** Of a kernel's name. */
function tileOf(name: string): { m: number; n: number; k: number; family: string } | null {
  const found =
    /tilesize(\d+)x(\d+)x(\d+)/.exec(name) ??
    /nvjet_sm90_\w+?_(\d+)x(\d+)_(\d+)x\d+_/.exec(name) ??
    /_(\d+)x(\d+)_(\d+)x\d+_/.exec(name) ??
    /_(\d+)x(\d+)()_[nt][nt]_align/.exec(name);
  // Without a name that says so: by its grids.
  if (name.includes('gemm_kernel_nolb')) return { m: 32, n: 32, k: 32, family: 'simt' };
  if (found === null) return null;
  const [m, n, k] = found.slice(1, 4).map(Number) as [number, number, number];
  const families: [RegExp, string][] = [
    [/nvjet/, 'nvjet'],
    [/sm90_xmma/, 'sm90'],
    [/sm80_xmma/, 'sm80'],
    [/wmma/, 'wmma'],
    [/cutlass_75/, 'cutlass75'],
    [/cutlass_80/, 'cutlass80'],
  ];
  return { m, n, k: k === 0 ? 32 : k, family: families.find(([pattern]) => pattern.test(name))?.[1] ?? 'other' };
}

const longest = (kernels: MeasuredKernel[]): MeasuredKernel => kernels.reduce((a, b) => (b.ns > a.ns ? b : a));
const counted = <T>(values: T[]): T => {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]![0];
};

/** Blocks of a kernel that an SM of the H200 holds at once. */
function residentOf({ registers, threads, shared }: MeasuredKernel): number {
  const ofRegisters = Math.floor(65536 / (Math.ceil(registers / 8) * 8 * threads));
  const ofShared = Math.floor((227 * 1024) / (shared + 1024));
  return Math.max(1, Math.min(ofRegisters, ofShared, Math.floor(2048 / threads)));
}

/** Tiles that the library uses in at least so many of the calls of a class. */
const leastShare = 0.006;

function tilesOf(calls: MeasuredCall[]): Tile[] {
  const kinds = Map.groupBy(
    calls.flatMap((call) => {
      const kernel = longest(call.kernels);
      const tile = tileOf(kernel.name);
      return tile === null ? [] : [{ call, kernel, tile }];
    }),
    ({ tile: { family, m, n } }) => `${family} ${m}x${n}`,
  );
  const often = [...kinds.values()].filter((uses) => uses.length >= Math.max(2, calls.length * leastShare));
  return often.map((uses) => {
    const { m, n, family } = uses[0]!.tile;
    const names = Map.groupBy(uses, ({ call }) => `${call.type} ${call.shape.slice(0, 2)}`);
    const kernel = uses.find((use) => use.kernel.name === counted(uses.map((each) => each.kernel.name)))!.kernel;
    const { threads, registers, shared } = kernel;
    return {
      ...{ family, m, n, k: counted(uses.map((use) => use.tile.k)) },
      ...{ resident: counted(uses.map((use) => residentOf(use.kernel))), threads, registers, shared },
      names: Object.fromEntries(
        [...names]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, all]) => [key, counted(all.map((use) => use.kernel.name))]),
      ),
    };
  });
}

const startRates: Record<string, number> = { s: 210, d: 250, c: 52, z: 62 };

const startOf = (name: string): Numbers => ({
  ...{ start: 1800, turn: 300, store: 30, rate: startRates[name] ?? 1500, edge: 0.005, step: 1, chain: 1 },
  ...{ l2: 6000, dram: 3500, reduce: 1500, part: 40, reduceRate: 5000, tn: 1, nt: 1, tt: 1 },
  ...{ epilogue: 300, epilogueRate: 10000 },
});

const factors = ['rate', 'step', 'start', 'reduce'] as const;

/** Factors of families stand as `nvjet.rate`. */
function parametersFrom(numbers: Numbers, families: string[]): GemmParameters {
  const own = Object.fromEntries(Object.entries(numbers).filter(([key]) => !key.includes('.')));
  const ofFamily = (family: string) =>
    Object.fromEntries(factors.map((factor) => [factor, numbers[`${family}.${factor}`] ?? 1]));
  return {
    ...own,
    families: Object.fromEntries(families.map((family) => [family, ofFamily(family)])),
  } as unknown as GemmParameters;
}

/** So many calls of a class are enough to begin with. */
const fewCalls = 250;

function fitGemm(name: string, calls: MeasuredCall[]): GemmClass {
  const seen = calls.filter((call) => call.seen);
  const tiles = tilesOf(seen);
  const families = [...new Set(tiles.map(({ family }) => family))];
  const sums = seen.flatMap(({ kernels }) => kernels.filter((kernel) => kernel.name.includes('splitKreduce')));
  const reducer =
    sums.find((kernel) => kernel.name === counted(sums.map((each) => each.name))) ?? longest(seen[0]!.kernels);
  const kernels = (numbers: Numbers): GemmClass => {
    const { name, threads, registers, shared } = reducer;
    return { parameters: parametersFrom(numbers, families), tiles, reducer: { name, threads, registers, shared } };
  };
  const lossOf = (some: MeasuredCall[]) => (numbers: Numbers) => {
    const of = kernels(numbers);
    return mean(
      some.map((call) => {
        const { main, reduce } = chooseGemm(call.gemm!, of, gpu);
        return errorOf(main + reduce, call.total);
      }),
    );
  };
  const every = Math.max(1, Math.floor(seen.length / fewCalls));
  const some = seen.filter((_, index) => index % every === 0);
  const first = descend(startOf(name), lossOf(some), 40);
  const own =
    families.length > 1 ? families.flatMap((family) => factors.map((factor) => [`${family}.${factor}`, 1])) : [];
  const second = descend({ ...first, ...Object.fromEntries(own) }, lossOf(some), 15);
  return kernels(rounded(descend(second, lossOf(seen), 8)));
}

const rounded = (numbers: Numbers): Numbers =>
  Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Number(value.toPrecision(3))]));

// Vectors

/** Elements of a block, by how many blocks there were. */
function blocksOf(calls: MeasuredCall[]): Pick<StreamKernel, 'perBlock' | 'mostBlocks'> {
  const grids = calls.map(({ stream, kernels }) => ({ stream: stream!, grid: kernels[0]!.grid }));
  const mostBlocks = Math.max(...grids.map(({ grid }) => grid[0]));
  const per = (of: (one: (typeof grids)[number]) => [number, number]): number => {
    const ratios = grids.map(of).filter(([elements, blocks]) => blocks > 4 && blocks < mostBlocks && elements > 0);
    const sorted = ratios.map(([elements, blocks]) => elements / blocks).toSorted((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length * 0.5)] ?? Infinity;
    const power = 2 ** Math.round(Math.log2(middle));
    return sorted.length === 0 ? 1e9 : Math.abs(power / middle - 1) < 0.05 ? power : Math.max(1, Math.ceil(middle));
  };
  const x = per(({ stream, grid }) => [stream.rows, grid[0]]);
  return { perBlock: [x, per(({ stream, grid }) => [stream.columns, grid[1]])], mostBlocks };
}

function fitStream(calls: MeasuredCall[]): StreamKernel[] {
  const seen = calls.filter((call) => call.seen);
  const most = seen.filter(({ kernels, stream }) => kernels.length > 1 && stream!.length === 0).length;
  const isTwo = most > seen.length / 2;
  const often = counted(seen.map(({ kernels }) => kernels.map(({ name }) => name.replace(/<.*/, '')).join()));
  const like = isTwo
    ? seen.filter(({ kernels }) => kernels.length > 1)
    : seen.filter(({ kernels }) => kernels.map(({ name }) => name.replace(/<.*/, '')).join() === often);
  const single = seen.filter(({ kernels }) => isTwo && kernels.length === 1).map(({ stream }) => stream!.rows);
  const grid = blocksOf(like);
  return like[0]!.kernels.slice(0, isTwo ? 2 : 1).map((_, index) => {
    const same = like.map((call) => ({ stream: call.stream!, ...call.kernels[index]! }));
    const named = same.find((kernel) => kernel.name === counted(same.map((each) => each.name)))!;
    const { name, threads, registers, shared } = named;
    const alone = single.length > 0 ? { alone: 2 ** Math.round(Math.log2(Math.max(...single))) } : {};
    const blank = { ...{ name, threads, registers, shared }, ...grid, ...alone } as StreamKernel;
    // Where there are several ways to compute it, one kernel stands for all of them.
    const measured = isTwo && index > 0 ? like : seen;
    const lossBy = (power: number) => (numbers: Numbers) =>
      mean(
        measured.map(({ stream, kernels, total }) => {
          const [x, y] = streamGrid(blank, stream!.rows, stream!.columns);
          const work = { blocks: x * y, length: stream!.length, bytes: index === 0 ? stream!.bytes : 0 };
          const taken = isTwo ? kernels[index]!.ns : total;
          return Math.abs(Math.log(streamTime(numbers as unknown as StreamParameters, work, gpu) / taken)) ** power;
        }),
      );
    const start = { start: 1200, blocks: 10, power: 0.5, length: 5, l2: 3000, dram: 3000 };
    // First squared: most calls are small, and the rates are those of the large ones.
    const near = descend(start, lossBy(2), 150);
    return { ...blank, parameters: rounded(descend(near, lossBy(1), 60)) as unknown as StreamParameters };
  });
}

// All

const all = measuredCalls();
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const gemms: Record<string, GemmClass> = {};
const streams: Record<string, StreamKernel[]> = {};
const wanted = (key: string): boolean => asked.length === 0 || asked.includes(key);
const least = 5;

function say(key: string, calls: MeasuredCall[], model: (call: MeasuredCall) => number): void {
  const text = [true, false].map((seen) => {
    const errors = calls.filter((call) => call.seen === seen).map((call) => Math.abs(model(call) / call.total - 1));
    return `${errors.length}: ${(100 * mean(errors)).toFixed(1)} ${(100 * (quantile(errors, 0.9) || 0)).toFixed(1)}`;
  });
  console.log(`${key}: ${text.join(' | ')}`);
}

const products = Map.groupBy(
  all.filter((call) => call.gemm !== undefined && call.stream === undefined),
  ({ key }) => key,
);
for (const [key, calls] of products) {
  if (!wanted(key) || calls.filter((call) => call.seen).length < least) continue;
  gemms[key] = fitGemm(key, calls);
  say(key, calls, (call) => {
    const { main, reduce } = chooseGemm(call.gemm as GemmCall, gemms[key]!, gpu);
    return main + reduce;
  });
}
const passes = Map.groupBy(
  all.filter((call) => call.stream !== undefined),
  ({ stream }) => stream!.key,
);
for (const [key, calls] of passes) {
  if (!wanted(key) || calls.filter((call) => call.seen).length < least) continue;
  streams[key] = fitStream(calls);
  say(key, calls, ({ stream }) => {
    const [x, y] = streamGrid(streams[key]![0]!, stream!.rows, stream!.columns);
    const { alone = 0 } = streams[key]![0]!;
    const times = streams[key]!.slice(0, stream!.rows <= alone ? 1 : 2).map(({ parameters }, index) =>
      streamTime(parameters, { blocks: x * y, length: stream!.length, bytes: index === 0 ? stream!.bytes : 0 }, gpu),
    );
    return times.reduce((sum, time) => sum + time, 0);
  });
}

if (process.argv.includes('--write')) {
  const file = join(root, 'engine', 'cuda', 'libraries', 'timing', 'h200.json');
  const write = (entries: Record<string, unknown>): string =>
    Object.entries(entries)
      .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n');
  // Those that were not asked for stay.
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>) : {};
  const [products, passes] = [
    { ...before.gemms, ...gemms },
    { ...before.streams, ...streams },
  ];
  writeFileSync(file, `{\n"gemms": {\n${write(products)}\n},\n"streams": {\n${write(passes)}\n}\n}\n`);
}
