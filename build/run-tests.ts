/** Runs the test suites one after the other (`npm test`), and ends with one line that counts them all. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { compileLimits } from '../engine/compile/limits.ts';
import { codeFolder, compiledFolder, keptVariable, measurementsVariable, trimCompiled } from '../test/setup/kept.ts';
import { chromiumRemedy, ensureChromium } from './chromium.ts';
import { root } from './node.mjs';
import { countOf, longTests, shortVariable } from '../test/setup/long-tests.ts';
import { countTests, fileTimes, printCounts, reports, resultsFolder } from './test-counts.mjs';

const browserSuites = ['shell', 'packaging', 'e2e'];
const isShort = process.argv.includes('--short');
const words = process.argv.slice(2).filter((word) => word !== '--short');
const asked = ['fast', 'unit', 'measurements', ...browserSuites].filter((suite) => words.includes(`--${suite}`));
const suites = asked.length ? asked : ['unit', ...browserSuites];
const rest = words.filter((word) => !suites.includes(word.replace(/^--/, '')));

async function runTool(packageFolder: string, args: string[], environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const script = join(root, 'node_modules', packageFolder);
  const env = { ...process.env, ...environment };
  const [status] = await once(spawn(process.execPath, [script, ...args], { stdio: 'inherit', env }), 'exit');
  return status === 0;
}

const setup = (file: string): string => join(root, 'test', 'setup', file);

const unitReporters = [
  ...['default', 'json', setup('file-times.ts')].map((name) => `--reporter=${name}`),
  `--outputFile.json=${reports.vitest}`,
];

/** `--import` of a file of `test/setup`, in every process and thread of the tests. */
const preloading = (file: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${pathToFileURL(setup(file)).href}`.trim(),
});

/** The unit tests that need no Clang and little time. What others have compiled is not there. */
const runFast = (): Promise<boolean> =>
  runTool('vitest/vitest.mjs', ['run', '--exclude', '**/*.slow.test.ts', ...unitReporters, ...rest], {
    ...preloading('no-compiler.mjs'),
    [keptVariable]: folder,
  });

/** Tests that compile and record. */
const runSlow = (environment: NodeJS.ProcessEnv = {}): Promise<boolean> =>
  runTool('vitest/vitest.mjs', ['run', ...unitReporters, ...rest], { ...compiler?.environment, ...environment });

const mostStarts = 10;

/** Starts the one compiler that all tests share, and again where it ends by itself; what ends it, and the tests' environment. */
async function startCompiler(): Promise<{ end: () => Promise<void>; environment: NodeJS.ProcessEnv }> {
  const socket = process.platform === 'win32' ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, 'compiler');
  mkdirSync(compiledFolder, { recursive: true });
  let isWanted = true;
  let starts = 0;
  let child!: ChildProcessByStdio<Writable, Readable, null>;
  await new Promise<void>((ready) => {
    const start = (): void => {
      starts++;
      child = spawn(process.execPath, [setup('compiler.ts'), socket, compiledFolder], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdout.once('data', () => ready());
      child.on('exit', (status, signal) => {
        if (!isWanted) return;
        console.error(`The compiler of the tests ended: ${signal ?? `status ${status}`}.`);
        rmSync(socket, { force: true });
        if (starts < mostStarts) start();
        // The tests say that they cannot reach it.
        else ready();
      });
    };
    start();
  });
  return {
    end: async () => {
      isWanted = false;
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      trimCompiled();
    },
    environment: {
      ...preloading('shared-compiler.mjs'),
      SIMSIGHT_TEST_COMPILER: socket,
      SIMSIGHT_TEST_COMPILER_MEMORY: String(compileLimits({}).memoryBytes),
    },
  };
}

if (isShort) process.env[shortVariable] = '1';
mkdirSync(resultsFolder, { recursive: true });
for (const report of [...Object.values(reports), fileTimes]) rmSync(report, { force: true });

/** All but the fast ones compile; one of the slow unit tests looks at a page in Chromium, too. */
const isSlow = suites.some((suite) => suite !== 'fast');
const hasChromium = isSlow && ensureChromium(console.log) !== undefined;

// All that the tests leave there goes with it.
const folder = mkdtempSync(join(tmpdir(), 'simsight-tests-'));
process.env[keptVariable] ??= tmpdir();
process.env['NODE_COMPILE_CACHE'] ??= codeFolder;
// It is newer than all that it is made of: `build/test.mjs` has seen to it.
process.env['SIMSIGHT_THREADS'] = 'built';
for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;

let allRan = true;
if (suites.includes('fast')) allRan = (await runFast()) && allRan;
const compiler = isSlow ? await startCompiler() : null;
if (suites.includes('unit')) allRan = (await runSlow()) && allRan;
if (suites.includes('measurements')) allRan = (await runSlow({ [measurementsVariable]: '1' })) && allRan;
const inBrowser = browserSuites.filter((suite) => suites.includes(suite));
if (inBrowser.length) {
  if (hasChromium) {
    const projects = inBrowser.map((suite) => `--project=${suite}`);
    allRan =
      (await runTool('@playwright/test/cli.js', ['test', ...projects, ...rest], compiler?.environment)) && allRan;
  } else {
    console.error(`There is no Chromium for the tests in a browser. ${chromiumRemedy}`);
    allRan = false;
  }
}
await compiler?.end();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

if (!allRan && countTests().failed === 0) console.error('A runner failed outside of its tests: see above.');
if (isShort) {
  const long = [longTests.unit, longTests.browser].map(countOf);
  console.log(
    `Left to \`npm test\`: ${long[0]} long unit tests or files of them, ${long[1]} in the browser (test/setup/long-tests.json).`,
  );
}
const { passed, failed } = printCounts();
process.exit(!allRan || failed > 0 || passed === 0 ? 1 : 0);
