/**
 * The second half of `npm start`, under a new Node and with everything built: records the default example where there is
 * no recording of it yet, then opens the app. With `--once`: records, prints the comparison, writes a picture, and ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Lab, LabVariant } from '../engine/model/labs.ts';
import { defaultGpu } from '../engine/gpus/index.ts';
import { defaultLab } from '../engine/labs/index.ts';
import type * as Serve from '../engine/serve/index.ts';
import { chromiumRemedy, ensureChromium } from './chromium.ts';
import { electronFolder, electronProgram } from './electron.ts';
import { writePicture } from './picture.ts';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'dist', 'engine', 'cli.js');
const dataFolder = resolve(process.env['SIMSIGHT_HOME'] || join(homedir(), '.simsight'));
const examplesFolder = join(dataFolder, 'examples');

const say = (line: string): void => console.log(line);
const words = process.argv.slice(2);
const once = words.includes('--once');
const named = words.filter((word) => !word.startsWith('-')).map((word) => resolve(process.env['INIT_CWD'] ?? '', word));

/** No Chromium for the picture: everything else was done. */
const exitWithoutPicture = 3;
/** A download that takes longer is for another day; the app opens in a browser meanwhile. */
const downloadLimitMs = 90_000;

function runCli(args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(stdout + stderr);
    process.exit(status ?? 1);
  }
  return stdout;
}

function traceOf(lab: Lab, variant: LabVariant): string {
  return join(examplesFolder, `${lab.id}-${variant.id}.simsight`);
}

function recordVariant(lab: Lab, variant: LabVariant): void {
  say(`Recording "${lab.title}: ${variant.title}" on ${defaultGpu}.`);
  mkdirSync(examplesFolder, { recursive: true });
  const defines = variant.defines.flatMap((define) => ['-D', define]);
  const output = ['--title', `${lab.title}: ${variant.title}`, '-o', traceOf(lab, variant)];
  runCli(['record', variant.source, '--gpu', defaultGpu, ...defines, ...output, '--', ...variant.arguments]);
}

/** The default example's traces, before and after; recorded where they are missing, or anew. */
function recordExample(anew: boolean): { before: string; after: string } {
  const lab = defaultLab;
  const [before, after] = [lab.variants[0]!, lab.variants.at(-1)!];
  for (const variant of [before, after]) if (anew || !existsSync(traceOf(lab, variant))) recordVariant(lab, variant);
  return { before: traceOf(lab, before), after: traceOf(lab, after) };
}

async function startServer(open: string[], home = dataFolder): Promise<Serve.RunningServer> {
  const serve = (await import('../dist/engine/serve/index.js' as string)) as typeof Serve;
  return serve.startServer({ folders: [root], open, dataFolder: home });
}

/** Electron's program, after downloading it where that works; else why not. */
function findElectron(): { program: string } | { reason: string } {
  const isLinux = process.platform === 'linux';
  if (words.includes('--browser')) return { reason: 'as you asked' };
  if (isLinux && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    return { reason: 'there is no display here' };
  if (isLinux && process.getuid?.() === 0) return { reason: 'Electron does not run as root' };

  if (!electronProgram()) {
    say('Downloading Electron.');
    const install = join(electronFolder, 'install.js');
    spawnSync(process.execPath, [install], { cwd: electronFolder, timeout: downloadLimitMs });
  }
  const program = electronProgram();
  return program ? { program } : { reason: 'Electron could not be downloaded' };
}

/** Resolves when the app is closed; false when it failed at once. */
function runElectron(program: string, traces: string[]): Promise<boolean> {
  const started = Date.now();
  return new Promise((done) => {
    const child = spawn(program, [root, ...traces], { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0 || Date.now() - started > 10_000));
  });
}

async function stayInBrowserMode(traces: string[], reason: string): Promise<void> {
  const server = await startServer(traces);
  say(`Browser mode (${reason}): open ${server.url}`);
  say('Press Ctrl+C to end.');
  if (process.platform === 'linux' && process.env['DISPLAY']) {
    spawn('xdg-open', [server.url], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref();
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void server.close().then(() => process.exit(0)));
  }
}

async function runOnce(): Promise<void> {
  const { before, after } = recordExample(true);
  say(`Traces: ${before}\n        ${after}`);
  say(runCli(['compare', before, after]).trimEnd());

  const browser = ensureChromium(say);
  if (!browser) {
    say(`The picture was left out: there is no Chromium. ${chromiumRemedy}`);
    process.exitCode = exitWithoutPicture;
    return;
  }
  // As a new person sees it, whatever is kept of this one.
  const home = mkdtempSync(join(tmpdir(), 'simsight-picture-'));
  const server = await startServer([before, after], home);
  const picture = join(examplesFolder, `${defaultLab.id}.png`);
  try {
    await writePicture({ browser, url: server.url, traces: 2, picture });
    say(`Picture: ${picture}`);
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function open(): Promise<void> {
  const example = named.length ? undefined : recordExample(false);
  const traces = example ? [example.before, example.after] : named;
  const electron = findElectron();
  if ('reason' in electron) return stayInBrowserMode(traces, electron.reason);
  say('Opening the app.');
  if (!(await runElectron(electron.program, traces))) await stayInBrowserMode(traces, 'Electron ended at once');
}

await (once ? runOnce() : open());
