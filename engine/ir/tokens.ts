/** The words of LLVM IR text, and a cursor over them. */
import type { SimsightError } from '../base/errors.ts';
import type { SourcePlace } from '../model/source-place.ts';
import { unsupported } from './ir.ts';

/** A word, and whether a line begins with it. */
export interface Token {
  text: string;
  startsLine: boolean;
}

const tokenPattern =
  /;[^\n]*|\n|[ \t\r]+|c?"(?:[^"\\]|\\.)*":?|[%@$]"(?:[^"\\]|\\.)*"|[%@$][-a-zA-Z$._0-9]+|![-a-zA-Z$._0-9]*|#[0-9]+|-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|0x[HKLMR]?[0-9A-Fa-f]+|\.\.\.|[-a-zA-Z$._0-9]+:?|[=,(){}[\]<>*|:^]/g;

/** Words of a text, without blanks and comments. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let startsLine = true;
  for (const [piece] of text.matchAll(tokenPattern)) {
    const first = piece.charCodeAt(0);
    if (first === 10) startsLine = true;
    else if (first !== 59 && first !== 32 && first !== 9 && first !== 13) {
      tokens.push({ text: piece, startsLine });
      startsLine = false;
    }
  }
  return tokens;
}

/** Reads words one after the other. Errors name the function or variable that is being read, and the last known place in the source. */
export class Cursor {
  protected readonly tokens: readonly Token[];
  protected at = 0;
  protected where = 'the module';
  protected place: SourcePlace | null = null;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** True at the first word of a line, and at the end. */
  protected get startsLine(): boolean {
    return this.tokens[this.at]?.startsLine ?? true;
  }

  protected peek(distance = 0): string {
    return this.tokens[this.at + distance]?.text ?? '';
  }
  protected next(): string {
    return this.tokens[this.at++]?.text ?? '';
  }
  protected accept(text: string): boolean {
    if (this.peek() !== text) return false;
    this.at++;
    return true;
  }
  protected expect(text: string): void {
    if (!this.accept(text)) throw this.unknown(`the LLVM IR near "${this.context()}" (expected "${text}")`);
  }
  protected context(): string {
    return this.tokens
      .slice(Math.max(0, this.at - 6), this.at + 6)
      .map((token) => token.text)
      .join(' ');
  }
  protected unknown(construct: string): SimsightError {
    return unsupported(construct, this.where, this.place);
  }
  protected skipLine(): void {
    do this.at++;
    while (!this.startsLine);
  }
  protected skipParens(): void {
    let depth = 0;
    do {
      const token = this.next();
      if (token === '(') depth++;
      else if (token === ')') depth--;
    } while (depth > 0 && this.at < this.tokens.length);
  }
}
