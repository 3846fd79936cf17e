/** Output about a recording that was cut short, or copied by half, says so: on stderr, and in JSON where there is a place. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTraceWriter, rowsPerCommit } from '../../engine/trace/writer.ts';
import { facts, kernel, temporaryFolder, write } from '../unit/trace/example-recording.ts';
import { simsightHere } from './simsight.ts';

const folder = temporaryFolder();
const home = join(folder, 'home');
const cut = 'The recording was cut short: what happened after the last event shown is not in this trace.';

/** As a recording that is killed leaves it: file and log, and the trace that it was to replace. */
const running = write(join(folder, 'running.simsight'));
const writer = createTraceWriter(running, facts);
writer.append(Array.from({ length: rowsPerCommit }, (_, i) => kernel(i, i + 1, i)));
for (const [from, to] of [
  ['', 'killed.simsight'],
  ['-wal', 'killed.simsight-wal'],
  ['.previous', 'killed.simsight.previous'],
  ['', 'copied.simsight'],
] as const)
  copyFileSync(running + from, join(folder, to));
writer.abandon();

const asked: [command: string, words: string[]][] = [
  ['stats', ['-r', 'cuda_gpu_kern_sum', '--json']],
  ['advise', ['--json']],
  ['sql', ['SELECT 1']],
  ['report', ['-o', join(folder, 'out.html')]],
  ['export', ['-o', join(folder, 'out.csv'), '--report', 'cuda_gpu_kern_sum']],
];

test.each(asked)('%s', async (command, words) => {
  const { code, stdout, stderr } = await simsightHere([command, 'killed.simsight', ...words], { cwd: folder, home });
  expect([code, stderr]).toEqual([
    0,
    `simsight: killed.simsight: ${cut}\nsimsight: killed.simsight: The trace that was to be replaced is kept beside this one: killed.simsight.previous.\n`,
  ]);
  expect(stdout).not.toContain('cut short');
  const whole = await simsightHere(
    [command, 'killed.simsight.previous', ...words.map((word) => word.replace('out.', 'whole.'))],
    { cwd: folder, home },
  );
  expect([whole.code, whole.stderr]).toEqual([0, '']);
});

test('export says it in its JSON', async () => {
  const words = ['killed.simsight', '-o', 'out.json', '--json'];
  const { stdout } = await simsightHere(['export', ...words], { cwd: folder, home });
  expect(JSON.parse(stdout)).toMatchObject({
    files: ['out.json'],
    notices: [cut, expect.stringContaining('.previous')],
  });
});

test('a trace that was copied without its log says what is missing; the log alone, where it belongs', async () => {
  const { code, stderr } = await simsightHere(['stats', 'copied.simsight'], { cwd: folder, home });
  expect(code).toBe(0);
  expect(stderr).toContain('Its log is missing: what was recorded is in copied.simsight-wal');
  const log = await simsightHere(['stats', 'killed.simsight-wal'], { cwd: folder, home });
  expect(log.code).toBe(1);
  expect(log.stderr).toContain('Open killed.simsight: what is in both is read together.');
});

test('a program writes nowhere near what Simsight keeps', async () => {
  writeFileSync(join(folder, 'app.cu'), 'int main() {}\n');
  mkdirSync(join(home, 'recordings'), { recursive: true });
  symlinkSync(home, join(folder, 'to-home'));
  symlinkSync(join(home, 'not-yet'), join(folder, 'to-not-yet'));
  for (const writable of [
    home,
    join(home, 'recordings'),
    join(home, 'new'),
    '.',
    '/',
    'to-home',
    'to-home/cache',
    'to-not-yet',
  ]) {
    const { code, stderr } = await simsightHere(['run', 'app.cu', '--writable', writable], { cwd: folder, home });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Simsight keeps its own files in')]);
  }
});
