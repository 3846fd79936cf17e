/** Projects with makefiles and for CMake: what they build with `simsight nvcc`, `cc` and `c++` runs, and errors stop it where nvcc's would. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../../setup/command-line.ts';
import { newFolder } from '../cuda/program.ts';

const projects = join(import.meta.dirname, '..', '..', 'builds');
const bin = newFolder();
const home = newFolder();
const compilers = ['CC=simsight cc', 'CXX=simsight c++', 'NVCC=simsight nvcc'];

function run(command: string, words: string[], cwd: string): { code: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, SIMSIGHT_HOME: home };
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

function copyOf(project: string): string {
  const folder = newFolder();
  cpSync(join(projects, project), folder, { recursive: true });
  return folder;
}

const hasMake = process.platform === 'linux' && spawnSync('make', ['--version']).status === 0;

const hasCmake = hasMake && spawnSync('cmake', ['--version']).status === 0;
if (!hasCmake) console.warn('NOT TESTED: projects for CMake, as cmake is not installed here.');

beforeAll(() => {
  const command = join(bin, 'simsight');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(command, 0o755);
});

describe.skipIf(!hasCmake)('CMake', () => {
  test('static and shared libraries with device code, found toolkit, changed source', { timeout: 600_000 }, () => {
    const folder = copyOf('cmake');
    const { stdout } = run('simsight', ['toolkit', join(folder, 'toolkit')], folder);
    const toolkit = stdout.trim();
    const configured = run('cmake', ['-B', 'build', `-DCMAKE_TOOLCHAIN_FILE=${toolkit}/simsight.cmake`], folder);
    expect(configured.stderr).toBe('');
    expect(configured.stdout).toContain('The CUDA compiler identification is NVIDIA 12.8.0');
    expect(configured.stdout).toContain(`Found CUDAToolkit: ${toolkit}/include (found version "12.8.0")`);
    expect(run('cmake', ['--build', 'build'], folder)).toMatchObject({ code: 0, stderr: '' });
    // 64 * 2 more than what it starts with, 3i + 2.
    expect(run('build/app', [], folder)).toMatchObject({ code: 0, stdout: 'sum 6304\n' });

    const header = join(folder, 'field.h');
    writeFileSync(header, readFileSync(header, 'utf8').replace('#pragma once', '#pragma once\n#define STEP_MORE'));
    writeFileSync(join(folder, 'table.c'), '#include <field.h>\nint start(int i) { return 3 * i; }\n');
    const again = run('cmake', ['--build', 'build'], folder);
    expect(again.stdout).toContain('Building CUDA object CMakeFiles/steps.dir/steps.cu.o');
    expect(run('build/app', [], folder)).toMatchObject({ code: 0, stdout: 'sum 6176\n' });
  });
});

test('a linked program works where it is started, and reads its own folder too; arrays of variable length are no news', () => {
  const folder = newFolder();
  const inner = join(folder, 'data');
  mkdirSync(inner);
  writeFileSync(join(inner, 'in.txt'), 'in');
  writeFileSync(join(folder, 'own.txt'), 'own');
  const source = `#include <cstdio>
int main(int count, char **words) {
  char text[count][80];
  for (int i = 1; i < count; i++) {
    FILE *file = fopen(words[i], "r");
    printf("%s ", file && fgets(text[i], 80, file) ? text[i] : "nothing");
  }
}`;
  writeFileSync(join(folder, 'app.cu'), source);
  expect(run('simsight', ['nvcc', 'app.cu', '-o', 'app'], folder)).toMatchObject({ code: 0, stderr: '' });
  expect(run('simsight', ['run', '../app', 'in.txt', '../own.txt'], inner)).toMatchObject({
    code: 0,
    stdout: 'in own ',
  });
  expect(run('simsight', ['run', './app', 'in.txt', 'data/in.txt'], folder)).toMatchObject({ stdout: 'nothing in ' });
});

describe.skipIf(!hasMake)('make', () => {
  test('a makefile that calls nvcc finds the one of the toolkit', { timeout: 600_000 }, () => {
    const folder = copyOf('plain');
    const toolkit = run('simsight', ['toolkit', join(folder, 'toolkit')], folder).stdout.trim();
    const own = { ...process.env, PATH: `${toolkit}/bin${delimiter}${process.env['PATH']}`, SIMSIGHT_HOME: home };
    const words = [`CC=${toolkit}/bin/simsight-cc`, `CXX=${toolkit}/bin/simsight-c++`];
    expect(spawnSync('make', words, { cwd: folder, env: own }).status).toBe(0);
    expect(spawnSync('build/app', ['9'], { cwd: folder, env: own, encoding: 'utf8' }).stdout).toBe('9 right\n');
  });

  test('a program of several files of device code and a static library', { timeout: 600_000 }, () => {
    const folder = copyOf('several');
    expect(run('make', compilers, folder)).toMatchObject({ code: 0 });
    const printed = 'sum 1500\nsteps 5\n';
    expect(run('./app', [], folder)).toMatchObject({ code: 0, stdout: printed });
    expect(run('simsight', ['run', 'app', '--gpu', 'a100'], folder)).toMatchObject({ code: 0, stdout: printed });
    // The rules that the compiler has written are make's.
    expect(readFileSync(join(folder, 'src', 'main.d'), 'utf8')).toMatch(/^src\/main\.o: .*main\.cu .*\n.*field\.h\n$/);
    expect(run('make', [...compilers, '-q'], folder).code).toBe(0);
    // Options of the compiler have come and gone; what follows the program is its own.
    const late = run('simsight', ['run', '-D', 'X', 'app'], folder);
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('too late') as string });

    // Without the library device code is missing, which the device linker says.
    const words = ['nvcc', '-rdc=true', 'src/main.o', 'src/report.o', '-o', 'incomplete'];
    const incomplete = run('simsight', words, folder);
    expect(incomplete.code).toBe(1);
    expect(incomplete.stderr).toContain('undefined reference to device symbol');
    expect(existsSync(join(folder, 'incomplete'))).toBe(false);
  });

  test('a program with files in C and C++; an error in one stops it', { timeout: 600_000 }, () => {
    const folder = copyOf('plain');
    expect(run('make', compilers, folder)).toMatchObject({ code: 0 });
    expect(run('./build/app', ['50'], folder)).toMatchObject({ code: 0, stdout: '50 right\n' });
    expect(run('simsight', ['run', 'build/app', '--', '7'], folder)).toMatchObject({ stdout: '7 right\n' });

    const kernels = readFileSync(join(folder, 'kernels.cu'), 'utf8');
    writeFileSync(join(folder, 'kernels.cu'), kernels.replace('a[i] + b[i]', 'a[i] + missing'));
    const failed = run('make', compilers, folder);
    expect(failed.code).toBe(2);
    expect(failed.stderr).toMatch(/kernels\.cu:5:\d+: error: use of undeclared identifier 'missing'/);
  });
});
