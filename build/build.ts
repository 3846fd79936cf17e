/**
 * Builds everything into `dist/` (`npm run build`), with the example that a newcomer records first compiled; `--quiet`
 * prints errors only.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'vite';
import { compiledFolder } from '../engine/base/paths.ts';
import { collectPackages, noticesName, noticesOf } from './notices.ts';
import { stampName } from './sources.mjs';

const dist = join(import.meta.dirname, '..', 'dist');
const logLevel = process.argv.includes('--quiet') ? 'error' : 'info';

mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, '.building'), '');
const started = statSync(join(dist, '.building')).mtimeMs;

const bundled = new Set<string>();
for (const configFile of ['vite.renderer.ts', 'vite.node.ts', 'vite.preload.ts']) {
  const plugins = [collectPackages(bundled)];
  await build({ configFile: join(import.meta.dirname, configFile), logLevel, plugins });
}
writeFileSync(join(dist, noticesName), noticesOf(bundled));
compileLab();

// The leftovers of an earlier build go last, so that an app that runs from here is never without its files.
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const path = join(dist, name);
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() && file.mtimeMs < started && !path.startsWith(compiledFolder + sep)) rmSync(path);
}
writeFileSync(join(dist, stampName), '');
rmSync(join(dist, '.building'), { force: true });

/** Keeps what is compiled already where nothing has changed; otherwise nothing of an earlier build is left. */
function compileLab(): void {
  const entries = (): number => (existsSync(compiledFolder) ? readdirSync(compiledFolder).length : 0);
  const before = entries();
  runCompiler();
  if (before === 0 || entries() === before) return;
  rmSync(compiledFolder, { recursive: true });
  runCompiler();
}

/** In a process of its own: what one has in memory it does not write again. */
function runCompiler(): void {
  // What kernels are translated to is kept for the built translator alone.
  const env = { ...process.env, SIMSIGHT_THREADS: 'built' };
  const script = join(import.meta.dirname, 'compile-lab.ts');
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit', env });
  if (status !== 0) throw new Error('The example could not be compiled.');
}
