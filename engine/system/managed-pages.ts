/** The pages of managed memory: the processors that have each, and the policy that was asked for it. */

/** Bytes of a page of the host. */
export const pageBytes = 4096;
/** Pages of a block of 2 MiB. */
export const blockPages = 512;

/** Places of pages: the host, and GPUs by their number. */
export const host = 0;
export const gpu = (device: number): number => device + 1;
/** Bit of a processor in a mask. */
export const bit = (processor: number): number => 1 << processor;
export interface Policy {
  readMostly: boolean;
  /** -1: none. */
  preferred: number;
  /** Bits of processors. */
  accessedBy: number;
}
const noPolicy: Policy = { readMostly: false, preferred: -1, accessedBy: 0 };

export interface Block {
  /** Number: address / 2 MiB. */
  number: number;
  /** Processors on which a page is resident: bits, by page. */
  resident: Uint16Array;
  /** Processors that access a page where it is, because they once faulted: bits, by page. */
  mapped: Uint16Array;
  /** Number of the policy of each page; 0 for pages of no allocation. */
  policy: Uint8Array;
  /** Number of its pages that were allocated, at most those of a block. */
  pages: number;
  /** When something last came to a GPU, by a counter. */
  arrival: number;
  /** Times that it went to a GPU on which it had been before. */
  roundTrips: number;
  /** Bits of the processors that it left. */
  left: number;
  /** The host has pages for it, in use or not. */
  onHost: boolean;
}

export class ManagedPages {
  /** Called with the accesses of the host that fault on a page: 1 reads, 2 writes. */
  onProtect: (page: number, mask: number) => void = () => undefined;
  readonly blocks = new Map<number, Block>();
  /** Policies by the number that pages have; 0: pages of no allocation. */
  readonly policies: Policy[] = [noPolicy, noPolicy];
  /** Pages that each GPU has. */
  readonly residentPages = new Map<number, number>();
  private readonly gpuCount: number;

  constructor(gpuCount: number) {
    this.gpuCount = gpuCount;
  }

  eachPage(address: number, bytes: number, act: (block: Block, page: number) => void): void {
    const last = Math.floor((address + bytes - 1) / pageBytes);
    for (let page = Math.floor(address / pageBytes); page <= last; page++) {
      act(this.block(Math.floor(page / blockPages)), page % blockPages);
    }
  }

  block(number: number): Block {
    let block = this.blocks.get(number);
    if (!block) {
      block = {
        number,
        resident: new Uint16Array(blockPages),
        mapped: new Uint16Array(blockPages),
        policy: new Uint8Array(blockPages),
        pages: 0,
        arrival: 0,
        roundTrips: 0,
        left: 0,
        onHost: false,
      };
      this.blocks.set(number, block);
    }
    return block;
  }

  setResident(block: Block, page: number, resident: number): void {
    const before = block.resident[page]!;
    if (before === resident) return;
    for (let processor = 1; processor <= this.gpuCount; processor++) {
      const change = ((resident >> processor) & 1) - ((before >> processor) & 1);
      if (change !== 0) this.residentPages.set(processor, (this.residentPages.get(processor) ?? 0) + change);
    }
    block.resident[page] = resident;
    this.protect(block, page);
  }

  protect(block: Block, page: number): void {
    const resident = block.resident[page]!;
    const mask = !(resident & bit(host)) ? 3 : resident === bit(host) ? 0 : 2;
    this.onProtect(block.number * blockPages + page, mask);
  }

  policyNumber(policy: Policy): number {
    const same = ({ readMostly, preferred, accessedBy }: Policy): boolean =>
      readMostly === policy.readMostly && preferred === policy.preferred && accessedBy === policy.accessedBy;
    const found = this.policies.findIndex((each, number) => number > 0 && same(each));
    return found > 0 ? found : this.policies.push(policy) - 1;
  }
}
