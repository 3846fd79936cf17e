/** Pages of managed memory that a launch touched. */
import type { TouchedPages } from '../../model/execution.ts';
import { launchField, managedPageEntryBytes, managedPageEntryField, warpsOfTurn } from '../layout.ts';
import type { ManagedPages, LaunchPlaces } from './launch-places.ts';

/** Pages in the order of their first accesses. `watched`: those that could be touched. */
export function touchedPages(memory: WebAssembly.Memory, places: LaunchPlaces, watched: ManagedPages): TouchedPages {
  const { launch, managed, touched, resident } = places;
  const words = new Uint32Array(memory.buffer);
  const count = words[(launch + launchField.touchedCount) / 4]!;
  const field = (page: number, name: keyof typeof managedPageEntryField): number =>
    words[(managed + page * managedPageEntryBytes + managedPageEntryField[name]) / 4]!;
  const round = (page: number): number => Math.floor(field(page, 'turn') / warpsOfTurn);
  const order = words.slice(touched / 4, touched / 4 + count).sort((a, b) => {
    const earlier = (name: keyof typeof managedPageEntryField): number => field(a, name) - field(b, name);
    return earlier('generation') || earlier('turn') || earlier('block') || a - b;
  });
  const rounds = new Uint32Array(count);
  for (let i = 1; i < count; i++) {
    const [before, page] = [order[i - 1]!, order[i]!];
    const isSame = field(before, 'generation') === field(page, 'generation') && round(before) === round(page);
    rounds[i] = rounds[i - 1]! + (isSame ? 0 : 1);
  }
  return {
    pages: order.map((page) => page + watched.first),
    sectors: order.map((page) => field(page, 'sectors')),
    access: Uint8Array.from(order, (page) => field(page, 'access')),
    blocks: order.map((page) => field(page, 'blocks')),
    rounds,
    resident,
  };
}
