/**
 * cuFFT on several GPUs: each transforms what it has, parts change places (`cufft-parts.ts`), and each transforms what it has then. The
 * first step of arrays is all dimensions but the first, the second the first; a single line is an array of its two factors. Calls wait
 * for all of it. Out-of-place transforms and input in shuffled order of lines are not supported.
 */
import type { CudaContext } from '../runtime/context.ts';
import type { DeviceState } from '../runtime/device-state.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import type { Imported } from '../runtime/arguments.ts';
import { allocateDevice, memoryCalls } from '../runtime/memory.ts';
import { streamCalls } from '../runtime/streams.ts';
import {
  sizeOf,
  status,
  types,
  typesOfCalls,
  type Cufft,
  type OfPlan,
  type Parts,
  type Plan,
  type Shape,
} from './cufft.ts';
import {
  backwards,
  factorsOf,
  hostToNatural,
  hostToShuffled,
  lineToHost,
  lineToNatural,
  naturalCells,
  naturalToShuffled,
  share,
  shuffledCells,
  type Cells,
  type Factors,
  type Move,
} from './cufft-parts.ts';
import { innerCall, launchInner } from './inner-calls.ts';
import type { Traced } from './library.ts';

/** `cufftXtSubFormat`. */
const formats = { inPlace: 2, shuffled: 3, lineInput: 4, undefined: 7 };
/** `cufftXtCopyType`. */
const [toDevices, toHost, betweenDevices] = [0, 1, 2];
const anyDirection = 4;
/** The legacy default stream of a device. */
const legacy = 1;
/** GPUs of a plan. */
const [fewest, most] = [2, 8];
/** Of each dimension of arrays. */
const leastLength = 32;

/** `cudaLibXtDesc` and `cudaXtDesc` (`cudalibxt.h`). */
const descriptor = { bytes: 32, inner: 8, subFormat: 20, plan: 24 };
const devicesOf = { bytes: 1296, count: 4, gpus: 8, data: 264, sizes: 776 };

type Region = 'data' | 'work' | 'spare';

/** Something that all GPUs do before any of them goes on. */
type Step =
  | { moves: readonly Move[]; from: Region; to: Region }
  | { runs: readonly Run[]; from: Region; to: Region }
  | { factorsOf: Factors };

/** A transform on one GPU, of cells from one place to another. */
interface Run {
  gpu: number;
  plan: Plan;
  in: number;
  out: number;
}

/** A shape without the strides of the two sides: packed. */
const packed = { in: null, out: null };

/** Transforms of the first dimension: columns of an array of so many. */
const columnsShape = (type: number, length: number, columns: number): Shape => {
  const side = { embed: [length], stride: columns, distance: 1 };
  return { type, dimensions: [length], batch: columns, in: side, out: side };
};

/** An array's part of real numbers and of half the complex ones, which is in the first one's place. */
function rowsShape(type: number, dimensions: readonly number[], batch: number): Shape {
  const half = Math.floor(dimensions.at(-1)! / 2) + 1;
  const side = (last: number): NonNullable<Shape['in']> => {
    const embed = [...dimensions.slice(0, -1), last];
    return { embed, stride: 1, distance: embed.reduce((all, n) => all * n, 1) };
  };
  const shape = { type, dimensions: [...dimensions], batch };
  const { in: from, out: to } = types[type]!;
  if (from === 'real') return { ...shape, in: side(2 * half), out: side(half) };
  return to === 'real' ? { ...shape, in: side(half), out: side(2 * half) } : { ...shape, ...packed };
}

class SeveralGpus implements Parts {
  readonly devices: readonly DeviceState[];
  private readonly context: CudaContext;
  private readonly cufft: Cufft;
  private shape: Shape | null = null;
  private cells: Cells = { rows: 1, middle: 1, inner: 1 };
  /** A single line. */
  private line: Factors | null = null;
  /** Whole transforms on each GPU. */
  private isBatch = false;
  /** Cells of each GPU in a descriptor, and the bytes of one. */
  private room: number[] = [];
  private cellBytes = 0;
  /** What leads from natural order to shuffled, and back. */
  private steps: { forth: Step[]; back: Step[] } = { forth: [], back: [] };
  /** Bytes of a work area on each GPU: two regions, and what the transforms need. */
  workBytes: number[] = [];
  private areas: number[] = [];
  private ownsAreas = false;

  constructor(context: CudaContext, cufft: Cufft, devices: readonly DeviceState[]) {
    this.context = context;
    this.cufft = cufft;
    this.devices = devices;
  }

  make(shape: Shape, allocates: boolean): number {
    const wrong = this.cut(shape);
    if (wrong !== status.SUCCESS) return wrong;
    this.shape = shape;
    this.cellBytes = sizeOf(types[shape.type]!);
    this.steps = this.isBatch ? this.batchSteps(shape) : this.line ? this.lineSteps(this.line) : this.arraySteps(shape);
    const runs = [...this.steps.forth, ...this.steps.back].flatMap((step) => ('runs' in step ? step.runs : []));
    const regions = this.isBatch ? 0 : 2;
    this.workBytes = this.room.map((cells, gpu) => {
      const own = runs.filter((run) => run.gpu === gpu).map(({ plan }) => this.cufft.workBytes(plan));
      return regions * cells * this.cellBytes + Math.max(0, ...own);
    });
    if (!allocates) return status.SUCCESS;
    this.areas = this.workBytes.map((bytes, gpu) =>
      bytes === 0 ? 0 : (allocateDevice(this.context, bytes, null, this.devices[gpu]) ?? -1),
    );
    this.ownsAreas = true;
    return this.areas.includes(-1) ? status.ALLOC_FAILED : status.SUCCESS;
  }

  destroy(): void {
    if (this.ownsAreas) for (const area of this.areas) if (area > 0) this.context.freeDevice(area);
    this.ownsAreas = false;
  }

  setWorkAreas(addresses: number[]): number {
    this.destroy();
    this.areas = addresses;
    return status.SUCCESS;
  }

  /** A new descriptor for the program, with memory on each GPU. */
  allocate(target: number, format: number, plan: number): number {
    if (this.shape === null) return status.INVALID_PLAN;
    if (target === 0 || format < 0 || format >= formats.undefined) return status.INVALID_VALUE;
    if (format !== formats.inPlace && format !== formats.shuffled) return status.NOT_SUPPORTED;
    const { memory } = this.context;
    const sizes = this.room.map((cells) => cells * this.cellBytes);
    const data = sizes.map((bytes, gpu) => allocateDevice(this.context, bytes, null, this.devices[gpu]));
    if (data.includes(null)) {
      for (const address of data) if (address !== null) this.context.freeDevice(address);
      return status.ALLOC_FAILED;
    }
    const outer = this.context.malloc(descriptor.bytes);
    const inner = this.context.malloc(devicesOf.bytes);
    memory.bytes(outer, descriptor.bytes).fill(0);
    memory.bytes(inner, devicesOf.bytes).fill(0);
    memory.setWord(outer + descriptor.inner, inner);
    memory.setU32(outer + descriptor.subFormat, format);
    memory.setWord(outer + descriptor.plan, plan);
    memory.setU32(inner + devicesOf.count, this.devices.length);
    this.devices.forEach(({ index }, i) => {
      memory.setU32(inner + devicesOf.gpus + 4 * i, index);
      memory.setWord(inner + devicesOf.data + 8 * i, data[i]!);
      memory.setWord(inner + devicesOf.sizes + 8 * i, sizes[i]!);
    });
    memory.setWord(target, outer);
    return status.SUCCESS;
  }

  /** `cufftXtMemcpy`. */
  copy(target: number, source: number, type: number): number {
    if (this.shape === null) return status.INVALID_PLAN;
    if (target === 0 || source === 0) return status.INVALID_VALUE;
    const { memory } = this.context;
    if (type === toDevices) {
      const moves = this.fromHost(this.formatOf(target));
      return moves === null ? status.INVALID_TYPE : this.move(moves, null, this.dataOf(target), source);
    }
    if (type === toHost) {
      const isLine = this.line !== null && this.formatOf(source) === formats.shuffled;
      const moves = isLine
        ? lineToHost(this.line!, this.devices.length)
        : backwards(this.fromHost(this.formatOf(source))!);
      return this.move(moves, this.dataOf(source), null, target);
    }
    if (type !== betweenDevices) return status.INVALID_VALUE;
    const [from, to] = [this.dataOf(source), this.dataOf(target)];
    if (this.isBatch) return this.move(this.inPlace(), from, to, 0);
    if (this.formatOf(source) !== formats.shuffled || this.formatOf(target) !== formats.inPlace)
      return status.INTERNAL_ERROR;
    const gpus = this.devices.length;
    const moves = this.line ? lineToNatural(this.line, gpus) : backwards(naturalToShuffled(this.cells, gpus));
    memory.setU32(target + descriptor.subFormat, formats.inPlace);
    return this.move(moves, from, to, 0);
  }

  /** `type`: of the call; 0: any. */
  execute(type: number, input: number, output: number, direction: number): number {
    const { shape } = this;
    if (shape === null || (type !== 0 && type !== shape.type)) return status.INVALID_PLAN;
    if (input === 0 || output === 0) return status.INVALID_VALUE;
    const data = this.dataOf(input);
    if (this.dataOf(output).some((address, i) => address !== data[i])) return status.NOT_SUPPORTED;
    if (this.areas.length === 0) return status.NO_WORKSPACE;
    const format = this.formatOf(input);
    const isForth = format === formats.inPlace;
    const { in: from, out: to } = types[shape.type]!;
    const towards = from === 'real' ? -1 : to === 'real' ? 1 : direction;
    if (towards !== 1 && towards !== -1) return status.INVALID_VALUE;
    if (!this.isBatch) {
      const isPossible = isForth ? to !== 'real' : this.line === null && from !== 'real';
      if (!isPossible) return status.INVALID_TYPE;
      const next = isForth ? formats.shuffled : formats.inPlace;
      for (const place of [input, output]) this.context.memory.setU32(place + descriptor.subFormat, next);
    }
    for (const step of isForth || this.isBatch ? this.steps.forth : this.steps.back) {
      const code = this.step(step, data, towards);
      if (code !== status.SUCCESS) return code;
    }
    return status.SUCCESS;
  }

  /** `cufftXt1dFactors`, for plans of one line. */
  query(target: number, what: number): number {
    if (this.shape === null) return status.INVALID_PLAN;
    if (target === 0 || what !== 0 || this.line === null) return status.INVALID_VALUE;
    const { size, strings, string, substring, factor1, factor2 } = this.line;
    const powers = [string, substring, factor1, factor2];
    const longs = [size, strings, ...powers, ...powers.map((power) => power - 1)];
    longs.forEach((value, i) => this.context.memory.setWord(target + 8 * i, value));
    powers.forEach((power, i) => this.context.memory.setU32(target + 8 * longs.length + 4 * i, Math.log2(power)));
    return status.SUCCESS;
  }

  /** How it is spread; the status of what cannot be. */
  private cut(shape: Shape): number {
    const { dimensions, batch, type } = shape;
    const gpus = this.devices.length;
    if (shape.in !== null || shape.out !== null) return status.NOT_SUPPORTED;
    const isReal = types[type]!.in !== 'complex' || types[type]!.out !== 'complex';
    const sizes = dimensions.map((n, axis) => (isReal && axis === dimensions.length - 1 ? Math.floor(n / 2) + 1 : n));
    const [rows, middle = 1, inner = 1] = sizes as [number, number?, number?];
    this.isBatch = batch > 1;
    if (this.isBatch) {
      const whole = rows * middle * inner;
      this.room = share(batch, gpus).map(({ count }) => count * whole);
      return status.SUCCESS;
    }
    if (dimensions.length === 1) {
      this.line = isReal ? null : factorsOf(rows, gpus);
      if (this.line === null) return status.INVALID_SIZE;
      this.cells = { rows: this.line.factor1, middle: this.line.factor2, inner: 1 };
    } else if (dimensions.some((n) => n < leastLength)) return status.INVALID_SIZE;
    else this.cells = { rows, middle, inner };
    const [natural, shuffled] = [naturalCells(this.cells, gpus), shuffledCells(this.cells, gpus)];
    this.room = natural.map((cells, i) => Math.max(cells, shuffled[i]!));
    return status.SUCCESS;
  }

  private batchSteps({ type, dimensions, batch }: Shape): { forth: Step[]; back: Step[] } {
    const parts = share(batch, this.devices.length);
    const runs = this.runs(parts.map(({ count }) => (count === 0 ? null : rowsShape(type, dimensions, count))));
    return { forth: [{ runs, from: 'data', to: 'data' }], back: [] };
  }

  private arraySteps({ type, dimensions }: Shape): { forth: Step[]; back: Step[] } {
    const { rows, middle, inner } = this.cells;
    const gpus = this.devices.length;
    const moves = naturalToShuffled(this.cells, gpus);
    const within = share(rows, gpus).map(({ count }) => rowsShape(type, dimensions.slice(1), count));
    // All that is not real is a transform of complex numbers.
    const complexType = types[type]!.double ? 0x69 : 0x29;
    const across = share(middle, gpus).map(({ count }) => columnsShape(complexType, rows, count * inner));
    return {
      forth: [
        { runs: this.runs(within), from: 'data', to: 'data' },
        { moves, from: 'data', to: 'work' },
        { runs: this.runs(across), from: 'work', to: 'data' },
      ],
      back: [
        { runs: this.runs(across), from: 'data', to: 'data' },
        { moves: backwards(moves), from: 'data', to: 'work' },
        { runs: this.runs(within), from: 'work', to: 'data' },
      ],
    };
  }

  /** Columns of the factors' array, factors of unity, and rows, whose results are a substring's distance from one another. */
  private lineSteps(line: Factors): { forth: Step[]; back: Step[] } {
    const { factor1, factor2, strings, string, substring } = line;
    const { type } = this.shape!;
    const gpus = this.devices.length;
    const moves = naturalToShuffled(this.cells, gpus);
    const columns = share(factor2, gpus).map(({ count }) => columnsShape(type, factor1, count));
    const row: Shape = {
      ...{ type, dimensions: [factor2], batch: substring },
      in: { embed: [factor2], stride: 1, distance: factor2 },
      out: { embed: [factor2], stride: substring, distance: 1 },
    };
    const rows = Array.from({ length: strings / gpus }, (_, i) =>
      this.runs(this.devices.map(() => row)).map((run) => ({ ...run, in: i * substring * factor2, out: i * string })),
    );
    const forth: Step[] = [
      { moves, from: 'data', to: 'work' },
      { runs: this.runs(columns), from: 'work', to: 'work' },
      { factorsOf: line },
      { moves: backwards(moves), from: 'work', to: 'spare' },
      { runs: rows.flat(), from: 'spare', to: 'data' },
    ];
    return { forth, back: [] };
  }

  private runs(shapes: readonly (Shape | null)[]): Run[] {
    return shapes.flatMap((shape, gpu) =>
      shape === null ? [] : [{ gpu, plan: this.cufft.partPlan(this.devices[gpu]!, shape), in: 0, out: 0 }],
    );
  }

  private step(step: Step, data: readonly number[], direction: number): number {
    const placeOf = (region: Region): number[] =>
      region === 'data'
        ? [...data]
        : this.areas.map((area, gpu) => area + (region === 'work' ? 0 : this.room[gpu]! * this.cellBytes));
    if ('moves' in step) return this.move(step.moves, placeOf(step.from), placeOf(step.to), 0);
    let code: number = status.SUCCESS;
    if ('factorsOf' in step) {
      this.devices.forEach((device, gpu) => {
        code ||= this.context.on(device, () => this.multiply(step.factorsOf, gpu, direction));
      });
      return code || this.wait();
    }
    const [from, to] = [placeOf(step.from), placeOf(step.to)];
    for (const { gpu, plan, in: input, out: output } of step.runs) {
      const regions = this.isBatch ? 0 : 2;
      plan.workArea = this.areas[gpu]! + regions * this.room[gpu]! * this.cellBytes;
      const [source, target] = [from[gpu]! + input * this.cellBytes, to[gpu]! + output * this.cellBytes];
      code ||= this.context.on(plan.device, () => this.cufft.execute(plan, 0, source, target, direction));
    }
    return code || this.wait();
  }

  private multiply({ size, factor2 }: Factors, gpu: number, direction: number): number {
    const { first, count: columns } = share(factor2, this.devices.length)[gpu]!;
    const count = (size / factor2) * columns;
    const { smCount } = this.context.gpu.core;
    const code = launchInner(this.context, legacy, {
      kernel: `cufft_factors_${types[this.shape!.type]!.double ? 'double' : 'single'}`,
      grid: { x: Math.min(Math.ceil(count / 256), 8 * smCount), y: 1, z: 1 },
      threads: 256,
      values: [this.areas[gpu]!, columns, first, size, count, direction === 1 ? 1 : 0],
    });
    return code === cudaError.Success ? status.SUCCESS : status.EXEC_FAILED;
  }

  private formatOf(at: number): number {
    return this.context.memory.u32(at + descriptor.subFormat);
  }

  private dataOf(at: number): number[] {
    const inner = Number(this.context.memory.u64(at + descriptor.inner));
    return this.devices.map((_, i) => Number(this.context.memory.u64(inner + devicesOf.data + 8 * i)));
  }

  /** Each part as it is. */
  private inPlace(): Move[] {
    return this.room.map((width, gpu) => {
      const place = { gpu, offset: 0, pitch: width };
      return { from: place, to: place, width, rows: 1 };
    });
  }

  /** From the host to a descriptor of a format; null: lines are not put into shuffled order. */
  private fromHost(format: number): Move[] | null {
    const gpus = this.devices.length;
    if (this.isBatch) return hostToNatural(this.room);
    if (format === formats.inPlace) return hostToNatural(naturalCells(this.cells, gpus));
    return this.line ? null : hostToShuffled(this.cells, gpus);
  }

  /** Null: memory of the host, at the address. */
  private move(moves: readonly Move[], from: number[] | null, to: number[] | null, host: number): number {
    const { context, cellBytes } = this;
    for (const { from: source, to: target, width, rows } of moves) {
      if (width === 0 || rows === 0) continue;
      const addressOf = ({ gpu, offset }: Move['from'], data: number[] | null): number =>
        (gpu === null ? host : data![gpu]!) + offset * cellBytes;
      const words = [
        ...[addressOf(target, to), target.pitch * cellBytes, addressOf(source, from), source.pitch * cellBytes],
        ...[width * cellBytes, rows, anyDirection, legacy],
      ];
      const device = this.devices[source.gpu ?? target.gpu!]!;
      const code = context.on(device, () =>
        innerCall(context, 'cudaMemcpy2DAsync', legacy, (call) =>
          memoryCalls.cudaMemcpy2DAsync!.run(context, call, ...words),
        ),
      );
      if (code !== cudaError.Success) return status.EXEC_FAILED;
    }
    return this.wait();
  }

  private wait(): number {
    for (const device of new Set(this.devices)) {
      const code = this.context.on(device, () =>
        innerCall(this.context, 'cudaStreamSynchronize', null, (call) =>
          streamCalls.cudaStreamSynchronize!.run(this.context, call, legacy),
        ),
      );
      if (code !== cudaError.Success) return status.EXEC_FAILED;
    }
    return status.SUCCESS;
  }
}

/** The devices that a program names; the status of what is wrong with them. */
function devicesAt(context: CudaContext, count: number, address: number): DeviceState[] | number {
  if (count < fewest || count > most || address === 0) return status.INVALID_VALUE;
  const found = Array.from({ length: count }, (_, i) => context.devices[context.memory.u32(address + 4 * i)]);
  return found.includes(undefined) ? status.INVALID_DEVICE : (found as DeviceState[]);
}

/** Gives back what a descriptor has. */
function freeDescriptor(context: CudaContext, at: number): number {
  if (at === 0) return status.INVALID_VALUE;
  const { memory } = context;
  const inner = Number(memory.u64(at + descriptor.inner));
  for (let i = 0; i < memory.u32(inner + devicesOf.count); ++i)
    context.freeDevice(Number(memory.u64(inner + devicesOf.data + 8 * i)));
  context.free(inner);
  context.free(at);
  return status.SUCCESS;
}

/** A call of a plan that has GPUs. */
const severally =
  (run: (parts: SeveralGpus, args: number[], handle: number) => number): OfPlan =>
  ({ parts }, args, handle) =>
    parts instanceof SeveralGpus ? run(parts, args, handle) : status.INVALID_PLAN;

/** By the names of their imports. */
export function cufftXtImports(context: CudaContext, cufft: Cufft, traced: Traced): Record<string, Imported> {
  const calls: Record<string, OfPlan> = {
    cufftXtSetGPUs: (plan, [count, gpus]) => {
      if (plan.shape !== null) return status.INVALID_PLAN;
      const devices = devicesAt(context, count!, gpus!);
      if (typeof devices === 'number') return devices;
      plan.parts = new SeveralGpus(context, cufft, devices);
      return status.SUCCESS;
    },
    cufftXtMalloc: severally((parts, [target, format], handle) => parts.allocate(target!, format!, handle)),
    cufftXtMemcpy: severally((parts, [target, source, type]) => parts.copy(target!, source!, type!)),
    cufftXtQueryPlan: severally((parts, [target, what]) => parts.query(target!, what!)),
    cufftXtSetWorkArea: severally((parts, [addresses]) =>
      addresses === 0
        ? status.INVALID_VALUE
        : parts.setWorkAreas(parts.devices.map((_, i) => Number(context.memory.u64(addresses! + 8 * i)))),
    ),
    cufftXtExecDescriptor: severally((parts, [input, output, direction]) =>
      parts.execute(0, input!, output!, direction!),
    ),
  };
  for (const [name, type] of Object.entries(typesOfCalls))
    calls[`cufftXtExecDescriptor${name}`] = severally((parts, [input, output, direction = -1]) =>
      parts.execute(type, input!, output!, direction),
    );
  const imports: Record<string, Imported> = {
    cufftXtFree: traced('cufftXtFree', ([at]) => freeDescriptor(context, Number(at))),
  };
  for (const [name, call] of Object.entries(calls))
    imports[name] = traced(name, (args) => cufft.withPlan(call, args.map(Number)));
  return imports;
}
