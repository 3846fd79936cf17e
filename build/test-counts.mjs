/** How many tests passed and failed, from the runners' own JSON reports. Plain ESM without dependencies. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './node.mjs';

export const resultsFolder = join(root, 'test-results');
export const reports = {
  vitest: join(resultsFolder, 'vitest.json'),
  playwright: join(resultsFolder, 'playwright.json'),
};
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

// `node build/test-counts.mjs`: prints the line; fails where a test failed or none ran.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed, skipped } = countTests();
  if (skipped) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
