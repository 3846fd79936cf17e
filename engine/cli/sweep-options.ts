/** The options of `simsight sweep`, apart from what carries them out: completion needs them alone. */
import { axisIds, callOptions, type OptionId } from '../model/record-options.ts';
import { programFlags, programOptions } from './program.ts';

/** Options that an axis varies, in whose place `--gpu` is a list of machines. */
export const axisFlags = axisIds.filter((id) => id !== 'gpu');
/** Options that are the same for all jobs, except those that have a meaning of their own here. */
const jobOptions: readonly OptionId[] = callOptions('sweep');
export const jobFlags = programFlags.filter((id) => jobOptions.includes(id) && id !== 'defines' && id !== 'detail');

const { gpus: _gpus, title: _title, ...shared } = programOptions;
export const sweepOptions = {
  ...shared,
  output: { type: 'string', short: 'o' },
  set: { type: 'string', multiple: true },
  data: { type: 'string', multiple: true },
  metric: { type: 'string', short: 'm' },
  format: { type: 'string', short: 'f', default: 'table' },
  jobs: { type: 'string', short: 'j' },
  resume: { type: 'string' },
  'retry-failed': { type: 'boolean', default: false },
  show: { type: 'string' },
  emit: { type: 'string' },
  'emit-to': { type: 'string' },
  command: { type: 'string', default: 'simsight' },
  image: { type: 'string', default: 'simsight' },
  'volume-claim': { type: 'string', default: 'simsight-sweep' },
  'volume-path': { type: 'string', default: '' },
  'run-job': { type: 'string' },
  threads: { type: 'string' },
  collect: { type: 'boolean', default: false },
} as const;
