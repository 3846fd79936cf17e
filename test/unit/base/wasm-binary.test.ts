import { expect, test } from 'vitest';
import { functionImports } from '../../../engine/base/wasm-binary.ts';

const text = (word: string): number[] => [word.length, ...Buffer.from(word)];
const section = (id: number, ...entries: number[][]): number[] => {
  const bytes = [entries.length, ...entries.flat()];
  return [id, bytes.length, ...bytes];
};

test('the functions that a module imports are found among memories, tables, globals and tags, as V8 has them', () => {
  const bytes = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, 0, 0], [0x60, 1, 0x7f, 0]),
    ...section(
      2,
      [...text('env'), ...text('f'), 0, 0],
      [...text('env'), ...text('memory'), 2, 1, 1, 2],
      [...text('env'), ...text('table'), 1, 0x70, 0, 1],
      [...text('env'), ...text('limited'), 1, 0x70, 1, 1, 9],
      [...text('env'), ...text('global'), 3, 0x7f, 0],
      [...text('env'), ...text('tag'), 4, 0, 1],
      [...text('other'), ...text('constructor'), 0, 1],
    ),
  ]);
  const ofV8 = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  expect(ofV8).toHaveLength(7);
  const functions = ofV8.filter(({ kind }) => kind === 'function').map(({ module, name }) => ({ module, name }));
  expect(functionImports(bytes).map(({ module, name }) => ({ module, name }))).toEqual(functions);
  expect(functionImports(bytes).map(({ type }) => type)).toEqual([0, 1]);
});
