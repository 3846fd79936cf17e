import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{build,electron,engine,renderer,test}/**/*.test.ts'],
    // Processes, not threads: the engine starts worker threads of its own and loads a native module.
    pool: 'forks',
    maxWorkers: 2,
    // Compiling with Clang on a busy machine takes seconds.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Node runs the project's TypeScript itself; workers that tests start are plain files to it.
    server: { deps: { external: [/node_modules/] } },
  },
});
