/** Location of Electron's runtime, if it is here: npm installs the package without it where there is no connection. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
export const electronFolder = join(root, 'node_modules', 'electron');

export function electronProgram(): string | undefined {
  const pathFile = join(electronFolder, 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron';
  const program = join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(electronFolder, 'dist'), name);
  return existsSync(program) ? program : undefined;
}
