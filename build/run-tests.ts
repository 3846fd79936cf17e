/** Runs the test suites one after the other (`npm test`), and ends with one line that counts them all. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumRemedy, ensureChromium } from './chromium.ts';
import { countTests, printCounts, reports, resultsFolder } from './test-counts.mjs';

const browserSuites = ['shell', 'packaging', 'e2e'];
const words = process.argv.slice(2);
const asked = ['unit', ...browserSuites].filter((suite) => words.includes(`--${suite}`));
const suites = asked.length ? asked : ['unit', ...browserSuites];
const rest = words.filter((word) => !suites.includes(word.replace(/^--/, '')));

function runTool(packageFolder: string, args: string[]): boolean {
  const script = join(import.meta.dirname, '..', 'node_modules', packageFolder);
  return spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status === 0;
}

mkdirSync(resultsFolder, { recursive: true });
for (const report of Object.values(reports)) rmSync(report, { force: true });

// Of the unit tests too one looks at a page in it.
const hasChromium = ensureChromium(console.log) !== undefined;

let allRan = true;
if (suites.includes('unit')) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reports.vitest}`];
  allRan = runTool('vitest/vitest.mjs', ['run', ...reporters, ...rest]) && allRan;
}
const inBrowser = browserSuites.filter((suite) => suites.includes(suite));
if (inBrowser.length) {
  if (hasChromium) {
    const projects = inBrowser.map((suite) => `--project=${suite}`);
    allRan = runTool('@playwright/test/cli.js', ['test', ...projects, ...rest]) && allRan;
  } else {
    console.error(`There is no Chromium for the tests in a browser. ${chromiumRemedy}`);
    allRan = false;
  }
}

if (!allRan && countTests().failed === 0) console.error('A runner failed outside of its tests: see above.');
const { passed, failed } = printCounts();
process.exit(!allRan || failed > 0 || passed === 0 ? 1 : 0);
