/** Queries in the desktop app: only its main process can start processes, so the engine asks it for them. */
import type { SqlAnswer, StartSql } from '../trace/sql.ts';
import type { SqlOrder } from '../trace/sql-query.ts';

/** From the engine to the main process. */
export type SqlRequest = { type: 'sql'; id: number; order: SqlOrder } | { type: 'sql-kill'; id: number };
/** And back; null when the process ended without an answer. */
export interface SqlReply {
  type: 'sql';
  id: number;
  answer: SqlAnswer | null;
}

export function sqlThroughMain(post: (request: SqlRequest) => void): {
  start: StartSql;
  receive(reply: SqlReply): void;
} {
  const waiting = new Map<number, (answer: SqlAnswer | null) => void>();
  let lastId = 0;
  return {
    start: (order) => {
      const id = ++lastId;
      const answer = new Promise<SqlAnswer | null>((done) => waiting.set(id, done));
      post({ type: 'sql', id, order });
      return {
        answer,
        kill: () => {
          waiting.delete(id);
          post({ type: 'sql-kill', id });
        },
      };
    },
    receive: ({ id, answer }) => waiting.get(id)?.(answer),
  };
}
