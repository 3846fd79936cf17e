/** The types of functions in a host program's WebAssembly. */
import { SimsightError } from '../../base/errors.ts';
import { functionImports, sectionOf, type Reader } from '../../base/wasm-binary.ts';

export interface FunctionType {
  parameters: Uint8Array;
  results: Uint8Array;
}

/** `module.name` of an import. */
export type ImportKey = `${string}.${string}`;

const typeSection = 1;
const functionForm = 0x60;
/** v128, f64, f32, i64, i32. */
const numbers = new Set([0x7b, 0x7c, 0x7d, 0x7e, 0x7f]);

function functionType(part: Reader): FunctionType {
  const [parameters, results] = [0, 1].map(() => {
    const { at, end } = part.part(part.u32());
    return part.bytes.subarray(at, end);
  }) as [Uint8Array, Uint8Array];
  return { parameters, results };
}

/**
 * Functions of a program take and give numbers: objects of JavaScript, which references could hold, do not come into it. Errors:
 * `unsupported-construct`.
 */
export function refuseReferences(host: Uint8Array): void {
  const part = sectionOf(host, typeSection);
  for (let left = part?.u32() ?? 0; left > 0; left--) {
    const isFunction = part!.byte() === functionForm;
    const { parameters, results } = isFunction ? functionType(part!) : { parameters: [], results: [] };
    if (isFunction && [...parameters, ...results].every((type) => numbers.has(type))) continue;
    throw new SimsightError(
      'unsupported-construct',
      'The program has functions that take or return references (externref, funcref).',
      'Programs for a GPU have none: use pointers.',
    );
  }
}

/** The types of the functions that a module imports. */
export function importTypes(host: Uint8Array): Map<ImportKey, FunctionType> {
  const part = sectionOf(host, typeSection);
  const types = Array.from({ length: part?.u32() ?? 0 }, () => {
    part!.byte();
    return functionType(part!);
  });
  return new Map(functionImports(host).map(({ module, name, type }) => [`${module}.${name}`, types[type]!]));
}
