/**
 * cuFFT: plans are lists of passes (`cufft-passes.ts`), executing one launches a kernel of `cufft.cu` for each. Sizes of work
 * areas are those of these kernels, not cuFFT's. Several GPUs: `cufft-xt.ts`. Callbacks are refused.
 */
import { SimsightError } from '../../base/errors.ts';
import { unsigned, type Imported } from '../runtime/arguments.ts';
import type { CudaContext } from '../runtime/context.ts';
import type { DeviceState } from '../runtime/device-state.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { allocateDevice } from '../runtime/memory.ts';
import {
  passesOf,
  radicesOf,
  type Buffer as Region,
  type Content,
  type Layout,
  type Pass,
  type WorkSizes,
} from './cufft-passes.ts';
import { chirpFilter, chirpTable, unityTable } from './cufft-tables.ts';
import { launchInner, writeTable, type OwnLaunch } from './inner-calls.ts';
import { traced as tracedIn, type Traced } from './library.ts';

export const status = {
  SUCCESS: 0,
  INVALID_PLAN: 1,
  ALLOC_FAILED: 2,
  INVALID_TYPE: 3,
  INVALID_VALUE: 4,
  INTERNAL_ERROR: 5,
  EXEC_FAILED: 6,
  INVALID_SIZE: 8,
  INVALID_DEVICE: 11,
  NO_WORKSPACE: 13,
  NOT_SUPPORTED: 16,
};

const version = 12000;
const properties = [12, 0, 0];

interface Type {
  in: Content;
  out: Content;
  double: boolean;
}
const complex = { in: 'complex', out: 'complex' } as const;
const toHalf = { in: 'real', out: 'half' } as const;
const toReal = { in: 'half', out: 'real' } as const;
export const types: Record<number, Type> = {
  0x29: { ...complex, double: false },
  0x2a: { ...toHalf, double: false },
  0x2c: { ...toReal, double: false },
  0x69: { ...complex, double: true },
  0x6a: { ...toHalf, double: true },
  0x6c: { ...toReal, double: true },
};

/** `cudaDataType` of what is read and written: a type. */
const typesOfData: Record<string, number> = {
  ...{ '4-4': 0x29, '0-4': 0x2a, '4-0': 0x2c },
  ...{ '5-5': 0x69, '1-5': 0x6a, '5-1': 0x6c },
};
const dataBits16 = [2, 6, 14, 15];

export interface Shape {
  type: number;
  dimensions: number[];
  batch: number;
  /** Null: packed. Elements; the sizes of the arrays that the dimensions lie in. */
  in: { embed: number[]; stride: number; distance: number } | null;
  out: { embed: number[]; stride: number; distance: number } | null;
}

/** A transform on several GPUs. */
export interface Parts {
  make(shape: Shape, allocates: boolean): number;
  /** Of each GPU's work area, once it is made. */
  readonly workBytes: readonly number[];
  destroy(): void;
}

export interface Plan {
  stream: number;
  device: DeviceState;
  allocates: boolean;
  /** Null until it is made. */
  shape: Shape | null;
  /** Passes by direction and whether the result takes the input's place. */
  ways: Map<string, readonly Pass[]>;
  work: WorkSizes;
  /** 0: none yet. */
  workArea: number;
  ownsWorkArea: boolean;
  /** Null: on one GPU. */
  parts: Parts | null;
}

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);
const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, least)));
const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);
/** Of `quotient` in cufft.cu. */
const magicOf = (divisor: number): number => (divisor === 1 ? 0 : Math.floor(2 ** 32 / divisor) + 1);

export const sizeOf = ({ double }: Type): number => (double ? 16 : 8);
/** Elements that a block can have in shared memory, in two halves of 32 KB. */
const elementsInBlock = (type: Type): number => 32768 / sizeOf(type);
/** A line is at most half of them: two are read side by side then. */
const mostInLine = (type: Type): number => elementsInBlock(type) / 2;

/** Strides of arrays, packed or as the program has them. */
function layoutOf(shape: Shape, side: 'in' | 'out', inPlace: boolean): Layout {
  const { dimensions } = shape;
  const given = shape[side];
  const content = types[shape.type]![side];
  const inner = dimensions.at(-1)!;
  const half = Math.floor(inner / 2) + 1;
  const isReal = types[shape.type]!.in !== 'complex';
  // In place, lines of real numbers are as long as those of their transforms.
  const packed = content === 'half' ? half : content === 'real' && isReal && inPlace ? 2 * half : inner;
  const embed = given?.embed ?? [...dimensions.slice(0, -1), packed];
  const stride = given?.stride ?? 1;
  const strides = embed.map((_, axis) => product(embed.slice(axis + 1)) * stride);
  return { strides, distance: given?.distance ?? product(embed) };
}

function passesFor(shape: Shape, inverse: boolean, inPlace: boolean): ReturnType<typeof passesOf> {
  const type = types[shape.type]!;
  return passesOf({
    ...{ dimensions: shape.dimensions, batch: shape.batch, content: { in: type.in, out: type.out }, inverse },
    ...{ in: layoutOf(shape, 'in', inPlace), out: layoutOf(shape, 'out', inPlace), mostInBlock: mostInLine(type) },
  });
}

/** Transforms of real numbers know their direction. */
const isInverse = (type: Type, direction: number): boolean =>
  type.in === 'complex' ? direction === 1 : type.in === 'half';

const contents: Record<Content, number> = { complex: 0, real: 1, half: 2 };

/** As `struct Pass` in cufft.cu. */
function passBytes(
  pass: Pass,
  places: { in: number; out: number; table: number },
  block: { lines: number; perBlock: number },
): Uint8Array {
  const view = new DataView(new ArrayBuffer(552));
  let at = 0;
  const longs = (...values: number[]): void => {
    for (const value of values) view.setBigInt64((at += 8) - 8, BigInt(value), true);
  };
  const ints = (...values: number[]): void => {
    for (const value of values) view.setInt32((at += 4) - 4, value | 0, true);
  };
  const padded = (values: number[], count: number): number[] =>
    [...values, ...Array<number>(count).fill(0)].slice(0, count);
  const { loops, n } = pass;
  const whole = Math.max(pass.in.whole, pass.out.whole);
  longs(places.in, places.out, places.table, pass.in.stride, pass.out.stride, pass.in.wholeStride);
  longs(whole, pass.in.ahead, pass.out.ahead, pass.twist);
  for (const field of ['in', 'out', 'inAhead', 'outAhead'] as const)
    longs(...padded(loops.map((loop) => loop[field]), 6)); // prettier-ignore
  view.setFloat64(at, pass.kernel === 'chirp_out' ? 1 / chirpLength(pass.chirp) : 1, true);
  at += 8;
  ints(...padded(loops.map(({ size }) => size), 6)); // prettier-ignore
  const radices = pass.kernel === 'lines' ? radicesOf(n) : [];
  const spans = radices.map((_, stage) => product(radices.slice(0, stage)));
  ints(loops.length, block.lines, block.perBlock, Math.log2(block.perBlock), n, radices.length, magicOf(n));
  const byLines = (side: 'in' | 'out'): number => (loops.length > 0 && loops[0]![side] < pass[side].stride ? 1 : 0);
  ints(byLines('in'), byLines('out'), pass.swapIn ? 1 : 0, pass.swapOut ? 1 : 0);
  ints(contents[pass.in.content], contents[pass.out.content]);
  ints(...padded(radices, 12), ...padded(spans, 12), ...padded(spans.map(magicOf), 12));
  ints(...padded(radices.map((radix) => magicOf(n / radix)), 12), pass.chirp); // prettier-ignore
  return new Uint8Array(view.buffer);
}

const chirpLength = (n: number): number => powerOfTwo(2 * n - 1);

export class Cufft {
  private readonly context: CudaContext;
  private readonly plans = new Map<number, Plan>();
  private last = 0;
  /** Tables on devices by what they are of. */
  private readonly tables = new Map<string, number>();

  constructor(context: CudaContext) {
    this.context = context;
  }

  /** A call whose first argument is a plan. */
  withPlan(run: OfPlan, args: number[]): number {
    const plan = this.plans.get(args[0]!);
    return plan ? run(plan, args.slice(1), args[0]!) : status.INVALID_PLAN;
  }

  create(target: number): number {
    if (target === 0) return status.INVALID_VALUE;
    this.plans.set(++this.last, newPlan(this.context.current));
    this.context.memory.setU32(target, this.last);
    return status.SUCCESS;
  }

  destroy(handle: number, plan: Plan): number {
    if (plan.ownsWorkArea) this.context.freeDevice(plan.workArea);
    plan.parts?.destroy();
    this.plans.delete(handle);
    return status.SUCCESS;
  }

  /** `shape`: or what is wrong with it. `size`: where the size of the work area goes, 0: nowhere. */
  make(plan: Plan, shape: Shape | number, size: number): number {
    if (plan.shape !== null) return status.INVALID_PLAN;
    if (typeof shape === 'number') return shape;
    plan.shape = shape;
    const { parts } = plan;
    if (parts !== null) {
      const code = parts.make(shape, plan.allocates);
      if (size !== 0) parts.workBytes.forEach((bytes, i) => this.context.memory.setWord(size + 8 * i, bytes));
      return code;
    }
    for (const inPlace of [false, true]) {
      const { work } = passesFor(shape, types[shape.type]!.in === 'half', inPlace);
      for (const region of ['between', 'chirp', 'array'] as const)
        plan.work[region] = Math.max(plan.work[region], work[region]);
    }
    if (size !== 0) this.context.memory.setWord(size, this.workBytes(plan));
    return plan.allocates ? this.placeWork(plan) : status.SUCCESS;
  }

  /** A plan for part of another's work, in whose work area it works. */
  partPlan(device: DeviceState, shape: Shape): Plan {
    const plan = { ...newPlan(device), stream: legacyStream, allocates: false };
    this.make(plan, shape, 0);
    return plan;
  }

  /** A plan that is made at once; without a handle where it cannot be. */
  planned(target: number, shape: Shape | number): number {
    const code = typeof shape === 'number' ? shape : this.create(target);
    if (code !== status.SUCCESS) return code;
    const made = this.make(this.plans.get(this.last)!, shape, 0);
    if (made !== status.SUCCESS) this.plans.delete(this.last);
    return made;
  }

  /** The size of the work area that a plan would have. */
  estimate(shape: Shape | number, size: number): number {
    if (typeof shape === 'number') return shape;
    if (size === 0) return status.INVALID_VALUE;
    const bytes = [false, true].map((inPlace) => {
      const { work } = passesFor(shape, types[shape.type]!.in === 'half', inPlace);
      return (work.between + work.chirp + work.array) * sizeOf(types[shape.type]!);
    });
    this.context.memory.setWord(size, Math.max(...bytes));
    return status.SUCCESS;
  }

  workBytes({ work, shape }: Plan): number {
    return shape === null ? 0 : (work.between + work.chirp + work.array) * sizeOf(types[shape.type]!);
  }

  setWorkArea(plan: Plan, address: number): number {
    if (plan.ownsWorkArea) this.context.freeDevice(plan.workArea);
    plan.ownsWorkArea = false;
    plan.workArea = address;
    return status.SUCCESS;
  }

  /** `type`: of the call; 0: any. */
  execute(plan: Plan, type: number, input: number, output: number, direction: number): number {
    const { shape } = plan;
    if (shape === null || plan.parts !== null) return status.INVALID_PLAN;
    if (type !== 0 && type !== shape.type) return status.INVALID_TYPE;
    if (input === 0 || output === 0) return status.INVALID_VALUE;
    const known = types[shape.type]!;
    if (known.in === 'complex' && direction !== 1 && direction !== -1) return status.INVALID_VALUE;
    if (plan.workArea === 0 && this.workBytes(plan) > 0) return status.NO_WORKSPACE;
    const inverse = isInverse(known, direction);
    const way = `${inverse} ${input === output}`;
    let passes = plan.ways.get(way);
    if (passes === undefined) {
      ({ passes } = passesFor(shape, inverse, input === output));
      plan.ways.set(way, passes);
    }
    for (const pass of passes) {
      const code = this.launch(plan, known, pass, input, output);
      if (code !== status.SUCCESS) return code;
    }
    return status.SUCCESS;
  }

  private launch(plan: Plan, type: Type, pass: Pass, input: number, output: number): number {
    const table = this.tableOf(plan.device, type, pass);
    if (table === null) return status.ALLOC_FAILED;
    const places = { in: 0, out: 0, table };
    for (const side of ['in', 'out'] as const)
      places[side] = this.placeOf(plan, type, pass[side].buffer, input, output);
    const lines = product(pass.loops.map(({ size }) => size));
    const suffix = type.double ? 'double' : 'single';
    if (pass.kernel !== 'lines') {
      const bytes = passBytes(pass, places, { lines, perBlock: 1 });
      const grid = { x: ceilDiv(pass.n, 256), y: Math.min(lines, 65535), z: 1 };
      return this.inner(plan, { kernel: `cufft_${pass.kernel}_${suffix}`, grid, threads: 256, values: [bytes] });
    }
    const perBlock = this.linesInBlock(plan, type, pass, lines);
    const bytes = passBytes(pass, places, { lines, perBlock });
    const isComplex = pass.in.content === 'complex' && pass.out.content === 'complex';
    const kernel = `cufft_${isComplex ? 'complex' : 'real'}_${suffix}`;
    const elements = pass.n * perBlock;
    const threads = Math.min(256, Math.max(32, powerOfTwo(elements / 8)));
    const sharedBytes = 2 * elements * sizeOf(type);
    const grid = { x: ceilDiv(lines, perBlock), y: 1, z: 1 };
    return this.inner(plan, { kernel, grid, threads, sharedBytes, values: [bytes] });
  }

  private inner(plan: Plan, launch: OwnLaunch): number {
    const code = launchInner(this.context, plan.stream, launch);
    return code === cudaError.Success ? status.SUCCESS : status.EXEC_FAILED;
  }

  /** As many as there is room for, as long as every SM has a block; where neighbours in memory are of several lines, four. */
  private linesInBlock({ device }: Plan, type: Type, pass: Pass, lines: number): number {
    const room = Math.max(1, 2 ** Math.floor(Math.log2(elementsInBlock(type) / pass.n)));
    const strided = pass.in.stride > 1 || pass.out.stride > 1;
    let count = Math.min(128, room, powerOfTwo(lines));
    while (count > (strided ? 4 : 1) && lines / count < device.gpu.core.smCount) count /= 2;
    return count;
  }

  private placeOf(plan: Plan, type: Type, region: Region, input: number, output: number): number {
    const { work, workArea } = plan;
    if (region === 'in') return input;
    if (region === 'out') return output;
    const before = { between: 0, chirp: work.between, array: work.between + work.chirp };
    return workArea + before[region] * sizeOf(type);
  }

  private placeWork(plan: Plan): number {
    const bytes = this.workBytes(plan);
    if (bytes === 0) return status.SUCCESS;
    const address = allocateDevice(this.context, bytes, null, plan.device);
    if (address === null) return status.ALLOC_FAILED;
    plan.workArea = address;
    plan.ownsWorkArea = true;
    return status.SUCCESS;
  }

  private tableOf(device: DeviceState, type: Type, { kernel, n, chirp }: Pass): number | null {
    const isChirp = kernel === 'chirp_in' || kernel === 'chirp_out';
    const kind = kernel === 'lines' ? `unity ${n}` : `${isChirp ? 'chirp' : 'filter'} ${chirp}`;
    const key = `${device.index} ${type.double} ${kind}`;
    const before = this.tables.get(key);
    if (before !== undefined) return before;
    const values = kernel === 'lines' ? unityTable(n) : isChirp ? chirpTable(chirp) : chirpFilter(chirp, n);
    const table = type.double ? values : Float32Array.from(values);
    const address = allocateDevice(this.context, table.byteLength, null, device);
    if (address === null) return null;
    writeTable(this.context, address, new Uint8Array(table.buffer));
    this.tables.set(key, address);
    return address;
  }
}

const legacyStream = 1;

const newPlan = (device: DeviceState): Plan => ({
  ...{ stream: 0, device, allocates: true, shape: null, ways: new Map<string, readonly Pass[]>() },
  ...{ work: { between: 0, chirp: 0, array: 0 }, workArea: 0, ownsWorkArea: false, parts: null },
});

/** A shape from numbers, or the error that cuFFT has for it. */
function shapeOf(type: number, dimensions: number[], batch: number, sides: Partial<Shape> = {}): Shape | number {
  if (!types[type]) return status.INVALID_TYPE;
  if (dimensions.some((n) => n < 1) || batch < 1) return status.INVALID_SIZE;
  if (product(dimensions) > 2 ** 31) return status.INVALID_SIZE;
  return { type, dimensions, batch, in: null, out: null, ...sides };
}

/** Where arguments lie. */
class Reader {
  private readonly context: CudaContext;

  constructor(context: CudaContext) {
    this.context = context;
  }

  /** Of `cufftPlanMany` and its like, from the rank on; `wide`: of 64 bits. */
  many(args: number[], wide: boolean): Shape | number {
    const [rank, sizes, inEmbed, inStride, inDistance, outEmbed, outStride, outDistance, type, batch] = args as [
      ...[number, number, number, number, number, number, number, number, number, number],
    ];
    if (rank < 1 || rank > 3 || sizes === 0) return rank < 1 || rank > 3 ? status.INVALID_SIZE : status.INVALID_VALUE;
    const dimensions = this.numbers(sizes, rank, wide);
    // One of them is enough for both to be packed.
    if (inEmbed === 0 || outEmbed === 0) return shapeOf(type, dimensions, batch);
    const side = (embed: number, stride: number, distance: number): NonNullable<Shape['in']> => ({
      ...{ embed: this.numbers(embed, rank, wide), stride, distance },
    });
    if (inStride < 1 || outStride < 1) return status.INVALID_SIZE;
    return shapeOf(type, dimensions, batch, {
      in: side(inEmbed, inStride, inDistance),
      out: side(outEmbed, outStride, outDistance),
    });
  }

  /** The same of `cufftXtMakePlanMany`: types of data in place of a type, the last of them that of the execution. */
  manyOfData(args: number[], execution: number): Shape | number {
    const [rank, sizes, inEmbed, inStride, inDistance, inType, outEmbed, outStride, outDistance, outType, batch] =
      args as [...[number, number, number, number, number, number, number, number, number, number, number]];
    if ([inType, outType, execution].some((type) => dataBits16.includes(type)))
      throw new SimsightError(
        'unsupported-construct',
        'cuFFT: transforms of 16-bit numbers are not supported yet.',
        'Use CUDA_C_32F or CUDA_C_64F.',
      );
    const type = typesOfData[`${inType}-${outType}`] ?? 0;
    const rest: number[] = [inEmbed, inStride, inDistance, outEmbed, outStride, outDistance];
    return this.many([rank, sizes, ...rest, type, batch], true);
  }

  private numbers(address: number, count: number, wide: boolean): number[] {
    const { memory } = this.context;
    return Array.from({ length: count }, (_, i) =>
      // Of the wide ones the upper half is zero: no line is that long.
      wide ? memory.u32(address + 8 * i) : memory.u32(address + 4 * i) | 0,
    );
  }
}

const refused =
  (what: string): (() => never) =>
  () => {
    throw new SimsightError(
      'unsupported-construct',
      `cuFFT: ${what} not supported.`,
      'Transform without them, with kernels of your own before and after it.',
    );
  };
/** Types of transforms by their letters in calls that execute. */
export const typesOfCalls = { C2C: 0x29, R2C: 0x2a, C2R: 0x2c, Z2Z: 0x69, D2Z: 0x6a, Z2D: 0x6c };
const callbacks = ['SetCallback', 'ClearCallback', 'SetCallbackSharedSize', 'SetJITCallback'];

const signed = (args: (number | bigint)[]): number[] => args.map(Number);

/** A call of a plan: the arguments behind it, and its handle. */
export type OfPlan = (plan: Plan, args: number[], handle: number) => number;

/** All of cuFFT by the names of its imports; `more`: those of other files. */
export function cufftImports(
  context: CudaContext,
  more: (cufft: Cufft, traced: Traced) => Record<string, Imported>,
): Record<string, Imported> {
  const cufft = new Cufft(context);
  const reader = new Reader(context);
  const imports: Record<string, Imported> = {};
  const inTrace = tracedIn(context, status.EXEC_FAILED);
  const traced = (name: string, run: (args: number[]) => number): void => {
    imports[name] = inTrace(name, (args) => run(signed(args)));
  };
  const withPlan = (run: OfPlan) => (args: number[]) => cufft.withPlan(run, args);
  const quiet = (name: string, run: OfPlan): void => {
    imports[name] = (...args) => withPlan(run)(signed(args));
  };

  /** Shapes from the arguments of a family of calls, and what comes after them. */
  const families: [name: string, count: number, shape: (args: number[]) => Shape | number][] = [
    ['1d', 3, ([n, type, batch]) => shapeOf(type!, [n!], batch!)],
    ['2d', 3, ([x, y, type]) => shapeOf(type!, [x!, y!], 1)],
    ['3d', 4, ([x, y, z, type]) => shapeOf(type!, [x!, y!, z!], 1)],
    ['Many', 10, (args) => reader.many(args, false)],
    ['Many64', 10, (args) => reader.many(args, true)],
  ];
  for (const [name, count, shape] of families) {
    if (name !== 'Many64') {
      traced(`cufftPlan${name}`, ([target, ...rest]) => cufft.planned(target!, shape(rest)));
      imports[`cufftEstimate${name}`] = (...args) => cufft.estimate(shape(signed(args)), Number(args[count]));
    }
    traced(
      `cufftMakePlan${name}`,
      withPlan((plan, args) => cufft.make(plan, shape(args), args[count]!)),
    );
    quiet(`cufftGetSize${name}`, (_plan, args) => cufft.estimate(shape(args), args[count]!));
  }
  traced(
    'cufftXtMakePlanMany',
    withPlan((plan, args) => cufft.make(plan, reader.manyOfData(args, args[12]!), args[11]!)),
  );
  quiet('cufftXtGetSizeMany', (_plan, args) => cufft.estimate(reader.manyOfData(args, args[12]!), args[11]!));
  for (const [name, type] of Object.entries(typesOfCalls))
    traced(
      `cufftExec${name}`,
      withPlan((plan, [input, output, direction = -1]) => cufft.execute(plan, type, input!, output!, direction)),
    );
  traced(
    'cufftXtExec',
    withPlan((plan, [input, output, direction]) => cufft.execute(plan, 0, input!, output!, direction!)),
  );
  traced('cufftCreate', ([target]) => cufft.create(target!));
  traced('cufftDestroy', (args) => withPlan((plan) => cufft.destroy(args[0]!, plan))(args));
  quiet('cufftSetStream', (plan, [stream]) => {
    plan.stream = unsigned(BigInt(stream!));
    return status.SUCCESS;
  });
  quiet('cufftSetWorkArea', (plan, [address]) => cufft.setWorkArea(plan, address!));
  quiet('cufftXtSetWorkAreaPolicy', () => status.SUCCESS);
  quiet('cufftSetAutoAllocation', (plan, [allocates]) => {
    if (plan.shape !== null) return status.INVALID_PLAN;
    plan.allocates = allocates !== 0;
    return status.SUCCESS;
  });
  quiet('cufftGetSize', (plan, [size]) => {
    if (size === 0) return status.INVALID_VALUE;
    const sizes = plan.parts?.workBytes ?? [cufft.workBytes(plan)];
    sizes.forEach((bytes, i) => context.memory.setWord(size! + 8 * i, bytes));
    return status.SUCCESS;
  });
  imports.cufftGetVersion = (target) => {
    context.memory.setU32(unsigned(target), version);
    return status.SUCCESS;
  };
  imports.cufftGetProperty = (type, target) => {
    const value = properties[Number(type)];
    if (value === undefined) return status.INVALID_TYPE;
    context.memory.setU32(unsigned(target), value);
    return status.SUCCESS;
  };
  for (const name of callbacks) imports[`cufftXt${name}`] = refused('callbacks are');
  return { ...imports, ...more(cufft, inTrace) };
}
