/** The shape of an entry in the runtime's table, see `table.ts`. */
import type { CallCost } from '../../system/call-costs.ts';
import type { ApiCall } from '../../system/types.ts';
import type { CudaContext } from './context.ts';

/**
 * A CUDA call: arguments as the compiler passes them (pointers and handles as unsigned numbers, `size_t` likewise,
 * structs by value as pointers), result a `cudaError_t`.
 */
export type ApiFunction = (context: CudaContext, call: ApiCall, ...args: number[]) => number;

/** A call that profilers list: what it costs and does. */
export type CudaCall = CallBehaviour &
  Omit<CallCost, 'allocation'> &
  (SizedCost | { allocation?: never; bytes?: never });

/** Costs that depend on bytes come with what tells them. */
type SizedCost = Required<Pick<CallCost, 'allocation'>> & { bytes: (context: CudaContext, args: number[]) => number };

interface CallBehaviour {
  run: ApiFunction;
  /** Index of the argument that is the stream that it puts work into, or looks into. */
  stream?: number;
  /** It looks into its stream, without putting work there. */
  looks?: true;
  /**
   * Why it must not be called while a stream captures: it waits, or uses the legacy stream by itself. Programming guide, "Prohibited and
   * Unhandled Operations".
   */
  inCapture?: 'waits' | 'uses the legacy stream';
  /** It does its work in a lost context, too, which answers all others with its error. */
  afterFault?: true;
}

/** A call that costs next to nothing and that profilers leave out: any result. */
export type QueryFunction = (context: CudaContext, ...args: number[]) => number;
