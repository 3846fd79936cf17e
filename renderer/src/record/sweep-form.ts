/** The axes of a sweep, as typed, and as the engine takes them. All pure. */
import {
  axisIds,
  axisOf,
  axisOption,
  callOptions,
  fieldOf,
  type OptionOf,
  type RecordOptions,
  type SweepAxisKind,
} from '../../../engine/model/record-options.ts';
import type { SweepAxis } from '../../../engine/model/sweep.ts';

export interface AxisForm {
  kind: Exclude<SweepAxisKind, 'gpu'>;
  /** The name of a macro or an argument; others have one of their own. */
  name: string;
  /** With commas or blanks between them. */
  values: string;
}

const axes = axisIds.filter((id) => id !== 'gpu');

export const axisKinds: { id: AxisForm['kind']; title: string; hint: string; named: boolean }[] = [
  { id: 'define', title: 'Define', hint: '8, 16, 32', named: true },
  { id: 'argument', title: 'Argument', hint: 'values of {NAME} in the arguments', named: true },
  ...axes.map((id) => ({ id: axisOf(id).kind, title: fieldOf(id).label, hint: axisOf(id).hint, named: false })),
];

export const valuesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** `options`: what a single recording is told is the one value of axes that are not varied. */
export function axesOf(gpus: readonly string[], forms: readonly AxisForm[], options: RecordOptions): SweepAxis[] {
  const varied = forms
    .map(({ kind, name, values }): SweepAxis => {
      const id = axisOption(kind);
      return { kind, name: id ? axisOf(id).name : name.trim().replace(/^-D/, ''), values: valuesOf(values) };
    })
    .filter(({ values }) => values.length > 0);
  const fixed = axes.flatMap((id): SweepAxis[] => {
    const [{ kind, name }, value] = [axisOf(id), options[id]];
    return value === undefined || varied.some((axis) => axis.kind === kind)
      ? []
      : [{ kind, name, values: [String(value)] }];
  });
  return [...varied, ...fixed, { kind: axisOf('gpu').kind, name: axisOf('gpu').name, values: [...gpus] }];
}

/** Options that a sweep has beside its axes. */
export function unvaried(options: RecordOptions): Pick<RecordOptions, OptionOf<'sweep'>> {
  const kept = new Set<string>(callOptions('sweep'));
  return Object.fromEntries(Object.entries(options).filter(([id]) => kept.has(id))) as Pick<
    RecordOptions,
    OptionOf<'sweep'>
  >;
}

export const jobsOf = (axes: readonly SweepAxis[]): number =>
  axes.reduce((jobs, { values }) => jobs * values.length, 1);

/** The fault of the axes, one sentence, or null. */
export function complaintOf(axes: readonly SweepAxis[]): string | null {
  if (!axes.some(({ kind, values }) => kind === 'gpu' && values.length > 0)) return 'Choose a GPU.';
  const unnamed = axes.find(
    ({ kind, name }) => (kind === 'define' || kind === 'argument') && !/^[A-Za-z_]\w*$/.test(name),
  );
  if (unnamed) return `A ${unnamed.kind} needs a name, such as TILE.`;
  if (jobsOf(axes) < 2) return 'Nothing varies: give a line several values, or choose several GPUs.';
  return null;
}
