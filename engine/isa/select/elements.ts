import { sizeOf, type Instruction, type Value } from '../../ir/ir.ts';
import type { SelectionContext } from './context.ts';
import type { Local } from './facts.ts';

/** Most pointers, each advanced from the one before, that make one address. */
const mostAdvances = 8;

/** An element of an element of a pointer, as its address is made. */
export interface Element {
  base: Value;
  /** Bytes of an element. */
  scale: number;
  own: readonly Local[];
  /** The element that its own indices are added to, if that is used without them as well. */
  after: Element | null;
  /** Names of all indices, in alphabetical order. */
  key: string;
}

type Needs = Pick<SelectionContext, 'facts'>;

/** Elements of pointers that are themselves elements of others. */
export class Elements {
  private readonly kernel: Needs;
  /** Addresses that are made of other ones, by name. */
  readonly byName = new Map<string, Element>();
  /** The pointers that have an element at a sum of indices, by {@link Element.key}. */
  readonly basesOf = new Map<string, Set<string>>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
    this.findElements();
  }

  /** Elements of pointers that are themselves elements, of the same size; not one step after another of the same length. */
  private findElements(): void {
    const linkOf = (value: Value): { base: Value; index: Local; scale: number } | null => {
      const instruction = this.kernel.facts.definition(value)?.instruction;
      if (instruction?.op !== 'getelementptr' || instruction.operands.length !== 2) return null;
      const [base, index] = instruction.operands;
      const scale = sizeOf(instruction.accessType!);
      return index?.kind === 'local' && instruction.type.kind === 'ptr' && scale > 1
        ? { base: base!, index, scale }
        : null;
    };
    const elementOf = (value: Value, scale: number, advances = 1): Element | null => {
      const link = linkOf(value);
      if (link?.scale !== scale || advances > mostAdvances) return null;
      const { base, index } = link;
      const { instruction } = this.kernel.facts.definition(value)!;
      const isLinked = base.kind === 'local' && this.isAdvanced(base, instruction) && !this.isAtHand(base, instruction);
      const before = isLinked ? elementOf(base, scale, advances + 1) : null;
      if (before === null) return { base, scale, own: [index], after: null, key: index.name };
      const isShared = base.kind === 'local' && this.kernel.facts.usersOf(base.name).length > 1;
      return {
        ...{ base: before.base, scale, after: isShared ? before : before.after },
        own: isShared ? [index] : [...before.own, index],
        key: [...before.key.split('+'), index.name].sort().join('+'),
      };
    };
    for (const [name, { instruction }] of this.kernel.facts.definitions) {
      const value: Value = { kind: 'local', name, type: instruction.type };
      const link = linkOf(value);
      const element = link && elementOf(value, link.scale);
      const names = element?.key.split('+') ?? [];
      if (element === null || names.length === 1 || new Set(names).size < names.length) continue;
      const { base, key } = element;
      this.byName.set(name, element);
      this.basesOf.set(
        key,
        (this.basesOf.get(key) ?? new Set()).add(base.kind === 'local' || base.kind === 'global' ? base.name : ''),
      );
    }
  }

  /**
   * Test for a pointer that the source has and indexes: it has a name then, and Clang knows that both are in bounds. Where Clang takes
   * one index apart, the pointer has none, or bounds are not known. What it moves out of a loop has a name of its own.
   */
  private isAdvanced(pointer: Local, user: Instruction): boolean {
    const made = this.kernel.facts.definition(pointer)?.instruction;
    const [, index] = made?.operands ?? [];
    if (pointer.name.startsWith('invariant.gep')) return index?.kind === 'local' && index.name.startsWith('idx.ext');
    const areInBounds = made?.flags.includes('inbounds') === true && user.flags.includes('inbounds');
    return areInBounds && !/^\d/.test(pointer.name);
  }

  /** Test for a pointer that its own block accesses, and so has in a register. */
  private isAtHand(pointer: Local, user: Instruction): boolean {
    const block = this.kernel.facts.definition(pointer)!.block.index;
    const isAccessed = (each: Instruction): boolean =>
      /^(load|store|atomicrmw)$/.test(each.op) ||
      ((each.op === 'addrspacecast' || (each.op === 'getelementptr' && each.operands[1]?.kind === 'int')) &&
        this.kernel.facts.usersOf(each.name!).some(isAccessed));
    return (
      this.kernel.facts.blockOf.get(user) === block &&
      this.kernel.facts
        .usersOf(pointer.name)
        .some((each) => this.kernel.facts.blockOf.get(each) === block && isAccessed(each))
    );
  }
}
