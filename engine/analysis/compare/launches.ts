/**
 * Which launches of two kernels belong together: those with the same configuration (and node of a graph) in the order in which they
 * came, then those with the same configuration, then what is left, in its order.
 */
import type { CompareConfiguration, CompareLaunches } from '../../model/comparison.ts';
import type { Trace } from '../../trace/trace.ts';
import { num } from '../columns.ts';

interface Shape extends CompareConfiguration {
  name: string;
  /** Grid, block and shared memory as one word. */
  configuration: string;
  /** The node of a graph, from 0; null outside. */
  node: number | null;
  hasCounters: boolean;
  /** Ids in `SIMSIGHT_SHAPES_KERNEL`. */
  ids: number[];
}

const lowBits = 2 ** 32;

/** The configurations by name of the kernel; launches that differ in stream, device or counters alone are one. */
export function configurationsOf(trace: Trace): Map<string, Shape[]> {
  const launches = launchesByShape(trace);
  const rows = trace.query(
    `SELECT id, (SELECT value FROM StringIds WHERE id = demangledName), metricSet, graphNodeId,
       gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory FROM SIMSIGHT_SHAPES_KERNEL`,
  );
  rows.sort(([a], [b]) => (launches.get(num(a))?.row ?? 0) - (launches.get(num(b))?.row ?? 0));
  const found = new Map<string, Map<string, Shape>>();
  for (const [id, value, metricSet, graphNode, ...launch] of rows) {
    const sums = launches.get(num(id));
    if (!sums) continue;
    const name = String(value);
    const [gridX, gridY, gridZ, blockX, blockY, blockZ, fixed, dynamic] = launch.map(num) as Eight;
    const configuration = [gridX, gridY, gridZ, blockX, blockY, blockZ, fixed + dynamic].join(' ');
    const node = graphNode === null ? null : num(graphNode) % lowBits;
    const ofName = found.get(name) ?? new Map<string, Shape>();
    found.set(name, ofName);
    const key = `${configuration} ${node}`;
    const known = ofName.get(key);
    if (known) {
      known.count += sums.count;
      known.totalNs += sums.totalNs;
      known.hasCounters ||= metricSet !== null;
      known.ids.push(num(id));
    } else {
      ofName.set(key, {
        ...{ name, configuration, node, sharedBytes: fixed + dynamic, hasCounters: metricSet !== null, ids: [num(id)] },
        ...{ grid: [gridX, gridY, gridZ], block: [blockX, blockY, blockZ] },
        ...sums,
      });
    }
  }
  return new Map([...found].map(([name, shapes]) => [name, [...shapes.values()]]));
}

/** Rows at a time; grouping in SQLite takes twice as long. */
const page = 2 ** 17;

function launchesByShape(trace: Trace): Map<number, { count: number; totalNs: number; row: number }> {
  const found = new Map<number, { count: number; totalNs: number; row: number }>();
  const last = num(trace.query('SELECT max(rowid) FROM SIMSIGHT_EVENTS_KERNEL')[0]?.[0]);
  for (let from = 0; from < last; from += page) {
    const sql = 'SELECT rowid, shape, length FROM SIMSIGHT_EVENTS_KERNEL WHERE rowid > ? AND rowid <= ?';
    for (const [row, shape, length] of trace.query(sql, from, from + page)) {
      const sums = found.get(shape as number);
      if (sums) {
        sums.count++;
        sums.totalNs += num(length);
      } else found.set(shape as number, { count: 1, totalNs: num(length), row: num(row) });
    }
  }
  return found;
}
type Eight = [number, number, number, number, number, number, number, number];

/** Most time first. */
export function matchLaunches(before: readonly Shape[], after: readonly Shape[]): CompareLaunches[] {
  const [was, is] = [new Set(before), new Set(after)];
  const pairs: [Shape, Shape][] = [];
  const keys: ((shape: Shape) => string)[] = [
    ({ configuration, node }) => `${configuration} ${node}`,
    ({ configuration }) => configuration,
    () => '',
  ];
  for (const keyOf of keys) {
    const others = Map.groupBy(is, keyOf);
    for (const shape of [...was]) {
      const other = others.get(keyOf(shape))?.shift();
      if (other === undefined) continue;
      was.delete(shape);
      is.delete(other);
      pairs.push([shape, other]);
    }
  }
  return pairs
    .sort(([a, b], [c, d]) => d.totalNs + c.totalNs - (a.totalNs + b.totalNs) || a.row - c.row)
    .map(([a, b]) => ({ before: plain(a), after: plain(b) }));
}

const plain = ({ grid, block, sharedBytes, count, totalNs, row }: Shape): CompareConfiguration => ({
  ...{ grid, block, sharedBytes, count, totalNs, row },
});

/**
 * The launch of the other kernel that stands for the same work as this one's, by their rows; null where there are fewer. Shapes
 * are those of {@link configurationsOf}.
 */
export function counterpartOf(
  row: number,
  own: { trace: Trace; shapes: readonly Shape[] },
  other: { trace: Trace; shapes: readonly Shape[] },
): number | null {
  const rowsOf = ({ trace }: typeof own, shapes: readonly Shape[]): number[] => {
    const ids = shapes.flatMap((shape) => shape.ids).map(Number);
    return trace
      .query(`SELECT rowid FROM SIMSIGHT_EVENTS_KERNEL WHERE shape IN (${ids.join(', ')}) ORDER BY rowid`)
      .map(([found]) => num(found));
  };
  const shapeId = own.trace.query('SELECT shape FROM SIMSIGHT_EVENTS_KERNEL WHERE rowid = ?', row)[0]?.[0];
  const shape = own.shapes.find(({ ids }) => ids.includes(num(shapeId)));
  if (!shape) return null;
  const ways: ((each: Shape) => boolean)[] = [
    (each) => each.configuration === shape.configuration && each.node === shape.node,
    (each) => each.configuration === shape.configuration,
    () => true,
  ];
  for (const isAlike of ways) {
    const others = other.shapes.filter(isAlike);
    if (others.length === 0) continue;
    const at = rowsOf(own, own.shapes.filter(isAlike)).indexOf(row);
    return rowsOf(other, others)[at] ?? null;
  }
  return null;
}
