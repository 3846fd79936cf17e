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
import { shareLocals } from './wasm-locals.ts';
import { runCached, type CachedResult, type CacheOptions } from './cache.ts';

/** A unit, in the terms of `engine/warp`. */
export interface WasmModuleRequest {
  /** LLVM IR text. */
  llvmIr: string;
  /** Functions that the module exports; `__stack_pointer` always is. */
  exports: string[];
  /** WebAssembly objects to link with it. */
  objects: Uint8Array[];
  /** Where its data lie; null: right above the stack. */
  dataAt: number | null;
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
  const text = new TextEncoder().encode(request.llvmIr);
  const run = async (words: string[], path: string, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
    outputOf(await runCached({ arguments: words, files: [[path, bytes]], outputs: ['-'], of }, options), 'compile');
  const link = (object: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => linked(object, request, options, of);
  if (text.length > largeUnit) {
    const bitcode = await run(optimizeArguments, '/module.ll', text);
    // Values are locals here. V8 takes 50,000 in a function, and with them it takes four times as long as when they take turns.
    const shared = shareLocals(await link(await run(generateArguments, '/module.bc', bitcode)));
    if (WebAssembly.validate(shared)) return shared;
  }
  return link(await run(compileArguments, '/module.ll', text));
}

async function linked(
  object: Uint8Array,
  { objects, exports, dataAt }: WasmModuleRequest,
  options: CacheOptions,
  of: Compiled,
): Promise<Uint8Array<ArrayBuffer>> {
  const place = dataAt === null ? [] : [`--global-base=${dataAt}`];
  const others = objects.map((bytes, i): [string, Uint8Array] => [`/${i}.o`, bytes]);
  const result = await runCached(
    {
      arguments: [
        ...linkArguments,
        ...place,
        ...others.map(([path]) => path),
        ...exports.map((name) => `--export=${name}`),
      ],
      files: [['/module.o', object], ...others],
      outputs: ['/module.wasm'],
      of,
    },
    options,
  );
  return outputOf(result, 'link');
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
