/**
 * PTX modules as CUDA C++: registers are variables, jumps are `goto`, and most instructions stay what they are, as inline PTX, whose meanings are in
 * one table (engine/ir/ptx). Predicates, integer arithmetic and parameters become expressions, which the compiler sees through. Every line says which
 * of the PTX it is, so that the trace shows that.
 */
import { SimsightError } from '../../base/errors.ts';
import type { Instruction, Operand, PtxFunction, PtxModule, Statement, Variable } from './reader.ts';

/** Bytes of a type: `b64`, `v4f32`. */
function bytesOf(type: string): number {
  const [, vector, kind] = /^(v[24])?(\w+)$/.exec(type)!;
  const bits = kind === 'pred' ? 8 : /x2$/.test(kind!) ? 32 : Number(/\d+/.exec(kind!)?.[0] ?? 32);
  return (bits / 8) * (vector === undefined ? 1 : Number(vector[1]));
}

/** How registers of a type are declared, and handed to inline PTX. */
function registerOf(type: string): { c: string; letter: string } {
  if (type === 'pred') return { c: 'bool', letter: '' };
  if (type === 'f32') return { c: 'float', letter: 'f' };
  if (type === 'f64') return { c: 'double', letter: 'd' };
  const bytes = bytesOf(type);
  if (bytes <= 2) return { c: 'unsigned short', letter: 'h' };
  if (bytes === 4) return { c: 'unsigned', letter: 'r' };
  return bytes === 8 ? { c: 'unsigned long long', letter: 'l' } : { c: 'unsigned __int128', letter: 'q' };
}

const unsignedOf = (bytes: number): string => registerOf(`b${bytes * 8}`).c;
const signedOf = (bytes: number): string => unsignedOf(bytes).replace('unsigned', 'signed');
const nameOf = (name: string): string => name.replaceAll('%', 'R_').replaceAll('.', '_').replaceAll('$', '_S_');

const isSpecial = (name: string): boolean =>
  /^%(?:n?tid|n?ctaid|n?warpid|laneid|n?smid|gridid|lanemask_\w+|clock\w*|globaltimer\w*|pm\d+|envreg\d+|dynamic_smem_size|total_smem_size|reserved_smem_\w+|cluster\w*|n?clusterid|is_explicit_cluster|aggr_smem_size)(?:\.[xyz])?$/.test(
    name,
  );

/** Instructions whose first operand is no destination. */
const withoutResult =
  /^(?:st|red|bar|barrier|membar|fence|cp|prefetch|prefetchu|discard|applypriority|nanosleep|sust|sured|trap|brkpt|stmatrix|pmevent|griddepcontrol|setmaxnreg|multimem)$/;
const barrierWithoutResult = /^(?:init|inval|expect_tx|complete_tx)$/;
/** Those that depend on nothing but their operands. */
const pure =
  /^(?:mov|cvt|cvta|add|sub|mul|mad|mul24|mad24|sad|div|rem|abs|neg|min|max|popc|clz|bfind|fns|brev|bfe|bfi|szext|bmsk|dp[24]a|fma|rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh|testp|copysign|set|slct|setp|selp|and|or|xor|not|cnot|lop3|shf|shl|shr|prmt|addc|subc|madc|isspacep|v\w+)$/;

interface Register {
  c: string;
  letter: string;
  name: string;
}

/** Names in a function, by scope. */
interface Scope {
  registers: Map<string, Register>;
  labels: Map<string, string>;
  variables: Map<string, Variable>;
}

class FunctionWriter {
  private readonly lines: string[] = [];
  private readonly scopes: Scope[];
  private readonly functions: ReadonlyMap<string, PtxFunction>;
  private readonly file: string;
  private readonly fn: PtxFunction;
  private readonly targets = new Map<string, string[]>();
  private readonly prototypes = new Map<string, string>();
  private readonly used: ReadonlySet<string>;
  private counter = 0;
  private current: Instruction | null = null;
  /** Instructions that hand on a carry have to be one piece of inline PTX. */
  private carrying: Instruction[] = [];

  constructor(
    fn: PtxFunction,
    functions: ReadonlyMap<string, PtxFunction>,
    globals: Map<string, Variable>,
    file: string,
  ) {
    this.fn = fn;
    this.functions = functions;
    this.file = file;
    this.scopes = [{ registers: new Map(), labels: new Map(), variables: globals }];
    this.used = namesIn(fn.statements ?? []);
  }

  private fail(what?: string): never {
    const { line, words } = this.current ?? { line: 0, words: [] };
    throw new SimsightError(
      'unsupported-construct',
      `${what ?? `The PTX instruction ${words.join('.')}`} is not supported, at line ${line} of ${this.file}.`,
      'Make an image of the source with "simsight nvcc -ptx" in place of nvcc.',
    );
  }

  write(): string {
    const { fn } = this;
    const own = { registers: new Map(), labels: new Map(), variables: new Map<string, Variable>() };
    for (const parameter of [...fn.parameters, ...fn.results]) own.variables.set(parameter.name, parameter);
    this.scopes.push(own);
    const [result] = fn.results;
    if (result) this.lines.push(`${bytesType(result)} ${nameOf(result.name)};`);
    this.scope(fn.statements!);
    if (result) this.lines.push(`return ${nameOf(result.name)};`);
    this.scopes.pop();
    return `${headOf(fn)} {\n${this.lines.join('\n')}\n}\n`;
  }

  private scope(statements: readonly Statement[]): void {
    const scope: Scope = { registers: new Map(), labels: new Map(), variables: new Map() };
    this.scopes.push(scope);
    for (const each of statements) {
      if (each.kind === 'label') scope.labels.set(each.name, `${nameOf(each.name)}_${this.counter++}`);
      if (each.kind === 'targets') this.targets.set(each.name, each.labels);
      if (each.kind === 'prototype') this.prototypes.set(each.name, pointerType(each));
    }
    this.lines.push('{');
    // Jumps may not pass by what has a constructor; registers have none.
    for (const each of statements) {
      if (each.kind === 'registers') this.registers(each, scope);
      if (each.kind === 'variable') this.variable(each.variable, scope);
    }
    statements.forEach((each, i) => {
      this.statement(each);
      if (this.carrying.length > 0 && !isCarryWanted(statements, i + 1)) this.flush();
    });
    this.flush();
    this.lines.push(';}');
    this.scopes.pop();
  }

  private registers({ type, names }: Extract<Statement, { kind: 'registers' }>, scope: Scope): void {
    const kind = registerOf(type);
    const all = names.flatMap(({ name, count }) =>
      count === null ? [name] : Array.from({ length: count }, (_, i) => `${name}${i}`),
    );
    const own = all.filter((name) => this.used.has(name));
    for (const name of own) scope.registers.set(name, { ...kind, name: nameOf(name) });
    if (own.length > 0) this.lines.push(`${kind.c} ${own.map(nameOf).join(', ')};`);
  }

  private variable(variable: Variable, scope: Scope): void {
    scope.variables.set(variable.name, variable);
    this.lines.push(
      variable.space === 'param' ? `${bytesType(variable)} ${nameOf(variable.name)};` : `${variableText(variable)}`,
    );
  }

  private lookUp<K extends keyof Scope>(
    kind: K,
    name: string,
  ): (Scope[K] extends Map<string, infer T> ? T : never) | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const found = this.scopes[i]![kind].get(name);
      if (found !== undefined) return found as never;
    }
    return undefined;
  }

  private label(name: string): string {
    return this.lookUp('labels', name) ?? this.fail(`A jump to ${name}`);
  }

  private statement(statement: Statement): void {
    if (statement.kind === 'scope') {
      this.flush();
      this.scope(statement.statements);
    } else if (statement.kind === 'label') {
      this.flush();
      this.lines.push(`${this.label(statement.name)}:;`);
    } else if (statement.kind === 'instruction') this.instruction(statement);
  }

  private instruction(instruction: Instruction): void {
    if (this.carrying.length > 0 || instruction.words.includes('cc')) this.carrying.push(instruction);
    else this.emit([instruction]);
  }

  private flush(): void {
    const group = this.carrying;
    this.carrying = [];
    if (group.length > 0) this.emit(group);
  }

  private emit(group: Instruction[]): void {
    const [first] = group as [Instruction];
    this.current = first;
    const text = group.length > 1 ? this.asm(group) : (this.asExpression(first) ?? this.asm(group));
    const guard = group.length === 1 ? first.guard : null;
    const body =
      guard === null ? text : `if (${guard.negated ? '!' : ''}${this.register(guard.name).name}) { ${text} }`;
    this.lines.push(`#line ${first.line} "${this.file}"`, body);
  }

  private register(name: string): Register {
    return this.lookUp('registers', name) ?? this.fail(`The register ${name}`);
  }

  // Expressions

  /** The address of a variable, as a number. */
  private address(name: string, offset: number): string {
    const variable = this.lookUp('variables', name);
    if (this.functions.has(name)) return `(unsigned long long)(void *)&${nameOf(name)}`;
    if (variable === undefined) return this.fail(`The name ${name}`);
    const address = `(unsigned long long)(const void *)&${nameOf(name)}`;
    const inSpace =
      variable.space === 'shared'
        ? `(unsigned long long)__cvta_generic_to_shared((const void *)&${nameOf(name)})`
        : address;
    return offset === 0 ? inSpace : `(${inSpace} + ${offset}ll)`;
  }

  /** An operand as unsigned number of so many bytes. */
  private bits(operand: Operand | undefined, bytes: number): string {
    const type = unsignedOf(bytes);
    if (operand?.kind === 'literal') return `(${type})${literalBits(operand.text, bytes)}`;
    if (operand?.kind !== 'name') return this.fail();
    const register = this.lookUp('registers', operand.name);
    if (register === undefined) return `(${type})${this.address(operand.name, operand.offset)}`;
    if (register.letter === 'f' || register.letter === 'd')
      return `(${type})__builtin_bit_cast(${register.letter === 'f' ? 'unsigned' : 'unsigned long long'}, ${register.name})`;
    return `(${type})${register.name}`;
  }

  private predicate(operand: Operand | undefined): string {
    if (operand?.kind === 'literal') return operand.text;
    if (operand?.kind !== 'name') return this.fail();
    return `${operand.negated ? '!' : ''}${this.register(operand.name).name}`;
  }

  /** Assigns bits to a register, of whatever type it is. */
  private assign(operand: Operand | undefined, bits: string): string {
    if (operand?.kind !== 'name') return this.fail();
    if (operand.name === '_') return ';';
    const { name, c, letter } = this.register(operand.name);
    if (letter === 'f') return `${name} = __builtin_bit_cast(float, (unsigned)(${bits}));`;
    if (letter === 'd') return `${name} = __builtin_bit_cast(double, (unsigned long long)(${bits}));`;
    return `${name} = (${c})(${bits});`;
  }

  /** As C++; null for what stays PTX. */
  private asExpression(instruction: Instruction): string | null {
    const { words, operands } = instruction;
    const [opcode, ...modifiers] = words;
    const [to, a, b, c] = operands;
    const type = modifiers.at(-1) ?? '';
    const isInteger = /^[busp](?:8|16|32|64|red)$/.test(type) && !modifiers.includes('sat');
    const bytes = isInteger && type !== 'pred' ? bytesOf(type) : 0;
    const binary = (operator: string): string =>
      this.assign(to, `${this.bits(a, bytes)} ${operator} ${this.bits(b, bytes)}`);
    switch (opcode) {
      case 'ret':
      case 'exit':
        return this.fn.results.length > 0 ? `return ${nameOf(this.fn.results[0]!.name)};` : 'return;';
      case 'bra':
        return to?.kind === 'name' ? `goto ${this.label(to.name)};` : this.fail();
      case 'brx':
        return this.branch(operands);
      case 'call':
        return this.call(operands);
      case 'setp':
        return this.comparison(modifiers, operands);
      case 'selp':
        return this.assign(
          to,
          `${this.predicate(c)} ? ${this.bits(a, bytesOf(type))} : ${this.bits(b, bytesOf(type))}`,
        );
      case 'mov':
        return this.move(to, a, type);
      case 'cvta':
        return this.assign(to, this.bits(a, bytesOf(type)));
      case 'ld':
        return modifiers.includes('param') ? this.loadParameter(modifiers, operands) : null;
      case 'st':
        return modifiers.includes('param') ? this.storeParameter(modifiers, operands) : null;
      case 'and':
      case 'or':
      case 'xor': {
        const operator = { and: '&', or: '|', xor: '^' }[opcode];
        if (type !== 'pred') return binary(operator);
        return `${this.predicate(to)} = (bool)(${this.predicate(a)} ${operator} ${this.predicate(b)});`;
      }
      case 'not':
        return type === 'pred'
          ? `${this.predicate(to)} = !${this.predicate(a)};`
          : this.assign(to, `~${this.bits(a, bytes)}`);
      case 'add':
        return bytes > 0 ? binary('+') : null;
      case 'sub':
        return bytes > 0 ? binary('-') : null;
      case 'mul':
        return bytes > 0 && modifiers.includes('lo') ? binary('*') : null;
      case 'mad':
        return bytes > 0 && modifiers.includes('lo')
          ? this.assign(to, `${this.bits(a, bytes)} * ${this.bits(b, bytes)} + ${this.bits(c, bytes)}`)
          : null;
      default:
        return null;
    }
  }

  private move(to: Operand | undefined, from: Operand | undefined, type: string): string | null {
    if (type === 'pred') return `${this.predicate(to)} = ${this.predicate(from)};`;
    if (to?.kind !== 'name' || from?.kind === 'vector') return null;
    if (from?.kind === 'name' && (isSpecial(from.name) || from.name === 'WARP_SZ')) return null;
    return this.assign(to, this.bits(from, bytesOf(type)));
  }

  private branch([index, list]: Operand[]): string {
    const labels = list?.kind === 'name' ? this.targets.get(list.name) : undefined;
    if (labels === undefined) return this.fail();
    const cases = labels.map((label, i) => `case ${i}: goto ${this.label(label)};`);
    return `switch (${this.bits(index, 4)}) { ${cases.join(' ')} default: __builtin_unreachable(); }`;
  }

  private comparison(modifiers: string[], [to, a, b, c]: Operand[]): string | null {
    const [operator, ...others] = modifiers as [string, ...string[]];
    const type = others.at(-1)!;
    const joined = others.find((each) => /^(?:and|or|xor)$/.test(each));
    const isFloat = type === 'f32' || type === 'f64';
    if (to?.kind !== 'name' || others.includes('ftz') || (!isFloat && !/^[bus]\d+$/.test(type))) return null;
    const bytes = bytesOf(type);
    const as = (operand: Operand | undefined): string => {
      if (isFloat) return `__builtin_bit_cast(${type === 'f32' ? 'float' : 'double'}, ${this.bits(operand, bytes)})`;
      return type.startsWith('s') ? `(${signedOf(bytes)})${this.bits(operand, bytes)}` : this.bits(operand, bytes);
    };
    const [x, y] = [as(a), as(b)];
    const text = isFloat ? ofFloats[operator]?.(x, y) : ofIntegers[operator]?.(x, y);
    if (text === undefined) return null;
    const joint = { and: '&', or: '|', xor: '^' }[joined ?? ''];
    return `${this.predicate(to)} = ${joint === undefined ? text : `(bool)((${text}) ${joint} (bool)${this.predicate(c)})`};`;
  }

  // Parameters and calls

  /** The parameter or buffer that an address names; undefined where it is a register. */
  private parameterAt(operand: Operand | undefined): { name: string; offset: number } | undefined {
    if (operand?.kind !== 'address' || operand.base.kind !== 'name') return undefined;
    const { name } = operand.base;
    if (this.lookUp('registers', name) !== undefined) return undefined;
    return this.lookUp('variables', name)?.space === 'param' ? { name, offset: operand.offset } : undefined;
  }

  private loadParameter(modifiers: string[], [to, from]: Operand[]): string | null {
    const parameter = this.parameterAt(from);
    if (parameter === undefined || to === undefined) return null;
    const type = modifiers.at(-1)!;
    const bytes = bytesOf(type);
    const targets = to.kind === 'vector' ? to.elements : [to];
    return targets
      .map((target, i) => {
        const from = `(const char *)&${nameOf(parameter.name)} + ${parameter.offset + i * bytes}`;
        // Narrow ones are loaded into wider registers.
        const value = type.startsWith('s') ? signedOf(bytes) : unsignedOf(bytes);
        const narrow = bytes === 1 ? (type.startsWith('s') ? 'signed char' : 'unsigned char') : value;
        return `{ ${narrow} value; __builtin_memcpy(&value, ${from}, ${bytes}); ${this.assign(target, 'value')} }`;
      })
      .join(' ');
  }

  private storeParameter(modifiers: string[], [to, from]: Operand[]): string | null {
    const parameter = this.parameterAt(to);
    if (parameter === undefined || from === undefined) return null;
    const bytes = bytesOf(modifiers.at(-1)!);
    const sources = from.kind === 'vector' ? from.elements : [from];
    return sources
      .map((source, i) => {
        const target = `(char *)&${nameOf(parameter.name)} + ${parameter.offset + i * bytes}`;
        const type = bytes === 1 ? 'unsigned char' : unsignedOf(bytes);
        const value = `(${type})(${this.bits(source, Math.max(bytes, 2))})`;
        return `{ ${type} value = ${value}; __builtin_memcpy(${target}, &value, ${bytes}); }`;
      })
      .join(' ');
  }

  private call(operands: Operand[]): string {
    const results = operands[0]?.kind === 'list' ? operands[0].elements : [];
    const [result] = results;
    const [callee, ...rest] = operands.slice(operands[0]?.kind === 'list' ? 1 : 0);
    if (callee?.kind !== 'name') return this.fail();
    const given = rest[0]?.kind === 'list' ? rest[0].elements : [];
    const words = given.map((operand) => (operand.kind === 'name' ? nameOf(operand.name) : this.fail()));
    if (this.lookUp('registers', callee.name) !== undefined)
      return callText(this.pointedTo(callee, rest.at(-1)), words, result);
    const target = this.functions.get(callee.name);
    if (target === undefined) return this.fail(`A call of ${callee.name}`);
    const known = target.statements === null ? knownFunctions[callee.name]?.(words) : undefined;
    if (known !== undefined) {
      if (result?.kind !== 'name') return `${known};`;
      return `{ auto value = ${known}; __builtin_memcpy(&${nameOf(result.name)}, &value, sizeof value); }`;
    }
    return callText(nameOf(callee.name), words, result);
  }

  /** The function that a register points to. */
  private pointedTo(pointer: Operand, type: Operand | undefined): string {
    const prototype = type?.kind === 'name' ? this.prototypes.get(type.name) : undefined;
    if (prototype === undefined) return this.fail('A call by a pointer without a prototype');
    return `((${prototype})${this.bits(pointer, 8)})`;
  }

  // Inline PTX

  private asm(group: readonly Instruction[]): string {
    const outputs: { letter: string; target: string; after: string }[] = [];
    const inputs: { letter: string; value: string }[] = [];
    const before: string[] = [];
    const after: string[] = [];
    const places = new Map<string, string>();
    /** The outputs come first: their number is known only in the end. */
    const input = (letter: string, value: string): string => `§${inputs.push({ letter, value }) - 1}§`;
    const lines: string[] = [];
    let declarations = '';

    const read = (operand: Operand): string => {
      switch (operand.kind) {
        case 'literal':
          return operand.text;
        case 'vector':
        case 'list':
          return `{${operand.elements.map(read).join(', ')}}`;
        case 'pair':
          return this.fail();
        case 'address': {
          const more = operand.more.map((each) => `, ${read(each)}`).join('');
          const offset = operand.offset === 0 ? '' : `+${operand.offset}`;
          return `[${read(operand.base)}${offset}${more}]`;
        }
        case 'name': {
          const { name, negated, offset } = operand;
          if (name === '_' || name === 'WARP_SZ') return name;
          if (isSpecial(name)) return `%${name}`;
          const register = this.lookUp('registers', name);
          if (register === undefined) return input('l', this.address(name, offset));
          if (register.letter !== '') return places.get(name) ?? input(register.letter, register.name);
          if (group.length > 1) this.fail('A predicate between sums with carry');
          const predicate = `q${this.counter++}`;
          before.push(`setp.ne.u32 ${predicate}, ${input('r', `(unsigned)${register.name}`)}, 0;`);
          declarations += `.reg .pred ${predicate}; `;
          return `${negated ? '!' : ''}${predicate}`;
        }
      }
    };
    const write = (operand: Operand): string => {
      if (operand.kind === 'vector') return `{${operand.elements.map(write).join(', ')}}`;
      if (operand.kind === 'pair') return `${write(operand.first)}|${write(operand.second)}`;
      if (operand.kind !== 'name') return this.fail();
      if (operand.name === '_') return '_';
      const { letter, name } = this.register(operand.name);
      const known = places.get(operand.name);
      if (known !== undefined) return known;
      if (letter === '' && group.length > 1) this.fail('A predicate between sums with carry');
      const place = `%${outputs.length}`;
      if (letter !== '') {
        outputs.push({ letter, target: name, after: '' });
        places.set(operand.name, place);
        return place;
      }
      const predicate = `q${this.counter++}`;
      const target = `t${this.counter++}`;
      outputs.push({ letter: 'r', target, after: `${name} = ${target} != 0;` });
      after.push(`selp.u32 ${place}, 1, 0, ${predicate};`);
      declarations += `.reg .pred ${predicate}; `;
      return predicate;
    };

    for (const { words, operands, guard } of group) {
      if (guard !== null && group.length > 1) this.fail('A carry under a predicate');
      const [opcode] = words as [string];
      const isBarrier = opcode === 'mbarrier' && barrierWithoutResult.test(words[1]!);
      const hasResult = (!withoutResult.test(opcode) && !isBarrier) || words[1] === 'red';
      const [first, ...rest] = operands;
      // What is read is read before it is written.
      const sources = (hasResult ? rest : operands).map(read);
      const target = hasResult && first !== undefined ? [write(first)] : [];
      const plain = /^(?:ld|st)$/.test(opcode)
        ? words.filter((word) => word !== 'param' && !word.startsWith('param::'))
        : words;
      lines.push(`${plain.join('.')} ${[...target, ...sources].join(', ')};`);
    }
    const text = `${declarations}${before.join(' ')} ${lines.join(' ')} ${after.join(' ')}`
      .trim()
      .replaceAll(/§(\d+)§/g, (_, index: string) => `%${outputs.length + Number(index)}`)
      .replaceAll('"', '\\"');
    const isPure = group.every(({ words }) => pure.test(words[0]!)) && !/%%(?:clock|globaltimer)/.test(text);
    const temporaries = outputs.filter(({ after: then }) => then !== '').map(({ target }) => `unsigned ${target};`);
    const outs = outputs.map(({ letter, target }) => `"=${letter}"(${target})`).join(', ');
    const ins = inputs.map(({ letter, value }) => `"${letter}"(${value})`).join(', ');
    const body = declarations === '' ? text : `{ ${text} }`;
    const call = `asm${isPure ? '' : ' volatile'}("${body}" : ${outs} : ${ins}${isPure ? '' : ' : "memory"'});`;
    const then = outputs.map((output) => output.after).join(' ');
    return temporaries.length > 0 ? `{ ${temporaries.join(' ')} ${call} ${then} }` : call;
  }
}

/** Bits of a literal: floats are written as such, or as a number. */
function literalBits(text: string, bytes: number): string {
  if (/^0[fF]/.test(text))
    return bytes === 8
      ? `__builtin_bit_cast(unsigned long long, (double)__builtin_bit_cast(float, 0x${text.slice(2)}u))`
      : `0x${text.slice(2)}u`;
  if (/^0[dD]/.test(text)) return `0x${text.slice(2)}ull`;
  if (/^-?\d+\.\d/.test(text))
    return `__builtin_bit_cast(${bytes === 4 ? 'unsigned' : 'unsigned long long'}, ${bytes === 4 ? '(float)' : ''}${text})`;
  return `${text.replace(/U$/, '')}${text.startsWith('-') ? 'll' : 'ull'}`;
}

type Comparison = (x: string, y: string) => string;
const simple =
  (operator: string): Comparison =>
  (x, y) =>
    `${x} ${operator} ${y}`;
const ofIntegers: Record<string, Comparison> = {
  ...{ eq: simple('=='), ne: simple('!='), lt: simple('<'), le: simple('<='), gt: simple('>'), ge: simple('>=') },
  ...{ lo: simple('<'), ls: simple('<='), hi: simple('>'), hs: simple('>=') },
};
const not =
  (of: Comparison): Comparison =>
  (x, y) =>
    `!(${of(x, y)})`;
const apart: Comparison = (x, y) => `__builtin_islessgreater(${x}, ${y})`;
const ofFloats: Record<string, Comparison> = {
  ...{ eq: simple('=='), ne: apart, lt: simple('<'), le: simple('<='), gt: simple('>'), ge: simple('>=') },
  ...{ equ: not(apart), neu: simple('!='), ltu: not(simple('>=')), leu: not(simple('>')) },
  ...{ gtu: not(simple('<=')), geu: not(simple('<')) },
  nan: (x, y) => `__builtin_isunordered(${x}, ${y})`,
  num: (x, y) => `!__builtin_isunordered(${x}, ${y})`,
};

/** What the GPU has itself; arguments are buffers. */
const word = (buffer: string): string => `__builtin_bit_cast(unsigned long long, ${buffer})`;
const int = (buffer: string): string => `__builtin_bit_cast(unsigned, ${buffer})`;
const knownFunctions: Record<string, (words: string[]) => string> = {
  vprintf: ([format, values]) => `vprintf((const char *)${word(format!)}, (const char *)${word(values!)})`,
  malloc: ([size]) => `(unsigned long long)malloc(${word(size!)})`,
  cudaGraphSetConditional: ([handle, value]) => `cudaGraphSetConditional(${word(handle!)}, ${int(value!)})`,
  free: ([pointer]) => `free((void *)${word(pointer!)})`,
  __assertfail: ([message, file, line, name, size]) =>
    `__assertfail((const char *)${word(message!)}, (const char *)${word(file!)}, ${int(line!)}, (const char *)${word(name!)}, ${word(size!)})`,
};

const callText = (callee: string, words: string[], result: Operand | undefined): string =>
  `${result?.kind === 'name' ? `${nameOf(result.name)} = ` : ''}${callee}(${words.join(', ')});`;

/** True if what comes next adds a carry that is there already. */
function isCarryWanted(statements: readonly Statement[], from: number): boolean {
  for (const each of statements.slice(from)) {
    if (each.kind !== 'instruction' || /^(?:bra|brx|ret|exit|call)$/.test(each.words[0]!)) return false;
    if (/^(?:addc|subc|madc)$/.test(each.words[0]!)) return true;
    if (each.words.includes('cc')) return false;
  }
  return false;
}

/** Names that statements mention: of hundreds of registers that are declared, some are used. */
function namesIn(statements: readonly Statement[], all = new Set<string>()): Set<string> {
  const visit = (operand: Operand): void => {
    if (operand.kind === 'name') all.add(operand.name);
    else if (operand.kind === 'vector' || operand.kind === 'list') operand.elements.forEach(visit);
    else if (operand.kind === 'pair') [operand.first, operand.second].forEach(visit);
    else if (operand.kind === 'address') [operand.base, ...operand.more].forEach(visit);
  };
  for (const each of statements) {
    if (each.kind === 'scope') namesIn(each.statements, all);
    if (each.kind !== 'instruction') continue;
    each.operands.forEach(visit);
    if (each.guard !== null) all.add(each.guard.name);
  }
  return all;
}

const sizeOf = ({ type, count }: Variable): number => bytesOf(type) * (count ?? 1);
/** A parameter of a function, whatever it is of. */
const bytesType = (variable: Variable): string => {
  if (variable.count !== null) return `Bytes<${sizeOf(variable)}, ${Math.max(variable.align, 1)}>`;
  const bytes = bytesOf(variable.type);
  return bytes === 1 ? 'unsigned char' : unsignedOf(bytes);
};

const pointerType = ({ results, parameters }: { results: Variable[]; parameters: Variable[] }): string =>
  `${results[0] === undefined ? 'void' : bytesType(results[0])} (*)(${parameters.map(bytesType).join(', ')})`;

function headOf({ name, isEntry, results, parameters, directives }: PtxFunction): string {
  const typed = parameters.map((parameter) => {
    const isFloat = isEntry && parameter.count === null && /^f(?:32|64)$/.test(parameter.type);
    return `${isFloat ? registerOf(parameter.type).c : bytesType(parameter)} ${nameOf(parameter.name)}`;
  });
  const product = (words: number[] | undefined): number | undefined => words?.reduce((all, each) => all * each, 1);
  const threads = product(directives.get('reqntid') ?? directives.get('maxntid'));
  const blocks = directives.get('minnctapersm')?.[0];
  const bounds =
    threads === undefined
      ? ''
      : ` __launch_bounds__(${[threads, blocks].filter((each) => each !== undefined).join(', ')})`;
  const result = results[0] === undefined ? 'void' : bytesType(results[0]);
  // Names of entries are those that the program asks for.
  return `extern "C" ${isEntry ? '__global__' : '__device__'}${bounds} ${result} ${isEntry ? name : nameOf(name)}(${typed.join(', ')})`;
}

const hasAddresses = ({ initial }: Variable): boolean => initial?.some(({ kind }) => kind === 'name') === true;

function variableText(variable: Variable): string {
  const { space, align, type, name, count, initial, isExtern } = variable;
  const attribute = { global: '__device__ ', const: '__constant__ ', shared: '__shared__ ', local: '', param: '' }[
    space
  ];
  const aligned = `__attribute__((aligned(${Math.max(align, 1)}))) `;
  const bytes = bytesOf(type);
  const isOfAddresses = hasAddresses(variable);
  const element = isOfAddresses
    ? 'const void *'
    : type === 'f32'
      ? 'float'
      : type === 'f64'
        ? 'double'
        : bytes === 1
          ? 'unsigned char'
          : unsignedOf(bytes);
  const dimension = count === null ? '' : count === 0 ? '[]' : `[${count}]`;
  const linkage = isExtern || count === 0 ? 'extern ' : space === 'global' || space === 'const' ? 'extern "C" ' : '';
  const values = initial?.map((each) => {
    if (isOfAddresses && each.kind === 'name')
      return `(const char *)(const void *)&${nameOf(each.name)} + ${each.offset}`;
    if (each.kind !== 'literal' || (isOfAddresses && bytes !== 8))
      throw new SimsightError('unsupported-construct', `The value of ${name} in PTX is not supported.`);
    const bits = literalBits(each.text, bytes);
    if (isOfAddresses) return `(const char *)${bits}`;
    return element === 'float' || element === 'double'
      ? `__builtin_bit_cast(${element}, (${unsignedOf(bytes)})${bits})`
      : `(${element})${bits}`;
  });
  const value = values === undefined ? '' : count === null ? ` = ${values[0]}` : ` = {${values.join(', ')}}`;
  const own =
    linkage === 'extern "C" ' && value === ''
      ? `extern "C" { ${attribute}${aligned}${element} ${nameOf(name)}${dimension}; }`
      : null;
  return own ?? `${linkage}${attribute}${aligned}${element} ${nameOf(name)}${dimension}${value};`;
}

/** CUDA C++ of a module; `file`: its name in messages and in the trace. Errors: `unsupported-construct` for what is not supported. */
export function cudaOfPtx({ variables, functions }: PtxModule, file: string): string {
  const globals = new Map(variables.map((variable) => [variable.name, variable]));
  // A function is declared before it is defined.
  const known = new Map<string, PtxFunction>();
  for (const fn of functions) if (!known.has(fn.name) || fn.statements !== null) known.set(fn.name, fn);
  const bodies = [...known.values()].filter(({ statements }) => statements !== null);
  return [
    'template <int N, int A> struct Bytes { alignas(A) unsigned char bytes[N]; };\n',
    ...[...known.values()].filter(({ name }) => !(name in knownFunctions)).map((fn) => `${headOf(fn)};\n`),
    // Those that hold addresses of others come after these.
    ...variables
      .toSorted((a, b) => Number(hasAddresses(a)) - Number(hasAddresses(b)))
      .map((each) => `${variableText(each)}\n`),
    ...bodies.map((fn) => new FunctionWriter(fn, known, globals, file).write()),
  ].join('');
}
