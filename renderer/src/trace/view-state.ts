/** How traces were looked at last, so that they open as they were left. Losing it must never break anything. */
import type { TraceInfo } from '../../../engine/api/types.ts';
import type { RowArrangement } from '../timeline/row-arrangement.ts';
import type { TimeWindow } from '../timeline/time-window.ts';

export interface ViewState {
  window: TimeWindow;
  rows: RowArrangement;
  scrollTop: number;
}
interface Stored {
  path: string;
  /** A file that was recorded anew has other rows. */
  print: string;
  window: TimeWindow;
  collapsed: number[];
  hidden: number[];
  pinned: number[];
  order: [number | null, number[]][];
  scrollTop: number;
}

const key = 'simsight.views';
const mostTraces = 40;

const printOf = ({ durationNs, eventCount, tracks }: TraceInfo): string =>
  [durationNs, eventCount, tracks.length].join(' ');

function read(): Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? (stored as Stored[]) : [];
  } catch {
    return [];
  }
}

/** Null for a trace that was not looked at before, or is not what it was. */
export function restoreView(info: TraceInfo): ViewState | null {
  try {
    const found = read().find(({ path, print }) => path === info.path && print === printOf(info));
    if (!found) return null;
    const { window, collapsed, hidden, pinned, order, scrollTop } = found;
    if (![window.start, window.span, scrollTop].every(Number.isFinite) || window.span <= 0) return null;
    const rows = { collapsed: new Set(collapsed), hidden: new Set(hidden), pinned: [...pinned], order: new Map(order) };
    return { window: { start: window.start, span: window.span }, rows: { ...rows, filter: '' }, scrollTop };
  } catch {
    return null;
  }
}

export function keepView(info: TraceInfo, { window, rows, scrollTop }: ViewState): void {
  const { collapsed, hidden, pinned, order } = rows;
  const mine: Stored = {
    ...{ path: info.path, print: printOf(info), window, scrollTop, pinned: [...pinned] },
    ...{ collapsed: [...collapsed], hidden: [...hidden], order: [...order].map(([id, list]) => [id, [...list]]) },
  };
  try {
    const others = read().filter(({ path }) => path !== info.path);
    localStorage.setItem(key, JSON.stringify([...others, mine].slice(-mostTraces)));
  } catch {
    // Storage full or forbidden: then the next opening begins with the whole trace.
  }
}
