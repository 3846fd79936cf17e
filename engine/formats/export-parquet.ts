/** Tables and reports of a trace as Parquet: whole numbers are INT64, repeated text is a dictionary, NULL stays NULL. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportTable } from '../model/tables.ts';
import { decimals } from '../analysis/formats.ts';
import { version } from '../base/version.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { reading } from './export-target.ts';
import { readTable, type StoredCell, type StoredTable } from './export-tables.ts';
import { fileWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';

/** Rows in memory at a time, and what a reader that wants few has to read. */
const rowsPerGroup = 65536;

interface ParquetColumn {
  name: string;
  type: BasicType;
}
type ParquetCell = bigint | number | string | Uint8Array | null;

/** A folder with one file for each of the tables that has rows. */
export async function writeParquetFolder(file: TraceFile, names: readonly string[], path: string): Promise<void> {
  mkdirSync(path);
  await reading(file, async () => {
    for (const name of names) {
      const table = readTable(file, name);
      for (const _ of table.rows()) {
        await writeParquetTable(file, table, join(path, `${name}.parquet`));
        break;
      }
    }
  });
}

export async function writeParquetTable(file: TraceFile, table: StoredTable, path: string): Promise<void> {
  const columns = columnsOf(file, table);
  const converters = columns.map(({ type }) => convert[type as StoredType]);
  await reading(file, () =>
    write(
      path,
      columns,
      () => table.rows(),
      (cell, i) => (cell === null ? null : converters[i]!(cell)),
    ),
  );
}

export async function writeParquetReport({ columns, rows }: ReportTable, path: string): Promise<void> {
  const typed = columns.map((column): ParquetColumn => {
    const type = column.type === 'text' ? 'STRING' : decimals(column) > 0 ? 'DOUBLE' : 'INT64';
    return { name: column.name, type };
  });
  await write(
    path,
    typed,
    () => rows,
    (cell, i) => {
      if (cell === null) return null;
      const { type } = typed[i]!;
      return type === 'STRING' ? String(cell) : type === 'INT64' ? BigInt(Math.round(Number(cell))) : Number(cell);
    },
  );
}

async function write<Cell>(
  path: string,
  columns: readonly ParquetColumn[],
  rows: () => Iterable<readonly Cell[]>,
  convertCell: (cell: Cell, column: number) => ParquetCell,
): Promise<void> {
  const empty = (): { name: string; type: BasicType; data: ParquetCell[] }[] =>
    columns.map((column) => ({ ...column, data: [] }));
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaFromColumnData({ columnData: empty() }),
    createdBy: `simsight version ${version}`,
  });
  let group = empty();
  for (const row of rows()) {
    row.forEach((cell, i) => group[i]!.data.push(convertCell(cell, i)));
    if (group[0]!.data.length < rowsPerGroup) continue;
    await writer.write({ columnData: group, rowGroupSize: rowsPerGroup });
    group = empty();
  }
  if (group[0]!.data.length > 0) await writer.write({ columnData: group, rowGroupSize: rowsPerGroup });
  await writer.finish();
}

type StoredType = 'INT64' | 'DOUBLE' | 'STRING' | 'BYTE_ARRAY';
type Present = Exclude<StoredCell, null>;

const convert: Record<StoredType, (cell: Present) => ParquetCell> = {
  INT64: (cell) => cell as bigint,
  DOUBLE: Number,
  STRING: String,
  BYTE_ARRAY: (cell) => cell as Buffer,
};

/** The columns' types by the values stored: SQLite holds no column to its type, and the columns of views may have none. */
function columnsOf({ db }: TraceFile, { name, columns }: StoredTable): ParquetColumn[] {
  const holds = columns.flatMap((column) =>
    ['text', 'real', 'blob', 'integer'].map((kind) => `max(typeof("${column.name}") = '${kind}')`),
  );
  const found = db
    .prepare(`SELECT ${holds.join(', ')} FROM "${name}"`)
    .raw()
    .get() as (number | null)[];
  return columns.map((column, i) => {
    const [text, real, blob, integer] = found.slice(4 * i, 4 * i + 4);
    return { name: column.name, type: typeOf(text, real, blob, integer) ?? declaredTypes[column.type] ?? 'STRING' };
  });
}

type Flag = number | null | undefined;
function typeOf(text: Flag, real: Flag, blob: Flag, integer: Flag): StoredType | null {
  if (blob && !text && !real && !integer) return 'BYTE_ARRAY';
  if (text || blob) return 'STRING';
  if (real) return 'DOUBLE';
  return integer ? 'INT64' : null;
}

const declaredTypes: Readonly<Record<string, StoredType>> = { INTEGER: 'INT64', REAL: 'DOUBLE', BLOB: 'BYTE_ARRAY' };
