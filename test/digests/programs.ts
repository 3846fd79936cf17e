/**
 * Recordings for digests: the conformance programs, every variant of the labs at the size of their tests, and the suites of
 * the H200 reference.
 */
import { join } from 'node:path';
import { record } from '../../engine/recording/record.ts';
import { argumentsAt, variantsOf } from '../../engine/cli/lab-runs.ts';
import { defaultGpu } from '../../engine/gpus/index.ts';
import { labFileOf, labs } from '../../engine/labs/index.ts';
import { findPrograms, fits, runProgram } from '../conformance/programs.ts';
import { programOf, suites, type Suite } from '../fidelity/programs.ts';

export interface Recorded {
  /** `conformance/warp/shuffle h200`. */
  name: string;
  /** Writes the trace. A program may fail: what was recorded until then is digested. */
  record: (trace: string, folders: Folders) => Promise<void>;
}
export interface Folders {
  /** For compiled programs and the copies that programs may write to. */
  home: string;
  /** That the program may write to. */
  out: string;
  executeAll: boolean;
}

const conformanceGpu = 'h200';

const conformance = (): Recorded[] =>
  findPrograms()
    // What CCCL gives depends on the copy.
    .filter((program) => fits(program, conformanceGpu) && !program.needsCccl)
    .map((program) => ({
      name: `conformance/${program.name} ${conformanceGpu}`,
      record: async (trace, { home, executeAll }) => {
        await runProgram(program, conformanceGpu, { home, trace, timeoutMs: 1_200_000, executeAll });
      },
    }));

const ofLabs = (): Recorded[] =>
  labs.flatMap((lab) =>
    variantsOf(lab, []).map((variant) => ({
      name: `labs/${lab.id}/${variant.id} ${defaultGpu}`,
      record: async (trace, { home, executeAll }) => {
        await record({
          executeAll,
          ...{ sources: [variant.source], gpu: `${lab.gpus}x${defaultGpu}`, includeFolders: [], environment: [] },
          ...{ defines: variant.defines, arguments: argumentsAt(lab, variant, labFileOf(lab).small) },
          ...{ output: trace, recordingsFolder: home, cacheFolder: join(home, 'cache'), keepTrace: true },
        });
      },
    })),
  );

const reference = (): Recorded[] =>
  (Object.entries(suites) as [Suite, string[]][]).map(([suite, defines]) => ({
    name: `reference/${suite} h200`,
    record: async (trace, { home, out, executeAll }) => {
      await record({
        executeAll,
        ...{ sources: [programOf(suite)], gpu: 'h200', includeFolders: [], environment: ['LAB_PROFILE=1'], defines },
        ...{ arguments: [out], writableFolder: out, output: trace, recordingsFolder: home },
        ...{ cacheFolder: join(home, 'cache'), keepTrace: true },
      });
    },
  }));

/** All, or those whose name contains one of the words. */
export function recordings(words: readonly string[]): Recorded[] {
  const all = [...conformance(), ...ofLabs(), ...reference()];
  return words.length === 0 ? all : all.filter(({ name }) => words.some((word) => name.includes(word)));
}
