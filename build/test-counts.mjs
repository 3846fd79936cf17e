/** How many tests passed and failed, and which, from the runners' own JSON reports. Plain ESM without dependencies. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './node.mjs';

export const resultsFolder = join(root, 'test-results');
export const reports = {
  vitest: join(resultsFolder, 'vitest.json'),
  playwright: join(resultsFolder, 'playwright.json'),
};
/** How long files of unit tests took (test/setup/file-times.ts). */
export const fileTimes = join(resultsFolder, 'vitest-files.json');
const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** A file that could not even be loaded counts as one failed test. */
function countVitest(report) {
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** A test that passed only when it was repeated has failed; so has what went wrong outside of tests. */
function countPlaywright({ stats, errors }) {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped };
}

/** Sums over the reports that are there. */
export function countTests(files = reports) {
  const vitest = read(files.vitest);
  const playwright = read(files.playwright);
  const counts = [vitest && countVitest(vitest), playwright && countPlaywright(playwright)].filter(Boolean);
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

const firstLine = (text) => (text ?? '').trim().split('\n')[0];

function vitestFailures({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name ?? '');
    if (status === 'failed' && assertionResults.length === 0) return [`${file}: ${firstLine(message)}`];
    return assertionResults
      .filter((result) => result.status === 'failed')
      .map((result) => `${file} › ${result.fullName}: ${firstLine(result.failureMessages[0])}`);
  });
}

function playwrightFailures({ suites = [], errors = [] }) {
  const ofSuite = ({ file, specs = [], suites: inner = [] }) => [
    ...specs
      .filter((spec) => spec.tests.some(({ status }) => status === 'unexpected' || status === 'flaky'))
      .map((spec) => `${file} › ${spec.title}`),
    ...inner.flatMap(ofSuite),
  ];
  return [...suites.flatMap(ofSuite), ...errors.map(({ message }) => firstLine(message))];
}

/** A line for each test that failed: its file, its name and, where the report has it, what was wrong. */
export function failedTests(files = reports) {
  const vitest = read(files.vitest);
  const playwright = read(files.playwright);
  return [...(vitest ? vitestFailures(vitest) : []), ...(playwright ? playwrightFailures(playwright) : [])];
}

/** Says which tests failed, and counts all; the count is the last line. */
export function printCounts() {
  const counts = countTests();
  for (const failure of failedTests()) console.log(`failed: ${failure}`);
  if (counts.skipped) console.log(`${counts.skipped} skipped`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts;
}

// `node build/test-counts.mjs`: prints the lines; fails where a test failed or none ran.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed } = printCounts();
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
