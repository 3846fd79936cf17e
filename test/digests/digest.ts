/**
 * Contents of a trace, as one short digest per table: two traces are the same where their digests are, whatever the order of the
 * schema, the layout of the file's pages, or the folder that the program lies in.
 */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

/** Digests by name of table, for tables with rows: enough hexadecimal digits to tell a change from none. */
export type TableDigests = Record<string, string>;

const digits = 8;

/**
 * The digests of a trace's tables, columns by name and rows in their order. `folders` are places of this machine (the checkout, a
 * temporary folder): texts are digested without them.
 */
export function digestTrace(path: string, folders: readonly string[]): TableDigests {
  const database = new Database(path, { readonly: true });
  try {
    // Enumerations are the schema's, the same in all traces.
    const tables = database
      .prepare(
        "SELECT name, wr AS isKeyed FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'ENUM_%'",
      )
      .all() as { name: string; isKeyed: number }[];
    const digests: TableDigests = {};
    for (const { name, isKeyed } of tables.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const digest = digestTable(database, name, isKeyed === 1, folders);
      if (digest !== null) digests[name] = digest;
    }
    return digests;
  } finally {
    database.close();
  }
}

/** null where the table is empty. Tables without a rowid are in the order of their keys by themselves. */
function digestTable(
  database: Database.Database,
  table: string,
  isKeyed: boolean,
  folders: readonly string[],
): string | null {
  const columns = (database.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name).sort();
  const names = columns.map((name) => `"${name}"`).join(', ');
  const rows = database
    .prepare(`SELECT ${names} FROM "${table}"${isKeyed ? '' : ' ORDER BY rowid'}`)
    .raw()
    .safeIntegers();
  const hash = createHash('sha256').update(columns.join());
  let isEmpty = true;
  for (const row of rows.iterate() as IterableIterator<unknown[]>) {
    isEmpty = false;
    for (const value of row) update(value);
  }
  return isEmpty ? null : hash.digest('hex').slice(0, digits);

  /** The type goes in with the value, and nothing that a value holds is taken for the end of it. */
  function update(value: unknown): void {
    if (Buffer.isBuffer(value)) hash.update(`b${value.length}:`).update(value);
    else if (typeof value === 'string') {
      const text = folders.reduce((left, folder) => left.replaceAll(folder, ''), value);
      hash.update(`t${text.length}:`).update(text);
    } else hash.update(`${value === null ? 'n' : typeof value === 'bigint' ? 'i' : 'r'}${String(value)};`);
  }
}
