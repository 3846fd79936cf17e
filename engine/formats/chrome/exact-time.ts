/**
 * Times as they stand in JSON, microseconds with a fraction, as whole nanoseconds. A double holds neither 1.7e15 µs with a
 * fraction nor 1.7e18 ns: digits are read as digits, and a time is two numbers, whole microseconds and nanoseconds below them.
 */
export class ExactTime {
  /** Whole, of the sign of the time. */
  microseconds = 0;
  /** Below them, 0 to 1000: rounded, of the sign of the time. */
  nanoseconds = 0;

  /** Reads what stands at `start`; false where that is no time of less than 2^53 µs. */
  read(bytes: Buffer, start: number, end: number): boolean {
    let p = start;
    const isNegative = bytes[p] === 0x2d;
    if (isNegative) p++;
    if (end - p > 40) return this.readText(bytes.toString('latin1', start, end));
    let whole = 0;
    const first = p;
    for (; p < end; p++) {
      const digit = bytes[p]! - 0x30;
      if (digit < 0 || digit > 9) break;
      whole = 10 * whole + digit;
    }
    if (p === first) return false;
    let below = 0;
    if (p < end && bytes[p] === 0x2e) {
      let digits = 0;
      for (p++; p < end; p++) {
        const digit = bytes[p]! - 0x30;
        if (digit < 0 || digit > 9) break;
        if (digits < 3) below = 10 * below + digit;
        // The fourth digit rounds.
        else if (digits === 3 && digit >= 5) below++;
        digits++;
      }
      if (digits < 3) below *= digits === 2 ? 10 : digits === 1 ? 100 : 1000;
    }
    if (p < end) return this.readText(bytes.toString('latin1', start, end));
    if (whole > Number.MAX_SAFE_INTEGER) return false;
    this.microseconds = isNegative ? -whole : whole;
    this.nanoseconds = isNegative ? -below : below;
    return true;
  }

  /** Reads times with an exponent, or with more digits than anybody writes. */
  private readText(text: string): boolean {
    const parts = /^(-?)(\d{1,400})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
    if (!parts) return false;
    const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
    // Digits that count tenths of nanoseconds once the point is moved.
    const shift = Number(exponent) - fraction.length + 4;
    const digits = BigInt(whole + fraction);
    const tenths = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
    const all = (tenths + 5n) / 10n;
    if (all / 1000n > BigInt(Number.MAX_SAFE_INTEGER)) return false;
    const factor = sign ? -1 : 1;
    this.microseconds = factor * Number(all / 1000n);
    this.nanoseconds = factor * Number(all % 1000n);
    return true;
  }
}
