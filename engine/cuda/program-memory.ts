/** The memory of the host program, as system calls read and write it. Addresses and sizes are bytes. */
export class ProgramMemory {
  private memory!: WebAssembly.Memory;
  private readonly encoder = new TextEncoder();
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
    return new Uint8Array(this.memory.buffer, address >>> 0, size >>> 0);
  }

  text(address: number, size: number): string {
    return this.decoder.decode(this.bytes(address, size).slice());
  }

  /** Buffers of a scatter or gather call: pairs of address and size. `fills`: the call writes to them. */
  vectors(address: number, count: number, fills = false): Uint8Array[] {
    const { view } = this;
    return Array.from({ length: count }, (_, index) => {
      const [at, length] = [view.getUint32(address + 8 * index, true), view.getUint32(address + 8 * index + 4, true)];
      this.onAccess(at, length, fills);
      return this.bytes(at, length);
    });
  }

  /** Writes texts, each with a zero behind it, one after the other, and their addresses to `pointers`. */
  writeTexts(texts: readonly string[], pointers: number, buffer: number): void {
    for (const [index, bytes] of this.encoded(texts).entries()) {
      this.view.setUint32(pointers + 4 * index, buffer, true);
      this.bytes(buffer, bytes.length).set(bytes);
      buffer += bytes.length;
    }
  }

  /** Writes the number of texts, and the bytes that {@link writeTexts} takes for them. */
  writeSizes(texts: readonly string[], count: number, size: number): void {
    const bytes = this.encoded(texts).reduce((sum, { length }) => sum + length, 0);
    this.view.setUint32(count, texts.length, true);
    this.view.setUint32(size, bytes, true);
  }

  private encoded(texts: readonly string[]): Uint8Array[] {
    return texts.map((text) => this.encoder.encode(`${text}\0`));
  }
}
