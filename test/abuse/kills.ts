/**
 * Recordings, imports, exports and sweeps that are killed (SIGKILL) at random moments: what was there before is there afterwards, or the
 * new one is, whole; what is left of a recording opens and says that it is a part; and the next one leaves nothing else behind.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRecording } from '../../engine/formats/open.ts';
import { difference, hashOf, kill, simsight, start, stateOf, type Place } from './command-line.ts';
import { writeChrome, writeProgram, writeTrace } from './inputs.ts';
import { Random } from '../fuzz/random.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

/** Kills, if no other number is asked for: of recordings, and of each of the others. */
const usual = { recordings: 60, others: 10 };
/** The launches of the recorded program: enough for some commits, few enough for a few seconds. */
const launches = 12_000;

/** Runs a command and kills it some part of its usual time after its start; gives how far it had come. */
async function killed(words: string[], place: Place, part: number, usualMs: number): Promise<'killed' | 'ended'> {
  const child = start(words, place);
  for (const name of ['stdout', 'stderr'] as const) child[name]!.resume();
  const ended = once(child, 'close');
  const outcome = await Promise.race([ended.then(() => 'ended' as const), sleep(part * usualMs, 'killed' as const)]);
  kill(child);
  await ended;
  return outcome;
}

/** The files that a killed recording may leave: the trace with its log, the one before it, and what was being made. */
const explained = (name: string): RegExp =>
  new RegExp(
    `^${name}(\\.previous)?(-wal|-shm|-journal)?$|^${name}\\.\\d+-[0-9a-f]{6}-[0-9a-f]{6}\\.new(-wal|-shm|-journal)?$`,
  );

interface Opened {
  complete: boolean;
  events: number;
  notices: string[];
}

export async function opened(path: string): Promise<Opened | null> {
  if (!existsSync(path)) return null;
  const trace = await openRecording(path, { here: true });
  try {
    const { complete, eventCount: events, notices } = trace.info;
    const [[answer]] = trace.query('PRAGMA integrity_check') as [[string]];
    if (answer !== 'ok') throw new Error(`${path}: ${answer}`);
    return { complete, events, notices };
  } finally {
    trace.close();
  }
}

/** The faults of a trace whose replacement was killed, or that was the first of its name. */
export async function wrongAfterKill(at: string, before: string | null, whole: number): Promise<string | null> {
  const path = join(at, 'out.simsight');
  const odd = readdirSync(at).filter((name) => !explained('out.simsight').test(name));
  if (odd.length > 0) return `it left ${odd.join(', ')}`;
  const now = await opened(path);
  if (now !== null && !now.complete && !now.notices.some((text) => text.includes('cut short')))
    return 'a part does not say that it is one';
  if (now?.complete && before !== hashOf(path) && now.events !== whole && !existsSync(`${path}-wal`))
    return `it says that it is complete, and has ${now.events} of ${whole} events`;
  if (before === null) return null;
  if (now === null) return 'there is no trace any more';
  const isNew = now.complete && now.events === whole;
  const kept = [path, `${path}.previous`].filter((each) => existsSync(each) && hashOf(each) === before);
  // One that was killed when all of it was there, but for being packed, is kept in place of the one before it.
  const earlier = await opened(`${path}.previous`);
  const isWholeKept = earlier !== null && earlier.complete && earlier.events === whole;
  if (kept.length === 0 && !isNew && !isWholeKept) return 'the trace that was there before is lost';
  if (kept.length > 0 && kept[0] !== path && !now.notices.some((text) => text.includes('.previous')))
    return 'nothing says where the trace is that was there before';
  return null;
}

async function recordings(options: AbuseOptions, place: Place): Promise<void> {
  const program = writeProgram(join(options.folder, 'app.cu'), launches);
  const words = (at: string): string[] => ['record', program, '--force', '-o', join(at, 'out.simsight')];
  const { at: first, ms } = await reference(options, words, place);
  const { events: whole } = (await opened(join(first, 'out.simsight')))!;
  const random = new Random(options.seed);
  const count = options.count ?? usual.recordings;
  let [parts, wholes, nothing] = [0, 0, 0];
  for (let turn = 0; turn < count; turn++) {
    const at = mkdtempSync(join(options.folder, 'kill-'));
    const path = join(at, 'out.simsight');
    // None before; a small one; the same one; one that was killed itself.
    const kind = turn % 4;
    if (kind === 1) writeTrace(path);
    if (kind >= 2) copyFileSync(join(first, 'out.simsight'), path);
    let before = existsSync(path) ? hashOf(path) : null;
    // In the first third the program is not running yet.
    const part = 0.3 + 0.75 * random.part();
    await attempt(options, `recording ${turn}, killed at ${Math.round(100 * part)} % of its time`, async () => {
      if (kind === 3) {
        await killed(words(at), place, 0.3 + 0.7 * random.part(), ms);
        const wrong = await wrongAfterKill(at, before, whole);
        if (wrong !== null) return wrong;
        // The new one may have come to its end.
        if (!existsSync(`${path}.previous`)) before = hashOf(path);
      }
      await killed(words(at), place, part, ms);
      const wrong = await wrongAfterKill(at, before, whole);
      if (wrong !== null) return `${wrong}; there is ${readdirSync(at).join(', ')}`;
      const left = await opened(path);
      if (left === null) nothing++;
      else if (left.complete) wholes++;
      else parts++;
      // The next one cleans up.
      writeTrace(path);
      const names = readdirSync(at);
      return names.length === 1 ? null : `the next recording left ${names.join(', ')}`;
    });
    rmSync(at, { recursive: true, force: true });
  }
  console.log(
    `  of ${count} recordings that were killed ${parts} left a part, ${wholes} a whole trace, ${nothing} none`,
  );
}

/** The finished files that are there. */
const finished = (at: string): string[] =>
  stateOf(at).filter((line) => !/^\S+\.\d+-[0-9a-f]{6}-[0-9a-f]{6}\.new/.test(line));

/** How long a command takes, and what it writes. */
async function reference(
  options: AbuseOptions,
  words: (at: string) => string[],
  place: Place,
): Promise<{ at: string; ms: number; state: string[] }> {
  let ms = 0;
  let at = '';
  // The first fills caches.
  for (let turn = 0; turn < 2; turn++) {
    at = mkdtempSync(join(options.folder, 'whole-'));
    const from = performance.now();
    const { code, stderr } = await simsight(words(at), { ...place, seconds: 300 });
    ms = performance.now() - from;
    if (code !== 0) throw new Error(`${words(at).join(' ')}: ${stderr}`);
  }
  return { at, ms, state: stateOf(at) };
}

/** Exports, reports and imports: afterwards their file is as before, or whole. */
async function files(options: AbuseOptions, place: Place): Promise<void> {
  const trace = writeTrace(join(options.folder, 'large.simsight'), 60_000);
  const chrome = writeChrome(join(options.folder, 'chrome.json'), 150_000);
  const random = new Random(options.seed, 'files');
  const commands: [file: string, ...words: string[]][] = [
    ['out.json', 'export', trace, '--force'],
    ['out.sqlite', 'export', trace, '--force'],
    ['nsys.sqlite', 'export', trace, '--only-nsys', '--force'],
    ['all', 'export', trace, '--format', 'parquet'],
    ['out.html', 'report', trace, '--force'],
    ['out.simsight', 'import', chrome],
  ];
  for (const [file, ...command] of commands) {
    const words = (at: string): string[] => [...command, '-o', join(at, file)];
    const { ms, state } = await reference(options, words, place);
    for (let turn = 0; turn < Math.min(options.count ?? usual.others, usual.others); turn++) {
      const at = mkdtempSync(join(options.folder, 'kill-'));
      if (command.includes('--force') && turn % 2 === 0) writeFileSync(join(at, file), 'kept');
      const part = 0.2 + 0.9 * random.part();
      await attempt(options, `${command[0]} ${file}, killed at ${Math.round(100 * part)} % of its time`, async () => {
        const was = stateOf(at);
        await killed(words(at), place, part, ms);
        const wrong = difference(was, finished(at)) && difference(state, finished(at));
        if (wrong !== null) return wrong;
        const isThere = existsSync(join(at, file)) && !command.includes('--force');
        if (isThere) return null;
        const { code, stderr } = await simsight(words(at), { ...place, seconds: 300 });
        return code === 0 ? difference(state, stateOf(at)) : `the next one: ${stderr}`;
      });
      rmSync(at, { recursive: true, force: true });
    }
  }
}

/** A killed sweep continues to the same results, and nothing else is there in the end. */
async function sweeps(options: AbuseOptions, place: Place): Promise<void> {
  const program = writeProgram(join(options.folder, 'swept.cu'), 2000);
  const words = (at: string): string[] => ['sweep', program, '-D', 'N=1,2,3', '--jobs', '2', '-o', join(at, 'sweep')];
  const withoutLog = (state: readonly string[]): string[] => state.filter((line) => !line.includes('log.jsonl'));
  const { ms, state } = await reference(options, words, place);
  const random = new Random(options.seed, 'sweeps');
  for (let turn = 0; turn < Math.min(options.count ?? usual.others, usual.others); turn++) {
    const at = mkdtempSync(join(options.folder, 'whole-'));
    const part = 0.1 + 0.9 * random.part();
    await attempt(options, `sweep, killed at ${Math.round(100 * part)} % of its time`, async () => {
      await killed(words(at), place, part, ms);
      const { code, stderr } = await simsight(words(at), { ...place, seconds: 300 });
      return code === 0 ? difference(withoutLog(state), withoutLog(stateOf(at))) : `going on: ${stderr}`;
    });
    rmSync(at, { recursive: true, force: true });
  }
}

async function run(options: AbuseOptions): Promise<void> {
  const home = join(options.folder, 'home');
  mkdirSync(home);
  const place = { cwd: options.folder, home };
  await recordings(options, place);
  await files(options, place);
  await sweeps(options, place);
}

export const kills: Section = {
  name: 'kills',
  title:
    'recordings, exports, imports and sweeps killed at random moments: nothing that was there is lost, nothing is half there',
  run,
};
