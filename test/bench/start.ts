/**
 * Cold start: from a command to a window that can be used.
 *
 *   npm run bench:start -- [--runs 5] [--json FILE]
 *
 * In browser mode, each time with a new server, a new browser profile and an empty home: until the server has printed its address,
 * until the start screen answers to a click, and until a small trace that was named is drawn. The time that Chromium itself takes to
 * start is measured apart, as Electron's own would be. Beside that, the command line until it has answered, and until it has recorded
 * all variants of the first example: in an empty home, and again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { chromiumArguments, chromiumRemedy, ensureChromium } from '../../build/chromium.ts';
import { defaultLab } from '../../engine/labs/index.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { median } from './median.ts';
import { facts, recording } from './recording.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, json: { type: 'string' } } });
const cli = join(import.meta.dirname, '..', '..', 'dist', 'engine', 'cli.js');
const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
const trace = join(folder, 'small.simsight');

const executablePath = ensureChromium(console.error);
if (!executablePath) throw new Error(`There is no Chromium. ${chromiumRemedy}`);

const measured = new Map<string, number[]>();
const note = (name: string, since: number): void => {
  measured.set(name, [...(measured.get(name) ?? []), performance.now() - since]);
};

function runCommand(words: string[], name: string, home?: string): void {
  const started = performance.now();
  const env = home === undefined ? process.env : { ...process.env, SIMSIGHT_HOME: home };
  const { status, stderr } = spawnSync(process.execPath, [cli, ...words], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`simsight ${words.join(' ')} ended with ${status}: ${stderr}`);
  note(name, started);
}

async function startOnce(words: string[], name: string, ready: string): Promise<void> {
  const started = performance.now();
  const env = { ...process.env, SIMSIGHT_HOME: mkdtempSync(join(folder, 'home-')) };
  const server = spawn(process.execPath, [cli, ...words], { env, cwd: folder });
  const [printed] = (await once(server.stdout, 'data')) as [Buffer];
  note(`${name}_address_ms`, started);
  const begun = performance.now();
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    const page = await browser.newPage();
    note('chromium_itself_ms', begun);
    const opened = performance.now();
    await page.goto(printed.toString().trim());
    await page.locator(ready).first().waitFor();
    note(`${name}_page_ms`, opened);
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

try {
  const writer = createTraceWriter(trace, facts);
  for (const batch of recording(10_000)) writer.append(batch);
  writer.finish({ exitCode: 0, notices: [], complete: true });
  for (let run = 0; run < Number(values.runs); run++) {
    runCommand(['--version'], 'cli_version_ms');
    runCommand(['stats', trace], 'cli_stats_ms');
    const home = mkdtempSync(join(folder, 'home-'));
    runCommand(['lab', defaultLab.id], 'lab_first_ms', home);
    runCommand(['lab', defaultLab.id], 'lab_again_ms', home);
    await startOnce(['serve'], 'start_screen', '[data-connection="open"] main button');
    await startOnce(['open', trace], 'trace', '[data-testid="trace-screen"] canvas');
  }
  const medians = Object.fromEntries([...measured].map(([name, list]) => [name, Math.round(median(list))]));
  console.log(`Cold start, median of ${values.runs}, ${cpus().length} cores, Node ${process.versions.node}`);
  for (const [name, list] of measured) {
    const [least, most] = [Math.min(...list), Math.max(...list)].map(Math.round);
    console.log(`  ${name.padEnd(26)}${String(medians[name]).padStart(6)} ms   ${least} to ${most}`);
  }
  for (const name of ['start_screen', 'trace']) {
    const total = medians[`${name}_address_ms`]! + medians[`${name}_page_ms`]!;
    medians[`${name}_usable_ms`] = total;
    console.log(`  ${`${name}_usable_ms`.padEnd(26)}${String(total).padStart(6)} ms   without Chromium itself`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(medians, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
