/**
 * Where the engine finds its own files, from source (`node engine/cli.ts`), from the bundle (`dist/engine/*.js`,
 * `dist/shared/*.js`) and inside a packaged app (the same tree in app.asar).
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/**
 * From source, threads and processes are started from source, too; with `SIMSIGHT_THREADS=built` as the bundle has them, which starts in a
 * quarter of the time and is what people run: `npm test` sets it, once the bundle is made of the sources.
 */
const threadsFromSource = import.meta.url.endsWith('.ts') && process.env['SIMSIGHT_THREADS'] !== 'built';

/** The project's (or the packaged app's) root folder: holds `migrations/`, `engine/cuda/include/`, `engine/labs/`. */
export const root = join(here, '..', '..');

/** Paths of the engine's own code: all that a thread has to read to run it. */
export const codePaths: readonly string[] = [
  ...(threadsFromSource ? [join(root, 'engine')] : [join(root, 'dist', 'engine'), join(root, 'dist', 'shared')]),
  join(root, 'package.json'),
];

/** The schema of a trace. */
export const migrationsFolder = join(root, 'migrations');
/** Headers that CUDA programs include: `cuda_runtime.h` and friends. */
export const cudaIncludeFolder = join(root, 'engine', 'cuda', 'include');
/** The shipped example programs. */
export const labsFolder = join(root, 'engine', 'labs');

/** The compiled files that come with the app (build/compile-lab.ts), in the form of `engine/compile/cache.ts`. */
export const compiledFolder = join(root, 'dist', 'compiled');

/**
 * The file of a worker, given its path below `engine/` without ending: `workerUrl('compile/worker')` is
 * `engine/compile/worker.ts` from source and `dist/engine/compile/worker.js` from the bundle.
 */
export function workerUrl(name: string): URL {
  return pathToFileURL(
    threadsFromSource ? join(root, 'engine', `${name}.ts`) : join(root, 'dist', 'engine', `${name}.js`),
  );
}

/** What says that a worker's code is the same: the hash of all of it, as the build has written it. Null from source, where code changes. */
export function workerContent(name: string): string | null {
  if (threadsFromSource) return null;
  return readFileSync(join(root, 'dist', 'engine', `${name}.content`), 'utf8');
}

/** Folder of traces made of other tools' recordings, below the folder of everything that Simsight keeps. */
export const importsFolder = (dataFolder: string): string => join(dataFolder, 'cache', 'imports');

/** Libraries and headers of 64-bit host programs (build/sysroot.ts). */
export const sysrootFolder = join(root, 'build', 'toolchain', 'sysroot');
