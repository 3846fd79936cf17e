import { describe, expect, test } from 'vitest';
import { Llvm } from '../../../engine/compile/llvm.ts';
import { ToolFolder } from '../../../engine/compile/tool-files.ts';

describe('the memory of a run', () => {
  const mostBytes = 512 << 20;
  const llvm = new Llvm(mostBytes);
  /** Bytes of memory after a C source with so many functions was compiled. */
  const after = (functions: number): number => {
    const files = new ToolFolder(true);
    const text = Array.from({ length: functions }, (_, i) => `int f${i}(int x) { return x + ${i}; }\n`).join('');
    files.add('/app.c', new TextEncoder().encode(text));
    let written = 0;
    const words = ['clang', '-cc1', '-triple', 'wasm64-unknown-unknown', '-emit-llvm', '-o', '-', '/app.c'];
    llvm.run(words, files, {
      output: (bytes) => void (written += bytes.length),
      messages: () => {},
      written: () => {},
    });
    expect(written).toBeGreaterThan(100 * functions);
    return llvm.memory!.buffer.byteLength;
  };

  test('is there from the beginning and does not grow by pieces, each of which has V8 collect garbage', () => {
    const small = after(1);
    expect(small).toBeGreaterThan(mostBytes / 4);
    expect(small).toBeLessThan(mostBytes / 3);
    expect(after(5_000)).toBe(small);
  });
});
