/**
 * From a fresh clone to something that runs: packages, a Node that is new enough, and a build. Each step is skipped when
 * there is nothing to do. Plain ESM without dependencies, for Node 20 on.
 */
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { environmentFor, findNode, npm, root } from './node.mjs';
import { buildIsStale, modulesAreStale, sysrootIsStale } from './sources.mjs';

/** Ends the process with the output of what went wrong and one sentence about it. */
function giveUp(sentence, { stdout, stderr, error }) {
  for (const text of [stdout, stderr, error?.message]) if (text?.trim()) console.error(text.trim());
  console.error(sentence);
  process.exit(1);
}

/** The packages that are missing, said in one line. */
export function installPackages(say) {
  if (!modulesAreStale(root)) return;
  say('Installing packages (npm ci).');
  const installed = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root });
  if (installed.status === 0) return;
  // A half-filled folder would look complete the next time.
  rmSync(join(root, 'node_modules', '.package-lock.json'), { force: true });
  giveUp('The packages could not be installed. Is there a connection?', installed);
}

/** The C and C++ libraries of programs, where they are older than what they are made from; said in one line. */
function buildLibraries(node, env, say) {
  if (!sysrootIsStale(root)) return;
  say('Compiling the C and C++ libraries of programs (once, a minute).');
  const built = spawnSync(node, [join(root, 'build', 'sysroot.ts')], { cwd: root, env, encoding: 'utf8' });
  if (built.status !== 0) giveUp('The libraries could not be compiled. Is there a connection?', built);
}

/** `dist/`, where it is older than what it is made from; said in one line. */
export function buildApp(node, env, say) {
  buildLibraries(node, env, say);
  if (!buildIsStale(root)) return;
  say('Building the app.');
  const built = spawnSync(node, [join(root, 'build', 'build.ts'), '--quiet'], { cwd: root, env, encoding: 'utf8' });
  if (built.status !== 0) giveUp('The app could not be built.', built);
}

/** Says each step in one line. Returns the Node to use and its environment. */
export function prepare(say = console.log) {
  const node = findNode();
  const env = environmentFor(node);

  installPackages(say);
  buildApp(node, env, say);
  return { node, env };
}

/** Runs a script of ours in the foreground, and ends with its exit code. */
export function handOver({ node, env }, script, args) {
  const child = spawn(node, [join(root, 'build', script), ...args], { cwd: root, env, stdio: 'inherit' });
  // Ctrl+C reaches the script too; this process has to outlive it to report its exit code.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
