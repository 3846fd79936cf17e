/**
 * Flawed recordings of other tools, which no rule was written from: as PyTorch's profiler writes them, each beside the same program without
 * the flaw. They have no counters; what was called when, and how kernels were launched, is all there is.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { flaws, type ChromeEvents } from './foreign-corpus.ts';
import { advise } from '../../../../engine/analysis/adviser/index.ts';
import { openRecording } from '../../../../engine/formats/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'simsight-corpus-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

async function rulesFor(events: ChromeEvents): Promise<string[]> {
  const path = join(folder, `${++made}.json`);
  writeFileSync(path, JSON.stringify(events));
  return rulesIn(path);
}
async function rulesIn(path: string): Promise<string[]> {
  const trace = await openRecording(path, { here: true });
  try {
    return advise(trace).map(({ rule }) => rule);
  } finally {
    trace.close();
  }
}

test.each(flaws.map((flaw) => [flaw.name, flaw] as const))('%s', async (_, { rule, not, flawed, fixed }) => {
  const found = await rulesFor(flawed());
  expect(found).toContain(rule);
  for (const other of not ?? []) expect(found).not.toContain(other);
  expect(await rulesFor(fixed())).not.toContain(rule);
});

const caseFile = (name: string): string => new URL(`../../../cases/${name}`, import.meta.url).pathname;

test.each([
  ['late_submit_5us.json', 'host-bound'],
  ['late_submit_20us.json', 'host-bound'],
  ['nsys_one_block.sqlite', 'small-grid'],
])('%s: %s', async (name, rule) => {
  expect(await rulesIn(caseFile(name))).toContain(rule);
});
