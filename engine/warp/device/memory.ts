/** Allocations of the GPUs of a program, in the one memory whose addresses they share. */
import { BulkMemory } from '../../base/bulk-memory.ts';
import { SimsightError } from '../../base/errors.ts';
import type { Neighbour } from '../faults.ts';
import { clearAllocated, enterAllocated } from './guard-table.ts';
import { fewestFrames, isPaged, Paging } from './paging.ts';
import {
  crewBase,
  frameBytes,
  guardBase,
  guardBytes,
  guardGranule,
  heapStart,
  hostOwner,
  ownerBytes,
  pageBytes,
} from '../layout.ts';

/** Where there is memory of others, the table of who owns what lies before the GPUs' caches. */
export const ownersBase = guardBase + guardBytes;
/** Above it lies what parts of grids need. */
const addressLimit = crewBase;
const allocationAlign = 256;
/** Allocations in the linear memory leave so much of it to frames of pages, and these so large a share of it to later ones. */
const leftToFrames = 256 << 20;
const leftByFrames = 1 / 4;
/** Most freed allocations that are remembered, for messages about their use. */
const freedRemembered = 4096;

interface NewAllocation {
  address: number;
  bytes: number;
  /** End of the addresses that go with it: its own where they were reserved before. */
  end: number;
  gpu: number | undefined;
}

/** Whose an allocation is: of all GPUs if not given; and other GPUs whose kernels may access it, a bit for each. */
interface Owned {
  gpu: number | undefined;
  users: number;
}

/** Memory of one GPU. */
interface GpuMemory {
  readonly capacity: number;
  used: number;
  /** The GPUs whose memory its kernels may access: a bit for each. */
  reach: number;
}

export interface AddressRange {
  start: number;
  end: number;
}

/** Bytes that an allocation takes of the memory. */
const sizeOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / allocationAlign)) * allocationAlign;

/** What a GPU's driver maps at once. */
const gpuPageBytes = 2 << 20;

export class DeviceMemory {
  /** A device pointer is an address in it. Its `buffer` changes whenever memory grows. */
  readonly wasm = new WebAssembly.Memory({ initial: heapStart / pageBytes, maximum: 65536, shared: true });
  readonly bulk = new BulkMemory(this.wasm);
  readonly gpuCount: number;
  /** Told of what others than kernels write, and of what is allocated or not any more. */
  onWrite: (address: number, bytes: number) => void = () => undefined;
  private readonly gpus: GpuMemory[];
  /** Bytes; more than that stop the program. */
  private readonly limit: number;
  /** The GPU that executes, and those for whose memory the table of what is allocated stands. */
  private executing = 0;
  /** Some allocations are for GPUs that do not reach all of their owner's. */
  private hasUsers = false;
  private shown: number;
  /** Kernels have been able to reach page-locked memory of the host. */
  private reachesHost = false;
  private readonly allocations = new Map<number, Omit<NewAllocation, 'address'> & Owned & { size: number }>();
  /** Between allocations, ordered by address. */
  private gaps: AddressRange[] = [{ start: heapStart, end: addressLimit }];
  private freed: Neighbour[] = [];
  /** Memory from here on was never given out. */
  private usedUpTo = heapStart;
  /** Memory that the linear one has no room for; null as long as it has. */
  private pages: Paging | null = null;
  /** Frames that pages are to have, from the first allocation on; null: as it turns out. */
  private readonly frames: number | null;
  /** What lies in one page with an allocation may be accessed, as on a GPU. */
  private readonly allowsOverruns: boolean;

  /** `capacities`: bytes of each GPU. `frames`: of device memory, all of which is paged then. */
  constructor(capacities: readonly number[], limit = Infinity, frames: number | null = null, allowsOverruns = false) {
    this.allowsOverruns = allowsOverruns;
    this.gpuCount = capacities.length;
    this.limit = limit;
    this.frames = frames;
    this.gpus = capacities.map((capacity, gpu) => ({
      capacity,
      used: 0,
      reach: 1 << gpu,
    }));
    this.shown = capacities.length > 1 ? 1 : ~0;
  }

  get paging(): Paging | null {
    return this.pages;
  }

  /** The GPU that executes. */
  get current(): number {
    return this.executing;
  }

  get hasHostMemory(): boolean {
    return this.reachesHost;
  }

  get hasOwners(): boolean {
    return this.gpus.length > 1 || this.reachesHost;
  }

  /** Bytes allocated and not freed. */
  get usedBytes(): number {
    return this.gpus.reduce((sum, { used }) => sum + used, 0);
  }

  /** End of the memory that is in use. */
  get heapEnd(): number {
    return this.gaps.at(-1)!.start;
  }

  /**
   * First fit from `lowest` on, 256-byte aligned like cudaMalloc; null when the simulated device is full. New memory is
   * zero. It belongs to a GPU, or to all of them: what they share with the host. Managed memory may be more than
   * a device has, and is never given back.
   */
  allocate(bytes: number, lowest = 0, gpu?: number, managed = false): number | null {
    // One unallocated granule behind each allocation, so that what runs over its end is noticed.
    const size = Math.ceil(bytes / allocationAlign) * allocationAlign + guardGranule;
    const from = Math.ceil(lowest / allocationAlign) * allocationAlign;
    const gap = this.gaps.find(({ start, end }) => end - Math.max(start, from) >= size);
    if (gap === undefined) return null;
    const address = Math.max(gap.start, from);
    return this.take(address, bytes, guardGranule, gpu, managed) ? address : null;
  }

  /** Allocates a place; false when it is taken, or the device full. `unallocated` bytes behind it go with it. */
  take(address: number, bytes: number, unallocated: number, gpu?: number, managed = false): boolean {
    const end = address + sizeOf(bytes) + unallocated;
    const isFree = this.gaps.some((gap) => gap.start <= address && end <= gap.end);
    if (!isFree || !this.enter({ address, bytes, end, gpu }, managed)) return false;
    this.closeGap(address, end);
    if (this.allowsOverruns) this.enterPages(address, end);
    return true;
  }

  /** All of the pages of a range that anything was ever allocated in. They stay accessible when it is freed. */
  private enterPages(address: number, end: number): void {
    const from = Math.max(heapStart, address - (address % gpuPageBytes));
    const to = Math.min(this.heapEnd, Math.ceil(end / gpuPageBytes) * gpuPageBytes);
    enterAllocated(this.wasm, from, to - from);
  }

  /**
   * Like {@link allocate}, for `cudaMalloc` and its like: what the linear memory has no room for is paged. That is where a program has
   * one GPU; the tables of what several may access are of linear memory.
   */
  allocateAnywhere(bytes: number, gpu: number): number | null {
    const mayPage = this.gpuCount === 1 && (this.frames !== null || this.roomBehind(bytes) < leftToFrames);
    return (mayPage ? this.allocatePaged(bytes) : null) ?? this.allocate(bytes, 0, gpu);
  }

  /** Bytes of linear memory that would be left in one piece. */
  private roomBehind(bytes: number): number {
    const last = this.gaps.at(-1)!;
    return this.gaps.some(({ start, end }) => end - start >= bytes + allocationAlign + guardGranule && end < last.end)
      ? Infinity
      : last.end - last.start - bytes;
  }

  private allocatePaged(bytes: number): number | null {
    const [owner] = this.gpus as [GpuMemory];
    if (!this.hasRoom(owner, bytes)) return null;
    this.pages ??= this.makePages();
    const address = this.pages?.allocate(bytes) ?? null;
    if (address !== null) owner.used += sizeOf(bytes);
    return address;
  }

  /** Gives the end of the linear memory to frames; null where too few are left, or the machine does not have as much. */
  private makePages(): Paging | null {
    const { start, end } = this.gaps.at(-1)!;
    const first =
      this.frames === null ? start + (end - start) * leftByFrames : end - this.frames * frameBytes - (end % frameBytes);
    const from = Math.ceil(first / frameBytes) * frameBytes;
    if (end - from < (this.frames ?? fewestFrames) * frameBytes) return null;
    try {
      const pages = new Paging(this.wasm, from, end);
      this.closeGap(from, end);
      return pages;
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The bytes of a range of device memory, one piece after the other; `writes`: they are to be written to. */
  pieces(address: number, bytes: number, writes: boolean): Iterable<Uint8Array> {
    if (this.pages !== null && isPaged(address)) return this.pages.pieces(address, bytes, writes);
    if (writes) this.onWrite(address, bytes);
    return [new Uint8Array(this.wasm.buffer, address, bytes)];
  }

  /** Whether a GPU has so many bytes more; more than the limit stop the program. */
  private hasRoom(owner: GpuMemory, bytes: number, managed = false): boolean {
    const size = sizeOf(bytes);
    if (!Number.isFinite(size) || bytes < 0 || (!managed && owner.used + size > owner.capacity)) return false;
    if (this.usedBytes + size > this.limit) {
      throw new SimsightError(
        'budget-exceeded',
        `The program was stopped: it allocates more than ${this.limit} bytes of device memory.`,
        'Allow more with --max-memory, or use smaller problem sizes.',
      );
    }
    return true;
  }

  /** Makes memory of addresses that nothing else has; false when the device is full. */
  private enter({ address, bytes, end, gpu }: NewAllocation, managed: boolean): boolean {
    const owner = this.gpus[gpu ?? 0]!;
    const size = sizeOf(bytes);
    if (!this.hasRoom(owner, bytes, managed)) return false;
    const missing = Math.max(address + size, end) - this.wasm.buffer.byteLength;
    if (missing > 0) {
      try {
        this.wasm.grow(Math.ceil(missing / pageBytes));
      } catch {
        return false;
      }
    }
    // What was never given out is zero, and has not to be touched.
    this.onWrite(address, size);
    const dirty = Math.min(address + size, this.usedUpTo);
    if (dirty > address) this.bulk.fill(new Uint8Array(this.wasm.buffer, address, dirty - address), 0);
    this.usedUpTo = Math.max(this.usedUpTo, address + size);
    const allocation = { size, bytes, end, gpu, users: 0 };
    this.allocations.set(address, allocation);
    if (!managed) owner.used += size;
    this.own(address, size, gpu === undefined ? 0 : gpu + 1);
    if (this.isShown(allocation)) enterAllocated(this.wasm, address, bytes);
    return true;
  }

  /** Takes addresses without memory; null when there are none left. */
  reserve(bytes: number): number | null {
    const size = sizeOf(bytes) + guardGranule;
    const gap = this.gaps.find(({ start, end }) => end - start >= size);
    if (gap === undefined) return null;
    const { start } = gap;
    this.closeGap(start, start + size);
    return start;
  }

  unreserve(address: number, bytes: number): void {
    this.openGap(address, address + sizeOf(bytes) + guardGranule);
  }

  /** Memory at addresses that were reserved, until it is freed; false when the device is full. */
  place(address: number, bytes: number, gpu?: number): boolean {
    return this.enter({ address, bytes, end: address, gpu }, false);
  }

  /** Memory at the end of what is free, not zero, until it is given back; null where there is not so much. */
  borrow(bytes: number): AddressRange | null {
    const { start, end } = this.gaps.at(-1)!;
    const from = Math.floor((end - bytes) / pageBytes) * pageBytes;
    if (from <= start) return null;
    const missing = end - this.wasm.buffer.byteLength;
    try {
      if (missing > 0) this.wasm.grow(Math.ceil(missing / pageBytes));
    } catch {
      return null;
    }
    this.closeGap(from, end);
    return { start: from, end };
  }

  giveBack({ start, end }: AddressRange): void {
    // What was never given out is zero.
    this.bulk.fill(new Uint8Array(this.wasm.buffer, start, end - start), 0);
    this.openGap(start, end);
  }

  private closeGap(address: number, end: number): void {
    const index = this.gaps.findIndex((gap) => gap.start <= address && end <= gap.end);
    const gap = this.gaps[index]!;
    const rests = [
      { start: gap.start, end: address },
      { start: end, end: gap.end },
    ];
    this.gaps.splice(index, 1, ...rests.filter((rest) => rest.start < rest.end));
  }

  private openGap(start: number, end: number): void {
    const at = this.gaps.findIndex((gap) => gap.start > start);
    this.gaps.splice(at < 0 ? this.gaps.length : at, 0, { start, end });
    this.gaps = this.gaps.reduce<AddressRange[]>((merged, gap) => {
      const last = merged.at(-1);
      if (last !== undefined && last.end === gap.start) last.end = gap.end;
      else merged.push({ ...gap });
      return merged;
    }, []);
  }

  /** False if `address` is not the start of an allocation. */
  free(address: number): boolean {
    if (isPaged(address)) return this.freePaged(address);
    const allocation = this.allocations.get(address);
    if (allocation === undefined) return false;
    const { size, bytes, end, gpu } = allocation;
    this.allocations.delete(address);
    this.gpus[gpu ?? 0]!.used -= size;
    this.rememberFreed(address, bytes);
    if (!this.allowsOverruns) clearAllocated(this.wasm, address, size);
    this.onWrite(address, size);
    this.own(address, size, 0);
    // An allocation at reserved addresses leaves them reserved.
    if (end > address) this.openGap(address, end);
    return true;
  }

  private freePaged(address: number): boolean {
    const bytes = this.pages?.release(address) ?? null;
    if (bytes === null) return false;
    this.gpus[0]!.used -= sizeOf(bytes);
    this.rememberFreed(address, bytes);
    return true;
  }

  private rememberFreed(address: number, bytes: number): void {
    this.freed.push({ address, bytes, freed: true });
    if (this.freed.length > 2 * freedRemembered) this.freed = this.freed.slice(-freedRemembered);
  }

  private isShown({ gpu, users }: Owned): boolean {
    return gpu === undefined || (this.shown & (1 << gpu)) !== 0 || (users & (1 << this.executing)) !== 0;
  }

  /** Page-locked memory of the host that kernels can reach from now on, or no longer. */
  ownByHost(address: number, bytes: number, owned: boolean): void {
    if (!this.hasOwners) new Uint8Array(this.wasm.buffer, ownersBase, ownerBytes).fill(0);
    this.reachesHost = true;
    this.own(address, Math.ceil(bytes / guardGranule) * guardGranule, owned ? hostOwner : 0);
  }

  private own(address: number, size: number, owner: number): void {
    if (!this.hasOwners) return;
    new Uint8Array(this.wasm.buffer, ownersBase, ownerBytes).fill(
      owner,
      address / guardGranule,
      (address + size) / guardGranule,
    );
  }

  /** Allows or forbids kernels of one GPU to access the memory of another (`cudaDeviceEnablePeerAccess`). */
  setPeerAccess(gpu: number, peer: number, enabled: boolean): void {
    if (enabled) this.gpus[gpu]!.reach |= 1 << peer;
    else this.gpus[gpu]!.reach &= ~(1 << peer);
  }

  /** Makes the table of what is allocated that of a GPU: only what is within the reach of one and not of another changes. */
  executeOn(gpu: number): void {
    const before = this.executing;
    this.executing = gpu;
    if (this.gpus.length === 1) return;
    const { reach } = this.gpus[gpu]!;
    const changed = this.shown ^ reach;
    this.shown = reach;
    if (changed === 0 && (before === gpu || !this.hasUsers)) return;
    for (const [address, allocation] of this.allocations) {
      const { gpu: owner, users } = allocation;
      if (owner === undefined || ((changed & (1 << owner)) === 0 && users === 0)) continue;
      this.show(address, allocation);
    }
  }

  /** Enters an allocation into the table of what is allocated, or takes it out. */
  private show(address: number, allocation: Owned & { size: number; bytes: number }): void {
    if (this.isShown(allocation)) enterAllocated(this.wasm, address, allocation.bytes);
    else clearAllocated(this.wasm, address, allocation.size);
  }

  /** Allows or forbids kernels of a GPU to access an allocation of another (`cudaMemPoolSetAccess`). */
  setAccess(address: number, gpu: number, enabled: boolean): void {
    const allocation = this.allocations.get(address);
    if (allocation === undefined) return;
    allocation.users = enabled ? allocation.users | (1 << gpu) : allocation.users & ~(1 << gpu);
    this.hasUsers ||= enabled;
    this.show(address, allocation);
  }

  /** The allocation that holds an address or lies next to it. */
  nearest(address: number): Neighbour | null {
    for (const [start, allocation] of this.allocations) {
      const { bytes, gpu } = allocation;
      if (this.isShown(allocation) || address < start || address >= start + bytes) continue;
      return { address: start, bytes, freed: false, of: gpu!, from: this.executing };
    }
    const inFreed = this.freed.findLast((block) => address >= block.address && address < block.address + block.bytes);
    if (inFreed !== undefined) return inFreed;
    let nearest: Neighbour | null = null;
    let least = Infinity;
    const others = (this.pages?.ranges ?? []).map(({ address, bytes }) => [address, { bytes }] as const);
    for (const [start, { bytes }] of [...this.allocations, ...others]) {
      const distance = address < start ? start - address : Math.max(0, address - start - bytes);
      if (distance >= least) continue;
      least = distance;
      nearest = { address: start, bytes, freed: false };
    }
    return nearest;
  }

  /** A string, as far as it is sensible. */
  text(address: number): string {
    const { buffer } = this.wasm;
    const bytes = new Uint8Array(buffer, Math.min(address, buffer.byteLength)).subarray(0, 4096);
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(bytes.slice(0, Math.max(0, end)));
  }
}
