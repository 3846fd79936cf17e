/** Where the runtime finds fields of the structs that programs give it is where the headers have them. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { cudaAbi } from '../../../build/cuda-abi.ts';
import { releaseCompiler } from '../../../engine/compile/clang.ts';

afterAll(releaseCompiler);

it('abi.ts is what build/cuda-abi.ts makes of the headers', async () => {
  const committed = new URL('../../../engine/cuda/runtime/abi.ts', import.meta.url);
  expect(await cudaAbi()).toBe(readFileSync(committed, 'utf8'));
});
