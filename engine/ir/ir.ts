/**
 * LLVM IR as data: what {@link parseModule} makes of Clang's text and what every later step reads. Only what device code
 * needs; values are named, not linked, so that inlining is renaming.
 */
import { SimsightError } from '../base/errors.ts';
import type { SourcePlace } from '../model/source-place.ts';

/** Size of a pointer in memory. Whatever it is, addresses themselves have 32 bits: those of one WebAssembly memory. */
export type PointerBytes = 4 | 8;

export type Type =
  | { kind: 'void' | 'float' | 'double' | 'half' | 'bfloat' | 'label' | 'metadata' | 'token' }
  | { kind: 'int'; bits: number }
  /** `bytes`: size in memory. */
  | { kind: 'ptr'; space: number; bytes: PointerBytes }
  | { kind: 'array' | 'vector'; count: number; element: Type }
  | { kind: 'struct'; fields: Type[]; packed: boolean };

export type Value =
  | { kind: 'local'; name: string; type: Type }
  | { kind: 'int'; value: bigint; type: Type }
  /** `text` is LLVM's own spelling, valid again in what we emit. */
  | { kind: 'float'; text: string; type: Type }
  | { kind: 'zero' | 'undef'; type: Type }
  | { kind: 'aggregate'; elements: Value[]; type: Type }
  | { kind: 'bytes'; bytes: Uint8Array; type: Type }
  | { kind: 'global'; name: string; type: Type }
  | { kind: 'expression'; op: string; operands: Value[]; sourceType: Type | null; type: Type }
  | { kind: 'metadata'; type: Type }
  | { kind: 'asm'; text: string; constraints: string; type: Type };

/** Flag of the branch at the end of a loop that is not to be unrolled. */
export const nounroll = 'nounroll';
/** Flag of arithmetic that stands in PTX: NVVM does not see it. */
export const inAssembly = 'assembly';
/** Flag of a division of 64 bits whose operands do not fit 32. */
export const longWay = 'long';

export interface Instruction {
  op: string;
  /** Result name without `%`; null for instructions without a result. */
  name: string | null;
  type: Type;
  operands: Value[];
  /** icmp/fcmp predicate, atomicrmw operation. */
  predicate: string;
  /** Fast-math and wrap flags as written (`contract`, `nsw` …); of branches back: {@link nounroll}. */
  flags: string[];
  /** load/store/atomics: type accessed and alignment in bytes; alloca and GEP: the source element type. */
  accessType: Type | null;
  align: number;
  volatile: boolean;
  /** phi: the incoming blocks beside `operands`; br/switch: the targets; switch cases stand in `cases`. */
  labels: string[];
  cases: bigint[];
  /** extractvalue/insertvalue indices, shufflevector mask (-1: undefined), alignments of a call's arguments (0: none said). */
  indices: number[];
  /** call: callee name without `@`, or '' for inline assembly and indirect calls. */
  callee: string;
  place: SourcePlace | null;
}

export interface Block {
  name: string;
  instructions: Instruction[];
}

export interface Parameter {
  name: string;
  type: Type;
  /** The struct type, when passed by value through a pointer. */
  byval: Type | null;
  align: number;
  /** `__restrict__`: what it points to is accessed by no other pointer. */
  restrict: boolean;
}

export interface FunctionIr {
  name: string;
  isKernel: boolean;
  returns: Type;
  parameters: Parameter[];
  blocks: Block[];
  attributes: Map<string, string>;
  place: SourcePlace | null;
}

export interface GlobalIr {
  name: string;
  space: number;
  type: Type;
  initializer: Value | null;
  align: number;
  internal: boolean;
  /** `__managed__`. */
  managed: boolean;
}

export interface ModuleIr {
  /** Of generic pointers: 8 where the IR is for a 64-bit device. */
  pointerBytes: PointerBytes;
  globals: Map<string, GlobalIr>;
  functions: Map<string, FunctionIr>;
}

export const voidType: Type = { kind: 'void' };
export const i1: Type = { kind: 'int', bits: 1 };
export const i32: Type = { kind: 'int', bits: 32 };
export const int = (bits: number): Type => ({ kind: 'int', bits });
export const pointerType = (space: number, bytes: PointerBytes): Type => ({ kind: 'ptr', space, bytes });
export const intConstant = (value: number | bigint, type: Type = i32): Value => ({
  kind: 'int',
  value: BigInt(value),
  type,
});

const alignUp = (value: number, align: number): number => Math.ceil(value / align) * align;

/** Size of a value in memory, bytes (LLVM's store size rounded up to the alignment for aggregates). */
export function sizeOf(type: Type): number {
  switch (type.kind) {
    case 'int':
      return type.bits <= 8 ? 1 : type.bits <= 16 ? 2 : type.bits <= 32 ? 4 : Math.ceil(type.bits / 64) * 8;
    case 'half':
    case 'bfloat':
      return 2;
    case 'float':
      return 4;
    case 'ptr':
      return type.bytes;
    case 'double':
      return 8;
    case 'vector': {
      const bytes =
        type.element.kind === 'int' && type.element.bits === 1 ? type.count / 8 : sizeOf(type.element) * type.count;
      return 2 ** Math.ceil(Math.log2(Math.max(1, bytes)));
    }
    case 'array':
      return sizeOf(type.element) * type.count;
    case 'struct': {
      let offset = 0;
      for (const field of type.fields)
        offset = (type.packed ? offset : alignUp(offset, alignOf(field))) + sizeOf(field);
      return type.packed ? offset : alignUp(offset, alignOf(type));
    }
    default:
      return 0;
  }
}

export function alignOf(type: Type): number {
  if (type.kind === 'array') return alignOf(type.element);
  if (type.kind === 'struct') return type.packed ? 1 : Math.max(1, ...type.fields.map(alignOf));
  return Math.max(1, Math.min(16, sizeOf(type)));
}

export function fieldOffset(type: Type, index: number): number {
  if (type.kind === 'array' || type.kind === 'vector') return sizeOf(type.element) * index;
  if (type.kind !== 'struct') return 0;
  let offset = 0;
  for (let i = 0; ; i++) {
    const field = type.fields[i];
    if (field === undefined) return offset;
    if (!type.packed) offset = alignUp(offset, alignOf(field));
    if (i === index) return offset;
    offset += sizeOf(field);
  }
}

export function elementType(type: Type, index: number): Type {
  if (type.kind === 'array' || type.kind === 'vector') return type.element;
  const field = type.kind === 'struct' ? type.fields[index] : undefined;
  if (field === undefined) throw new SimsightError('internal', `Type ${typeText(type)} has no element ${index}.`);
  return field;
}

export interface Leaf {
  type: Type;
  offset: number;
}

/** A first-class value flattened: scalars are one leaf, vectors and structs one per element, with byte offsets. */
export function leavesOf(type: Type): Leaf[] {
  if (type.kind === 'void') return [];
  if (type.kind === 'struct') {
    return type.fields.flatMap((field, i) => {
      const start = fieldOffset(type, i);
      return leavesOf(field).map((leaf) => ({ type: leaf.type, offset: start + leaf.offset }));
    });
  }
  if (type.kind === 'array' || type.kind === 'vector') {
    const step = sizeOf(type.element);
    const inner = leavesOf(type.element);
    return Array.from({ length: type.count }, (_, i) =>
      inner.map((leaf) => ({ type: leaf.type, offset: i * step + leaf.offset })),
    ).flat();
  }
  return [{ type, offset: 0 }];
}

export function typeText(type: Type): string {
  switch (type.kind) {
    case 'int':
      return `i${type.bits}`;
    case 'ptr':
      return type.space === 0 ? 'ptr' : `ptr addrspace(${type.space})`;
    case 'array':
      return `[${type.count} x ${typeText(type.element)}]`;
    case 'vector':
      return `<${type.count} x ${typeText(type.element)}>`;
    case 'struct':
      return `{ ${type.fields.map(typeText).join(', ')} }`;
    default:
      return type.kind;
  }
}

export const isTerminator = (instruction: Instruction): boolean =>
  instruction.op === 'br' ||
  instruction.op === 'switch' ||
  instruction.op === 'ret' ||
  instruction.op === 'unreachable';

export function terminatorOf(block: Block): Instruction {
  const last = block.instructions.at(-1);
  if (last === undefined) throw new SimsightError('internal', `Block ${block.name} has no terminator.`);
  return last;
}

/** Phis of blocks that have been split: who came from a block comes from its last part. */
export function joinLastParts(blocks: readonly Block[], lastPart: ReadonlyMap<string, string>): void {
  for (const { instructions } of blocks)
    for (const phi of instructions)
      if (phi.op === 'phi') phi.labels = phi.labels.map((label) => lastPart.get(label) ?? label);
}

/** The one error for what the simulator cannot run yet: names construct, function and source line. */
export function unsupported(construct: string, where: string, place: SourcePlace | null): SimsightError {
  return new SimsightError(
    'unsupported-construct',
    `${construct} is not supported yet (in ${where}${place ? `, ${place.file}:${place.line}` : ''}).`,
    'Rewrite this part of the kernel, or leave it out of the recording.',
    place ? { file: place.file, line: place.line, column: place.column } : {},
  );
}

export function makeInstruction(op: string, fields: Partial<Instruction>): Instruction {
  return {
    op,
    name: null,
    type: voidType,
    operands: [],
    predicate: '',
    flags: [],
    accessType: null,
    align: 0,
    volatile: false,
    labels: [],
    cases: [],
    indices: [],
    callee: '',
    place: null,
    ...fields,
  };
}
