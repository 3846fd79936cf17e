import type { RecordOptions } from '../../../engine/api/types.ts';
import { joinArguments, splitArguments } from './command-line.ts';

/** As typed; lists are command lines. */
export interface RecordForm {
  sources: string[];
  gpu: string;
  /** So many of it, in one machine. */
  gpuCount: number;
  title: string;
  arguments: string;
  defines: string;
  includeFolders: string;
  environment: string;
  /** Stream 0 is one of each host thread. */
  perThreadStreams: boolean;
  detail: NonNullable<RecordOptions['detail']>;
}

export function emptyForm(): RecordForm {
  return {
    sources: [''],
    gpu: '',
    gpuCount: 1,
    title: '',
    arguments: '',
    defines: '',
    includeFolders: '',
    environment: '',
    perThreadStreams: false,
    detail: 'sampled',
  };
}

export function optionsOf(form: RecordForm): RecordOptions {
  const title = form.title.trim();
  return {
    sources: form.sources.map((source) => source.trim()).filter(Boolean),
    gpu: form.gpu && form.gpuCount > 1 ? `${form.gpuCount}x${form.gpu}` : form.gpu,
    includeFolders: splitArguments(form.includeFolders),
    // People paste from command lines: -DNAME=1 means NAME=1.
    defines: splitArguments(form.defines).map((define) => define.replace(/^-D/, '')),
    environment: splitArguments(form.environment),
    arguments: splitArguments(form.arguments),
    ...(form.perThreadStreams ? { defaultStream: 'per-thread' as const } : {}),
    ...(form.detail === 'sampled' ? {} : { detail: form.detail }),
    ...(title ? { title } : {}),
  };
}

/** The reverse, for trying a failed recording again. */
export function formOf(options: RecordOptions): RecordForm {
  const [, count, gpu] = /^(\d)x([^,]+)$/.exec(options.gpu) ?? [];
  return {
    sources: [...options.sources],
    gpu: gpu ?? options.gpu,
    gpuCount: Number(count ?? 1),
    title: options.title ?? '',
    arguments: joinArguments(options.arguments),
    defines: joinArguments(options.defines),
    includeFolders: joinArguments(options.includeFolders),
    environment: joinArguments(options.environment),
    perThreadStreams: options.defaultStream === 'per-thread',
    detail: options.detail ?? 'sampled',
  };
}

/** What is wrong with the form, one sentence, or null. The engine checks the rest. */
export function complaintOf(options: RecordOptions): string | null {
  if (options.sources.length === 0) return 'Choose a CUDA source file first.';
  const bad = options.environment.find((entry) => !/^[A-Za-z_]\w*=/.test(entry));
  if (bad) return `Environment: “${bad}” is not NAME=VALUE.`;
  return null;
}
