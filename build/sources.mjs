/** Is what `npm ci` and `npm run build` made still up to date? Plain ESM without dependencies. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Written into `dist/` when a build is complete. */
export const stampName = '.built';

const sources = ['electron', 'engine', 'renderer', 'build', 'package.json', 'package-lock.json', 'svelte.config.js'];
/** Nothing is made of them. */
const ignored = /^(node_modules|toolchain|resources|dist)$|\.(test\.ts|md)$/;

const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

function newest(path) {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  // A folder's own time tells of files that were removed.
  return readdirSync(path)
    .filter((name) => !ignored.test(name))
    .reduce((latest, name) => Math.max(latest, newest(join(path, name))), own.mtimeMs);
}

/** True when `npm ci` has to run: nothing installed, or the lock file changed since. */
export function modulesAreStale(root) {
  return modified(join(root, 'node_modules', '.package-lock.json')) < modified(join(root, 'package-lock.json'));
}

/** True when the libraries of programs are missing or older than what they are made from: sources of ours, and the compiler. */
export function sysrootIsStale(root) {
  const made = modified(join(root, 'build', 'toolchain', 'sysroot', 'key'));
  return made < Math.max(...['build/sysroot', 'build/sysroot.ts'].map((name) => newest(join(root, name))));
}

/** True when `dist/` is missing, incomplete or older than what it was made from. */
export function buildIsStale(root) {
  return modified(join(root, 'dist', stampName)) < Math.max(...sources.map((name) => newest(join(root, name))));
}
