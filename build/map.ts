/**
 * Draws the map of the engine's folders in ARCHITECTURE.md from what they import, types included, floor by floor.
 *
 *   node build/run.mjs ./build/map.ts [--check]
 *
 * `--check` (part of `npm run lint`) writes nothing; exit code 1 where the page has another map, or a folder has no floor.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const engine = join(root, 'engine');
const page = join(root, 'ARCHITECTURE.md');
const [start, end] = ['<!-- map:start -->', '<!-- map:end -->'];

const { floors } = JSON.parse(readFileSync(join(root, 'build/floors.json'), 'utf8')) as { floors: string[][] };

/** The folder of the engine that a file lies in; null elsewhere. */
function folderOf(file: string): string | null {
  const parts = relative(engine, file).split(sep);
  return parts.length > 1 && parts[0] !== '..' ? parts[0]! : null;
}

/** Folders that the files of a folder import from. */
function importsOf(folder: string): Set<string> {
  const found = new Set<string>();
  const files = readdirSync(join(engine, folder), { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((each) => each.endsWith('.ts'))) {
    const file = join(engine, folder, name);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      const other = fileName.startsWith('.') ? folderOf(join(dirname(file), fileName)) : null;
      if (other !== null && other !== folder) found.add(other);
    }
  }
  return found;
}

const folders = readdirSync(engine, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const homeless = folders.filter((folder) => !floors.flat().includes(folder));
const gone = floors.flat().filter((folder) => !folders.includes(folder));
if (homeless.length + gone.length > 0) {
  console.error(
    `build/floors.json has no floor for ${homeless.join(', ') || 'none'}, and one for ${gone.join(', ') || 'none'} that is not there.`,
  );
  process.exit(1);
}

const order = floors.flat();
const rows = floors
  .map((names, floor) => ({ names, floor }))
  .toReversed()
  .flatMap(({ names, floor }) =>
    names.map((folder) => {
      const known = [...importsOf(folder)].sort((a, b) => order.indexOf(a) - order.indexOf(b));
      return `| ${floor} | \`${folder}\` | ${known.map((name) => `\`${name}\``).join(' ') || 'none'} |`;
    }),
  );
const map = ['| Floor | Folder of `engine` | Imports from |', '| ---: | --- | --- |', ...rows].join('\n');

const text = readFileSync(page, 'utf8');
const [before, rest] = text.split(start);
const after = rest?.split(end)[1];
if (before === undefined || after === undefined) {
  console.error(`ARCHITECTURE.md has no place for the map: ${start} … ${end}.`);
  process.exit(1);
}
const drawn = await format(`${before}${start}\n\n${map}\n\n${end}${after}`, {
  ...(await resolveConfig(page)),
  parser: 'markdown',
});
if (!process.argv.includes('--check')) writeFileSync(page, drawn);
else if (drawn !== text) {
  console.error('The map in ARCHITECTURE.md is not that of the code: node build/run.mjs ./build/map.ts');
  process.exitCode = 1;
}
