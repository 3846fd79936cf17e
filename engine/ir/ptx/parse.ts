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
  /** What follows the opcode, dots removed; `::` parts stay together. */
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

export function parseAssembly(text: string): Assembly {
  const tokens = [...text.matchAll(tokenPattern)].map(([token]) => token).filter((token) => !/^\/[/*]/.test(token));
  const statements: Statement[] = [];
  const declarations: Declaration[] = [];
  let at = 0;
  const peek = (): string => tokens[at] ?? '';
  const accept = (token: string): boolean => {
    if (peek() !== token) return false;
    at++;
    return true;
  };
  const fail = (): never => {
    throw new PtxSyntaxError(tokens.slice(Math.max(0, at - 4), at + 4).join(' '));
  };

  const operand = (): Operand => {
    const first = single();
    if (!accept('|')) return first;
    return { kind: 'pair', first, second: single() };
  };
  const single = (): Operand => {
    if (accept('!')) {
      const inner = single();
      if (inner.kind !== 'register' && inner.kind !== 'operand') return fail();
      return { ...inner, negated: true };
    }
    if (accept('{')) {
      const elements: Operand[] = [];
      while (!accept('}')) {
        if (at >= tokens.length) fail();
        elements.push(operand());
        accept(',');
      }
      return { kind: 'vector', elements };
    }
    if (accept('[')) {
      const base = single();
      if (accept(',')) {
        const place = single();
        if (!accept(']')) fail();
        return { kind: 'texel', object: base, coordinates: place.kind === 'vector' ? place.elements : [place] };
      }
      let offset = 0;
      while (peek() === '+' || peek() === '-') {
        const sign = tokens[at++] === '-' ? -1 : 1;
        const distance = single();
        if (distance.kind !== 'integer') return fail();
        offset += sign * Number(distance.value);
      }
      if (!accept(']')) fail();
      return { kind: 'address', base, offset };
    }
    if (accept('-')) {
      const inner = single();
      if (inner.kind === 'integer') return { ...inner, value: -inner.value };
      if (inner.kind === 'float') return { ...inner, value: -inner.value };
      return fail();
    }
    const token = tokens[at++] ?? '';
    if (token.startsWith('$')) return { kind: 'operand', index: Number(/\d+/.exec(token)?.[0]), negated: false };
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
    if (token === '_') return { kind: 'sink' };
    if (token === 'WARP_SZ') return { kind: 'integer', value: 32n };
    if (token.startsWith('%')) {
      let name = token.slice(1);
      if (peek() === '.' && /^(tid|ntid|ctaid|nctaid)$/.test(name)) {
        at++;
        name += `.${tokens[at++] ?? ''}`;
      }
      return { kind: 'special', name };
    }
    if (/^[A-Za-z_$]/.test(token)) return { kind: 'register', name: token, negated: false };
    at--;
    return fail();
  };

  while (at < tokens.length) {
    if (accept(';') || accept('{') || accept('}')) continue;
    const start = at;
    if (accept('.')) {
      if (!accept('reg')) fail();
      let type = '';
      while (accept('.')) type = tokens[at++] ?? '';
      const names: string[] = [];
      do {
        const name = tokens[at++] ?? '';
        // `.reg .b32 r<4>` declares r0 to r3.
        if (accept('<')) {
          const count = Number(tokens[at++]);
          if (!accept('>')) fail();
          for (let i = 0; i < count; i++) names.push(`${name}${i}`);
        } else names.push(name);
      } while (accept(','));
      if (!accept(';')) fail();
      declarations.push({ type, names });
      continue;
    }
    if (/^[A-Za-z_$][\w$]*$/.test(peek()) && tokens[at + 1] === ':') {
      statements.push({ guard: null, opcode: labelOpcode, modifiers: [], operands: [], text: peek() });
      at += 2;
      continue;
    }
    let guard: Operand | null = null;
    if (accept('@')) guard = single();
    const opcode = tokens[at++] ?? '';
    if (!/^[a-z]\w*$/.test(opcode) || peek() === ':') fail();
    const modifiers: string[] = [];
    while (accept('.')) {
      let part = tokens[at++] ?? '';
      if (/^[123]$/.test(part) && /^d(ms)?$/.test(peek())) part += tokens[at++] ?? '';
      // A modifier may begin with a digit (`128`) or hold `::` (`L2::128B`, `shared::cta`).
      while (peek() === '::') {
        at++;
        part += `::${tokens[at++] ?? ''}`;
        if (/^\d/.test(tokens[at - 1] ?? '') && /^[A-Za-z]\w*$/.test(peek())) part += tokens[at++] ?? '';
      }
      modifiers.push(part);
    }
    const operands: Operand[] = [];
    while (peek() !== ';' && peek() !== '' && peek() !== '}') {
      operands.push(operand());
      if (!accept(',')) break;
    }
    if (at < tokens.length && peek() !== ';' && peek() !== '}') fail();
    statements.push({
      guard,
      opcode,
      modifiers,
      operands,
      text: tokens
        .slice(start, at)
        .join(' ')
        .replace(/ ?([.,]|::) ?/g, '$1'),
    });
  }
  return { statements, declarations };
}
