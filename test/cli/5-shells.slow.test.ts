/** Completion in real shells, results as JSON, and foreign recordings as traces. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, write } from '../unit/trace/example-recording.ts';
import { simsight } from './simsight.ts';

const folder = temporaryFolder();
const trace = write(join(folder, 'trace.simsight'));
const json = (words: string[], cwd = folder): unknown => {
  const { code, stdout, stderr } = simsight(words, { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('completion', () => {
  const scriptOf = (shell: string): string => {
    const file = join(folder, `completion.${shell}`);
    if (!existsSync(file)) writeFileSync(file, simsight(['completion', shell]).stdout);
    return file;
  };
  /** Words that the shell itself offers for the last word. */
  const offered: Record<string, (line: string) => string[]> = {
    bash: (line) => {
      const words = line.split(' ');
      const script = `source ${scriptOf('bash')}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _simsight; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return run('bash', ['--norc', '-c', script]);
    },
    fish: (line) =>
      run('fish', ['--no-config', '-c', `source ${scriptOf('fish')}; complete -C '${line}'`]).map(
        (each) => each.split('\t')[0]!,
      ),
    zsh: (line) => {
      // Words that compsys would show, printed instead: the functions that offer words are the test's.
      const script = `
_describe() { print -l \${commands%%:*} }
_arguments() { print -l -- "$@" }
compdef() { :; }
source ${scriptOf('zsh')}
words=(${line
        .split(' ')
        .map((word) => `'${word}'`)
        .join(' ')}); CURRENT=\${#words}
_simsight`;
      return run('zsh', ['-f', '-c', script]);
    },
  };
  const run = (shell: string, words: string[]): string[] => {
    const { status, stdout, stderr } = spawnSync(shell, words, { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.split('\n').filter(Boolean);
  };

  for (const shell of ['bash', 'zsh', 'fish']) {
    const isThere = spawnSync(shell, ['--version']).status === 0;
    test.skipIf(!isThere)(`in ${shell}${isThere ? '' : ', which is not installed here'}`, () => {
      const offers = offered[shell]!;
      const prefix = shell === 'zsh' ? '' : 'st';
      expect(offers(`simsight ${prefix}`)).toContain('stats');
      expect(offers('simsight stats --').join(' ')).toMatch(/--report.*--json|--json.*--report/s);
      expect(offers('simsight stats --').join(' ')).not.toContain('--gpu');
      const gpus = offers('simsight record --gpu h').join(' ');
      expect(gpus).toMatch(/\bh200\b/);
      expect(offers('simsight completion ').join(' ')).toMatch(/bash zsh fish|bash.*fish|fish.*bash/);
      if (shell === 'bash') expect(offers('simsight stats tr')).toEqual(['trace.simsight']);
    });
  }

  test('every option of the help is one that completion knows, and the other way round', () => {
    const script = readFileSync(scriptOf('bash'), 'utf8');
    const commands = [...script.matchAll(/^ {2}([\w-]+)\)\n {4}flags="([^"]*)"/gm)];
    expect(commands.length).toBeGreaterThan(15);
    for (const [, name, list] of commands) {
      const help = simsight([name!, '--help']).stdout;
      const known = list!.split(' ').filter((flag) => flag.startsWith('--'));
      const unknown = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z_-]+)/gm)].map(([, flag]) => flag!);
      for (const flag of unknown) expect(known, `${name}: ${flag}`).toContain(flag);
    }
  });
});

test('--json: lists, reports, and what was written', () => {
  expect(json(['gpus', '--json'])).toEqual(json(['gpus', '--format', 'json']));
  expect(json(['stats', trace, '-r', 'cuda_gpu_sum', '--json'])).toHaveLength(4);
  expect(json(['export', trace, '-o', 'out.json.gz', '--json'])).toEqual({ files: ['out.json.gz'] });
  expect(json(['report', trace, '-o', 'r.md', '--json'])).toEqual({
    files: ['r.md', 'r.timeline.svg', 'r.kernel-1-roofline.svg'],
  });
});

test('import makes a trace that all else opens; nothing is replaced', () => {
  const cwd = join(folder, 'imports');
  mkdirSync(cwd);
  const events = [
    { ph: 'X', cat: 'kernel', name: 'saxpy', pid: 0, tid: 7, ts: 10, dur: 5, args: { stream: 7, device: 0 } },
    { ph: 'X', cat: 'kernel', name: 'saxpy', pid: 0, tid: 7, ts: 20, dur: 7, args: { stream: 7, device: 0 } },
  ];
  writeFileSync(join(cwd, 'kineto.json'), JSON.stringify({ traceEvents: events }));
  expect(json(['import', 'kineto.json', '--json'], cwd)).toEqual({ files: ['kineto.simsight'] });
  const stats = ['-r', 'cuda_gpu_kern_sum', '-f', 'csv'];
  const imported = simsight(['stats', 'kineto.simsight', ...stats], { cwd });
  expect(imported.stdout).toBe(
    simsight(['stats', 'kineto.json', ...stats], { cwd, home: join(folder, 'home') }).stdout,
  );
  expect(imported.stdout).toContain('100.0,12000,2,6000.0');
  expect(simsight(['import', 'kineto.json'], { cwd })).toMatchObject({ code: 1, stdout: '' });
  writeFileSync(join(cwd, 'text.json'), 'no trace');
  const wrong = simsight(['import', 'text.json'], { cwd });
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(existsSync(join(cwd, 'text.simsight'))).toBe(false);
});

test('bench, and record and run as JSON', () => {
  writeFileSync(
    join(folder, 'runs.cu'),
    '#include <cstdio>\n__global__ void step(int *x) { *x += 1; }\nint main() { int *x; cudaMalloc(&x, 4); for (int i = 0; i < 12; i++) step<<<1, 32>>>(x); cudaDeviceSynchronize(); puts("said"); return 3; }\n',
  );
  const home = join(folder, 'home');
  const table = simsight(['bench', 'runs.cu', '--warm-up', '2', '--json'], { cwd: folder, home });
  expect(table.code).toBe(3);
  expect(table.stderr).toMatch(/said\n/);
  const [row, ...others] = JSON.parse(table.stdout) as Record<string, unknown>[];
  expect(others).toEqual([]);
  expect(JSON.stringify(row)).toContain('step(int *)');
  expect(Object.values(row!)).toContain(10);

  const ran = simsight(['run', 'runs.cu', '--json'], { cwd: folder, home });
  expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 3, kernels: 12 });
  expect(ran.stderr).toContain('said');
  const recorded = simsight(['record', 'runs.cu', '-o', 'runs.simsight', '--json'], { cwd: folder, home });
  expect(JSON.parse(recorded.stdout)).toMatchObject({ path: join(folder, 'runs.simsight'), exitCode: 3 });
});
