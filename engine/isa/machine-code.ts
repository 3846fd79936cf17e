/** A kernel as it would be on hardware: selected from the IR that is executed, so blocks and accesses are the same. */
import { buildFlow } from '../ir/analysis/flow.ts';
import { Pointers } from '../ir/addresses.ts';
import type { FunctionIr, ModuleIr } from '../ir/ir.ts';
import { analyseKernel } from '../ir/calls/uniformity.ts';
import type { MachineBlock } from '../model/machine.ts';
import { selectInstructions } from './select.ts';
import type { SelectedFrom } from './select/facts.ts';

export interface MachineCode {
  /** Indexed as the executed blocks. */
  blocks: MachineBlock[];
  /** Registers per thread, estimated. */
  registers: number;
}

/** What machine code is selected from. `fn`: as `prepareKernel` makes it. */
export function selectedFrom(module: ModuleIr, fn: FunctionIr): SelectedFrom {
  const flow = buildFlow(fn.blocks);
  const pointers = new Pointers(module, fn);
  return { flow, pointers, uniformity: analyseKernel(module, fn, flow, pointers) };
}

/** `limit`: registers per thread that it may have. */
export const machineCode = (from: SelectedFrom, limit?: number): MachineCode => selectInstructions(from, limit);
