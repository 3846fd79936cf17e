/** Programs that reach for what is around them: by what they import, by paths, by calls, and from outside of their sandbox. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleLine } from '../../../engine/model/recording.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import { captureCalls } from '../../../engine/cuda/runtime/capture.ts';
import { deviceCalls, deviceQueries, errorQueries } from '../../../engine/cuda/runtime/devices.ts';
import { driverCalls, driverQueries } from '../../../engine/cuda/driver/index.ts';
import { graphCalls, hostFunctionCalls } from '../../../engine/cuda/runtime/graph-calls.ts';
import { kernelCalls, kernelQueries } from '../../../engine/cuda/runtime/launch.ts';
import { memoryCalls } from '../../../engine/cuda/runtime/memory.ts';
import { poolCalls } from '../../../engine/cuda/runtime/pools.ts';
import { streamCalls } from '../../../engine/cuda/runtime/streams.ts';
import { textureCalls } from '../../../engine/cuda/runtime/textures.ts';
import { userObjectCalls } from '../../../engine/cuda/runtime/user-objects.ts';
import { record } from '../../../engine/recording/record.ts';
import { attempt, type AbuseOptions, type Section } from '../section.ts';
import { escaped } from './escaped.ts';
import { moduleWith, type, type Import } from './modules.ts';
import { runModule, type Outcome } from './run-module.ts';
import { hostileSources } from './sources.ts';
import { beyondPermissions } from './ways.ts';

const objectNames = [
  ...['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'],
  ...['__defineGetter__', '__lookupGetter__', 'call', 'apply', 'bind', 'eval', 'Function', 'process', 'require'],
];
const ownModules = ['env', 'linux'];
const otherModules = [
  ...['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', '', 'plain', 'suspending', 'simsight'],
  ...['wasm:js-string', 'wasm:text-encoder', 'node:fs', 'node:child_process', 'GOT.mem', 'wasi_snapshot_preview1'],
];

/** A module that imports what it must not is refused before anything of it runs. */
const refused = ({ error, exitCode }: Outcome): string | null =>
  error?.code === 'unsupported-construct' ? null : `it was not refused: ${error?.message ?? `exit ${exitCode}`}`;

/** A call may fail, and end the program, but as something that was foreseen. */
const foreseen = ({ error }: Outcome): string | null =>
  error?.code === 'internal' ? `a fault in Simsight: ${error.message}` : null;

function hostileImports(): { name: string; module: Uint8Array<ArrayBuffer>; judge: typeof refused }[] {
  const byName = [
    ...ownModules.flatMap((module) => objectNames.map((name) => ({ module, name }))),
    ...otherModules.flatMap((module) => objectNames.slice(0, 4).map((name) => ({ module, name }))),
  ];
  const references: [string, Import][] = [
    ['takes a reference', { module: 'env', name: 'cudaGetDevice', parameters: [type.externref] }],
    ['gives a reference', { module: 'env', name: 'cudaGetDevice', results: [type.externref] }],
    ['takes a function', { module: 'env', name: 'cudaGetDevice', parameters: [type.funcref] }],
    ['gives a function', { module: 'linux', name: 'call', results: [type.funcref] }],
    ['a table', { module: 'env', name: 'cudaGetDevice', kind: 'table' }],
    ['a memory', { module: 'env', name: 'memory', kind: 'memory' }],
    ['a global', { module: 'env', name: '__stack_pointer', kind: 'global' }],
    ['a table of another module', { module: 'constructor', name: 'prototype', kind: 'table' }],
  ];
  return [
    ...byName.map((each) => ({ name: `import ${JSON.stringify(each)}`, module: moduleWith([each]), judge: refused })),
    ...references.map(([name, each]) => ({ name: `import: ${name}`, module: moduleWith([each]), judge: refused })),
  ];
}

/** Every call of the runtime, each with arguments that are no pointers, no handles and no sizes. */
function hostileCalls(): { name: string; module: Uint8Array<ArrayBuffer>; judge: typeof refused }[] {
  const calls = Object.keys({
    ...{ ...memoryCalls, ...poolCalls, ...textureCalls, ...streamCalls, ...captureCalls, ...graphCalls },
    ...{ ...hostFunctionCalls, ...userObjectCalls, ...kernelCalls, ...deviceCalls, ...driverCalls },
    ...{ ...deviceQueries, ...errorQueries, ...kernelQueries, ...driverQueries },
  });
  const imports = calls.map((name): Import => ({
    ...{ module: 'env', name, results: [type.i32] },
    parameters: Array.from({ length: 12 }, () => type.i32),
  }));
  return [-1, 0x7fff_fff0, 0].flatMap((value) =>
    imports.map((each) => ({ name: `${each.name}(${value}, …)`, module: moduleWith([each], value), judge: foreseen })),
  );
}

/** Names by which a program may reach nothing: see `folderFor`. (`/` alone is its own folder.) */
const hostilePaths = [
  ...['..', '../', '../..', '../outside', '../outside/secret.txt', './../outside/secret.txt', 'sub/../../outside'],
  ...['sub/../../outside/secret.txt', 'sub/./.././../outside/secret.txt', '..//outside//secret.txt', '/etc'],
  ...['/etc/passwd', '//etc/passwd', '/proc/self/environ', '/proc/self/fd/0', '/dev/stdout', '/tmp'],
  ...[
    'link',
    'link/',
    'linked-folder',
    'linked-folder/secret.txt',
    'linked-folder/new',
    'dangling',
    'up',
    'up/outside',
  ],
  ...[
    'up/outside/secret.txt',
    'loop',
    'loop/x',
    'linked-twice',
    'linked-twice/secret.txt',
    'sub/link',
    'root/etc/passwd',
  ],
  ...['..\\outside\\secret.txt', '..%2foutside%2fsecret.txt', '%2e%2e/outside/secret.txt', 'file:///etc/passwd'],
  ...[
    '\u2025/outside',
    '..\u2215outside',
    `${'sub/../'.repeat(200)}../outside/secret.txt`,
    `${'../'.repeat(60)}etc/passwd`,
  ],
  ...['~/.ssh', '$HOME', 'C:\\Windows', '\\\\server\\share', 'con', 'sub/../..', './/../outside/secret.txt'],
];

/** A source's folder, with links that lead out of it, beside one that it must not reach. */
function folderFor(folder: string): { inside: string; outside: string; writable: string } {
  const [inside, outside] = [join(folder, 'inside'), join(folder, 'outside')];
  const writable = join(inside, 'out');
  for (const each of [join(inside, 'sub'), outside, writable]) mkdirSync(each, { recursive: true });
  writeFileSync(join(outside, 'secret.txt'), secretText);
  const links: [name: string, target: string][] = [
    ...[['link', '../outside/secret.txt'] as const, ['linked-folder', outside] as const, ['up', '..'] as const],
    ...[['dangling', '../outside/new'] as const, ['loop', 'loop'] as const, ['linked-twice', 'linked-folder'] as const],
    ...[['sub/link', '../../outside/secret.txt'] as const, ['root', '/'] as const],
  ].map(([name, target]) => [name, target]);
  for (const [name, target] of links) symlinkSync(target, join(inside, name));
  // The writable folder has links out of it as well.
  for (const [name, target] of [
    ['link', '../../outside/secret.txt'],
    ['linked-folder', outside],
    ['dangling', '../../outside/new'],
  ] as const)
    symlinkSync(target, join(writable, name));
  return { inside, outside, writable };
}

const secretText = 'The secret that nobody may read.\n';

/** All that is in a folder, to see whether anything of it has changed. */
function imageOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const info = statSync(path);
    hash.update(`${name} ${info.mode} ${info.mtimeMs} `);
    if (info.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

interface Recorded {
  printed: string;
  error: SimsightError | null;
}

async function recordSource(source: string, folder: string, args: string[], writable?: string): Promise<Recorded> {
  let printed = '';
  const take = (lines: ConsoleLine[]): void => void (printed += lines.map(({ text }) => text).join(''));
  try {
    await record({
      ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], arguments: args, environment: [] },
      ...(writable === undefined ? {} : { writableFolder: writable }),
      ...{ cacheFolder: join(folder, 'cache'), recordingsFolder: join(folder, 'recordings') },
      keepTrace: false,
      maxSeconds: 20,
      onProgress: ({ console }) => take(console),
    });
    return { printed, error: null };
  } catch (error) {
    if (!(error instanceof SimsightError)) throw error;
    return { printed: `${printed}${error.message}${error.details}`, error };
  }
}

async function inPairs<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

async function run(options: AbuseOptions): Promise<void> {
  const { folder } = options;
  const { inside, outside, writable } = folderFor(folder);
  const before = imageOf(outside);
  const untouched = (): string | null => (imageOf(outside) === before ? null : 'something outside was changed');

  const modules = [...hostileImports(), ...hostileCalls()].slice(0, options.count);
  await inPairs(modules, async ({ name, module, judge }) =>
    attempt(options, name, async () => judge(await runModule(module, inside))),
  );

  for (const { name, source } of hostileSources.slice(0, options.count)) {
    const path = join(inside, 'hostile.cu');
    writeFileSync(path, source);
    await attempt(options, `source: ${name}`, async () => {
      const { printed, error } = await recordSource(path, folder, []);
      if (/ESCAPED|WRONG/.test(printed)) return printed;
      if (printed.includes(secretText.trim())) return 'it read the secret';
      return error?.code === 'internal' ? `a fault in Simsight: ${error.message}` : untouched();
    });
  }

  const paths = join(inside, 'paths.cu');
  copyFileSync(join(import.meta.dirname, 'paths.cu'), paths);
  const ways: [what: string, prefix: string, args: string[], writable: string | undefined][] = [
    ['from a folder to read', '', hostilePaths, undefined],
    ['from a folder to write', 'out/', ['link', 'linked-folder/secret.txt', 'linked-folder/new', 'dangling'], writable],
    ['above a folder to write', 'out/', ['../../outside/secret.txt', 'linked-folder/../../outside/new'], writable],
  ];
  for (const [what, prefix, names, to] of ways) {
    const args = names.slice(0, options.count).map((name) => prefix + name);
    const { printed, error } = await recordSource(paths, folder, args, to);
    for (const name of args)
      await attempt(options, `path ${what}: ${name.slice(0, 80)}`, () => {
        if (!printed.includes(`tried ${args.length}`)) return `the program did not come to its end: ${error?.message}`;
        const worked = printed.split('\n').filter((line) => line.endsWith(`\t${name}`));
        return worked.length > 0 ? worked.join('; ') : untouched();
      });
  }

  for (const walls of ['rights', 'all'] as const) {
    for (const { name, worked } of await escaped(join(folder, `escaped-${walls}`), walls)) {
      if (walls === 'rights' && beyondPermissions.some((pattern) => pattern.test(name))) continue;
      await attempt(options, `${name} (${walls === 'all' ? 'with all walls' : 'with rights alone'})`, () =>
        worked ? 'it worked' : null,
      );
    }
  }
}

export const escapes: Section = {
  name: 'escapes',
  title: 'programs that reach for what is around them: nothing outside is read, changed, started or called',
  run,
};
