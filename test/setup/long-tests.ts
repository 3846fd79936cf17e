/**
 * The long tests, which `npm test -- --short` leaves to `npm test`: by file and name, as the reports of a whole run had them.
 *
 *   npm test && node build/run.mjs ./test/setup/long-tests.ts                      writes long-tests.json of the run's reports
 *   npm test -- --short && node build/run.mjs ./test/setup/long-tests.ts --add    adds what has become long without them
 *
 * The first test of a file that needs a recording makes it for all: where that one is left out, the next one is long. So a file is left out as a
 * whole where its other tests and what they share take more than 20 s.
 *
 * Short are a unit test of up to 1.25 s and one in the browser of up to 5 s on two cores; twice that where long ones are left out. Of a file that
 * has none the shortest counts as short, up to 10 s, so that as few files as can be are left out as a whole. Tests that are not listed run always:
 * new ones, and those whose names have something of their run in them, as folders. Files whose tests go on where the last one ended (`serial`) run
 * whole.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../build/node.mjs';
import { fileTimes, reports } from '../../build/test-counts.mjs';

/** Full names of long tests, by file; or that all of them are. */
export type LongTests = Record<string, readonly string[] | 'all'>;

/** Set: long tests are left out. */
export const shortVariable = 'SIMSIGHT_TEST_SHORT';

const listFile = join(import.meta.dirname, 'long-tests.json');

/** Files of unit tests by their paths in the project, those in the browser by those that Playwright has: below `test`. */
export const longTests = JSON.parse(readFileSync(listFile, 'utf8')) as { unit: LongTests; browser: LongTests };

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The tests as Playwright's `grepInvert` matches them: project, file, groups and name, tags. */
export const patternsOf = (tests: LongTests): RegExp[] =>
  Object.entries(tests).flatMap(([file, names]) => {
    const ofFile = `^\\S+ ${escaped(file)} `;
    return names === 'all'
      ? [new RegExp(ofFile)]
      : names.map((name) => new RegExp(`${ofFile}${escaped(name)}(?: @\\S+)*$`));
  });

/** How many there are at least. */
export const countOf = (tests: LongTests): number =>
  Object.values(tests).reduce((sum, names) => sum + (names === 'all' ? 1 : names.length), 0);

interface Timed {
  file: string;
  name: string;
  seconds: number;
}

const mostSeconds = { unit: 1.25, browser: 5, onlyOne: 10, rest: 20 };

/** Of all tests of a run, the long ones; `files`: how long whole files took. */
export function longOnes(tests: readonly Timed[], most: number, files: Record<string, number> = {}): LongTests {
  const long: LongTests = {};
  for (const [file, own] of Object.entries(Object.groupBy(tests, ({ file }) => file))) {
    const byTime = own!.toSorted((a, b) => a.seconds - b.seconds);
    const limit = Math.max(most, Math.min(byTime[0]!.seconds, mostSeconds.onlyOne));
    const longer = own!.filter(({ seconds }) => seconds > limit);
    const rest = (files[file] ?? 0) - longer.reduce((sum, { seconds }) => sum + seconds, 0);
    if (longer.length === own!.length || rest > mostSeconds.rest) long[file] = 'all';
    else if (longer.length > 0) long[file] = longer.map(({ name }) => name);
  }
  return Object.fromEntries(Object.entries(long).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Both lists in one. */
export function together(some: LongTests, more: LongTests): LongTests {
  const files = [...new Set([...Object.keys(some), ...Object.keys(more)])].sort();
  const names = (file: string): LongTests[string] => {
    const [one = [], other = []] = [some[file], more[file]];
    return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])];
  };
  return Object.fromEntries(files.map((file) => [file, names(file)]));
}

/** Without their long tests, files that still take long: whichever test is left makes what all share. `files`: how long they took. */
export const stillLong = (files: Record<string, number>): LongTests =>
  Object.fromEntries(
    Object.entries(files).flatMap(([file, seconds]) => (seconds > mostSeconds.rest ? [[file, 'all']] : [])),
  );

interface VitestReport {
  testResults: { name: string; assertionResults: { fullName: string; status: string; duration?: number | null }[] }[];
}
interface Suite {
  title: string;
  file: string;
  suites?: Suite[];
  specs?: { title: string; tests: { results: { duration: number }[] }[] }[];
}

function unitTests({ testResults }: VitestReport): Timed[] {
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'skipped')
      .map(({ fullName: name, duration }) => ({
        ...{ file: relative(root, file), name, seconds: (duration ?? 0) / 1000 },
      })),
  );
}

const runsWhole = (file: string): boolean => readFileSync(join(root, 'test', file), 'utf8').includes("mode: 'serial'");

function browserTests(suite: Suite, groups: readonly string[] = []): Timed[] {
  const inner = (suite.suites ?? []).flatMap((each) => browserTests(each, [...groups, each.title]));
  const own = (suite.specs ?? []).map(({ title, tests }) => ({
    file: suite.file,
    name: [...groups, title].join(' '),
    seconds: tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0) / 1000,
  }));
  return [...own, ...inner];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const adds = process.argv.includes('--add');
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const { suites } = read(reports.playwright) as { suites: Suite[] };
  const tests = {
    unit: unitTests(read(reports.vitest) as VitestReport),
    browser: suites.flatMap((suite) => browserTests(suite)).filter(({ file }) => !runsWhole(file)),
  };
  const files = { unit: read(fileTimes) as Record<string, number>, browser: {} };
  const longOf = (kind: 'unit' | 'browser'): LongTests =>
    adds
      ? together(together(longTests[kind], longOnes(tests[kind], 2 * mostSeconds[kind])), stillLong(files[kind]))
      : longOnes(tests[kind], mostSeconds[kind], files[kind]);
  const long = { unit: longOf('unit'), browser: longOf('browser') };
  const { format, resolveConfig } = await import('prettier');
  const options = { ...(await resolveConfig(listFile)), parser: 'json' };
  writeFileSync(listFile, await format(JSON.stringify(long), options));
  console.log(`Long: ${countOf(long.unit)} unit tests or files, ${countOf(long.browser)} in the browser.`);
}
