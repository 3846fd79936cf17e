/** The options of `simsight sweep`, apart from what carries them out: completion needs them alone. */
import { programOptions } from './program.ts';

const { gpus: _gpus, title: _title, ...shared } = programOptions;
export const sweepOptions = {
  ...shared,
  output: { type: 'string', short: 'o' },
  detail: { type: 'string', default: 'counters' },
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
