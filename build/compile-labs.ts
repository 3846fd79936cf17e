/**
 * Compiles examples into the folder of compiled programs that the app brings along, for the GPU that recordings use when
 * nobody chose one: a first recording does not wait for Clang. With them are the standard headers that they include, so
 * that neither does the first change to one.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import type { Lab } from '../engine/api/types.ts';
import { compiledFolder } from '../engine/base/paths.ts';
import { releaseCompiler } from '../engine/compile/index.ts';
import { gpuById } from '../engine/gpus/index.ts';
import { defaultGpu } from '../engine/labs/index.ts';
import { compileOwnKernels, translate } from '../engine/recording/translate.ts';

async function compile(labs: readonly Lab[]): Promise<void> {
  for (const { source, defines } of labs.flatMap(({ variants }) => variants)) {
    const call = {
      ...{ sources: [source], gpu: defaultGpu, includeFolders: [], defines, arguments: [], environment: [] },
      ...{ cacheFolder: compiledFolder, recordingsFolder: '', keepTrace: false },
    };
    await compileOwnKernels(await translate(call, gpuById(defaultGpu), () => {}), call);
  }
  releaseCompiler();
}

const entries = (): string[] => readdirSync(compiledFolder, { recursive: true, encoding: 'utf8' });

/** Keeps what is there where nothing has changed; otherwise nothing of an earlier build is left. */
export async function compileLabs(labs: readonly Lab[]): Promise<void> {
  const before = existsSync(compiledFolder) ? entries().length : 0;
  await compile(labs);
  if (before === 0 || entries().length === before) return;
  rmSync(compiledFolder, { recursive: true });
  await compile(labs);
}
