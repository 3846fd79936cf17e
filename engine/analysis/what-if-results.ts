/** Results of `simsight what-if --format json`, read back: for reports of the recording that they belong to. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { WhatIfResult } from '../model/what-if.ts';
import { SimsightError } from '../base/errors.ts';
import { limitIds } from '../base/limits.ts';
import { targetAt } from '../base/targets.ts';
import { kernelsNsOf, type Trace } from '../trace/trace.ts';

const text = z.string().max(4096);
const time = z.number().nonnegative();
const path = text.nullable();
const times = { totalNs: time, kernelsNs: time };
const count = z.int().nonnegative();

const schema: z.ZodType<WhatIfResult> = z.object({
  title: text,
  gpu: text,
  exitCode: z.int(),
  baseline: z.object({ ...times, kernels: z.array(z.object({ name: text, count, ns: time })), path }),
  limits: z.array(
    z.object({
      limit: z.enum(limitIds),
      ...{ title: text, meaning: text, changes: text },
      ...times,
      gainNs: z.number(),
      inEffect: z.boolean(),
      kernels: z.array(z.object({ name: text, count, beforeNs: time, afterNs: time })),
      path,
    }),
  ),
  real: z.object({ ...times, path: text, title: text, gainNs: z.number() }).nullable(),
});

/** Errors: 'file-not-found'; 'bad-request' where it is something else. */
export function readWhatIf(file: string): WhatIfResult {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new SimsightError('file-not-found', `There is no file ${file}.`, 'Check the path.');
    throw new SimsightError('file-unreadable', `${file} cannot be read: ${(error as Error).message}.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    value = null;
  }
  const { success, data } = schema.safeParse(value);
  if (success) return data;
  const remedy = 'Choose what "simsight what-if APP.cu --format json" printed, or kept with --keep.';
  throw new SimsightError('bad-request', `${file} is no result of a what-if.`, remedy, { file });
}

/** Checks that the result may be written there: nothing is there, or an earlier result. */
export function checkWhatIfTarget(file: string): void {
  const { found } = targetAt(file);
  if (found === 'nothing' || found === 'empty') return;
  try {
    readWhatIf(file);
  } catch {
    const message = `${file} exists and is no result of a what-if.`;
    throw new SimsightError('file-not-allowed', message, 'Keep the traces in another folder.', { file });
  }
}

/**
 * True if that program is the one of the trace. Recordings are deterministic, so it takes exactly as long, and so do its kernels; other
 * arguments, options or versions of the source would show there.
 */
export function isWhatIfOf({ baseline, gpu }: WhatIfResult, trace: Trace): boolean {
  if (trace.facts.lifted !== null || baseline.totalNs !== trace.info.durationNs) return false;
  return trace.facts.gpu?.name === gpu && baseline.kernelsNs === kernelsNsOf(trace);
}
