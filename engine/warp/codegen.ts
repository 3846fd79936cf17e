/**
 * LLVM IR (or C, for the runtime) to WebAssembly SIMD with the Clang that the app carries. The compile engine runs this
 * in its worker; tests run it in-process.
 */
import type { Tree } from '@yowasp/clang';
import { commands, runLLVM } from '@yowasp/clang';
import { SimsightError } from '../base/errors.ts';
import type { UnitCode } from './units.ts';
import { wasmCodeGeneration, wasmLink, wasmTarget } from '../base/wasm-target.ts';

async function run(tool: typeof runLLVM, args: string[], files: Tree, output: string): Promise<Uint8Array> {
  let messages = '';
  const decoder = new TextDecoder();
  const collect = (bytes: Uint8Array | null): void => {
    if (bytes !== null) messages += decoder.decode(bytes, { stream: true });
  };
  try {
    const result = await tool(args, files, {
      stdout: collect,
      stderr: collect,
      decodeASCII: false,
      fetchProgress: () => {},
    });
    const file = result?.[output];
    if (file instanceof Uint8Array) return file;
  } catch {
    // The tool's own messages say why; its exit status adds nothing.
  }
  throw new SimsightError(
    'internal',
    `Code generation for the simulated GPU failed: ${messages.slice(0, 2000)}`,
    'This is a bug in Simsight: please report it.',
  );
}

export function compileToObject(llvmIr: string): Promise<Uint8Array> {
  const words = ['clang', '-cc1', ...wasmTarget, ...wasmCodeGeneration, '-o', 'k.o', 'k.ll'];
  return run(runLLVM, words, { 'k.ll': new TextEncoder().encode(llvmIr) }, 'k.o');
}

/** Compiles a unit and links it with the runtime and libm; memory and `env.fault` stay imports. */
export async function compileIrToWasm({ llvmIr, exports, objects }: UnitCode): Promise<Uint8Array> {
  const files: Tree = { 'k.o': await compileToObject(llvmIr) };
  objects.forEach((object, i) => (files[`${i}.o`] = object));
  const link = [...Object.keys(files), ...wasmLink, ...exports.map((name) => `--export=${name}`), '-o', 'k.wasm'];
  return run(commands['wasm-ld'] as typeof runLLVM, link, files, 'k.wasm');
}

/** Compiles the C runtime to LLVM IR text, or of it `constants` alone, which is quick; only runtime/generate.ts and generate-abi.ts call this. */
export async function compileRuntimeToIr(source: string, what: 'all' | 'constants' = 'all'): Promise<string> {
  const ir = await run(
    runLLVM,
    [
      'clang',
      '-cc1',
      ...wasmTarget,
      '-x',
      'c',
      '-std=c23',
      ...(what === 'all' ? ['-O2'] : ['-O0', '-skip-function-bodies']),
      '-vectorize-loops',
      '-relaxed-aliasing',
      '-fno-builtin',
      '-emit-llvm',
      '-o',
      'runtime.ll',
      'runtime.c',
    ],
    { 'runtime.c': new TextEncoder().encode(source) },
    'runtime.ll',
  );
  return new TextDecoder().decode(ir);
}
