import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'writer'>;

/** State of the block that is being written: the lanes that execute it, and the values at hand there. */
export class CurrentBlock {
  private readonly kernel: Needs;
  /** Lanes that execute the current block: an SSA name of type i32. */
  mask = '-1';
  /** Lanes that execute the current block as a `<32 x i1>`, once made. */
  native: string | null = null;
  /** True where a trace of the block is wanted: an SSA name of type i1. */
  isTraced = 'false';
  /** Leaves of the values that are at hand in the block, by name. */
  values = new Map<string, Leaf[]>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The lanes that execute the block, as a `<32 x i1>`. */
  nativeMask(): string {
    this.native ??= this.kernel.writer.expand(this.mask);
    return this.native;
  }
}
