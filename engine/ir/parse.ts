/**
 * Reads the LLVM IR text that Clang writes for a device pass. An unknown construct is an 'unsupported-construct' error
 * with function and line, never a guess. By level: words ({@link Cursor}), values ({@link ValueReader}), instructions
 * ({@link InstructionReader}), and here variables and functions.
 */
import type { SourcePlace } from '../model/source-place.ts';
import { dataLayoutOf, pointerBytesOf } from './data-layout.ts';
import { InstructionReader } from './instruction-reader.ts';
import type { Block, FunctionIr, GlobalIr, ModuleIr, Parameter, PointerBytes } from './ir.ts';
import { parsePlaces, unrolledLoops } from './metadata.ts';
import { unquote } from './names.ts';
import { tokenize } from './tokens.ts';

type Attributes = ReadonlyMap<string, string>;

/** The attributes of a line `attributes #0 = { … }`, by id. */
function parseGroup(line: string): [string, Attributes] {
  const [, id = '', content = ''] = /^attributes (#\d+) = \{(.*)\}/.exec(line) ?? [];
  const attributes = new Map<string, string>();
  for (const match of content.matchAll(/"([^"]*)"(?:="([^"]*)")?|([a-z_]+)/g)) {
    attributes.set(match[1] ?? match[3] ?? '', match[2] ?? '');
  }
  return [id, attributes];
}

class ModuleReader extends InstructionReader {
  private readonly groups: ReadonlyMap<string, Attributes>;
  private readonly placeOf: (id: string) => SourcePlace | null;
  private readonly pointerBytes: PointerBytes;
  private readonly aliases = new Map<string, string>();

  constructor(text: string) {
    const body: string[] = [];
    const metadata: string[] = [];
    const groups = new Map<string, Attributes>();
    for (const line of text.split('\n')) {
      if (line.startsWith('!')) metadata.push(line.replace(/ = distinct /, ' = '));
      else if (line.startsWith('attributes #')) groups.set(...parseGroup(line));
      else body.push(line);
    }
    const placeOf = parsePlaces(metadata);
    const layout = dataLayoutOf(text);
    super(tokenize(body.join('\n')), layout, { placeOf, unrolled: unrolledLoops(metadata) });
    this.pointerBytes = pointerBytesOf(layout, 0);
    this.groups = groups;
    this.placeOf = placeOf;
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
    return { pointerBytes: this.pointerBytes, globals, functions };
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
        while (!this.startsLine) this.at++;
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
    const initializer = external || this.startsLine || this.peek() === ',' ? null : this.parseValue(type);
    let align = 0;
    let managed = false;
    while (!this.startsLine) {
      const word = this.next();
      if (word === 'align') align = Number(this.peek());
      else if (word === 'section') managed = this.peek() === '".simsight.managed"';
    }
    return { name, space, type, initializer, align, internal, managed };
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
}

export function parseModule(text: string): ModuleIr {
  return new ModuleReader(text).parse();
}
