/**
 * Disks that become full while something is written, at every stage of it: file systems of many sizes, and limits of file size. What was
 * there stays, what was committed is kept, the message says what is wrong, and nothing half made is left.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { cli } from '../setup/command-line.ts';
import { facts, kernel } from '../unit/trace/example-recording-events.ts';
import { difference, hashOf, simsight, stateOf, wrongEnd, type Outcome, type Place } from './command-line.ts';
import { opened, wrongAfterKill } from './kills.ts';
import { writeChrome, writeProgram, writeTrace } from './inputs.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

/** A file system of so many kilobytes at a folder; false where none can be mounted. */
const mounted = (at: string, kilobytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'none', at]).status === 0;
const unmounted = (at: string): void => void spawnSync('umount', [at]);

/** So many sizes, each larger than the one before by the same factor. */
const sizes = (count: number, least: number, most: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round(least * (most / least) ** (i / Math.max(1, count - 1))));

/** A command that fails for want of room says so. */
const wrongWords = (outcome: Outcome, words = /disk full/i): string | null =>
  wrongEnd(outcome, 'either') ??
  (outcome.code !== 0 && !words.test(outcome.stderr) ? `it says: ${outcome.stderr}` : null);

const halfMade = (at: string): string | null => {
  const names = readdirSync(at, { recursive: true }).map(String);
  const left = names.filter((name) => /\.(new|writing|part)(-\w+)?$/.test(name));
  return left.length > 0 ? `it left ${left.join(', ')}` : null;
};

/** Each on a disk of its own, of `kilobytes`. */
async function onDisk(
  options: AbuseOptions,
  name: string,
  kilobytes: number,
  work: (at: string) => Promise<string | null>,
): Promise<void> {
  const at = mkdtempSync(join(options.folder, 'disk-'));
  if (!mounted(at, kilobytes)) throw new Error('no file system can be mounted here');
  try {
    await attempt(options, `${name} on a disk of ${kilobytes} kB`, () => work(at));
  } finally {
    unmounted(at);
    rmSync(at, { recursive: true, force: true });
  }
}

interface Inputs {
  program: string;
  /** Complete, as the program's recording is. */
  whole: string;
  count: number;
  trace: string;
  chrome: string;
}

/** A recording where there may be a trace already: what is wrong after it. */
async function wrongRecording(
  at: string,
  earlier: string | null,
  inputs: Inputs,
  place: Place,
): Promise<string | null> {
  const path = join(at, 'out.simsight');
  const before = earlier === null ? null : hashOf(earlier);
  if (earlier !== null) copyFileSync(earlier, path);
  const was = stateOf(at);
  const outcome = await simsight(['record', inputs.program, '--force', '-o', path], place);
  const wrong =
    wrongWords(outcome, /disk full|exceed the file size limit|accepts no more/i) ??
    halfMade(at) ??
    (await wrongAfterKill(at, before, inputs.count));
  if (wrong !== null) return wrong;
  if (outcome.code === 0) return hashOf(path) === hashOf(inputs.whole) ? null : 'it is another trace';
  if (!outcome.stderr.includes('What was recorded until then')) return difference(was, stateOf(at));
  const left = await opened(path);
  if (left === null || left.events === 0) return 'nothing is kept of what it says is kept';
  return before === null || outcome.stderr.includes('.previous') ? null : 'it does not say where the earlier trace is';
}

async function recordings(options: AbuseOptions, inputs: Inputs, place: Place, count: number): Promise<void> {
  for (const size of sizes(count, 40, 6000)) {
    await onDisk(options, 'recording', size, (at) => wrongRecording(at, null, inputs, place));
    if (size < 1400) continue;
    await onDisk(options, 'recording over a trace', size, (at) => wrongRecording(at, inputs.whole, inputs, place));
  }
  for (const size of sizes(count, 500, 6000))
    await onDisk(options, 'recording over a small trace', size, (at) =>
      wrongRecording(at, inputs.trace, inputs, place),
    );
}

/** A file that is made of another one: it is whole, or what was there before. */
async function conversions(options: AbuseOptions, inputs: Inputs, place: Place, count: number): Promise<void> {
  const { whole, chrome } = inputs;
  const commands: [file: string, ...words: string[]][] = [
    ['out.json', 'export', whole, '--force'],
    ['out.json.gz', 'export', whole, '--force'],
    ['out.csv', 'export', whole, '--report', 'cuda_gpu_trace', '--force'],
    ['out.sqlite', 'export', whole, '--force'],
    ['nsys.sqlite', 'export', whole, '--only-nsys', '--force'],
    ['out.parquet', 'export', whole, '--table', 'StringIds', '--force'],
    ['all', 'export', whole, '--format', 'parquet'],
    ['out.html', 'report', whole, '--force'],
    ['out.md', 'report', whole, '--force'],
    ['cmp.html', 'compare', whole, whole, '--force'],
    ['out.simsight', 'import', chrome],
  ];
  for (const [file, ...words] of commands) {
    for (const size of sizes(Math.max(2, Math.round(count / 2)), 12, 1500)) {
      await onDisk(options, `${words[0]} ${file}`, size, async (at) => {
        if (words.includes('--force')) writeFileSync(join(at, file), 'kept');
        const was = stateOf(at);
        const outcome = await simsight([...words, '-o', join(at, file)], place);
        const wrong = wrongWords(outcome) ?? halfMade(at);
        if (wrong !== null || outcome.code === 0) return wrong;
        // Pictures are files of their own: those that were written before stay.
        return difference(
          was,
          stateOf(at).filter((line) => !line.includes('.svg ')),
        );
      });
    }
  }
}

/** A sweep on a disk that is made larger afterwards: it goes on. */
async function sweeps(options: AbuseOptions, inputs: Inputs, place: Place, count: number): Promise<void> {
  for (const size of sizes(Math.max(2, Math.round(count / 3)), 30, 4000)) {
    await onDisk(options, 'sweep', size, async (at) => {
      const words = ['sweep', inputs.program, '-D', 'N=1,2', '--jobs', '1', '-o', join(at, 'sweep')];
      const outcome = await simsight(words, { ...place, seconds: 120 });
      const wrong = wrongWords(outcome) ?? halfMade(at);
      if (wrong !== null || outcome.code === 0) return wrong;
      spawnSync('mount', ['-o', 'remount,size=64m', at]);
      const { code, stderr } = await simsight(words, { ...place, seconds: 120 });
      return code === 0 ? null : `with room it says: ${stderr}`;
    });
  }
}

/** Simsight's own folder, and that of temporary files. */
async function ownFolders(options: AbuseOptions, inputs: Inputs, place: Place, count: number): Promise<void> {
  const killed = join(options.folder, 'killed.simsight');
  const writer = createTraceWriter(`${killed}-running`, facts);
  writer.append(Array.from({ length: 40_000 }, (_, i) => kernel(i, i + 1, i)));
  for (const end of ['', '-wal']) copyFileSync(`${killed}-running${end}`, killed + end);
  writer.abandon();
  for (const size of sizes(Math.max(2, Math.round(count / 3)), 8, 3000)) {
    await onDisk(options, 'a recording whose cache is', size, async (home) => {
      const at = mkdtempSync(join(options.folder, 'out-'));
      const outcome = await simsight(['record', inputs.program, '--force', '-o', join(at, 'out.simsight')], {
        ...place,
        home,
        seconds: 180,
      });
      if (outcome.code !== 0) return `a full cache ended it: ${outcome.stderr}`;
      return halfMade(home) ?? halfMade(at);
    });
    await onDisk(options, 'stats of what is imported', size, async (home) => {
      const outcome = await simsight(['stats', inputs.chrome], { ...place, home });
      return wrongWords(outcome) ?? halfMade(home);
    });
    await onDisk(options, 'stats of a killed recording, with temporary files', size, async (at) => {
      const outcome = await simsight(['stats', killed], { ...place, environment: { TMPDIR: at } });
      return wrongWords(outcome) ?? (readdirSync(at).length > 0 ? `it left ${readdirSync(at).join(', ')}` : null);
    });
  }
}

/** `ulimit -f`, which needs no file system of its own. */
async function limits(options: AbuseOptions, inputs: Inputs, place: Place, count: number): Promise<void> {
  for (const size of sizes(count, 8, 2500)) {
    for (const earlier of [null, inputs.trace]) {
      const at = mkdtempSync(join(options.folder, 'limit-'));
      const name = `recording${earlier === null ? '' : ' over a trace'}, with files of at most ${size} kB`;
      await attempt(options, name, () => wrongRecording(at, earlier, inputs, { ...place, fileKilobytes: size }));
      rmSync(at, { recursive: true, force: true });
    }
  }
}

async function run(options: AbuseOptions): Promise<void> {
  const home = join(options.folder, 'home');
  mkdirSync(home);
  const place: Place = { cwd: options.folder, home, seconds: 60 };
  const program = writeProgram(join(options.folder, 'app.cu'), 12_000);
  const whole = join(options.folder, 'whole.simsight');
  const recorded = await simsight(['record', program, '--force', '-o', whole], { ...place, seconds: 300 });
  if (recorded.code !== 0) throw new Error(recorded.stderr);
  const inputs: Inputs = {
    ...{ program, whole, count: (await opened(whole))!.events },
    trace: writeTrace(join(options.folder, 'small.simsight')),
    chrome: writeChrome(join(options.folder, 'chrome.json'), 5000),
  };
  const count = options.count ?? 12;
  await limits(options, inputs, place, count);
  const at = mkdtempSync(join(options.folder, 'disk-'));
  if (!mounted(at, 100)) {
    console.log(
      'NOT TRIED: full disks, as no file system can be mounted here (run it as root). Limits of file size were.',
    );
    return;
  }
  unmounted(at);
  await recordings(options, inputs, place, count);
  await conversions(options, inputs, place, count);
  await sweeps(options, inputs, place, count);
  await ownFolders(options, inputs, place, count);
  if (existsSync('/dev/full')) {
    for (const command of ['gpus', 'stats', 'advise']) {
      await attempt(options, `${command}, whose output is on a full disk`, () => {
        const words = ['-c', `"$@" > /dev/full`, 'bash', process.execPath, cli];
        const { status, stderr } = spawnSync('bash', [...words, command, ...(command === 'gpus' ? [] : [whole])], {
          encoding: 'utf8',
          env: { ...process.env, SIMSIGHT_HOME: home },
        });
        return (
          wrongWords({ code: status, stderr, stdout: '', hung: false }) ?? (status === 0 ? 'it says nothing' : null)
        );
      });
    }
  }
}

export const disk: Section = {
  name: 'disk',
  title:
    'disks that become full at every stage: what was there and what was committed is kept, and the message says "disk full"',
  run,
};
