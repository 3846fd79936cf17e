/** Sizes of boxes of memory and of arrays. */
import type { CudaContext } from './context.ts';

export type Extent = [width: number, height: number, depth: number];

/** What a `cudaExtent` says. */
export const extentAt = ({ memory }: CudaContext, at: number): Extent => [
  memory.u32(at),
  memory.u32(at + 4),
  memory.u32(at + 8),
];
