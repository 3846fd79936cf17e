import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { codeFolder, measurementsVariable } from './test/setup/kept.ts';
import { longTests, shortVariable } from './test/setup/long-tests.ts';

process.env['NODE_COMPILE_CACHE'] ??= codeFolder;

/** Begins with what compiles, records and starts processes, however short its text: at the end both workers have something to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      if (!moduleId.endsWith('.slow.test.ts')) return 2;
      return /\/(labs|fidelity|adviser|recording|cli|semantics)\//.test(moduleId) ? 0 : 1;
    };
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

const isShort = Boolean(process.env[shortVariable]);
const longFiles = Object.keys(longTests.unit).filter((file) => longTests.unit[file] === 'all');

export default defineConfig({
  test: {
    include: process.env[measurementsVariable]
      ? ['test/fidelity/*.measurement.ts']
      : ['{build,electron,engine,renderer,test}/**/*.test.ts'],
    ...(isShort ? { exclude: [...configDefaults.exclude, ...longFiles], setupFiles: ['test/setup/short.ts'] } : {}),
    // Processes, not threads: the engine starts worker threads of its own and loads a native module.
    pool: 'forks',
    // As the engine sets it (record.ts): V8 takes cached code only where it was compiled with the same flags.
    execArgv: ['--no-wasm-code-gc'],
    maxWorkers: 2,
    // Files share their process: starting one and loading the engine, and Clang, costs more than most of them.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // For what hangs only: however busy the machine is, no test fails by it.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Node runs the project's TypeScript itself; workers that tests start are plain files to it.
    server: { deps: { external: [/node_modules/] } },
  },
});
