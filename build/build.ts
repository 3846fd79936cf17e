/** Builds everything into `dist/` (`npm run build`); `--quiet` prints errors only. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { stampName } from './sources.mjs';

const dist = join(import.meta.dirname, '..', 'dist');
const logLevel = process.argv.includes('--quiet') ? 'error' : 'info';

mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, '.building'), '');
const started = statSync(join(dist, '.building')).mtimeMs;

for (const configFile of ['vite.renderer.ts', 'vite.node.ts', 'vite.preload.ts']) {
  await build({ configFile: join(import.meta.dirname, configFile), logLevel });
}

// What an earlier build left goes last, so that an app that runs from here is never without its files.
for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const file = statSync(join(dist, name), { throwIfNoEntry: false });
  if (file?.isFile() && file.mtimeMs < started) rmSync(join(dist, name));
}
writeFileSync(join(dist, stampName), '');
rmSync(join(dist, '.building'), { force: true });
