/** A program from its text to its trace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { record } from '../../../engine/recording/record.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { cacheFolder, folderOfText } from '../../setup/kept.ts';
import { newFolder } from '../cuda/program.ts';

export async function recorded(text: string, more: Partial<RecordCall> = {}) {
  const folder = folderOfText(text);
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'app.cu');
  writeFileSync(source, text);
  const output = join(newFolder(), 'app.simsight');
  const result = await record({
    ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [], output },
    ...{ recordingsFolder: tmpdir(), keepTrace: true, cacheFolder },
    ...more,
  });
  return { ...result, trace: openTrace(output) };
}

/** Kernels in their order, each with the calls of a library around its launch: the call's name, and the kernel's. */
export const kernelsOfCalls = (trace: Trace): [call: string, kernel: string][] =>
  trace.query(
    `SELECT call.value, name.value FROM CUPTI_ACTIVITY_KIND_KERNEL k
     JOIN CUPTI_ACTIVITY_KIND_RUNTIME launch ON launch.correlationId = k.correlationId
     JOIN CUPTI_ACTIVITY_KIND_RUNTIME around ON around.start < launch.start AND around.end >= launch.end
     JOIN StringIds call ON call.id = around.nameId JOIN StringIds name ON name.id = k.shortName
     ORDER BY k.start`,
  ) as [string, string][];

/** A counter of all kernels that have it, in their order. */
export const metricsOf = (trace: Trace, name: string): number[] =>
  trace
    .query(
      `SELECT m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE s.value = ? ORDER BY m.kernel`,
      name,
    )
    .map(([value]) => Number(value));
