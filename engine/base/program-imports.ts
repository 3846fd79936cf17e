/**
 * The one door between a program's WebAssembly and us. Programs choose the names of what they import, so these are never looked up
 * in what all JavaScript objects have (`constructor` leads to `Function`, and that to any code at all):
 *
 *   const call = own(calls, name);
 *   new WebAssembly.Instance(module, importsFor(module, { env: { memory, fault } }));
 */
import { SimsightError } from './errors.ts';

/** A table's own entry under a name that somebody else chose; undefined for what the table merely inherits. */
export function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

const kinds: Record<WebAssembly.ImportExportKind, (value: unknown) => boolean> = {
  function: (value) => typeof value === 'function',
  memory: (value) => value instanceof WebAssembly.Memory,
  table: (value) => value instanceof WebAssembly.Table,
  global: (value) => value instanceof WebAssembly.Global,
  tag: (value) => value instanceof WebAssembly.Tag,
};

/**
 * A module's imports, and nothing else, in objects that inherit nothing. Errors: `unsupported-construct` for a module, a name or a
 * kind that is not in `known`.
 */
export function importsFor(
  module: WebAssembly.Module,
  known: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): WebAssembly.Imports {
  const imports = Object.create(null) as Record<string, Record<string, WebAssembly.ImportValue>>;
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const functions = own(known, from);
    const value = functions && own(functions, name);
    if (value === undefined || !own(kinds, kind)?.(value)) {
      throw new SimsightError(
        'unsupported-construct',
        `The program imports ${JSON.stringify(name)} of ${JSON.stringify(from)}, which Simsight does not have.`,
        'Programs can call the C and C++ libraries and CUDA: leave out import_module and import_name, and declarations without a definition.',
      );
    }
    imports[from] ??= Object.create(null) as Record<string, WebAssembly.ImportValue>;
    imports[from][name] = value as WebAssembly.ImportValue;
  }
  return imports;
}
