/**
 * Builds everything into `dist/` (`npm run build`). The example that a newcomer records first comes compiled, with
 * `--all-labs` every one; `--quiet` prints errors only.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'vite';
import { compiledFolder } from '../engine/base/paths.ts';
import { defaultLab, labs } from '../engine/labs/index.ts';
import { compileLabs } from './compile-labs.ts';
import { stampName } from './sources.mjs';

const dist = join(import.meta.dirname, '..', 'dist');
const logLevel = process.argv.includes('--quiet') ? 'error' : 'info';

mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, '.building'), '');
const started = statSync(join(dist, '.building')).mtimeMs;

for (const configFile of ['vite.renderer.ts', 'vite.node.ts', 'vite.preload.ts']) {
  await build({ configFile: join(import.meta.dirname, configFile), logLevel });
}
await compileLabs(process.argv.includes('--all-labs') ? labs : [defaultLab]);

// What an earlier build left goes last, so that an app that runs from here is never without its files.
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const path = join(dist, name);
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() && file.mtimeMs < started && !path.startsWith(compiledFolder + sep)) rmSync(path);
}
writeFileSync(join(dist, stampName), '');
rmSync(join(dist, '.building'), { force: true });
