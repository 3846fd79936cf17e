import { sizeOf, type Instruction, type Value } from '../../ir/ir.ts';
import { keyOf, plus, type Linear } from '../linear.ts';
import type { SelectionContext } from './context.ts';
import type { Local } from './facts.ts';
import type { Place } from './place.ts';

type Needs = Pick<SelectionContext, 'code' | 'counters' | 'elements' | 'facts' | 'sums' | 'values'>;

/** Registers of addresses: made of their base and indices, or of an address at hand that differs by one product. */
export class Addresses {
  private readonly kernel: Needs;
  private readonly made: { block: number; register: string; form: Linear }[] = [];

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The register of a pointer that a GEP makes; constant distances from it are part of the instructions that use it. */
  pointer(value: Local, at: Place): string[] {
    const { root, offset } = this.kernel.facts.pointers.resolve(value);
    const isShort = this.kernel.facts.isShort(this.kernel.facts.pointers.space(value));
    if (root.kind !== 'local' || root.name !== value.name) {
      const base = this.kernel.values.need(root, at);
      if (offset === 0 || base.length === 0 || this.onlyAddresses(value.name)) return base;
      this.kernel.code.chain(at, 'IADD3', base, value.name, isShort ? 1 : 2);
      return [value.name];
    }
    const form = this.kernel.facts.linear.of(value);
    const key = keyOf(form);
    const here = this.made.filter((other) => this.kernel.facts.dominates(other.block, at.block));
    const same = here.find((other) => keyOf(other.form) === key);
    if (same !== undefined) return [same.register];
    const register = this.newAddress(value, form, here, isShort, at);
    this.made.push({ block: at.block, register, form });
    return [register];
  }

  private onlyAddresses(name: string): boolean {
    return this.kernel.facts.usersOf(name).every(({ op, operands }) => {
      const isStored = operands[0]?.kind === 'local' && operands[0].name === name;
      return /^(load|getelementptr|atomicrmw)$/.test(op) || (op === 'store' && !isStored);
    });
  }

  private newAddress(
    value: Local,
    form: Linear,
    here: { register: string; form: Linear }[],
    isShort: boolean,
    at: Place,
  ): string {
    const { instruction } = this.kernel.facts.definitions.get(value.name)!;
    const [base, ...indices] = instruction.operands;
    const variable = indices.filter((index) => index.kind === 'local');
    const element = isShort ? undefined : this.kernel.elements.byName.get(value.name);
    if (element !== undefined && !element.own.some((index) => this.kernel.sums.isStepped(index, at)))
      return this.kernel.sums.addressOf(element, value.name, at);
    let reads = this.kernel.values.need(base!, at);
    // From the last address that differs by one product, unless that is where it starts from anyway.
    for (const other of here.filter(({ register }) => register !== reads[0]).reverse()) {
      const distance = [...plus(form, other.form, -1)].filter(([product]) => product !== '');
      const [first] = distance;
      if (distance.length !== 1 || first === undefined) continue;
      const [product] = first;
      const names = product.split('*');
      if (names.length !== 1 || this.kernel.counters.names.has(names[0]!) || names[0]!.startsWith('@')) continue;
      const symbol: Value = { kind: 'local', name: names[0]!, type: this.kernel.facts.typeOf(names[0]!) };
      if (symbol.type.kind === 'ptr' || (!isShort && this.kernel.facts.words(symbol) !== 1)) continue;
      if (variable.length === 1 && this.kernel.facts.words(variable[0]!) === 1 && !this.isNewProduct(variable[0]!))
        continue;
      this.kernel.code.emit(
        at,
        isShort ? 'IMAD' : 'IMAD.WIDE',
        [other.register, ...this.kernel.values.need(symbol, at)],
        [value.name],
      );
      return value.name;
    }
    if (isShort && reads.length === 0 && variable.length === 1 && sizeOf(instruction.accessType!) === 1) {
      // Where a variable lies is part of the instruction that accesses it.
      const [offset] = this.kernel.values.need(variable[0]!, at);
      if (offset !== undefined) return offset;
    }
    variable.forEach((index, i) => {
      const made = i === variable.length - 1 ? value.name : `${value.name}'${i}`;
      const narrow = this.kernel.facts.words(index) === 1;
      const products = [...this.kernel.facts.linear.of(index)].filter(([product]) => product.includes('*'));
      // A product with a counter of a loop: the address is stepped instead.
      if (products.length > 0 && this.kernel.counters.hasCounter(products.map(([product]) => product))) {
        const names = products
          .flatMap(([product]) => product.split('*'))
          .filter((name) => !this.kernel.counters.names.has(name));
        const symbols = names.map((name): Value => ({ kind: 'local', name, type: this.kernel.facts.typeOf(name) }));
        this.kernel.code.emit(
          at,
          isShort ? 'IMAD' : 'IMAD.WIDE',
          [...reads, ...this.kernel.values.needAll(symbols, at)],
          [made],
        );
      } else if (isShort)
        this.kernel.code.emit(at, 'LEA', [...reads, ...this.kernel.values.need(this.unshifted(index), at)], [made]);
      else if (narrow)
        this.kernel.code.emit(at, 'IMAD.WIDE', [...reads, ...this.kernel.values.need(index, at)], [made]);
      else {
        const scaled = `${index.kind === 'local' ? index.name : ''}*${sizeOf(instruction.accessType!)}`;
        const shared = this.pointersOf(index) > 1 && sizeOf(instruction.accessType!) > 1;
        if (shared && !this.kernel.code.loaded.has(scaled)) {
          this.kernel.code.loaded.add(scaled);
          this.kernel.code.chain(at, 'SHF', this.kernel.values.need(index, at), scaled, 2);
        }
        const scale = sizeOf(instruction.accessType!);
        const odd = (scale & (scale - 1)) !== 0 && !shared;
        this.kernel.code.chain(
          at,
          shared ? 'IADD3' : odd ? 'IMAD.ADDRESS' : 'LEA',
          [...reads, ...(shared ? [scaled] : this.kernel.values.need(index, at))],
          made,
          odd ? 3 : 2,
        );
      }
      reads = [made];
    });
    return variable.length === 0 ? (reads[0] ?? value.name) : value.name;
  }

  /** The value that an index shifts and does nothing else to: LEA shifts by that, too. The index itself otherwise. */
  private unshifted(index: Value): Value {
    const form = [...this.kernel.facts.linear.of(index)];
    const [first] = form;
    if (form.length !== 1 || first === undefined || first[0] === '' || first[0].includes('*')) return index;
    const [name, scale] = first;
    const isPower = scale > 1 && (scale & (scale - 1)) === 0;
    const isKnown = index.kind === 'local' && this.kernel.values.selected.has(index.name);
    return isPower && !isKnown && this.kernel.facts.definitions.has(name)
      ? { kind: 'local', name, type: this.kernel.facts.typeOf(name) }
      : index;
  }

  /** Number of addresses that are made with an index. */
  private pointersOf(index: Value): number {
    if (index.kind !== 'local') return 0;
    const isIndex = ({ op, operands }: Instruction): boolean =>
      op === 'getelementptr' &&
      operands.slice(1).some((operand) => operand.kind === 'local' && operand.name === index.name);
    return new Set(this.kernel.facts.usersOf(index.name).filter(isIndex)).size;
  }

  /** A multiplication that nothing else needs. */
  private isNewProduct(index: Value): boolean {
    const inner = this.kernel.facts.definition(index)?.instruction;
    if (inner === undefined) return false;
    if (inner.op === 'sext' || inner.op === 'zext') return this.isNewProduct(inner.operands[0]!);
    if (inner.op === 'add' || inner.op === 'or' || inner.op === 'sub' || inner.op === 'mul')
      return !this.kernel.values.selected.has(inner.name ?? '');
    return false;
  }
}
