/** The shape of an entry in the runtime's table, see `table.ts`. */
import type { ApiCall } from '../../system/types.ts';
import type { CudaContext } from './context.ts';

/**
 * A CUDA call: arguments as the compiler passes them (pointers and handles as unsigned numbers, `size_t` likewise,
 * structs by value as pointers), result a `cudaError_t`.
 */
export type ApiFunction = (context: CudaContext, call: ApiCall, ...args: number[]) => number;

/** A call that costs next to nothing and that profilers leave out: any result. */
export type QueryFunction = (context: CudaContext, ...args: number[]) => number;
