/**
 * From the tree of tracks and what is collapsed to rows with a place. A collapsed group keeps showing the events of all
 * rows under it, flattened into one: closing a group hides detail, never activity. A row with events of its own above others
 * (launches of graphs above their nodes) stands for them.
 */
import type { Track } from '../../../engine/model/timeline.ts';

export interface Row {
  track: Track;
  depth: number;
  /** Pixels from the top of the first row. */
  top: number;
  height: number;
  expandable: boolean;
  collapsed: boolean;
  /** Tracks whose events are drawn here: the track itself, or those under a collapsed group. */
  sources: number[];
  /** Lanes are ignored: all events share one lane. */
  flat: boolean;
  lanes: number;
  /** The top of the first lane, from `top`. */
  laneTop: number;
  laneHeight: number;
}
export interface RowLayout {
  rows: Row[];
  height: number;
  /** The row that shows a track's events: its own, or the collapsed group above. */
  rowOfTrack: Map<number, Row>;
}

export const rowMetrics = {
  ...{ group: 26, leaf: 34, lane: 20, padding: 6, minLane: 9, maxLanesHeight: 320 },
  /** Charts, those of warps by state, and the slots of warps and blocks, of which there are many. */
  ...{ chart: 44, warpsChart: 72, slot: 10 },
} as const;

export function layoutRows(tracks: readonly Track[], collapsed: ReadonlySet<number>): RowLayout {
  const children = new Map<number | null, Track[]>();
  const known = new Set(tracks.map((track) => track.id));
  for (const track of tracks) {
    const parent = track.parent !== null && known.has(track.parent) ? track.parent : null;
    const list = children.get(parent);
    if (list) list.push(track);
    else children.set(parent, [track]);
  }
  const rows: Row[] = [];
  const rowOfTrack = new Map<number, Row>();
  let top = 0;

  const withEvents = (track: Track): number[] => [
    // Charts and what an SM did cannot be shown on one line with others.
    ...(track.lanes > 0 && !track.chart && !track.clock ? [track.id] : []),
    ...(children.get(track.id) ?? []).flatMap(withEvents),
  ];
  const place = (track: Track, depth: number): void => {
    const below = children.get(track.id) ?? [];
    const expandable = below.length > 0;
    const isCollapsed = expandable && collapsed.has(track.id);
    const standsForAll = track.lanes > 0;
    const flat = isCollapsed && !standsForAll;
    const lanes = flat ? 1 : track.lanes;
    const height = heightOf(track, lanes, expandable && !standsForAll);
    const lanesHeight = height - rowMetrics.padding * 2;
    const row: Row = {
      track,
      depth,
      top,
      height,
      expandable,
      collapsed: isCollapsed,
      sources: standsForAll ? [track.id] : isCollapsed ? withEvents(track) : [],
      flat,
      lanes,
      laneTop: rowMetrics.padding,
      laneHeight: lanes > 0 ? lanesHeight / lanes : lanesHeight,
    };
    rows.push(row);
    for (const id of isCollapsed ? withEvents(track) : row.sources) rowOfTrack.set(id, row);
    top += height;
    if (!isCollapsed) for (const child of below) place(child, depth + 1);
  };
  for (const track of children.get(null) ?? []) place(track, 0);
  return { rows, height: top, rowOfTrack };
}

function heightOf({ kind, chart }: Track, lanes: number, group: boolean): number {
  if (chart) return kind === 'sm' ? rowMetrics.warpsChart : rowMetrics.chart;
  if (kind === 'warps' || kind === 'blocks') return lanes * rowMetrics.slot + rowMetrics.padding * 2;
  if (lanes <= 1) return group ? rowMetrics.group : rowMetrics.leaf;
  const wanted = Math.min(lanes * rowMetrics.lane, Math.max(rowMetrics.maxLanesHeight, lanes * rowMetrics.minLane));
  return Math.round(wanted) + rowMetrics.padding * 2;
}

/** Index of the row at `y`, −1 outside all. Rows are ordered by `top`. */
export function rowIndexAt(rows: readonly Row[], y: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = rows[middle]!;
    if (y < row.top) high = middle - 1;
    else if (y >= row.top + row.height) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** The rows that touch [top, bottom]. */
export function visibleRows(rows: readonly Row[], top: number, bottom: number): Row[] {
  return rows.filter((row) => row.top < bottom && row.top + row.height > top);
}
