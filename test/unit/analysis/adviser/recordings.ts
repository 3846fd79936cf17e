/**
 * Recordings that tests of the adviser share: each program is compiled once, each way to run it is recorded when it is first asked
 * for. All programs include the same standard headers (those of the labs), so that these are precompiled once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { advise } from '../../../../engine/analysis/adviser/index.ts';
import { Facts } from '../../../../engine/analysis/adviser/facts.ts';
import type { Finding } from '../../../../engine/model/findings.ts';
import type { RecordCall } from '../../../../engine/recording/types.ts';
import { labById } from '../../../../engine/labs/index.ts';
import type { Trace } from '../../../../engine/trace/trace.ts';
import { recorded } from '../../recording/recorded.ts';

export interface Advised {
  trace: Trace;
  findings: Finding[];
  /** Names of the kernels that matter and have counters. */
  kernels: string[];
}

const sourceOf = (lab: string): string => labById(lab).variants[0]!.source;

const known = new Map<string, Promise<Advised>>();

/** `program`: a file in `programs/`, or a lab, `labs/…`; `words`: its arguments. */
export function advised(program: string, words: string, more: Partial<RecordCall> = {}): Promise<Advised> {
  const [, lab] = program.split('labs/');
  const path = lab === undefined ? join(import.meta.dirname, 'programs', `${program}.cu`) : sourceOf(lab);
  return remembered(JSON.stringify([program, words, more]), readFileSync(path, 'utf8'), {
    arguments: words.split(' '),
    // Labs include a header beside them.
    ...(lab === undefined ? {} : { sources: [path] }),
    ...more,
  });
}

function remembered(key: string, text: string, more: Partial<RecordCall>): Promise<Advised> {
  let recording = known.get(key);
  if (!recording) known.set(key, (recording = recordedAndAdvised(text, more)));
  return recording;
}

async function recordedAndAdvised(text: string, more: Partial<RecordCall>): Promise<Advised> {
  const { trace, exitCode } = await recorded(text, more);
  if (exitCode !== 0) throw new Error(`the program ended with ${exitCode}`);
  const kernels = new Facts(trace).kernels.map(({ name }) => name);
  return { trace, findings: advise(trace), kernels: [...new Set(kernels)] };
}

export async function closeAll(): Promise<void> {
  for (const recording of known.values()) (await recording).trace.close();
  known.clear();
}

/** The same of a program in `test/cases`. */
export function advisedCase(name: string, more: Partial<RecordCall> = {}): Promise<Advised> {
  const path = join(import.meta.dirname, '..', '..', '..', 'cases', name);
  return remembered(JSON.stringify([name, more]), readFileSync(path, 'utf8'), more);
}

/** Finding of a rule on a kernel, or on the timeline. */
export function findingOf(findings: readonly Finding[], rule: string, kernel?: string): Finding | undefined {
  return findings.find(
    (finding) =>
      finding.rule === rule &&
      (kernel === undefined || finding.places.some((place) => place.kind === 'kernel' && place.name === kernel)),
  );
}

export const evidence = (finding: Finding | undefined, name: string): number | undefined =>
  finding?.evidence.find((each) => each.name === name)?.value;
