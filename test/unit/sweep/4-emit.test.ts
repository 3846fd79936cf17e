/** Files for schedulers, checked against what they accept, and the collection of results afterwards. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectSweep } from '../../../engine/sweep/collect.ts';
import { emitSweep, mostTasks, nameOf, type EmitOptions } from '../../../engine/sweep/emit.ts';
import { runJob } from '../../../engine/sweep/job.ts';
import { makeManifest, readManifest } from '../../../engine/sweep/manifest.ts';
import { resultPath, tracePath } from '../../../engine/sweep/results.ts';
import { readSweep } from '../../../engine/sweep/view.ts';
import { temporaryFolder, write } from '../trace/example-recording.ts';
import { readJob } from './kubernetes.ts';
import { readBatchScript } from './slurm.ts';
import { filesOf, recordingOf, request, writeProgram } from './sweep.ts';

const home = temporaryFolder();
const source = writeProgram(home);
const trace = write(join(home, 'trace.simsight'));
const options: EmitOptions = {
  target: 'slurm',
  parallel: 3,
  command: 'simsight',
  image: 'registry.example/simsight:1',
  volumeClaim: 'sweeps',
  volumePath: 'team/sweep 1',
};
const runIn = async (folder: string, indexes: number[], into?: string): Promise<void> => {
  const parts = { record: recordingOf(trace), cacheFolder: home };
  for (const index of indexes) await runJob(folder, readManifest(folder), index, parts, into);
};

test('Slurm: an array as sbatch reads it, in the grammar of bash', () => {
  const folder = join(home, 'slurm');
  const [script, list] = emitSweep(folder, request(source), options) as [string, string];
  const read = readBatchScript(readFileSync(script, 'utf8'));
  expect(read).toMatchObject({ indexes: [0, 1, 2, 3], atOnce: 3 });
  expect(read.options.get('job-name')).toBe(nameOf(readManifest(folder)));
  expect(existsSync(join(folder, 'logs'))).toBe(true);
  expect(spawnSync('bash', ['-n', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  const jobs = readFileSync(list, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(jobs).toHaveLength(4);
  expect(jobs[3]).toEqual({
    index: 3,
    id: readManifest(folder).jobs[3]!.id,
    parameters: { GPU: 'a100-80gb', WORK: '64', BLOCK: '256' },
    label: 'WORK=64, BLOCK=256',
    arguments: ['sweep', '--run-job', '3', '.'],
  });
  // The checker itself can fail.
  for (const wrong of ['#SBATCH --array=0-1001', '#SBATCH --arrays=0-1', '#SBATCH --array=a-b', '#SBATCH --array 0-1'])
    expect(() => readBatchScript(`#!/bin/bash\n${wrong}\n`)).toThrow();
  expect(() => readBatchScript('#!/bin/bash\nls\n#SBATCH --array=0-1\n')).toThrow(/comes before/);
});

test('Slurm: more jobs than an array may have tasks, each still once', () => {
  const values = Array.from({ length: 50 }, (_, i) => String(i));
  const folder = join(home, 'many');
  const [script] = emitSweep(folder, request(source, { axes: axesWith(values) }), options) as [string];
  const { indexes } = readBatchScript(readFileSync(script, 'utf8'));
  expect(indexes).toHaveLength(mostTasks);
  const fake = join(home, 'say');
  writeFileSync(fake, '#!/bin/sh\necho "$3" >> "$OUT"\n', { mode: 0o755 });
  const out = join(home, 'numbers');
  for (const task of [0, 499, 500, 999]) {
    const env = { ...process.env, SIMSIGHT: fake, OUT: out, SLURM_ARRAY_TASK_ID: String(task) };
    expect(spawnSync('bash', [script], { env, cwd: folder }).status).toBe(0);
  }
  const done = readFileSync(out, 'utf8').trim().split('\n').map(Number);
  expect(done).toEqual([0, 1000, 2000, 499, 1499, 2499, 500, 1500, 999, 1999]);
});

const axesWith = (values: string[]) => [
  { kind: 'gpu' as const, name: 'GPU', values: ['a100'] },
  { kind: 'argument' as const, name: 'BLOCK', values },
  { kind: 'define' as const, name: 'WORK', values },
];

test('Kubernetes: an indexed job by the schema of batch/v1, and no fields beside it', () => {
  const folder = join(home, 'kubernetes');
  const [path] = emitSweep(folder, request(source), { ...options, target: 'kubernetes' }) as [string];
  const text = readFileSync(path, 'utf8');
  const { spec } = readJob(text);
  expect(spec).toMatchObject({
    completionMode: 'Indexed',
    completions: 4,
    parallelism: 3,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ image: 'registry.example/simsight:1', volumeMounts: [{ subPath: 'team/sweep 1' }] }],
        volumes: [{ persistentVolumeClaim: { claimName: 'sweeps' } }],
      },
    },
  });
  // The checker itself can fail.
  const wrong: [string, string, RegExp][] = [
    ['completions: 4', 'completions: "4"', /must be integer/],
    ['completions: 4', 'completion: 4', /unknown field "spec.completion"/],
    ['          image:', '          picture:', /unknown field "spec.template.spec.containers.0.picture"/],
    ['claimName:', 'claim:', /must have required property claimName/],
    ['Indexed', 'Numbered', /must be equal to one of|must match/],
    ['name: "simsight', 'name: "-simsight', /No name/],
  ];
  for (const [good, bad, message] of wrong) expect(() => readJob(text.replace(good, bad))).toThrow(message);
});

test('the program goes along as its files lie to each other, and the jobs are those of the original', () => {
  const project = join(home, 'project');
  for (const folder of ['src', 'common', 'include/deep', 'src/data'])
    mkdirSync(join(project, folder), { recursive: true });
  const main = join(project, 'src', 'main.cu');
  writeFileSync(main, '#include "../common/a.h"\n#include <deep/b.h>\nint main() {}\n');
  writeFileSync(join(project, 'common', 'a.h'), '');
  writeFileSync(join(project, 'include', 'deep', 'b.h'), '');
  writeFileSync(join(project, 'src', 'data', 'input.bin'), '1');
  const asked = request(main, {
    includeFolders: [join(project, 'include')],
    data: [join(project, 'src', 'data')],
    arguments: ['{BLOCK}'],
  });
  const folder = join(home, 'project-sweep');
  emitSweep(folder, asked, options);
  const manifest = readManifest(folder);
  expect(manifest.files.map(({ role, path }) => [role, path])).toEqual([
    ['source', 'program/src/main.cu'],
    ['header', 'program/common/a.h'],
    ['header', 'program/include/deep/b.h'],
    ['data', 'program/src/data/input.bin'],
  ]);
  expect(manifest.options.includeFolders).toEqual(['program/include']);
  expect(manifest.jobs).toEqual(makeManifest(home, asked).jobs);
  for (const { path } of manifest.files) expect(existsSync(join(folder, path))).toBe(true);
  expect(() => emitSweep(project, asked, options)).toThrow(/is not empty/);
  expect(() => emitSweep(join(home, 'x'), asked, { ...options, command: '$(rm)' })).toThrow(/contains a \$/);
});

test('collected from several folders: what is missing or damaged is told, what is of another sweep is refused', async () => {
  const [a, b, merged] = ['a', 'b', 'merged'].map((name) => join(home, name)) as [string, string, string];
  for (const folder of [a, b]) emitSweep(folder, request(source), options);
  await runIn(a, [0, 2]);
  await runIn(b, [1, 2]);
  truncateSync(tracePath(b, readManifest(b).jobs[1]!.id), 8192);
  expect(collectSweep(merged, [a, b])).toMatchObject({ collected: 2, damaged: [1], missing: [3] });
  await runIn(a, [1]);
  expect(collectSweep(merged, [a, b])).toMatchObject({ collected: 1, damaged: [], missing: [3] });
  expect(collectSweep(merged, [a, b])).toMatchObject({ collected: 0, missing: [3] });
  expect(readSweep(merged)).toMatchObject({ done: 3, missing: 1 });
  for (const [name, bytes] of filesOf(merged)) expect(bytes.equals(filesOf(a).get(name)!)).toBe(true);
  expect(collectSweep(a, [a])).toMatchObject({ collected: 0, damaged: [], missing: [3] });

  // One that was cut on the way, of the same length.
  const cut = join(home, 'cut');
  cpSync(a, cut, { recursive: true });
  const { id } = readManifest(cut).jobs[0]!;
  const bytes = readFileSync(tracePath(cut, id));
  writeFileSync(tracePath(cut, id), bytes.fill(0, bytes.length / 2));
  expect(collectSweep(join(home, 'merged-2'), [cut])).toMatchObject({ collected: 2, damaged: [0], missing: [3] });

  const other = join(home, 'other');
  emitSweep(other, request(source, { detail: 'full' }), options);
  await runIn(other, [0]);
  expect(() => collectSweep(merged, [a, other])).toThrow(
    /do not belong to the sweep in .*: its options differ in detail\./,
  );
  expect(() => collectSweep(merged, [other])).toThrow(/its options differ in detail/);
  const strange = readManifest(other).jobs[0]!.id;
  cpSync(resultPath(other, strange), resultPath(b, strange));
  expect(() => collectSweep(merged, [b])).toThrow(
    /is not a result of the sweep in .*: its sources or options differ\./,
  );
  rmSync(resultPath(b, strange));

  const changed = join(home, 'changed');
  cpSync(join(home, 'work.h'), join(home, 'work.h.bak'));
  appendFileSync(join(home, 'work.h'), '// changed\n');
  emitSweep(changed, request(source), options);
  cpSync(join(home, 'work.h.bak'), join(home, 'work.h'));
  expect(() => collectSweep(merged, [changed])).toThrow(/work\.h differs/);
});

test('a job in another folder, which can be collected', async () => {
  const [folder, out] = [join(home, 'far'), join(home, 'near')];
  emitSweep(folder, request(source), options);
  await runIn(folder, [2], out);
  expect(filesOf(folder).size).toBe(0);
  expect(filesOf(out).size).toBe(2);
});
