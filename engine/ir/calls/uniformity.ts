/** Uniformity of a function: analysis of its code, with the table of calls. */
import type { Flow } from '../analysis/flow.ts';
import type { Uniformity } from '../analysis/uniformity.ts';
import { analyseUniformity } from '../analysis/uniformity.ts';
import type { Pointers } from '../addresses.ts';
import type { FunctionIr, ModuleIr } from '../ir.ts';
import { findCall } from './table.ts';

/** Name of the value that a function returns. */
export const returnName = '.return';

/** Values, branches and loops of `fn` that differ between lanes. */
export function analyseKernel(module: ModuleIr, fn: FunctionIr, flow: Flow, pointers: Pointers): Uniformity {
  return analyseUniformity(flow, {
    callUniformity: (instruction) =>
      module.functions.has(instruction.callee) ? 'divergent' : (findCall(instruction.callee)?.uniformity ?? 'operands'),
    space: (pointer) => pointers.space(pointer),
    resolve: (value) => pointers.resolve(value).root,
    parameters: fn.isKernel ? [] : [...fn.parameters.map(({ name }) => name), returnName],
  });
}
