/**
 * Replaces inline PTX by the LLVM IR that means the same, before anything else looks at a function: address spaces,
 * uniformity, counts and faults then work as for compiled code. One table entry per instruction (instructions.ts).
 */
import { SimsightError } from '../../base/errors.ts';
import { own } from '../../base/program-imports.ts';
import type { Block, FunctionIr, Instruction, PointerBytes, Type, Value } from '../ir.ts';
import { i1, i32, int, intConstant, makeInstruction, pointerType, sizeOf, terminatorOf, unsupported } from '../ir.ts';
import { rewrite } from '../memory-calls.ts';
import { freshName } from '../fresh-names.ts';
import { instructions } from './instructions.ts';
import type { Declaration, Operand, Statement } from './parse.ts';
import { labelOpcode, parseAssembly, PtxSyntaxError } from './parse.ts';
import { double, float, typeOf } from './types.ts';

const sameType = (a: Type, b: Type): boolean => JSON.stringify(a) === JSON.stringify(b);
const isWhole = (type: Type): boolean => type.kind === 'int';

/** Translates the statements of one asm call; what a table entry works with. */
export class Assembler {
  /** Value of each register now. */
  private readonly registers = new Map<string, Value>();
  private readonly types = new Map<string, Type>();
  private readonly inputs: Value[];
  /** Names of the registers that `$n` stands for; the others are inputs. */
  private readonly outputs: string[];
  private readonly fn: FunctionIr;
  private readonly call: Instruction;
  private readonly blocks: Block[];
  private readonly pointerBytes: PointerBytes;
  private statement: Statement | null = null;
  private guard: Value | null = null;
  /**
   * CC.CF of `add.cc` and the like, or what it is not where the instruction has subtracted: GPUs add the complement, so that CC.CF is then set where
   * nothing was borrowed (an H200, `addc` behind `sub.cc`). Null before the first.
   */
  carry: { value: Value; isBorrow: boolean } | null = null;

  constructor(
    fn: FunctionIr,
    call: Instruction,
    blocks: Block[],
    outputs: { name: string; type: Type; initial: Value | null }[],
    inputs: Value[],
    declarations: Declaration[],
    pointerBytes: PointerBytes,
  ) {
    this.pointerBytes = pointerBytes;
    this.fn = fn;
    this.call = call;
    this.blocks = blocks;
    this.inputs = inputs;
    this.outputs = outputs.map(({ name }) => name);
    for (const { name, type, initial } of outputs) {
      this.types.set(name, type);
      if (initial !== null) this.registers.set(name, this.coerce(initial, type));
    }
    for (const { type, names } of declarations)
      for (const name of names) this.types.set(name, typeOf(type) ?? this.fail(`the register type .${type}`));
  }

  fail(construct?: string): never {
    const what = construct ?? `the PTX instruction "${this.statement?.text ?? ''}"`;
    throw unsupported(what, this.fn.name, this.call.place);
  }

  // ---- emitting ----

  private get block(): Block {
    return this.blocks.at(-1) as Block;
  }
  emit(op: string, type: Type, operands: Value[], fields: Partial<Instruction> = {}): Value {
    const name = type.kind === 'void' ? null : freshName('ptx');
    this.block.instructions.push(makeInstruction(op, { name, type, operands, place: this.call.place, ...fields }));
    return { kind: 'local', name: name ?? '', type };
  }
  invoke(callee: string, type: Type, operands: Value[]): Value {
    const result = this.emit('call', type, operands, { callee, indices: operands.map(() => -1) });
    const call = this.block.instructions.pop() as Instruction;
    this.block.instructions.push(...rewrite(call));
    return result;
  }
  binary(op: string, a: Value, b: Value): Value {
    return this.emit(op, a.type, [a, b]);
  }
  compare(predicate: string, a: Value, b: Value): Value {
    const floating = a.type.kind !== 'int' && a.type.kind !== 'ptr';
    return this.emit(floating ? 'fcmp' : 'icmp', i1, [a, b], { predicate });
  }
  select(condition: Value, a: Value, b: Value): Value {
    return this.emit('select', a.type, [condition, a, b]);
  }
  element(aggregate: Value, index: number, type: Type): Value {
    return aggregate.type.kind === 'vector'
      ? this.emit('extractelement', type, [aggregate, intConstant(index)])
      : this.emit('extractvalue', type, [aggregate], { indices: [index] });
  }
  /** The same bits as another type; wider and narrower integers keep the low bits. */
  coerce(value: Value, type: Type, signed = false): Value {
    if (sameType(value.type, type)) return value;
    if (value.kind === 'int' && value.type.kind === 'int' && isWhole(type)) {
      const [before, bits] = [value.type.bits, type.kind === 'int' ? type.bits : 0];
      const grown = signed && before > 1 ? value.value : BigInt.asUintN(before, value.value);
      return intConstant(BigInt.asIntN(bits, grown), type);
    }
    if (value.type.kind === 'ptr') {
      if (type.kind === 'ptr') return this.emit('addrspacecast', type, [value]);
      return this.coerce(this.emit('ptrtoint', this.addressType, [value]), type, signed);
    }
    if (type.kind === 'ptr') {
      const isAddress = sameType(value.type, this.addressType);
      return this.emit('inttoptr', type, [isAddress ? value : this.coerce(value, i32)]);
    }
    const [from, to] = [8 * sizeOf(value.type), 8 * sizeOf(type)];
    let bits = isWhole(value.type) ? value : this.emit('bitcast', int(from), [value]);
    if (value.type.kind === 'int' && value.type.bits === 1) bits = this.emit('zext', int(to), [bits]);
    else if (type.kind === 'int' && type.bits === 1) return this.compare('ne', bits, intConstant(0, bits.type));
    else if (to < from) bits = this.emit('trunc', int(to), [bits]);
    else if (to > from) bits = this.emit(signed ? 'sext' : 'zext', int(to), [bits]);
    return isWhole(type) ? bits : this.emit('bitcast', type, [bits]);
  }

  /** Integers that hold an address. */
  private get addressType(): Type {
    return int(8 * this.pointerBytes);
  }

  pointer(space = 0): Type {
    return pointerType(space, this.pointerBytes);
  }

  // ---- operands ----

  /** An operand as a value of a type; `signed` says how narrower integers grow. */
  read(operand: Operand | undefined, type: Type, signed = false): Value {
    switch (operand?.kind) {
      case 'integer':
        if (isWhole(type)) return this.coerce(intConstant(operand.value, int(64)), type);
        return this.coerce(intConstant(operand.value, int(8 * sizeOf(type))), type);
      case 'float': {
        const view = new DataView(new ArrayBuffer(8));
        if (type.kind === 'float') {
          view.setFloat64(0, Math.fround(operand.value));
          return {
            kind: 'float',
            text: `0x${view.getBigUint64(0).toString(16).padStart(16, '0').toUpperCase()}`,
            type,
          };
        }
        if (operand.bits === 32) {
          view.setFloat32(0, operand.value);
          return this.coerce(intConstant(view.getUint32(0)), type);
        }
        view.setFloat64(0, operand.value);
        if (type.kind === 'double')
          return {
            kind: 'float',
            text: `0x${view.getBigUint64(0).toString(16).padStart(16, '0').toUpperCase()}`,
            type,
          };
        return this.coerce(intConstant(view.getBigUint64(0), int(64)), type);
      }
      case 'operand':
      case 'register': {
        const name = this.nameOf(operand);
        const value = name === null ? this.inputs[(operand as { index: number }).index] : this.registers.get(name);
        if (value === undefined) {
          if (name !== null && this.types.has(name)) return { kind: 'undef', type };
          return this.fail();
        }
        const typed = this.coerce(value, type, signed);
        return operand.negated ? this.emit('xor', i1, [typed, intConstant(1, i1)]) : typed;
      }
      case 'special':
        return this.coerce(this.special(operand.name), type);
      case 'vector':
        return this.pack(operand.elements, type);
      default:
        return this.fail();
    }
  }

  private nameOf(operand: Operand): string | null {
    if (operand.kind === 'register') return operand.name;
    if (operand.kind === 'operand') return this.outputs[operand.index] ?? null;
    return null;
  }
  /** The type a register was declared with. */
  declared(operand: Operand | undefined): Type | null {
    if (operand === undefined) return null;
    const name = this.nameOf(operand);
    if (name !== null) return this.types.get(name) ?? null;
    return operand.kind === 'operand' ? (this.inputs[operand.index]?.type ?? null) : null;
  }

  /** {low, …, high} as one number. */
  private pack(elements: Operand[], type: Type): Value {
    const bits = (8 * sizeOf(type)) / elements.length;
    const whole = int(8 * sizeOf(type));
    let sum: Value = intConstant(0, whole);
    elements.forEach((element, i) => {
      const part = this.coerce(this.coerce(this.read(element, int(bits)), int(bits)), whole);
      const moved = i === 0 ? part : this.binary('shl', part, intConstant(i * bits, whole));
      sum = i === 0 ? moved : this.binary('or', sum, moved);
    });
    return this.coerce(sum, type);
  }

  /** Writes a destination; under a guard only where it holds. */
  write(operand: Operand | undefined, value: Value, signed = false): void {
    if (operand === undefined) return this.fail();
    if (operand.kind === 'sink') return;
    if (operand.kind === 'vector') {
      const bits = (8 * sizeOf(value.type)) / operand.elements.length;
      const whole = this.coerce(value, int(8 * sizeOf(value.type)));
      operand.elements.forEach((element, i) => {
        const moved = i === 0 ? whole : this.binary('lshr', whole, intConstant(i * bits, whole.type));
        this.write(element, this.coerce(moved, int(bits)));
      });
      return;
    }
    const name = this.nameOf(operand);
    const type = name === null ? undefined : this.types.get(name);
    if (name === null || type === undefined) return this.fail();
    let result = this.coerce(value, type, signed);
    if (this.guard !== null) {
      const old = this.registers.get(name) ?? { kind: 'zero' as const, type };
      result = this.select(this.guard, result, old);
    }
    this.registers.set(name, result);
  }
  register(operand: Operand | undefined, index: number): Operand | undefined {
    return operand?.kind === 'vector' ? operand.elements[index] : index === 0 ? operand : undefined;
  }

  /** The pointer of `[a+8]`, in an address space. */
  address(operand: Operand | undefined, space: number): Value {
    if (operand?.kind !== 'address') return this.fail();
    const { base, offset } = operand;
    let start: Value;
    if (base.kind === 'integer') start = this.coerce(intConstant(base.value, i32), this.pointer(space));
    else {
      const raw = this.read(base, this.declared(base) ?? i32);
      const isPointer = raw.type.kind === 'ptr';
      start =
        isPointer && space === 0
          ? raw
          : this.coerce(isPointer ? this.coerce(raw, this.addressType) : raw, this.pointer(space));
    }
    if (offset === 0) return start;
    return this.emit('getelementptr', start.type, [start, intConstant(offset)], { accessType: int(8) });
  }

  special(name: string): Value {
    const plain = (register: string, type: Type = i32): Value =>
      this.invoke(`llvm.nvvm.read.ptx.sreg.${register}`, type, []);
    if (/^(tid|ntid|ctaid|nctaid)\.[xyz]$/.test(name)) return plain(name);
    if (/^(laneid|warpid|nwarpid|smid|nsmid|clock|gridid|dynamic_smem_size|total_smem_size)$/.test(name))
      return plain(name);
    if (/^(clock64|globaltimer)$/.test(name)) return plain(name, int(64));
    if (name === 'clock_hi' || name === 'globaltimer_hi')
      return this.coerce(
        this.binary('lshr', plain(name === 'clock_hi' ? 'clock64' : 'globaltimer', int(64)), intConstant(32, int(64))),
        i32,
      );
    if (name === 'globaltimer_lo') return this.coerce(plain('globaltimer', int(64)), i32);
    const lanes = /^lanemask_(eq|lt|le|gt|ge)$/.exec(name)?.[1];
    if (lanes !== undefined) return plain(`lanemask.${lanes}`);
    if (name === 'WARP_SZ') return intConstant(32);
    if (name === 'reserved_smem_offset_begin' || name === 'cluster_ctarank' || name === 'clusterid')
      return intConstant(0);
    if (/^pm\d$/.test(name)) return intConstant(0);
    return this.fail(`the PTX register %${name}`);
  }

  // ---- control ----

  /** Runs what has effects only in lanes where the guard holds. */
  private whereGuarded(build: () => void): void {
    if (this.guard === null) {
      build();
      return;
    }
    const guard = this.guard;
    const before = new Map(this.registers);
    const from = this.block;
    const inside: Block = { name: freshName('ptxblock'), instructions: [] };
    const after: Block = { name: freshName('ptxblock'), instructions: [] };
    from.instructions.push(
      makeInstruction('br', { operands: [guard], labels: [inside.name, after.name], place: this.call.place }),
    );
    this.blocks.push(inside);
    this.guard = null;
    build();
    const end = this.block;
    end.instructions.push(makeInstruction('br', { labels: [after.name], place: this.call.place }));
    this.blocks.push(after);
    for (const [name, value] of this.registers) {
      const old = before.get(name);
      if (old === value) continue;
      const merged = this.emit('phi', value.type, [value, old ?? { kind: 'zero', type: value.type }], {
        labels: [end.name, from.name],
      });
      this.registers.set(name, merged);
    }
  }

  /**
   * All statements in their order. Of jumps there may be those of a loop that goes on until a predicate holds, as for barriers:
   *
   *   AGAIN: …; @p bra DONE; bra AGAIN; DONE:      or      AGAIN: …; @!p bra AGAIN;
   */
  runAll(statements: readonly Statement[]): void {
    for (let i = 0; i < statements.length; i++) {
      const { opcode, text } = statements[i]!;
      if (opcode !== labelOpcode) {
        this.run(statements[i]!);
        continue;
      }
      const end = statements.findIndex((each, k) => k > i && jumpsTo(each, text));
      if (end < 0) continue;
      const back = statements[end]!;
      const out = back.guard === null ? statements[end - 1] : undefined;
      const body = statements.slice(i + 1, out === undefined ? end : end - 1);
      const leaves = out === undefined || jumpsTo(out, statements[end + 1]?.text ?? '');
      const isSimple = body.every(({ opcode: each }) => each !== labelOpcode && each !== 'bra');
      this.statement = back;
      if (!leaves || !isSimple || (out?.guard ?? back.guard) === null) this.fail('this jump in inline PTX');
      this.loop(body, (out?.guard ?? back.guard)!, out === undefined);
      i = end;
    }
  }

  /** Goes around until the condition holds, or as long as it does. What the body makes, it makes anew each time. */
  private loop(body: readonly Statement[], condition: Operand, goesOn: boolean): void {
    const around: Block = { name: freshName('ptxblock'), instructions: [] };
    const after: Block = { name: freshName('ptxblock'), instructions: [] };
    const { place } = this.call;
    this.block.instructions.push(makeInstruction('br', { labels: [around.name], place }));
    this.blocks.push(around);
    for (const statement of body) this.run(statement);
    const holds = this.read(condition, i1);
    const labels = goesOn ? [around.name, after.name] : [after.name, around.name];
    this.block.instructions.push(makeInstruction('br', { operands: [holds], labels, place }));
    this.blocks.push(after);
  }

  run(statement: Statement): void {
    this.statement = statement;
    const entry = instructions.get(statement.opcode);
    if (entry === undefined) this.fail();
    this.checkTarget(statement);
    this.guard = statement.guard === null ? null : this.read(statement.guard, i1);
    if (entry.effects === true) this.whereGuarded(() => entry.emit(this, statement.modifiers, statement.operands));
    else entry.emit(this, statement.modifiers, statement.operands);
    this.guard = null;
  }

  /** As ptxas does: what only newer GPUs have is an error for older ones (PTX ISA, "Target ISA Notes"). */
  private checkTarget({ opcode, modifiers }: Statement): void {
    const target = Number(/^sm_(\d+)/.exec(this.fn.attributes.get('target-cpu') ?? '')?.[1] ?? Infinity);
    const isHoppers =
      (opcode === 'cp' && modifiers.includes('bulk')) ||
      (opcode === 'mbarrier' && modifiers.some((each) => /^(try_wait|expect_tx|complete_tx)$/.test(each))) ||
      /^(elect|griddepcontrol|stmatrix)$/.test(opcode);
    if (!isHoppers || target >= hopper) return;
    throw new SimsightError(
      'unsupported-construct',
      `The PTX instruction ${[opcode, ...modifiers].join('.')} needs compute capability 9.0, and the GPU has ${Math.floor(target / 10)}.${target % 10} (in ${this.fn.name}).`,
      'Choose a GPU that has it, or guard it with __CUDA_ARCH__ >= 900.',
      this.call.place === null ? {} : { ...this.call.place },
    );
  }

  result(index: number, type: Type): Value {
    return this.registers.get(this.outputs[index] ?? '') ?? { kind: 'undef', type };
  }
}

const jumpsTo = ({ opcode, operands: [target] }: Statement, label: string): boolean =>
  opcode === 'bra' && target?.kind === 'register' && target.name === label;

/** Number of compute capability 9.0. */
const hopper = 90;

const constraintType: Record<string, Type> = {
  r: i32,
  l: int(64),
  f: float,
  d: double,
  h: int(16),
  c: int(8),
  b: i1,
  q: int(128),
};

/** `fn` with every inline-assembly call replaced. */
export function lowerAssembly(fn: FunctionIr, pointerBytes: PointerBytes): FunctionIr {
  const isAssembly = (instruction: Instruction): boolean =>
    instruction.op === 'call' && instruction.operands[0]?.kind === 'asm';
  if (!fn.blocks.some((block) => block.instructions.some(isAssembly))) return fn;
  const result: Block[] = [];
  const lastPart = new Map<string, string>();
  for (const source of fn.blocks) {
    result.push({ name: source.name, instructions: [] });
    for (const instruction of source.instructions) {
      if (isAssembly(instruction)) lower(fn, instruction, result, pointerBytes);
      else result.at(-1)?.instructions.push(instruction);
    }
    const last = result.at(-1) as Block;
    if (last.name !== source.name) {
      terminatorOf(last);
      lastPart.set(source.name, last.name);
    }
  }
  const ours = new Set(result.filter(({ name }) => name.startsWith('.ptxblock')).map(({ name }) => name));
  for (const block of result) {
    for (const phi of block.instructions)
      if (phi.op === 'phi' && !(ours.has(block.name) && phi.name?.startsWith('.ptx') === true))
        phi.labels = phi.labels.map((label) => lastPart.get(label) ?? label);
  }
  return { ...fn, blocks: result };
}

function lower(fn: FunctionIr, call: Instruction, blocks: Block[], pointerBytes: PointerBytes): void {
  const assembly = call.operands[0];
  if (assembly?.kind !== 'asm') return;
  const constraints = assembly.constraints.split(',').filter((part) => part !== '' && !part.startsWith('~'));
  const outputTypes = call.type.kind === 'struct' ? call.type.fields : call.type.kind === 'void' ? [] : [call.type];
  const args = call.operands.slice(1);
  const outputs: { name: string; type: Type; initial: Value | null }[] = [];
  /** Indexed by the number behind `$`. */
  const inputs: Value[] = [];
  let next = 0;
  constraints.forEach((constraint, number) => {
    const isOutput = constraint.startsWith('=');
    const value = isOutput ? undefined : args[next++];
    const type = isOutput ? outputTypes[outputs.length] : value?.type;
    if (type === undefined || constraint.includes('*'))
      throw unsupported(`the asm constraint "${constraint}"`, fn.name, call.place);
    if (isOutput) {
      const declared = own(constraintType, constraint.replace(/[=&]/g, '')) ?? type;
      outputs.push({ name: `$out${number}`, type: type.kind === 'ptr' ? type : declared, initial: null });
    } else if (value !== undefined) {
      inputs[number] = value;
      const tied = /^\d+$/.test(constraint) ? outputs[Number(constraint)] : undefined;
      if (tied !== undefined) tied.initial = value;
    }
  });
  let parsed;
  try {
    const text = assembly.text.replaceAll('$$', '\u0000').replaceAll('\u0000', '$');
    // Labels are the statement's own.
    parsed = parseAssembly(text.replaceAll('${:uid}', 'uid'));
  } catch (error) {
    if (error instanceof PtxSyntaxError)
      throw unsupported(`the inline PTX near "${error.message}"`, fn.name, call.place);
    throw error;
  }
  const assembler = new Assembler(fn, call, blocks, outputs, inputs, parsed.declarations, pointerBytes);
  assembler.runAll(parsed.statements);
  if (call.name === null) return;
  const define = (op: string, fields: Partial<Instruction>): void => {
    blocks
      .at(-1)
      ?.instructions.push(makeInstruction(op, { name: call.name, type: call.type, place: call.place, ...fields }));
  };
  if (call.type.kind !== 'struct') {
    define('freeze', { operands: [assembler.coerce(assembler.result(0, call.type), call.type)] });
    return;
  }
  let sum: Value = { kind: 'undef', type: call.type };
  outputTypes.forEach((type, i) => {
    const value = assembler.coerce(assembler.result(i, type), type);
    if (i === outputTypes.length - 1) define('insertvalue', { operands: [sum, value], indices: [i] });
    else sum = assembler.emit('insertvalue', call.type, [sum, value], { indices: [i] });
  });
}
