/**
 * Columns of whole numbers in few bits. Values come in blocks of 128; a block is its smallest value (varint, zigzag), a number of
 * bits (one byte), and the differences from the smallest with as many bits each. What does not fit follows: how many (one byte), and for
 * each its place (one byte) and the rest of it (varint). A column of equal values takes no bits.
 *
 * Plain arithmetic on purpose: compression libraries write other bytes on other machines.
 */
const blockLength = 128;
/** Written in pieces of so many bits. */
const piece = 16;
/** Read in pieces of so many. */
const wordBits = 32;

/** Bytes that are written one after the other. */
export class PackedWriter {
  private bytes = new Uint8Array(1024);
  private length = 0;
  private readonly sizes = new Uint32Array(54);

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Whole numbers between -2^52 and 2^52. */
  column(values: ArrayLike<number>): void {
    for (let from = 0; from < values.length; from += blockLength) {
      this.block(values, from, Math.min(values.length, from + blockLength));
    }
  }

  private block(values: ArrayLike<number>, from: number, to: number): void {
    let [least, most] = [values[from]!, values[from]!];
    for (let i = from + 1; i < to; i++) {
      if (values[i]! < least) least = values[i]!;
      if (values[i]! > most) most = values[i]!;
    }
    const width = this.widthOf(values, from, to, least, most);
    this.reserve(16 + (to - from) * 16);
    this.varint(least < 0 ? -2 * least - 1 : 2 * least);
    this.bytes[this.length++] = width;
    let bits = 0;
    let held = 0;
    for (let i = from; i < to; i++) {
      let value = values[i]! - least;
      for (let left = width; left > 0; left -= piece) {
        const take = Math.min(left, piece);
        bits |= (value & (2 ** take - 1)) << held;
        held += take;
        value = Math.floor(value / 0x10000);
        for (; held >= 8; held -= 8) {
          this.bytes[this.length++] = bits;
          bits >>>= 8;
        }
      }
    }
    if (held > 0) this.bytes[this.length++] = bits;
    const room = 2 ** width;
    const count = this.length++;
    this.bytes[count] = 0;
    for (let i = from; i < to; i++) {
      const rest = Math.floor((values[i]! - least) / room);
      if (rest === 0) continue;
      this.bytes[count]!++;
      this.bytes[this.length++] = i - from;
      this.varint(rest);
    }
  }

  /** The number of bits with which the block takes the fewest, with what does not fit. */
  private widthOf(values: ArrayLike<number>, from: number, to: number, least: number, most: number): number {
    const { sizes } = this;
    sizes.fill(0);
    for (let i = from; i < to; i++) sizes[bitsOf(values[i]! - least)]!++;
    const widest = bitsOf(most - least);
    let [best, fewest] = [widest, widest * (to - from)];
    // Each that does not fit takes its place and seven bits to a byte.
    for (let width = 0; width < widest; width++) {
      let bits = width * (to - from);
      for (let size = width + 1; size <= widest; size++) bits += sizes[size]! * (8 + 8 * Math.ceil((size - width) / 7));
      if (bits < fewest) [best, fewest] = [width, bits];
    }
    return best;
  }

  private varint(value: number): void {
    for (; value >= 128; value = Math.floor(value / 128)) this.bytes[this.length++] = (value % 128) | 128;
    this.bytes[this.length++] = value;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Reads what {@link PackedWriter} wrote. Bytes that it did not write give a {@link RangeError} or other numbers, never a hang. */
export class PackedReader {
  private readonly bytes: Uint8Array;
  /**
   * Copy of the bytes, followed by some that are zero, so that the word after each can be read too. Little-endian, as all machines are that
   * we run on.
   */
  private readonly words: Uint32Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.words = new Uint32Array((bytes.length >>> 2) + 3);
    this.bytes = new Uint8Array(this.words.buffer, 0, bytes.length);
    this.bytes.set(bytes);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  column(out: { length: number; [index: number]: number }): void {
    for (let from = 0; from < out.length; from += blockLength) {
      this.block(out, from, Math.min(out.length, from + blockLength));
    }
  }

  private block(out: { [index: number]: number }, from: number, to: number): void {
    const packed = this.varint();
    const least = packed % 2 === 1 ? -(packed + 1) / 2 : packed / 2;
    const width = this.byte();
    const size = ((to - from) * width + 7) >>> 3;
    if (width > 53 || this.at + size > this.bytes.length) throw new RangeError('a packed column is cut off');
    if (width === 0) for (let i = from; i < to; i++) out[i] = least;
    else if (width <= wordBits) this.narrow(out, from, to, width, least);
    else this.wide(out, from, to, width, least);
    this.at += size;
    const room = 2 ** width;
    for (let left = this.byte(); left > 0; left--) {
      const at = from + this.byte();
      const rest = this.varint() * room;
      if (at < to) out[at]! += rest;
    }
  }

  private narrow(out: { [index: number]: number }, from: number, to: number, width: number, least: number): void {
    const { words } = this;
    const unused = wordBits - width;
    for (let i = from, bit = this.at * 8; i < to; i++, bit += width) {
      out[i] = least + ((wordAt(words, bit) << unused) >>> unused);
    }
  }

  private wide(out: { [index: number]: number }, from: number, to: number, width: number, least: number): void {
    const { words } = this;
    const unused = 2 * wordBits - width;
    for (let i = from, bit = this.at * 8; i < to; i++, bit += width) {
      const high = (wordAt(words, bit + wordBits) << unused) >>> unused;
      out[i] = least + (wordAt(words, bit) >>> 0) + high * 2 ** wordBits;
    }
  }

  private varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError('a packed column is cut off');
    return byte;
  }
}

/** The 32 bits from a bit on. */
const wordAt = (words: Uint32Array, bit: number): number => {
  const at = bit >>> 5;
  const offset = bit & 31;
  return (words[at]! >>> offset) | ((words[at + 1]! << 1) << (31 - offset));
};

const bitsOf = (value: number): number => (value < 2 ** 31 ? 32 - Math.clz32(value) : Math.floor(Math.log2(value)) + 1);
