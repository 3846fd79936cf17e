/** Compiles programs written in tests: one folder for sources and one cache for all tests of a run. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder, folderOfText } from '../../setup/kept.ts';
import { compileProgram, type CompiledProgram, type CompileRequest } from '../../../engine/compile/index.ts';

export { cacheFolder };

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
  return compileProgram(request([write(folderOfText(text), 'app.cu', text)]), { cacheFolder });
}
