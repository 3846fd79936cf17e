/** The text of inline PTX as statements. Grammar: PTX ISA 8.7, chapters 4 and 5, without directives but `.reg`. */

export type Operand =
  | { kind: 'register'; name: string; negated: boolean }
  /** `%laneid` and the like, without the percent sign. */
  | { kind: 'special'; name: string }
  /** `$n`: an operand of the asm statement. */
  | { kind: 'operand'; index: number; negated: boolean }
  | { kind: 'integer'; value: bigint }
  | { kind: 'float'; value: number; bits: 32 | 64 }
  | { kind: 'vector'; elements: Operand[] }
  | { kind: 'address'; base: Operand; offset: number }
  /** `[object, {x, y}]`: a place in a texture or a surface. */
  | { kind: 'texel'; object: Operand; coordinates: Operand[] }
  /** `_`: nothing. */
  | { kind: 'sink' }
  /** `p|q`. */
  | { kind: 'pair'; first: Operand; second: Operand };

/** A label is a statement of its own, whose opcode is {@link labelOpcode} and whose text its name. */
export const labelOpcode = ':';

export interface Statement {
  /** `@p`, `@!p`. */
  guard: Operand | null;
  opcode: string;
  /** Words behind the opcode, dots removed; `::` parts stay together. */
  modifiers: string[];
  operands: Operand[];
  text: string;
}
export interface Declaration {
  type: string;
  names: string[];
}
export interface Assembly {
  statements: Statement[];
  declarations: Declaration[];
}

export class PtxSyntaxError extends Error {}

const tokenPattern =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\$\{\d+(?::\w+)?\}|\$\d+|0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}|\d+\.\d*(?:[eE][-+]?\d+)?|0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|\d+U?|%?[A-Za-z_$][\w$]*|::|\S/g;

/** A number as PTX writes it; null where the token is none. */
function numberOf(token: string): Operand | null {
  if (/^0[fF]/.test(token)) {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, parseInt(token.slice(2), 16));
    return { kind: 'float', value: view.getFloat32(0), bits: 32 };
  }
  if (/^0[dD]/.test(token)) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${token.slice(2)}`));
    return { kind: 'float', value: view.getFloat64(0), bits: 64 };
  }
  if (/^\d+\./.test(token)) return { kind: 'float', value: Number(token), bits: 64 };
  if (/^\d/.test(token)) {
    const digits = token.replace(/U$/, '');
    return {
      kind: 'integer',
      value: BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase()),
    };
  }
  return null;
}

/** Reads statements one after the other. */
class AssemblyReader {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.tokens = [...text.matchAll(tokenPattern)].map(([token]) => token).filter((token) => !/^\/[/*]/.test(token));
  }

  read(): Assembly {
    const statements: Statement[] = [];
    const declarations: Declaration[] = [];
    while (this.at < this.tokens.length) {
      if (this.accept(';') || this.accept('{') || this.accept('}')) continue;
      if (this.accept('.')) declarations.push(this.declaration());
      else if (/^[A-Za-z_$][\w$]*$/.test(this.peek()) && this.tokens[this.at + 1] === ':') {
        statements.push({ guard: null, opcode: labelOpcode, modifiers: [], operands: [], text: this.peek() });
        this.at += 2;
      } else statements.push(this.statement());
    }
    return { statements, declarations };
  }

  private peek(): string {
    return this.tokens[this.at] ?? '';
  }

  private accept(token: string): boolean {
    if (this.peek() !== token) return false;
    this.at++;
    return true;
  }

  private fail(): never {
    throw new PtxSyntaxError(this.tokens.slice(Math.max(0, this.at - 4), this.at + 4).join(' '));
  }

  private declaration(): Declaration {
    if (!this.accept('reg')) this.fail();
    let type = '';
    while (this.accept('.')) type = this.tokens[this.at++] ?? '';
    const names: string[] = [];
    do {
      const name = this.tokens[this.at++] ?? '';
      // `.reg .b32 r<4>` declares r0 to r3.
      if (this.accept('<')) {
        const count = Number(this.tokens[this.at++]);
        if (!this.accept('>')) this.fail();
        for (let i = 0; i < count; i++) names.push(`${name}${i}`);
      } else names.push(name);
    } while (this.accept(','));
    if (!this.accept(';')) this.fail();
    return { type, names };
  }

  private statement(): Statement {
    const start = this.at;
    let guard: Operand | null = null;
    if (this.accept('@')) guard = this.single();
    const opcode = this.tokens[this.at++] ?? '';
    if (!/^[a-z]\w*$/.test(opcode) || this.peek() === ':') this.fail();
    const modifiers = this.modifiers();
    const operands: Operand[] = [];
    while (this.peek() !== ';' && this.peek() !== '' && this.peek() !== '}') {
      operands.push(this.operand());
      if (!this.accept(',')) break;
    }
    if (this.at < this.tokens.length && this.peek() !== ';' && this.peek() !== '}') this.fail();
    return {
      guard,
      opcode,
      modifiers,
      operands,
      text: this.tokens
        .slice(start, this.at)
        .join(' ')
        .replace(/ ?([.,]|::) ?/g, '$1'),
    };
  }

  private modifiers(): string[] {
    const modifiers: string[] = [];
    while (this.accept('.')) {
      let part = this.tokens[this.at++] ?? '';
      if (/^[123]$/.test(part) && /^d(ms)?$/.test(this.peek())) part += this.tokens[this.at++] ?? '';
      // A modifier may begin with a digit (`128`) or hold `::` (`L2::128B`, `shared::cta`).
      while (this.peek() === '::') {
        this.at++;
        part += `::${this.tokens[this.at++] ?? ''}`;
        if (/^\d/.test(this.tokens[this.at - 1] ?? '') && /^[A-Za-z]\w*$/.test(this.peek()))
          part += this.tokens[this.at++] ?? '';
      }
      modifiers.push(part);
    }
    return modifiers;
  }

  private operand(): Operand {
    const first = this.single();
    if (!this.accept('|')) return first;
    return { kind: 'pair', first, second: this.single() };
  }

  private single(): Operand {
    if (this.accept('!')) {
      const inner = this.single();
      if (inner.kind !== 'register' && inner.kind !== 'operand') return this.fail();
      return { ...inner, negated: true };
    }
    if (this.accept('{')) {
      const elements: Operand[] = [];
      while (!this.accept('}')) {
        if (this.at >= this.tokens.length) this.fail();
        elements.push(this.operand());
        this.accept(',');
      }
      return { kind: 'vector', elements };
    }
    if (this.accept('[')) {
      const base = this.single();
      if (this.accept(',')) {
        const place = this.single();
        if (!this.accept(']')) this.fail();
        return { kind: 'texel', object: base, coordinates: place.kind === 'vector' ? place.elements : [place] };
      }
      let offset = 0;
      while (this.peek() === '+' || this.peek() === '-') {
        const sign = this.tokens[this.at++] === '-' ? -1 : 1;
        const distance = this.single();
        if (distance.kind !== 'integer') return this.fail();
        offset += sign * Number(distance.value);
      }
      if (!this.accept(']')) this.fail();
      return { kind: 'address', base, offset };
    }
    if (this.accept('-')) {
      const inner = this.single();
      if (inner.kind === 'integer') return { ...inner, value: -inner.value };
      if (inner.kind === 'float') return { ...inner, value: -inner.value };
      return this.fail();
    }
    return this.word();
  }

  /** An operand of one token. */
  private word(): Operand {
    const token = this.tokens[this.at++] ?? '';
    if (token.startsWith('$')) return { kind: 'operand', index: Number(/\d+/.exec(token)?.[0]), negated: false };
    const number = numberOf(token);
    if (number !== null) return number;
    if (token === '_') return { kind: 'sink' };
    if (token === 'WARP_SZ') return { kind: 'integer', value: 32n };
    if (token.startsWith('%')) {
      let name = token.slice(1);
      if (this.peek() === '.' && /^(tid|ntid|ctaid|nctaid)$/.test(name)) {
        this.at++;
        name += `.${this.tokens[this.at++] ?? ''}`;
      }
      return { kind: 'special', name };
    }
    if (/^[A-Za-z_$]/.test(token)) return { kind: 'register', name: token, negated: false };
    this.at--;
    return this.fail();
  }
}

/** The statements and declarations of inline PTX. */
export function parseAssembly(text: string): Assembly {
  return new AssemblyReader(text).read();
}
