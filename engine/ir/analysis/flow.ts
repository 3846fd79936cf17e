/**
 * Control flow of one kernel: blocks in a weak topological order (Bourdoncle 1993), in which every loop, reducible or
 * not, is contiguous and begins with its head, and every other edge leads forward. Executing pending lanes in that order
 * reconverges them at the immediate post-dominator at the latest.
 */
import type { Block, Instruction } from '../ir.ts';
import { terminatorOf } from '../ir.ts';

export interface Loop {
  head: number;
  /** One past the last block. */
  end: number;
  parent: Loop | null;
  /** Made by analysis/spin.ts: lanes wait at its head while others go on in it. */
  fair?: boolean;
}

export interface FlowBlock {
  index: number;
  block: Block;
  terminator: Instruction;
  /** Indices; for a switch one per label, so targets may repeat. */
  successors: number[];
  predecessors: number[];
  loop: Loop | null;
}

export interface Flow {
  blocks: FlowBlock[];
  indexOf: Map<string, number>;
  /** Immediate post-dominator; -1: only the end of the kernel. */
  postDominator: number[];
}

export const contains = (loop: Pick<Loop, 'head' | 'end'>, index: number): boolean =>
  index >= loop.head && index < loop.end;

export function loopsOf(block: FlowBlock): Loop[] {
  const loops: Loop[] = [];
  for (let loop = block.loop; loop !== null; loop = loop.parent) loops.push(loop);
  return loops;
}

export function buildFlow(blocks: Block[]): Flow {
  const byName = new Map(blocks.map((block, i) => [block.name, i]));
  const successors = blocks.map((block) => terminatorOf(block).labels.map((label) => byName.get(label) ?? 0));

  // Weak topological order, by Bourdoncle's algorithm on the graph restricted to `members`.
  type Element = { vertex: number; inner: Element[] | null };
  const order = (members: Set<number>, entry: number): Element[] => {
    let result: Element[] = [];
    const number = new Map<number, number>();
    const stack: number[] = [];
    let next = 0;
    const visit = (vertex: number): number => {
      stack.push(vertex);
      number.set(vertex, ++next);
      let head = next;
      let loop = false;
      // The last successor first: the list grows at the front, so the first successor comes first in the result.
      for (const target of [...(successors[vertex] ?? [])].reverse()) {
        if (!members.has(target)) continue;
        const low = number.has(target) ? (number.get(target) ?? 0) : visit(target);
        if (low <= head) {
          head = low;
          loop = true;
        }
      }
      if (head === number.get(vertex)) {
        number.set(vertex, Infinity);
        let element = stack.pop();
        if (loop) {
          const component = new Set<number>();
          while (element !== undefined && element !== vertex) {
            number.delete(element);
            component.add(element);
            element = stack.pop();
          }
          result = [{ vertex, inner: inside(component, vertex) }, ...result];
        } else result = [{ vertex, inner: null }, ...result];
      }
      return head;
    };
    const inside = (component: Set<number>, head: number): Element[] => {
      const outer = result;
      let list: Element[] = [];
      const rest = new Set(component);
      for (const target of [...(successors[head] ?? [])].reverse()) {
        if (!rest.has(target) || list.some((element) => has(element, target))) continue;
        const part = order(
          new Set([...rest].filter((vertex) => !list.some((element) => has(element, vertex)))),
          target,
        );
        list = [...part, ...list];
      }
      result = outer;
      return list;
    };
    visit(entry);
    return result;
  };
  const has = (element: Element, vertex: number): boolean =>
    element.vertex === vertex || (element.inner?.some((inner) => has(inner, vertex)) ?? false);

  const sequence: number[] = [];
  const loopOf: (Loop | null)[] = [];
  const place = (elements: Element[], loop: Loop | null): void => {
    for (const { vertex, inner } of elements) {
      const own: Loop | null = inner === null ? loop : { head: sequence.length, end: 0, parent: loop };
      sequence.push(vertex);
      loopOf.push(own);
      if (inner !== null && own !== null) {
        place(inner, own);
        own.end = sequence.length;
      }
    }
  };
  place(order(new Set(blocks.keys()), 0), null);

  const position = new Map(sequence.map((vertex, i) => [vertex, i]));
  const result: FlowBlock[] = sequence.map((vertex, index) => {
    const block = blocks[vertex] as Block;
    return {
      index,
      block,
      terminator: terminatorOf(block),
      successors: (successors[vertex] ?? []).map((target) => position.get(target) ?? 0),
      predecessors: [],
      loop: loopOf[index] ?? null,
    };
  });
  for (const block of result)
    for (const target of new Set(block.successors)) result[target]?.predecessors.push(block.index);
  return {
    blocks: result,
    indexOf: new Map(result.map((block) => [block.block.name, block.index])),
    postDominator: postDominators(result),
  };
}

/** For each block those that are passed on every way through `next` to an end; kernels have at most a few hundred blocks. */
function passedBy(count: number, order: readonly number[], next: (index: number) => number[]): bigint[] {
  const all = (1n << BigInt(count)) - 1n;
  const sets = Array.from({ length: count }, () => all);
  for (let changed = true; changed;) {
    changed = false;
    for (const i of order) {
      const ways = next(i);
      let set = ways.length === 0 ? 0n : all;
      for (const way of ways) set &= sets[way]!;
      set |= 1n << BigInt(i);
      if (set !== sets[i]) {
        sets[i] = set;
        changed = true;
      }
    }
  }
  return sets;
}

/** For each block the set of those that come before it on every way, itself among them: bit i for block i. */
export function dominatorSets({ blocks }: Flow): bigint[] {
  return passedBy(blocks.length, [...blocks.keys()], (i) => (i === 0 ? [] : blocks[i]!.predecessors));
}

function postDominators(blocks: FlowBlock[]): number[] {
  const count = blocks.length;
  const sets = passedBy(count, [...blocks.keys()].reverse(), (i) => blocks[i]!.successors);
  // The immediate one is that whose own set holds all the others.
  return blocks.map((_, i) => {
    const others = (sets[i] ?? 0n) & ~(1n << BigInt(i));
    for (let k = 0; k < count; k++) if ((others >> BigInt(k)) & 1n && sets[k] === others) return k;
    return -1;
  });
}
