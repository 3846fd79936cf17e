/**
 * Facts about pointers before a kernel runs: base and constant offset, address space, alignment. NVPTX's own
 * passes for this (address-space inference, load/store vectorizer) are not in the Clang we carry.
 */
import type { FunctionIr, GlobalIr, Instruction, ModuleIr, Type, Value } from './ir.ts';
import { alignOf, elementType, fieldOffset, sizeOf } from './ir.ts';

/** A pointer as `root + offset`, after following GEPs with constant indices and casts that change nothing. */
export interface Address {
  root: Value;
  offset: number;
}

/** 0 generic, 1 global, 3 shared, 4 constant, 5 local, as LLVM numbers them for NVPTX; 101: kernel parameters. */
export type Space = 0 | 1 | 3 | 4 | 5 | 101;
export const parameterSpace: Space = 101;

/** Alignment of shared variables: what a vector access could cover begins at a multiple of 16. */
export const sharedAlignment = (variable: GlobalIr): number => {
  const size = sizeOf(variable.type);
  return Math.max(variable.align, size === 0 || size >= 16 ? 16 : 4);
};

/** Casts that leave an address as it is. */
const samePointer = new Set(['addrspacecast', 'bitcast', 'freeze', 'inttoptr', 'ptrtoint', 'ptrtoaddr']);

/**
 * What the indices of a GEP add to its base, one after the other: so many bytes, or an index that varies times so many bytes.
 *
 *   getelementptr { i32, [8 x float] }, ptr %p, i64 2, i32 1, i64 %i  →  72 bytes, 4 bytes, %i times 4 bytes
 */
export function* gepSteps(sourceType: Type, indices: Value[]): Generator<{ index: Value | null; bytes: number }> {
  let type = sourceType;
  for (const [i, index] of indices.entries()) {
    const isConstant = index.kind === 'int' || index.kind === 'zero';
    const constant = index.kind === 'int' ? Number(BigInt.asIntN(64, index.value)) : 0;
    if (i > 0 && type.kind === 'struct') {
      yield { index: null, bytes: fieldOffset(type, constant) };
      type = elementType(type, constant);
      continue;
    }
    if (i > 0) type = elementType(type, 0);
    yield isConstant ? { index: null, bytes: constant * sizeOf(type) } : { index, bytes: sizeOf(type) };
  }
}

export class Pointers {
  private readonly definitions = new Map<string, Instruction>();
  private readonly parameters = new Map<string, FunctionIr['parameters'][number]>();
  private readonly module: ModuleIr;
  private readonly isKernel: boolean;
  private readonly spaces = new Map<string, Space | null>();

  constructor(module: ModuleIr, fn: FunctionIr) {
    this.module = module;
    this.isKernel = fn.isKernel;
    for (const block of fn.blocks)
      for (const instruction of block.instructions)
        if (instruction.name !== null) this.definitions.set(instruction.name, instruction);
    for (const parameter of fn.parameters) this.parameters.set(parameter.name, parameter);
  }

  /** True if a name is a `__restrict__` parameter's. */
  isRestricted(name: string): boolean {
    return this.parameters.get(name)?.restrict ?? false;
  }

  definition(value: Value): Instruction | undefined {
    return value.kind === 'local' ? this.definitions.get(value.name) : undefined;
  }

  /** The constant byte distance of a GEP, or null where an index is variable. */
  static constantOffset(sourceType: Instruction['accessType'], indices: Value[]): number | null {
    if (sourceType === null) return null;
    let offset = 0;
    for (const { index, bytes } of gepSteps(sourceType, indices)) {
      if (index !== null) return null;
      offset += bytes;
    }
    return offset;
  }

  resolve(value: Value): Address {
    let root = value;
    let offset = 0;
    for (;;) {
      const node = root.kind === 'expression' ? root : this.definition(root);
      if (node === undefined) return { root, offset };
      const first = node.operands[0];
      if (first === undefined) return { root, offset };
      if (node.op === 'getelementptr') {
        const source = 'sourceType' in node ? node.sourceType : node.accessType;
        const step = Pointers.constantOffset(source, node.operands.slice(1));
        if (step === null) return { root, offset };
        offset += step;
        root = first;
      } else if (samePointer.has(node.op) && this.holdsAddress(node.type) && this.holdsAddress(first.type)) {
        root = first;
      } else return { root, offset };
    }
  }

  /**
   * The same with indices divided into what varies and constants, so that neighbours have one root: Clang puts the constant of `p[i + 1]`
   * into an index of 64 bits, where no GEP of its own can hold it (NVPTX's pass for that is SeparateConstOffsetFromGEP).
   */
  place(value: Value): { key: string; offset: number } | null {
    const { root, offset } = this.resolve(value);
    const name = root.kind === 'local' || root.kind === 'global' ? `${root.kind}${root.name}` : null;
    const node = this.definition(root);
    const base = node?.operands[0];
    if (this.module.pointerBytes === 4 || node?.op !== 'getelementptr' || base === undefined || name === null)
      return name === null ? null : { key: name, offset };
    const from = this.place(base);
    if (from === null || node.accessType === null) return { key: name, offset };
    const varying = new Map<string, number>();
    let distance = offset + from.offset;
    for (const { index, bytes } of gepSteps(node.accessType, node.operands.slice(1)))
      distance += index === null ? bytes : this.addTerms(index, bytes, varying, 0);
    const terms = [...varying].filter(([, scale]) => scale !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    return { key: [from.key, ...terms.map(([term, scale]) => `${scale}*${term}`)].join(' '), offset: distance };
  }

  /** Adds an index times `scale` to sums of products; the constant part is returned. */
  private addTerms(index: Value, scale: number, sums: Map<string, number>, depth: number, extension = ''): number {
    if (index.kind === 'zero') return 0;
    if (index.kind === 'int') return Number(BigInt.asIntN(64, index.value)) * scale;
    const node = this.definition(index);
    const [left, right] = node?.operands ?? [];
    if (node !== undefined && left !== undefined && depth < 16) {
      const { op, flags } = node;
      const isExact = extension === '' || flags.includes(extension === 'sext' ? 'nsw' : 'nuw');
      if ((op === 'sext' || op === 'zext') && extension === '') {
        // Of what is not negative both are the same.
        const kind = op === 'zext' && flags.includes('nneg') ? 'sext' : op;
        return this.addTerms(left, scale, sums, depth + 1, kind);
      }
      if (op === 'freeze') return this.addTerms(left, scale, sums, depth + 1, extension);
      if (right !== undefined && ((op === 'add' && isExact) || (op === 'or' && flags.includes('disjoint'))))
        return (
          this.addTerms(left, scale, sums, depth + 1, extension) +
          this.addTerms(right, scale, sums, depth + 1, extension)
        );
      if (op === 'shl' && isExact && right?.kind === 'int' && right.value < 16n)
        return this.addTerms(left, scale * 2 ** Number(right.value), sums, depth + 1, extension);
    }
    const term = `${extension} ${index.kind === 'local' || index.kind === 'global' ? index.name : '?'}`;
    sums.set(term, (sums.get(term) ?? 0) + scale);
    return 0;
  }

  /** An address has 32 bits; those above them, of a 64-bit one, are zero. */
  private holdsAddress(type: Type): boolean {
    if (type.kind === 'ptr') return true;
    return type.kind === 'int' && (type.bits === 32 || (type.bits === 64 && this.module.pointerBytes === 8));
  }

  space(value: Value): Space {
    return this.lookup(value, 0) ?? 0;
  }

  /** null: nothing known yet (a cycle through phi nodes), to be decided by the other operands. */
  private lookup(value: Value, depth: number): Space | null {
    const { root } = this.resolve(value);
    // The space that the program states (`ld.shared`, a pointer made of a number) counts if the root says nothing.
    const stated = value.type.kind === 'ptr' ? value.type.space : 0;
    if ((stated === 1 || stated === 3 || stated === 4 || stated === 5) && root.type.kind !== 'ptr') return stated;
    const own = root.type.kind === 'ptr' ? root.type.space : 0;
    if (root.kind === 'global') {
      const space = this.module.globals.get(root.name)?.space ?? 0;
      return space === 3 || space === 4 || space === 1 ? space : 1;
    }
    if (own === 1 || own === 3 || own === 4 || own === 5) return own;
    if (root.kind === 'undef') return null;
    if (root.kind !== 'local' && root.kind !== 'expression') return 0;
    if (root.kind === 'local') {
      const parameter = this.parameters.get(root.name);
      if (parameter !== undefined) return parameter.byval !== null ? parameterSpace : this.isKernel ? 1 : 0;
      if (this.spaces.has(root.name)) return this.spaces.get(root.name) ?? null;
    }
    const node = root.kind === 'expression' ? root : this.definition(root);
    if (node === undefined || depth > 64) return 0;
    if (node.op === 'alloca') return 5;
    if (node.op === 'getelementptr') return node.operands[0] ? this.lookup(node.operands[0], depth + 1) : 0;
    // A pointer that a kernel finds in its parameters points to global memory, as nvcc assumes too.
    if (node.op === 'load' && node.operands[0])
      return this.lookup(node.operands[0], depth + 1) === parameterSpace ? 1 : 0;
    if (node.op === 'phi' || node.op === 'select') {
      if (root.kind === 'local') this.spaces.set(root.name, null);
      let result: Space | null = null;
      for (const operand of node.op === 'phi' ? node.operands : node.operands.slice(1)) {
        const space = this.lookup(operand, depth + 1);
        if (space !== null) result = result === null || result === space ? space : 0;
      }
      if (root.kind === 'local') {
        if (depth === 0) this.spaces.set(root.name, result);
        else this.spaces.delete(root.name);
      }
      return result;
    }
    return 0;
  }

  /** A power of two that divides the address, as far as is known. */
  alignment(value: Value, depth = 0): number {
    const { root, offset } = this.resolve(value);
    const low = offset === 0 ? 4096 : offset & -offset;
    if (root.kind === 'global') {
      const global = this.module.globals.get(root.name);
      return Math.min(low, global?.space === 3 ? sharedAlignment(global) : Math.max(16, global?.align ?? 1));
    }
    const node = root.kind === 'expression' ? root : this.definition(root);
    if (node?.op === 'alloca' && 'accessType' in node && node.accessType)
      return Math.min(low, Math.max(node.align, alignOf(node.accessType)));
    if ((node?.op === 'phi' || node?.op === 'select') && depth < 6) {
      const pointers = node.op === 'phi' ? node.operands : node.operands.slice(1);
      return Math.min(low, ...pointers.map((operand) => this.alignment(operand, depth + 2)));
    }
    if (node?.op !== 'getelementptr' || depth > 8 || node.operands[0] === undefined) return 1;
    let align = Math.min(low, this.alignment(node.operands[0], depth + 1));
    const type = 'sourceType' in node ? node.sourceType : node.accessType;
    if (type === null) return 1;
    for (const { index, bytes } of gepSteps(type, node.operands.slice(1))) {
      const factor = index === null ? bytes : bytes * this.factor(index, 0);
      if (factor !== 0) align = Math.min(align, factor & -factor);
    }
    return align;
  }

  /** A power of two that divides an integer. */
  private factor(value: Value, depth: number): number {
    if (value.kind === 'int')
      return value.value === 0n ? 4096 : Number(BigInt.asUintN(12, value.value & -value.value)) || 4096;
    const node = this.definition(value);
    const [left, right] = node?.operands ?? [];
    if (node === undefined || left === undefined || depth > 6) return 1;
    if (node.op === 'sext' || node.op === 'zext' || node.op === 'trunc') return this.factor(left, depth + 1);
    if (node.op === 'phi' || node.op === 'select') {
      const values = node.op === 'phi' ? node.operands : node.operands.slice(1);
      return Math.min(...values.map((operand) => this.factor(operand, depth + 2)));
    }
    if (right === undefined) return 1;
    if (node.op === 'shl' && right.kind === 'int')
      return Math.min(4096, this.factor(left, depth + 1) * 2 ** Math.min(12, Number(right.value)));
    if (node.op === 'mul') return Math.min(4096, this.factor(left, depth + 1) * this.factor(right, depth + 1));
    if (node.op === 'add' || node.op === 'or')
      return Math.min(this.factor(left, depth + 1), this.factor(right, depth + 1));
    if (node.op === 'and') return Math.max(this.factor(left, depth + 1), this.factor(right, depth + 1));
    return 1;
  }
}
