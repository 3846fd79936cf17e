/**
 * Reads the LLVM IR text that Clang writes for a device pass. What it does not know is an 'unsupported-construct' error
 * with function and line, never a guess.
 */
import { realPath } from '../base/compiler-paths.ts';
import { type SimsightError } from '../base/errors.ts';
import type { Block, FunctionIr, GlobalIr, Instruction, ModuleIr, Parameter, Type, Value } from './ir.ts';
import type { SourcePlace } from '../model/source-place.ts';
import { elementType, i1, int, makeInstruction, nounroll, unsupported, voidType } from './ir.ts';

interface Token {
  text: string;
  startsLine: boolean;
}

const tokenPattern =
  /;[^\n]*|\n|[ \t\r]+|c?"(?:[^"\\]|\\.)*":?|[%@$]"(?:[^"\\]|\\.)*"|[%@$][-a-zA-Z$._0-9]+|![-a-zA-Z$._0-9]*|#[0-9]+|-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|0x[HKLMR]?[0-9A-Fa-f]+|\.\.\.|[-a-zA-Z$._0-9]+:?|[=,(){}[\]<>*|:^]/g;

function tokenize(text: string): Token[] {
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

/** Ids of `!llvm.loop` metadata that forbid unrolling: the loop has been unrolled, or the program says so. */
function unrolledLoops(lines: string[]): Set<string> {
  const forbids = lines.find((line) => line.endsWith('!{!"llvm.loop.unroll.disable"}'))?.split(' = ')[0];
  const isOne = (line: string): boolean => forbids !== undefined && new RegExp(`[ ,{]${forbids}[,}]`).test(line);
  return new Set(lines.filter(isOne).map((line) => line.split(' = ')[0]!));
}

/** `!dbg` metadata: just enough of it to turn a location into file and line. */
function parsePlaces(lines: string[]): (id: string) => SourcePlace | null {
  const byId = new Map<string, string>();
  for (const line of lines) {
    const split = line.indexOf(' = ');
    if (split > 0) byId.set(line.slice(0, split), line.slice(split + 3));
  }
  const field = (text: string, name: string): string | undefined =>
    new RegExp(`\\b${name}: (?:"([^"]*)"|(![0-9]+|[0-9]+))`)
      .exec(text)
      ?.slice(1)
      .find((part) => part !== undefined);
  const cache = new Map<string, SourcePlace | null>();
  const fileOf = (scope: string | undefined): string => {
    for (let id = scope, hops = 0; id !== undefined && hops < 64; hops++) {
      const text = byId.get(id) ?? '';
      const file = field(text, 'file');
      if (file !== undefined) return unescaped(field(byId.get(file) ?? '', 'filename') ?? '');
      id = field(text, 'scope');
    }
    return '';
  };
  const resolve = (id: string): SourcePlace | null => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const text = byId.get(id) ?? '';
    let place: SourcePlace | null = null;
    const inlinedAt = field(text, 'inlinedAt');
    const file = fileOf(text.includes('DISubprogram') ? id : field(text, 'scope'));
    // Code of the toolchain's own headers (threadIdx, __shfl_sync, atomicAdd …) belongs to the line that uses it.
    if (inlinedAt !== undefined && /^\/usr\/include|^\/simsight\/include\/|^<built-in>|__clang_cuda/.test(file))
      place = resolve(inlinedAt);
    else if (text.includes('line:')) {
      place = {
        file: realPath(file),
        line: Number(field(text, 'line') ?? 0),
        column: Number(field(text, 'column') ?? 0),
      };
    }
    cache.set(id, place);
    return place;
  };
  return resolve;
}

const castOps = new Set(
  'trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast'.split(
    ' ',
  ),
);
const binaryOps = new Set(
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

/** What relocatable device code adds to the names of static kernels and variables: each module is on its own here. */
const ofFile = /__(?:static|intern)__[0-9a-f_]+$/;

const unquote = (name: string): string => {
  const body = /^[%@$]/.test(name) ? name.slice(1) : name;
  return (body.startsWith('"') ? unescaped(body.slice(1, -1)) : body).replace(ofFile, '');
};

/** Bytes that are no printable ASCII stand there in hexadecimal; names are UTF-8, as the host program knows them. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text.replace(/\\([0-9A-Fa-f]{2})|\\\\/g, (_, hex?: string) =>
    String.fromCharCode(hex ? parseInt(hex, 16) : 92),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

class Parser {
  private readonly tokens: Token[];
  private at = 0;
  private readonly structs = new Map<string, Type>();
  private readonly groups: Map<string, Map<string, string>>;
  private readonly placeOf: (id: string) => SourcePlace | null;
  private readonly aliases = new Map<string, string>();
  /** Metadata of loops that are not to be unrolled (again). */
  private readonly unrolled: Set<string>;
  private where = 'the module';
  private place: SourcePlace | null = null;

  constructor(text: string) {
    const body: string[] = [];
    const metadata: string[] = [];
    this.groups = new Map();
    for (const line of text.split('\n')) {
      if (line.startsWith('!')) metadata.push(line.replace(/ = distinct /, ' = '));
      else if (line.startsWith('attributes #')) this.parseGroup(line);
      else body.push(line);
    }
    this.placeOf = parsePlaces(metadata);
    this.unrolled = unrolledLoops(metadata);
    this.tokens = tokenize(body.join('\n'));
  }

  private parseGroup(line: string): void {
    const [, id, content] = /^attributes (#\d+) = \{(.*)\}/.exec(line) ?? [];
    const attributes = new Map<string, string>();
    for (const match of (content ?? '').matchAll(/"([^"]*)"(?:="([^"]*)")?|([a-z_]+)/g)) {
      attributes.set(match[1] ?? match[3] ?? '', match[2] ?? '');
    }
    if (id !== undefined) this.groups.set(id, attributes);
  }

  private peek(distance = 0): string {
    return this.tokens[this.at + distance]?.text ?? '';
  }
  private next(): string {
    return this.tokens[this.at++]?.text ?? '';
  }
  private accept(text: string): boolean {
    if (this.peek() !== text) return false;
    this.at++;
    return true;
  }
  private expect(text: string): void {
    if (!this.accept(text)) throw this.unknown(`the LLVM IR near "${this.context()}" (expected "${text}")`);
  }
  private context(): string {
    return this.tokens
      .slice(Math.max(0, this.at - 6), this.at + 6)
      .map((token) => token.text)
      .join(' ');
  }
  private unknown(construct: string): SimsightError {
    return unsupported(construct, this.where, this.place);
  }
  private skipLine(): void {
    do this.at++;
    while (this.at < this.tokens.length && !this.tokens[this.at]?.startsLine);
  }
  private skipParens(): void {
    let depth = 0;
    do {
      const token = this.next();
      if (token === '(') depth++;
      else if (token === ')') depth--;
    } while (depth > 0 && this.at < this.tokens.length);
  }

  parse(): ModuleIr {
    // Named structs first: they may be used before their line.
    const start = this.at;
    const pending: number[] = [];
    while (this.at < this.tokens.length) {
      const token = this.tokens[this.at];
      if (
        token?.startsLine &&
        token.text.startsWith('%') &&
        this.peek(1) === '=' &&
        this.tokens[this.at + 2]?.text === 'type'
      )
        pending.push(this.at);
      this.at++;
    }
    for (const position of pending)
      this.structs.set(this.tokens[position]?.text ?? '', { kind: 'struct', fields: [], packed: false });
    for (const position of pending) {
      this.at = position + 3;
      if (this.peek() === 'opaque') continue;
      const holder = this.structs.get(this.tokens[position]?.text ?? '');
      const parsed = this.parseType();
      if (holder !== undefined) Object.assign(holder, parsed);
    }
    this.at = start;
    const globals = new Map<string, GlobalIr>();
    const functions = new Map<string, FunctionIr>();
    while (this.at < this.tokens.length) {
      if (this.peek() === 'define') {
        const parsed = this.parseFunction();
        functions.set(parsed.name, parsed);
      } else if (this.peek().startsWith('@')) {
        const parsed = this.parseGlobal();
        if (parsed !== null) globals.set(parsed.name, parsed);
      } else this.skipLine();
    }
    for (const [name, target] of this.aliases) {
      const [fn, variable] = [functions.get(target), globals.get(target)];
      if (fn !== undefined) functions.set(name, { ...fn, name });
      if (variable !== undefined) globals.set(name, { ...variable, name });
    }
    return { globals, functions };
  }

  private parseGlobal(): GlobalIr | null {
    const name = unquote(this.next());
    this.where = `the variable ${name}`;
    this.expect('=');
    let space = 0;
    let internal = false;
    let external = false;
    while (this.peek() !== 'global' && this.peek() !== 'constant') {
      const word = this.next();
      if (word === 'addrspace') {
        this.expect('(');
        space = Number(this.next());
        this.expect(')');
      } else if (word === 'internal' || word === 'private') internal = true;
      else if (word === 'external' || word === 'extern_weak') external = true;
      else if (word === 'alias') {
        this.parseType();
        this.expect(',');
        const target = this.parseTypedValue();
        if (target.kind === 'global') this.aliases.set(name, target.name);
        while (this.at < this.tokens.length && !this.tokens[this.at]?.startsLine) this.at++;
        return null;
      } else if (word === 'ifunc') throw this.unknown(`an ifunc (${name})`);
      else if (this.peek() === '(') this.skipParens();
    }
    this.next();
    const type = this.parseType();
    if (name.startsWith('llvm.') || name === '__clang_gpu_used_external') {
      this.skipLine();
      return null;
    }
    const startsLine = this.tokens[this.at]?.startsLine ?? true;
    const initializer = external || startsLine || this.peek() === ',' ? null : this.parseValue(type);
    let align = 0;
    let managed = false;
    while (this.at < this.tokens.length && !this.tokens[this.at]?.startsLine) {
      const word = this.next();
      if (word === 'align') align = Number(this.peek());
      else if (word === 'section') managed = this.peek() === '".simsight.managed"';
    }
    return { name, space, type, initializer, align, internal, managed };
  }

  parseType(): Type {
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
      type = { kind: 'ptr', space };
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

  private parseTypedValue(): Value {
    const type = this.parseType();
    return this.parseValue(type);
  }

  private skipAttributes(): Pick<Parameter, 'byval' | 'align' | 'restrict'> {
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

  private parseValue(type: Type): Value {
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
    if (token.startsWith('c"')) {
      const bytes: number[] = [];
      const body = token.slice(2, -1);
      for (let i = 0; i < body.length; i++) {
        if (body[i] === '\\') {
          bytes.push(body[i + 1] === '\\' ? 92 : parseInt(body.slice(i + 1, i + 3), 16));
          i += body[i + 1] === '\\' ? 1 : 2;
        } else bytes.push(...new TextEncoder().encode(body[i]));
      }
      return { kind: 'bytes', bytes: Uint8Array.from(bytes), type };
    }
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

  private parseElements(close: string): Value[] {
    const elements: Value[] = [];
    while (!this.accept(close)) {
      elements.push(this.parseTypedValue());
      this.accept(',');
    }
    return elements;
  }

  private parseFlags(): string[] {
    const flags: string[] = [];
    while (flagWords.has(this.peek())) flags.push(this.next());
    return flags;
  }

  private parseFunction(): FunctionIr {
    this.next();
    let isKernel = false;
    while (!this.isTypeStart()) {
      const word = this.next();
      if (word === 'ptx_kernel') isKernel = true;
      if (this.peek() === '(') this.skipParens();
    }
    const returns = this.parseType();
    const name = unquote(this.next());
    this.where = name;
    this.place = null;
    this.expect('(');
    const parameters: Parameter[] = [];
    while (!this.accept(')')) {
      if (this.peek() === '...') throw this.unknown('a variadic device function');
      const type = this.parseType();
      const attributes = this.skipAttributes();
      const parameter = this.peek().startsWith('%') ? unquote(this.next()) : String(parameters.length);
      parameters.push({ name: parameter, type, ...attributes });
      this.accept(',');
    }
    const attributes = new Map<string, string>();
    let place: SourcePlace | null = null;
    while (this.peek() !== '{') {
      const token = this.next();
      for (const [key, value] of this.groups.get(token) ?? []) attributes.set(key, value);
      if (token === '!dbg') place = this.placeOf(this.next());
    }
    this.next();
    this.place = place;
    const blocks: Block[] = [];
    let block: Block | null = null;
    // Unnamed values count on from the parameters; an unnamed entry block takes the next number.
    while (!this.accept('}')) {
      const token = this.peek();
      if (this.tokens[this.at]?.startsLine && token.endsWith(':')) {
        this.at++;
        block = { name: unquote(`%${token.slice(0, -1)}`), instructions: [] };
        blocks.push(block);
        continue;
      }
      if (block === null) {
        block = {
          name: String(parameters.filter((parameter) => /^\d+$/.test(parameter.name)).length),
          instructions: [],
        };
        blocks.push(block);
      }
      const instruction = this.parseInstruction();
      if (instruction !== null) block.instructions.push(instruction);
    }
    return { name, isKernel, returns, parameters, blocks, attributes, place };
  }

  private isTypeStart(): boolean {
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

  private parseInstruction(): Instruction | null {
    if (this.peek().startsWith('#dbg')) {
      this.skipLine();
      return null;
    }
    const start = this.at;
    // The place first, so that an error in the middle of the line can name it.
    for (let i = start; i === start || (i < this.tokens.length && !this.tokens[i]?.startsLine); i++) {
      if (this.tokens[i]?.text === '!dbg') this.place = this.placeOf(this.tokens[i + 1]?.text ?? '');
    }
    let name: string | null = null;
    if (this.peek().startsWith('%')) {
      name = unquote(this.next());
      this.expect('=');
    }
    let flags = this.parseFlags();
    const op = this.next();
    flags = [...flags, ...this.parseFlags()];
    const instruction = makeInstruction(op, { name, flags });
    this.parseBody(instruction);
    instruction.place = null;
    while (this.peek() === ',' && /^!|^align$/.test(this.peek(1))) {
      this.at++;
      const key = this.next();
      if (key === 'align') instruction.align = Number(this.next());
      else {
        const id = this.next();
        if (key === '!dbg') instruction.place = this.placeOf(id);
        else if (key === '!llvm.loop' && this.unrolled.has(id)) instruction.flags.push(nounroll);
        else if (id === '!' && this.peek() === '{') while (this.next() !== '}');
      }
    }
    return instruction;
  }

  private parseBody(instruction: Instruction): void {
    const { op } = instruction;
    if (binaryOps.has(op)) {
      const left = this.parseTypedValue();
      this.expect(',');
      instruction.operands = [left, this.parseValue(left.type)];
      instruction.type = left.type;
    } else if (castOps.has(op)) {
      instruction.operands = [this.parseTypedValue()];
      this.expect('to');
      instruction.type = this.parseType();
    } else if (op === 'icmp' || op === 'fcmp') {
      instruction.predicate = this.next();
      const left = this.parseTypedValue();
      this.expect(',');
      instruction.operands = [left, this.parseValue(left.type)];
      instruction.type = left.type.kind === 'vector' ? { ...left.type, element: i1 } : i1;
    } else if (op === 'fneg' || op === 'freeze') {
      instruction.operands = [this.parseTypedValue()];
      instruction.type = instruction.operands[0]?.type ?? voidType;
    } else if (op === 'load' || op === 'store') {
      while (this.peek() === 'atomic' || this.peek() === 'volatile') {
        // Lanes run in lock step and warps in turn, so an atomic load or store is a plain one.
        instruction.volatile = true;
        this.at++;
      }
      if (op === 'load') {
        instruction.type = this.parseType();
        instruction.accessType = instruction.type;
        this.expect(',');
        instruction.operands = [this.parseTypedValue()];
      } else {
        const value = this.parseTypedValue();
        this.expect(',');
        instruction.operands = [value, this.parseTypedValue()];
        instruction.accessType = value.type;
      }
      instruction.flags.push(...this.orderingOf(op));
    } else if (op === 'getelementptr') {
      instruction.accessType = this.parseType();
      this.expect(',');
      instruction.operands.push(this.parseTypedValue());
      while (this.peek() === ',' && !this.peek(1).startsWith('!')) {
        this.at++;
        instruction.operands.push(this.parseTypedValue());
      }
      instruction.type = instruction.operands[0]?.type ?? voidType;
      if (instruction.operands.some((operand) => operand.type.kind === 'vector'))
        throw this.unknown('a vector of pointers');
    } else if (op === 'alloca') {
      instruction.accessType = this.parseType();
      instruction.type = { kind: 'ptr', space: 0 };
      if (this.peek() === ',' && /^i\d+$/.test(this.peek(1))) {
        this.at++;
        const count = this.parseTypedValue();
        // Of variable size: the count is the operand.
        if (count.kind !== 'int') instruction.operands = [count];
        else instruction.accessType = { kind: 'array', count: Number(count.value), element: instruction.accessType };
      }
      this.parseTail(instruction);
    } else if (op === 'phi') {
      instruction.type = this.parseType();
      do {
        this.expect('[');
        instruction.operands.push(this.parseValue(instruction.type));
        this.expect(',');
        instruction.labels.push(unquote(this.next()));
        this.expect(']');
      } while (this.peek() === ',' && this.peek(1) === '[' && this.accept(','));
    } else if (op === 'select') {
      for (let i = 0; i < 3; i++) {
        if (i > 0) this.expect(',');
        instruction.operands.push(this.parseTypedValue());
      }
      instruction.type = instruction.operands[1]?.type ?? voidType;
    } else if (op === 'br') {
      if (this.accept('label')) instruction.labels = [unquote(this.next())];
      else {
        instruction.operands = [this.parseTypedValue()];
        for (let i = 0; i < 2; i++) {
          this.expect(',');
          this.expect('label');
          instruction.labels.push(unquote(this.next()));
        }
      }
    } else if (op === 'switch') {
      instruction.operands = [this.parseTypedValue()];
      this.expect(',');
      this.expect('label');
      instruction.labels = [unquote(this.next())];
      this.expect('[');
      while (!this.accept(']')) {
        const value = this.parseTypedValue();
        if (value.kind !== 'int') throw this.unknown('a switch case');
        instruction.cases.push(value.value);
        this.expect(',');
        this.expect('label');
        instruction.labels.push(unquote(this.next()));
      }
    } else if (op === 'ret') {
      const type = this.parseType();
      if (type.kind !== 'void') instruction.operands = [this.parseValue(type)];
    } else if (op === 'unreachable') {
      return;
    } else if (op === 'fence') {
      this.orderingOf(op);
    } else if (op === 'call') {
      this.parseCall(instruction);
    } else if (op === 'extractvalue' || op === 'insertvalue') {
      instruction.operands = [this.parseTypedValue()];
      if (op === 'insertvalue') {
        this.expect(',');
        instruction.operands.push(this.parseTypedValue());
      }
      let type = instruction.operands[0]?.type ?? voidType;
      while (this.peek() === ',' && /^\d+$/.test(this.peek(1))) {
        this.at++;
        const index = Number(this.next());
        instruction.indices.push(index);
        type = elementType(type, index);
      }
      instruction.type = op === 'extractvalue' ? type : (instruction.operands[0]?.type ?? voidType);
    } else if (op === 'extractelement' || op === 'insertelement') {
      instruction.operands = [this.parseTypedValue()];
      for (let i = 0; i < (op === 'extractelement' ? 1 : 2); i++) {
        this.expect(',');
        instruction.operands.push(this.parseTypedValue());
      }
      const vector = instruction.operands[0]?.type ?? voidType;
      instruction.type = op === 'extractelement' ? elementType(vector, 0) : vector;
    } else if (op === 'shufflevector') {
      instruction.operands.push(this.parseTypedValue());
      this.expect(',');
      instruction.operands.push(this.parseTypedValue());
      this.expect(',');
      const mask = this.parseTypedValue();
      const count = mask.type.kind === 'vector' ? mask.type.count : 0;
      instruction.indices =
        mask.kind === 'aggregate'
          ? mask.elements.map((element) => (element.kind === 'int' ? Number(element.value) : -1))
          : Array.from({ length: count }, () => (mask.kind === 'zero' ? 0 : -1));
      instruction.type = { kind: 'vector', count, element: elementType(instruction.operands[0]?.type ?? voidType, 0) };
    } else if (op === 'atomicrmw') {
      this.accept('volatile');
      instruction.predicate = this.next();
      const pointer = this.parseTypedValue();
      this.expect(',');
      const value = this.parseTypedValue();
      instruction.operands = [pointer, value];
      instruction.type = value.type;
      instruction.accessType = value.type;
      instruction.flags.push(...this.orderingOf(op));
    } else if (op === 'cmpxchg') {
      while (this.peek() === 'weak' || this.peek() === 'volatile') this.at++;
      for (let i = 0; i < 3; i++) {
        if (i > 0) this.expect(',');
        instruction.operands.push(this.parseTypedValue());
      }
      instruction.accessType = instruction.operands[1]?.type ?? voidType;
      instruction.type = { kind: 'struct', fields: [instruction.accessType, i1], packed: false };
      instruction.flags.push(...this.orderingOf(op));
    } else throw this.unknown(`the instruction "${op}"`);
  }

  private parseTail(instruction: Instruction): void {
    while (this.peek() === ',' && ['align', 'addrspace'].includes(this.peek(1))) {
      this.at++;
      const key = this.next();
      if (key === 'align') instruction.align = Number(this.next());
      else this.skipParens();
    }
  }

  /**
   * Of an atomic access, for the GPU or beyond: 'acquire' if what follows must not have been read before, 'release' if what comes
   * before must have been written. CUDA's own atomics are relaxed, though Clang calls them sequentially consistent.
   */
  private orderingOf(op: string): string[] {
    let ofBlock = false;
    const orders: string[] = [];
    while (
      /^(syncscope|unordered|monotonic|acquire|release|acq_rel|seq_cst)$/.test(this.peek()) &&
      !this.tokens[this.at]?.startsLine
    ) {
      orders.push(this.next());
      if (this.peek() !== '(') continue;
      ofBlock = /block|singlethread/.test(this.peek(1));
      this.skipParens();
    }
    // The second one of `cmpxchg` is that of its failure.
    const order = orders.find((word) => word !== 'syncscope') ?? '';
    const plain = op === 'load' || op === 'store';
    const acquires = /^(acquire|acq_rel)$/.test(order) || (op === 'load' && order === 'seq_cst');
    const releases = /^(release|acq_rel)$/.test(order) || (plain && order === 'seq_cst');
    return ofBlock ? [] : [...(acquires ? ['acquire'] : []), ...(releases ? ['release'] : [])];
  }

  private parseCall(instruction: Instruction): void {
    while (!this.isTypeStart()) {
      const word = this.next();
      if (this.peek() === '(' && word !== ')') this.skipParens();
      if (this.tokens[this.at]?.startsLine) throw this.unknown('a call');
    }
    instruction.type = this.parseType();
    if (this.peek().startsWith('@')) instruction.callee = intrinsicOf(unquote(this.next()));
    // Inline assembly, or a call through a pointer.
    else if (this.peek() === 'asm') instruction.operands.push(this.parseValue(instruction.type));
    else instruction.operands.push(this.parseValue({ kind: 'ptr', space: 0 }));
    this.expect('(');
    while (!this.accept(')')) {
      const type = this.parseType();
      if (type.kind === 'metadata') {
        this.next();
        if (this.peek() === '(') this.skipParens();
        instruction.operands.push({ kind: 'metadata', type });
        instruction.indices.push(0);
      } else {
        const { align } = this.skipAttributes();
        instruction.operands.push(this.parseValue(type));
        instruction.indices.push(align);
      }
      this.accept(',');
    }
    while (/^#\d+$|^[a-z]/.test(this.peek()) && !this.tokens[this.at]?.startsLine) {
      this.at++;
      if (this.peek() === '(') this.skipParens();
    }
    if (this.peek() === '[' && !this.tokens[this.at]?.startsLine) while (this.next() !== ']');
    // Conversions that are defined everywhere (see deviceArguments): what a GPU's F2I does is for whoever executes them.
    const toInteger = /^llvm\.(fpto[su]i)\.sat\./.exec(instruction.callee);
    if (toInteger) Object.assign(instruction, { op: toInteger[1], callee: '', indices: [] });
  }
}

export function parseModule(text: string): ModuleIr {
  return new Parser(text).parse();
}

/** What a function of our headers stands for (simsight/builtin_variables.h). */
const intrinsicOf = (callee: string): string =>
  callee.replace(/^__simsight_sreg_([a-z]+)_([xyz])$/, 'llvm.nvvm.read.ptx.sreg.$1.$2');
