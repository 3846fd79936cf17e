/** Compiles programs written in tests: one folder for sources and one cache for all tests of a run. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileProgram, type CompiledProgram, type CompileRequest } from '../../../engine/compile/index.ts';

/** Kept between runs of the tests: what is in it is found by content, so it can never be stale. */
export const cacheFolder = join(tmpdir(), 'simsight-test-cache');

export const newFolder = () => mkdtempSync(join(tmpdir(), 'simsight-test-'));

export function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export const request = (sources: string[], more: Partial<CompileRequest> = {}): CompileRequest => ({
  sources,
  includeFolders: [],
  defines: [],
  computeCapability: { major: 8, minor: 0 },
  ...more,
});

/** The folder follows from the text: paths are part of what is compiled, so the cache answers the next run of the tests. */
export function compileText(text: string): Promise<CompiledProgram> {
  const folder = join(tmpdir(), 'simsight-test-programs', createHash('sha256').update(text).digest('hex').slice(0, 16));
  return compileProgram(request([write(folder, 'app.cu', text)]), { cacheFolder });
}
