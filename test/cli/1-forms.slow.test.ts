/** The forms that scripts rely on: commands, options, exit codes, and what goes to stdout. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Comparison } from '../../engine/model/comparison.ts';
import { version } from '../../engine/base/version.ts';
import { api, kernel, temporaryFolder, write } from '../unit/trace/example-recording.ts';
import { cli, simsight, simsightHere } from './simsight.ts';

const folder = temporaryFolder();
const trace = write(join(folder, 'trace.simsight'));

test('help and version', async () => {
  const help = await simsightHere(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const name of [
    'record',
    'run',
    'what-if',
    'sweep',
    'open',
    'serve',
    'stats',
    'sql',
    'compare',
    'roi',
    'report',
    'advise',
    'export',
    'gpus',
    'lab',
    'bench',
    'nvcc',
    'cc',
    'import',
    'completion',
  ]) {
    expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    const own = await simsightHere([name, '--help']);
    expect(own).toMatchObject({ code: 0, stderr: '' });
    expect(own.stdout).toContain(`usage: simsight ${name}`);
  }
  expect(await simsightHere(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test('exit code and streams are those of the process', () => {
  expect(simsight(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(simsight(['paint'])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^simsight: unknown command "paint"/) as string,
  });
  expect(simsight(['stats', 'none.simsight'], { cwd: folder })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^simsight: There is no file .*none\.simsight\.\nCheck/) as string,
  });
});

describe('a wrong command line: exit code 2, one message, nothing on stdout', () => {
  test.each([
    [[], /no command given/],
    [['paint'], /unknown command "paint"/],
    [['nvcc'], /no input files/],
    [['nvcc', '-cubin'], /no input files/],
    [['nvcc', '-cubin', '-fatbin', 'kernels.cu'], /only one of -ptx, -cubin and -fatbin/],
    [['nvcc', '-no-such', 'kernels.cu'], /unknown option -no-such/],
    [['stats'], /no trace given/],
    [['stats', trace, trace], /only one trace is allowed/],
    [['stats', trace, '--colour', 'red'], /Unknown option '--colour'/],
    [['stats', trace, '--format', 'xml'], /--format cannot be "xml"/],
    [['advise'], /no trace given/],
    [['advise', trace, trace], /only one trace is allowed/],
    [['advise', trace, '--format', 'csv'], /--format cannot be "csv"/],
    [['stats', trace, '--report', 'cuda_sum'], /no report "cuda_sum"/],
    [['stats', trace, '--format', 'csv'], /prints one report/],
    [['stats', trace, '--warm-up', '3'], /--warm-up applies to simsight_benchmark only/],
    [['stats', trace, '-r', 'simsight_benchmark', '--warm-up', '-1'], /--warm-up|argument/],
    [['roi'], /no candidate given/],
    [['roi', 'before=10ms'], /is not NAME: KEY=VALUE/],
    [['roi', 'A: before=10 speedup=2 runs=1 days=1'], /before "10" is not a time/],
    [['roi', 'A: before=10ms speedup=2 after=5ms runs=1 days=1'], /after and speedup cannot be used together/],
    [['roi', 'A: before=10ms speedup=2 runs=1'], /days is missing/],
    [['roi', 'A: before=10ms speedup=2 runs=1 days=0'], /days "0" is not a positive number/],
    [['roi', 'A: speed=2'], /"speed=2" is not one of before/],
    [['report'], /no trace given/],
    [['report', trace, trace], /only one trace is allowed/],
    [['report', trace, '-o', 'x.pdf'], /has no known extension/],
    [['compare', trace], /two traces are required/],
    [['compare', trace, trace, '--fail-over', 'a lot'], /--fail-over a lot is not a percentage above 0/],
    [['compare', trace, trace, '--pair', 'saxpy'], /--pair saxpy is not a pair of names/],
    [['compare', trace, trace, '--align', 'moon'], /--align moon is not an alignment/],
    [
      ['compare', trace, trace, '--align', 'steps', '--range', 'a'],
      /only one alignment is allowed, not steps and range=a/,
    ],
    [['compare', trace, trace, '-o', 'x.pdf'], /x\.pdf has no known extension/],
    [['compare', trace, trace, trace, '-f', 'html'], /html takes two traces/],
    [['sql'], /no trace given/],
    [['sql', trace], /no statement given/],
    [['sql', trace, 'SELECT', '1'], /only one statement is allowed/],
    [['sql', trace, 'SELECT 1', '--limit', 'all'], /not a number of rows/],
    [['sql', trace, 'SELECT 1', '--max-seconds', '0'], /not a positive number/],
    [['sql', trace, 'SELECT 1', '--format', 'xml'], /--format cannot be "xml"/],
    [['export', trace], /no output given/],
    [['export', trace, '-o', 'x.pdf'], /has no known extension/],
    [['export', trace, '-o', 'x.csv'], /Name it with --report or --table/],
    [['export', trace, '-o', 'x.json', '-r', 'cuda_gpu_sum'], /holds the whole trace/],
    [['export', trace, '-o', 'x.json', '--only-nsys'], /--only-nsys applies to all tables/],
    [['export', trace, '-o', join(folder, 'x.csv'), '-r', 'cuda_sum'], /no report "cuda_sum"/],
    [['export', trace, '-o', join(folder, 'x.csv'), '-t', 'KERNELS'], /no table "KERNELS"/],
    [['record'], /no source file given/],
    [['record', '--'], /no source file given/],
    [['record', 'app.cu', '--env', 'NAME'], /not NAME=VALUE/],
    [['record', 'app.cu', '-D', '1X'], /not NAME or NAME=VALUE/],
    [['record', 'app.cu', '--gpu'], /--gpu/],
    [['record', 'app.cu', '--gpu', 'h200', '--gpus', '2xh200'], /--gpu and --gpus cannot be used together/],
    [['run', 'app.cu', '-o', 'x.simsight'], /keeps no trace/],
    [['record', 'app.cu', '--lift', 'gravity'], /--lift gravity is not a limit/],
    [['what-if'], /no source file given/],
    [['what-if', 'app.cu', '--limit', 'gravity'], /--limit gravity is not a limit/],
    [['what-if', 'app.cu', '--format', 'xml'], /--format cannot be "xml"/],
    [['what-if', 'app.cu', '-o', 'x.simsight'], /Unknown option '-o'/],
    [['what-if', 'app.cu', '--lift', 'latency'], /Unknown option '--lift'/],
    [['record', 'app.cu', '--max-registers', '256'], /--max-registers 256 is not a number of registers/],
    [['record', 'app.cu', '--carveout', '101'], /--carveout 101 is not a percentage/],
    [['run', 'app.cu', '--extra-shared', '1.5'], /--extra-shared 1\.5 is not a number of bytes/],
    [['sweep'], /no source file given/],
    [['sweep', 'app.cu', '--gpu', 'a100,a1000'], /There is no GPU "a1000"/],
    [['sweep', 'app.cu', '--set', 'BLOCK'], /--set BLOCK is not NAME=VALUE,VALUE/],
    [['sweep', 'app.cu', '--carveout', '50,all'], /--carveout all is not a percentage/],
    [['sweep', 'app.cu', '--jobs', '0'], /--jobs 0 is not a number/],
    [['sweep', 'app.cu', '--emit', 'lsf'], /--emit cannot be "lsf"/],
    [['sweep', 'app.cu', '--writable', 'out'], /cannot share a writable folder/],
    [['sweep', '--resume', 'a', '--collect', 'b'], /cannot be used together/],
    [['sweep', '--resume', 'a', 'app.cu'], /has its sources and arguments/],
    [['sweep', '--collect'], /requires the folders of a sweep/],
    [['sweep', '--run-job', '1'], /requires one folder/],
    [['open'], /no trace given/],
    [['serve', '--port', '99999'], /not a port number/],
    [['gpus', 'all'], /is an unexpected argument/],
    [['gpus', '--json', '--format', 'csv'], /--json and --format cannot be used together/],
    [['import'], /no recording given/],
    [['import', trace, '-o', 'x.sqlite'], /is not the name of a trace/],
    [['import', trace, '-o', join(folder, 'again.simsight')], /is a trace of Simsight already/],
    [['bench'], /no source file given/],
    [['bench', 'app.cu', '--warm-up', 'some'], /--warm-up some is not a number/],
    [['completion'], /one shell is required/],
    [['completion', 'tcsh'], /cannot be "tcsh"/],
  ])('%j', async (words, message) => {
    const { code, stdout, stderr } = await simsightHere(words);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^simsight: .+\n(.+\n)?$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('a file that is no trace: exit code 1 and what to do', () => {
  const text = join(folder, 'text.simsight');
  writeFileSync(text, 'hello');
  mkdirSync(join(folder, 'folder.simsight'));
  test.each([
    [['stats', join(folder, 'none.simsight')], /There is no file .*none\.simsight\.\nCheck the path\./],
    [['stats', join(folder, 'folder.simsight')], /is a folder/],
    [['compare', trace, text], /is not a Simsight trace/],
    [['what-if', text, '--fixed', text], /is not a Simsight trace/],
    [['open', text], /is not a Simsight trace/],
    [['serve', '--folder', join(folder, 'none')], /There is no folder/],
  ])('%j', async (words, message) => {
    const { code, stdout, stderr } = await simsightHere(words);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

test('stats in three formats', async () => {
  const csv = await simsightHere(['stats', trace, '--report', 'cuda_gpu_kern_sum', '--format', 'csv']);
  expect(csv).toEqual({
    code: 0,
    stderr: '',
    stdout:
      'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n' +
      '100.0,2000,1,2000.0,2000.0,2000,2000,0.0,"void saxpy<float>(int, float, float const*, float*)"\n',
  });
  const json = await simsightHere(['stats', trace, '-r', 'cuda_gpu_trace', '-f', 'json']);
  expect(JSON.parse(json.stdout)).toHaveLength(4);
  const table = await simsightHere(['stats', 'trace.simsight'], { cwd: folder });
  expect(table.stdout.match(/^ \*\* .*$/gm)).toEqual([
    ' ** CUDA API Summary (cuda_api_sum):',
    ' ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):',
    ' ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):',
    ' ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):',
  ]);
});

test('export by the name of the file', async () => {
  const exported = async (name: string, ...words: string[]) => {
    const output = join(folder, name);
    expect(await simsightHere(['export', trace, '-o', output, ...words])).toEqual({
      code: 0,
      stderr: '',
      stdout: `${output}\n`,
    });
    return output;
  };
  const chrome = JSON.parse(readFileSync(await exported('t.json'), 'utf8')) as { traceEvents: { ph: string }[] };
  expect(chrome.traceEvents.filter(({ ph }) => ph === 'X')).toHaveLength(12);
  expect([...readFileSync(await exported('t.json.gz')).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  const report = await exported('r.csv', '--report', 'cuda_gpu_kern_sum');
  const stats = await simsightHere(['stats', trace, '--report', 'cuda_gpu_kern_sum', '--format', 'csv']);
  expect(readFileSync(report, 'utf8')).toBe(stats.stdout);
  expect(readFileSync(await exported('t.csv', '--table', 'StringIds'), 'utf8')).toMatch(/^id,value\n1,/);
  for (const [name, ours] of [
    ['t.sqlite', true],
    ['n.sqlite', false],
  ] as const) {
    const file = readFileSync(await exported(name, ...(ours ? [] : ['--only-nsys'])));
    expect(file.subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(file.includes('SIMSIGHT_RECORDING')).toBe(ours);
  }
  const folderOfTables = readdirSync(await exported('tables', '--format', 'parquet', '--only-nsys'));
  expect(folderOfTables).toContain('CUPTI_ACTIVITY_KIND_KERNEL.parquet');
  expect(folderOfTables.filter((name) => name.includes('SIMSIGHT'))).toEqual([]);
  expect(
    readFileSync(await exported('s.parquet', '-t', 'StringIds'))
      .subarray(0, 4)
      .toString(),
  ).toBe('PAR1');

  const again = await simsightHere(['export', trace, '-o', report, '-r', 'cuda_gpu_sum']);
  expect(again).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/exists\.\nChoose another name, or/),
  });
  await exported('r.csv', '-r', 'cuda_gpu_sum', '--force');
});

test('sql in three formats', async () => {
  const text =
    'SELECT start, value, NULL AS empty, 1e-7 AS small FROM CUPTI_ACTIVITY_KIND_RUNTIME, StringIds WHERE id = nameId';
  const run = (...words: string[]) => simsightHere(['sql', trace, text, ...words]);
  expect(await run('--format', 'csv', '--limit', '2')).toEqual({
    code: 0,
    stdout: 'start,value,empty,small\n100,cudaStreamCreateWithPriority,,1e-7\n160,cudaMemcpyAsync,,1e-7\n',
    stderr: 'simsight: there are more than 2 rows. Raise --limit to see more.\n',
  });
  const json = JSON.parse((await run('-f', 'json')).stdout) as unknown[];
  expect(json).toHaveLength(6);
  expect(json[1]).toEqual({ start: 160, value: 'cudaMemcpyAsync', empty: null, small: 1e-7 });
  expect((await run()).stdout).toMatch(
    /^ start +value +empty +small *\n -{5} {2}-+ {2}-{5} {2}-{5}\n {3}100 {2}cudaStream/,
  );
  expect(await simsightHere(['sql', trace, 'DROP TABLE StringIds'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'simsight: DROP is not allowed here.\nTraces can only be read: SELECT, WITH … SELECT, EXPLAIN, PRAGMA table_info(…).\n',
  });
});

test('compare as text and JSON, into files, with exit codes for CI', async () => {
  const other = join(folder, 'other.simsight');
  copyFileSync(trace, other);
  const text = await simsightHere(['compare', trace, other, '--fail-over', '5%']);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/^ Verdict: neutral \(threshold 5 %, noise floor 0 %, comparability 1\.00/m);
  expect(text.stdout).toMatch(/^ Session duration +4\.7 µs +4\.7 µs +0 ns +1\.000x +1$/m);
  const json = JSON.parse((await simsightHere(['compare', trace, other, '--format', 'json'])).stdout) as Comparison;
  expect(json.rows.length).toBeGreaterThan(5);

  const slow = write(join(folder, 'slow.simsight'), [kernel(0, 9000, 1)]);
  const renamed = write(join(folder, 'renamed.simsight'), [kernel(0, 900, 1, 7, { kernel: 'renamed' })], {
    program: 'renamed.cu',
  });
  const failing = await simsightHere(['compare', renamed, slow, '--pair', 'renamed=saxpy', '--fail-over', '5']);
  expect(failing).toMatchObject({
    code: 3,
    stderr: 'simsight: compare: regression. The whole time changed by +900.0 %: at least the threshold of 5 %.\n',
  });
  expect((await simsightHere(['compare', renamed, slow, '--pair', 'renamed=saxpy'])).code).toBe(0);
  const unknown = await simsightHere(['compare', renamed, slow, '--fail-over', '5%']);
  expect(unknown).toMatchObject({ code: 4, stdout: expect.stringContaining('Kernels only before:') as string });
  expect(unknown.stderr).toMatch(/^simsight: compare: inconclusive\. Only 0 % of the GPU time/);

  const page = join(folder, 'comparison.html');
  const written = await simsightHere(['compare', slow, slow, '-o', page]);
  expect(written).toEqual({ code: 0, stdout: `${page}\n`, stderr: '' });
  expect(readFileSync(page, 'utf8')).toContain('<!doctype html>');
  expect((await simsightHere(['compare', slow, slow, '-o', page])).stderr).toMatch(/exists\.\n.*--force/);
  const ladder = await simsightHere(['compare', slow, renamed, slow, '--pair', 'saxpy=renamed', '--format', 'text']);
  expect(ladder.stdout).toMatch(/^ +9 µs +10\.000x +1\.000x +/m);
});

test('gpus and labs', async () => {
  const gpus = await simsightHere(['gpus', '--format', 'csv']);
  expect(gpus.stdout).toMatch(/^Id,Name,Architecture,/);
  for (const id of ['c2050', 'mx330', 'a4000', 'a6000', 'a100-80gb', 'h100', 'h200'])
    expect(gpus.stdout).toMatch(new RegExp(`^${id},`, 'm'));
  const labs = JSON.parse((await simsightHere(['lab', '--json'])).stdout) as { Lab: string }[];
  expect(labs.map(({ Lab }) => Lab)).toContain('overlap');
});

test('a reader that has seen enough is no failure', () => {
  const long = write(
    join(folder, 'long.simsight'),
    Array.from({ length: 30_000 }, (_, i) => api('cudaLaunchKernel', i, i + 1, i)),
  );
  const command = `"${process.execPath}" "${cli}" stats "${long}" --report cuda_api_trace --format csv | head -1`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command}; echo "code $?"`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Start \(ns\),Duration.*\ncode 0\n$/);
});

test('through npm, paths are relative to where the user is', () => {
  const { stdout } = spawnSync(process.execPath, [cli, 'stats', 'trace.simsight', '-r', 'cuda_gpu_sum', '-f', 'csv'], {
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: 'simsight', INIT_CWD: folder },
  });
  expect(stdout).toMatch(/^Time \(%\)/);
});

test('what was printed arrives in full', async () => {
  const child = spawn(process.execPath, [
    cli,
    'stats',
    join(folder, 'long.simsight'),
    '-r',
    'cuda_api_trace',
    '-f',
    'csv',
  ]);
  let lines = 0;
  for await (const chunk of child.stdout) lines += String(chunk).split('\n').length - 1;
  expect(lines).toBe(30_001);
});

test('roi: the most saved per engineer-day first, as table and JSON', async () => {
  const words = [
    'roi',
    '--before',
    '10ms',
    '--runs',
    '1000',
    'tiles: speedup=3 days=2',
    'blocks: after=6.667ms days=0.5',
  ];
  const table = await simsightHere(words);
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout.split('\n').slice(2).join('\n')).toBe(
    ' blocks      10 ms  6.667 ms    1.50x     1,000    3.333 s            0.5             6.666 s  4,320.5 days\n' +
      ' tiles       10 ms  3.333 ms    3.00x     1,000    6.667 s              2             3.333 s    8,640 days\n',
  );
  const json = JSON.parse((await simsightHere([...words, '--hours', '4', '--format', 'json'])).stdout) as Record<
    string,
    unknown
  >[];
  expect(json.map(({ name, breakEvenDays }) => [name, Math.round(Number(breakEvenDays))])).toEqual([
    ['blocks', 2160],
    ['tiles', 4320],
  ]);
});

test('report: a page, or Markdown and its pictures; nothing is written over unasked', async () => {
  const page = join(folder, 'report.html');
  expect(await simsightHere(['report', trace, '-o', page])).toEqual({ code: 0, stdout: `${page}\n`, stderr: '' });
  expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
  const again = await simsightHere(['report', trace, '-o', page]);
  expect(again).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/report\.html exists\.\n.*--force/) as string,
  });
  // Without -o into the current folder, under the trace's name.
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  expect((await simsightHere(['report', trace], { cwd: elsewhere })).stdout).toBe('trace.report.html\n');
  expect((await simsightHere(['report', trace, '--before', trace, '-o', 'r.md'], { cwd: elsewhere })).code).toBe(0);
  expect(readdirSync(elsewhere).sort()).toEqual([
    ...['r.kernel-1-roofline.svg', 'r.md', 'r.timeline.svg', 'trace.report.html'],
  ]);
  expect(readFileSync(join(elsewhere, 'r.md'), 'utf8')).toContain('](r.timeline.svg)');
});
