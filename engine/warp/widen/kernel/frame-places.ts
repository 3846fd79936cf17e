/** Places in the warp's frame for values that stay there, so that nothing is copied at a barrier. */
import { type Flow } from '../../../ir/analysis/flow.ts';

/** Values that lie side by side, and the size of their place. */
export interface Kept {
  names: readonly string[];
  bytes: number;
  /** Index of the block that defines it. */
  home: number;
}

interface Column {
  offset: number;
  bytes: number;
  blocks: Uint32Array;
}

/**
 * Offsets of places by the names of what is there, and how many bytes all take together. Two values share a place where no block needs both: one that executes while some lanes
 * have the value yet to read, or that defines it. `live`: values live at the beginning of each block; `waiting`: blocks at which
 * lanes may wait while one executes.
 */
export function framePlaces(
  values: readonly Kept[],
  flow: Flow,
  live: readonly ReadonlySet<string>[],
  waiting: readonly ReadonlySet<number>[],
): { offsets: Map<string, number>; bytes: number } {
  const words = Math.ceil(flow.blocks.length / 32);
  const needs = new Map(
    values.flatMap(({ names }) => {
      const blocks = new Uint32Array(words);
      return names.map((name): [string, Uint32Array] => [name, blocks]);
    }),
  );
  const need = (name: string, block: number): void => {
    const set = needs.get(name);
    if (set !== undefined) set[block >> 5]! |= 1 << (block & 31);
  };
  for (const { index } of flow.blocks)
    for (const place of new Set([index, ...(waiting[index] ?? [])]))
      for (const name of live[place] ?? []) need(name, index);
  for (const { names, home } of values) need(names[0]!, home);

  const offsets = new Map<string, number>();
  const columns: Column[] = [];
  let end = 0;
  for (const { names, bytes } of values) {
    const blocks = needs.get(names[0]!)!;
    let column = columns.find(
      (other) => other.bytes === bytes && !other.blocks.some((word, i) => (word & blocks[i]!) !== 0),
    );
    if (column === undefined) {
      column = { offset: end, bytes, blocks: new Uint32Array(words) };
      columns.push(column);
      end += bytes;
    }
    blocks.forEach((word, i) => (column.blocks[i]! |= word));
    for (const name of names) offsets.set(name, column.offset);
  }
  return { offsets, bytes: end };
}
