/**
 * Blocks where lanes can wait while one executes. A warp executes its pending blocks in flow order; at the end of a
 * loop the head comes before what follows the loop. Knowing statically that nobody waits between a block and its
 * successor turns the search for the next block into a plain branch.
 */
import type { Flow, FlowBlock } from './flow.ts';
import type { SpinLoop } from './spin.ts';

/** Blocks after `from` in the order in which pending lanes are served. */
export function serviceOrder(flow: Flow, from: FlowBlock): number[] {
  const order: number[] = [];
  let at = from.index + 1;
  for (let loop = from.loop; loop !== null; loop = loop.parent) {
    for (; at < loop.end; at++) order.push(at);
    if (order.at(-1) !== loop.head) order.push(loop.head);
  }
  for (; at < flow.blocks.length; at++) order.push(at);
  return order;
}

/** One way to leave a block: `certain` is a successor that surely has lanes; `possible` ones may have some. */
export interface Exit {
  certain: number | null;
  possible: number[];
}

export function exitsOf(block: FlowBlock, divergent: boolean): Exit[] {
  const targets = [...new Set(block.successors)];
  if (targets.length === 0) return [{ certain: null, possible: [] }];
  if (divergent) return [{ certain: null, possible: targets }];
  return targets.map((target) => ({ certain: target, possible: [] }));
}

/** The blocks to try after an exit, in order; the last one of a non-empty list surely has lanes if `complete`. */
export function candidates(
  flow: Flow,
  from: FlowBlock,
  exit: Exit,
  waiting: Set<number>,
): { blocks: number[]; complete: boolean } {
  const blocks: number[] = [];
  for (const index of serviceOrder(flow, from)) {
    if (index === exit.certain) return { blocks: [...blocks, index], complete: true };
    if (waiting.has(index) || exit.possible.includes(index)) blocks.push(index);
  }
  return { blocks, complete: exit.possible.length > 0 };
}

/** Blocks of lanes that have left a spinning loop, in order. */
export const goingOn = ({ end, fairEnd }: SpinLoop, waiting: Set<number>): number[] =>
  [...waiting].filter((index) => index >= end && index < fairEnd).sort((a, b) => a - b);

/** For every block, the set of blocks at which lanes may wait while it executes. */
export function analysePending(flow: Flow, divergentBranches: Set<number>, spins: SpinLoop[] = []): Set<number>[] {
  const waiting = flow.blocks.map(() => new Set<number>());
  const queue = [0];
  const visited = new Set<number>();
  while (queue.length > 0) {
    const index = queue.pop() ?? 0;
    const block = flow.blocks[index] as FlowBlock;
    visited.add(index);
    for (const spin of spins) {
      if (spin.head !== index) continue;
      // Lanes stay at the head while those that wait further on run.
      const here = waiting[index] as Set<number>;
      const further = goingOn(spin, here);
      further.forEach((target, i) => {
        const set = waiting[target] as Set<number>;
        const before = set.size;
        for (const other of [...here, index]) if (!further.slice(0, i + 1).includes(other)) set.add(other);
        if (set.size !== before) queue.push(target);
      });
    }
    for (const exit of exitsOf(block, divergentBranches.has(index))) {
      const here = waiting[index] as Set<number>;
      const { blocks } = candidates(flow, block, exit, here);
      const pending = new Set([...here, ...exit.possible, ...(exit.certain === null ? [] : [exit.certain])]);
      blocks.forEach((target, i) => {
        const set = waiting[target] as Set<number>;
        const before = set.size;
        for (const other of pending) if (!blocks.slice(0, i + 1).includes(other)) set.add(other);
        if (set.size !== before || !visited.has(target)) queue.push(target);
      });
    }
  }
  return waiting;
}
