/** Place on the timeline of a row of an SQL result. */
import { eventKinds, kindOf, type EventKind } from '../../../engine/model/event-kinds/index.ts';
import type { EventRef } from '../../../engine/model/timeline.ts';
import type { Cell } from './csv.ts';

/** The tables whose `rowid` names an event. */
const kindOfTable: ReadonlyMap<string, EventKind> = new Map(eventKinds.map((kind) => [kindOf[kind].table.name, kind]));

export interface PlaceColumns {
  start: number;
  end: number;
  name: number;
  /** The row's column, and the one kind that `rowid` can be of. */
  row: { column: number; kind: EventKind } | null;
}
export type Place = { ref: EventRef } | { startNs: number; endNs: number; name: string };

/** Null where rows of this result name no place in time. */
export function placeColumns(columns: readonly string[], query: string): PlaceColumns | null {
  const at = (pattern: RegExp): number => columns.findIndex((name) => pattern.test(name));
  const kinds = [...new Set(query.match(/\b[A-Z][A-Z_]+\b/g))].flatMap((table) => kindOfTable.get(table) ?? []);
  const [start, rowid] = [at(/^start$/i), at(/^rowid$/i)];
  const row = rowid >= 0 && kinds.length === 1 ? { column: rowid, kind: kinds[0]! } : null;
  if (start < 0 && !row) return null;
  return { start, end: at(/^end$/i), name: at(/^(name|kernel|text)$/i), row };
}

export function placeOfRow({ start, end, name, row }: PlaceColumns, cells: readonly Cell[]): Place | null {
  const number = (column: number): number | null => {
    const cell = cells[column];
    return typeof cell === 'number' && cell >= 0 ? cell : null;
  };
  const id = row && number(row.column);
  if (row && id !== null) return { ref: { kind: row.kind, row: id } };
  const startNs = number(start);
  if (startNs === null) return null;
  return { startNs, endNs: Math.max(number(end) ?? startNs, startNs), name: String(cells[name] ?? '') };
}
