import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  incomplete,
  isLetter,
  isNumeric,
  openBrace,
  openBracket,
  quote,
  wrong,
} from './json-bytes.ts';

/** Deeper nesting is made up. */
const deepest = 2 ** 20;

/** Passes over one value of any depth and length, which may come in pieces. */
export class Skipper {
  wrongAt = 0;
  /** One flag for each open bracket: 1 for a brace. */
  private open = new Uint8Array(256);
  private depth = 0;
  private place: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'after' | 'string' | 'word' = 'value';
  private isKey = false;
  private isEscape = false;

  start(): void {
    this.depth = 0;
    this.place = 'value';
    this.isEscape = false;
  }

  /** Gives where the value ends, `incomplete` when more has to come, `wrong` where it is none. */
  run(bytes: Uint8Array, p: number, end: number, isLast: boolean): number {
    for (;;) {
      if (this.place === 'string') {
        p = this.string(bytes, p, end);
        if (p < 0) return incomplete;
        this.place = this.isKey ? 'colon' : 'after';
      } else if (this.place === 'word') {
        let c = bytes[p]!;
        while (p < end && (isNumeric(c) || isLetter(c))) c = bytes[++p]!;
        if (p >= end && !(isLast && this.depth === 0)) return incomplete;
        this.place = 'after';
      }
      if (this.place === 'after' && this.depth === 0) return p;
      let c = bytes[p]!;
      while (c === 32 || c === 10 || c === 13 || c === 9) c = bytes[++p]!;
      if (p >= end) return incomplete;
      switch (this.place) {
        case 'first value':
        case 'value':
          if (c === closeBracket && this.place === 'first value') {
            p = this.close(p);
            continue;
          }
          if (c === quote) {
            this.isKey = false;
            this.place = 'string';
          } else if (c === openBracket || c === openBrace) {
            if (this.depth === this.open.length && !this.grow()) return this.stop(p);
            this.open[this.depth++] = c === openBrace ? 1 : 0;
            this.place = c === openBrace ? 'first key' : 'first value';
          } else if (isLetter(c) || (isNumeric(c) && c !== 0x2b && c !== 0x2e)) {
            this.place = 'word';
          } else return this.stop(p);
          p++;
          continue;
        case 'first key':
        case 'key':
          if (c === closeBrace) p = this.close(p);
          else if (c === quote) {
            this.isKey = true;
            this.place = 'string';
            p++;
          } else return this.stop(p);
          continue;
        case 'colon':
          if (c !== colon) return this.stop(p);
          this.place = 'value';
          p++;
          continue;
        default:
          if (c === comma) {
            this.place = this.open[this.depth - 1] ? 'key' : 'first value';
            p++;
          } else if (c === (this.open[this.depth - 1] ? closeBrace : closeBracket)) p = this.close(p);
          else return this.stop(p);
      }
    }
  }

  private string(bytes: Uint8Array, p: number, end: number): number {
    if (this.isEscape && p < end) {
      this.isEscape = false;
      p++;
    }
    for (; p < end; p++) {
      const c = bytes[p]!;
      if (c === quote) return p + 1;
      if (c === backslash && ++p >= end) this.isEscape = true;
    }
    return incomplete;
  }

  private close(p: number): number {
    this.depth--;
    this.place = 'after';
    return p + 1;
  }

  private grow(): boolean {
    if (this.open.length >= deepest) return false;
    const grown = new Uint8Array(2 * this.open.length);
    grown.set(this.open);
    this.open = grown;
    return true;
  }

  private stop(p: number): number {
    this.wrongAt = p;
    return wrong;
  }
}
