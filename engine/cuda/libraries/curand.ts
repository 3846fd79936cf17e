/**
 * cuRAND's host API: calls that launch kernels of `curand.cu`, which make numbers with cuRAND's bits in cuRAND's order. Order
 * and bits were compared with those of cuRAND 10.4, on the host and on an H200. A generator of the host executes the same
 * kernels out of sight of the simulated GPU's timeline, and copies what they made.
 */
import { SimsightError } from '../../base/errors.ts';
import type { Dim3 } from '../../model/execution.ts';
import { unsigned, type Imported } from '../runtime/arguments.ts';
import type { CudaContext } from '../runtime/context.ts';
import type { DeviceState } from '../runtime/device-state.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { allocateDevice } from '../runtime/memory.ts';
import { launchInner, parametersOf, writeTable, type Argument } from './inner-calls.ts';
import { traced as tracedIn } from './library.ts';
import { poissonTable } from './poisson-table.ts';
import { sobolDimensions, sobolVectors } from './sobol-directions.ts';

const status = {
  SUCCESS: 0,
  NOT_INITIALIZED: 101,
  ALLOCATION_FAILED: 102,
  TYPE_ERROR: 103,
  OUT_OF_RANGE: 104,
  LENGTH_NOT_MULTIPLE: 105,
  LAUNCH_FAILURE: 201,
  PREEXISTING_FAILURE: 202,
  INTERNAL_ERROR: 999,
};

const version = 10400;
/** What `curandGetProperty` says. */
const properties = [10, 4, 0];

const ordering = { best: 100, default: 101, seeded: 102, legacy: 103, dynamic: 104, quasi: 201 };

interface Type {
  /** In names of kernels. */
  name: string;
  quasi?: true;
  /** Bits of its words. */
  bits: 32 | 64;
  /** Parallel streams in the default order, and in the legacy one. */
  streams: { default: number; legacy: number };
  /** The same in the dynamic one, which is made for the GPU: as an H200 has it, and for each of its SMs. Not of MTGP32. */
  dynamic: (sms: number) => number;
  /** Numbers that a stream has in a row. */
  inRow: number;
  /** Bytes of a stream's state. */
  stateBytes: number;
  /** Normal numbers come in pairs. */
  pairs?: true;
}

const pseudo = { bits: 32 } as const;
const quasi = { quasi: true, streams: { default: 0, legacy: 0 }, dynamic: () => 0, inRow: 1, stateBytes: 0 } as const;
const mtgpParameterBytes = (200 * (3 + 3 * 16) + 1) * 4;

const types: Record<number, Type> = {
  101: {
    ...{ ...pseudo, name: 'xorwow', inRow: 1, stateBytes: 48, pairs: true },
    ...{ streams: { default: 4096, legacy: 4096 }, dynamic: () => 2816 },
  },
  121: {
    ...{ ...pseudo, name: 'mrg32k3a', inRow: 1, stateBytes: 48, pairs: true },
    ...{ streams: { default: 81920, legacy: 4096 }, dynamic: (sms) => 2048 * sms },
  },
  141: {
    ...{ ...pseudo, name: 'mtgp32', inRow: 256, stateBytes: 4112 },
    ...{ streams: { default: 192, legacy: 64 }, dynamic: () => 0 },
  },
  161: {
    ...{ ...pseudo, name: 'philox4_32_10', inRow: 4, stateBytes: 8 },
    ...{ streams: { default: 65536, legacy: 65536 }, dynamic: (sms) => 512 * sms },
  },
  201: { ...quasi, name: 'sobol32', bits: 32 },
  203: { ...quasi, name: 'sobol64', bits: 64 },
};
const aliases: Record<number, number> = { 100: 101, 200: 201 };
const notYet: Record<number, string> = {
  142: 'MT19937',
  202: 'scrambled Sobol sequences',
  204: 'scrambled Sobol sequences',
};

const refusal = (what: string, remedy: string): SimsightError =>
  new SimsightError('unsupported-construct', `cuRAND: ${what} not supported yet.`, remedy);

interface Generator {
  type: Type;
  /** Null: of the host. */
  device: DeviceState | null;
  stream: number;
  seed: bigint;
  offset: bigint;
  ordering: number;
  dimensions: number;
  /** States of the streams, or direction vectors, as they have been made; null before, and after each setting. */
  states: number | null;
  /** Of MTGP32: where its parameters lie. */
  parameters: number;
  /** How many numbers or draws of the round of all streams have been given; of Sobol's sequences the position in them. */
  position: bigint;
}

/** A kind of numbers. */
interface Numbers {
  kernel: string;
  bytes: 4 | 8;
  /** Normal ones. */
  normal?: true;
}

const ceilDiv = (a: number, b: number): number => Math.ceil(a / b);

/** As `struct Kind` in curand.cu. */
function kindBytes(a: number, b: number, sums = 0, first = 0, count = 0): Uint8Array {
  const view = new DataView(new ArrayBuffer(32));
  view.setFloat64(0, a, true);
  view.setFloat64(8, b, true);
  view.setBigUint64(16, BigInt(sums), true);
  view.setInt32(24, first, true);
  view.setInt32(28, count, true);
  return new Uint8Array(view.buffer);
}

class Curand {
  private readonly context: CudaContext;
  private readonly generators = new Map<number, Generator>();
  /** Tables of Poisson's distribution on a device, by its ordinal and lambda. */
  private readonly tables = new Map<string, { address: number; first: number; count: number }>();

  constructor(context: CudaContext) {
    this.context = context;
  }

  find(handle: number): Generator | undefined {
    return this.generators.get(handle);
  }

  create(target: number, number: number, host: boolean): number {
    const { context } = this;
    const asked = aliases[number] ?? number;
    const missing = notYet[asked];
    if (missing !== undefined)
      throw refusal(
        `generators of ${missing} are`,
        'Use CURAND_RNG_PSEUDO_XORWOW, MRG32K3A, MTGP32, PHILOX4_32_10 or CURAND_RNG_QUASI_SOBOL32 or SOBOL64.',
      );
    const type = types[asked];
    if (!type) return status.TYPE_ERROR;
    const handle = context.newHandle();
    this.generators.set(handle, {
      ...{ type, device: host ? null : context.current, stream: 0, seed: 0n, offset: 0n },
      ...{ ordering: type.quasi ? ordering.quasi : ordering.default, dimensions: 1 },
      ...{ states: null, parameters: 0, position: 0n },
    });
    context.memory.setWord(target, handle);
    return status.SUCCESS;
  }

  destroy(handle: number, generator: Generator): number {
    this.forget(generator);
    this.generators.delete(handle);
    return status.SUCCESS;
  }

  setOrdering(generator: Generator, order: number): number {
    const { type, device } = generator;
    if (type.quasi ? order !== ordering.quasi : order < ordering.best || order > ordering.dynamic)
      return status.OUT_OF_RANGE;
    if (order === ordering.seeded) {
      if (type.name !== 'xorwow') return status.OUT_OF_RANGE;
      throw refusal(
        'the order CURAND_ORDERING_PSEUDO_SEEDED is',
        'Use CURAND_ORDERING_PSEUDO_DEFAULT, BEST, LEGACY or DYNAMIC.',
      );
    }
    if (order === ordering.dynamic && !device) return status.OUT_OF_RANGE;
    if (order === ordering.dynamic && type.name === 'mtgp32')
      throw refusal('the order CURAND_ORDERING_PSEUDO_DYNAMIC of MTGP32 is', 'Use CURAND_ORDERING_PSEUDO_DEFAULT.');
    this.forget(generator);
    generator.ordering = order;
    return status.SUCCESS;
  }

  setDimensions(generator: Generator, dimensions: number): number {
    if (!generator.type.quasi) return status.TYPE_ERROR;
    if (dimensions < 1 || dimensions > 20000) return status.OUT_OF_RANGE;
    if (dimensions > sobolDimensions)
      throw refusal(`more than ${sobolDimensions} dimensions are`, `Use at most ${sobolDimensions}.`);
    this.forget(generator);
    generator.dimensions = dimensions;
    return status.SUCCESS;
  }

  /** States are made anew before the next numbers. */
  forget(generator: Generator): void {
    for (const address of [generator.states ?? 0, generator.parameters])
      if (address !== 0) this.free(generator, address);
    generator.states = null;
    generator.parameters = 0;
  }

  seeded(generator: Generator): number {
    const { type, seed, offset } = generator;
    if (generator.states !== null) return status.SUCCESS;
    if (type.quasi) return this.placeVectors(generator);
    const streams = this.streamsOf(generator);
    const states = this.allocate(generator, streams * type.stateBytes);
    if (states === null) return status.ALLOCATION_FAILED;
    generator.states = states;
    if (type.name === 'mtgp32') {
      const parameters = this.allocate(generator, mtgpParameterBytes);
      if (parameters === null) return status.ALLOCATION_FAILED;
      generator.parameters = parameters;
      generator.position = 0n;
      const folded = BigInt.asIntN(32, seed ^ (seed >> 32n));
      return this.launch(generator, 'curand_mtgp32_seed', { x: streams, y: 1, z: 1 }, 32, [
        ...[states, parameters, Number(folded)],
      ]);
    }
    const round = BigInt(streams * type.inRow);
    generator.position = offset % round;
    const ahead = Number(generator.position) / type.inRow;
    // Of curand.cu, but for Philox, whose streams need no jumps.
    const threads = type.name === 'philox4_32_10' ? streams : Math.min(streams, 4096);
    return this.launch(generator, `curand_${type.name}_seed`, { x: ceilDiv(threads, 256), y: 1, z: 1 }, 256, [
      ...[states, streams, seed, offset / round, Math.floor(ahead)],
    ]);
  }

  /** `n` numbers at an address of the device or, for a generator of the host, of the host. */
  generate(generator: Generator, numbers: Numbers, out: number, n: number, kind: Uint8Array): number {
    const { type, dimensions } = generator;
    if (n === 0) return status.SUCCESS;
    if (n % (type.quasi ? dimensions : numbers.normal && type.pairs ? 2 : 1) !== 0) return status.LENGTH_NOT_MULTIPLE;
    const ready = this.seeded(generator);
    if (ready !== status.SUCCESS) return ready;
    const place = generator.device ? out : this.allocate(generator, n * numbers.bytes);
    if (place === null) return status.ALLOCATION_FAILED;
    const code = type.quasi
      ? this.launchQuasi(generator, numbers, place, n, kind)
      : this.launchPseudo(generator, numbers, place, n, kind);
    if (!generator.device) {
      this.readBack(place, out, n * numbers.bytes);
      this.free(generator, place);
    }
    return code;
  }

  /** Poisson's distribution as a kernel looks it up; null where there is no room for it. */
  poissonKind({ device }: Generator, lambda: number): Uint8Array | null {
    const key = `${device?.index ?? 'host'} ${lambda}`;
    let table = this.tables.get(key);
    if (table === undefined) {
      const { first, sums } = poissonTable(lambda);
      const address = this.allocate({ device }, sums.byteLength);
      if (address === null) return null;
      writeTable(this.context, address, new Uint8Array(sums.buffer));
      table = { address, first, count: sums.length };
      this.tables.set(key, table);
    }
    return kindBytes(0, 0, table.address, table.first, table.count);
  }

  private launchPseudo(generator: Generator, numbers: Numbers, out: number, n: number, kind: Uint8Array): number {
    const { type } = generator;
    const streams = this.streamsOf(generator);
    const draws = type.pairs && numbers.normal ? n / 2 : n;
    const first = Number(generator.position);
    const blocks = type.name === 'mtgp32' ? streams : ceilDiv(streams, 256);
    generator.position = (generator.position + BigInt(draws)) % BigInt(streams * type.inRow);
    return this.launch(generator, numbers.kernel, { x: blocks, y: 1, z: 1 }, 256, [
      ...[generator.states!, streams, first, out, draws, kind, generator.seed],
    ]);
  }

  private launchQuasi(generator: Generator, numbers: Numbers, out: number, n: number, kind: Uint8Array): number {
    const { type, dimensions, position } = generator;
    const each = n / dimensions;
    const grid = { x: Math.min(ceilDiv(each, 256), 1024), y: dimensions, z: 1 };
    generator.position += BigInt(each);
    const at = type.bits === 32 ? Number(BigInt.asIntN(32, position)) : position;
    return this.launch(generator, numbers.kernel, grid, 256, [generator.states!, at, out, each, kind]);
  }

  private streamsOf({ type, ordering: order, device }: Generator): number {
    if (order === ordering.dynamic) return type.dynamic(device!.gpu.core.smCount);
    return order === ordering.legacy ? type.streams.legacy : type.streams.default;
  }

  private placeVectors(generator: Generator): number {
    const { type, dimensions } = generator;
    const vectors = sobolVectors(dimensions, type.bits);
    const words = type.bits === 64 ? vectors : Uint32Array.from(vectors, (vector) => Number(vector));
    const states = this.allocate(generator, words.byteLength);
    if (states === null) return status.ALLOCATION_FAILED;
    writeTable(this.context, states, new Uint8Array(words.buffer));
    generator.states = states;
    generator.position = generator.offset;
    return status.SUCCESS;
  }

  private launch(
    { device, stream }: Pick<Generator, 'device' | 'stream'>,
    kernel: string,
    grid: Dim3,
    threads: number,
    values: Argument[],
  ): number {
    const { context } = this;
    if (device) {
      const code = launchInner(context, stream, { kernel, grid, threads, values });
      return code === cudaError.Success ? status.SUCCESS : status.LAUNCH_FAILURE;
    }
    // Executed only: the host's own work is not timed. What it leaves in the simulated L2 is the only trace of it.
    const description = context.device.kernel(kernel);
    if (!description) return status.INTERNAL_ERROR;
    const block = { x: threads, y: 1, z: 1 };
    const parameters = parametersOf(description, values);
    const launch = { kernel, grid, block, dynamicSharedBytes: 0, preferredCarveout: -1, parameters };
    context.device.launch(launch, context.devices[0]!.model.cacheGeometry(description, launch));
    return status.SUCCESS;
  }

  /** Memory of the generator's device; for one of the host memory that the program does not see. */
  private allocate({ device }: Pick<Generator, 'device'>, bytes: number): number | null {
    return device ? allocateDevice(this.context, bytes, null, device) : this.context.device.allocateAnywhere(bytes, 0);
  }

  private free({ device }: Generator, address: number): void {
    if (device) this.context.freeDevice(address);
    else this.context.device.free(address);
  }

  private readBack(from: number, to: number, bytes: number): void {
    let at = 0;
    for (const piece of this.context.device.pieces(from, bytes, false)) {
      this.context.memory.bytes(to + at, piece.length).set(piece);
      at += piece.length;
    }
  }
}

type Call = (curand: Curand, generator: Generator, args: (number | bigint)[]) => number;

const setting =
  (set: (curand: Curand, generator: Generator, value: number | bigint) => number): Call =>
  (curand, generator, [value]) =>
    set(curand, generator, value!);

const settings: Record<string, Call> = {
  curandSetPseudoRandomGeneratorSeed: setting((curand, generator, seed) => {
    if (generator.type.quasi) return status.TYPE_ERROR;
    curand.forget(generator);
    generator.seed = BigInt.asUintN(64, BigInt(seed));
    return status.SUCCESS;
  }),
  curandSetGeneratorOffset: setting((curand, generator, offset) => {
    if (generator.type.name === 'mtgp32') return status.TYPE_ERROR;
    curand.forget(generator);
    generator.offset = BigInt.asUintN(64, BigInt(offset));
    return status.SUCCESS;
  }),
  curandSetGeneratorOrdering: setting((curand, generator, order) => curand.setOrdering(generator, Number(order))),
  curandSetQuasiRandomGeneratorDimensions: setting((curand, generator, dimensions) =>
    curand.setDimensions(generator, unsigned(dimensions)),
  ),
  curandSetStream: setting((_curand, generator, stream) => {
    generator.stream = unsigned(stream);
    return status.SUCCESS;
  }),
};

/** Numbers of a kind: `scaled`: a mean and a deviation follow. */
function generation(kind: string, bytes: 4 | 8, { normal = false, wordBits = 0 } = {}): Call {
  return (curand, generator, [out, n, mean = 0, deviation = 1]) => {
    const { name, bits } = generator.type;
    if (wordBits !== 0 && wordBits !== bits) return status.TYPE_ERROR;
    const numbers: Numbers = { kernel: `curand_${name}_${kind}`, bytes, ...(normal ? { normal } : {}) };
    return curand.generate(generator, numbers, unsigned(out), unsigned(n), kindBytes(Number(mean), Number(deviation)));
  };
}

const normal = { normal: true };

/** Calls that launch kernels: traced. */
const workCalls: Record<string, Call> = {
  curandGenerateSeeds: (curand, generator) => curand.seeded(generator),
  curandGenerate: generation('words', 4, { wordBits: 32 }),
  curandGenerateLongLong: generation('longs', 8, { wordBits: 64 }),
  curandGenerateUniform: generation('uniform', 4),
  curandGenerateUniformDouble: generation('uniform_double', 8),
  curandGenerateNormal: generation('normal', 4, normal),
  curandGenerateNormalDouble: generation('normal_double', 8, normal),
  curandGenerateLogNormal: generation('log_normal', 4, normal),
  curandGenerateLogNormalDouble: generation('log_normal_double', 8, normal),
  curandGeneratePoisson: (curand, generator, [out, n, lambda]) => {
    // The bounds of cuRAND 10.4.
    if (!(Number(lambda) > 0 && Number(lambda) <= 4e8)) return status.OUT_OF_RANGE;
    const kind = curand.poissonKind(generator, Number(lambda));
    if (kind === null) return status.ALLOCATION_FAILED;
    const numbers: Numbers = { kernel: `curand_${generator.type.name}_poisson`, bytes: 4 };
    return curand.generate(generator, numbers, unsigned(out), unsigned(n), kind);
  },
};

/** All of cuRAND's host API by the names of its imports. */
export function curandImports(context: CudaContext): Record<string, Imported> {
  const curand = new Curand(context);
  const imports: Record<string, Imported> = {};
  const inTrace = tracedIn(context, status.PREEXISTING_FAILURE);
  const traced = (name: string, run: (args: (number | bigint)[]) => number): void => {
    imports[name] = inTrace(name, run);
  };
  const withGenerator =
    (call: Call) =>
    ([handle, ...rest]: (number | bigint)[]): number => {
      const generator = curand.find(unsigned(handle));
      return generator ? call(curand, generator, rest) : status.NOT_INITIALIZED;
    };
  for (const [name, call] of Object.entries(workCalls)) traced(name, withGenerator(call));
  for (const [name, call] of Object.entries(settings)) imports[name] = (...args) => withGenerator(call)(args);
  traced('curandCreateGenerator', ([target, type]) => curand.create(unsigned(target), Number(type), false));
  traced('curandCreateGeneratorHost', ([target, type]) => curand.create(unsigned(target), Number(type), true));
  traced('curandDestroyGenerator', ([handle]) =>
    withGenerator((_curand, generator) => curand.destroy(unsigned(handle), generator))([handle!]),
  );
  imports.curandGetVersion = (target) => {
    context.memory.setU32(unsigned(target), version);
    return status.SUCCESS;
  };
  imports.curandGetProperty = (type, target) => {
    const value = properties[Number(type)];
    if (value === undefined) return status.OUT_OF_RANGE;
    context.memory.setU32(unsigned(target), value);
    return status.SUCCESS;
  };
  return imports;
}
