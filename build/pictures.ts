/**
 * Makes the pictures of README and docs anew, each dark and light (`npm run pictures [NAME…]`): records what they show, and takes them of the
 * real app in a headless Chromium.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { labs } from '../engine/labs/index.ts';
import type * as Serve from '../engine/serve/index.ts';
import type { SceneOfTrace } from '../renderer/src/trace/test-hook.ts';
import { chromiumArguments, chromiumRemedy, ensureChromium } from './chromium.ts';

const root = join(import.meta.dirname, '..');
const pictures = join(import.meta.dirname, 'pictures');
const program = join(pictures, 'tile.cu');
/** The same each time, since the app shows it. */
const work = join(tmpdir(), 'simsight-pictures');
const dataFolder = join(work, 'data');
const patience = 300_000;

const wanted = process.argv.slice(2);
type PageWithScene = Window & { simsightScene?: () => SceneOfTrace[] };

function simsight(...words: string[]): string {
  const command = [join(root, 'dist', 'engine', 'cli.js'), ...words];
  const env = { ...process.env, SIMSIGHT_HOME: dataFolder };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: work, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`simsight ${words.join(' ')}: ${stderr}`);
  return stdout;
}

const recorded = new Map<string, string>();
/** A trace, recorded when it is first asked for. */
function record(name: string, title: string, ...words: string[]): string {
  const known = recorded.get(name);
  if (known !== undefined) return known;
  const path = join(work, `${name}.simsight`);
  simsight('record', '-o', path, '--title', title, ...words);
  recorded.set(name, path);
  return path;
}
function recordLab(id: string, variantId: string): string {
  const lab = labs.find((each) => each.id === id)!;
  const variant = lab.variants.find((each) => each.id === variantId)!;
  const title = `${lab.title}: ${variant.title}`;
  return record(`${id}-${variantId}`, title, variant.source, '--gpu', 'h200', '--', ...variant.arguments);
}
const tile = (): string => record('tile', 'Transpose', program, '--gpu', 'h200');

/** The scene on the screen once everything has arrived. */
async function scene(page: Page): Promise<SceneOfTrace[]> {
  await page.waitForFunction(
    () => {
      const traces = (window as unknown as PageWithScene).simsightScene?.() ?? [];
      return traces.length > 0 && traces.every(({ loading, rects }) => !loading && rects.length > 0);
    },
    { timeout: patience },
  );
  await page.waitForTimeout(500);
  return page.evaluate(() => (window as unknown as PageWithScene).simsightScene?.() ?? []);
}

/** The longest kernel of that name in one of the traces. */
async function openKernel(page: Page, name: string, trace = 0): Promise<void> {
  const { rects } = (await scene(page))[trace]!;
  const [kernel] = rects
    .filter(({ kind, label }) => kind === 'kernel' && label.includes(name))
    .sort((a, b) => b.durationNs - a.durationNs);
  if (!kernel) throw new Error(`No kernel ${name} is on the screen.`);
  await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
  await page.keyboard.press('k');
  await page.getByTestId('kernel-page').waitFor();
}
async function kernelTab(page: Page, tab: string): Promise<void> {
  await page.getByTestId(`kernel-tab-${tab}`).click();
  await page.mouse.move(2, 2);
  await page.waitForTimeout(500);
}
/** The tiled product, with the naive one as its baseline. */
async function products(page: Page, tab: string): Promise<void> {
  await openKernel(page, 'matmulNaive', 0);
  await page.getByTestId('baseline-add').click();
  await page.keyboard.press('Escape');
  await openKernel(page, 'matmulTiled', 1);
  await kernelTab(page, tab);
}
const productTraces = (): string[] => [recordLab('matmul', 'naive'), recordLab('matmul', 'tiled')];

async function fillRecordDialog(page: Page): Promise<void> {
  await page.keyboard.press('r');
  await page.getByTestId('record-source').fill(program);
  await page.getByRole('radio', { name: /H200/ }).first().check({ force: true });
}

interface Picture {
  name: string;
  /** Traces that are open. */
  traces?: () => string[];
  /** A page of its own in place of the app. */
  file?: () => string;
  height?: number;
  width?: number;
  /** Until what is to be seen is on the screen. */
  show(page: Page): Promise<unknown>;
}

const reportOf = (name: string, trace: string, ...words: string[]): string => {
  const file = join(work, `${name}.html`);
  simsight('report', trace, '-o', file, '--force', ...words);
  return file;
};
/** With what each limit costs, and what the padding that the adviser names brings. */
function reportOfTile(): string {
  const kept = join(work, 'kept');
  const found = join(kept, 'tile-what-if.json');
  if (!existsSync(found)) {
    const fixed = record('padded', 'Transpose, padded', program, '--gpu', 'h200', '-D', 'PAD=1');
    simsight('what-if', program, '--gpu', 'h200', '--title', 'Transpose', '--keep', kept, '--fixed', fixed);
  }
  return reportOf('tile', join(kept, 'tile.simsight'), '--what-if', found);
}
/** Scrolls a heading of a report to the top. */
const toHeading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, exact: true }).evaluate((heading) => {
    heading.scrollIntoView({ block: 'start' });
    window.scrollBy(0, -16);
  });

const all: Picture[] = [
  {
    name: 'overlap',
    traces: () => [recordLab('overlap', 'pageable'), recordLab('overlap', 'four-streams')],
    ...{ width: 1600, height: 1180 },
    show: scene,
  },
  {
    name: 'advice',
    traces: () => [recordLab('overlap', 'pageable')],
    height: 980,
    async show(page) {
      await scene(page);
      await page.keyboard.press('9');
      await page.getByTestId('finding').first().waitFor();
    },
  },
  {
    name: 'what-if',
    async show(page) {
      await fillRecordDialog(page);
      await page.getByTestId('what-if-start').click();
      await page.getByTestId('what-if-rows').waitFor({ timeout: patience });
    },
  },
  {
    name: 'sweep',
    async show(page) {
      await fillRecordDialog(page);
      await page.getByTestId('sweep-open-dialog').click();
      await page.getByTestId('sweep-name').fill('PAD');
      await page.getByTestId('sweep-values').fill('0 1 2');
      await page.getByTestId('sweep-add').click();
      await page.getByTestId('sweep-name').nth(1).fill('ROWS');
      await page.getByTestId('sweep-values').nth(1).fill('8 16 32');
      await page.getByTestId('sweep-start').click();
      await page.getByTestId('sweep-table').waitFor({ timeout: patience });
    },
  },
  {
    name: 'compare',
    traces: () => [recordLab('overlap', 'pageable'), recordLab('overlap', 'four-streams')],
    ...{ width: 1440, height: 940 },
    async show(page) {
      await scene(page);
      await page.getByTestId('compare-ghost').click();
      await page.getByTestId('compare-waterfall').click();
      await page.mouse.move(2, 2);
      await scene(page);
    },
  },
  { name: 'kernel-overview', traces: productTraces, show: (page) => products(page, 'overview') },
  { name: 'kernel-roofline', traces: productTraces, show: (page) => products(page, 'roofline') },
  { name: 'kernel-warps', traces: productTraces, show: (page) => products(page, 'warps') },
  {
    name: 'kernel-source',
    traces: () => [tile()],
    async show(page) {
      await openKernel(page, 'transpose');
      await kernelTab(page, 'source');
    },
  },
  {
    name: 'kernel-memory',
    traces: () => [tile()],
    async show(page) {
      await openKernel(page, 'transpose');
      await kernelTab(page, 'memory');
    },
  },
  {
    name: 'kernel-divergence',
    traces: () => [tile()],
    async show(page) {
      await openKernel(page, 'collatz');
      await page.setViewportSize({ width: 1440, height: 460 });
      await kernelTab(page, 'divergence');
    },
  },
  {
    name: 'report',
    file: () => reportOf('report', recordLab('overlap', 'four-streams'), '--before', recordLab('overlap', 'pageable')),
    ...{ width: 1180, height: 1310 },
    show: (page) => page.waitForTimeout(300),
  },
  {
    name: 'report-advice',
    file: reportOfTile,
    ...{ width: 1180, height: 1310 },
    show: (page) => toHeading(page, 'What to do'),
  },
  {
    name: 'report-what-if',
    file: reportOfTile,
    ...{ width: 1180, height: 640 },
    show: (page) => toHeading(page, 'What if'),
  },
];

async function take({ name, traces, file, width = 1440, height = 900, show }: Picture, browserPath: string) {
  const browser = await chromium.launch({ executablePath: browserPath, args: chromiumArguments });
  // The bundle, not the sources: that is what people run.
  const { startServer } = (await import(
    pathToFileURL(join(root, 'dist', 'engine', 'serve', 'index.js')).href
  )) as typeof Serve;
  const home = join(work, 'home', name);
  mkdirSync(home, { recursive: true });
  const folders = [work, pictures];
  const server = file ? null : await startServer({ folders, open: traces?.() ?? [], dataFolder: home });
  try {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'dark' });
    await page.goto(server?.url ?? pathToFileURL(file!()).href);
    await show(page);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(400);
      const path = join(pictures, `${name}-${colorScheme}.png`);
      await page.screenshot({ path });
      console.log(path);
    }
  } finally {
    await server?.close();
    await browser.close();
  }
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work);
const browserPath = ensureChromium(console.log);
if (browserPath === undefined) {
  console.error(`There is no Chromium for the pictures. ${chromiumRemedy}`);
  process.exit(1);
}
const unknown = wanted.filter((name) => !all.some((picture) => picture.name === name));
if (unknown.length > 0) {
  console.error(`There is no picture ${unknown.join(', ')}. There are ${all.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
try {
  for (const picture of all) if (wanted.length === 0 || wanted.includes(picture.name)) await take(picture, browserPath);
} finally {
  rmSync(work, { recursive: true, force: true });
}
