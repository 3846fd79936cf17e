/**
 * How a unit enters its second functions (see units.ts), which are a module of their own: it imports them, and they go on with its stack.
 */
import { isSecondExport } from './units.ts';

export type SecondFunctions = Readonly<Record<string, (...args: number[]) => number>>;

/** What is entered. */
export interface SecondCode {
  instance: WebAssembly.Instance;
  stackPointer: WebAssembly.Global<'i32'>;
}

/** The functions that a module imports; `second` brings their code when one is entered. */
export function secondFunctions(
  module: WebAssembly.Module,
  stackPointer: () => WebAssembly.Global<'i32'>,
  second: () => SecondCode,
): SecondFunctions {
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  return Object.fromEntries(
    names.filter(isSecondExport).map((name) => [
      name,
      (...args: number[]): number => {
        const code = second();
        code.stackPointer.value = stackPointer().value;
        return (code.instance.exports[name] as (...args: number[]) => number)(...args);
      },
    ]),
  );
}
