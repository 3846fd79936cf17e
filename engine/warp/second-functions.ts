/**
 * How a unit enters its second functions (see units.ts), which are a module of their own: it imports them, and they go on with its stack.
 */
import { isSecondExport } from './unit-code.ts';

export type SecondFunctions = Readonly<Record<string, (...args: number[]) => number>>;

export const stackPointerOf = ({ exports }: WebAssembly.Instance): WebAssembly.Global<'i32'> =>
  exports['__stack_pointer'] as WebAssembly.Global<'i32'>;

/** The functions that a module imports, whose instance is `first`; `second` brings that of their code when one is entered. */
export function secondFunctions(
  module: WebAssembly.Module,
  first: () => WebAssembly.Instance,
  second: () => WebAssembly.Instance,
): SecondFunctions {
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  return Object.fromEntries(
    names.filter(isSecondExport).map((name) => [
      name,
      (...args: number[]): number => {
        const code = second();
        stackPointerOf(code).value = stackPointerOf(first()).value;
        return (code.exports[name] as (...args: number[]) => number)(...args);
      },
    ]),
  );
}
