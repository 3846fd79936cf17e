/** One reading SQL statement on a trace, for a process of its own (`sql-process.ts`): here, nothing can interrupt it. */
import Database from 'better-sqlite3';
import type { SqlTable } from '../model/tables.ts';
import { SimsightError } from '../base/errors.ts';
import { openTraceFile } from './open-file.ts';

export interface SqlQuery {
  /** Path of a trace of ours: `Trace.storedAt`. */
  path: string;
  text: string;
  /** Rows. */
  limit: number;
}

/** Query for a process. */
export interface SqlOrder extends SqlQuery {
  /** A folder that is removed when the process has been killed. */
  temporary: string;
}

/** Longer ones are shown by their size. */
const longestBlob = 32;
/** Longer texts are cut; an answer ends with the row with which its texts become more than so many letters. */
const [longestText, mostLetters] = [2 ** 20, 2 ** 26];

export function querySql({ path, text, limit, temporary }: SqlOrder): SqlTable {
  const file = openTraceFile(path, temporary);
  try {
    return run(file.db, text, limit);
  } catch (error) {
    if (error instanceof Database.SqliteError) throw new SimsightError('sql-failed', `SQLite: ${error.message}.`);
    throw error;
  } finally {
    file.close();
  }
}

function run(db: Database.Database, text: string, limit: number): SqlTable {
  const explains = checkStatement(text);
  const statement = prepare(db, text);
  if (!statement.reader || (!statement.readonly && !explains)) throw refused('This statement');
  const rows: SqlTable['rows'] = [];
  const names = statement.columns().map(({ name }) => name);
  const seen = new Map<string, number>();
  const columns = names.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    // As SQLite tells columns of a subquery apart.
    return before === 0 ? name : `${name}:${before}`;
  });
  let letters = 0;
  for (const row of statement.raw().safeIntegers().iterate() as Iterable<Stored[]>) {
    if (rows.length === limit || letters > mostLetters) return { columns, rows, limit, cut: true };
    const cells = row.map(shown);
    for (const cell of cells) if (typeof cell === 'string') letters += cell.length;
    rows.push(cells);
  }
  return { columns, rows, limit, cut: false };
}

function prepare(db: Database.Database, text: string): Database.Statement {
  try {
    return db.prepare(text);
  } catch (error) {
    // Said by better-sqlite3, not by SQLite.
    if (error instanceof RangeError && error.message.includes('more than one statement')) {
      throw new SimsightError('bad-request', 'That is more than one statement.', 'Run them one after the other.');
    }
    throw error;
  }
}

/** Throws for what may not run; tells whether it is only explained. */
function checkStatement(text: string): boolean {
  const statement = text.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))+/, '');
  const [word = ''] = /^\w*/.exec(statement)!;
  const command = word.toUpperCase();
  if (statement === '') throw new SimsightError('bad-request', 'There is no statement.', remedy);
  if (command === 'PRAGMA') {
    if (!/^pragma\s+(?:main\s*\.\s*)?table_x?info\s*[(=]/i.test(statement)) throw refused('This PRAGMA');
  } else if (!['SELECT', 'WITH', 'EXPLAIN'].includes(command)) throw refused(command || `"${statement[0]}"`);
  return command === 'EXPLAIN';
}

const remedy = 'Traces can only be read: SELECT, WITH … SELECT, EXPLAIN, PRAGMA table_info(…).';
const refused = (what: string): SimsightError =>
  new SimsightError('bad-request', `${what} is not allowed here.`, remedy);

type Stored = bigint | number | string | Buffer | null;

/** Whole numbers beyond 2^53 stay exact as text. */
function shown(cell: Stored): SqlTable['rows'][number][number] {
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (typeof cell === 'string' && cell.length > longestText)
    return `${cell.slice(0, longestText)}… (${cell.length} letters)`;
  if (!Buffer.isBuffer(cell)) return cell;
  return cell.length > longestBlob ? `<${cell.length} bytes>` : `X'${cell.toString('hex').toUpperCase()}'`;
}
