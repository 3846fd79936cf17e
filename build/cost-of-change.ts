/**
 * The cost of common changes (`npm run cost-of-change`): for each kind of change, the product's files that name one thing of that kind, which
 * are those that adding another would touch. Tests and documents are left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './node.mjs';

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
  { kind: 'stall reason', example: '`membar`', names: /\bmembar: \{|'membar'|'Membar'/, most: 2 },
  {
    kind: 'CUDA call',
    example: '`cudaMallocFromPoolAsync`',
    names: /cudaMallocFromPoolAsync/,
    most: 2,
  },
  {
    kind: 'event kind with a row',
    example: 'graphs made and instantiated',
    names: /CUDA_GRAPH_EVENTS|'graph-made'|GraphMade\b/,
    most: 3,
  },
];

const folders = ['electron', 'engine', 'migrations', 'renderer/src'];
/** Made by a command, or sample programs. */
const leftOut = /\/(?:runtime\/(?:ir|object)\.ts|labs\/)/;

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|svelte|sql|c|cu|h)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !leftOut.test(path) && !path.endsWith('.test.ts'));
}

const texts = folders.flatMap(filesBelow).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
for (const { kind, example, names, most } of changes) {
  const files = texts.filter(({ text }) => names.test(text)).map(({ path }) => path);
  console.log(`${kind} (${example}): ${files.length} ${files.length === 1 ? 'file' : 'files'}, wanted ${most} at most`);
  for (const path of files) console.log(`  ${path}`);
}
