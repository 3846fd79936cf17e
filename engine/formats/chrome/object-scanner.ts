import {
  absent,
  argsField,
  argumentTable,
  fieldNames,
  isEscaped,
  isNested,
  isNumber,
  isText,
  isWord,
  type EventFields,
  type KeyTable,
} from './fields.ts';
import {
  backslash,
  closeBrace,
  colon,
  comma,
  incomplete,
  isLetter,
  isNumeric,
  isSpace,
  openBrace,
  openBracket,
  quote,
  wrong,
} from './json-bytes.ts';
import { Skipper } from './skipper.ts';

/** Finds where the fields of one object are: that of an event, and that of its arguments. */
export class ObjectScanner {
  readonly fields: EventFields;
  /** End of the bytes; two zeros are behind them, which are nowhere allowed between tokens. */
  end = 0;
  /** Position of a byte that should not be there. */
  wrongAt = 0;
  private readonly skipper = new Skipper();
  private stringHash = 0;
  private isStringEscaped = false;

  constructor(bytes: Buffer) {
    const count = fieldNames.length;
    const places = { starts: new Int32Array(count), ends: new Int32Array(count) };
    this.fields = { bytes, kinds: new Uint8Array(count), ...places };
  }

  /** End of the string whose first character is at `p`. */
  string(p: number): number {
    const { bytes } = this.fields;
    let hash = 0;
    let escaped = false;
    for (;;) {
      const c = bytes[p]!;
      if (c === quote) break;
      if (c === backslash) {
        escaped = true;
        p++;
      } else if (c === 0 && p >= this.end) return incomplete;
      hash = (Math.imul(hash, 31) + c) | 0;
      p++;
    }
    if (p >= this.end) return incomplete;
    this.stringHash = hash;
    this.isStringEscaped = escaped;
    return p;
  }

  /** Notes the fields of the object that opens at `p`; gives where it ends. */
  object(p: number, table: KeyTable): number {
    const { end } = this;
    const { bytes, kinds, starts, ends } = this.fields;
    p++;
    for (;;) {
      let c = bytes[p]!;
      while (c === 32 || c === 10 || c === 13 || c === 9 || c === comma) c = bytes[++p]!;
      if (c === closeBrace) return p + 1;
      if (c !== quote) return this.stop(p);
      const first = p + 1;
      p = this.string(first);
      if (p < 0) return p;
      const field = table.find(this.stringHash, bytes, first, p);
      c = bytes[++p]!;
      while (isSpace(c)) c = bytes[++p]!;
      if (c !== colon) return this.stop(p);
      c = bytes[++p]!;
      while (isSpace(c)) c = bytes[++p]!;
      let kind: number;
      let start = p;
      let stop: number;
      if (c === quote) {
        start++;
        stop = this.string(start);
        if (stop < 0) return stop;
        p = stop + 1;
        kind = this.isStringEscaped ? isEscaped : isText;
      } else if (c === openBrace || c === openBracket) {
        if (field === argsField && c === openBrace) p = this.object(p, argumentTable);
        else {
          this.skipper.start();
          p = this.skipper.run(bytes, p, end, false);
          if (p === wrong) this.wrongAt = this.skipper.wrongAt;
        }
        if (p < 0) return p;
        stop = p;
        kind = isNested;
      } else {
        kind = (c >= 0x30 && c <= 0x39) || c === 0x2d ? isNumber : isLetter(c) ? isWord : absent;
        if (kind === absent) return this.stop(p);
        if (kind === isNumber)
          do c = bytes[++p]!;
          while (isNumeric(c));
        while (isLetter(c)) {
          kind = isWord;
          c = bytes[++p]!;
        }
        stop = p;
      }
      // The number may go on in the next piece; what follows a value is a comma or the end, and nothing else.
      c = bytes[p]!;
      while (isSpace(c)) c = bytes[++p]!;
      if (c !== comma && c !== closeBrace) return this.stop(p);
      if (field >= 0) {
        kinds[field] = kind;
        starts[field] = start;
        ends[field] = stop;
      }
    }
  }

  private stop(p: number): number {
    if (p >= this.end) return incomplete;
    this.wrongAt = p;
    return wrong;
  }
}
