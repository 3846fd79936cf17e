/** Turns LLVM IR of our own making (kernels widened to whole warps) into a WebAssembly SIMD module, with the same Clang. */
import { SimsightError } from '../base/errors.ts';
import {
  wasmCodeGeneration,
  wasmLargeCodeGeneration,
  wasmLink,
  wasmOptimization,
  wasmTarget,
} from '../base/wasm-target.ts';
import type { Compiled } from './limits.ts';
import { runCached, type CachedResult, type CacheOptions } from './cache.ts';

/** A unit, in the terms of `engine/warp`. */
export interface WasmModuleRequest {
  /** LLVM IR text. */
  llvmIr: string;
  /** Functions that the module exports; `__stack_pointer` always is. */
  exports: string[];
  /** WebAssembly objects to link with it. */
  objects: Uint8Array[];
}

const clang = (options: readonly string[], input: string): string[] => [
  'clang',
  '-cc1',
  ...wasmTarget,
  ...options,
  '-o',
  '-',
  input,
];
const compileArguments = clang(wasmCodeGeneration, '/module.ll');
const optimizeArguments = clang(wasmOptimization, '/module.ll');
const generateArguments = clang(wasmLargeCodeGeneration, '/module.bc');
const linkArguments = ['wasm-ld', '/module.o', ...wasmLink, '-o', '/module.wasm'];

/**
 * Characters of LLVM IR, some 5,000 lines, above which the code generator leaves out what takes a time that grows with the square of a function: a
 * kernel of 2,048 unrolled matrix products took 65 s of 72, against 5. V8 optimizes the code anyway.
 */
const largeUnit = 250_000;

/**
 * A module with libm linked in. It imports `env.memory` and the functions that the IR gives an import name; any other
 * undefined symbol is an error. `of`: what it is of, for people.
 */
export async function compileIrToWasm(
  request: WasmModuleRequest,
  options: CacheOptions,
  of: Compiled = { name: 'a kernel', file: '' },
): Promise<Uint8Array<ArrayBuffer>> {
  const run = (words: string[], path: string, bytes: Uint8Array): Promise<CachedResult> =>
    runCached({ arguments: words, files: [[path, bytes]], outputs: ['-'], of }, options);
  const text = new TextEncoder().encode(request.llvmIr);
  const compiled =
    text.length < largeUnit
      ? await run(compileArguments, '/module.ll', text)
      : await run(
          generateArguments,
          '/module.bc',
          outputOf(await run(optimizeArguments, '/module.ll', text), 'optimize'),
        );
  const objects = request.objects.map((bytes, i): [string, Uint8Array] => [`/${i}.o`, bytes]);
  const linked = await runCached(
    {
      arguments: [
        ...linkArguments,
        ...objects.map(([path]) => path),
        ...request.exports.map((name) => `--export=${name}`),
      ],
      files: [['/module.o', outputOf(compiled, 'compile')], ...objects],
      outputs: ['/module.wasm'],
      of,
    },
    options,
  );
  return outputOf(linked, 'link');
}

function outputOf(result: CachedResult, step: string): Uint8Array<ArrayBuffer> {
  if (result.outcome !== 'success') {
    throw new SimsightError(
      'internal',
      `Code generated for the simulated GPU does not ${step}: ${result.messages.slice(0, 2000)}`,
      'This is a bug in Simsight: please report it.',
    );
  }
  return result.outputs[0]![1];
}
