/** Stores on their way to L2: a warp stays until its own have left the SM, and a fence waits for those of its block. */
import type { SmOptions } from './types.ts';

export class Stores {
  /** When the warp's stores have reached L2; those that have not left their queue; when the last one left the pipe. */
  readonly storesDone: Int32Array;
  readonly storesQueued: Int32Array;
  /** The former, of all warps. A fence waits for what others of its block stored before their last barrier as well. */
  allStoresDone = 0;
  readonly drained: Int32Array;

  constructor(options: SmOptions) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const words = (): Int32Array => new Int32Array(slots);
    this.storesDone = words();
    this.storesQueued = words();
    this.drained = words();
  }

  /** Another warp takes the slot. */
  begin(w: number): void {
    this.storesDone[w] = this.storesQueued[w] = this.drained[w] = 0;
  }
}
