/** One of the programs that include CCCL, with the copy that this machine has; `npm run conformance -- cccl` runs all. */
import { expect, test } from 'vitest';
import { folderWithCccl, usualFolders } from '../../../engine/compile/cccl.ts';
import { findPrograms, runProgram } from '../../conformance/programs.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const hasCccl = folderWithCccl(usualFolders()) !== null;
if (!hasCccl) console.warn('SKIPPED: this machine has no copy of CCCL (CUDA toolkit, or CUDA_HOME).');

test.skipIf(!hasCccl)('primitives of blocks and warps compile unmodified, and give what they should', async () => {
  const [program] = findPrograms(['cccl/cub_block_warp']);
  const { failure } = await runProgram(program!, 'h200', { home: temporaryFolder(), timeoutMs: 280_000 });
  expect(failure).toBe('');
});
