import type { FunctionIr, ModuleIr } from './ir.ts';
export function narrowIntegers(_module: ModuleIr, fn: FunctionIr): FunctionIr {
  return fn;
}
