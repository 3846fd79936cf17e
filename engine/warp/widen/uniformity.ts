/** Uniformity of a function, with what the table of calls knows. */
import type { Flow } from '../../ir/analysis/flow.ts';
import type { Uniformity } from '../../ir/analysis/uniformity.ts';
import { analyseUniformity } from '../../ir/analysis/uniformity.ts';
import type { Pointers } from '../../ir/addresses.ts';
import type { FunctionIr, ModuleIr } from '../../ir/ir.ts';
import { findIntrinsic } from './intrinsics.ts';

/** What a function returns, as a value of its own. */
export const returnName = '.return';

export function analyseKernel(module: ModuleIr, fn: FunctionIr, flow: Flow, pointers: Pointers): Uniformity {
  return analyseUniformity(flow, {
    callUniformity: (instruction) =>
      module.functions.has(instruction.callee)
        ? 'divergent'
        : (findIntrinsic(instruction.callee)?.uniformity ?? 'operands'),
    space: (pointer) => pointers.space(pointer),
    resolve: (value) => pointers.resolve(value).root,
    parameters: fn.isKernel ? [] : [...fn.parameters.map(({ name }) => name), returnName],
  });
}
