import { contains } from '../../ir/analysis/flow.ts';
import type { Opcode } from '../../model/opcodes.ts';
import type { SelectionContext } from './context.ts';
import type { Element } from './elements.ts';
import type { Local } from './facts.ts';
import { place, type Place } from './place.ts';

/** The registers of a number of 64 bits. */
interface Pair {
  name: string;
  lower: string[];
  upper: string[];
}

const pairOf = (name: string): Pair => ({ name, lower: [`${name}'1`], upper: [name] });

type Needs = Pick<SelectionContext, 'code' | 'counters' | 'elements' | 'facts' | 'values'>;

/** Addresses of elements of elements: their indices are added first, in 64 bits, and scaled then. */
export class IndexSums {
  private readonly kernel: Needs;
  /** Registers of which such addresses are made. */
  readonly parts = new Set<string>();
  /** Block of each sum of indices and each scaled sum, by name. */
  private readonly made = new Map<string, number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** The indices are added first, in 64 bits, and scaled then (SASS of sm_90: what is indexed off a pointer that was advanced). */
  addressOf(element: Element, name: string, at: Place): string {
    let sum = this.sumOf(element, at);
    const reads = this.kernel.values.need(element.base, at);
    const isShared = this.kernel.elements.basesOf.get(element.key)!.size > 1;
    if (isShared) {
      const scaled = pairOf(`${sum.name}*${element.scale}`);
      if (this.isNew(scaled.name, at)) {
        this.part(at, 'SHL', sum.lower, scaled.lower);
        this.part(at, 'SHF', [...sum.lower, ...sum.upper], scaled.upper);
      }
      sum = scaled;
    }
    const opcode = isShared ? 'IADD3' : 'LEA';
    this.part(at, opcode, [...reads, ...sum.lower], [`${name}'1`]);
    this.kernel.code.emit(at, opcode, [...reads, ...sum.lower, ...sum.upper, `${name}'1`], [name]);
    return name;
  }

  private part(at: Place, opcode: Opcode, reads: string[], writes: string[]): void {
    for (const name of writes) this.parts.add(name);
    this.kernel.code.emit(at, opcode, reads, writes);
  }

  /** The sum of an element's indices; of its own ones those that stay the same in the loop are added in front of it. */
  private sumOf({ own, after }: Element, at: Place): Pair {
    const { loop } = this.kernel.facts.flow.blocks[at.block]!;
    const stays = (index: Local): boolean => {
      const block = this.kernel.facts.definition(index)?.block.index;
      return loop === null || block === undefined || !contains(loop, block);
    };
    const staying = own.filter(stays);
    const ordered = [...staying, ...own.filter((index) => !stays(index))];
    let sum = after === null ? this.extended(ordered.shift()!, at) : this.sumOf(after, at);
    for (const index of ordered) {
      const isInvariant = after === null && staying.includes(index);
      sum = this.added(sum, index, isInvariant ? this.behind(staying, at) : at);
    }
    return sum;
  }

  /** Test for an index of 64 bits that counts in the loop, so that the address is stepped. */
  isStepped(index: Local, at: Place): boolean {
    const { loop } = this.kernel.facts.flow.blocks[at.block]!;
    if (loop === null || this.kernel.facts.words(index) === 1) return false;
    const names = [...this.kernel.facts.linear.of(index).keys()].flatMap((product) => product.split('*'));
    return names.some(
      (name) =>
        this.kernel.counters.names.has(name) && this.kernel.facts.definitions.get(name)?.block.index === loop.head,
    );
  }

  private isUnsigned(index: Local): boolean {
    return this.kernel.facts.definition(index)?.instruction.op === 'zext';
  }

  private extended(index: Local, at: Place): Pair {
    const { name } = index;
    const lower = this.kernel.values.need(index, at);
    if (this.kernel.facts.words(index) > 1) return { name, lower, upper: lower };
    if (this.isUnsigned(index)) return { name, lower, upper: [] };
    const upper = `${name}'upper`;
    const where = this.behind([index], at);
    if (this.isNew(upper, where)) this.part(where, 'SHF', lower, [upper]);
    return { name, lower, upper: [upper] };
  }

  private added(before: Pair, index: Local, at: Place): Pair {
    const sum = pairOf(`${before.name}+${index.name}`);
    if (!this.isNew(sum.name, at)) return sum;
    const lower = this.kernel.values.need(index, at);
    this.part(at, 'IADD3', [...before.lower, ...lower], sum.lower);
    const upper = this.isUnsigned(index) && this.kernel.facts.words(index) === 1 ? [] : lower;
    this.part(at, upper.length > 0 ? 'LEA' : 'IADD3', [...before.upper, ...upper, ...sum.lower], sum.upper);
    return sum;
  }

  /** Test for a part of a sum that has to be made here; it is there from now on. */
  private isNew(name: string, at: Place): boolean {
    const known = this.made.get(name);
    if (known !== undefined && this.kernel.facts.dominates(known, at.block)) return false;
    this.made.set(name, at.block);
    return true;
  }

  /** The first place at which all values are known. */
  private behind(values: readonly Local[], at: Place): Place {
    const made = values
      .map((value) => this.kernel.facts.definition(value))
      .filter((definition) => definition !== undefined);
    const last = made.sort((a, b) => a.block.index - b.block.index || a.order - b.order).at(-1);
    return last === undefined ? this.kernel.code.beforeLoops(at.block) : place(last.block.index, last.order);
  }
}
