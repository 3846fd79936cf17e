/** V8's code of Clang from process to process: what becomes faster by it must be the same, whatever lies in its place. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { root } from '../../../engine/base/paths.ts';
import { newFolder } from '../cuda/program.ts';

const url = (file: string): string => pathToFileURL(join(root, 'engine', 'compile', file)).href;

/** Compiles a source in C, and says what code it began with, whether code was kept, and what came out. */
const script = `
  import { createHash } from 'node:crypto';
  import { Llvm } from '${url('llvm.ts')}';
  import { ToolFolder } from '${url('tool-files.ts')}';
  const llvm = new Llvm(512 << 20, process.argv[2]);
  const began = llvm.code.size;
  const files = new ToolFolder(true);
  const text = Array.from({ length: 3000 }, (_, i) => 'int f' + i + '(int x) { return x * x + ' + i + '; }\\n').join('');
  files.add('/app.c', new TextEncoder().encode(text));
  const hash = createHash('sha256');
  const words = ['clang', '-cc1', '-triple', 'wasm64-unknown-unknown', '-O2', '-emit-llvm', '-o', '-', '/app.c'];
  const begin = process.cpuUsage();
  llvm.run(words, files, { output: (bytes) => hash.update(bytes), messages() {}, written() {} });
  const { user } = process.cpuUsage(begin);
  const kept = await llvm.keepCode();
  console.log(JSON.stringify({ began, kept, size: llvm.code.size, output: hash.digest('hex'), user, file: llvm.code.file }));
`;

interface Outcome {
  began: number;
  kept: boolean;
  size: number;
  output: string;
  user: number;
  file: string;
}

describe('code of Clang', () => {
  const folder = newFolder();
  const program = join(folder, 'compile.ts');
  writeFileSync(program, script);
  const inProcess = (cache: string, ...flags: string[]): Outcome => {
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, program, cache], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Outcome;
  };

  test('is there for the next process, which begins with it, adds what is new, and makes the same', () => {
    const cache = join(folder, 'cache');
    const first = inProcess(cache);
    expect(first).toMatchObject({ began: 0, kept: true });
    expect(first.size).toBeGreaterThan(100_000);
    const second = inProcess(cache);
    expect(second).toMatchObject({ began: first.size, output: first.output });
    expect(readdirSync(cache)).toHaveLength(1);
    // Other flags, other code.
    const other = inProcess(cache, '--no-wasm-simd-ssse3-codegen');
    expect(other).toMatchObject({ began: 0, output: first.output });
  });

  test('counts only as it was written; what is damaged is replaced', () => {
    const cache = join(folder, 'damaged');
    const { file, output, size } = inProcess(cache);
    const whole = readFileSync(file);
    const changed = Buffer.from(whole);
    changed[changed.length >> 1]! ^= 1;
    for (const damaged of [changed, whole.subarray(0, whole.length - 1000), Buffer.alloc(0)]) {
      writeFileSync(file, damaged);
      const after = inProcess(cache);
      expect(after).toMatchObject({ began: 0, kept: true, output });
      expect(after.size).toBeGreaterThan(size / 2);
    }
    rmSync(file);
    mkdirSync(file);
    expect(inProcess(cache)).toMatchObject({ began: 0, output });
  });
});
