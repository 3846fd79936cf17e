/**
 * Memory that host and device both see: managed memory and variables, and pinned memory that kernels reach. The two sides are separate
 * linear memories, so such a range has the same address in both, where that can be had, and its contents are carried over
 * around every kernel that is executed: what the host changed before it runs, what the kernel changed afterwards. Between kernels the
 * host's side is the true one. Kernels run to their end when they are launched, so there is no moment in between.
 */
import type { CudaDevice } from '../types.ts';
import { Allocations } from './allocations.ts';
import type { HostMemory } from './host-memory.ts';

export interface SharedRange {
  /** Address at which the device sees it. */
  deviceAddress: number;
  managed: boolean;
  /** Carried over for every kernel; other pinned memory only once a kernel has been given its address. */
  mapped: boolean;
}

interface Gap {
  start: number;
  end: number;
}

const alignment = 256;
/** The driver's blocks of managed memory: large allocations begin with one, small ones share them. */
const blockBytes = 2 << 20;
const arenaBytes = 4 << 20;
const hostPageBytes = 65536;
/** Differences are looked for in pieces of the first size, and carried over in pieces of the second. */
const compareBytes = 1 << 20;
const pageBytes = 4096;

/** Makes `target` equal to `source` from `first` to `end`, writing only pages that differ: the others stay untouched, and so uncommitted. */
function copyChanges(source: Buffer, target: Buffer, first: number, end: number): number {
  let changed = 0;
  for (let at = first; at < end; at += compareBytes) {
    const next = Math.min(end, at + compareBytes);
    if (source.compare(target, at, next, at, next) === 0) continue;
    for (let page = at; page < next; page += pageBytes) {
      const last = Math.min(next, page + pageBytes);
      if (source.compare(target, page, last, page, last) === 0) continue;
      source.copy(target, page, page, last);
      changed += last - page;
    }
  }
  return changed;
}

/** The first of ordered pieces that is not before an address. */
function firstAfter(pieces: readonly { address: number; bytes: number }[], address: number): number {
  let [first, end] = [0, pieces.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    const piece = pieces[middle]!;
    if (piece.address + piece.bytes <= address) first = middle + 1;
    else end = middle;
  }
  return first;
}

export class SharedMemory {
  readonly ranges = new Allocations<SharedRange>();
  private readonly device: CudaDevice;
  private readonly host: HostMemory;
  /** Free parts of the arenas, in which both sides own every address. */
  private readonly gaps: Record<'managed' | 'pinned', Gap[]> = { managed: [], pinned: [] };
  /** Callback for ranges where managed memory can be. */
  private readonly onManaged: (address: number, bytes: number) => void;

  constructor(
    device: CudaDevice,
    host: HostMemory,
    onManaged: (address: number, bytes: number) => void = () => undefined,
  ) {
    this.device = device;
    this.host = host;
    this.onManaged = onManaged;
  }

  /** A range at one address on both sides; null when there is none. */
  allocate(bytes: number, options: { managed: boolean; mapped: boolean }): number | null {
    const size = Math.ceil(bytes / alignment) * alignment;
    const gaps = this.gaps[options.managed ? 'managed' : 'pinned'];
    const aligned = (address: number): number =>
      options.managed && size >= blockBytes ? Math.ceil(address / blockBytes) * blockBytes : address;
    let gap = gaps.find(({ start, end }) => end - aligned(start) >= size);
    if (!gap) {
      gap = this.newArena(Math.max(arenaBytes, size), options.managed) ?? undefined;
      if (!gap) return null;
      gaps.push(gap);
    }
    const address = aligned(gap.start);
    const rests = [
      { start: gap.start, end: address },
      { start: address + size, end: gap.end },
    ];
    gaps.splice(gaps.indexOf(gap), 1, ...rests.filter(({ start, end }) => start < end));
    this.add(address, bytes, { deviceAddress: address, ...options });
    return address;
  }

  private add(address: number, bytes: number, info: SharedRange): void {
    this.ranges.add(address, bytes, info);
    if (info.mapped && !info.managed) this.device.ownByHost?.(info.deviceAddress, bytes, true);
  }

  /** A managed variable, which lies at one address on both sides. */
  addVariable(address: number, bytes: number): void {
    this.host.bytes(address, bytes).set(new Uint8Array(this.device.memory.buffer, address, bytes));
    this.ranges.add(address, bytes, { deviceAddress: address, managed: true, mapped: true });
    this.onManaged(address, bytes);
  }

  /** Pinned later by the program: the device sees it elsewhere. */
  register(address: number, bytes: number): number | null {
    const deviceAddress = this.device.allocate(bytes);
    if (deviceAddress === null) return null;
    this.add(address, bytes, { deviceAddress, managed: false, mapped: true });
    return deviceAddress;
  }

  release(address: number): void {
    const range = this.ranges.find(address);
    if (!range || range.start !== address) return;
    this.ranges.remove(address);
    const { managed, mapped, deviceAddress } = range.info;
    if (mapped && !managed) this.device.ownByHost?.(deviceAddress, range.size, false);
    if (range.info.deviceAddress !== address) {
      this.device.free(range.info.deviceAddress);
      return;
    }
    const gaps = this.gaps[range.info.managed ? 'managed' : 'pinned'];
    gaps.push({ start: address, end: address + Math.ceil(range.size / alignment) * alignment });
    gaps.sort((a, b) => a.start - b.start);
    for (let i = gaps.length - 1; i > 0; i--) {
      if (gaps[i - 1]!.end !== gaps[i]!.start) continue;
      gaps[i - 1]!.end = gaps[i]!.end;
      gaps.splice(i, 1);
    }
  }

  /** Pinned memory whose address appears among these bytes is within the reach of kernels from now on. */
  noticeAddresses(bytes: Uint8Array): void {
    if (this.ranges.list.every(({ info }) => info.mapped)) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      const range = this.ranges.find(view.getUint32(at, true));
      if (range && !range.info.mapped) this.map(range.start);
    }
  }

  /** Kernels can reach the range that starts here. */
  map(start: number): void {
    const { size, info } = this.ranges.find(start)!;
    if (info.mapped) return;
    info.mapped = true;
    this.device.ownByHost?.(info.deviceAddress, size, true);
  }

  /** Before a kernel. */
  toDevice(): void {
    this.carry((host, device, { deviceAddress }) => {
      if (copyChanges(host, device, 0, host.length) > 0) this.device.changed?.(deviceAddress, device.length);
    });
  }

  /** After a kernel. */
  toHost(): void {
    if (this.ranges.list.length === 0) return;
    const changed = this.device.takeChanged();
    this.carry((host, device, { deviceAddress: start }) => {
      const end = start + device.length;
      for (let i = firstAfter(changed, start); i < changed.length && changed[i]!.address < end; i++) {
        const { address, bytes } = changed[i]!;
        copyChanges(device, host, Math.max(address, start) - start, Math.min(address + bytes, end) - start);
      }
    });
  }

  private carry(copy: (host: Buffer, device: Buffer, range: SharedRange) => void): void {
    for (const { start, size, info } of this.ranges.list) {
      if (!info.mapped) continue;
      const host = this.host.bytes(start, size);
      copy(
        Buffer.from(host.buffer, host.byteOffset, size),
        Buffer.from(this.device.memory.buffer, info.deviceAddress, size),
        info,
      );
    }
  }

  /**
   * Addresses that neither side uses: the device has them beyond the host's memory, which then grows to the same place.
   * The program's own allocator copes with memory that others have added.
   */
  private newArena(bytes: number, managed: boolean): Gap | null {
    const size = managed ? bytes + blockBytes : bytes;
    const found = this.device.allocate(size, this.host.byteLength, undefined, managed);
    if (found === null) return null;
    const missing = found + size - this.host.byteLength;
    if (!this.host.grow(Math.ceil(missing / hostPageBytes))) {
      this.device.free(found);
      return null;
    }
    if (!managed) return { start: found, end: found + size };
    const start = Math.ceil(found / blockBytes) * blockBytes;
    this.onManaged(start, found + size - start);
    return { start, end: found + size };
  }
}
