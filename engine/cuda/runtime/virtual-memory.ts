/**
 * Virtual memory management: addresses that are reserved, memory that has none, and what of it is mapped where. Memory lies at its
 * addresses in the device as long as somebody may access it there: kernels that touch anything else of a reservation fault.
 */
import { SimsightError } from '../../base/errors.ts';
import { Allocations } from './allocations.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';

const { Success, InvalidValue } = cudaError;

/** Size (bytes) that memory and addresses come in multiples of: that of large pages, on all GPUs since Pascal (CUDA 13, H200). */
export const granularity = 2 << 20;

/** Memory of a device, by `cuMemCreate`. */
export interface PhysicalMemory {
  handle: number;
  bytes: number;
  /** Ordinal. */
  device: number;
  /** `CUmemAllocationProp`, as the program gave it. */
  properties: Uint8Array;
  /** Handles that were not released. */
  references: number;
  /** Address that it is mapped to; null: nowhere. */
  mappedTo: number | null;
  /** Contents while it lies nowhere; null: zeros. */
  contents: Uint8Array | null;
}

interface MappedMemory {
  memory: PhysicalMemory;
  /** Ordinals of the devices that may access it here. */
  access: Set<number>;
}

export class VirtualMemory {
  /** By the addresses that the program got; `taken`: those that the device gave for them. */
  private readonly reservations = new Allocations<{ taken: number; takenBytes: number }>();
  private readonly memory = new Map<number, PhysicalMemory>();
  private readonly mappings = new Allocations<MappedMemory>();

  /** Bytes of a device, wherever they are mapped. */
  allocatedOn(device: number): number {
    const all = new Set([...this.memory.values(), ...this.mappings.list.map(({ info }) => info.memory)]);
    return [...all].reduce((sum, one) => sum + (one.device === device ? one.bytes : 0), 0);
  }

  /** Takes addresses, which begin at a multiple of `alignment`; null when there are none left. */
  reserve(context: CudaContext, bytes: number, alignment: number): number | null {
    const takenBytes = bytes + alignment;
    const taken = context.device.reserve(takenBytes);
    if (taken === null) return null;
    const address = Math.ceil(taken / alignment) * alignment;
    this.reservations.add(address, bytes, { taken, takenBytes });
    return address;
  }

  unreserve(context: CudaContext, address: number, bytes: number): number {
    const range = this.reservations.find(address);
    if (range?.start !== address || range.size !== bytes || this.mapped(address, bytes).length > 0) return InvalidValue;
    this.reservations.remove(address);
    context.device.unreserve(range.info.taken, range.info.takenBytes);
    return Success;
  }

  create(memory: Omit<PhysicalMemory, 'references' | 'mappedTo' | 'contents'>): void {
    this.memory.set(memory.handle, { ...memory, references: 1, mappedTo: null, contents: null });
  }

  find(handle: number): PhysicalMemory | undefined {
    return this.memory.get(handle);
  }

  /** One more handle for the memory behind an address. */
  retain(address: number): PhysicalMemory | undefined {
    const memory = this.mappings.find(address)?.info.memory;
    if (!memory) return undefined;
    memory.references++;
    this.memory.set(memory.handle, memory);
    return memory;
  }

  /** What is mapped stays until it is unmapped. */
  release(handle: number): number {
    const memory = this.memory.get(handle);
    if (!memory) return InvalidValue;
    if (--memory.references === 0) this.memory.delete(handle);
    return Success;
  }

  /** Errors: `unsupported-construct` for memory at two addresses, or a part of some. */
  map(address: number, bytes: number, handle: number): number {
    const memory = this.memory.get(handle);
    const isReserved = this.reservations.find(address, bytes) !== undefined;
    if (!memory || !isReserved || bytes > memory.bytes || address % granularity !== 0) return InvalidValue;
    if (this.mapped(address, bytes).length > 0) return InvalidValue;
    if (memory.mappedTo !== null || bytes < memory.bytes)
      throw new SimsightError(
        'unsupported-construct',
        `cuMemMap maps ${memory.mappedTo === null ? 'a part of an allocation' : 'an allocation to a second address'}, which is not simulated.`,
        'Map whole allocations of cuMemCreate, each to one address at a time.',
      );
    memory.mappedTo = address;
    this.mappings.add(address, bytes, { memory, access: new Set() });
    return Success;
  }

  unmap(context: CudaContext, address: number, bytes: number): number {
    const found = this.wholly(address, bytes);
    if (found === null) return InvalidValue;
    for (const { start, info } of found) {
      this.withdraw(context, info, info.memory.references > 0);
      info.memory.mappedTo = null;
      this.mappings.remove(start);
    }
    return Success;
  }

  /** Lets a device access what is mapped in a range, or no longer; an error code where that cannot be. */
  setAccess(context: CudaContext, address: number, bytes: number, device: number, allowed: boolean): number {
    const found = this.wholly(address, bytes);
    if (found === null) return InvalidValue;
    for (const { start, info } of found) {
      const { memory, access } = info;
      if (!allowed) {
        access.delete(device);
        if (access.size === 0) this.withdraw(context, info, true);
        continue;
      }
      if (access.size === 0 && !this.lay(context, start, memory)) return cudaError.MemoryAllocation;
      access.add(device);
      // A device sees all of another's memory, or nothing.
      if (device !== memory.device) context.device.setPeerAccess?.(device, memory.device, true);
    }
    return Success;
  }

  /** Whether a device may access what is mapped at an address; null where nothing is. */
  hasAccess(address: number, device: number): boolean | null {
    return this.mappings.find(address)?.info.access.has(device) ?? null;
  }

  /** Ordinals of the devices whose memory is mapped in a range. */
  ownersIn(address: number, bytes: number): number[] {
    return this.mapped(address, bytes).map(({ info }) => info.memory.device);
  }

  /** Puts memory at its addresses in the device. */
  private lay(context: CudaContext, address: number, { bytes, device, contents }: PhysicalMemory): boolean {
    if (!context.device.place(address, bytes, device)) return false;
    context.allocated(address, bytes, { device, pool: null, isMapped: true });
    if (contents !== null) context.writeToDevice(address, contents);
    return true;
  }

  /** Takes memory from there; `keeps`: somebody can map or access it again. */
  private withdraw(context: CudaContext, { memory, access }: MappedMemory, keeps: boolean): void {
    const address = memory.mappedTo!;
    if (!context.deviceAllocations.find(address)) return;
    access.clear();
    const [bytes] = keeps ? context.device.pieces(address, memory.bytes, false) : [];
    memory.contents = bytes?.slice() ?? null;
    context.unmapped(address);
  }

  private mapped(address: number, bytes: number): { start: number; size: number; info: MappedMemory }[] {
    return this.mappings.list.filter(({ start, size }) => start < address + bytes && address < start + size);
  }

  /** The mappings of a range, each as a whole; null where there is anything else in it. */
  private wholly(address: number, bytes: number): { start: number; size: number; info: MappedMemory }[] | null {
    const found = this.mapped(address, bytes);
    const isInside = found.every(({ start, size }) => start >= address && start + size <= address + bytes);
    return bytes > 0 && isInside && this.mappings.covers(address, bytes) ? found : null;
  }
}
