/** The text of a PTX module as variables, functions and statements. Grammar: PTX ISA 9.0, chapters 4 to 6. */
import { SimsightError } from '../../base/errors.ts';

export type Operand =
  /** A register, a label, a variable, a special register (`%tid.x`); `offset`: bytes behind a variable. */
  | { kind: 'name'; name: string; negated: boolean; offset: number }
  | { kind: 'literal'; text: string }
  | { kind: 'vector'; elements: Operand[] }
  /** `[%rd1+8]`; `more`: what is behind it, as coordinates are. */
  | { kind: 'address'; base: Operand; offset: number; more: Operand[] }
  | { kind: 'pair'; first: Operand; second: Operand }
  /** In parentheses, of calls. */
  | { kind: 'list'; elements: Operand[] };

export interface Variable {
  space: 'global' | 'const' | 'shared' | 'local' | 'param';
  /** Bytes. */
  align: number;
  /** `b8`, `f32`. */
  type: string;
  name: string;
  /** Elements; null for a scalar, 0 for an array without a size. */
  count: number | null;
  initial: Operand[] | null;
  isExtern: boolean;
  isVisible: boolean;
}

export type Statement =
  | { kind: 'scope'; statements: Statement[] }
  | { kind: 'label'; name: string }
  | { kind: 'registers'; type: string; names: { name: string; count: number | null }[] }
  | { kind: 'variable'; variable: Variable }
  | { kind: 'targets'; name: string; labels: string[] }
  /** The type of functions that are called by pointers. */
  | { kind: 'prototype'; name: string; results: Variable[]; parameters: Variable[] }
  | {
      kind: 'instruction';
      /** From 1. */
      line: number;
      guard: { name: string; negated: boolean } | null;
      /** `ld`, `global`, `f32`. */
      words: string[];
      operands: Operand[];
    };

export type Instruction = Extract<Statement, { kind: 'instruction' }>;

export interface PtxFunction {
  name: string;
  isEntry: boolean;
  results: Variable[];
  parameters: Variable[];
  /** Values of `.maxntid` and the like. */
  directives: Map<string, number[]>;
  /** Null of a declaration. */
  statements: Statement[] | null;
}

export interface PtxModule {
  variables: Variable[];
  functions: PtxFunction[];
}

const tokenPattern =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"[^"\n]*"|0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}|0[xX][0-9A-Fa-f]+U?|\d+\.\d+(?:[eE][-+]?\d+)?|\d+U?|\.[A-Za-z_][\w$]*|[A-Za-z_$%][\w$]*(?:(?:\.|::)[\w$]+)*|\S/g;

const spaces = new Set(['global', 'const', 'shared', 'local', 'param']);

class Reader {
  private readonly tokens: { text: string; line: number }[] = [];
  private at = 0;
  private readonly name: string;

  constructor(text: string, name: string) {
    this.name = name;
    let [line, from] = [1, 0];
    for (const { 0: token, index } of text.matchAll(tokenPattern)) {
      for (; from < index; from++) if (text[from] === '\n') line++;
      if (!/^\/[/*]/.test(token)) this.tokens.push({ text: token, line });
    }
  }

  fail(): never {
    const { line } = this.tokens[Math.min(this.at, this.tokens.length - 1)] ?? { line: 1 };
    const near = this.tokens.slice(Math.max(0, this.at - 3), this.at + 3).map(({ text }) => text);
    throw new SimsightError(
      'unsupported-construct',
      `The PTX of ${this.name} is not understood at line ${line}: ${near.join(' ')}`,
      'Make an image of the source with "simsight nvcc -ptx" in place of nvcc.',
    );
  }

  private get token(): string {
    return this.tokens[this.at]?.text ?? '';
  }
  private take(): string {
    return this.tokens[this.at++]?.text ?? this.fail();
  }
  private accept(text: string): boolean {
    if (this.token !== text) return false;
    this.at++;
    return true;
  }
  private expect(text: string): void {
    if (!this.accept(text)) this.fail();
  }
  private number(): number {
    const sign = this.accept('-') ? -1 : 1;
    const value = Number(this.take().replace(/U$/, ''));
    return Number.isFinite(value) ? sign * value : this.fail();
  }
  private numbers(): number[] {
    const all = [this.number()];
    while (this.accept(',')) all.push(this.number());
    return all;
  }

  module(): PtxModule {
    const module: PtxModule = { variables: [], functions: [] };
    while (this.at < this.tokens.length) {
      if (this.skipped()) continue;
      const linkage = new Set<string>();
      while (/^\.(?:visible|extern|weak|common)$/.test(this.token)) linkage.add(this.take().slice(1));
      if (this.token === '.entry' || this.token === '.func') module.functions.push(this.function());
      else module.variables.push(...this.variables(linkage));
    }
    return module;
  }

  /** Directives that say nothing about what is executed. */
  private skipped(): boolean {
    const line = this.tokens[this.at]?.line;
    switch (this.token) {
      case '.version':
      case '.target':
      case '.address_size':
      case '.file':
      case '.loc':
        while (this.at < this.tokens.length && this.tokens[this.at]!.line === line) this.at++;
        return true;
      case '.pragma':
      case '.alias':
        while (this.take() !== ';');
        return true;
      case '.section':
        while (this.take() !== '{');
        while (this.take() !== '}');
        return true;
      default:
        return this.accept(';');
    }
  }

  private function(): PtxFunction {
    const isEntry = this.take() === '.entry';
    const results = !isEntry && this.token === '(' ? this.parameters() : [];
    const name = this.take();
    const parameters = this.token === '(' ? this.parameters() : [];
    const directives = new Map<string, number[]>();
    while (this.token.startsWith('.')) {
      const directive = this.take().slice(1);
      if (directive === 'pragma') while (!this.accept(';')) this.at++;
      else directives.set(directive, /^\d/.test(this.token) ? this.numbers() : []);
    }
    const statements = this.accept('{') ? this.statements() : null;
    if (statements === null) this.expect(';');
    return { name, isEntry, results, parameters, directives, statements };
  }

  private parameters(): Variable[] {
    const all: Variable[] = [];
    this.expect('(');
    while (!this.accept(')')) {
      all.push(this.one('param', this.attributes()));
      this.accept(',');
    }
    return all;
  }

  /** Words in front of a variable: `.param .align 8 .b8`. */
  private attributes(): { space: string; type: string; align: number } {
    let [space, type, align] = ['', '', 0];
    while (this.token.startsWith('.')) {
      const word = this.take().slice(1);
      if (word === 'align') align = this.number();
      else if (word === 'attribute') while (this.take() !== ')');
      else if (word === 'ptr') {
        // Where a parameter points to: the alignment is of that.
        while (/^\.(?:global|const|shared|local)$/.test(this.token)) this.at++;
        if (this.accept('.align')) this.number();
      } else if (spaces.has(word)) space = word;
      else if (/^(?:v[24]|[busf]\d+\w*|pred)$/.test(word)) type = word.startsWith('v') ? word : type + word;
      else this.fail();
    }
    return { space, type, align };
  }

  private variables(linkage: ReadonlySet<string>): Variable[] {
    const { space, ...attributes } = this.attributes();
    if (!spaces.has(space)) this.fail();
    const all: Variable[] = [];
    do {
      const variable = this.one(space as Variable['space'], attributes);
      all.push({ ...variable, isExtern: linkage.has('extern'), isVisible: linkage.size > 0 });
    } while (this.accept(','));
    this.expect(';');
    return all;
  }

  private one(space: Variable['space'], { type, align }: { type: string; align: number }): Variable {
    const variable = { space, type, align, isExtern: false, isVisible: false };
    const name = this.take();
    let count: number | null = null;
    while (this.accept('[')) {
      count = (count ?? 1) * (this.token === ']' ? 0 : this.number());
      this.expect(']');
    }
    const initial = this.accept('=') ? this.initial() : null;
    return { ...variable, name, count, initial };
  }

  private initial(): Operand[] {
    if (!this.accept('{')) return [this.operand()];
    const all: Operand[] = [];
    while (!this.accept('}')) {
      if (this.token === '{') all.push(...this.initial());
      else all.push(this.operand());
      this.accept(',');
    }
    return all;
  }

  private statements(): Statement[] {
    const all: Statement[] = [];
    while (!this.accept('}')) {
      if (this.at >= this.tokens.length) this.fail();
      if (this.skipped()) continue;
      if (this.accept('{')) all.push({ kind: 'scope', statements: this.statements() });
      else if (this.token.startsWith('.')) all.push(...this.declaration());
      else if (this.tokens[this.at + 1]?.text === ':') {
        const name = this.take();
        this.at++;
        if (this.accept('.branchtargets')) {
          const labels = [this.take()];
          while (this.accept(',')) labels.push(this.take());
          this.expect(';');
          all.push({ kind: 'targets', name, labels });
        } else if (this.accept('.callprototype')) {
          const results = this.token === '(' ? this.parameters() : [];
          this.take();
          all.push({ kind: 'prototype', name, results, parameters: this.token === '(' ? this.parameters() : [] });
          this.expect(';');
        } else all.push({ kind: 'label', name });
      } else all.push(this.instruction());
    }
    return all;
  }

  private declaration(): Statement[] {
    if (!this.accept('.reg')) return this.variables(new Set()).map((variable) => ({ kind: 'variable', variable }));
    const { type } = this.attributes();
    const names: { name: string; count: number | null }[] = [];
    do {
      const name = this.take();
      const count = this.accept('<') ? this.number() : null;
      if (count !== null) this.expect('>');
      names.push({ name, count });
    } while (this.accept(','));
    this.expect(';');
    return [{ kind: 'registers', type, names }];
  }

  private instruction(): Statement {
    const { line } = this.tokens[this.at]!;
    let guard: { name: string; negated: boolean } | null = null;
    if (this.accept('@')) {
      const negated = this.accept('!');
      guard = { name: this.take(), negated };
    }
    const words = this.take().split('.');
    const operands: Operand[] = [];
    while (!this.accept(';')) {
      operands.push(this.operand());
      if (this.token !== ';') this.expect(',');
    }
    return { kind: 'instruction', line, guard, words, operands };
  }

  private operand(): Operand {
    const first = this.single();
    return this.accept('|') ? { kind: 'pair', first, second: this.single() } : first;
  }

  private single(): Operand {
    if (this.accept('{')) return { kind: 'vector', elements: this.until('}') };
    if (this.accept('(')) return { kind: 'list', elements: this.until(')') };
    if (this.accept('[')) {
      const base = this.single();
      const offset = base.kind === 'name' ? base.offset : 0;
      const more = this.accept(',') ? this.until(']') : (this.expect(']'), []);
      return { kind: 'address', base: base.kind === 'name' ? { ...base, offset: 0 } : base, offset, more };
    }
    const negated = this.accept('!');
    const minus = this.accept('-');
    let text = this.take();
    // An address is the same in its space.
    if (text === 'generic' && this.accept('(')) {
      text = this.take();
      this.expect(')');
    }
    if (/^\d/.test(text)) return { kind: 'literal', text: `${minus ? '-' : ''}${text}` };
    if (!/^[A-Za-z_$%]/.test(text)) this.fail();
    let offset = 0;
    while (this.token === '+' || (this.token === '-' && !minus))
      offset += this.take() === '+' ? this.number() : -this.number();
    return { kind: 'name', name: text, negated, offset };
  }

  private until(end: string): Operand[] {
    const all: Operand[] = [];
    while (!this.accept(end)) {
      all.push(this.operand());
      this.accept(',');
    }
    return all;
  }
}

/** Errors: `unsupported-construct` with the place that is not understood. */
export const readPtx = (text: string, name: string): PtxModule => new Reader(text, name).module();
