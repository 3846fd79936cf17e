/** One SQL query at a time on a trace, with what it gave. What is written stays when another panel is looked at. */
import type { SqlTable } from '../../../engine/model/tables.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from './open-trace.svelte.ts';
import { schemaQuery, sqlExamples } from './sql-examples.ts';

export const rowLimits = [1000, 10_000, 100_000] as const;

export interface SchemaTable {
  name: string;
  type: string;
  columns: { name: string; type: string }[];
}

export class SqlConsole {
  text = $state(sqlExamples[0]!.text);
  limit = $state<number>(rowLimits[0]);
  result = $state.raw<SqlTable | null>(null);
  /** The query that the result is of. */
  asked = $state('');
  problem = $state.raw<Problem | null>(null);
  running = $state(false);
  /** The time of the query that runs, or ran last. Milliseconds. */
  elapsedMs = $state(0);
  order = $state.raw<{ column: number; descending: boolean } | null>(null);
  /** −1: none. */
  active = $state(-1);
  anchor = $state(-1);
  schema = $state.raw<SchemaTable[] | null>(null);
  schemaProblem = $state.raw<Problem | null>(null);
  readonly #trace: OpenTrace;
  #abort: AbortController | null = null;

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  async run(): Promise<void> {
    if (this.running || this.text.trim() === '') return;
    const { text, limit } = this;
    const abort = new AbortController();
    this.#abort = abort;
    this.running = true;
    this.problem = null;
    const began = performance.now();
    const clock = setInterval(() => (this.elapsedMs = performance.now() - began), 100);
    this.elapsedMs = 0;
    try {
      this.result = await this.#trace.ask('trace.sql', { text, limit }, { signal: abort.signal });
      this.asked = text;
      this.order = null;
      this.active = this.anchor = -1;
    } catch (error) {
      this.result = null;
      this.problem = problemOf('The query failed', error);
    } finally {
      clearInterval(clock);
      this.elapsedMs = performance.now() - began;
      this.running = false;
    }
  }

  cancel(): void {
    this.#abort?.abort();
  }

  async loadSchema(): Promise<void> {
    if (this.schema) return;
    this.schemaProblem = null;
    try {
      const { rows } = await this.#trace.ask('trace.sql', { text: schemaQuery, limit: 100_000 });
      const tables: SchemaTable[] = [];
      for (const [table, type, name, columnType] of rows) {
        if (tables.at(-1)?.name !== table) tables.push({ name: String(table), type: String(type), columns: [] });
        tables.at(-1)!.columns.push({ name: String(name), type: String(columnType ?? '') });
      }
      this.schema = tables;
    } catch (error) {
      this.schemaProblem = problemOf('The tables could not be listed', error);
    }
  }
}
