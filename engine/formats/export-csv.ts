/** A table of a trace as CSV; reports are written by engine/analysis/formats.ts, with the decimals that nsys prints. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { csvLine } from '../analysis/formats.ts';
import type { StoredCell, StoredTable } from './export-tables.ts';

/** Characters per piece that goes to the file. */
const pieceLength = 65536;

export async function writeCsv(table: StoredTable, path: string): Promise<void> {
  await pipeline(Readable.from(csvPieces(table)), createWriteStream(path));
}

function* csvPieces({ columns, rows }: StoredTable): Generator<string> {
  let piece = csvLine(columns.map(({ name }) => name));
  for (const row of rows()) {
    piece += csvLine(row.map(cellText));
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** NULL is an empty cell, a blob is hexadecimal. */
function cellText(cell: StoredCell): string {
  if (cell === null) return '';
  return Buffer.isBuffer(cell) ? cell.toString('hex') : String(cell);
}
