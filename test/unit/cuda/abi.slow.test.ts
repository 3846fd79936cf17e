/** Where the runtime finds fields of the structs that programs give it is where the headers have them. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { cudaAbi } from '../../../build/cuda-abi.ts';
import { releaseCompiler } from '../../../engine/compile/clang.ts';

afterAll(releaseCompiler);

it.each(['ilp32', 'lp64'] as const)('abi-%s.ts is what build/cuda-abi.ts makes of the headers', async (model) => {
  const committed = new URL(`../../../engine/cuda/runtime/abi-${model}.ts`, import.meta.url);
  expect(await cudaAbi(model)).toBe(readFileSync(committed, 'utf8'));
});
