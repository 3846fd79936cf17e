/**
 * Axes of a sweep and its points: every combination of one value per axis.
 *
 *   pointsOf([{ kind: 'gpu', name: 'GPU', values: ['a100', 'h200'] }, { kind: 'define', name: 'TILE', values: ['8', '16'] }]);
 *   // [['a100', '8'], ['a100', '16'], ['h200', '8'], ['h200', '16']]
 */
import { SimsightError } from '../base/errors.ts';
import { gpusById } from '../gpus/index.ts';
import { parseOption, refusalOf } from '../model/option-text.ts';
import { axisOption, type AxisOption, type RecordOptions, type SweepAxisKind } from '../model/record-options.ts';
import { varied } from '../model/sweep-heat-map.ts';
import type { SweepAxis } from '../model/sweep.ts';

/** A value that leaves an option out. */
export const unset = 'default';

/** More jobs than this are a mistake in an axis. */
export const mostJobs = 100_000;
const mostValues = 1000;

/** Values between commas; `\,` is a comma within one. */
export function valuesOf(list: string): string[] {
  return list.split(/(?<!\\),/).map((value) => value.replaceAll('\\,', ',').trim());
}

const wrong = (message: string, remedy = ''): SimsightError => new SimsightError('usage', message, remedy);

/** The axes with each GPU under the name that the catalogue has for it; throws `usage` or `unknown-gpu`. */
export function checkedAxes(axes: readonly SweepAxis[]): SweepAxis[] {
  const names = new Set<string>();
  const checked = axes.map((axis): SweepAxis => {
    const values = axis.values.map((value) => checkedValue(axis, value));
    const twice = values.find((value, i) => values.indexOf(value) !== i);
    if (twice !== undefined) throw wrong(`${axis.name} has the value ${twice} twice.`);
    if (values.length === 0) throw wrong(`${axis.name} has no values.`);
    if (values.length > mostValues) throw wrong(`${axis.name} has more than ${mostValues} values.`);
    if (names.has(axis.name)) throw wrong(`Two axes are called ${axis.name}.`, 'Rename one of them.');
    names.add(axis.name);
    return { ...axis, values };
  });
  const jobs = checked.reduce((product, { values }) => product * values.length, 1);
  if (jobs > mostJobs) {
    throw wrong(`The sweep would have ${jobs} jobs; the limit is ${mostJobs}.`, 'Give fewer values.');
  }
  return checked;
}

function checkedValue({ kind, name }: SweepAxis, value: string): string {
  const id = axisOption(kind);
  if (id === undefined) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw wrong(`"${name}" is not a name.`, 'Names consist of letters, digits and _.');
    return value;
  }
  if (id === 'gpu') return canonicalGpus(value);
  if (value === unset) return value;
  const parsed = parseOption(id, value);
  if (parsed !== undefined) return String(parsed);
  throw wrong(`${name} cannot be "${value}".`, `${refusalOf(id).remedy} "${unset}" leaves it out.`.trim());
}

/** `2xH200` and `h200,h200` are `2xh200`. */
function canonicalGpus(list: string): string {
  const groups: [id: string, count: number][] = [];
  for (const { id } of gpusById(list)) {
    const last = groups.at(-1);
    if (last?.[0] === id) last[1]++;
    else groups.push([id, 1]);
  }
  return groups.map(([id, count]) => (count > 1 ? `${count}x${id}` : id)).join(',');
}

/** In the order in which one counts: the last axis fastest. */
export function pointsOf(axes: readonly SweepAxis[]): string[][] {
  return axes.reduce<string[][]>(
    (points, { values }) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
}

/** `TILE=16, GPU=h200`: where the point differs from others. */
export function labelOf(axes: readonly SweepAxis[], point: readonly string[]): string {
  return varied(axes)
    .map((i) => `${axes[i]!.name}=${point[i]!}`)
    .join(', ');
}

/** Identity of a job, independent of the order of axes and of axes that leave their option at its default. */
export function parametersAt(
  axes: readonly SweepAxis[],
  point: readonly string[],
): (readonly [SweepAxisKind, name: string, value: string])[] {
  return axes
    .map(({ kind, name }, i) => [kind, name, point[i]!] as const)
    .filter(([kind, , value]) => value !== unset || kind === 'define' || kind === 'argument')
    .sort(([a, b], [c, d]) => (a + b < c + d ? -1 : 1));
}

/** Recording options that the axes of a sweep set for one job. */
export type PointOptions = Pick<RecordOptions, 'defines' | 'environment' | 'arguments' | AxisOption>;

/**
 * The options of one point. `{NAME}` in macros, environment and arguments is the value of that axis; braces around anything
 * else are left as they are.
 */
export function optionsAt(
  axes: readonly SweepAxis[],
  point: readonly string[],
  options: Pick<PointOptions, 'defines' | 'environment' | 'arguments'>,
): PointOptions {
  const values = new Map(axes.map(({ name }, i) => [name, point[i]!]));
  const fill = (text: string): string =>
    text.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  const ofAxes = axes.flatMap(({ kind }, i) => {
    const id = axisOption(kind);
    return id === undefined || point[i] === unset ? [] : [[id, parseOption(id, point[i]!)]];
  });
  return {
    ...(Object.fromEntries(ofAxes) as Pick<RecordOptions, AxisOption>),
    defines: [
      ...options.defines.map(fill),
      ...axes.flatMap(({ kind, name }, i) => (kind === 'define' ? [`${name}=${fill(point[i]!)}`] : [])),
    ],
    environment: options.environment.map(fill),
    arguments: options.arguments.map(fill),
  };
}

/** An axis of values that nothing refers to would repeat the same job. */
export function checkPlaceholders(
  axes: readonly SweepAxis[],
  { defines, environment, arguments: words }: Pick<PointOptions, 'defines' | 'environment' | 'arguments'>,
): void {
  const fromDefines = axes.filter(({ kind }) => kind === 'define').flatMap(({ values }) => values);
  const text = [...defines, ...environment, ...words, ...fromDefines].join('\n');
  for (const { kind, name } of axes) {
    if (kind !== 'argument' || text.includes(`{${name}}`)) continue;
    throw wrong(
      `Nothing contains {${name}}, so its values would change nothing.`,
      `Write {${name}} where the value belongs: after "--", in -D NAME={${name}} or in --env.`,
    );
  }
}
