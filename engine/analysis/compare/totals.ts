/** Figures of all that is compared. */
import type { CompareRow } from '../../model/comparison.ts';
import { lengthOf, overlapOf, SpanCollector, unionOfAll, type Spans } from '../../trace/spans.ts';
import type { Events, TraceEvents } from './events.ts';
import { totalRow } from './tables.ts';
import { spanOf, type Window } from './waterfall.ts';
import type { Side } from './window.ts';

interface BothNs {
  before: number;
  after: number;
}

/** Times of the window; "overlap" is the time in which copies and kernels run at once. */
export function totalsOf(
  was: Side,
  is: Side,
  windows: { before: Window; after: Window },
): { rows: CompareRow[]; kernelsNs: BothNs; busyNs: BothNs } {
  const [a, b] = [figuresOf(was.events, windows.before), figuresOf(is.events, windows.after)];
  const one = (ns: number): { count: number; ns: number } => ({ count: 1, ns });
  return {
    rows: [
      totalRow('Session duration', one(was.trace.info.durationNs), one(is.trace.info.durationNs)),
      totalRow('Compared time', one(spanOf(windows.before)), one(spanOf(windows.after)), true),
      totalRow('GPU busy', one(a.busyNs), one(b.busyNs)),
      totalRow('Kernel time', a.kernels, b.kernels),
      totalRow('Copy time', a.copies, b.copies),
      totalRow('Copies under kernels', one(a.overlapNs), one(b.overlapNs)),
    ],
    kernelsNs: { before: a.kernels.ns, after: b.kernels.ns },
    busyNs: { before: a.busyNs, after: b.busyNs },
  };
}

function figuresOf({ kernels, copies, memsets }: TraceEvents, window: Window) {
  const [k, c, m] = [kernels, copies, memsets].map((events) => within(events, window));
  const busy = lengthOf(unionOfAll([k!.spans, c!.spans, m!.spans]));
  return { busyNs: busy, kernels: k!, copies: c!, overlapNs: overlapOf(k!.spans, c!.spans) };
}

/** Sums of what begins in the window; spans end where it does. */
function within(
  { count, starts, ends }: Events,
  { fromNs, toNs }: Window,
): { count: number; ns: number; spans: Spans } {
  const spans = new SpanCollector();
  let [found, ns] = [0, 0];
  for (let i = 0; i < count; i++) {
    const [start, end] = [starts[i]!, ends[i]!];
    if (start >= fromNs && start <= toNs) {
      found++;
      ns += end - start;
    }
    spans.add(Math.max(start, fromNs), Math.min(end, toNs));
  }
  return { count: found, ns, spans: spans.finish() };
}

/** Before and after all work of GPUs, when the host does nothing that is recorded either (ns); 0 without such work. */
export function emptyEndsNs({ events }: Side, window: Window): number {
  const { kernels, copies, memsets, calls, ranges } = events;
  const ofGpus = extentOf([kernels, copies, memsets]);
  if (ofGpus.fromNs >= ofGpus.toNs) return 0;
  const host = unionOfAll([calls, ranges].map((own) => within(own, window).spans));
  return [
    { fromNs: window.fromNs, toNs: Math.min(ofGpus.fromNs, window.toNs) },
    { fromNs: Math.max(ofGpus.toNs, window.fromNs), toNs: window.toNs },
  ].reduce((sum, end) => sum + Math.max(0, spanOf(end) - lengthOf(clipped(host, end))), 0);
}

function extentOf(lists: readonly Events[]): Window {
  const [fromNs, toNs] = [Infinity, -Infinity];
  return lists.reduce(
    (extent, { count, starts, ends }) => {
      if (count > 0) extent.fromNs = Math.min(extent.fromNs, starts[0]!);
      for (const end of ends) if (end > extent.toNs) extent.toNs = end;
      return extent;
    },
    { fromNs, toNs },
  );
}

function clipped({ starts, ends }: Spans, { fromNs, toNs }: Window): Spans {
  const spans = new SpanCollector();
  for (let i = 0; i < starts.length; i++) spans.add(Math.max(starts[i]!, fromNs), Math.min(ends[i]!, toNs));
  return spans.finish();
}
