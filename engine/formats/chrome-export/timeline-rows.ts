/**
 * The rows of an exported trace: threads of processes, and of GPUs, which are processes there. Slices of one thread have to nest, so a
 * row whose events overlap becomes as many threads as it has lanes.
 */
import type { ChromeRow } from '../../model/event-kinds/kind.ts';
import { event, metadata, type Fields } from './json-events.ts';

/** Threads that a row becomes at most: a file can say that all of its events overlap, and each is looked at for each other. */
export const mostLanes = 2048;
/** Ids of processes and threads that are none of an operating system: Linux has them up to 2^22. */
const firstOwnId = 2 ** 22;

/** A row of the timeline, and the threads that it became. */
interface TimelineRow extends ChromeRow {
  title: string;
  /** Rows of a process from top to bottom. */
  order: number;
  /** True if an event within another one is shown below it, as calls are; else it is on a thread of its own. */
  nests: boolean;
  /** Each lane's thread, and the ends of what is open on it, the innermost last. */
  lanes: { tid: number; open: number[] }[];
}

export interface PlacedSlice {
  row: ChromeRow;
  category: string;
  name: string;
  start: number;
  end: number;
  arguments: Fields;
  /** The API call that caused it, for the arrow. */
  call?: { pid: number; tid: number; start: number };
}

export class TimelineRows {
  /** Events that overlap more others than there are lanes for. */
  leftOut = 0;
  private readonly rows = new Map<string, TimelineRow>();
  private readonly gpus = new Map<number, number>();
  private readonly named = new Set<number>();
  private nextId = firstOwnId;
  private arrows = 0;

  /** The process that a GPU is. */
  gpu(device: number): number {
    let pid = this.gpus.get(device);
    if (pid === undefined) this.gpus.set(device, (pid = this.nextId++));
    return pid;
  }

  /** A row by its process and title; `tid` is the thread's own id where it is to have that. */
  row(pid: number, title: string, order: number, nests = false, tid?: number): ChromeRow {
    const key = `${pid} ${title} ${tid ?? ''}`;
    let row = this.rows.get(key);
    if (!row) {
      row = { pid, title, order, nests, lanes: tid === undefined ? [] : [{ tid, open: [] }] };
      this.rows.set(key, row);
    }
    return row;
  }

  *write({ row, category, name, start, end, arguments: args, call }: PlacedSlice): Generator<string> {
    const { pid, title, order, nests, lanes } = row as TimelineRow;
    let lane = lanes.findIndex(({ open }) => {
      while (open.length > 0 && open.at(-1)! <= start) open.pop();
      return open.length === 0 || (nests && end <= open.at(-1)!);
    });
    if (lane < 0 && lanes.length < mostLanes) lane = lanes.push({ tid: this.nextId++, open: [] }) - 1;
    if (lane < 0) {
      this.leftOut++;
      return;
    }
    const { tid, open } = lanes[lane]!;
    if (!this.named.has(tid)) {
      this.named.add(tid);
      yield metadata('thread_name', pid, { name: title }, tid);
      yield metadata('thread_sort_index', pid, { sort_index: Math.round(10 * order) }, tid);
    }
    open.push(end);
    yield event({ ph: 'X', cat: category, name, pid, tid, args }, start, end - start);
    if (!call) return;
    // An arrow has one end, and a call may start many: each gets an arrow of its own.
    const arrow = { cat: 'ac2g', name: 'ac2g', id: ++this.arrows };
    yield event({ ph: 's', ...arrow, pid: call.pid, tid: call.tid }, call.start);
    yield event({ ph: 'f', bp: 'e', ...arrow, pid, tid }, start);
  }
}
