/** The command line as tests start it: as it is built where its threads are (`npm test`), otherwise from source. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, workerUrl } from '../../engine/base/paths.ts';

export const cli = fileURLToPath(workerUrl('cli'));
export const builtCli = join(root, 'dist', 'engine', 'cli.js');
