/** The building blocks of all reports. */
import type { CellType, ReportTable } from '../model/tables.ts';
import type { Row } from '../trace/trace.ts';

export type Column = ReportTable['columns'][number];

export function columns(type: CellType, ...names: string[]): Column[] {
  return names.map((name) => ({ name, type }));
}

export const num = (value: Row[number] | undefined): number => Number(value ?? 0);
