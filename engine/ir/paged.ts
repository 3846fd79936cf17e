/**
 * Global addresses of 64 bits, for programs that have more device memory than addresses of 32 bits can name: pointers become integers,
 * and a call right before each access says where in the linear memory of execution that is for the moment.
 *
 *   %p = getelementptr float, ptr %a, i64 %i                  %p = add i64 %a, (mul i64 %i, 4)
 *   %x = load float, ptr %p                             →     %q = call ptr @simsight.paged(i64 %p)
 *                                                             %x = load float, ptr %q
 *
 * For execution only, like the narrowing that it takes the place of; it follows where integers are narrowed all the same (narrow.ts).
 * Pointers that are known to be of shared, local, parameter or constant memory stay pointers.
 */
import { findCall } from './calls/table.ts';
import { gepSteps, Pointers } from './addresses.ts';
import { addForms } from './forms.ts';
import type { FunctionIr, Instruction, ModuleIr, Parameter, Type, Value } from './ir.ts';
import { int, intConstant, makeInstruction, pointerType } from './ir.ts';

const i64 = int(64);
/** Above all addresses of shared and local memory: what `isspacep` is asked instead of an address that 32 bits do not hold. */
const globalAddress = 0xffff_ff00n;

/** Instructions that yield their operand as another type. */
const casts = new Set(['addrspacecast', 'bitcast', 'freeze', 'inttoptr']);
/** The operand that is accessed. */
const accessed: Readonly<Record<string, number>> = { load: 0, store: 1, atomicrmw: 0, cmpxchg: 0 };
const sameAddress = /^llvm\.(launder\.invariant\.group|strip\.invariant\.group|ptr\.annotation|threadlocal\.address)/;
/** Calls that find out themselves where the pages are that they access. */
const copies = /^simsight\.mem(move|set)$/;
const wholeFor = new Set(['fragments', 'bulk.load', 'bulk.store', 'bulk.prefetch', 'slice.load']);

/** A type of values with integers in place of pointers. */
function integral(type: Type): Type {
  switch (type.kind) {
    case 'ptr':
      return i64;
    case 'array':
    case 'vector':
      return { ...type, element: integral(type.element) };
    case 'struct':
      return { ...type, fields: type.fields.map(integral) };
    default:
      return type;
  }
}

const integralParameter = (parameter: Parameter): Parameter =>
  parameter.byval === null ? { ...parameter, type: integral(parameter.type) } : parameter;

/** The module with functions whose pointers are integers, as calls see them. */
export const withIntegralFunctions = (module: ModuleIr): ModuleIr => ({
  ...module,
  functions: new Map(
    [...module.functions].map(([name, fn]) => [
      name,
      { ...fn, parameters: fn.parameters.map(integralParameter), returns: integral(fn.returns) },
    ]),
  ),
});

/** The function with paged accesses; `fn` stays as it is. Blocks, and accesses to memory in them, are the same. */
export function pagedAccesses(module: ModuleIr, fn: FunctionIr): FunctionIr {
  return new Paged(module, fn).rewritten();
}

class Paged {
  private readonly module: ModuleIr;
  private readonly fn: FunctionIr;
  private readonly pointers: Pointers;
  /** Names of pointers that are integers from now on. */
  private readonly integers: ReadonlySet<string>;
  /** Pointers of other memory whose address somebody wants as an integer. */
  private readonly wanted = new Set<string>();
  private made = 0;

  constructor(module: ModuleIr, fn: FunctionIr) {
    this.module = module;
    this.fn = fn;
    this.pointers = new Pointers(module, fn);
    this.integers = this.findIntegers();
  }

  /** Pointers that may be of global memory, and what is made of them without saying otherwise. */
  private findIntegers(): Set<string> {
    const found = new Set<string>();
    const instructions = this.fn.blocks.flatMap((block) => block.instructions);
    for (const { name, type } of [...this.fn.parameters, ...instructions])
      if (name !== null && type.kind === 'ptr' && this.pointers.space({ kind: 'local', name, type }) <= 1)
        found.add(name);
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const { op, name, type, operands } of instructions)
        if (/^(phi|select|getelementptr)$/.test(op) && type.kind === 'ptr' && name !== null)
          if (operands.some((each) => each.kind === 'local' && found.has(each.name))) found.add(name);
    }
    return found;
  }

  rewritten(): FunctionIr {
    const blocks = this.fn.blocks.map(({ name, instructions }) => ({
      name,
      instructions: instructions.flatMap((instruction) => this.rewrite(instruction)),
    }));
    addForms(blocks, this.fn.parameters, (name) => this.integerOf(name));
    return {
      ...this.fn,
      parameters: this.fn.parameters.map(integralParameter),
      returns: integral(this.fn.returns),
      blocks,
    };
  }

  private integerOf(name: string): Instruction[] {
    if (!this.wanted.has(name)) return [];
    const pointer: Value = { kind: 'local', name, type: pointerType(0, this.module.pointerBytes) };
    return [makeInstruction('ptrtoint', { name: `${name}.integer`, type: i64, operands: [pointer] })];
  }

  private isInteger(value: Value): boolean {
    return value.kind === 'local' && this.integers.has(value.name);
  }

  /** A value as an operand: its pointers are integers. */
  private integer(value: Value): Value {
    switch (value.kind) {
      case 'local':
        if (value.type.kind !== 'ptr') return { ...value, type: integral(value.type) };
        if (this.isInteger(value)) return { ...value, type: i64 };
        this.wanted.add(value.name);
        return { kind: 'local', name: `${value.name}.integer`, type: i64 };
      case 'zero':
      case 'undef':
        return { ...value, type: integral(value.type) };
      case 'aggregate':
        return { ...value, elements: value.elements.map((each) => this.integer(each)), type: integral(value.type) };
      case 'global':
      case 'expression':
        if (value.type.kind !== 'ptr') return value;
        return { kind: 'expression', op: 'ptrtoint', operands: [value], sourceType: null, type: i64 };
      default:
        return value;
    }
  }

  /** Rewrites one instruction; what it needs before it comes first. */
  private rewrite(instruction: Instruction): Instruction[] {
    const { op, name, operands, type, place, callee } = instruction;
    const before: Instruction[] = [];
    const emit = (made: string, result: Type, inputs: Value[], fields: Partial<Instruction> = {}): Value => {
      const value: Value = { kind: 'local', name: `.paged${this.made++}`, type: result };
      before.push(makeInstruction(made, { name: value.name, type: result, operands: inputs, place, ...fields }));
      return value;
    };
    const isInteger = name !== null && this.integers.has(name);
    const withIntegers = (fields: Partial<Instruction> = {}): Instruction[] => [
      ...before,
      {
        ...instruction,
        operands: operands.map((operand) => this.integer(operand)),
        type: type.kind === 'ptr' && !isInteger ? type : integral(type),
        accessType: instruction.accessType && integral(instruction.accessType),
        ...fields,
      },
    ];
    /** The low half of an address, which is all of it where no page is meant. */
    const plain = (pointer: Value): Value =>
      this.isInteger(pointer) ? emit('inttoptr', pointer.type, [this.integer(pointer)]) : pointer;
    /** A pointer as what accesses it takes. */
    const placed = (pointer: Value): Value => {
      const space = this.pointers.space(pointer);
      if (!this.isInteger(pointer) || space > 1) return plain(pointer);
      const type = pointerType(space, this.module.pointerBytes);
      return emit('call', type, [this.integer(pointer)], { callee: 'simsight.paged' });
    };

    const at = accessed[op];
    if (at !== undefined)
      return withIntegers({
        operands: operands.map((operand, i) => (i === at ? placed(operand) : this.integer(operand))),
      });
    if (op === 'getelementptr' && isInteger) {
      const address = this.sum(instruction, (made, inputs) => emit(made, i64, inputs));
      return [...before, makeInstruction('freeze', { name, type: i64, operands: [address], place })];
    }
    if (casts.has(op) && type.kind === 'ptr') {
      const [value] = operands as [Value];
      if (!isInteger && !this.isInteger(value)) return [instruction];
      if (!isInteger) return [{ ...instruction, op: 'inttoptr', operands: [this.integer(value)] }];
      const from = this.integer(value);
      const narrow = from.type.kind === 'int' && from.type.bits < 64;
      return [{ ...instruction, op: narrow ? 'zext' : 'freeze', type: i64, operands: [from] }];
    }
    if (op === 'ptrtoint' || op === 'ptrtoaddr') {
      if (!this.isInteger(operands[0]!)) return [instruction];
      const bits = type.kind === 'int' ? type.bits : 64;
      return withIntegers({ op: bits < 64 ? 'trunc' : bits > 64 ? 'zext' : 'freeze' });
    }
    if (op !== 'call') {
      const isOther = type.kind === 'ptr' && !isInteger;
      const comparesOthers = op === 'icmp' && !operands.some((operand) => this.isInteger(operand));
      return isOther || comparesOthers ? [instruction] : withIntegers();
    }
    if (callee !== '' && this.module.functions.has(callee)) {
      const { parameters } = this.module.functions.get(callee)!;
      return withIntegers({
        operands: operands.map((each, i) => (parameters[i]?.byval == null ? this.integer(each) : each)),
      });
    }
    if (sameAddress.test(callee) && isInteger)
      return withIntegers({ op: 'freeze', callee: '', operands: [this.integer(operands[0]!)] });
    if (callee.startsWith('llvm.ptrmask') && isInteger) return withIntegers({ op: 'and', callee: '' });
    const isSpaceTest = callee.startsWith('llvm.nvvm.isspacep.');
    const call = findCall(callee);
    const memory = call?.memory;
    const family = call !== undefined && 'family' in call.from ? call.from.family : '';
    const inputs = operands.map((operand, i) => {
      const isWhole = copies.test(callee)
        ? operand.type.kind === 'ptr'
        : wholeFor.has(family) && this.isInteger(operand);
      if (isWhole) return this.integer(operand);
      if (memory?.pointer === i) return placed(operand);
      if (!isSpaceTest || !this.isInteger(operand)) return plain(operand);
      const most = emit('call', i64, [this.integer(operand), intConstant(globalAddress, i64)], {
        callee: 'llvm.umin.i64',
      });
      return emit('inttoptr', operand.type, [most]);
    });
    if (!isInteger) return [...before, { ...instruction, operands: inputs }];
    const narrow = `.paged${this.made++}`;
    return [
      ...before,
      { ...instruction, name: narrow, operands: inputs },
      makeInstruction('ptrtoint', { name, type: i64, operands: [{ kind: 'local', name: narrow, type }], place }),
    ];
  }

  /** A GEP as a sum, of what `emit` yields. */
  private sum({ operands, accessType }: Instruction, emit: (op: string, inputs: Value[]) => Value): Value {
    let address = this.integer(operands[0]!);
    let constant = 0;
    for (const { index, bytes } of accessType === null ? [] : gepSteps(accessType, operands.slice(1))) {
      if (index === null) constant += bytes;
      else {
        const isWide = index.type.kind === 'int' && index.type.bits >= 64;
        const whole = isWide ? index : emit('sext', [index]);
        address = emit('add', [address, bytes === 1 ? whole : emit('mul', [whole, intConstant(bytes, i64)])]);
      }
    }
    return constant === 0 ? address : emit('add', [address, intConstant(constant, i64)]);
  }
}
