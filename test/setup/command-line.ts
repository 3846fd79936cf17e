/** The command line as tests start it: as it is built where its threads are (`npm test`), otherwise from source. */
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
export const sourceCli = join(root, 'engine', 'cli.ts');
export const builtCli = join(root, 'dist', 'engine', 'cli.js');
export const cli = process.env['SIMSIGHT_THREADS'] === 'built' ? builtCli : sourceCli;
