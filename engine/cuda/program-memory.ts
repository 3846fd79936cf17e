import { wordBytes } from './host-exports.ts';

/** The memory of the host program, as system calls read and write it. Addresses and sizes are bytes. */
/** Bytes of a path, or another text that a system call takes: far more than any has. */
const longestText = 2 ** 16;

export class ProgramMemory {
  private memory!: WebAssembly.Memory;
  private readonly decoder = new TextDecoder();

  /** Called before a system call reads or writes a buffer of the program. */
  onAccess: (address: number, bytes: number, writes: boolean) => void = () => undefined;

  attach(memory: WebAssembly.Memory): void {
    this.memory = memory;
  }

  get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  bytes(address: number, size: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, size);
  }

  /** Buffers of a scatter or gather call: pairs of address and size. `fills`: the call writes to them. */
  vectors(address: number, count: number, fills = false): Uint8Array[] {
    const { view } = this;
    return Array.from({ length: count }, (_, index) => {
      const pair = address + 2 * wordBytes * index;
      const [at, length] = [pair, pair + wordBytes].map((word) => Number(view.getBigUint64(word, true))) as [
        number,
        number,
      ];
      this.onAccess(at, length, fills);
      return this.bytes(at, length);
    });
  }

  /** The text up to a zero. Errors: `RangeError` without one. */
  terminated(address: number): string {
    const all = new Uint8Array(this.memory.buffer, address);
    const end = all.subarray(0, longestText).indexOf(0);
    if (end < 0) throw new RangeError('A text without an end.');
    return this.decoder.decode(all.slice(0, end));
  }

  /** A `timespec` in nanoseconds. */
  time(address: number): bigint {
    return this.view.getBigInt64(address, true) * 1_000_000_000n + this.view.getBigInt64(address + 8, true);
  }

  /** Writes nanoseconds as a `timespec`. */
  setTime(address: number, nanoseconds: bigint): void {
    this.view.setBigInt64(address, nanoseconds / 1_000_000_000n, true);
    this.view.setBigInt64(address + 8, nanoseconds % 1_000_000_000n, true);
  }

  /** Writes nanoseconds as a `timeval`. */
  setMicroseconds(address: number, nanoseconds: bigint): void {
    this.view.setBigInt64(address, nanoseconds / 1_000_000_000n, true);
    this.view.setBigInt64(address + 8, (nanoseconds % 1_000_000_000n) / 1000n, true);
  }
}
