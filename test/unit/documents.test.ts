/** README, ARCHITECTURE and docs: links, pictures, files, npm scripts, decisions and checks of invariants exist. */
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Outcomes } from '../strangers/outcomes.ts';
import { pageOf } from '../strangers/page.ts';

const root = join(import.meta.dirname, '..', '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['engine/sm/MODEL.md', 'engine/trace/SCHEMA.md', 'engine/labs/README.md'],
  ...globSync('docs/**/*.md', { cwd: root }).map((name) => name.replaceAll('\\', '/')),
];

/** Headings as GitHub makes anchors of them. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(pages)('links of %s lead somewhere', (page) => {
  const targets = [
    ...[...text(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!),
    ...[...text(page).matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, target]) => target!),
  ].filter((target) => !/^https?:/.test(target));
  for (const target of targets) {
    const [path, anchor] = target.split('#') as [string, string?];
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(root, file)), `${page}: ${target}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(text(file)), `${page}: ${target}`).toContain(anchor);
  }
});

test.each(pages)('files that %s names are there', (page) => {
  for (const [, path] of text(page).matchAll(/`((?:engine|renderer|electron|build|test|migrations)\/[\w./-]+\.\w+)`/g))
    expect(existsSync(join(root, path!)), `${page}: ${path}`).toBe(true);
});

test('npm scripts that pages name exist', () => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) =>
    [...text(page).matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name]) => name!),
  );
  expect(named.length).toBeGreaterThan(0);
  for (const name of new Set(named)) expect(Object.keys(scripts)).toContain(name);
  // docs/commands.md has them all.
  const listed = text('docs/commands.md');
  for (const name of Object.keys(scripts))
    expect(listed).toMatch(new RegExp(`npm (?:run )?(?:-s )?${name}(?![\\w:-])`));
});

test('README and ARCHITECTURE are as short as they promise to be', () => {
  expect(Buffer.byteLength(text('README.md'))).toBeLessThanOrEqual(8192);
  // The map is drawn from the imports, and as long as there are folders.
  const architecture = text('ARCHITECTURE.md').replace(/<!-- map:start -->[^]*<!-- map:end -->/, '');
  expect(Buffer.byteLength(architecture)).toBeLessThanOrEqual(7000);
});

test('checks that ARCHITECTURE names for its invariants exist', () => {
  const config = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string }[];
  };
  const rules = config.forbidden.map(({ name }) => name);
  const invariants = [...text('ARCHITECTURE.md').matchAll(/\(checked\s+by\s+([^)]+)\)/g)].map(([, checks]) => checks!);
  expect(invariants.length).toBeGreaterThan(15);
  for (const checks of invariants)
    for (const [, name] of checks.matchAll(/`([^`]+)`/g))
      expect(name!.includes('/') ? existsSync(join(root, name!)) : rules.includes(name!), checks).toBe(true);
});

test('decisions are numbered without a gap, and all are in the index', () => {
  const folder = join(root, 'docs', 'decisions');
  const files = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .sort();
  const index = text('docs/decisions/README.md');
  files.forEach((name, i) => {
    expect(name).toMatch(new RegExp(`^${String(i + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(index).toContain(`(${name})`);
  });
});

test('what runs is the page of the outcomes that are kept', async () => {
  const page = 'docs/what-runs.md';
  const outcomes = JSON.parse(text('test/strangers/h200.json')) as Outcomes;
  expect(text(page)).toBe(await pageOf(outcomes, join(root, page)));
});
