/**
 * Precompiled standard headers. Parsing the C++ library is three quarters of what compiling a small program costs, and
 * does not change between recordings; so the standard headers that a source includes are compiled first, once, and kept.
 *
 * The output is the same to the byte (but for `!srcloc` of inline assembly, which nothing reads): exactly the headers
 * that the source includes anyway, and only those before anything that could change their meaning.
 */
import { basename } from 'node:path';
import { runCached, type CacheOptions } from './cache.ts';
import type { ToolRun } from './clang.ts';
import {
  headerArguments,
  headerFolder,
  precompiledFile,
  withPrecompiled,
  type PrecompiledPass,
  type Translation,
} from './flags.ts';
import { isInHeaders } from './header-names.ts';
import { layOut, withCommentsAndStrings } from './sources.ts';
import type { SourceLanguage } from './types.ts';

/** Without `cassert` and `assert.h`, which mean something else each time they are included. */
const standardHeaders = new Set(
  `algorithm any array atomic bitset cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath
   compare complex concepts condition_variable csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar
   cwctype deque exception execution filesystem forward_list fstream functional future initializer_list iomanip ios
   iosfwd iostream istream iterator limits list locale map memory mutex new numbers numeric optional ostream queue
   random ranges ratio regex set span sstream stack stdexcept streambuf string string_view system_error thread tuple
   type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
   ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h stdarg.h stddef.h stdint.h stdio.h stdlib.h
   string.h time.h wchar.h`.split(/\s+/),
);

/**
 * Headers cheaper to read than to precompile (0.02 s of 0.2 s at most, where `<vector>` costs 2 s): they are left
 * to the source, so that programs which differ by them share their precompiled headers.
 */
const lightHeaders = new Set(
  `cctype cerrno cfenv cfloat cinttypes climits clocale csignal cstdarg cstddef cstdint cstdio cstring ctime cwchar cwctype
   exception initializer_list limits ratio type_traits version
   ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h stdarg.h stddef.h stdint.h stdio.h string.h time.h
   wchar.h`.split(/\s+/),
);

const keywords = new Set(
  `auto bool break case catch char class const constexpr continue default delete do double else enum explicit export
   extern false float for friend goto if inline int long mutable namespace new operator private protected public
   register return short signed sizeof static struct switch template this throw true try typedef typename union
   unsigned using virtual void volatile while`.split(/\s+/),
);

/** A directive other than those of loops, of threads, and of what is warned of, which mean nothing to headers. */
const otherPragma =
  /^[ \t]*#[ \t]*pragma[ \t]+(?!once|unroll|nv_|omp|simd|ivdep|vector|warning|message|(?:GCC|clang)[ \t]+(?:diagnostic|unroll|ivdep|loop)\b)\w/m;

/** Comments and strings gone, continued lines joined: what is left of a `#` at the start of a line is a directive. */
const plain = (text: string): string =>
  withCommentsAndStrings(text.replace(/\\\r?\n/g, ' '), (found) => (found.startsWith('"') ? found : ' '));

/**
 * The standard headers that the files (a source and the user's headers) include; null when they cannot be compiled apart:
 * some are included conditionally, others of the C++ library come on top, or a directive may change what they say (a
 * macro with a reserved name that they have or a keyword's, a `#pragma`). Sorted: their order means nothing, and sources share what they
 * have in common.
 */
export function standardIncludes(files: Map<string, Uint8Array>): string[] | null {
  const decoder = new TextDecoder();
  const found = new Set<string>();
  const texts = [...files.values()].map((bytes) => plain(decoder.decode(bytes)));
  for (const text of texts) {
    const guard = guardOf(text);
    for (const [, name] of text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)/gm)) {
      // Which of several files is read first is not known here.
      if (changesHeaders(name!, guard) && isInHeaders(name!)) return null;
    }
    if (otherPragma.test(text) || /\b_Pragma\b/.test(text)) return null;
  }
  const shadowed = new Set([...files.keys()].map((path) => path.split(/[\\/]/).at(-1)!));
  const others = new Set<string>();
  for (const text of texts) {
    const guard = guardOf(text);
    let depth = 0;
    for (const [, directive, rest] of text.matchAll(/^[ \t]*#[ \t]*(\w+)[ \t]*(.*)$/gm)) {
      if (directive!.startsWith('if')) depth += directive === 'ifndef' && rest!.trim() === guard ? 0 : 1;
      else if (directive === 'endif') depth = Math.max(depth - 1, 0);
      const name = directive === 'include' ? /^<([^>]+)>/.exec(rest!)?.[1] : undefined;
      if (name === undefined || shadowed.has(name)) continue;
      if (depth === 0 && standardHeaders.has(name)) found.add(name);
      // Without a dot or a folder: the C++ library's. Light ones are left to the source wherever they are.
      else if (/^\w+$/.test(name) && name !== 'cassert' && !lightHeaders.has(name)) others.add(name);
    }
  }
  return [...others].every((name) => found.has(name)) ? [...found].sort() : null;
}

/** X of a header that begins with `#ifndef X` and `#define X` on the next line; null without. */
function guardOf(text: string): string | null {
  const begin = /^\s*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n\s*#[ \t]*define[ \t]+(\w+)\b/.exec(text);
  return begin !== null && begin[1] === begin[2] ? begin[1]! : null;
}

function changesHeaders(name: string, guard: string | null): boolean {
  return keywords.has(name) || (/^_|^NDEBUG$|^SIMSIGHT/.test(name) && name !== guard);
}

const nameOf = (define: string): string => /^\w*/.exec(define)![0];

/** Bytes of a precompiled header before a name that means something in it: the length with the final zero, and that of what is said of it. */
function hasName(binary: Buffer, name: string): boolean {
  const key = Buffer.from(`${name}\0`, 'latin1');
  for (let at = binary.indexOf(key); at >= 0; at = binary.indexOf(key, at + 1)) {
    if (binary[at - 2] === key.length) return true;
  }
  return false;
}

/** Name in every precompiled header: all headers of the C library have it. Where they do not have it, they have another form. */
const knownName = 'size_t';

/** True if headers that were compiled without a macro are the same with it: none of them gives its name a meaning or asks for it. */
function areWithout(name: string, binary: Buffer, ourHeaders: string): boolean {
  const asked = new RegExp(`^[ \\t]*#[ \\t]*(?:el)?if.*\\b${name}\\b`, 'm');
  return hasName(binary, knownName) && !hasName(binary, name) && !asked.test(ourHeaders);
}

/**
 * The standard headers that cuda_runtime.h includes in C++, which every `.cu` file begins with: to include them again changes
 * nothing, so programs that differ by these alone share their precompiled headers.
 */
function includedAnyway(ours: [path: string, bytes: Uint8Array][]): Set<string> {
  const [, bytes] = ours.find(([path]) => path === `${headerFolder}/cuda_runtime.h`)!;
  const included = new TextDecoder().decode(bytes).matchAll(/^#include <(\w+(?:\.h)?)>/gm);
  return new Set([...included].map(([, name]) => name!).filter((name) => standardHeaders.has(name)));
}

/** Both passes over a `.cu` file begin with the same headers; sources in C have none that are worth it. */
export const precompilesAs = (language: SourceLanguage): 'device' | 'c++' | null =>
  language === 'cuda' ? 'device' : language === 'c++' ? 'c++' : null;

/** The headers that are precompiled for files, but for what is included anyway and what costs little; null where that cannot be. */
export function headersToPrecompile(
  userFiles: Map<string, Uint8Array>,
  pass: PrecompiledPass,
  ours = layOut(new Map()),
): string[] | null {
  const names = standardIncludes(userFiles);
  const known = pass === 'c++' ? new Set<string>() : includedAnyway(ours);
  return names?.filter((name) => !known.has(name) && !lightHeaders.has(name)) ?? null;
}

/**
 * The same run with the standard headers of the source already compiled. Compiles them first if they are not kept yet;
 * when they do not compile alone, it is the run as it was. Macros of the command line that the headers do not know are left
 * out there, so that a program's sizes (`-D TILE=16`) share them: Clang adds macros that precompiled headers lack.
 */
export async function withStandardHeaders(
  run: ToolRun,
  translation: Translation,
  pass: PrecompiledPass,
  userFiles: Map<string, Uint8Array>,
  options: CacheOptions,
): Promise<ToolRun> {
  const { forcedIncludes = [], undefines = [] } = translation.request;
  if (forcedIncludes.length + undefines.length > 0) return run;
  const ours = layOut(new Map());
  const own = headersToPrecompile(userFiles, pass, ours);
  if (own === null) return run;
  const more = own.filter((name) => translation.headers?.includes(name) ?? true);
  if (pass === 'c++' && more.length === 0) return run;
  const text = more.map((name) => `#include <${name}>\n`).join('');
  const source: [string, Uint8Array] = [precompiledFile.source, new TextEncoder().encode(text)];
  const compiled = async (defines: string[]): Promise<Uint8Array | null> => {
    const alone = { ...translation, request: { ...translation.request, defines } };
    const { outcome, outputs } = await runCached(
      {
        arguments: headerArguments(alone, pass),
        files: [...ours, source],
        library: run.library ?? null,
        outputs: ['-'],
        of: { name: `the standard headers of ${basename(translation.source)}`, file: '' },
      },
      options,
    );
    return outcome === 'success' ? outputs[0]![1] : null;
  };
  const { defines } = translation.request;
  const changing = defines.filter((define) => changesHeaders(nameOf(define), null));
  let headers = await compiled(changing);
  if (headers && changing.length < defines.length) {
    const binary = Buffer.from(headers.buffer, headers.byteOffset, headers.length);
    const ourText = ours.map(([, bytes]) => new TextDecoder().decode(bytes)).join('\n');
    const alike = defines.every((define) => changing.includes(define) || areWithout(nameOf(define), binary, ourText));
    if (!alike) headers = await compiled(defines);
  }
  if (!headers) return run;
  return {
    ...run,
    arguments: withPrecompiled(run.arguments),
    files: [...run.files, source, [precompiledFile.binary, headers]],
  };
}
