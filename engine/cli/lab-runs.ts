/** Recording the variants of a lab, and what comes out: for `simsight lab`, `npm run labs` and the tests. */
import { join } from 'node:path';
import { advise } from '../analysis/adviser/index.ts';
import type { Lab, LabVariant } from '../model/labs.ts';
import type { RecordProgress } from '../model/recording.ts';
import { SimsightError } from '../base/errors.ts';
import { labFileOf } from '../labs/index.ts';
import { openTrace } from '../trace/reader.ts';

export interface LabRun {
  variant: string;
  title: string;
  /** Milliseconds, as the program measures them on the simulated GPU. */
  ms: number;
  /** True if the program found its results correct. */
  correct: boolean;
  /** Rules of the adviser that found something. */
  findings: string[];
  /** The trace. */
  path: string;
}

export interface LabCall {
  gpu: string;
  /** Arguments behind those of the variant. */
  size: readonly string[];
  /** Folder of the traces: `LAB-VARIANT.simsight`, with a number where there is another one. */
  folder: string;
  cacheFolder: string;
  signal?: AbortSignal;
  onProgress?: (progress: RecordProgress) => void;
}

/** Times (ms) and verdicts that a program printed for each variant. */
export function timesIn(printed: string): { name: string; ms: number; correct: boolean }[] {
  return [...printed.matchAll(/^(.*?)(?:, .*)?: ([\d.]+) ms\b.*(results correct|RESULTS WRONG)$/gm)].map(
    ([, name, ms, verdict]) => ({ name: name!, ms: Number(ms), correct: verdict === 'results correct' }),
  );
}

/** The variants named, or all, in their order. */
export function variantsOf(lab: Lab, names: readonly string[]): readonly LabVariant[] {
  for (const name of names) {
    if (lab.variants.some(({ id }) => id === name)) continue;
    throw new SimsightError(
      'unknown-lab',
      `The lab ${lab.id} has no variant "${name}".`,
      `Its variants are ${lab.variants.map(({ id }) => id).join(', ')}.`,
    );
  }
  return names.length === 0 ? lab.variants : lab.variants.filter(({ id }) => names.includes(id));
}

/** Program arguments of a variant at a size. */
export function argumentsAt(lab: Lab, { id }: LabVariant, size: readonly string[]): string[] {
  const own = labFileOf(lab).variants.find((variant) => variant.id === id)!;
  return [...(own.arguments ?? [id]), ...size];
}

/** One variant, recorded and looked at; throws where the program does not say how long it took. */
export async function runVariant(lab: Lab, variant: LabVariant, call: LabCall): Promise<LabRun> {
  // Loaded when needed: the compiler is large.
  const { record } = await import('../recording/record.ts');
  let printed = '';
  const { path, exitCode } = await record({
    ownFoldersOnly: true,
    ...{ sources: [variant.source], gpu: `${lab.gpus}x${call.gpu}` },
    ...{ includeFolders: [], defines: variant.defines, environment: [] },
    arguments: argumentsAt(lab, variant, call.size),
    title: `${lab.title}: ${variant.title}`,
    // With a number, where one was made on another GPU or by another version.
    ...{ output: join(call.folder, `${lab.id}-${variant.id}.simsight`), numbered: true },
    ...{ recordingsFolder: call.folder, cacheFolder: call.cacheFolder, keepTrace: true },
    ...(call.signal ? { signal: call.signal } : {}),
    onProgress: (progress) => {
      for (const { text } of progress.console) printed += text;
      call.onProgress?.(progress);
    },
  });
  const [time] = timesIn(printed);
  if (!time) {
    throw new SimsightError(
      'host-program-failed',
      `${variant.source} ended with exit code ${exitCode} and printed no time of "${variant.id}": ${printed.trim()}`,
    );
  }
  const trace = openTrace(path);
  const findings = [...new Set(advise(trace).map(({ rule }) => rule))];
  trace.close();
  return {
    ...{ variant: variant.id, title: variant.title, ms: time.ms, correct: time.correct && exitCode === 0 },
    ...{ findings, path },
  };
}
