/**
 * The cost of common changes (`npm run cost-of-change`): for each kind of change, the product's files that name one thing of that kind, which
 * are those that adding another would touch. Tests and documents are left out.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';
import { sourceFiles } from './source-files.ts';

interface Change {
  kind: string;
  /** A thing of this kind that is there. */
  example: string;
  /** Its names in the code. */
  names: RegExp;
  /** Files that the project wants it to touch at most. */
  most: number;
}

const changes: readonly Change[] = [
  { kind: 'GPU', example: 'RTX A4000', names: /\ba4000\b/, most: 2 },
  { kind: 'adviser rule', example: '`copy-bound`', names: /copy-bound|copyBound/, most: 2 },
  {
    kind: 'recording option',
    example: '`--max-kernels`',
    names: /maxKernels|max-kernels/,
    most: 2,
  },
  { kind: 'opcode', example: '`FCHK`', names: /\bFCHK\b/, most: 2 },
  { kind: 'opcode of a call', example: '`MOVM`', names: /\bMOVM\b/, most: 2 },
  { kind: 'PTX instruction with hardware behaviour', example: '`movmatrix`', names: /movmatrix|MOVM\b/, most: 3 },
  {
    kind: 'stall reason of an opcode',
    example: '`sleeping`',
    names: /\bsleeping: \{|'sleeping'|'Sleeping'|\bstateNumbers\.sleeping/,
    most: 2,
  },
  { kind: 'stall reason that the SM sets', example: '`tex_throttle`', names: /\btex_throttle\b/, most: 2 },
  {
    kind: 'CUDA call',
    example: '`cudaMemRangeGetAttributes`',
    names: /cudaMemRangeGetAttributes/,
    most: 2,
  },
  {
    kind: 'event kind with a row',
    example: '`graph-creation`',
    names: /CUDA_GRAPH_EVENTS|graph-creation|\b[gG]raphCreation/,
    most: 3,
  },
];

/** Sample programs are left out. */
const paths = sourceFiles(
  ['electron', 'engine', 'migrations', 'renderer/src'],
  ['ts', 'svelte', 'sql', 'c', 'cu', 'h'],
).filter((path) => !path.includes('/labs/'));
const texts = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
for (const { kind, example, names, most } of changes) {
  const files = texts.filter(({ text }) => names.test(text)).map(({ path }) => path);
  console.log(`${kind} (${example}): ${files.length} ${files.length === 1 ? 'file' : 'files'}, wanted ${most} at most`);
  for (const path of files) console.log(`  ${path}`);
}
