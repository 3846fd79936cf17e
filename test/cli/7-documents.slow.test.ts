/** Commands that README and docs show exist, with their options. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { simsightHere } from './simsight.ts';

const root = join(import.meta.dirname, '..', '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('{docs,engine/sm,engine/trace}/**/*.md', { cwd: root })];

test('commands that pages show exist, with their options', async () => {
  const help = (await simsightHere(['--help'])).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  const listed = text('docs/commands.md');
  for (const name of commands) expect(listed).toContain(`| \`${name}\``);
  const shown = pages.flatMap((page) =>
    [...text(page).matchAll(/^(?:[A-Z_]+=\S+ |.*?`)?simsight ([a-z][a-z-]*)([^\n`#>]*)/gm)].map(
      ([, name, options]) => [name!, options!] as const,
    ),
  );
  expect(shown.length).toBeGreaterThan(50);
  const helps = new Map<string, string>();
  for (const [name, words] of shown) {
    expect(commands, words).toContain(name);
    if (!helps.has(name)) helps.set(name, (await simsightHere([name, '--help'])).stdout);
    const options = words.split(' -- ')[0]!.matchAll(/(?<=\s)-{1,2}[a-z][a-z-]*|(?<=\s)-[A-Z]\b/g);
    for (const [option] of options)
      if (option !== '--help')
        expect(helps.get(name), `simsight ${name}${words}`).toMatch(new RegExp(`(?:^|[\\s(])${option}(?![a-z-])`, 'm'));
  }
});
