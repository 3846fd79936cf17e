/**
 * A Node that is new enough for this project, on any machine: the running one, or a private one that is installed once
 * into `build/toolchain` from its own lock file. Plain ESM without dependencies, for any Node from 16 on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const toolchain = join(root, 'build', 'toolchain');

/** From these versions on Node runs TypeScript files as they are, which the project's scripts rely on. */
export function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/**
 * Runs npm, the one that runs us where there is one. `npm start` inside a checkout hands its settings down as
 * variables; some of them would point an inner npm at the wrong folder.
 */
export function npm(args, options = {}) {
  const [command, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(config_local_prefix|config_prefix|package_|lifecycle_)/.test(name),
    ),
  );
  return spawnSync(command, [...first, ...args], {
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32' && command === 'npm',
    ...options,
  });
}

/** Path of the Node to use. Says so when it has to install one; ends the process when it cannot. */
export function findNode() {
  if (isNewEnough(process.version)) return process.execPath;
  if (process.env.SIMSIGHT_NODE) return process.env.SIMSIGHT_NODE;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = join(toolchain, 'node_modules', `node-${platform}-${process.arch}`, 'bin', program);
  if (existsSync(file)) return file;

  console.error(`Node ${process.version} is older than 22.18: installing a private Node 24 into build/toolchain.`);
  const { status, stderr } = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', toolchain], {
    cwd: toolchain,
  });
  if (status === 0 && existsSync(file)) return file;
  if (stderr) console.error(stderr.trim());
  console.error(
    `No Node for ${process.platform}-${process.arch} could be installed. Please install Node 24 and try again.`,
  );
  process.exit(1);
}

/** The environment for tools: their `node` is `node`, and so is that of what they start. */
export function environmentFor(node) {
  const env = { ...process.env, npm_node_execpath: node, NODE: node };
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[path] = [dirname(node), join(root, 'node_modules', '.bin'), env[path]].join(delimiter);
  return env;
}
