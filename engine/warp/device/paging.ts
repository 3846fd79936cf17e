/**
 * Device memory beyond what 32 bits of address can name. It has addresses of its own, far above; kernels that are written for it
 * (ir/paged.ts) find the pages that they use in frames of the linear memory. The others are kept here, and those that nobody has touched
 * nowhere: they are zero. Which page has to leave is decided like a clock goes around: the next that was not used since the hand came by.
 */
import { SimsightError } from '../../base/errors.ts';
import { clearAllocated, enterAllocated } from './guard-table.ts';
import {
  crewBase,
  frameBytes,
  frameUsedBase,
  missingBase,
  nowhereBase,
  pageCount,
  pagedFromGibibytes,
  pageTableBase,
  partBytes,
} from '../layout.ts';

const pagedFrom = pagedFromGibibytes * 2 ** 30;
/** Kept pages are parts of larger pieces. */
const pieceBytes = 16 << 20;
/** More than the lanes of a warp can use at a time. */
export const fewestFrames = 1024;

if (pageTableBase < crewBase + partBytes) throw new Error('The table of pages lies where launches are rehearsed.');

/** Addresses of an allocation, and where those end that go with it. */
export interface PagedRange {
  address: number;
  bytes: number;
  end: number;
}

export const isPaged = (address: number): boolean => address >= pagedFrom;
const pageOf = (address: number): number => Math.floor((address - pagedFrom) / frameBytes);

export class Paging {
  private readonly memory: WebAssembly.Memory;
  private readonly firstFrame: number;
  private readonly frameCount: number;
  /** Page of each frame; -1: none. */
  private readonly pages: Int32Array;
  /** Frames that have none. */
  private readonly free: number[];
  /** The frame at which the clock's hand is. */
  private hand = 0;
  /** What pages hold that are in no frame. */
  private readonly kept = new Map<number, Uint8Array>();
  private readonly spare: Uint8Array[] = [];
  private readonly zeros = new Uint8Array(frameBytes);
  /** In the order of their addresses. */
  private allocations: PagedRange[] = [];

  /** Takes the linear memory from `start` to `end`, which nothing else uses. Error: `RangeError` where the machine has not that much. */
  constructor(memory: WebAssembly.Memory, start: number, end: number) {
    const missing = 2 ** 32 - frameBytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(missing / frameBytes);
    this.memory = memory;
    this.firstFrame = Math.ceil(start / frameBytes);
    this.frameCount = Math.floor(end / frameBytes) - this.firstFrame;
    this.pages = new Int32Array(this.frameCount).fill(-1);
    this.free = Array.from({ length: this.frameCount }, (_, i) => this.frameCount - 1 - i);
    new Uint8Array(memory.buffer, pageTableBase, frameUsedBase - pageTableBase).fill(0);
  }

  private get table(): Uint32Array {
    return new Uint32Array(this.memory.buffer, pageTableBase, pageCount);
  }

  private frameAt(frame: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, (this.firstFrame + frame) * frameBytes, frameBytes);
  }

  // ---- allocations ----

  /** The first addresses that are free, at the beginning of a page; null where there are no more. A page behind it stays free. */
  allocate(bytes: number): number | null {
    const size = (Math.ceil(bytes / frameBytes) + 1) * frameBytes;
    let address = pagedFrom;
    let index = 0;
    for (; index < this.allocations.length; index++) {
      const next = this.allocations[index]!;
      if (next.address - address >= size) break;
      address = next.end;
    }
    if (address + size > pagedFrom + pageCount * frameBytes) return null;
    this.allocations.splice(index, 0, { address, bytes, end: address + size });
    return address;
  }

  /** The bytes of the allocation that starts there; null where none does. */
  release(address: number): number | null {
    const index = this.allocations.findIndex((each) => each.address === address);
    const found = this.allocations[index];
    if (found === undefined) return null;
    this.allocations.splice(index, 1);
    const end = pageOf(found.end);
    for (let page = pageOf(address); page < end; page++) this.drop(page);
    return found.bytes;
  }

  private drop(page: number): void {
    const content = this.kept.get(page);
    if (content !== undefined) this.spare.push(content);
    this.kept.delete(page);
    const at = this.table[page]!;
    if (at === 0) return;
    const frame = at / frameBytes - this.firstFrame;
    this.leave(frame);
    this.free.push(frame);
  }

  /** The allocations, for messages about addresses near them. */
  get ranges(): readonly PagedRange[] {
    return this.allocations;
  }

  private allocationAt(address: number): PagedRange | undefined {
    let [low, high] = [0, this.allocations.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.allocations[middle]!.end <= address) low = middle + 1;
      else high = middle;
    }
    const found = this.allocations[low];
    return found !== undefined && found.address <= address ? found : undefined;
  }

  // ---- frames ----

  /** Brings a page into a frame, which kernels do before they access it; its address, 0 where nothing is allocated. */
  bringIn(page: number): number {
    const start = pagedFrom + page * frameBytes;
    const allocation = this.allocationAt(start);
    const bytes = allocation === undefined ? 0 : Math.min(frameBytes, allocation.address + allocation.bytes - start);
    if (bytes <= 0) return 0;
    const frame = this.free.pop() ?? this.emptied();
    const content = this.kept.get(page);
    this.frameAt(frame).set(content ?? this.zeros);
    if (content !== undefined) this.spare.push(content);
    this.kept.delete(page);
    const address = (this.firstFrame + frame) * frameBytes;
    this.table[page] = address;
    this.pages[frame] = page;
    enterAllocated(this.memory, address, bytes);
    return address;
  }

  /** A frame whose page has left it. */
  private emptied(): number {
    const used = new Uint8Array(this.memory.buffer, frameUsedBase + this.firstFrame, this.frameCount);
    while (used[this.hand] !== 0) {
      used[this.hand] = 0;
      this.hand = (this.hand + 1) % this.frameCount;
    }
    const frame = this.hand;
    this.hand = (this.hand + 1) % this.frameCount;
    const page = this.pages[frame]!;
    const content = this.room();
    content.set(this.frameAt(frame));
    this.leave(frame);
    this.kept.set(page, content);
    return frame;
  }

  private leave(frame: number): void {
    this.table[this.pages[frame]!] = 0;
    this.pages[frame] = -1;
    clearAllocated(this.memory, (this.firstFrame + frame) * frameBytes, frameBytes);
  }

  /** Room for a page; what it holds is old. */
  private room(): Uint8Array {
    const found = this.spare.pop();
    if (found !== undefined) return found;
    let piece: Uint8Array;
    try {
      piece = new Uint8Array(pieceBytes);
    } catch {
      const gibibytes = ((this.kept.size * frameBytes) / 2 ** 30).toFixed(1);
      throw new SimsightError(
        'budget-exceeded',
        `The program was stopped: this machine has no memory for more than the ${gibibytes} GiB of device memory that it has filled.`,
        'Use smaller problem sizes, or a machine with more memory.',
      );
    }
    for (let at = 0; at < pieceBytes; at += frameBytes) this.spare.push(piece.subarray(at, at + frameBytes));
    return this.spare.pop()!;
  }

  // ---- bytes, for copies ----

  /** The bytes of a range, one piece after the other; `writes`: they are to be written to, otherwise they must not be. */
  *pieces(address: number, bytes: number, writes: boolean): Generator<Uint8Array> {
    for (let at = address, end = address + bytes; at < end;) {
      const offset = (at - pagedFrom) % frameBytes;
      const count = Math.min(frameBytes - offset, end - at);
      yield this.contentOf(pageOf(at), writes).subarray(offset, offset + count);
      at += count;
    }
  }

  private contentOf(page: number, writes: boolean): Uint8Array {
    const at = this.table[page]!;
    if (at !== 0) return new Uint8Array(this.memory.buffer, at, frameBytes);
    let content = this.kept.get(page);
    if (content === undefined && writes) {
      content = this.room();
      content.fill(0);
      this.kept.set(page, content);
    }
    return content ?? this.zeros;
  }

  // ---- addresses in messages ----

  /** What the program calls an address of the linear memory that a lane came to. */
  named(address: number, lane: number): number {
    if (address >= nowhereBase && address < nowhereBase + frameBytes)
      return Number(new BigUint64Array(this.memory.buffer, missingBase, 32)[lane]!);
    const frame = Math.floor(address / frameBytes) - this.firstFrame;
    const page = this.pages[frame];
    return page === undefined || page < 0 ? address : pagedFrom + page * frameBytes + (address % frameBytes);
  }
}
