/**
 * Small allocations share blocks of memory, which the driver makes and gives back as they are needed: the first one in a block
 * costs as much as a large one (H200 reference, fills.cu, F2: 4 KB to 2 MB alike), those after it little (C6: up to 1 MB), also in
 * what a large one leaves of its last block (system.cu, S9 cudaMalloc+Free_64KB).
 */
import type { AllocatedMemory, AllocationCost } from './call-costs.ts';

const blockBytes = 2 * 2 ** 20;
const mostShared = 2 ** 20;
const granule = 512;

/** Bytes that the driver holds of a memory; where in its blocks allocations lie is left out. */
interface Held {
  /** Bytes of small allocations, and blocks made for them. */
  small: number;
  blocks: number;
  /** Bytes that large ones leave of theirs. */
  left: number;
}

export class SharedBlocks {
  private readonly memories = new Map<string, Held>();

  /** CPU time of allocating, or freeing, so many bytes of a GPU's memory or of page-locked host memory; nanoseconds. */
  cost(cost: AllocationCost, bytes: number, device: number): number {
    const { shared } = cost;
    if (!shared) return timeOf(cost, bytes);
    const { memory, frees = false } = shared;
    const held = this.heldOf(memory, device);
    const taken = roundUp(bytes, granule) * (frees ? -1 : 1);
    if (bytes > mostShared) {
      held.left += roundUp(bytes, blockBytes) * Math.sign(taken) - taken;
      return timeOf(cost, bytes);
    }
    held.small += taken;
    const needed = Math.ceil(Math.max(0, held.small - held.left) / blockBytes);
    if (frees ? needed >= held.blocks : needed <= held.blocks) return shared.cost;
    held.blocks = needed;
    return timeOf(cost, blockBytes);
  }

  private heldOf(memory: AllocatedMemory, device: number): Held {
    const key = memory === 'pinned' ? memory : `${memory} ${device}`;
    const held = this.memories.get(key) ?? { small: 0, blocks: 0, left: 0 };
    this.memories.set(key, held);
    return held;
  }
}

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

function timeOf({ fixed, perByte, beyond }: AllocationCost, bytes: number): number {
  const slower = beyond ? Math.max(0, bytes - beyond.bytes) * (beyond.perByte - perByte) : 0;
  return Math.round(fixed + perByte * bytes + slower);
}
