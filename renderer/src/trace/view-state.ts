/** Last views of traces, so that they open as they were left. Losing it must never break anything. */
import type { TraceInfo } from '../../../engine/model/timeline.ts';
import type { RowArrangement } from '../timeline/row-arrangement.ts';
import type { TimeRange, TimeWindow } from '../timeline/time-window.ts';
import { panelTabs, type PanelTab } from './panel-tabs.ts';

export interface ViewState {
  window: TimeWindow;
  rows: RowArrangement;
  scrollTop: number;
  measured: TimeRange | null;
  tab: PanelTab;
}
interface Stored {
  /** A file that was recorded anew has other rows. */
  print: string;
  window: TimeWindow;
  collapsed: number[];
  hidden: number[];
  pinned: number[];
  order: [number | null, number[]][];
  scrollTop: number;
  measured: TimeRange | null;
  tab: PanelTab;
}

const printOf = ({ durationNs, eventCount, tracks }: TraceInfo): string =>
  [durationNs, eventCount, tracks.length].join(' ');

/** Null for a trace that was not looked at before, or is not what it was. */
export function restoreView(info: TraceInfo, kept: unknown): ViewState | null {
  try {
    const found = kept as Stored | undefined;
    if (found?.print !== printOf(info)) return null;
    const { window, collapsed, hidden, pinned, order, scrollTop, measured } = found;
    if (![window.start, window.span, scrollTop].every(Number.isFinite) || window.span <= 0) return null;
    const rows = { collapsed: new Set(collapsed), hidden: new Set(hidden), pinned: [...pinned], order: new Map(order) };
    return {
      window: { start: window.start, span: window.span },
      rows: { ...rows, filter: '' },
      scrollTop,
      measured:
        measured && Number.isFinite(measured.from) && measured.to >= measured.from
          ? { from: measured.from, to: measured.to }
          : null,
      tab: panelTabs.find((tab) => tab === found.tab) ?? 'selection',
    };
  } catch {
    return null;
  }
}

/** As {@link restoreView} takes it: plain data. */
export function viewToKeep(info: TraceInfo, { window, rows, scrollTop, measured, tab }: ViewState): unknown {
  const { collapsed, hidden, pinned, order } = rows;
  return {
    ...{ print: printOf(info), window: { ...window }, scrollTop, pinned: [...pinned] },
    ...{ collapsed: [...collapsed], hidden: [...hidden], order: [...order].map(([id, list]) => [id, [...list]]) },
    ...{ measured: measured && { ...measured }, tab },
  } satisfies Omit<Stored, 'order'> & { order: [number | null, number[]][] };
}
