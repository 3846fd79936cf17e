/**
 * Where the rows of a table of any length lie in a scrolled box. Browsers give boxes of some ten million pixels at most; beyond that
 * the scrollbar stands for a position in the table, and the wheel still moves it row by row.
 */
export const rowHeight = 24;
/** Chromium and Firefox keep whole pixels up to here. */
export const tallest = 8_000_000;

export interface GridColumn {
  id: string;
  title: string;
  /** As in CSS grid-template-columns. */
  width: string;
  numeric?: boolean;
  sortable?: boolean;
}

/** Pixels of the scrolled content. */
export function contentHeight(total: number): number {
  return Math.min(tallest, total * rowHeight);
}

/** The row at the top of the box, with the part of it that is scrolled out, from where the scrollbar is. */
export function positionAt(scrollTop: number, total: number, height: number): number {
  const room = contentHeight(total) - height;
  return room <= 0 ? 0 : Math.min(1, scrollTop / room) * lastPosition(total, height);
}

export function scrollTopAt(position: number, total: number, height: number): number {
  const last = lastPosition(total, height);
  return last <= 0 ? 0 : (position / last) * Math.max(0, contentHeight(total) - height);
}

export function lastPosition(total: number, height: number): number {
  return Math.max(0, total - height / rowHeight);
}

/** Moves as little as possible so that a row can be seen whole. */
export function positionFor(row: number, position: number, total: number, height: number): number {
  const rows = height / rowHeight;
  if (row < position) return row;
  if (row + 1 > position + rows) return Math.min(lastPosition(total, height), row + 1 - rows);
  return position;
}
