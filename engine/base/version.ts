/** The program's own version, from package.json: in traces, `--version` and the about box. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

export const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
