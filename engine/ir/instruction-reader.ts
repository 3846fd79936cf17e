/** Instructions of LLVM IR, one line each. */
import type { SourcePlace } from '../model/source-place.ts';
import { elementType, i1, type Instruction, makeInstruction, nounroll, voidType } from './ir.ts';
import { intrinsicOf, unquote } from './names.ts';
import type { DataLayout } from './data-layout.ts';
import type { Token } from './tokens.ts';
import { binaryOps, castOps, ValueReader } from './value-reader.ts';

/** Reads the part of a line behind the operation, into the instruction. */
type Body = (at: InstructionReader, instruction: Instruction) => void;

/** Metadata that instructions refer to. */
export interface InstructionMetadata {
  /** The place in the source of a `!dbg` id. */
  placeOf(id: string): SourcePlace | null;
  /** Ids of loops that must not be unrolled (again). */
  unrolled: ReadonlySet<string>;
}

export class InstructionReader extends ValueReader {
  private readonly metadata: InstructionMetadata;

  constructor(tokens: readonly Token[], layout: DataLayout, metadata: InstructionMetadata) {
    super(tokens, layout);
    this.metadata = metadata;
  }

  private static readonly bodies: Readonly<Record<string, Body>> = {
    ...Object.fromEntries(
      [...binaryOps].map((op): [string, Body] => [op, (at, instruction) => at.binary(instruction)]),
    ),
    ...Object.fromEntries([...castOps].map((op): [string, Body] => [op, (at, instruction) => at.cast(instruction)])),
    icmp: (at, instruction) => at.compare(instruction),
    fcmp: (at, instruction) => at.compare(instruction),
    fneg: (at, instruction) => at.unary(instruction),
    freeze: (at, instruction) => at.unary(instruction),
    load: (at, instruction) => at.access(instruction),
    store: (at, instruction) => at.access(instruction),
    getelementptr: (at, instruction) => at.address(instruction),
    alloca: (at, instruction) => at.variable(instruction),
    phi: (at, instruction) => at.phi(instruction),
    select: (at, instruction) => at.selection(instruction),
    br: (at, instruction) => at.branch(instruction),
    switch: (at, instruction) => at.choice(instruction),
    ret: (at, instruction) => at.end(instruction),
    unreachable: () => undefined,
    fence: (at) => at.fence(),
    call: (at, instruction) => at.parseCall(instruction),
    extractvalue: (at, instruction) => at.field(instruction),
    insertvalue: (at, instruction) => at.field(instruction),
    extractelement: (at, instruction) => at.element(instruction),
    insertelement: (at, instruction) => at.element(instruction),
    shufflevector: (at, instruction) => at.shuffle(instruction),
    atomicrmw: (at, instruction) => at.atomic(instruction),
    cmpxchg: (at, instruction) => at.exchange(instruction),
  };

  protected parseInstruction(): Instruction | null {
    if (this.peek().startsWith('#dbg')) {
      this.skipLine();
      return null;
    }
    const start = this.at;
    // The place first, so that an error in the middle of the line can name it.
    for (let i = start; i === start || (i < this.tokens.length && !this.tokens[i]?.startsLine); i++) {
      if (this.tokens[i]?.text === '!dbg') this.place = this.metadata.placeOf(this.tokens[i + 1]?.text ?? '');
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
    const body = InstructionReader.bodies[op] ?? null;
    if (body === null) throw this.unknown(`the instruction "${op}"`);
    body(this, instruction);
    instruction.place = null;
    while (this.peek() === ',' && /^!|^align$/.test(this.peek(1))) {
      this.at++;
      const key = this.next();
      if (key === 'align') instruction.align = Number(this.next());
      else {
        const id = this.next();
        if (key === '!dbg') instruction.place = this.metadata.placeOf(id);
        else if (key === '!llvm.loop' && this.metadata.unrolled.has(id)) instruction.flags.push(nounroll);
        else if (id === '!' && this.peek() === '{') while (this.next() !== '}');
      }
    }
    return instruction;
  }

  private binary(instruction: Instruction): void {
    const left = this.parseTypedValue();
    this.expect(',');
    instruction.operands = [left, this.parseValue(left.type)];
    instruction.type = left.type;
  }

  private cast(instruction: Instruction): void {
    instruction.operands = [this.parseTypedValue()];
    this.expect('to');
    instruction.type = this.parseType();
  }

  private compare(instruction: Instruction): void {
    instruction.predicate = this.next();
    const left = this.parseTypedValue();
    this.expect(',');
    instruction.operands = [left, this.parseValue(left.type)];
    instruction.type = left.type.kind === 'vector' ? { ...left.type, element: i1 } : i1;
  }

  private unary(instruction: Instruction): void {
    instruction.operands = [this.parseTypedValue()];
    instruction.type = instruction.operands[0]?.type ?? voidType;
  }

  private access(instruction: Instruction): void {
    const { op } = instruction;
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
  }

  private address(instruction: Instruction): void {
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
  }

  private variable(instruction: Instruction): void {
    instruction.accessType = this.parseType();
    instruction.type = this.pointer();
    if (this.peek() === ',' && /^i\d+$/.test(this.peek(1))) {
      this.at++;
      const count = this.parseTypedValue();
      // Variable size: the count is the operand.
      if (count.kind !== 'int') instruction.operands = [count];
      else instruction.accessType = { kind: 'array', count: Number(count.value), element: instruction.accessType };
    }
    this.parseTail(instruction);
  }

  private phi(instruction: Instruction): void {
    instruction.type = this.parseType();
    do {
      this.expect('[');
      instruction.operands.push(this.parseValue(instruction.type));
      this.expect(',');
      instruction.labels.push(unquote(this.next()));
      this.expect(']');
    } while (this.peek() === ',' && this.peek(1) === '[' && this.accept(','));
  }

  private selection(instruction: Instruction): void {
    for (let i = 0; i < 3; i++) {
      if (i > 0) this.expect(',');
      instruction.operands.push(this.parseTypedValue());
    }
    instruction.type = instruction.operands[1]?.type ?? voidType;
  }

  private branch(instruction: Instruction): void {
    if (this.accept('label')) instruction.labels = [unquote(this.next())];
    else {
      instruction.operands = [this.parseTypedValue()];
      for (let i = 0; i < 2; i++) {
        this.expect(',');
        this.expect('label');
        instruction.labels.push(unquote(this.next()));
      }
    }
  }

  private choice(instruction: Instruction): void {
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
  }

  private end(instruction: Instruction): void {
    const type = this.parseType();
    if (type.kind !== 'void') instruction.operands = [this.parseValue(type)];
  }

  private fence(): void {
    this.orderingOf('fence');
  }

  private field(instruction: Instruction): void {
    const { op } = instruction;
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
  }

  private element(instruction: Instruction): void {
    const { op } = instruction;
    instruction.operands = [this.parseTypedValue()];
    for (let i = 0; i < (op === 'extractelement' ? 1 : 2); i++) {
      this.expect(',');
      instruction.operands.push(this.parseTypedValue());
    }
    const vector = instruction.operands[0]?.type ?? voidType;
    instruction.type = op === 'extractelement' ? elementType(vector, 0) : vector;
  }

  private shuffle(instruction: Instruction): void {
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
  }

  private atomic(instruction: Instruction): void {
    const { op } = instruction;
    this.accept('volatile');
    instruction.predicate = this.next();
    const pointer = this.parseTypedValue();
    this.expect(',');
    const value = this.parseTypedValue();
    instruction.operands = [pointer, value];
    instruction.type = value.type;
    instruction.accessType = value.type;
    instruction.flags.push(...this.orderingOf(op));
  }

  private exchange(instruction: Instruction): void {
    const { op } = instruction;
    while (this.peek() === 'weak' || this.peek() === 'volatile') this.at++;
    for (let i = 0; i < 3; i++) {
      if (i > 0) this.expect(',');
      instruction.operands.push(this.parseTypedValue());
    }
    instruction.accessType = instruction.operands[1]?.type ?? voidType;
    instruction.type = { kind: 'struct', fields: [instruction.accessType, i1], packed: false };
    instruction.flags.push(...this.orderingOf(op));
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
   * Flags of an atomic access at the scope of the GPU or beyond: 'acquire' if later accesses must not be read before it, 'release' if
   * earlier ones must have been written. CUDA's own atomics are relaxed, though Clang calls them sequentially consistent.
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
    else instruction.operands.push(this.parseValue(this.pointer()));
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
