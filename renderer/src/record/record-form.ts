import type { RecordOptions } from '../../../engine/model/record-options.ts';
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
  /** Numbers as typed; empty: whatever the program asks for. Extra shared memory may end in K or M. */
  maxRegisters: string;
  carveout: string;
  extraShared: string;
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
    maxRegisters: '',
    carveout: '',
    extraShared: '',
  };
}

/** As {@link RecordOptions} names so many alike in one machine. */
export const gpusAlike = (count: number, gpu: string): string => (gpu && count > 1 ? `${count}x${gpu}` : gpu);

export function optionsOf(form: RecordForm): RecordOptions {
  const title = form.title.trim();
  return {
    sources: form.sources.map((source) => source.trim()).filter(Boolean),
    gpu: gpusAlike(form.gpuCount, form.gpu),
    includeFolders: splitArguments(form.includeFolders),
    // People paste from command lines: -DNAME=1 means NAME=1.
    defines: splitArguments(form.defines).map((define) => define.replace(/^-D/, '')),
    environment: splitArguments(form.environment),
    arguments: splitArguments(form.arguments),
    ...(form.perThreadStreams ? { defaultStream: 'per-thread' as const } : {}),
    ...(form.detail === 'sampled' ? {} : { detail: form.detail }),
    ...(title ? { title } : {}),
    ...(form.maxRegisters.trim() ? { maxRegisters: wholeNumber(form.maxRegisters) } : {}),
    ...(form.carveout.trim() ? { carveout: wholeNumber(form.carveout.replace(/\s*%\s*$/, '')) } : {}),
    ...(form.extraShared.trim() ? { extraSharedBytes: bytesOf(form.extraShared) } : {}),
  };
}

/** NaN where it is none. */
const wholeNumber = (text: string): number => (/^\s*\d+\s*$/.test(text) ? Number(text) : NaN);

/** `16K` as the command line takes it, with powers of 1024; NaN where it is none. */
function bytesOf(text: string): number {
  const [, digits, unit = ''] = /^\s*(\d+)\s*([KM]?)\s*$/i.exec(text) ?? [];
  return digits === undefined ? NaN : Number(digits) * 1024 ** ' KM'.indexOf(unit.toUpperCase() || ' ');
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
    maxRegisters: textOf(options.maxRegisters),
    carveout: textOf(options.carveout),
    extraShared: textOf(options.extraSharedBytes),
  };
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** The fault of the form, one sentence, or null. The engine checks the rest. */
export function complaintOf(options: RecordOptions): string | null {
  if (options.sources.length === 0) return 'Choose a CUDA source file first.';
  const bad = options.environment.find((entry) => !/^[A-Za-z_]\w*=/.test(entry));
  if (bad) return `Environment: “${bad}” is not NAME=VALUE.`;
  const { maxRegisters, carveout, extraSharedBytes } = options;
  if (maxRegisters !== undefined && !(maxRegisters >= 1 && maxRegisters <= 255))
    return 'Registers per thread: a thread has 1 to 255.';
  if (carveout !== undefined && !(carveout <= 100)) return 'Shared-memory carve-out: 0 to 100 percent.';
  if (extraSharedBytes !== undefined && !(extraSharedBytes <= 2 ** 30))
    return 'Extra shared memory: bytes per block, such as 8192 or 8K.';
  return null;
}
