/** The axes of a sweep, as typed, and as the engine takes them. All pure. */
import type { RecordOptions } from '../../../engine/model/record-options.ts';
import type { SweepAxis, SweepAxisKind } from '../../../engine/model/sweep.ts';

export interface AxisForm {
  kind: Exclude<SweepAxisKind, 'gpu'>;
  /** The name of a macro or an argument; others have one of their own. */
  name: string;
  /** With commas or blanks between them. */
  values: string;
}

export const axisKinds: { id: AxisForm['kind']; title: string; hint: string; named: boolean }[] = [
  { id: 'define', title: 'Define', hint: '8, 16, 32', named: true },
  { id: 'argument', title: 'Argument', hint: 'values of {NAME} in the arguments', named: true },
  { id: 'registers', title: 'Most registers', hint: '32, 64, 128', named: false },
  { id: 'carveout', title: 'Shared-memory carve-out', hint: '0, 50, 100 (percent)', named: false },
  { id: 'shared', title: 'Extra shared memory', hint: '0, 16384 (bytes per block)', named: false },
];
/** As the engine calls those that need no name. */
const names: Record<Exclude<SweepAxisKind, 'define' | 'argument'>, string> = {
  gpu: 'GPU',
  registers: 'registers',
  carveout: 'carveout',
  shared: 'shared',
};

type Limits = Pick<RecordOptions, 'maxRegisters' | 'carveout' | 'extraSharedBytes'>;

export const valuesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** `limits`: what is set for a single recording is the one value of axes that are not varied. */
export function axesOf(
  gpus: readonly string[],
  forms: readonly AxisForm[],
  { maxRegisters, carveout, extraSharedBytes }: Limits,
): SweepAxis[] {
  const axes = forms
    .map(({ kind, name, values }): SweepAxis => ({
      kind,
      name: kind === 'define' || kind === 'argument' ? name.trim().replace(/^-D/, '') : names[kind],
      values: valuesOf(values),
    }))
    .filter(({ values }) => values.length > 0);
  const fixed = (
    [
      ['registers', maxRegisters],
      ['carveout', carveout],
      ['shared', extraSharedBytes],
    ] as const
  ).flatMap(([kind, value]): SweepAxis[] =>
    value === undefined || axes.some((axis) => axis.kind === kind)
      ? []
      : [{ kind, name: names[kind], values: [String(value)] }],
  );
  return [...axes, ...fixed, { kind: 'gpu', name: names.gpu, values: [...gpus] }];
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
  if (jobsOf(axes) < 2) return 'Nothing is varied: give one of the lines several values, or choose several GPUs.';
  return null;
}
