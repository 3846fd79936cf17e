/**
 * LLVM IR (or C, for the runtime) to WebAssembly SIMD with the Clang that the app carries. The compile engine runs this
 * in its worker; tests run it in-process.
 */
import type { Tree } from '@yowasp/clang';
import { commands, runLLVM } from '@yowasp/clang';
import { SimsightError } from '../base/errors.ts';
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
    'This is a fault in Simsight: please report it.',
  );
}

/** Compiles a module of {@link buildDeviceModule} and links it with libm; memory and `env.fault` stay imports. */
export async function compileIrToWasm(llvmIr: string, exports: string[]): Promise<Uint8Array> {
  const object = await run(
    runLLVM,
    ['clang', '-cc1', ...wasmTarget, ...wasmCodeGeneration, '-o', 'k.o', 'k.ll'],
    { 'k.ll': new TextEncoder().encode(llvmIr) },
    'k.o',
  );
  const link = ['k.o', ...wasmLink, ...exports.map((name) => `--export=${name}`), '-o', 'k.wasm'];
  return run(commands['wasm-ld'] as typeof runLLVM, link, { 'k.o': object }, 'k.wasm');
}

/** Compiles the C runtime to LLVM IR text; only `runtime/generate.ts` calls this. */
export async function compileRuntimeToIr(source: string): Promise<string> {
  const ir = await run(
    runLLVM,
    [
      'clang',
      '-cc1',
      ...wasmTarget,
      '-x',
      'c',
      '-std=c23',
      '-O2',
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
