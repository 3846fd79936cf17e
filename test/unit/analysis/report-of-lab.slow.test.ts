/** A report of a lab before and after: its figures are the recording's, and a browser shows it without fetching or complaining. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../../build/chromium.ts';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { writeReport } from '../../../engine/analysis/report/index.ts';
import { labById } from '../../../engine/labs/index.ts';
import { formatNumber, formatPercent, formatTime } from '../../../engine/model/format.ts';
import type { Trace } from '../../../engine/trace/trace.ts';
import { recorded } from '../recording/recorded.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { checkMarkup, textOf } from './markup.ts';

const folder = temporaryFolder();
let before: Trace;
let after: Trace;
beforeAll(async () => {
  const { source } = labById('matmul').variants[0]!;
  const text = readFileSync(source, 'utf8');
  [before, after] = [
    (await recorded(text, { sources: [source], arguments: ['naive', '128'] })).trace,
    (await recorded(text, { sources: [source], arguments: ['tiled', '128'] })).trace,
  ];
  // Clang's first start on a busy machine.
});
afterAll(() => {
  before.close();
  after.close();
});

const report = () =>
  writeReport(after, 'html', { name: 'after.simsight', before: { trace: before, name: 'before.simsight' } });

test('figures are the recording’s', () => {
  const { text } = report();
  checkMarkup(text);
  const own = textOf(text);
  const says = (...words: string[]): void => {
    for (const word of words) expect(own).toContain(word);
  };
  const { gpus } = after.queries.summarize({});
  says(formatTime(after.info.durationNs), formatTime(gpus[0]!.kernelNs), formatTime(gpus[0]!.copyNs));
  says(formatPercent((100 * gpus[0]!.busyNs) / after.info.durationNs), formatTime(gpus[0]!.gaps.longestNs));

  const [kernels] = makeReport(after, 'cuda_gpu_kern_sum').rows;
  says(formatTime(Number(kernels![1])), String(kernels!.at(-1)));
  for (const row of makeReport(after, 'cuda_api_sum').rows) says(String(row.at(-1)), formatTime(Number(row[1])));
  for (const row of makeReport(after, 'cuda_gpu_mem_size_sum').rows) says(`${formatNumber(Number(row[0]))} MB`);

  // The kernel's section shows its longest launch.
  const [[longest]] = after.query('SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY end - start DESC') as [
    [number],
  ];
  const view = kernelView(after, longest);
  says(`${view.grid.join(' × ')} blocks of ${view.block.join(' × ')} threads`);
  says(
    `${formatPercent(view.occupancy!.percent)} (${view.occupancy!.warpsPerSm} of ${view.occupancy!.mostWarpsPerSm} warps)`,
  );
  for (const { percent, achieved } of view.throughput) if (achieved > 0) says(formatPercent(percent));
  const [first] = view.stalls.filter(({ state }) => state !== 'Selected');
  says(first!.state, `${formatPercent(first!.percent)} · ${first!.cyclesPerIssue!.toFixed(2)} cycles per instruction`);
  says('sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];');
  expect(own).toContain(after.console()[0]!.text.trim());

  // And so are those of the comparison.
  for (const { kind, beforeNs, afterNs } of compareTraces(before, after).rows)
    if (kind === 'total') says(formatTime(beforeNs), formatTime(afterNs));
});

test('names no folder and no time, and takes little room', () => {
  const { text } = report();
  for (const { path } of [before, after]) expect(text).not.toContain(path.slice(0, -basename(path).length));
  expect(text).not.toMatch(/20\d\d-\d\d/);
  expect(text.length).toBeLessThan(60_000);
  expect(report().text).toBe(text);
});

test('a browser shows it: nothing is fetched, nothing is wrong, and both themes can be read', async () => {
  const file = join(folder, 'report.html');
  const { text } = report();
  writeFileSync(file, text);
  const sections = text.split('<section').length - 1;
  const browser = await chromium.launch(launchOptions());
  try {
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1180, height: 800 } });
      const faults: string[] = [];
      page.on('console', (message) => faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('request', (request) => faults.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      expect(faults).toEqual([pathToFileURL(file).href]);
      const seen = await page.evaluate(() => ({
        background: getComputedStyle(document.body).backgroundColor,
        wide: document.documentElement.scrollWidth,
        broken: document.querySelectorAll('parsererror').length,
        sections: document.querySelectorAll('main section').length,
        // Every picture is as wide as it should be.
        pictures: [...document.querySelectorAll('.picture svg')].map((svg) => svg.getBoundingClientRect().width > 500),
      }));
      expect(seen).toEqual({
        ...{ background: colorScheme === 'dark' ? 'rgb(13, 17, 22)' : 'rgb(255, 255, 255)', wide: 1180, broken: 0 },
        ...{ sections, pictures: [true, true, true] },
      });
      await page.close();
    }
  } finally {
    await browser.close();
  }
});
