/** Amounts that the kernels and copies in a range of time add to charts, one by one. */
import { eventKinds } from '../model/event-kinds/index.ts';
import { amountsOfCopy, amountsOfKernels, type Amounts } from './charts.ts';
import type { Trace } from './trace.ts';
import type { Style, TrackEvents } from './track-events.ts';

export interface Work {
  start: number;
  end: number;
  amounts: Amounts;
}
type Kind = 'KERNEL' | 'MEMCPY';

const keptShapes = 2 ** 16;
/** Events are looked up together where they are more than this part of those between the first and the last: a question costs as much as so many rows. */
const sparse = 16;

export class ChartWork {
  private readonly trace: Pick<Trace, 'query'>;
  /** Kernels and copies, each once. */
  private readonly rows: readonly TrackEvents[];
  private readonly styles: readonly Style[];
  private readonly amounts: Record<Kind, Map<number, Amounts>> = { KERNEL: new Map(), MEMCPY: new Map() };
  /** The last answer: several charts ask for the same range. */
  private last: { from: number; to: number; work: Work[] } | null = null;

  constructor(trace: Pick<Trace, 'query'>, rows: readonly TrackEvents[], styles: readonly Style[]) {
    this.trace = trace;
    this.rows = rows;
    this.styles = styles;
  }

  /** About how many there are; not fewer. */
  countIn(from: number, to: number): number {
    return this.rows.reduce((sum, row) => sum + row.countIn(from, to), 0);
  }

  workIn(from: number, to: number): Work[] {
    if (this.last?.from === from && this.last.to === to) return this.last.work;
    const windows = this.rows.map((row) => row.window(0, from, to, 0, this.styles));
    const work = (['kernel', 'memcpy'] as const).flatMap((kind) => {
      const number = eventKinds.indexOf(kind);
      const own: { start: number; end: number; row: number }[] = [];
      for (const { count, starts, durations, kinds, rows } of windows) {
        for (let i = 0; i < count; i++) {
          if (kinds[i] === number) own.push({ start: starts[i]!, end: starts[i]! + durations[i]!, row: rows[i]! });
        }
      }
      const amounts = this.amountsOf(
        kind === 'kernel' ? 'KERNEL' : 'MEMCPY',
        own.map(({ row }) => row),
      );
      return own.map(({ start, end }, i) => ({ start, end, amounts: amounts[i]! }));
    });
    this.last = { from, to, work };
    return work;
  }

  /** Amounts of events, given by their rows. */
  amountsOf(kind: Kind, rows: readonly number[]): Amounts[] {
    const [first, last] = [rows.reduce((a, b) => Math.min(a, b), Infinity), rows.reduce((a, b) => Math.max(a, b), 0)];
    const select = `SELECT rowid, shape FROM SIMSIGHT_EVENTS_${kind} WHERE`;
    if (last - first >= sparse * rows.length) {
      return rows.map((row) => this.ofShape(kind, Number(this.trace.query(`${select} rowid = ?`, row)[0]?.[1] ?? 0)));
    }
    const shapes = new Float64Array(rows.length === 0 ? 0 : last - first + 1);
    for (const [row, shape] of this.trace.query(`${select} rowid BETWEEN ? AND ?`, first, last)) {
      shapes[Number(row) - first] = Number(shape);
    }
    return rows.map((row) => this.ofShape(kind, shapes[row - first]!));
  }

  private ofShape(kind: Kind, shape: number): Amounts {
    const known = this.amounts[kind];
    let found = known.get(shape);
    if (!found) {
      if (known.size >= keptShapes) known.clear();
      known.set(shape, (found = this.read(kind, shape)));
    }
    return found;
  }

  private read(kind: Kind, shape: number): Amounts {
    if (kind === 'KERNEL') return amountsOfKernels(this.trace, shape);
    const [row] = this.trace.query('SELECT copyKind, bytes FROM SIMSIGHT_SHAPES_MEMCPY WHERE id = ?', shape);
    return amountsOfCopy(Number(row?.[0]), Number(row?.[1]));
  }
}
