/**
 * The host program's linear memory as the runtime sees it. The memory grows while the program runs, which detaches
 * buffers.
 */
import { SimsightError } from '../../base/errors.ts';
import type { Field, Struct } from './structs.ts';

/** Bytes of a string that a program hands over; without an end, all of its memory would be one. */
const longestText = 2 ** 20;

export class HostMemory {
  /** The memory itself, whose buffer changes when it grows. */
  readonly wasm: WebAssembly.Memory;
  private readonly decoder = new TextDecoder();
  private whole: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.wasm = memory;
    this.whole = new DataView(memory.buffer);
  }

  get byteLength(): number {
    return this.wasm.buffer.byteLength;
  }

  /** False when there is no more. */
  grow(pages: number): boolean {
    if (pages <= 0) return true;
    try {
      // A memory of 64 bits takes a BigInt.
      this.wasm.grow(BigInt(pages) as unknown as number);
      return true;
    } catch {
      return false;
    }
  }

  contains(address: number, size: number): boolean {
    return address > 0 && address + size <= this.wasm.buffer.byteLength;
  }

  bytes(address: number, size: number): Uint8Array {
    if (address + size > this.wasm.buffer.byteLength) this.outside(address);
    return new Uint8Array(this.wasm.buffer, address, size);
  }

  /** Of all of it. Taken anew once the memory has grown: then the old one is short, or has no bytes at all. */
  private view(address: number, size: number): DataView {
    if (address + size > this.whole.buffer.byteLength) {
      this.whole = new DataView(this.wasm.buffer);
      if (address + size > this.whole.buffer.byteLength) this.outside(address);
    }
    return this.whole;
  }

  private outside(address: number): never {
    throw new SimsightError(
      'host-program-failed',
      `The program handed the address 0x${address.toString(16)} to the CUDA runtime, which lies outside of its memory.`,
      'Check the pointers that are passed to CUDA calls.',
    );
  }

  u32(address: number): number {
    return this.view(address, 4).getUint32(address, true);
  }

  u64(address: number): bigint {
    return this.view(address, 8).getBigUint64(address, true);
  }

  u16(address: number): number {
    return this.view(address, 2).getUint16(address, true);
  }

  f32(address: number): number {
    return this.view(address, 4).getFloat32(address, true);
  }

  f64(address: number): number {
    return this.view(address, 8).getFloat64(address, true);
  }

  setU32(address: number, value: number): void {
    this.view(address, 4).setUint32(address, value, true);
  }

  /** A pointer or a `size_t`. */
  word(address: number): number {
    return Number(this.u64(address));
  }

  setWord(address: number, value: number): void {
    this.setU64(address, BigInt(value));
  }

  /** A field of a struct of abi.ts: a pointer, a `size_t` or 32 bits. */
  field<Of extends Struct>(address: number, struct: Of, name: Field<Of>): number {
    const at = address + (struct[name] as number);
    return struct.words.includes(name) ? this.word(at) : this.u32(at);
  }

  setFields<Of extends Struct>(
    address: number,
    struct: Of,
    values: Readonly<Partial<Record<Field<Of>, number>>>,
  ): void {
    for (const name of Object.keys(values) as Field<Of>[]) {
      const at = address + (struct[name] as number);
      if (struct.words.includes(name)) this.setWord(at, values[name]!);
      else this.setU32(at, values[name]!);
    }
  }

  setU64(address: number, value: bigint): void {
    this.view(address, 8).setBigUint64(address, value, true);
  }

  setF32(address: number, value: number): void {
    this.view(address, 4).setFloat32(address, value, true);
  }

  /** Texts by an array of pointers to them. */
  texts(address: number, count: number): string[] {
    return Array.from({ length: count }, (_, i) => this.text(this.word(address + 8 * i)));
  }

  text(address: number): string {
    const text = new Uint8Array(this.wasm.buffer).subarray(address, address + longestText);
    const end = text.indexOf(0);
    return this.decoder.decode(text.slice(0, end < 0 ? text.length : end));
  }
}
