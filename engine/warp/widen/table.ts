/** Calls that device code may make: what is known of them (engine/ir/calls), and how they are written for a whole warp. */
import { type Call, type Families, findCall, type RowName } from '../../ir/calls/table.ts';
import type { Emissions, Emit, FamilyEmissions } from './emit.ts';
import { intrinsics } from './intrinsics.ts';
import { libdevice } from './libdevice.ts';
import { nvvm, nvvmFamilies } from './nvvm.ts';
import { system, systemFamilies } from './system.ts';
import { tensor, tensorFamilies } from './tensor.ts';
import { textureFamilies } from './textures.ts';

const emissions: Emissions<Record<RowName, unknown>> = { ...nvvm, ...libdevice, ...system, ...tensor, ...intrinsics };
const families: FamilyEmissions<Families> = {
  ...nvvmFamilies,
  ...systemFamilies,
  ...tensorFamilies,
  ...textureFamilies,
};

export interface Intrinsic extends Pick<Call, 'narrow' | 'whole'> {
  emit: Emit;
}

const known = new Map<string, Intrinsic>();

export function findIntrinsic(callee: string): Intrinsic | undefined {
  const before = known.get(callee);
  if (before !== undefined) return before;
  const call = findCall(callee);
  if (call === undefined) return undefined;
  const { from, narrow = false, whole = false } = call;
  const emit = 'row' in from ? emissions[from.row] : (families[from.family] as (parts: unknown) => Emit)(from.parts);
  const found = { narrow, whole, emit };
  known.set(callee, found);
  return found;
}
