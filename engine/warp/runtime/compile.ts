/** The C of the runtime through the Clang that the app carries: what generate.ts and generate-abi.ts make their files of. */
import { SimsightError } from '../../base/errors.ts';
import { wasmCodeGeneration, wasmTarget } from '../../base/wasm-target.ts';
import { runTool } from '../../compile/clang.ts';

async function outputOf(words: string[], file: string, content: string): Promise<Uint8Array> {
  const { outcome, messages, outputs } = await runTool({
    arguments: ['clang', '-cc1', ...wasmTarget, ...words, '-o', '-', file],
    files: [[file, new TextEncoder().encode(content)]],
    outputs: ['-'],
  });
  if (outcome === 'success') return outputs[0]![1];
  throw new SimsightError('internal', `The runtime cannot be compiled: ${messages.slice(0, 2000)}`);
}

/** An object of LLVM IR. */
export const compileToObject = (llvmIr: string): Promise<Uint8Array> =>
  outputOf([...wasmCodeGeneration], '/runtime.ll', llvmIr);

/** LLVM IR as text of the C runtime, or of it `constants` alone, which is quick. */
export async function compileRuntimeToIr(source: string, what: 'all' | 'constants' = 'all'): Promise<string> {
  const words = [
    ...['-x', 'c', '-std=c23'],
    ...(what === 'all' ? ['-O2'] : ['-O0', '-skip-function-bodies']),
    ...['-vectorize-loops', '-relaxed-aliasing', '-fno-builtin', '-emit-llvm'],
  ];
  return new TextDecoder().decode(await outputOf(words, '/runtime.c', source));
}
