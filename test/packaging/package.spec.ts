/**
 * The packed app, without an installer: electron-builder's folder for Linux with a stand-in for Electron's own files. Its
 * contents are checked, and then it runs, from the packed files alone, under test/electron-host.
 *
 * Not checked here, because the tools and runtimes cannot be had everywhere: installers, signing, macOS; of Windows only the tree.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { extractAll, listPackage } from '@electron/asar';
import { fuseMark, writeStubElectron } from '../../build/stub-electron.mjs';
import { launch } from '../electron-host/index.ts';

test.skip(process.platform !== 'linux', 'The folder for Linux can be packed on Linux only.');

const root = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'simsight-package-'));
const packed = join(work, 'release', process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked');
const archive = join(packed, 'resources', 'app.asar');
const unpacked = `${archive}.unpacked`;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

test.beforeAll(() => {
  const electronDist = join(work, 'electron');
  writeStubElectron(electronDist);
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const config = ['--config', 'build/electron-builder.yml', `-c.electronDist=${electronDist}`];
  const output = [`-c.directories.output=${join(work, 'release')}`, '-c.compression=store'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [builder, '--linux', 'dir', ...config, ...output, '--publish', 'never'],
    { cwd: root, encoding: 'utf8' },
  );
  expect(status, `${stdout}${stderr}`).toBe(0);
});
test.afterAll(() => rmSync(work, { recursive: true, force: true }));

test('the archive holds the app and nothing else', () => {
  const files = listPackage(archive, { isPack: false }).map((name) => name.replace(/^[\\/]/, ''));
  for (const needed of [
    'package.json',
    'dist/electron/main.js',
    'dist/electron/preload.cjs',
    'dist/renderer/index.html',
    'dist/engine/host/worker.js',
    'dist/engine/compile/worker.js',
    'dist/engine/recording/program-process.js',
    'dist/engine/recording/program-worker.js',
    'dist/engine/trace/expression-worker.js',
    'dist/engine/trace/sql-process.js',
    'dist/engine/warp/crew-worker.js',
    'dist/engine/cli.js',
    // The libraries of programs.
    'build/toolchain/sysroot/files',
    'build/toolchain/sysroot/version',
  ]) {
    expect(files).toContain(needed);
  }
  const ours =
    /^(dist|engine|migrations|node_modules|package\.json|build\/toolchain\/sysroot)(\/|$)|^build(\/toolchain)?$/;
  const strange = files.filter((name) => !ours.test(name));
  expect(strange).toEqual([]);
  expect(files.filter((name) => /\.map$|\.svelte$|\.test\.|(^|\/)test\//.test(name))).toEqual([]);
  expect(files.filter((name) => /\.ts$/.test(name))).toEqual([]);
});

test('only the packages that the app needs at run time', () => {
  const modules = readdirSync(join(unpacked, 'node_modules')).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(unpacked, 'node_modules', name)).map((inner) => `${name}/${inner}`)
      : [name],
  );
  expect(modules.sort()).toEqual(['@yowasp/clang', 'better-sqlite3', 'ws']);
});

test('the engine and what it reads are real files', () => {
  const files = filesBelow(unpacked);
  for (const needed of [
    'package.json',
    'dist/engine/host/worker.js',
    'engine/cuda/include/cuda_runtime.h',
    'engine/cuda/libraries/cublas.cu',
    'engine/cuda/libraries/numbers.cuh',
    'engine/labs/lab.h',
    'engine/labs/overlap/lab.json',
    'engine/labs/overlap/overlap.cu',
    'engine/labs/overlap/README.md',
    'migrations/0012_trace.sql',
    'node_modules/@yowasp/clang/gen/llvm.core.wasm',
  ]) {
    expect(files).toContain(needed);
  }
  const native = files.filter((name) => name.endsWith('.node'));
  expect(native).toEqual([`node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`]);
  // Every header and example of the checkout is there.
  for (const folder of ['engine/cuda/include', 'migrations']) {
    expect(filesBelow(join(unpacked, folder))).toEqual(filesBelow(join(root, folder)));
  }
});

test('its first example comes compiled, wherever the app lies', () => {
  const home = join(work, 'home');
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(unpacked, 'dist', 'engine', 'cli.js'), 'lab', 'overlap', 'pinned', '--small'],
    { env: { ...process.env, SIMSIGHT_HOME: home }, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  // Whatever is compiled is kept there.
  expect(filesBelow(home)).toEqual(['labs/overlap-pinned.simsight']);
});

test('whose work is in it, and under which terms', () => {
  const notices = readFileSync(join(packed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  expect(readFileSync(join(packed, 'LICENSE.simsight.txt'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  // Source maps also name the bundle's inputs.
  const dist = join(root, 'dist');
  const bundled = filesBelow(dist)
    .filter((name) => name.endsWith('.map'))
    .flatMap((name) => (JSON.parse(readFileSync(join(dist, name), 'utf8')) as { sources: string[] }).sources)
    .flatMap((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
  const all = new Set([...bundled, '@yowasp/clang', 'better-sqlite3', 'ws']);
  for (const known of ['svelte', 'pixi.js', 'zod', 'marked', '@codemirror/view']) expect(all).toContain(known);
  const terms = notices.split(/^-{80}\n/m).slice(1);
  for (const name of all) {
    const at = terms.findIndex((text) => text.startsWith(`${name} `));
    expect(at, name).toBeGreaterThanOrEqual(0);
    expect(terms[at + 1], name).toMatch(/permission|redistribut|public domain/i);
  }
  for (const name of ['LLVM, Clang', 'wasi-libc', 'musl', 'SQLite']) expect(notices).toContain(`\n${name}`);
});

test('the fuses are set', () => {
  const program = readFileSync(join(packed, 'simsight'), 'latin1');
  const start = program.indexOf(fuseMark) + fuseMark.length + 2;
  const state = [...program.slice(start, start + 8)];
  const off = '0';
  const on = '1';
  expect({
    runAsNode: state[0],
    cookieEncryption: state[1],
    nodeOptions: state[2],
    nodeInspect: state[3],
    asarIntegrity: state[4],
    onlyAsar: state[5],
    browserSnapshot: state[6],
    fileProtocolPrivileges: state[7],
  }).toEqual({
    runAsNode: off,
    cookieEncryption: on,
    nodeOptions: off,
    nodeInspect: off,
    asarIntegrity: on,
    onlyAsar: on,
    browserSnapshot: off,
    fileProtocolPrivileges: off,
  });
});

test('the tree of Windows, packed here: its native module, its fuses, the hash of its archive', () => {
  const electronDist = join(work, 'electron-windows');
  writeStubElectron(electronDist, 'win32');
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  const config = ['--config', 'build/electron-builder.yml', `-c.electronDist=${electronDist}`];
  // Icons and version are put in by a program of Windows.
  const output = [`-c.directories.output=${join(work, 'windows')}`, '-c.win.signAndEditExecutable=false'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [builder, '--win', 'dir', '--x64', ...config, ...output, '-c.compression=store', '--publish', 'never'],
    { cwd: root, encoding: 'utf8' },
  );
  expect(status, `${stdout}${stderr}`).toBe(0);
  const tree = join(work, 'windows', 'win-unpacked');
  const files = filesBelow(join(tree, 'resources', 'app.asar.unpacked'));
  expect(files.filter((name) => name.endsWith('.node'))).toEqual([
    'node_modules/better-sqlite3/prebuilds/win32-x64.node',
  ]);
  // All else is that of Linux.
  const common = (list: string[]): string[] => list.filter((name) => !name.endsWith('.node'));
  expect(common(files)).toEqual(common(filesBelow(unpacked)));
  const program = readFileSync(join(tree, 'Simsight.exe'), 'latin1');
  const start = program.indexOf(fuseMark) + fuseMark.length + 2;
  expect(program.slice(start, start + 8)).toBe('01001100');
  expect(program).toContain('"file":"resources\\\\app.asar","alg":"SHA256"');
});

test('the packed app runs from its own files', async () => {
  const folder = join(work, 'installed', 'app.asar');
  // As Electron sees it: the archive's content under its name, and the unpacked files beside it.
  extractAll(archive, folder);
  const engine = join(work, 'installed', 'app.asar.unpacked');
  spawnSync('cp', ['-r', unpacked, engine]);
  expect(existsSync(join(engine, 'dist'))).toBe(true);

  const env = { SIMSIGHT_HOME: join(work, 'home') };
  const app = await launch({ folder, archive, isPackaged: true, env });
  try {
    // Once its files have been looked at.
    const forked = (): unknown[] | undefined => app.calls.find(([name]) => name === 'fork');
    await expect.poll(forked).toEqual(['fork', join(engine, 'dist', 'engine', 'host', 'worker.js')]);
    const title = await app.page.title();
    expect(title).toContain('Simsight');
    // All of it: headers, compiler, workers, native module and migrations from where they were installed.
    await app.page.getByTestId('lab-overlap-open').click();
    await app.page.getByTestId('lab-variant-four-streams').click();
    await expect(app.page.getByTestId('trace-screen')).toBeVisible({ timeout: 90_000 });
    await expect(app.page.getByTestId('problem')).toHaveCount(0);
    const recordings = readdirSync(join(env.SIMSIGHT_HOME, 'recordings'));
    expect(recordings.filter((name) => name.endsWith('.simsight'))).toHaveLength(1);
  } finally {
    await app.close();
  }
});

test('an app whose engine was changed does not start it, and says so', async () => {
  const folder = join(work, 'changed', 'app.asar');
  extractAll(archive, folder);
  const engine = `${folder}.unpacked`;
  spawnSync('cp', ['-r', unpacked, engine]);
  expect(await changedIn(folder)).toBe(null);
  const worker = join(engine, 'dist', 'engine', 'host', 'worker.js');
  const before = readFileSync(worker);
  writeFileSync(worker, `${before.toString()}\nconsole.log('another');\n`);
  expect(await changedIn(folder)).toBe('dist/engine/host/worker.js');
  writeFileSync(worker, before);
  rmSync(join(engine, 'migrations', '0012_trace.sql'));
  expect(await changedIn(folder)).toBe('migrations/0012_trace.sql');
  writeFileSync(
    join(engine, 'migrations', '0012_trace.sql'),
    readFileSync(join(unpacked, 'migrations', '0012_trace.sql')),
  );
  // A native module that a package looks for, and loads.
  mkdirSync(join(engine, 'node_modules', 'bufferutil'));
  writeFileSync(join(engine, 'node_modules', 'bufferutil', 'index.js'), '');
  expect(await changedIn(folder)).toBe('node_modules/bufferutil/index.js');
});

/** The app's message about files that differ from the installation; null if it starts its engine. */
async function changedIn(folder: string): Promise<string | null> {
  const app = await launch({ folder, archive, isPackaged: true, env: { SIMSIGHT_HOME: join(work, 'home') } });
  try {
    const ended = (name: string): boolean => app.calls.some(([call]) => call === name);
    await expect.poll(() => ended('fork') || ended('quit')).toBe(true);
    const error = app.calls.find(([call]) => call === 'dialog.error');
    expect(error === undefined).toBe(ended('fork'));
    return error === undefined ? null : /installed: (\S+)/.exec(String(error[2]))![1]!;
  } finally {
    await app.close();
  }
}
