/**
 * The table of calls that device code may make: how each depends on lanes, what it costs (see measured-costs.ts) and
 * how it is written for a whole warp.
 */
import type { Spelled } from '../../model/opcodes.ts';
import { measuredCosts } from './measured-costs.ts';
import type { Instruction } from '../../ir/ir.ts';
import type { InstructionClass } from '../../model/execution.ts';
import type { CallUniformity } from '../../ir/analysis/uniformity.ts';
import type { KernelContext } from './kernel/context.ts';
import type { Leaf } from './writer.ts';

/** What executes memory instructions other than loads and stores; a class of instructions of its own. */
export type MemoryUnit = Extract<InstructionClass, 'sync' | 'bulk' | 'texture'>;
/** What its accesses are counted as. */
export type SiteUnit = MemoryUnit | 'surface';

export interface Intrinsic {
  /** Default: 'operands'. */
  uniformity?: CallUniformity;
  /** Warp instructions per class that ptxas would emit; default none. */
  cost?: Partial<Record<InstructionClass, number>>;
  /** Memory instructions: how many, and which operand is the pointer. */
  memory?: {
    kind: 'load' | 'store';
    pointer: number;
    /** Accesses that are executed. */
    times: number;
    /** How many of them are one instruction on hardware, in shared memory and elsewhere; 1 without. */
    together?: { shared: number; global: number };
    /** Other than the one of loads and stores, and how it calls the instruction. */
    unit?: MemoryUnit;
    opcode?: Spelled;
    /** Fragments that MOVM has to transpose where LDSM cannot. */
    transposed?: boolean;
  };
  /** Takes half and bfloat16 operands as they are; others get and yield floats. */
  narrow?: boolean;
  /** Gets all elements of a vector result at once; others are written element by element. */
  whole?: boolean;
  /** Needs all lanes' values together; otherwise a plain function of its operands. */
  emit: (kernel: KernelContext, args: Leaf[], instruction: Instruction) => Leaf[];
}

export type Emit = Intrinsic['emit'];
export type Cost = Intrinsic['cost'];

const table = new Map<string, Intrinsic>();
const families: { pattern: RegExp; make: (match: RegExpExecArray) => Intrinsic | undefined }[] = [];

export const add = (names: string, cost: Cost, emit: Emit, uniformity?: CallUniformity): void => {
  for (const name of names.split(' ')) {
    const known = { cost: measuredCosts.get(name) ?? cost, emit };
    table.set(name, uniformity ? { ...known, uniformity } : known);
  }
};
/** Intrinsics whose names are made of parts. */
export const addFamily = (pattern: RegExp, make: (match: RegExpExecArray) => Intrinsic | undefined): void => {
  families.push({ pattern, make });
};

export const arg = (args: Leaf[], index: number): Leaf => args[index] as Leaf;
export const numberOf = (leaf: Leaf | undefined): number | null =>
  leaf?.uniform && /^-?\d+$/.test(leaf.text) ? Number(leaf.text) : null;

/** Calls whose name carries a type suffix (`llvm.fma.f32`) are looked up without it. */
export function findIntrinsic(callee: string): Intrinsic | undefined {
  const known = table.get(callee);
  if (known !== undefined) return known;
  let found: Intrinsic | undefined;
  for (const { pattern, make } of families) {
    if (found !== undefined) break;
    const match = pattern.exec(callee);
    if (match !== null) found = make(match);
  }
  if (callee.startsWith('llvm.') || callee.startsWith('simsight.'))
    found ??= table.get(callee.replace(/(\.(v\d+)?(p\d+|[if]\d+(x2)?|bf16(x2)?))+$/, ''));
  const cost = measuredCosts.get(callee);
  if (found !== undefined && cost !== undefined) found = { ...found, cost };
  if (found !== undefined) table.set(callee, found);
  return found;
}
