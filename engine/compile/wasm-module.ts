/** Turns LLVM IR of our own making (kernels widened to whole warps) into a WebAssembly SIMD module, with the same Clang. */
import { SimsightError } from '../base/errors.ts';
import { runCached, type CachedResult, type CacheOptions } from './cache.ts';

export interface WasmModuleRequest {
  /** LLVM IR text, one per translation unit. */
  ir: string[];
  /** C sources compiled along, freestanding. */
  c?: string[];
  /** Functions and globals that the module exports. */
  exports: string[];
}

const target = ['-triple', 'wasm32-unknown-unknown', '-target-feature', '+simd128', '-target-feature', '+bulk-memory'];

/**
 * The module imports `env.memory` (its data from `globalBase` on) and every function that is declared only, so that one
 * memory can serve as the device's memory of several modules.
 */
export async function compileIrToWasm(
  request: WasmModuleRequest,
  options: CacheOptions & { globalBase?: number; onProgress?: (phase: string) => void },
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const compileOne = (text: string, language: 'ir' | 'c') => {
    const source = language === 'ir' ? '/module.ll' : '/module.c';
    const dialect = language === 'c' ? ['-std=gnu17', '-ffreestanding', '-internal-isystem', '/usr/include'] : [];
    return runCached(
      {
        arguments: [
          'clang',
          '-cc1',
          ...target,
          '-x',
          language,
          ...dialect,
          '-O3',
          '-emit-obj',
          '-o',
          '/module.o',
          source,
        ],
        files: [[source, encoder.encode(text)]],
        outputs: ['/module.o'],
      },
      options,
    );
  };
  const compiled = await Promise.all([
    ...request.ir.map((text) => compileOne(text, 'ir')),
    ...(request.c ?? []).map((text) => compileOne(text, 'c')),
  ]);
  const objects = compiled.map((result, index): [string, Uint8Array] => [
    `/objects/${index}.o`,
    outputOf(result, 'compile'),
  ]);
  const linked = await runCached(
    {
      arguments: [
        'wasm-ld',
        ...objects.map(([path]) => path),
        '--no-entry',
        '--import-memory',
        '--allow-undefined',
        ...(options.globalBase === undefined ? [] : [`--global-base=${options.globalBase}`]),
        ...request.exports.map((name) => `--export=${name}`),
        '-o',
        '/module.wasm',
      ],
      files: objects,
      outputs: ['/module.wasm'],
    },
    options,
  );
  return outputOf(linked, 'link');
}

function outputOf(result: CachedResult, step: string): Uint8Array<ArrayBuffer> {
  if (result.outcome !== 'success') {
    throw new SimsightError('internal', `Generated device code does not ${step}: ${result.messages.slice(0, 2000)}`);
  }
  return result.outputs[0]![1];
}
