/** The user's arrangement of the rows: their order, what is hidden or pinned, and which of them a filter leaves. Pure. */
import type { Track } from '../../../engine/model/timeline.ts';
import { layoutRows, type Row, type RowLayout } from './row-layout.ts';

export interface RowArrangement {
  /** Rows with others below them that are closed. */
  collapsed: ReadonlySet<number>;
  hidden: ReadonlySet<number>;
  /** From top to bottom. */
  pinned: readonly number[];
  /** Rows that were moved: those under one parent in the order that was chosen for them. */
  order: ReadonlyMap<number | null, readonly number[]>;
  /** Words that a row, or one above it, has to have in its titles. */
  filter: string;
}

/** The rows below the pinned ones. */
export function arrangeRows(tracks: readonly Track[], arrangement: RowArrangement): RowLayout {
  const { collapsed, hidden, order } = arrangement;
  const below = childrenOf(tracks);
  const words = wordsOf(arrangement.filter);
  const shown: Track[] = [];
  /** Rows above ones that were found: closed, they would hide them. */
  const opened = new Set<number>();
  const add = (track: Track, isFound: boolean): boolean => {
    if (hidden.has(track.id)) return false;
    const found = isFound || hasWords(track, words);
    const at = shown.push(track) - 1;
    const foundBelow = inOrder(below.get(track.id) ?? [], order.get(track.id)).filter((each) => add(each, found));
    if (foundBelow.length > 0 && !found) opened.add(track.id);
    if (!found && foundBelow.length === 0) shown.length = at;
    return found || foundBelow.length > 0;
  };
  for (const track of inOrder(below.get(null) ?? [], order.get(null))) add(track, false);
  return layoutRows(shown, opened.size > 0 ? new Set([...collapsed].filter((id) => !opened.has(id))) : collapsed);
}

/** Rows that stay in sight: each by itself, with the name of what it is a part of. */
export function arrangePins(tracks: readonly Track[], { pinned, hidden }: RowArrangement): RowLayout {
  const below = childrenOf(tracks);
  const rows: Row[] = [];
  const rowOfTrack = new Map<number, Row>();
  let top = 0;
  for (const id of pinned) {
    const track = tracks.find((each) => each.id === id);
    if (!track) continue;
    const parent = tracks.find((each) => each.id === track.parent);
    const subtitle = [parent?.title, track.subtitle].filter(Boolean).join(' · ');
    const subtree = [{ ...track, parent: null, subtitle }, ...under(id, below).filter((each) => !hidden.has(each.id))];
    const [row] = layoutRows(subtree, new Set([id])).rows;
    if (!row) continue;
    rows.push({ ...row, top, expandable: false });
    for (const source of row.sources) if (!rowOfTrack.has(source)) rowOfTrack.set(source, rows.at(-1)!);
    top += row.height;
  }
  return { rows, height: top, rowOfTrack };
}

/** Siblings of a row as they stand, hidden ones too. */
export function siblingsOf(
  tracks: readonly Track[],
  { order }: Pick<RowArrangement, 'order'>,
  track: number,
): readonly Track[] {
  const parent = tracks.find(({ id }) => id === track)?.parent ?? null;
  return inOrder(childrenOf(tracks).get(parent) ?? [], order.get(parent));
}

/** The sibling before which a row is put that is dropped at `y`: null for the last place. */
export function dropPlace(layout: RowLayout, track: number, y: number): { before: number | null; y: number } | null {
  const dragged = layout.rows.find((row) => row.track.id === track);
  if (!dragged) return null;
  const siblings = layout.rows.filter(
    (row) => row.track.parent === dragged.track.parent && row.depth === dragged.depth,
  );
  const endOf = (row: Row): number =>
    layout.rows.find((each) => each.top > row.top && each.depth <= row.depth)?.top ?? layout.height;
  for (const row of siblings) {
    const end = endOf(row);
    if (y < (row.top + end) / 2) return { before: row.track.id, y: row.top };
  }
  const last = siblings.at(-1)!;
  return { before: null, y: endOf(last) };
}

/** Groups above a place whose own row has been scrolled away, from the outermost. */
export function groupsAbove(layout: RowLayout, tracks: readonly Track[], scrollTop: number): Row[] {
  const first = layout.rows.find((row) => row.top + row.height > scrollTop);
  const groups: Row[] = [];
  const rowOf = new Map(layout.rows.map((row) => [row.track.id, row]));
  for (let id = first?.track.parent ?? null; id !== null;) {
    const row = rowOf.get(id);
    if (row && row.top < scrollTop) groups.unshift(row);
    id = tracks.find((each) => each.id === id)?.parent ?? null;
  }
  return groups;
}

function childrenOf(tracks: readonly Track[]): Map<number | null, Track[]> {
  const known = new Set(tracks.map(({ id }) => id));
  return Map.groupBy(tracks, ({ parent }) => (parent !== null && known.has(parent) ? parent : null));
}

function under(id: number, below: ReadonlyMap<number | null, Track[]>): Track[] {
  return (below.get(id) ?? []).flatMap((track) => [track, ...under(track.id, below)]);
}

/** Those that were not there when the order was chosen come last. */
function inOrder(tracks: readonly Track[], order: readonly number[] | undefined): readonly Track[] {
  if (!order) return tracks;
  const place = new Map(order.map((id, at) => [id, at]));
  return [...tracks].sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || a.id - b.id);
}

const wordsOf = (filter: string): string[] => filter.toLowerCase().split(/\s+/).filter(Boolean);

function hasWords({ title, subtitle }: Track, words: readonly string[]): boolean {
  const text = `${title} ${subtitle}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
