/** Tables for spreadsheets: RFC 4180, raw values. */
export type Cell = string | number | null;

export function toCsv(columns: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const quote = (cell: Cell): string => {
    const text = cell === null ? '' : String(cell);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(quote).join(',')];
  for (const row of rows) lines.push(row.map(quote).join(','));
  return lines.join('\r\n');
}
