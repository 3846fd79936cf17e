/** Types, values and attributes of LLVM IR. */
import { pointerBytesOf, type DataLayout } from './data-layout.ts';
import { i1, int, pointerType, type Parameter, type Type, type Value } from './ir.ts';
import { unquote } from './names.ts';
import { Cursor, type Token } from './tokens.ts';

export const castOps = new Set(
  'trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast'.split(
    ' ',
  ),
);
export const binaryOps = new Set(
  'add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem'.split(' '),
);
const flagWords = new Set(
  'nuw nsw exact disjoint nneg inbounds nusw samesign fast nnan ninf nsz arcp contract afn reassoc tail musttail notail'.split(
    ' ',
  ),
);
const valueWords = new Set([
  'true',
  'false',
  'null',
  'undef',
  'poison',
  'zeroinitializer',
  'none',
  'splat',
  'getelementptr',
  'asm',
  'blockaddress',
  ...castOps,
  ...binaryOps,
]);
const primitiveTypes = new Set(['void', 'float', 'double', 'half', 'bfloat', 'label', 'metadata', 'token']);

/** The bytes of a constant `c"…"`. */
function bytesOf(token: string): Uint8Array {
  const bytes: number[] = [];
  const body = token.slice(2, -1);
  for (let i = 0; i < body.length; i++) {
    if (body[i] === '\\') {
      bytes.push(body[i + 1] === '\\' ? 92 : parseInt(body.slice(i + 1, i + 3), 16));
      i += body[i + 1] === '\\' ? 1 : 2;
    } else bytes.push(...new TextEncoder().encode(body[i]));
  }
  return Uint8Array.from(bytes);
}

export class ValueReader extends Cursor {
  /** Named structs. */
  protected readonly structs = new Map<string, Type>();
  private readonly layout: DataLayout;

  constructor(tokens: readonly Token[], layout: DataLayout) {
    super(tokens);
    this.layout = layout;
  }

  protected pointer(space = 0): Type {
    return pointerType(space, pointerBytesOf(this.layout, space));
  }

  protected parseType(): Type {
    const token = this.next();
    let type: Type;
    if (/^i\d+$/.test(token)) type = int(Number(token.slice(1)));
    else if (primitiveTypes.has(token)) type = { kind: token as 'void' };
    else if (token === 'ptr') {
      let space = 0;
      if (this.accept('addrspace')) {
        this.expect('(');
        space = Number(this.next());
        this.expect(')');
      }
      type = this.pointer(space);
    } else if (token === '[' || (token === '<' && this.peek() !== '{')) {
      const count = Number(this.next());
      this.expect('x');
      const element = this.parseType();
      this.expect(token === '[' ? ']' : '>');
      type = { kind: token === '[' ? 'array' : 'vector', count, element };
    } else if (token === '{' || token === '<') {
      if (token === '<') this.expect('{');
      const fields: Type[] = [];
      while (!this.accept('}')) {
        fields.push(this.parseType());
        this.accept(',');
      }
      if (token === '<') this.expect('>');
      type = { kind: 'struct', fields, packed: token === '<' };
    } else if (token.startsWith('%')) {
      const named = this.structs.get(token);
      if (named === undefined) throw this.unknown(`the type ${token}`);
      type = named;
    } else throw this.unknown(`the type "${token}" near "${this.context()}"`);
    // A function type (`i32 (ptr, ...)`) stands in calls of variadic functions only.
    if (this.peek() === '(' && token !== 'ptr') this.skipParens();
    return type;
  }

  protected parseTypedValue(): Value {
    const type = this.parseType();
    return this.parseValue(type);
  }

  protected skipAttributes(): Pick<Parameter, 'byval' | 'align' | 'restrict'> {
    const result: ReturnType<typeof this.skipAttributes> = { byval: null, align: 0, restrict: false };
    for (;;) {
      const token = this.peek();
      if (token.startsWith('"')) {
        this.at++;
        if (this.accept('=')) this.at++;
      } else if (/^[a-z]/.test(token) && !valueWords.has(token) && !token.startsWith('c"')) {
        this.at++;
        if (token === 'align' && this.peek() !== '(') result.align = Number(this.next());
        else if (token === 'noalias') result.restrict = true;
        else if (token === 'byval') {
          this.expect('(');
          result.byval = this.parseType();
          this.expect(')');
        } else if (this.peek() === '(') this.skipParens();
      } else return result;
    }
  }

  protected parseValue(type: Type): Value {
    const token = this.next();
    if (token.startsWith('%')) return { kind: 'local', name: unquote(token), type };
    if (token.startsWith('@')) return { kind: 'global', name: unquote(token), type };
    if (token === 'true' || token === 'false') return { kind: 'int', value: token === 'true' ? 1n : 0n, type: i1 };
    if (token === 'null' || token === 'zeroinitializer' || token === 'none') return { kind: 'zero', type };
    if (token === 'undef' || token === 'poison') return { kind: 'undef', type };
    if (token.startsWith('!') || type.kind === 'metadata') {
      if (this.peek() === '(') this.skipParens();
      return { kind: 'metadata', type };
    }
    if (/^-?\d+$/.test(token))
      return type.kind === 'int' ? { kind: 'int', value: BigInt(token), type } : { kind: 'float', text: token, type };
    if (/^-?\d|^0x/.test(token)) return { kind: 'float', text: token, type };
    if (token.startsWith('c"')) return { kind: 'bytes', bytes: bytesOf(token), type };
    if (token === 'splat') {
      this.expect('(');
      const element = this.parseTypedValue();
      this.expect(')');
      return {
        kind: 'aggregate',
        elements: Array.from({ length: type.kind === 'vector' ? type.count : 1 }, () => element),
        type,
      };
    }
    if (token === '[' || token === '{' || token === '<') {
      if (token === '<' && this.accept('{')) {
        const elements = this.parseElements('}');
        this.expect('>');
        return { kind: 'aggregate', elements, type };
      }
      return { kind: 'aggregate', elements: this.parseElements(token === '[' ? ']' : token === '{' ? '}' : '>'), type };
    }
    if (token === 'asm') {
      while (!this.peek().startsWith('"')) this.at++;
      const text = unquote(`%${this.next()}`);
      this.expect(',');
      return { kind: 'asm', text, constraints: unquote(`%${this.next()}`), type };
    }
    return this.parseExpression(token, type);
  }

  /** A constant expression. */
  protected parseExpression(token: string, type: Type): Value {
    if (token === 'getelementptr') {
      this.parseFlags();
      while (this.peek() === 'inrange') {
        this.at++;
        this.skipParens();
      }
      this.expect('(');
      const sourceType = this.parseType();
      this.expect(',');
      const operands = this.parseElements(')');
      return { kind: 'expression', op: 'getelementptr', operands, sourceType, type };
    }
    if (castOps.has(token)) {
      this.parseFlags();
      this.expect('(');
      const operand = this.parseTypedValue();
      this.expect('to');
      const target = this.parseType();
      this.expect(')');
      return { kind: 'expression', op: token, operands: [operand], sourceType: null, type: target };
    }
    if (binaryOps.has(token)) {
      this.parseFlags();
      this.expect('(');
      return { kind: 'expression', op: token, operands: this.parseElements(')'), sourceType: null, type };
    }
    throw this.unknown(`the value "${token}" near "${this.context()}"`);
  }

  protected parseElements(close: string): Value[] {
    const elements: Value[] = [];
    while (!this.accept(close)) {
      elements.push(this.parseTypedValue());
      this.accept(',');
    }
    return elements;
  }

  protected parseFlags(): string[] {
    const flags: string[] = [];
    while (flagWords.has(this.peek())) flags.push(this.next());
    return flags;
  }

  protected isTypeStart(): boolean {
    const token = this.peek();
    return (
      /^i\d+$/.test(token) ||
      primitiveTypes.has(token) ||
      token === 'ptr' ||
      token === '[' ||
      token === '{' ||
      token === '<' ||
      token.startsWith('%')
    );
  }
}
