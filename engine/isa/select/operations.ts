import type { Instruction, Value } from '../../ir/ir.ts';
import { findCall } from '../../ir/calls/table.ts';
import type { SelectionContext } from './context.ts';
import type { Place } from './place.ts';
import { floatOpcode, instructionsFor, isHalf, isPredicate, partAt, partsOf, scalar } from './types.ts';

const aliasOps = new Set(['bitcast', 'freeze', 'addrspacecast', 'inttoptr', 'ptrtoint', 'trunc', 'fneg']);

type Needs = Pick<SelectionContext, 'addresses' | 'arithmetic' | 'calls' | 'code' | 'facts' | 'values'>;

/** Selection of one instruction of LLVM IR by its operation. */
export class Operations {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The registers of an instruction's result; the machine code that makes it is emitted. */
  select(instruction: Instruction, name: string, at: Place): string[] {
    const { op, operands, type } = instruction;
    switch (op) {
      case 'phi':
        // Values that come around a loop may be under way: their registers are not known yet.
        this.kernel.values.phis.push({ instruction, name });
        return [name];
      case 'alloca':
        return ['stack'];
      case 'getelementptr':
        return this.kernel.addresses.pointer({ kind: 'local', name, type }, at);
      case 'extractelement':
      case 'extractvalue':
        return this.extracted(instruction, at);
      case 'insertelement':
      case 'insertvalue':
        return this.inserted(instruction, at);
      case 'add':
      case 'sub':
      case 'mul':
      case 'shl':
      case 'lshr':
      case 'ashr':
      case 'and':
      case 'or':
      case 'xor':
      case 'udiv':
      case 'sdiv':
      case 'urem':
      case 'srem':
      case 'icmp':
      case 'select':
        return this.integer(instruction, name, at);
      case 'fadd':
      case 'fsub':
      case 'fmul':
      case 'fdiv':
      case 'frem':
      case 'fcmp':
        return this.floatingPoint(instruction, name, at);
      case 'zext':
      case 'sext':
      case 'fptrunc':
      case 'fpext':
      case 'fptosi':
      case 'fptoui':
      case 'sitofp':
      case 'uitofp':
        return this.conversion(instruction, name, at);
      case 'call':
        // Those that access memory are emitted where they stand.
        return findCall(instruction.callee)?.memory === undefined
          ? this.kernel.calls.call(instruction, at)
          : this.kernel.values.results(instruction);
      case 'load':
      case 'atomicrmw':
      case 'cmpxchg':
        return this.kernel.values.results(instruction);
      default:
        // Vectors (shufflevector) need all elements.
        return aliasOps.has(op) ? this.kernel.values.need(operands[0]!, at) : this.kernel.values.needAll(operands, at);
    }
  }

  /** The registers of one element of a vector, or one field of a struct. */
  private extracted(instruction: Instruction, at: Place): string[] {
    const {
      op,
      operands: [left, right],
    } = instruction;
    const all = this.kernel.values.need(left!, at);
    const index = op === 'extractvalue' ? instruction.indices[0] : right?.kind === 'int' ? Number(right.value) : 0;
    return all.length > 1 ? [all[Math.min(partAt(left!.type, index ?? 0), all.length - 1)]!] : all;
  }

  /** The registers of a vector or struct with one element or field replaced. */
  private inserted(instruction: Instruction, at: Place): string[] {
    const { op, operands, type } = instruction;
    const [left, right] = operands;
    const before = this.kernel.values.need(left!, at);
    const inserted = this.kernel.values.need(right!, at);
    const size = partsOf(type);
    const index =
      op === 'insertvalue'
        ? (instruction.indices[0] ?? 0)
        : operands[2]?.kind === 'int'
          ? Number(operands[2].value)
          : 0;
    const list = Array.from({ length: size }, (_, i) => before[before.length > 1 ? i : 0] ?? '');
    list[partAt(type, index)] = inserted[0] ?? '';
    return list;
  }

  /** Operations on integers and predicates, and selections. */
  private integer(instruction: Instruction, name: string, at: Place): string[] {
    const { op, operands, type } = instruction;
    const element = scalar(type);
    const count = instructionsFor(type);
    const words = this.kernel.facts.words({ kind: 'local', name, type });
    switch (op) {
      case 'add':
      case 'sub':
        this.kernel.arithmetic.sum(instruction, name, at, words, count);
        return [name];
      case 'mul':
        this.kernel.arithmetic.product(instruction, name, at, words, count);
        return [name];
      case 'shl':
      case 'lshr':
      case 'ashr':
        return this.kernel.arithmetic.shift(instruction, name, at, words, count);
      case 'and':
      case 'or':
      case 'xor':
        return this.kernel.arithmetic.logic(instruction, name, at, words, count);
      case 'udiv':
      case 'sdiv':
      case 'urem':
      case 'srem':
        this.kernel.arithmetic.division(instruction, name, at, words, count);
        return [name];
      case 'icmp':
        return this.comparison(instruction, name, at, count);
      case 'select':
        if (isPredicate(element)) this.kernel.code.emit(at, 'PLOP3', this.kernel.values.needAll(operands, at), [name]);
        else
          this.kernel.code.chain(
            at,
            element.kind === 'float' ? 'FSEL' : 'SEL',
            this.kernel.values.needAll(operands, at),
            name,
            words * count,
          );
        return [name];
      default:
        return this.kernel.values.needAll(operands, at);
    }
  }

  /** Operations on floating-point numbers. */
  private floatingPoint(instruction: Instruction, name: string, at: Place): string[] {
    const { op, operands, type } = instruction;
    const element = scalar(type);
    const count = instructionsFor(type);
    const [left] = operands;
    switch (op) {
      case 'fadd':
      case 'fsub':
      case 'fmul':
        this.kernel.arithmetic.float(instruction, name, at, count);
        return [name];
      case 'fdiv': {
        this.kernel.arithmetic.quotient(
          element,
          this.kernel.values.needAll(operands, at),
          left?.kind === 'float' && Number(left.text) === 1,
          name,
          at,
        );
        return [name];
      }
      case 'frem':
        this.kernel.code.chain(
          at,
          floatOpcode(element, 'FMA'),
          this.kernel.values.needAll(operands, at),
          name,
          20 * count,
        );
        return [name];
      case 'fcmp':
        this.kernel.code.emit(at, floatOpcode(scalar(left!.type), 'SETP'), this.kernel.values.needAll(operands, at), [
          name,
        ]);
        return [name];
      default:
        return this.kernel.values.needAll(operands, at);
    }
  }

  /** Conversions between numbers of different types. */
  private conversion(instruction: Instruction, name: string, at: Place): string[] {
    const { op, operands, type } = instruction;
    const element = scalar(type);
    const count = instructionsFor(type);
    const words = this.kernel.facts.words({ kind: 'local', name, type });
    const [left] = operands;
    switch (op) {
      case 'zext':
      case 'sext':
        return this.extend(instruction, name, at, words);
      case 'fptrunc':
      case 'fpext':
        this.kernel.code.chain(
          at,
          isHalf(element) || isHalf(scalar(left!.type)) ? 'F2F.F16' : 'F2F',
          this.kernel.values.needAll(operands, at),
          name,
          count,
        );
        return [name];
      case 'fptosi':
      case 'fptoui':
        this.kernel.code.chain(at, 'F2I', this.kernel.values.needAll(operands, at), name, count);
        return [name];
      case 'sitofp':
      case 'uitofp':
        // 32 bits to float on the ALU since Ampere: I2FP.
        if (element.kind === 'float' && this.kernel.facts.words(left!) === 1)
          this.kernel.code.chain(at, 'I2FP', this.kernel.values.needAll(operands, at), name, count);
        else this.kernel.code.chain(at, 'I2F', this.kernel.values.needAll(operands, at), name, count);
        return [name];
      default:
        return this.kernel.values.needAll(operands, at);
    }
  }

  private comparison(instruction: Instruction, name: string, at: Place, count: number): string[] {
    const { operands } = instruction;
    const [left, right] = operands;
    const truth = this.truthOf(instruction);
    if (truth !== null) return this.kernel.values.need(truth, at);
    this.kernel.code.chain(
      at,
      'ISETP',
      this.kernel.values.needAll(operands, at),
      name,
      Math.max(this.kernel.facts.words(left!), this.kernel.facts.words(right!)) * count,
    );
    return [name];
  }

  private extend(instruction: Instruction, name: string, at: Place, words: number): string[] {
    const [from] = instruction.operands;
    const reads = this.kernel.values.need(from!, at);
    if (isPredicate(from!.type)) {
      this.kernel.code.emit(at, 'SEL', reads, [name]);
      return [name];
    }
    const small = from!.type.kind === 'int' && from!.type.bits < 32;
    if (small && this.kernel.facts.definition(from!)?.instruction.op !== 'load') {
      this.kernel.code.emit(at, 'LOP3', reads, [name]);
      return [name];
    }
    if (words === 2) {
      this.kernel.code.emit(at, instruction.op === 'sext' ? 'SHF' : 'MOV', reads, [name]);
      return [name];
    }
    return reads;
  }

  /** The predicate that an integer stands for which is compared with zero: as it is or the other way around costs the same. */
  private truthOf({ predicate, operands: [number, zero] }: Instruction): Value | null {
    if (!/^(eq|ne)$/.test(predicate) || zero?.kind !== 'int' || zero.value !== 0n) return null;
    let made = this.kernel.facts.definition(number!)?.instruction;
    while (made?.op === 'freeze') made = this.kernel.facts.definition(made.operands[0]!)?.instruction;
    const [condition, ...values] = made?.op === 'select' ? made.operands : [];
    const isBit = values.every((value, i) => value.kind === 'int' && value.value === BigInt(1 - i));
    return condition !== undefined && isBit && condition.type.kind === 'int' ? condition : null;
  }
}
