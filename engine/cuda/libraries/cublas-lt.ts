/**
 * cuBLASLt: descriptions of products and matrices, and the product itself, by kernels of `cublas.cu`. Descriptions are attributes by
 * number, as the program sets them; those that it leaves out have the library's defaults.
 */
import type { CudaContext } from '../runtime/context.ts';
import { onWords, unsigned, type Imported } from '../runtime/arguments.ts';
import {
  compute,
  dataTypes,
  gemms,
  gridOf,
  isOperation,
  matricesOf,
  status,
  timedType,
  version,
  type Accumulator,
  type Cublas,
} from './cublas.ts';
import { alignment, biasOf, isFloat8, isSupported, scalesOf, timedFloat8, type Types } from './cublas-f8.ts';
import { Words, type Traced } from './library.ts';

/** Attributes by number (`cublasLtMatmulDescAttributes_t`, `cublasLtMatrixLayoutAttribute_t`). */
const descAttribute = {
  computeType: 0,
  scaleType: 1,
  pointerMode: 2,
  transA: 3,
  transB: 4,
  transC: 5,
  fillMode: 6,
  epilogue: 7,
  bias: 8,
  biasStride: 10,
  aux: 11,
  auxLd: 12,
  auxStride: 13,
  scaleA: 17,
  scaleB: 18,
  scaleC: 19,
  scaleD: 20,
  amaxD: 21,
  auxType: 22,
  fastAccumulation: 25,
  biasType: 26,
};
const layoutAttribute = { type: 0, order: 1, rows: 2, columns: 3, ld: 4, batch: 5, stride: 6 };

const epilogue = {
  default: 1,
  bias: 4,
  dgelu: 192,
  relu: 2,
  reluBias: 6,
  gelu: 32,
  geluBias: 36,
  geluAux: 160,
  geluAuxBias: 164,
};
const epilogues = new Set(Object.values(epilogue));
const auxFlag = 128;

const float = 0;
const column = 0;

/** Fields of `cublasLtMatmulHeuristicResult_t`, bytes. */
const result = { waves: 76, bytes: 96 };

type Description = Map<number, Uint8Array>;

interface Matrix {
  type: number;
  rows: number;
  columns: number;
  ld: number;
  batch: number;
  stride: bigint;
}

/** A product that can be computed; else the status that says why not. */
interface Product {
  kind: keyof typeof gemms;
  ta: number;
  tb: number;
  m: number;
  n: number;
  k: number;
  batch: number;
  a: Matrix;
  b: Matrix;
  c: Matrix;
  d: Matrix;
  epilogue: number;
  /** Its scalars are halves. */
  half: boolean;
  /** Of 8-bit floats. */
  types?: Types;
}

/** Types of scalars (`cudaDataType`) beside the types of sums. */
const scaleTypes: Partial<Record<Accumulator, number>> = { float: 0, double: 1, int: 10 };
const halfScale = 2;

const words = (value: number | bigint, bytes: number): Uint8Array => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, BigInt(value), true);
  return new Uint8Array(view.buffer, 0, bytes);
};

/** A number of up to eight bytes; `usual` where the attribute is not set. */
function big(of: Description, attribute: number, usual = 0n): bigint {
  const bytes = of.get(attribute);
  if (bytes === undefined) return usual;
  const whole = new Uint8Array(8);
  whole.set(bytes.subarray(0, 8));
  return new DataView(whole.buffer).getBigInt64(0, true);
}
const integer = (of: Description, attribute: number, usual = 0): number => Number(big(of, attribute, BigInt(usual)));

function matrixOf(layout: Description): Matrix | null {
  if (integer(layout, layoutAttribute.order) !== column) return null;
  return {
    type: integer(layout, layoutAttribute.type),
    rows: integer(layout, layoutAttribute.rows),
    columns: integer(layout, layoutAttribute.columns),
    ld: integer(layout, layoutAttribute.ld),
    batch: integer(layout, layoutAttribute.batch, 1),
    stride: big(layout, layoutAttribute.stride),
  };
}

class CublasLt {
  private readonly context: CudaContext;
  private readonly blas: Cublas;
  private readonly handles = new Set<number>();
  /** By pointer: of the library's own, or to where the program has them. */
  private readonly descriptions = new Map<number, Description>();

  constructor(context: CudaContext, blas: Cublas) {
    this.context = context;
    this.blas = blas;
  }

  create(target: number): number {
    if (target === 0) return status.INVALID_VALUE;
    const handle = this.context.newHandle();
    this.handles.add(handle);
    this.context.memory.setWord(target, handle);
    return status.SUCCESS;
  }

  destroy(handle: number): number {
    return this.handles.delete(handle) ? status.SUCCESS : status.NOT_INITIALIZED;
  }

  /** A handle of cuBLAS is one of cuBLASLt as well. */
  private knows(handle: number): boolean {
    return this.handles.has(handle) || this.blas.handle(handle) !== undefined;
  }

  describe(target: number, attributes: [attribute: number, value: Uint8Array][]): number {
    if (target === 0) return status.INVALID_VALUE;
    const pointer = this.context.newHandle();
    this.context.memory.setWord(target, pointer);
    return this.describeAt(pointer, attributes);
  }

  describeAt(pointer: number, attributes: [attribute: number, value: Uint8Array][]): number {
    if (pointer === 0) return status.INVALID_VALUE;
    this.descriptions.set(pointer, new Map(attributes));
    return status.SUCCESS;
  }

  forget(pointer: number): number {
    this.descriptions.delete(pointer);
    return status.SUCCESS;
  }

  set(pointer: number, attribute: number, value: number, bytes: number): number {
    const description = this.descriptions.get(pointer);
    if (description === undefined || value === 0 || bytes > 64) return status.INVALID_VALUE;
    description.set(attribute, this.context.memory.bytes(value, bytes).slice());
    return status.SUCCESS;
  }

  get(pointer: number, attribute: number, value: number, bytes: number, written: number): number {
    const known = this.descriptions.get(pointer)?.get(attribute) ?? new Uint8Array(Math.min(bytes, 8));
    if (!this.descriptions.has(pointer) || (bytes > 0 && bytes < known.length)) return status.INVALID_VALUE;
    if (bytes > 0) this.context.memory.bytes(value, known.length).set(known);
    if (written !== 0) this.context.memory.setWord(written, known.length);
    return status.SUCCESS;
  }

  /** What is to be computed, from the descriptions of the product and of A, B, C and D; the status where that is not possible. */
  private product(desc: number, ...layouts: number[]): Product | number {
    const of = this.descriptions.get(desc);
    const described = layouts.map((layout) => this.descriptions.get(layout));
    if (of === undefined || described.includes(undefined)) return status.INVALID_VALUE;
    const matrices = described.map((each) => matrixOf(each!));
    if (matrices.includes(null)) return status.NOT_SUPPORTED;
    const [a, b, c, d] = matrices as [Matrix, Matrix, Matrix, Matrix];
    const [ta, tb] = [integer(of, descAttribute.transA), integer(of, descAttribute.transB)];
    if (!isOperation(ta) || !isOperation(tb)) return status.INVALID_VALUE;
    const [m, k] = ta === 0 ? [a.rows, a.columns] : [a.columns, a.rows];
    const [kOfB, n] = tb === 0 ? [b.rows, b.columns] : [b.columns, b.rows];
    const fits = k === kOfB && [c, d].every(({ rows, columns }) => rows === m && columns === n);
    const isWide = [a, b, c, d].every(({ ld, rows }) => ld >= rows);
    if (!fits || !isWide || [a, b, c, d].some(({ batch }) => batch !== d.batch)) return status.INVALID_VALUE;
    const asked = integer(of, descAttribute.epilogue, epilogue.default);
    const shape = { ta, tb, m, n, k, batch: d.batch, a, b, c, d, epilogue: asked };
    if (isFloat8(a.type) || isFloat8(b.type)) return this.productOfFloat8(of, shape);
    const kind = a.type === b.type && c.type === d.type ? dataTypes[`${a.type}-${d.type}`] : undefined;
    const isPlain = [descAttribute.transC, descAttribute.fillMode].every((each) => integer(of, each) === 0);
    if (kind === undefined || !isPlain || !epilogues.has(asked)) return status.NOT_SUPPORTED;
    const { accumulator } = gemms[kind];
    const computeType = integer(of, descAttribute.computeType);
    const half = compute.half.includes(computeType);
    const isComputed = half ? kind === 'h' : compute[accumulator].includes(computeType);
    const scaleType = half ? halfScale : scaleTypes[accumulator];
    if (!isComputed || integer(of, descAttribute.scaleType) !== scaleType) return status.NOT_SUPPORTED;
    if (accumulator !== 'float' && asked !== epilogue.default) return status.NOT_SUPPORTED;
    const { scaleA, scaleB, scaleC, scaleD, amaxD } = descAttribute;
    const isScaled = [scaleA, scaleB, scaleC, scaleD, amaxD].some((each) => big(of, each) !== 0n);
    const auxType = integer(of, descAttribute.auxType, d.type);
    if (isScaled || ((asked & auxFlag) !== 0 && auxType !== d.type)) return status.NOT_SUPPORTED;
    return { ...shape, kind, half };
  }

  private productOfFloat8(of: Description, shape: Omit<Product, 'kind' | 'half'>): Product | number {
    const { a, b, c, d, epilogue: asked } = shape;
    const types = { a: a.type, b: b.type, c: c.type, d: d.type };
    const isComputed =
      compute.float[0] === integer(of, descAttribute.computeType) && integer(of, descAttribute.scaleType) === float;
    const isPlain = integer(of, descAttribute.transC) === 0 && integer(of, descAttribute.fillMode) === 0;
    const isKnown = epilogues.has(asked) && (asked & auxFlag) === 0 && asked !== epilogue.dgelu;
    if (!isSupported(types, shape, this.context.gpu) || !isComputed || !isPlain || !isKnown)
      return status.NOT_SUPPORTED;
    const bytesOf = ({ type }: Matrix): number => (isFloat8(type) ? 1 : type === float ? 4 : 2);
    const isAligned = [a, b, c, d].every((matrix) => (matrix.ld * bytesOf(matrix)) % alignment === 0);
    return isAligned ? { ...shape, kind: 'f8', half: false, types } : status.NOT_SUPPORTED;
  }

  /** One way to compute it, if there is one. */
  heuristic(handle: number, args: number[]): number {
    const [desc, a, b, c, d, , requested, results, found] = args as [number, ...number[]];
    if (!this.knows(handle)) return status.NOT_INITIALIZED;
    if (requested! < 1 || results === 0 || found === 0) return status.INVALID_VALUE;
    const product = this.product(desc, a!, b!, c!, d!);
    const { memory } = this.context;
    memory.setU32(found!, typeof product === 'number' ? 0 : 1);
    if (typeof product === 'number') return product;
    const { kind, m, n, batch } = product;
    const { x, z } = gridOf(this.blas.tilesFor(gemms[kind], m, n, batch, false), m, n, batch);
    const bytes = memory.bytes(results!, result.bytes);
    bytes.fill(0);
    new DataView(bytes.buffer, bytes.byteOffset).setFloat32(
      result.waves,
      (x * z) / this.context.gpu.core.smCount,
      true,
    );
    return status.SUCCESS;
  }

  multiply(handle: number, args: number[]): number {
    const [desc, alpha, a, aLayout, b, bLayout, beta, c, cLayout, d, dLayout] = args as [number, ...number[]];
    const stream = args.at(-1)!;
    if (!this.knows(handle)) return status.NOT_INITIALIZED;
    const product = this.product(desc, aLayout!, bLayout!, cLayout!, dLayout!);
    if (typeof product === 'number') return product;
    const { kind, ta, tb, m, n, k, batch, half } = product;
    if (m === 0 || n === 0 || batch === 0) return status.SUCCESS;
    if (alpha === 0 || beta === 0 || d === 0 || (k > 0 && (a === 0 || b === 0))) return status.INVALID_VALUE;
    if (!this.blas.knowsStream(stream)) return status.INVALID_VALUE;
    const of = this.descriptions.get(desc)!;
    const own = {
      ...{ stream, mathMode: 0, atomics: 0, workspace: 0, emulation: new Map<string, number>() },
      devicePointers: integer(of, descAttribute.pointerMode) === 1,
    };
    const shape = {
      ...{ ta, tb, m, n, k, batch, pointers: false, part: 0 },
      ...{ a: a!, lda: product.a.ld, strideA: product.a.stride },
      ...{ b: b!, ldb: product.b.ld, strideB: product.b.stride },
      ...{ c: d!, ldc: product.d.ld, strideC: product.d.stride },
    };
    const factor = this.blas.scalar(own, beta!, gemms[kind].accumulator, half);
    const { types } = product;
    const computeType = integer(of, descAttribute.computeType);
    const isFast = integer(of, descAttribute.fastAccumulation) !== 0;
    const scales = types ? this.scales(of, types) : [];
    if (scales === null) return status.NOT_SUPPORTED;
    const type = types ? timedFloat8(types.d, isFast) : timedType(kind, { half, mathMode: 0, computeType });
    const times = this.blas.gemmTimes(shape, type, {
      readsC: factor.some((byte) => byte !== 0),
      hasEpilogue: product.epilogue !== epilogue.default,
    });
    const tiles = this.blas.tilesFor(gemms[kind], m, n, batch, times !== null);
    return this.blas.launchAs(own, times, {
      kernel: tiles.kernel.replace('cublas_', 'cublasLt_'),
      grid: gridOf(tiles, m, n, batch),
      threads: tiles.threads,
      values: [
        matricesOf(own, shape, alpha!, beta!, half),
        this.epilogueOf(of, product, c!),
        this.blas.scalar(own, alpha!, gemms[kind].accumulator, half),
        factor,
        ...scales,
      ],
    });
  }

  /** The last argument of the kernel; null where scales are not aligned: an H200's library refuses that no sooner than here. */
  private scales(of: Description, types: Types): [Uint8Array] | null {
    const { scaleA, scaleB, scaleD, amaxD, biasType } = descAttribute;
    const [a, b, d] = [scaleA, scaleB, scaleD].map((each) => big(of, each)) as [bigint, bigint, bigint];
    if ([a, b, d].some((at) => at % BigInt(alignment) !== 0n)) return null;
    const largest = big(of, amaxD);
    if (largest !== 0n) this.blas.writeInt(Number(largest), 0);
    return [scalesOf(types, integer(of, biasType, biasOf(types)), { a, b, d, largest })];
  }

  /** As `struct Epilogue` in cublas.cu. */
  private epilogueOf(of: Description, { c, d, epilogue: flags }: Product, address: number): Uint8Array {
    const all = new Words();
    all.longs(BigInt(address), big(of, descAttribute.bias), big(of, descAttribute.aux), c.stride);
    all.longs(big(of, descAttribute.biasStride), big(of, descAttribute.auxStride));
    const isFloatBias = integer(of, descAttribute.biasType, d.type) === float && d.type !== float;
    all.ints(c.ld, integer(of, descAttribute.auxLd), flags, isFloatBias ? 1 : 0);
    return all.bytes;
  }
}

/** All of cuBLASLt by the names of its imports. */
export function cublasLtImports(context: CudaContext, blas: Cublas, traced: Traced): Record<string, Imported> {
  const lt = new CublasLt(context, blas);
  const numbers = (args: (number | bigint)[]): number[] => args.map((value) => unsigned(value));
  const desc = (computeType: number, scaleType: number): [number, Uint8Array][] => [
    [descAttribute.computeType, words(computeType, 4)],
    [descAttribute.scaleType, words(scaleType, 4)],
  ];
  const layout = (type: number, rows: number, columns: number, ld: number): [number, Uint8Array][] => [
    [layoutAttribute.type, words(type, 4)],
    [layoutAttribute.rows, words(rows, 8)],
    [layoutAttribute.columns, words(columns, 8)],
    [layoutAttribute.ld, words(ld, 8)],
    [layoutAttribute.batch, words(1, 4)],
  ];
  const imports: Record<string, Imported> = {
    cublasLtCreate: traced('cublasLtCreate', (args) => lt.create(numbers(args)[0]!)),
    cublasLtDestroy: traced('cublasLtDestroy', (args) => lt.destroy(numbers(args)[0]!)),
    cublasLtGetVersion: () => BigInt(version),
    cublasLtGetCudartVersion: () => 12080n,
    cublasLtMatmulDescCreate: onWords((target, type, scale) => lt.describe(target!, desc(type!, scale!))),
    cublasLtMatmulDescInit_internal: onWords((at, _, type, scale) => lt.describeAt(at!, desc(type!, scale!))),
    cublasLtMatrixLayoutCreate: onWords((target, type, rows, columns, ld) =>
      lt.describe(target!, layout(type!, rows!, columns!, ld!)),
    ),
    cublasLtMatrixLayoutInit_internal: onWords((at, _, type, rows, columns, ld) =>
      lt.describeAt(at!, layout(type!, rows!, columns!, ld!)),
    ),
    cublasLtMatmulPreferenceCreate: onWords((target) => lt.describe(target!, [])),
    cublasLtMatmulPreferenceInit_internal: onWords((at) => lt.describeAt(at!, [])),
    cublasLtMatmulAlgoGetHeuristic: onWords((handle, ...rest) => lt.heuristic(handle!, rest)),
    cublasLtMatmul: traced('cublasLtMatmul', (args) => {
      const [handle, ...rest] = numbers(args);
      return lt.multiply(handle!, rest);
    }),
  };
  for (const kind of ['MatmulDesc', 'MatrixLayout', 'MatmulPreference']) {
    imports[`cublasLt${kind}Destroy`] = onWords((pointer) => lt.forget(pointer!));
    imports[`cublasLt${kind}SetAttribute`] = onWords((pointer, attribute, value, bytes) =>
      lt.set(pointer!, attribute!, value!, bytes!),
    );
    imports[`cublasLt${kind}GetAttribute`] = onWords((pointer, attribute, value, bytes, written) =>
      lt.get(pointer!, attribute!, value!, bytes!, written!),
    );
  }
  return imports;
}
