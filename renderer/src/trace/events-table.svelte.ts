/**
 * The table of events: which of them it shows in which order, and the pages that were looked at. Pages are asked for one at a time,
 * those on screen first; answers to a table that is no longer shown are dropped.
 */
import type { EventFilter, EventRow, EventSort } from '../../../engine/model/event-queries.ts';
import type { EventRef } from '../../../engine/model/timeline.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import type { OpenTrace } from './open-trace.svelte.ts';

export const scopes = [
  { id: 'trace', title: 'Whole trace' },
  { id: 'range', title: 'Selected range' },
  { id: 'row', title: 'Selected row' },
  { id: 'window', title: 'Visible time' },
] as const;
export type Scope = (typeof scopes)[number]['id'];

const pageRows = 200;
/** A screen has about 40 rows; these are some hundred screens. */
const keptPages = 30;
/** Rows given away as CSV at most. */
export const mostExported = 100_000;
/** The most that one call gives. */
const rowsPerCall = 10_000;

export interface TableQuestion {
  filter: EventFilter;
  sort: EventSort;
  descending: boolean;
}

export class EventsTable {
  text = $state('');
  scope = $state<Scope>('trace');
  sort = $state<EventSort>('start');
  descending = $state(false);
  /** −1: none. */
  active = $state(-1);
  anchor = $state(-1);
  total = $state(0);
  problem = $state.raw<Problem | null>(null);
  /** False until the first page of what is shown is there. */
  ready = $state(false);
  /** Changes when a page has come: rows are read again. */
  version = $state(0);
  /** The event that was selected in this table: nothing to look for. */
  own: EventRef | null = null;
  readonly #trace: OpenTrace;
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- `version` says when it changed
  #pages = new Map<number, EventRow[]>();
  #question: TableQuestion | null = null;
  #wanted: number[] = [];
  #running: TableQuestion | null = null;

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  /** The question behind what the table is to show now; null where its scope has nothing to go by. */
  get question(): TableQuestion | null {
    const { view, selection } = this.#trace;
    const filter: EventFilter = this.text === '' ? {} : { text: this.text };
    if (this.scope === 'range') {
      if (!view.measured) return null;
      Object.assign(filter, { fromNs: view.measured.from, toNs: view.measured.to });
    } else if (this.scope === 'row') {
      if (!selection) return null;
      filter.tracks = [selection.event.track];
    } else if (this.scope === 'window') {
      const { start, span } = view.window;
      Object.assign(filter, { fromNs: Math.max(0, start), toNs: Math.max(0, start + span) });
    }
    return { filter, sort: this.sort, descending: this.descending };
  }

  /** Shows another table; what was asked for the one before no longer counts. */
  show(question: TableQuestion): void {
    if (this.#question && JSON.stringify(this.#question) === JSON.stringify(question)) return;
    this.#question = question;
    this.#pages.clear();
    this.#wanted = [0];
    this.active = this.anchor = -1;
    this.own = null;
    this.ready = false;
    this.problem = null;
    void this.#run();
  }
  /** The same once more: after an error, or when the engine was started again. */
  again(): void {
    const question = this.#question;
    this.#question = null;
    if (question) this.show(question);
  }

  row(index: number): EventRow | undefined {
    void this.version;
    return this.#pages.get(Math.floor(index / pageRows))?.[index % pageRows];
  }

  /** Rows on screen. */
  want(first: number, stop: number): void {
    if (!this.#question) return;
    const pages: number[] = [];
    for (let page = Math.floor(first / pageRows); page * pageRows < stop; page++) {
      if (!this.#pages.has(page)) pages.push(page);
    }
    this.#wanted = pages;
    void this.#run();
  }

  async #run(): Promise<void> {
    const question = this.#question;
    if (!question || this.#running === question) return;
    this.#running = question;
    try {
      for (let page = this.#wanted.shift(); page !== undefined; page = this.#wanted.shift()) {
        if (this.#pages.has(page)) continue;
        const answer = await this.#ask(question, page * pageRows, pageRows);
        if (this.#question !== question) return;
        this.#pages.delete(page);
        this.#pages.set(page, answer.rows);
        for (const old of this.#pages.keys()) if (this.#pages.size > keptPages) this.#pages.delete(old);
        this.total = answer.total;
        this.ready = true;
        this.version++;
      }
    } catch (error) {
      if (this.#question !== question) return;
      this.#wanted = [];
      this.total = 0;
      this.ready = true;
      this.problem = problemOf('The events could not be listed', error);
    } finally {
      if (this.#running === question) this.#running = null;
    }
  }

  #ask({ filter, sort, descending }: TableQuestion, offset: number, limit: number) {
    return this.#trace.ask('trace.rows', { filter, sort, descending, offset, limit });
  }

  /** A row, when it is there; undefined where the table has changed meanwhile. */
  async load(index: number): Promise<EventRow | undefined> {
    const question = this.#question;
    const known = this.row(index);
    if (known || !question) return known;
    const { rows } = await this.#ask(question, index, 1);
    return this.#question === question ? rows[0] : undefined;
  }

  /** Index of an event; null where it is not in the table, undefined where the table has changed meanwhile. */
  async find(ref: EventRef): Promise<number | null | undefined> {
    const question = this.#question;
    if (!question) return undefined;
    const at = await this.#trace.ask('trace.rowOf', { ...question, ref });
    return this.#question === question ? at : undefined;
  }

  /** Rows from `first` on, {@link mostExported} at most. */
  async rows(first: number, stop: number): Promise<EventRow[]> {
    const question = this.#question;
    const last = Math.min(stop, first + mostExported);
    const found: EventRow[] = [];
    for (let at = first; question && at < last; at += rowsPerCall) {
      found.push(...(await this.#ask(question, at, Math.min(rowsPerCall, last - at))).rows);
    }
    return found;
  }
}
