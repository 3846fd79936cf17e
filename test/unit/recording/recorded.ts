/** A program from its text to its trace. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { record } from '../../../engine/recording/record.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

export async function recorded(text: string, more: Partial<RecordCall> = {}) {
  const folder = join(tmpdir(), 'simsight-test-programs', createHash('sha256').update(text).digest('hex').slice(0, 16));
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
