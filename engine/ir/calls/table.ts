/**
 * The table of calls that device code may make: how each depends on lanes, what it costs (measured-costs.ts) and what machine code it is.
 * To support one more, add a row here and what it does in engine/warp/widen.
 */
import type { Called, Cost, Family, PtxForm, Row } from './called.ts';
import { intrinsics } from './intrinsics.ts';
import { aliases, libdevice } from './libdevice.ts';
import { measuredCosts } from './measured-costs.ts';
import { nvvm, nvvmFamilies } from './nvvm.ts';
import { system, systemFamilies } from './system.ts';
import { tensor, tensorFamilies } from './tensor.ts';
import { textureFamilies } from './textures.ts';

const rows = { ...nvvm, ...libdevice, ...system, ...tensor, ...intrinsics };
const families = { ...nvvmFamilies, ...systemFamilies, ...tensorFamilies, ...textureFamilies };
export type RowName = keyof typeof rows;
export type Families = typeof families;

/** PTX instructions that are calls of one function each. */
export const ptxForms: readonly (PtxForm & { callee: string })[] = Object.entries<Row>(rows).flatMap(
  ([callee, { ptx }]) => (ptx === undefined ? [] : { ...ptx, callee }),
);

/** A row as it was found. */
export type Call = Called & {
  cost?: Cost | undefined;
  /** Key of the row, or of the family and what the name was made of. */
  from: { row: RowName } | { family: keyof Families; parts: unknown };
};

const calls = new Map<string, Call>(
  (Object.entries(rows) as [RowName, Row][]).flatMap(([row, { also, ...columns }]) =>
    [row, ...(also?.split(' ') ?? [])].map((name) => [name, measured(name, { ...columns, from: { row } })] as const),
  ),
);

function measured(name: string, call: Call): Call {
  const cost = measuredCosts.get(name);
  return cost === undefined ? call : ({ ...call, cost } as Call);
}
function inFamilies(callee: string): Call | undefined {
  for (const [family, { pattern, parts, describe }] of Object.entries(families) as [
    keyof Families,
    Family<unknown>,
  ][]) {
    const match = pattern.exec(callee);
    const found = match === null ? undefined : parts(match);
    if (found !== undefined) return { ...describe(found), from: { family, parts: found } };
  }
  return undefined;
}
function byAlias(callee: string): Call | undefined {
  for (const { pattern, of } of aliases) {
    const match = pattern.exec(callee);
    const name = match === null ? undefined : of(match);
    if (name !== undefined) return findCall(name);
  }
  return undefined;
}

/** Calls whose name carries a type suffix (`llvm.fma.f32`) are looked up without it. */
export function findCall(callee: string): Call | undefined {
  const known = calls.get(callee);
  if (known !== undefined) return known;
  let found = inFamilies(callee) ?? byAlias(callee);
  if (callee.startsWith('llvm.') || callee.startsWith('simsight.'))
    found ??= calls.get(callee.replace(/(\.(v\d+)?(p\d+|[if]\d+(x2)?|bf16(x2)?))+$/, ''));
  if (found === undefined) return undefined;
  found = measured(callee, found);
  calls.set(callee, found);
  return found;
}
