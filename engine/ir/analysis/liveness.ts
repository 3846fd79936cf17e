/** Values alive at block entries, for what a warp keeps over a barrier and for the estimate of registers. */
import type { Instruction, Value } from '../ir.ts';
import type { Flow } from './flow.ts';

/** Names that `instruction` reads, constant GEPs and casts followed to their roots. */
export function reads(instruction: Instruction, resolve: (value: Value) => Value): string[] {
  const names: string[] = [];
  const visit = (value: Value): void => {
    const root = resolve(value);
    if (root.kind === 'local') names.push(root.name);
    else if (root.kind === 'expression') root.operands.forEach(visit);
    else if (root.kind === 'aggregate') root.elements.forEach(visit);
  };
  instruction.operands.forEach(visit);
  return names;
}

/** Live-in sets by block index; a phi's operands are live at the end of their edge's source. */
export function liveIn(flow: Flow, resolve: (value: Value) => Value): Set<string>[] {
  const live = flow.blocks.map(() => new Set<string>());
  for (let changed = true; changed;) {
    changed = false;
    for (let i = flow.blocks.length - 1; i >= 0; i--) {
      const block = flow.blocks[i];
      if (block === undefined) continue;
      const set = liveOut(flow, live, i, resolve);
      for (const instruction of [...block.block.instructions].reverse()) {
        if (instruction.name !== null) set.delete(instruction.name);
        if (instruction.op !== 'phi') for (const name of reads(instruction, resolve)) set.add(name);
      }
      if (set.size !== live[i]?.size) {
        live[i] = set;
        changed = true;
      }
    }
  }
  return live;
}

export function liveOut(flow: Flow, live: Set<string>[], index: number, resolve: (value: Value) => Value): Set<string> {
  const block = flow.blocks[index];
  const out = new Set<string>();
  for (const target of block?.successors ?? []) {
    for (const name of live[target] ?? []) out.add(name);
    for (const phi of flow.blocks[target]?.block.instructions ?? []) {
      if (phi.op !== 'phi') break;
      phi.operands.forEach((operand, i) => {
        if (phi.labels[i] !== block?.block.name) return;
        const root = resolve(operand);
        if (root.kind === 'local') out.add(root.name);
      });
    }
  }
  return out;
}
