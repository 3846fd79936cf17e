/** Markdown becomes elements, and what is not Markdown stays text: the component itself, rendered to HTML as Svelte does on a server. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Component } from 'svelte';
import { compile } from 'svelte/compiler';
import { render } from 'svelte/server';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
// Within node_modules, from where the compiled component finds its packages.
const folder = join(root, 'node_modules', '.simsight', `markdown-${process.pid}`);
let Markdown: Component<{ text: string; onlink?: (href: string) => (() => void) | null }>;
beforeAll(async () => {
  const source = readFileSync(join(root, 'renderer/src/widgets/Markdown.svelte'), 'utf8');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'markdown.js');
  writeFileSync(file, compile(source, { generate: 'server', css: 'external' }).js.code);
  ({ default: Markdown } = (await import(pathToFileURL(file).href)) as { default: typeof Markdown });
});
afterAll(() => rmSync(folder, { recursive: true }));

const html = (text: string, onlink?: (href: string) => (() => void) | null): string =>
  render(Markdown, { props: onlink ? { text, onlink } : { text } })
    .body.replace(/<!--.*?-->/g, '')
    .replace(/ class="[^"]*"| data-testid="\w+"/g, '')
    .replace(/\s+/g, ' ');

test('headings, lists, tables, code', () => {
  expect(html('# One\n\nA **b** *c* `d < e`')).toContain('<h2>One</h2>');
  expect(html('A **b** *c* `d < e`')).toMatch(/<p>A <strong>b<\/strong> <em>c<\/em> <code>d &lt; e<\/code><\/p>/);
  expect(html('1. a\n2. b')).toMatch(/<ol> ?<li>a<\/li><li>b<\/li><\/ol>/);
  expect(html('| a | b |\n| --- | --: |\n| 1 | 2 |')).toMatch(/<td[^>]*text-align: right[^>]*>2<\/td>/);
  expect(html('```\na && b\n```')).toContain('<code>a &amp;&amp; b</code>');
  expect(html('2 × "a" & b’s')).toMatch(/<p>2 × "a" &amp; b’s<\/p>/);
});

test('HTML is text, comments are nothing, links go nowhere but where the page knows', () => {
  const hostile = html(
    'a <img src=x onerror=alert(1)> b\n\n<script>alert(2)</script>\n\n[c](javascript:alert(3)) ![d](http://x/e.png)\n\n<!-- secret -->',
  );
  expect(hostile).not.toMatch(/<(img|script|a)\b|href|secret/);
  expect(hostile).toContain('&lt;script>alert(2)&lt;/script>');
  const linked = html('[one](../transpose/README.md) [two](http://elsewhere)', (href) =>
    href.startsWith('../') ? () => {} : null,
  );
  expect(linked).toMatch(/<button>one<\/button> two/);
});
