/** Runs the test suites one after the other (`npm test`), and ends with one line that counts them all. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromiumRemedy, ensureChromium } from './chromium.ts';
import { root } from './node.mjs';
import { countTests, printCounts, reports, resultsFolder } from './test-counts.mjs';

const browserSuites = ['shell', 'packaging', 'e2e'];
const words = process.argv.slice(2);
const asked = ['fast', 'unit', ...browserSuites].filter((suite) => words.includes(`--${suite}`));
const suites = asked.length ? asked : ['unit', ...browserSuites];
const rest = words.filter((word) => !suites.includes(word.replace(/^--/, '')));

function runTool(packageFolder: string, args: string[], environment: NodeJS.ProcessEnv = {}): boolean {
  const script = join(root, 'node_modules', packageFolder);
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env }).status === 0;
}

const unitReporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reports.vitest}`];

/**
 * The unit tests that need no Clang and little time. In a temporary folder of their own: what others have compiled is not there, and
 * what they leave goes with it.
 */
function runFast(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'simsight-fast-'));
  const guard = pathToFileURL(join(root, 'test', 'setup', 'no-compiler.mjs')).href;
  try {
    return runTool('vitest/vitest.mjs', ['run', '--exclude', '**/*.slow.test.ts', ...unitReporters, ...rest], {
      TMPDIR: folder,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'simsight-test-code'),
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${guard}`,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(resultsFolder, { recursive: true });
for (const report of Object.values(reports)) rmSync(report, { force: true });

// One of the slow unit tests looks at a page in it, too.
const needsChromium = suites.some((suite) => suite !== 'fast');
const hasChromium = needsChromium && ensureChromium(console.log) !== undefined;

let allRan = true;
if (suites.includes('fast')) allRan = runFast() && allRan;
if (suites.includes('unit')) allRan = runTool('vitest/vitest.mjs', ['run', ...unitReporters, ...rest]) && allRan;
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
