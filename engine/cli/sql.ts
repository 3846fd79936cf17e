import { csvLine, tableFormats, toText, type TableFormat } from '../analysis/formats.ts';
import type { SqlTable } from '../model/tables.ts';
import { runSql } from '../trace/sql.ts';
import { choice, exitCodes, helpHint, parse, print, printError, usageError, type Command } from './command.ts';
import { openFile } from './open-recording.ts';

const options = {
  format: { type: 'string', short: 'f', default: 'table' },
  limit: { type: 'string', short: 'n', default: '1000' },
  'max-seconds': { type: 'string', default: '60' },
} as const;

export const sql: Command = {
  name: 'sql',
  options,
  values: { format: tableFormats },
  help: `usage: simsight sql FILE.simsight "SELECT …" [--format table|csv|json] [--limit N]

Runs one read-only statement: SELECT, WITH … SELECT, EXPLAIN, PRAGMA table_info(…). The tables are those of an Nsight Systems
export and SIMSIGHT_…; engine/trace/SCHEMA.md describes them, with examples. Blobs print as their size; hex(…) prints bytes.

  -f, --format F   table (default), csv or json
  -n, --limit N    maximum rows (default 1000); a message on stderr tells of more
  --max-seconds S  time limit (default 60)
`,
  async run(words) {
    const { values, positionals } = parse('sql', words, options);
    const [path, text, ...more] = positionals;
    if (path === undefined) throw usageError('sql: no trace given.', helpHint('sql'));
    if (text === undefined) throw usageError('sql: no statement given.', helpHint('sql'));
    if (more.length > 0) throw usageError('sql: only one statement is allowed.', 'Put it in quotes.');
    const format = choice('sql', 'format', values.format, tableFormats);
    const limit = Number(values.limit);
    if (!/^\d+$/.test(values.limit) || limit > 1e6) {
      throw usageError(`sql: --limit ${values.limit} is not a number of rows.`, 'Use 0 to 1000000.');
    }
    const maxSeconds = Number(values['max-seconds']);
    if (!(maxSeconds > 0 && maxSeconds <= 1e6)) {
      throw usageError(`sql: --max-seconds ${values['max-seconds']} is not a positive number.`);
    }
    const file = await openFile(path);
    const table = await runSql({ path: file.path, text, limit }, { maxSeconds }).finally(() => file.close());
    print(formatTable(table, format));
    if (table.cut && table.rows.length < limit)
      printError(
        `simsight: the result is too long: only ${table.rows.length} rows are shown. Select fewer or shorter columns.\n`,
      );
    else if (table.cut) printError(`simsight: there are more than ${limit} rows. Raise --limit to see more.\n`);
    return exitCodes.ok;
  },
};

/** Values as they are: unlike in reports, nothing is rounded. */
function formatTable({ columns, rows }: SqlTable, format: TableFormat): string {
  const text = (cell: SqlTable['rows'][number][number]): string => (cell === null ? '' : String(cell));
  switch (format) {
    case 'csv':
      return [columns, ...rows].map((row) => csvLine(row.map(text))).join('');
    case 'json': {
      const objects = rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, row[i]]))));
      return objects.length > 0 ? `[\n  ${objects.join(',\n  ')}\n]\n` : '[]\n';
    }
    case 'table': {
      const typed = columns.map((name, i) => {
        const isText = rows.some((row) => typeof row[i] === 'string');
        return { name, type: isText ? ('text' as const) : ('number' as const) };
      });
      return toText(
        typed,
        rows.map((row) => row.map(text)),
      );
    }
  }
}
