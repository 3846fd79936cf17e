/**
 * Names of `StringIds`, each read once: of a query that puts the name into each row, a million rows have a million copies of it, and a
 * name can be 64 KiB long.
 */
import type { Trace } from '../trace/trace.ts';

type NameById = (id: unknown) => string | null;

const known = new WeakMap<Pick<Trace, 'query'>, NameById>();

/** null where there is no such name. */
export function nameById(trace: Pick<Trace, 'query'>): NameById {
  let found = known.get(trace);
  if (!found) {
    const names = new Map<unknown, string | null>();
    found = (id) => {
      let name = names.get(id);
      if (name === undefined) {
        const [row] = typeof id === 'number' ? trace.query('SELECT value FROM StringIds WHERE id = ?', id) : [];
        const value = row?.[0] ?? null;
        names.set(id, (name = value === null ? null : String(value)));
      }
      return name;
    };
    known.set(trace, found);
  }
  return found;
}
