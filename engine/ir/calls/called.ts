/**
 * Properties of the functions that device code may call, apart from how they are executed: a row for each name, and families of names that
 * are made of parts. engine/warp/widen has the same names with their implementation.
 */
import type { InstructionClass } from '../../model/execution.ts';
import type { Opcode, Spelled } from '../../model/opcodes.ts';
import type { CallUniformity } from '../analysis/uniformity.ts';
import type { Type } from '../ir.ts';

/** Units that execute memory instructions other than loads and stores; each a class of instructions of its own. */
export type MemoryUnit = Extract<InstructionClass, 'sync' | 'bulk' | 'texture'>;
/** Units that its accesses are counted for. */
export type SiteUnit = MemoryUnit | 'surface';

/** Classes that one opcode does not stand for: a row that counts them says which. */
type Several = 'shuffle' | 'vote' | 'barrier' | 'tensor';
type Usual = Exclude<InstructionClass, Several | MemoryUnit>;

/** Warp instructions per class that ptxas would emit. */
export type Cost = Partial<Record<InstructionClass, number>>;
type UsualCost = Partial<Record<Usual, number>>;

/** The opcode that stands for a class, where functions are counted by class. */
const usualOpcodes = {
  fp32: 'FFMA',
  fp64: 'DFMA',
  fp16: 'HFMA2',
  int: 'IADD3',
  imad: 'IMAD',
  conversion: 'F2F',
  special: 'MUFU',
  'load-global': 'LDG',
  'store-global': 'STG',
  'load-shared': 'LDS',
  'store-shared': 'STS',
  'load-constant': 'LDC',
  'load-local': 'LDL',
  'store-local': 'STL',
  'atomic-global': 'ATOMG',
  'atomic-shared': 'ATOMS',
  branch: 'BRA',
} as const satisfies Record<Usual, Opcode>;

/** Memory instructions: how many, and which operand is the pointer. */
export interface CalledAccess {
  kind: 'load' | 'store';
  pointer: number;
  /** Accesses that are executed. */
  times: number;
  /** Number of them that are one instruction on hardware, in shared memory and elsewhere; 1 without. */
  together?: { shared: number; global: number };
  /** Other than the one of loads and stores, and how it calls the instruction. */
  unit?: MemoryUnit;
  opcode?: Spelled;
  /** Transposes fragments that LDSM cannot. */
  transposes?: Opcode | undefined;
  /** Sets the level of detail before. */
  level?: Opcode;
}

/** Machine code in place of what a call is counted as. */
export type InPlace =
  /** No instruction: its first operand, negated or not. */
  | { isOperand: true }
  /** Fetched once for all that use it. */
  | { fetched: 'ULDC' | 'S2R' }
  /**
   * These in a row; with a count the first operand is a modifier, or the count where it is not constant. `reads`: they wait for the
   * operands. `stays`: also where nothing uses the result.
   */
  | { code: readonly { opcode: Opcode; count?: number }[]; reads?: true; stays?: true };

interface Columns {
  /** Default: 'operands'. */
  uniformity?: CallUniformity;
  memory?: CalledAccess;
  /** It only tells the compiler something. */
  vanishes?: true;
  /**
   * The operand that says which lanes take part. Groups of lanes with masks of their own take turns with some opcodes, and go side by side
   * with others (null).
   */
  mask?: { operand: number; turns: 'VOTE' | 'MATCH' | null };
  /** Takes half and bfloat16 operands as they are; others get and yield floats. */
  narrow?: boolean;
  /** Gets all elements of a vector result at once; others are written element by element. */
  whole?: boolean;
}
type Counted<Class extends Several> = {
  cost: UsualCost & Record<Class, number>;
  opcodes: Partial<Record<Usual, Opcode>> & Record<Class, Opcode>;
};
/** Properties of a call. Its opcodes are named where its classes do not determine them. */
export type Called = Columns &
  (
    | { cost?: UsualCost; opcodes?: Partial<Record<Usual, Opcode>>; machine?: undefined }
    | { cost?: Cost; opcodes?: undefined; machine: InPlace }
    | (Counted<'shuffle'> & { machine?: undefined })
    | (Counted<'vote'> & { machine?: undefined })
    | (Counted<'barrier'> & { machine?: undefined })
    | (Counted<'tensor'> & { machine?: undefined })
  );

/** A PTX instruction with effects whose operands are the call's: one result at most. */
export interface PtxForm {
  opcodes: string;
  result: Type;
  operands: readonly Type[];
}
/** `also`: other names of the same. `ptx`: instructions that are this call; others are translated in ir/ptx/instructions.ts. */
export type Row = Called & { also?: string; ptx?: PtxForm };

/** Calls whose names are made of parts. */
export interface Family<Parts> {
  pattern: RegExp;
  /** Undefined: the name is of another family, or of none. */
  parts: (match: RegExpExecArray) => Parts | undefined;
  describe: (parts: Parts) => Called;
}
export const family = (pattern: RegExp, describe: (match: RegExpExecArray) => Called): Family<RegExpExecArray> => ({
  pattern,
  parts: (match) => match,
  describe,
});
export type PartsOf<F> = F extends Family<infer Parts> ? Parts : never;

/** The opcode of a class of what a call is counted as. */
export const opcodeOf = (
  { opcodes }: { opcodes?: Partial<Record<string, Opcode>> | undefined },
  kind: string,
): Opcode => opcodes?.[kind] ?? usualOpcodes[kind as Usual];

// ---- several names at once ----

/** The same for each of the names, between prefix and suffix. */
export const each = <const P extends string, const N extends string, V, const S extends string = ''>(
  prefix: P,
  names: readonly N[],
  make: (name: N, index: number) => V,
  suffix?: S,
): Record<`${P}${N}${S}`, V> =>
  Object.fromEntries(names.map((name, i) => [`${prefix}${name}${suffix ?? ''}`, make(name, i)])) as Record<
    `${P}${N}${S}`,
    V
  >;

/** A float and a double version: `__nv_floorf`, `__nv_floor`. */
export const both = <const N extends string, V, const P extends string = '__nv_'>(
  names: readonly N[],
  make: (type: 'float' | 'double', name: N) => V,
  prefix?: P,
): Record<`${P}${N}f` | `${P}${N}`, V> =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${prefix ?? '__nv_'}${name}f`, make('float', name)],
      [`${prefix ?? '__nv_'}${name}`, make('double', name)],
    ]),
  ) as Record<`${P}${N}f` | `${P}${N}`, V>;
