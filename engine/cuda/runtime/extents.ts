/** Sizes of boxes of memory and of arrays. */
import { cudaExtent } from './abi.ts';
import type { CudaContext } from './context.ts';

export interface Extent {
  width: number;
  height: number;
  depth: number;
}

/** Reads a `cudaExtent`. */
export function extentAt({ memory }: CudaContext, at: number): Extent {
  const word = (offset: number) => memory.word(at + offset);
  return { width: word(cudaExtent.width), height: word(cudaExtent.height), depth: word(cudaExtent.depth) };
}
