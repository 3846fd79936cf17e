import { makeReport, reportNames } from '../analysis/reports.ts';
import { formatReport } from '../analysis/formats.ts';
import { writeFileSync } from 'node:fs';
import type { ExportOrder } from '../base/targets.ts';
import { writeTarget } from '../formats/export-target.ts';
import type { TraceFile } from '../trace/open-file.ts';
import { openTrace } from '../trace/reader.ts';
import { choice, exitCodes, helpHint, parse, print, printed, usageError, type Command } from './command.ts';
import { noticesOf, openFile } from './open-recording.ts';

const formats = ['chrome', 'csv', 'parquet', 'sqlite'] as const;
type Format = (typeof formats)[number];

/** Formats by file name extension; a name without one is a folder. */
const endings: readonly [RegExp, Format][] = [
  [/\.json(\.gz)?$/i, 'chrome'],
  [/\.csv$/i, 'csv'],
  [/\.(parquet|parquetdir)$/i, 'parquet'],
  [/\.(sqlite|sqlite3|db)$/i, 'sqlite'],
];

const options = {
  output: { type: 'string', short: 'o' },
  format: { type: 'string', short: 'f' },
  report: { type: 'string', short: 'r' },
  table: { type: 'string', short: 't' },
  'only-nsys': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export const exportCommand: Command = {
  name: 'export',
  options,
  values: { format: formats, report: reportNames },
  help: `usage: simsight export FILE.simsight -o FILE [--format ${formats.join('|')}] [options]

Formats, and the file names that select them:
  chrome   .json, .json.gz   for ui.perfetto.dev and chrome://tracing, with arrows from calls to the work they started
  csv      .csv              one report or table
  parquet  .parquet          one report or table; without either, a folder with one file per table
  sqlite   .sqlite           all tables; with --only-nsys exactly the tables that "nsys export" writes

  -o, --output FILE  file or folder to write
  -f, --format F     format, if the name does not select one
  -r, --report NAME  a report of "simsight stats"
  -t, --table NAME   a table or view of the trace, unchanged
  --only-nsys        omit Simsight's own tables (sqlite, parquet)
  --force            overwrite an existing file
  --json             print what was written as JSON
`,
  async run(words) {
    const { values, positionals } = parse('export', words, options);
    const [path, ...more] = positionals;
    const { output, report, table } = values;
    const onlyNsys = values['only-nsys'];
    if (path === undefined) throw usageError('export: no trace given.', helpHint('export'));
    if (more.length > 0) throw usageError('export: only one trace is allowed.', helpHint('export'));
    if (output === undefined) throw usageError('export: no output given.', 'Name a file with -o.');
    const format = values.format === undefined ? formatOf(output) : choice('export', 'format', values.format, formats);
    const named = [report, table].filter((name) => name !== undefined).length;
    if (named > 1) throw usageError('export: --report and --table cannot be used together.');
    if (format === 'csv' && named === 0) {
      throw usageError('export: a CSV file holds one report or table.', 'Name it with --report or --table.');
    }
    if (named > 0 && format !== 'csv' && format !== 'parquet') {
      throw usageError(`export: ${format} always holds the whole trace.`, 'Leave out --report and --table.');
    }
    if (onlyNsys && (named > 0 || format === 'csv' || format === 'chrome')) {
      throw usageError('export: --only-nsys applies to all tables, as SQLite or Parquet.', helpHint('export'));
    }
    const order: ExportOrder = { force: values.force, holds: holds[format], inputs: [path] };
    let notices: string[] = [];
    await writeTarget(output, order, async (target) => {
      const file = await openFile(path);
      notices = noticesOf(path, file);
      if (report === undefined) {
        try {
          await writeTables(file, target, { format, table, onlyNsys, compressed: /\.gz$/i.test(output) });
        } finally {
          file.close();
        }
        return;
      }
      const trace = openTrace(path, file);
      try {
        const made = makeReport(trace, report);
        if (format === 'csv') writeFileSync(target, formatReport(made, 'csv'));
        else await (await import('../formats/export-parquet.ts')).writeParquetReport(made, target);
      } finally {
        trace.close();
      }
    });
    const cutShort = notices.length > 0 ? { notices } : {};
    print(values.json ? printed({ files: [output], ...cutShort }) : `${output}\n`);
    return exitCodes.ok;
  },
};

const holds: Record<Format, ExportOrder['holds']> = {
  chrome: 'text',
  csv: 'text',
  parquet: 'data',
  sqlite: 'database',
};

function formatOf(output: string): Format {
  const format = endings.find(([ending]) => ending.test(output))?.[1];
  if (format) return format;
  throw usageError(`export: ${output} has no known extension.`, `Add --format: ${formats.join(', ')}.`);
}

interface TablesOrder {
  format: Format;
  table: string | undefined;
  onlyNsys: boolean;
  compressed: boolean;
}

/** Each format is loaded when it is needed. */
async function writeTables(file: TraceFile, target: string, order: TablesOrder): Promise<void> {
  const { format, table, onlyNsys, compressed } = order;
  switch (format) {
    case 'chrome':
      return (await import('../formats/export-chrome.ts')).writeChromeTrace(file, target, compressed);
    case 'csv': {
      const { readTable } = await import('../formats/export-tables.ts');
      return (await import('../formats/export-csv.ts')).writeCsv(readTable(file, table!), target);
    }
    case 'sqlite': {
      const { writeNsysExport, writeWhole } = await import('../formats/export-sqlite.ts');
      return onlyNsys ? writeNsysExport(file, target) : writeWhole(file, target);
    }
    case 'parquet': {
      const { readTable, tableNames } = await import('../formats/export-tables.ts');
      const { writeParquetFolder, writeParquetTable } = await import('../formats/export-parquet.ts');
      if (table !== undefined) return writeParquetTable(file, readTable(file, table), target);
      const { nsysTables } = await import('../formats/export-nsys-tables.ts');
      const all = tableNames(file);
      const nsys = new Set(nsysTables(all).map(({ name }) => name));
      return writeParquetFolder(file, onlyNsys ? all.filter((name) => nsys.has(name)) : all, target);
    }
  }
}
