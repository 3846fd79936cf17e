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
  summary: 'answer an SQL query on a trace',
  help: `usage: simsight sql FILE.simsight "SELECT …" [--format table|csv|json] [--limit N]

One statement that reads: SELECT, WITH … SELECT, EXPLAIN, PRAGMA table_info(…). Tables are those of an Nsight Systems export and
SIMSIGHT_…; engine/trace/SCHEMA.md describes them and has examples. Blobs are shown by their size; hex(…) shows their bytes.

  -f, --format F   table (default), csv or json
  -n, --limit N    rows at most (default 1000); says on stderr when there are more
  --max-seconds S  give up after so long (default 60)
`,
  async run(words) {
    const { values, positionals } = parse('sql', words, options);
    const [path, text, ...more] = positionals;
    if (path === undefined) throw usageError('sql: no trace is given.', helpHint('sql'));
    if (text === undefined) throw usageError('sql: no statement is given.', helpHint('sql'));
    if (more.length > 0) throw usageError('sql: one statement at a time.', 'Put it in quotes.');
    const format = choice('sql', 'format', values.format, tableFormats);
    const limit = Number(values.limit);
    if (!/^\d+$/.test(values.limit) || limit > 1e6) {
      throw usageError(`sql: --limit ${values.limit} is no number of rows.`, 'It can be 0 to 1000000.');
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
        `simsight: the answer is too long: ${table.rows.length} rows are shown. Ask for fewer or shorter columns.\n`,
      );
    else if (table.cut) printError(`simsight: there are more than ${limit} rows. Add --limit to see more.\n`);
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
