/** `simsight sweep` on a real program: the best, what survives being killed, and the jobs as schedulers run them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SweepView } from '../../engine/model/sweep.ts';
import { readManifest } from '../../engine/sweep/manifest.ts';
import { measure } from '../../engine/sweep/results.ts';
import { sweepCsv, sweepText } from '../../engine/sweep/text.ts';
import { readSweep } from '../../engine/sweep/view.ts';
import { Random } from '../fuzz/random.ts';
import { programFolder } from '../setup/kept.ts';
import { readJob } from '../unit/sweep/kubernetes.ts';
import { readBatchScript } from '../unit/sweep/slurm.ts';
import { cacheFolder, filesOf, logOf, writeProgram } from '../unit/sweep/sweep.ts';
import { temporaryFolder } from '../unit/trace/example-recording.ts';
import { cli, simsight, type Outcome } from './simsight.ts';

const folder = temporaryFolder();
const home = join(folder, 'home');
const environment = { ...process.env, SIMSIGHT_HOME: home };
const inFolder = (...words: string[]): Outcome => simsight(words, { cwd: folder, home });
const local = join(folder, 'local');
const axes = ['-D', 'WORK=1', '--set', 'BLOCK=32,256,2048'];
/** Always the same, so that the compiler's results are found again. */
const source = join(programFolder('sweep'), 'app.cu');

beforeAll(() => {
  mkdirSync(home);
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, join(home, 'cache'), 'junction');
  mkdirSync(dirname(source), { recursive: true });
  writeProgram(dirname(source));
});

async function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, stderr };
}

/** The first compiles for all, the others run side by side; the last is a job that fails, which is a result. */
async function inTurns([first, ...others]: number[], start: (index: number) => ChildProcess): Promise<void> {
  const check = async (index: number): Promise<void> => {
    const failed =
      /^simsight: job 2 failed, and its result records that: The launch of work.* failed with cudaErrorInvalid.*\n$/;
    expect(await ended(start(index))).toEqual({ code: 0, stderr: expect.stringMatching(index === 2 ? failed : /^$/) });
  };
  await check(first!);
  await Promise.all(others.map(check));
}

test('two axes: the best, and a row for what cannot be launched', () => {
  const asked = ['sweep', source, '-D', 'WORK=1,64', '--set', 'BLOCK=32,256,2048', '-o', 'local', '-f', 'json'];
  const { code, stdout, stderr } = inFolder(...asked, '--', '{BLOCK}');
  expect({ code, stderr }).toEqual({ code: 0, stderr: `simsight: the sweep is in ${local}\n` });
  const view = JSON.parse(stdout) as SweepView;
  expect(view).toMatchObject({ done: 4, failed: 2, missing: 0, kernels: ['work'] });
  const [best] = view.rows;
  expect(best).toMatchObject({ point: ['a100-80gb', '1', '256'], ratio: 1, kernel: 'work', occupancy: 100 });
  const times = view.rows.flatMap(({ ns }) => (ns === null ? [] : [ns]));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(view.rows.slice(4).map(({ point, status, error }) => [point[2], status, error])).toEqual(
    Array.from({ length: 2 }, () => ['2048', 'failed', expect.stringContaining('cudaErrorInvalidConfiguration')]),
  );

  // It is what a recording says.
  const alone = join(folder, 'alone.simsight');
  expect(inFolder('record', source, '-DWORK=1', '--detail', 'counters', '-o', alone, '--', '256').code).toBe(0);
  expect(measure(alone).kernelNs).toBe(best!.ns);

  const table = sweepText(readSweep(local));
  expect(table).toMatch(/^ \*+ +1 +256 +.* µs +1\.00x +16 +100 %/m);
  expect(table).toMatch(/^ WORK \\ BLOCK +32 +256 +2048 *$/m);
  expect(table).toMatch(/^ +1 .*\*[\d.]+ µs +failed$/m);
  const csv = sweepCsv(readSweep(local, 'work')).split('\n');
  expect(csv[0]).toBe(
    'GPU,WORK,BLOCK,Time (ns),To best,Duration (ns),GPU busy (ns),Kernels (ns),Registers,Occupancy (%),Status,Error,Id',
  );
  expect(csv[1]).toMatch(/^a100-80gb,1,256,\d+,1,/);
  expect(inFolder('sweep', '--show', 'local', '--metric', 'none')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/No job has a kernel called none\.\nThere are work; and kernels, duration, gpu\./),
  });
});

test('killed at random moments, it loses no job and does none twice', async () => {
  const random = new Random('kills');
  const killed = join(folder, 'killed');
  const words = [source, '-D', 'WORK=1', '--set', 'BLOCK=32,64,96,128,160,192,256,2048', '--jobs', '2'];
  const start = (...more: string[]): ChildProcess =>
    spawn(process.execPath, [cli, 'sweep', ...more], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const sweep = () => start(...words, '-o', killed, '--', '{BLOCK}');
  const doneIn = (where: string): number => logOf(where).filter(({ event }) => event !== 'start').length;
  const kept = new Map<string, Buffer>();
  let interrupted = 0;
  for (const signal of ['SIGKILL', 'SIGKILL', 'SIGINT', 'SIGKILL'] as const) {
    const [done, known] = [doneIn(killed), new Set(logOf(killed).map(({ pid }) => pid))];
    const child = interrupted === 1 ? start('--resume', killed) : sweep();
    const end = ended(child);
    const until = done + random.below(2);
    // In the middle of a job, so that there is one to do again, however fast the machine is.
    const isAtWork = (): boolean => {
      const own = logOf(killed).filter(({ pid }) => !known.has(pid));
      const ended = new Set(own.filter(({ event }) => event !== 'start').map(({ id }) => id));
      return doneIn(killed) >= until && own.some(({ event, id }) => event === 'start' && !ended.has(id));
    };
    while (child.exitCode === null && !isAtWork()) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, random.below(50)));
    child.kill(signal);
    const { code, stderr } = await end;
    if (signal === 'SIGINT' && code !== 0) {
      expect(code).toBe(130);
      expect(stderr).toMatch(/interrupted: \d of 8 jobs are done\.\nResume with: simsight sweep --resume \S+killed\n$/);
      // Nothing half-written stays of its own processes; those of a sweep that was killed may still be ending.
      const parts = readdirSync(join(killed, 'jobs')).filter((name) => name.includes('.part'));
      expect(parts.filter((name) => !known.has(Number(/\.(\d+)@/.exec(name)?.[1])))).toEqual([]);
    }
    if (code !== 0) interrupted++;
    // Finished jobs stay as they are, to the byte.
    const now = filesOf(killed);
    for (const [name, bytes] of kept) expect(now.get(name)?.equals(bytes), name).toBe(true);
    for (const { id } of readManifest(killed).jobs)
      if (now.has(`${id}.json`))
        for (const end of ['json', 'simsight']) kept.set(`${id}.${end}`, now.get(`${id}.${end}`)!);
  }
  expect(interrupted).toBeGreaterThan(1);
  expect(await ended(sweep())).toMatchObject({ code: 0 });

  const log = logOf(killed);
  const ids = readManifest(killed).jobs.map(({ id }) => id);
  for (const id of ids) {
    const own = log.filter((entry) => entry.id === id).map(({ event }) => event === 'start');
    // Started as often as it was interrupted and once more; ended once, and never started after that.
    expect(
      own.filter((isStart) => !isStart),
      id,
    ).toHaveLength(1);
    expect(own.at(-1), id).toBe(false);
  }
  expect(log.filter(({ event }) => event === 'start').length).toBeGreaterThan(ids.length);
  expect(readSweep(killed)).toMatchObject({ done: 7, failed: 1, missing: 0 });
  expect(readdirSync(killed).sort()).toEqual(['jobs', 'log.jsonl', 'sweep.json']);

  // The results are those of a sweep that nobody interrupted.
  const whole = join(folder, 'whole');
  expect(inFolder('sweep', ...words, '-o', whole, '--', '{BLOCK}').code).toBe(0);
  expect([...filesOf(whole)].map(([name, bytes]) => [name, bytes.equals(filesOf(killed).get(name)!)])).toEqual(
    [...filesOf(killed).keys()].map((name) => [name, true]),
  );
});

test('the jobs as Slurm and Kubernetes would run them have the results of the local sweep', async () => {
  const emitted = (target: string): string => {
    const to = join(folder, target);
    const words = ['sweep', source, ...axes, '--emit', target, '--emit-to', to, '--jobs', '2', '--', '{BLOCK}'];
    const { code, stdout } = inFolder(...words);
    expect(code).toBe(0);
    expect(stdout).toBe(`${join(to, target === 'slurm' ? 'sweep.sbatch' : 'job.yaml')}\n${join(to, 'jobs.jsonl')}\n`);
    return to;
  };
  // They are on PATH as on a node, or in an image.
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'simsight'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(join(bin, 'simsight'), 0o755);
  const env = { ...environment, PATH: `${bin}${delimiter}${process.env['PATH']}` };

  const slurm = emitted('slurm');
  const script = join(slurm, 'sweep.sbatch');
  const { indexes, atOnce } = readBatchScript(readFileSync(script, 'utf8'));
  expect({ indexes, atOnce }).toEqual({ indexes: [0, 1, 2], atOnce: 2 });
  await inTurns(indexes, (index) =>
    spawn('bash', [script], {
      cwd: slurm,
      env: { ...env, SLURM_ARRAY_TASK_ID: String(index), SLURM_SUBMIT_DIR: slurm },
    }),
  );

  const kubernetes = emitted('kubernetes');
  const { spec } = readJob(readFileSync(join(kubernetes, 'job.yaml'), 'utf8'));
  const [{ command, args, env: variables }] = spec.template.spec.containers as [
    (typeof spec.template.spec.containers)[number],
  ];
  const inPod = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  expect(Object.keys(inPod)).toEqual(['SWEEP_FOLDER', 'SIMSIGHT_HOME']);
  const completions = Array.from({ length: spec.completions }, (_, i) => i);
  await inTurns(completions, (index) => {
    // The volume, the home and the number are what differs outside of a pod.
    const own = { SWEEP_FOLDER: kubernetes, SIMSIGHT_HOME: home, JOB_COMPLETION_INDEX: String(index) };
    return spawn(command[0]!, [...command.slice(1), ...args], { cwd: '/', env: { ...env, ...inPod, ...own } });
  });

  for (const each of [slurm, kubernetes]) {
    const collected = join(folder, `${each}-collected`);
    const { code, stdout, stderr } = inFolder('sweep', '--collect', each, '-o', collected, '-f', 'json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `simsight: 3 of 3 results were copied to ${collected}\n` });
    const view = JSON.parse(stdout) as SweepView;
    expect(view).toMatchObject({ done: 2, failed: 1, missing: 0 });
    expect(view.rows[0]).toMatchObject({ point: ['a100-80gb', '1', '256'], ratio: 1 });
    const expected = filesOf(local);
    const files = filesOf(collected);
    expect(files.size).toBe(6);
    for (const [name, bytes] of files) expect(bytes.equals(expected.get(name)!), `${each}: ${name}`).toBe(true);
  }
  // A task that is submitted again finds its work done.
  const before = logOf(slurm).length;
  expect(inFolder('sweep', '--run-job', '1', slurm)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(logOf(slurm)).toHaveLength(before);
  expect(existsSync(join(slurm, 'program', 'work.h'))).toBe(true);
});
