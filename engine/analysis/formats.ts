/** Report tables as text, the way `nsys stats` prints them: aligned columns, CSV, JSON. */
import type { CellType, ReportTable } from '../api/types.ts';
import { harmless, harmlessLine } from '../base/harmless.ts';

export const tableFormats = ['table', 'csv', 'json'] as const;
export type TableFormat = (typeof tableFormats)[number];

type Column = { name: string; type: CellType };
type Cell = string | number | null;

export function formatReport(table: ReportTable, format: TableFormat): string {
  switch (format) {
    case 'csv':
      return toCsv(table);
    case 'json':
      return toJson(table);
    case 'table':
      return `\n ** ${table.title} (${table.report}):\n\n${toText(table.columns, table.rows)}\n`;
  }
}

/** Digits after the point: as nsys prints them. Whole numbers where a column counts. */
export function decimals({ name, type }: Column): number {
  if (type === 'percent') return 1;
  if (type === 'number') return 3;
  return type === 'nanoseconds' && /(Avg|Med|StdDev|Q1|Q3|IQR|MAD)/.test(name) ? 1 : 0;
}

const plain = (value: number, column: Column): string => value.toFixed(decimals(column));

/** What spreadsheets take for a formula, or may once they have cut off what is before it (OWASP, "CSV Injection"); numbers are none. */
const startsFormula = /^[\s\u00a0\ufeff]*[=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Cells that hold separators of any spreadsheet, quotes or line breaks are quoted (RFC 4180). Text that would be a formula begins with an
 * apostrophe, which spreadsheets take for "this is text"; control characters are shown, since many a terminal gets to see a CSV file.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`;

function csvCell(cell: string): string {
  const text = harmless(startsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toCsv({ columns, rows }: ReportTable): string {
  const cell = (value: Cell, column: Column): string =>
    value === null ? '' : typeof value === 'number' ? plain(value, column) : value;
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map((v, i) => cell(v, columns[i]!)))];
  return lines.map(csvLine).join('');
}

/** One object per row, keys are the column names; numbers as exact as in the CSV. */
function toJson({ columns, rows }: ReportTable): string {
  const objects = rows.map((row) => {
    const entries = columns.map((column, i): [string, Cell] => {
      const value = row[i] ?? null;
      return [column.name, typeof value === 'number' ? Number(plain(value, column)) : value];
    });
    return `  ${JSON.stringify(Object.fromEntries(entries))}`;
  });
  return objects.length > 0 ? `[\n${objects.join(',\n')}\n]\n` : '[]\n';
}

const formatters = new Map<number, Intl.NumberFormat>();

/** With thousands separators. Made once: to make one for each number of a report takes a hundred times as long. */
function grouped(digits: number): Intl.NumberFormat {
  let known = formatters.get(digits);
  if (!known) {
    known = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formatters.set(digits, known);
  }
  return known;
}

/** Cells are as long as they are, but no row is filled up with more blanks than anybody scrolls past for one that is longer. */
const widestColumn = 1000;

/** Numbers to the right with thousands separators, text to the left, headings centred over a rule. */
export function toText(named: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const columns = named.map(({ name, type }) => ({ name: harmlessLine(name), type }));
  const show = (value: Cell, column: Column): string => {
    if (value === null) return '';
    if (typeof value === 'string') return harmlessLine(value);
    return grouped(decimals(column)).format(value);
  };
  const widths = columns.map(({ name }) => name.length);
  // Made twice rather than kept: the texts of a million rows take more memory than all else.
  for (const row of rows) {
    columns.forEach((column, i) => {
      widths[i] = Math.max(widths[i]!, Math.min(widestColumn, show(row[i] ?? null, column).length));
    });
  }
  const line = (parts: string[]): string => ` ${parts.join('  ')}`.trimEnd();
  const centred = (text: string, width: number): string => text.padStart((width + text.length) >> 1).padEnd(width);
  return [
    line(columns.map(({ name }, i) => centred(name, widths[i]!))),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) =>
      line(
        columns.map((column, i) => {
          const cell = show(row[i] ?? null, column);
          return column.type === 'text' ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
        }),
      ),
    ),
    '',
  ].join('\n');
}
