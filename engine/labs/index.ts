/** The examples that ship with the app: small CUDA programs with a "before" and one or more "after" variants. */
import { join } from 'node:path';
import type { Lab } from '../api/types.ts';
import { labsFolder } from '../base/paths.ts';

const variant = (id: string, title: string, source: string, args: string[]) => ({
  id,
  title,
  source: join(labsFolder, source),
  defines: [],
  arguments: args,
});

/** In the order of the start screen; the first one is what `npm start` records on a fresh machine. */
export const labs: readonly Lab[] = [
  {
    id: 'overlap',
    title: 'Copy/compute overlap',
    summary:
      'A chunked pipeline: copy in, compute, copy out. With pageable memory and one stream everything waits; with pinned memory and several streams, copies and kernels run side by side.',
    variants: [
      variant('before', 'Pageable, 1 stream', 'overlap.cu', ['pageable', '1']),
      variant('pinned', 'Pinned, 1 stream', 'overlap.cu', ['pinned', '1']),
      variant('two-streams', 'Pinned, 2 streams', 'overlap.cu', ['pinned', '2']),
      variant('after', 'Pinned, 4 streams', 'overlap.cu', ['pinned', '4']),
    ],
  },
  {
    id: 'matmul',
    title: 'Matrix product',
    summary:
      'The same product with every operand from global memory, and with 16 × 16 tiles in shared memory. Compare requests, sectors and DRAM bytes of the two kernels.',
    variants: [
      variant('before', 'Naive', 'matmul.cu', ['naive']),
      variant('after', 'Shared-memory tiles', 'matmul.cu', ['tiled']),
    ],
  },
  {
    id: 'launches',
    title: '500 small launches per frame',
    summary:
      'Tiny kernels, where the host is the limit: waiting after each launch, launching ahead, and one fused kernel. Look at the gaps between kernels.',
    variants: [
      variant('before', 'Wait after each launch', 'launches.cu', ['sync']),
      variant('stream', 'Launch ahead', 'launches.cu', ['stream']),
      variant('after', 'One fused kernel', 'launches.cu', ['fused']),
    ],
  },
];

/** The GPU that recordings use when nobody chose one. */
export const defaultGpu = 'a100';
