/** A sweep's times over two of its axes. All pure. */
import type { SweepRow, SweepView } from '../../../engine/api/types.ts';

export interface HeatMap {
  /** Indices of axes; `down` is null where only one varies. */
  across: number;
  down: number | null;
  /** By the values of all other axes, in words. */
  facets: { label: string; cells: (SweepRow | undefined)[][] }[];
}

export const variedAxes = ({ axes }: Pick<SweepView, 'axes'>): number[] =>
  axes.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));

/** The two axes with the most values; the one with more goes across. Null where nothing varies. */
export function heatMapOf(view: SweepView): HeatMap | null {
  const { axes, rows } = view;
  const order = variedAxes(view).sort((a, b) => axes[b]!.values.length - axes[a]!.values.length || a - b);
  const [across, down = null, ...others] = order;
  if (across === undefined) return null;
  const byPoint = new Map(rows.map((row) => [JSON.stringify(row.point), row]));
  const combinations = others.reduce<string[][]>(
    (all, axis) => all.flatMap((one) => axes[axis]!.values.map((value) => [...one, value])),
    [[]],
  );
  const facets = combinations.map((values) => {
    const point = axes.map((axis) => axis.values[0] ?? '');
    others.forEach((axis, i) => (point[axis] = values[i]!));
    const at = (axis: number | null, value: string): void => {
      if (axis !== null) point[axis] = value;
    };
    const cells = (down === null ? [''] : axes[down]!.values).map((y) =>
      axes[across]!.values.map((x) => {
        at(across, x);
        at(down, y);
        return byPoint.get(JSON.stringify(point));
      }),
    );
    return { label: others.map((axis, i) => `${axes[axis]!.name} = ${values[i]!}`).join(', '), cells };
  });
  return { across, down, facets };
}

/** From 0, the best, to 1, the worst: by ratio, so that twice as slow is as far wherever one starts. */
export function shadeOf({ rows }: Pick<SweepView, 'rows'>): (row: SweepRow) => number | null {
  const worst = Math.max(1, ...rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio])));
  return ({ ratio }) => (ratio === null ? null : worst > 1 ? Math.log(ratio) / Math.log(worst) : 0);
}
