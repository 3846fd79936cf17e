/** Report tables as text, the way `nsys stats` prints them: aligned columns, CSV, JSON. */
import type { CellType, ReportTable } from '../model/tables.ts';
import { harmless, harmlessLine } from '../base/harmless.ts';

export const tableFormats = ['table', 'csv', 'json'] as const;
export type TableFormat = (typeof tableFormats)[number];

type Column = { name: string; type: CellType };
type Cell = string | number | null;

export const formatReport = (table: ReportTable, format: TableFormat): string =>
  [...reportPieces(table, format)].join('');

/** The same in pieces, to be printed one after the other: of a million rows the whole is more than a string can hold. */
export function* reportPieces(table: ReportTable, format: TableFormat): Generator<string> {
  switch (format) {
    case 'csv':
      return yield* inPieces(csvLines(table));
    case 'json':
      return yield* inPieces(jsonLines(table));
    case 'table':
      yield `\n ** ${table.title} (${table.report}):\n\n`;
      yield* inPieces(textLines(table.columns, table.rows));
      yield '\n';
  }
}

const linesPerPiece = 1000;

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece: string[] = [];
  for (const line of lines) {
    if (piece.push(line) < linesPerPiece) continue;
    yield piece.join('');
    piece = [];
  }
  yield piece.join('');
}

/** Digits after the point: as nsys prints them. Whole numbers where a column counts. */
export function decimals({ name, type }: Column): number {
  if (type === 'percent') return 1;
  if (type === 'number') return 3;
  return type === 'nanoseconds' && /(Avg|Med|StdDev|Q1|Q3|IQR|MAD)/.test(name) ? 1 : 0;
}

const plain = (value: number, column: Column): string => value.toFixed(decimals(column));

/** The start of a formula for spreadsheets, also once they have cut off what is before it (OWASP, "CSV Injection"); numbers are none. */
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

function* csvLines({ columns, rows }: ReportTable): Generator<string> {
  const cell = (value: Cell, column: Column): string =>
    value === null ? '' : typeof value === 'number' ? plain(value, column) : value;
  yield csvLine(columns.map(({ name }) => name));
  for (const row of rows) yield csvLine(row.map((v, i) => cell(v, columns[i]!)));
}

/** One object per row, keys are the column names; numbers as exact as in the CSV. */
function* jsonLines({ columns, rows }: ReportTable): Generator<string> {
  const object = (row: ReportTable['rows'][number]): string => {
    const entries = columns.map((column, i): [string, Cell] => {
      const value = row[i] ?? null;
      return [column.name, typeof value === 'number' ? Number(plain(value, column)) : value];
    });
    return `  ${JSON.stringify(Object.fromEntries(entries))}`;
  };
  let before = '[\n';
  for (const row of rows) {
    yield before + object(row);
    before = ',\n';
  }
  yield rows.length > 0 ? '\n]\n' : '[]\n';
}

const formatters = new Map<number, Intl.NumberFormat>();

/** Format with thousands separators. Made once: to make one for each number of a report takes a hundred times as long. */
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
export const toText = (columns: readonly Column[], rows: readonly (readonly Cell[])[]): string =>
  [...textLines(columns, rows)].join('');

function* textLines(named: readonly Column[], rows: readonly (readonly Cell[])[]): Generator<string> {
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
  const line = (parts: string[]): string => `${` ${parts.join('  ')}`.trimEnd()}\n`;
  const centred = (text: string, width: number): string => text.padStart((width + text.length) >> 1).padEnd(width);
  yield line(columns.map(({ name }, i) => centred(name, widths[i]!)));
  yield line(widths.map((width) => '-'.repeat(width)));
  for (const row of rows) {
    yield line(
      columns.map((column, i) => {
        const cell = show(row[i] ?? null, column);
        return column.type === 'text' ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
      }),
    );
  }
}
