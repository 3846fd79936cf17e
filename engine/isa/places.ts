/** Lines of the source that machine instructions belong to. */
import type { SourcePlace } from '../model/source-place.ts';
import { originalName } from './copies.ts';
import type { MachineBlock, MachineInstruction } from '../model/machine.ts';
import { rowOf } from '../model/opcodes.ts';

/**
 * Places by block and instruction: an operand that is fetched once for all that use it has no line of its own, and gets that of its first
 * reader. Descriptors of memory are nobody's operand here; they belong to the next access.
 */
export function placesOf(blocks: readonly MachineBlock[]): (SourcePlace | null)[][] {
  const all = blocks.flatMap(({ instructions }) => instructions);
  const places = all.map(({ place }) => place);
  const readers = new Map<string, number>();
  let nextAccess: SourcePlace | null = null;
  for (let i = all.length - 1; i >= 0; i--) {
    const one = all[i]!;
    if (places[i] === null && rowOf(one).fetches !== null)
      places[i] = placeOfReader(one, readers, places) ?? nextAccess;
    for (const name of one.reads) readers.set(originalName(name), i);
    if (one.access !== null) nextAccess = places[i] ?? nextAccess;
  }
  let first = 0;
  return blocks.map(({ instructions }) => places.slice(first, (first += instructions.length)));
}

function placeOfReader(
  { writes }: MachineInstruction,
  readers: ReadonlyMap<string, number>,
  places: readonly (SourcePlace | null)[],
): SourcePlace | null {
  const found = writes.flatMap((name) => readers.get(originalName(name)) ?? []);
  return found.length === 0 ? null : (places[Math.min(...found)] ?? null);
}
