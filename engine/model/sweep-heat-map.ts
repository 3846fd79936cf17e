/** A sweep's times over two of its axes, once for each combination of the others. */
import type { SweepAxis, SweepRow, SweepView } from './sweep.ts';

export interface HeatMap<Down extends number | null> {
  /** Indices of axes; `down` is null where only one varies. */
  across: number;
  down: Down;
  /** One for each combination of what else varies, in order. */
  facets: { label: string; cells: (SweepRow | null)[][] }[];
}

/** Axes that have something to choose from. */
export const varied = (axes: readonly SweepAxis[]): number[] =>
  axes.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));

/** Two axes that have something to choose from, those with the most values first: the one with more goes across. */
export function pairsOf({ axes }: SweepView): [across: number, down: number][] {
  const order = varied(axes).sort((a, b) => axes[b]!.values.length - axes[a]!.values.length || a - b);
  return order.flatMap((across, i) => order.slice(i + 1).map((down): [number, number] => [across, down]));
}

export function heatMapOf<Down extends number | null>(
  { axes, rows }: SweepView,
  across: number,
  down: Down,
): HeatMap<Down> {
  const others = varied(axes).filter((i) => i !== across && i !== down);
  const facets = new Map<string, HeatMap<Down>['facets'][number]>();
  const places = new Map<string, SweepRow>(rows.map((row) => [JSON.stringify(row.point), row]));
  const points = others.reduce<string[][]>(
    (combined, i) => combined.flatMap((values) => axes[i]!.values.map((value) => [...values, value])),
    [[]],
  );
  for (const values of points) {
    const label = others.map((axis, i) => `${axes[axis]!.name} = ${values[i]!}`).join(', ');
    const cells = (down === null ? [''] : axes[down]!.values).map((y) =>
      axes[across]!.values.map((x) => {
        const point = axes.map((axis) => axis.values[0]!);
        others.forEach((axis, i) => (point[axis] = values[i]!));
        point[across] = x;
        if (down !== null) point[down] = y;
        return places.get(JSON.stringify(point)) ?? null;
      }),
    );
    facets.set(label, { label, cells });
  }
  return { across, down, facets: [...facets.values()] };
}

/**
 * Place of a time between the best and the worst, 0 to 1, by ratio: twice as slow is as far wherever one starts.
 */
export function shadeOf({ rows }: SweepView): (row: SweepRow) => number | null {
  const worst = Math.max(1, ...rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio])));
  return ({ ratio }) => (ratio === null ? null : worst > 1 ? Math.log(ratio) / Math.log(worst) : 0);
}
