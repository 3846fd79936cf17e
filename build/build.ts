/** Builds everything into `dist/` (`npm run build`); `--quiet` prints warnings and errors only. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { stampName } from './sources.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const logLevel = process.argv.includes('--quiet') ? 'error' : 'info';

for (const made of [stampName, 'electron', 'engine', 'shared'])
  rmSync(join(dist, made), { recursive: true, force: true });
for (const configFile of ['vite.renderer.ts', 'vite.node.ts', 'vite.preload.ts']) {
  await build({ configFile: join(root, 'build', configFile), logLevel });
}
writeFileSync(join(dist, stampName), '');
