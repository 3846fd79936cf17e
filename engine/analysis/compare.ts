/**
 * Two traces side by side: what each kernel, API call and kind of copy took before and after, and the totals. Rows that
 * only one trace has are listed like all others.
 *
 *   compareTraces(before, after).rows[0]; // { kind: 'total', name: 'Session duration', beforeNs: …, ratio: 0.41 }
 *
 * Kernels are matched by their full name; those without a partner by the function's name alone, where that is
 * unmistakable: a changed template argument or parameter does not make a kernel another one.
 */
import type { CompareRow, Comparison } from '../api/types.ts';
import { apiName } from '../trace/codes.ts';
import { formatTime } from '../trace/units.ts';
import type { Trace } from '../trace/trace.ts';
import { toText } from './formats.ts';
import { memcpyName, memsetName } from './reports.ts';

interface Sum {
  count: number;
  ns: number;
}
type Sums = Map<string, Sum>;

export function compareTraces(before: Trace, after: Trace): Comparison {
  const rows: CompareRow[] = [];
  for (const kind of ['kernel', 'api', 'memory'] as const) {
    const [was, is] = kind === 'kernel' ? pairedKernels(before, after) : [sumsOf[kind](before), sumsOf[kind](after)];
    for (const name of new Set([...was.keys(), ...is.keys()]))
      rows.push(compared(kind, name, was.get(name), is.get(name)));
  }
  const change = (row: CompareRow): number => Math.abs(row.afterNs - row.beforeNs);
  rows.sort((a, b) => change(b) - change(a) || (a.name < b.name ? -1 : 1));

  const [was, is] = [totals(before), totals(after)];
  const summary = [...was.keys()].map((name) => compared('total', name, was.get(name), is.get(name)));
  return { before: headOf(before), after: headOf(after), rows: [...summary, ...rows] };
}

const headOf = ({ path, info }: Trace): Comparison['before'] => ({
  path,
  title: info.title,
  gpu: info.gpu,
  durationNs: info.durationNs,
});

const nothing: Sum = { count: 0, ns: 0 };

function compared(kind: CompareRow['kind'], name: string, before = nothing, after = nothing): CompareRow {
  return {
    kind,
    name,
    beforeCount: before.count,
    afterCount: after.count,
    beforeNs: before.ns,
    afterNs: after.ns,
    ratio: before.ns > 0 && after.ns > 0 ? after.ns / before.ns : null,
  };
}

function sums(entries: Iterable<readonly [string, number]>): Sums {
  const result: Sums = new Map();
  for (const [name, ns] of entries) {
    const sum = result.get(name) ?? { count: 0, ns: 0 };
    sum.count++;
    sum.ns += ns;
    result.set(name, sum);
  }
  return result;
}

const sumsOf = {
  api: (trace: Trace): Sums =>
    sums(
      trace
        .query('SELECT value, end - start FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId')
        .map(([name, ns]) => [apiName(String(name)), Number(ns)] as const),
    ),
  memory: (trace: Trace): Sums =>
    sums([
      ...trace
        .query('SELECT copyKind, end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY')
        .map(([kind, ns]) => [memcpyName(Number(kind)), Number(ns)] as const),
      ...trace
        .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_MEMSET')
        .map(([ns]) => [memsetName, Number(ns)] as const),
    ]),
};

/** Sums per kernel; a pair found by its short name has that name in both. */
function pairedKernels(before: Trace, after: Trace): [Sums, Sums] {
  const read = (trace: Trace): { sums: Sums; short: Map<string, string> } => {
    const rows = trace.query(
      `SELECT (SELECT value FROM StringIds WHERE id = demangledName), (SELECT value FROM StringIds WHERE id = shortName),
         count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY demangledName, shortName`,
    );
    return {
      sums: new Map(rows.map(([name, , count, ns]) => [String(name), { count: Number(count), ns: Number(ns) }])),
      short: new Map(rows.map(([name, short]) => [String(name), String(short)])),
    };
  };
  const [was, is] = [read(before), read(after)];
  const alone = (one: typeof was, other: typeof was): Map<string, string[]> => {
    const byShort = new Map<string, string[]>();
    for (const [name, short] of one.short) {
      if (!other.sums.has(name)) byShort.set(short, [...(byShort.get(short) ?? []), name]);
    }
    return byShort;
  };
  const others = alone(is, was);
  for (const [short, names] of alone(was, is)) {
    const partners = others.get(short);
    if (names.length !== 1 || partners?.length !== 1 || was.sums.has(short) || is.sums.has(short)) continue;
    for (const [{ sums }, name] of [
      [was, names[0]!],
      [is, partners[0]!],
    ] as const) {
      const sum = sums.get(name)!;
      sums.delete(name);
      sums.set(short, sum);
    }
  }
  return [was.sums, is.sums];
}

/** Whole-trace figures; "overlap" is the time in which copies and kernels run at once. */
function totals(trace: Trace): Sums {
  const ranges = (table: string): [number, number][] =>
    trace.query(`SELECT start, end FROM CUPTI_ACTIVITY_KIND_${table} ORDER BY start`) as [number, number][];
  const kernels = ranges('KERNEL');
  const copies = ranges('MEMCPY');
  const memsets = ranges('MEMSET');
  const sumOf = (list: [number, number][]): Sum => ({
    count: list.length,
    ns: list.reduce((sum, [start, end]) => sum + end - start, 0),
  });
  const busyWith = (...lists: [number, number][][]): number => lengthOf(union(lists.flat().sort(([a], [b]) => a - b)));
  const kernelTime = busyWith(kernels);
  const copyTime = busyWith(copies);
  const overlap = kernelTime + copyTime - busyWith(kernels, copies);
  return new Map<string, Sum>([
    ['Session duration', { count: 1, ns: trace.info.durationNs }],
    ['GPU busy', { count: 1, ns: busyWith(kernels, copies, memsets) }],
    ['Kernel time', sumOf(kernels)],
    ['Copy time', sumOf(copies)],
    ['Copies under kernels', { count: 1, ns: overlap }],
  ]);
}

/** Disjoint ranges that cover the same; `ranges` must be sorted by start. */
function union(ranges: readonly [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
const lengthOf = (ranges: readonly [number, number][]): number =>
  ranges.reduce((sum, [start, end]) => sum + end - start, 0);

const kindTitles: Record<CompareRow['kind'], string> = {
  total: 'Total',
  kernel: 'Kernel',
  api: 'API',
  memory: 'Memory',
};

/** The comparison for the terminal. */
export function formatComparison({ before, after, rows }: Comparison): string {
  const heads = [
    ['Before', before],
    ['After', after],
  ] as const;
  const head = heads.map(
    ([name, side]) => ` ${name.padEnd(7)}${side.title} on ${side.gpu}, ${formatTime(side.durationNs)}`,
  );
  const text = (name: string) => ({ name, type: 'text' as const });
  const number = (name: string) => ({ name, type: 'integer' as const });
  const columns = [
    text('Kind'),
    number('Before'),
    number('After'),
    number('Change'),
    number('Ratio'),
    number('Count'),
    text('Name'),
  ];
  const sign = (ns: number): string => `${ns > 0 ? '+' : ''}${formatTime(ns)}`;
  const cells = rows.map((row) => [
    kindTitles[row.kind],
    row.beforeCount > 0 ? formatTime(row.beforeNs) : '-',
    row.afterCount > 0 ? formatTime(row.afterNs) : '-',
    sign(row.afterNs - row.beforeNs),
    row.ratio === null ? '-' : `${row.ratio.toFixed(3)}x`,
    row.beforeCount === row.afterCount ? String(row.beforeCount) : `${row.beforeCount} → ${row.afterCount}`,
    row.name,
  ]);
  return `${head.join('\n')}\n\n${toText(columns, cells)}`;
}
