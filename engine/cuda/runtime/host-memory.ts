/**
 * The host program's linear memory as the runtime sees it. The memory grows while the program runs, which detaches
 * buffers: views are taken anew for every access.
 */
import { SimsightError } from '../../base/errors.ts';

/** Bytes of a string that a program hands over; without an end, all of its memory would be one. */
const longestText = 2 ** 20;

export class HostMemory {
  private readonly memory: WebAssembly.Memory;
  private readonly decoder = new TextDecoder();

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
  }

  get byteLength(): number {
    return this.memory.buffer.byteLength;
  }

  /** False when there is no more. */
  grow(pages: number): boolean {
    if (pages <= 0) return true;
    try {
      this.memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }

  contains(address: number, size: number): boolean {
    return address > 0 && address + size <= this.memory.buffer.byteLength;
  }

  bytes(address: number, size: number): Uint8Array {
    if (address + size > this.memory.buffer.byteLength) this.outside(address);
    return new Uint8Array(this.memory.buffer, address, size);
  }

  private view(address: number, size: number): DataView {
    if (address + size > this.memory.buffer.byteLength) this.outside(address);
    return new DataView(this.memory.buffer, address, size);
  }

  private outside(address: number): never {
    throw new SimsightError(
      'host-program-failed',
      `The program handed the address 0x${address.toString(16)} to the CUDA runtime, which lies outside of its memory.`,
      'Check the pointers that are passed to CUDA calls.',
    );
  }

  u32(address: number): number {
    return this.view(address, 4).getUint32(0, true);
  }

  u64(address: number): bigint {
    return this.view(address, 8).getBigUint64(0, true);
  }

  u16(address: number): number {
    return this.view(address, 2).getUint16(0, true);
  }

  f32(address: number): number {
    return this.view(address, 4).getFloat32(0, true);
  }

  f64(address: number): number {
    return this.view(address, 8).getFloat64(0, true);
  }

  setU32(address: number, value: number): void {
    this.view(address, 4).setUint32(0, value, true);
  }

  /** Fields of 32 bits of a struct; `offsets` as in abi.ts. */
  setFields<Name extends string>(
    address: number,
    offsets: Readonly<Record<Name, number>>,
    values: Readonly<Partial<Record<Name, number>>>,
  ): void {
    for (const name of Object.keys(values) as Name[]) this.setU32(address + offsets[name], values[name]!);
  }

  setU64(address: number, value: bigint): void {
    this.view(address, 8).setBigUint64(0, value, true);
  }

  setF32(address: number, value: number): void {
    this.view(address, 4).setFloat32(0, value, true);
  }

  text(address: number): string {
    const text = new Uint8Array(this.memory.buffer).subarray(address, address + longestText);
    const end = text.indexOf(0);
    return this.decoder.decode(text.slice(0, end < 0 ? text.length : end));
  }
}
