import { gepSteps } from '../../../ir/addresses.ts';
import { functionAddress } from '../../../ir/functions.ts';
import type { Type, Value } from '../../../ir/ir.ts';
import { leavesOf, sizeOf } from '../../../ir/ir.ts';
import { launchField } from '../../layout.ts';
import { findIntrinsic } from '../table.ts';
import type { Leaf } from '../writer.ts';
import { laneBytes, laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { narrowBits } from './float-constants.ts';

/** Values that instructions read: constants, parameters, addresses of variables, results of other instructions. */
export class Operands {
  private readonly kernel: KernelContext;

  constructor(kernel: KernelContext) {
    this.kernel = kernel;
  }

  /** A value that must be one for the warp (a membermask): the lowest executing lane's. */
  scalar(leaf: Leaf): string {
    if (leaf.uniform) return leaf.text;
    const w = this.kernel.writer;
    const lane = w.call('i32', 'llvm.cttz.i32', [`i32 ${this.kernel.current.mask}`, 'i1 true']);
    return w.emit(`extractelement <32 x ${leaf.type}> ${leaf.text}, i32 ${lane}`);
  }

  /** Leaves of a value, in the order of {@link leavesOf}. */
  leaves(value: Value): Leaf[] {
    const w = this.kernel.writer;
    switch (value.kind) {
      case 'int':
        return [
          w.constant(
            laneType(value.type),
            value.type.kind === 'int' && value.type.bits === 1 ? (value.value === 0n ? 'false' : 'true') : value.value,
          ),
        ];
      case 'float':
        return value.type.kind === 'half' || value.type.kind === 'bfloat'
          ? [w.constant('i16', narrowBits(value.text, value.type.kind))]
          : [w.constant(laneType(value.type), value.text)];
      case 'zero':
      case 'undef':
        return leavesOf(value.type).map((leaf) => {
          const type = laneType(leaf.type);
          if (value.kind === 'undef') return w.constant(type, 'undef');
          return w.constant(type, type === 'float' || type === 'double' ? '0.0' : type === 'i1' ? 'false' : '0');
        });
      case 'aggregate':
        return value.elements.flatMap((element) => this.leaves(element));
      case 'global':
        return [this.variableAddress(value.name)];
      case 'expression':
        return this.expression(value);
      case 'local':
        return this.local(value);
      default:
        throw this.kernel.analysis.unsupported('this operand', null);
    }
  }

  /** The only leaf of a scalar value. */
  leaf(value: Value): Leaf {
    return this.leaves(value)[0] as Leaf;
  }

  private local(value: Value & { kind: 'local' }): Leaf[] {
    const { analysis, calls, current, locals, slots } = this.kernel;
    const known = current.values.get(value.name);
    if (known !== undefined) return known;
    const { root, offset } = analysis.pointers.resolve(value);
    if (root.kind !== 'local' || root.name !== value.name) {
      const sum = this.converted(this.plus(this.leaf(root), offset), laneType(value.type));
      current.values.set(value.name, [sum]);
      return [sum];
    }
    const parameter = analysis.fn.parameters.find((candidate) => candidate.name === value.name);
    if (parameter !== undefined)
      return analysis.called === null ? this.parameter(parameter.name) : calls.argument(parameter.name);
    const local = locals.offsets.get(value.name);
    if (local !== undefined) return [locals.address(local)];
    const instruction = analysis.pointers.definition(value);
    const special = instruction && analysis.isSpecial(value.name) ? findIntrinsic(instruction.callee) : undefined;
    const leaves =
      special && instruction
        ? special.emit(this.kernel, [], instruction)
        : slots.load('v', value.name, slots.types.get(value.name) ?? value.type);
    current.values.set(value.name, leaves);
    return leaves;
  }

  private parameter(name: string): Leaf[] {
    const { analysis, entry, writer } = this.kernel;
    const base = entry.launchValue(launchField.params, 'params').text;
    let offset = 0;
    for (const parameter of analysis.fn.parameters) {
      const type = parameter.byval ?? parameter.type;
      const align = parameter.byval ? Math.max(parameter.align, 1) : Math.min(16, sizeOf(type));
      offset = Math.ceil(offset / align) * align;
      if (parameter.name === name) {
        return entry.once(`param.${name}`, (emit) => {
          if (parameter.byval) return [writer.uniform('i32', emit(`add i32 ${base}, ${offset}`))];
          return leavesOf(type).map((leaf) => {
            const at = emit(`inttoptr i32 ${emit(`add i32 ${base}, ${offset + leaf.offset}`)} to ptr`);
            const lane = laneType(leaf.type);
            if (lane === 'i1') return writer.uniform('i1', emit(`trunc i8 ${emit(`load i8, ptr ${at}`)} to i1`));
            return writer.uniform(lane, emit(`load ${lane}, ptr ${at}, align ${Math.min(8, laneBytes(lane))}`));
          });
        });
      }
      offset += sizeOf(type);
    }
    throw analysis.unsupported('this parameter', null);
  }

  private variableAddress(name: string): Leaf {
    const { analysis, entry, writer } = this.kernel;
    const shared = analysis.places.shared.get(name);
    if (shared !== undefined) {
      const base = entry.launchValue(launchField.shared, 'shared');
      if (shared === 0) return base;
      return entry.once(`shared.${shared}`, (emit) => [
        writer.uniform('i32', emit(`add i32 ${base.text}, ${shared}`)),
      ])[0] as Leaf;
    }
    const code = functionAddress(analysis.module, name);
    if (code !== null) return writer.constant('i32', code);
    const index = analysis.places.table.get(name);
    if (index === undefined) throw analysis.unsupported(`the variable or function "${name}"`, null);
    const table = entry.launchValue(launchField.variables, 'variables').text;
    return entry.once(`variable.${index}`, (emit) => {
      const at = emit(`inttoptr i32 ${emit(`add i32 ${table}, ${4 * index}`)} to ptr`);
      return [writer.uniform('i32', emit(`load i32, ptr ${at}, align 4`))];
    })[0] as Leaf;
  }

  private expression(value: Value & { kind: 'expression' }): Leaf[] {
    const first = value.operands[0] as Value;
    if (value.op === 'getelementptr') return [this.address(first, value.sourceType, value.operands.slice(1))];
    const a = this.leaf(first);
    if (value.operands.length === 2)
      return [this.kernel.writer.binary(value.op, a, this.leaf(value.operands[1] as Value))];
    const type = laneType(value.type);
    return [
      a.type === type
        ? a
        : this.kernel.writer.cast(
            value.op === 'inttoptr' || value.op === 'ptrtoint'
              ? laneBytes(type) < laneBytes(a.type)
                ? 'trunc'
                : 'zext'
              : value.op,
            a,
            type,
          ),
    ];
  }

  /** base + indices, uniform terms summed as scalars first. */
  address(base: Value, sourceType: Type | null, indices: Value[]): Leaf {
    const w = this.kernel.writer;
    let offset = 0;
    const terms: Leaf[] = [this.leaf(base)];
    for (const { index, bytes } of sourceType === null ? [] : gepSteps(sourceType, indices)) {
      if (index === null) offset += bytes;
      else {
        let term = this.leaf(index);
        const bits = laneBytes(term.type) * 8;
        if (bits > 32) term = w.cast('trunc', term, 'i32');
        else if (bits < 32) term = w.cast('sext', term, 'i32');
        if (bytes !== 1)
          term = Number.isInteger(Math.log2(bytes))
            ? w.binary('shl', term, w.constant('i32', Math.log2(bytes)))
            : w.binary('mul', term, w.constant('i32', bytes));
        terms.push(term);
      }
    }
    if (offset !== 0) terms.push(w.constant('i32', offset | 0));
    const scalars = terms.filter((term) => term.uniform);
    const vectors = terms.filter((term) => !term.uniform);
    const sum = (list: Leaf[]): Leaf | undefined =>
      list.length === 0 ? undefined : list.reduce((a, b) => w.binary('add', a, b));
    const scalar = sum(scalars);
    const vector = sum(vectors);
    return scalar === undefined ? (vector as Leaf) : vector === undefined ? scalar : w.binary('add', vector, scalar);
  }

  /** A pointer as a base that is a value, and a constant offset in bytes. */
  pointerOf(pointer: Value): { root: Leaf; offset: number } {
    const { root, offset } = this.kernel.analysis.pointers.resolve(pointer);
    return { root: this.converted(this.leaf(root), 'i32'), offset };
  }

  /** A leaf plus a constant number of bytes. */
  plus(leaf: Leaf, offset: number): Leaf {
    const { writer } = this.kernel;
    return offset === 0
      ? leaf
      : writer.binary('add', leaf, writer.constant(leaf.type, leaf.type === 'i32' ? offset | 0 : offset));
  }

  /** An address as an integer of another width. */
  private converted(address: Leaf, type: string): Leaf {
    if (address.type === type) return address;
    return this.kernel.writer.cast(laneBytes(type) < laneBytes(address.type) ? 'trunc' : 'zext', address, type);
  }
}
