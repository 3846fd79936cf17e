/**
 * Full C++ names from mangled ones. The demangler is the C++ library's own (`__cxa_demangle` of libc++abi, in the
 * compiler's package), linked once into a module of 100 kB and cached like any compilation.
 */
import { runCached, type CacheOptions } from './cache.ts';
import { SimsightError } from '../base/errors.ts';

const source = `
char *__cxa_demangle(const char *, char *, unsigned long *, int *);
char *demangle(const char *name) { int status; return __cxa_demangle(name, 0, 0, &status); }
`;

interface Demangler {
  memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(address: number): void;
  demangle(name: number): number;
}

/** Bytes. Of an ordinary program a megabyte is used. */
const mostMemory = 64 * 2 ** 20;

const demanglers = new Map<string, Promise<Demangler>>();

async function buildDemangler(options: CacheOptions): Promise<Demangler> {
  const encoder = new TextEncoder();
  const compiled = await runCached(
    {
      arguments: [
        'clang',
        '-cc1',
        '-triple',
        'wasm32-unknown-wasip1',
        '-O2',
        '-emit-obj',
        '-x',
        'c',
        '-o',
        '/d.o',
        '/d.c',
      ],
      files: [['/d.c', encoder.encode(source)]],
      outputs: ['/d.o'],
    },
    options,
  );
  const object = compiled.outputs[0];
  const linked = object
    ? await runCached(
        {
          arguments: [
            'wasm-ld',
            '-L/usr/lib/wasm32-wasip1',
            '/d.o',
            '--no-entry',
            // A short name may stand for one that grows without end.
            `--max-memory=${mostMemory}`,
            ...['demangle', 'malloc', 'free'].map((name) => `--export=${name}`),
            '-lc++abi',
            '-lc',
            '/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a',
            '-o',
            '/d.wasm',
          ],
          files: [['/d.o', object[1]]],
          outputs: ['/d.wasm'],
        },
        options,
      )
    : compiled;
  const binary = linked.outputs[0];
  if (linked.outcome !== 'success' || !binary) {
    throw new SimsightError('internal', `The demangler cannot be built: ${linked.messages}`);
  }
  const module = await WebAssembly.compile(binary[1]);
  const imports: Record<string, Record<string, () => number>> = {};
  // The C library's output functions are linked in, but a demangler never calls them.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 52;
  const instance = await WebAssembly.instantiate(module, imports);
  return instance.exports as unknown as Demangler;
}

function demangleOne(demangler: Demangler, name: string): string {
  if (!name.startsWith('_Z')) return name;
  const bytes = new TextEncoder().encode(`${name}\0`);
  const input = demangler.malloc(bytes.length);
  new Uint8Array(demangler.memory.buffer).set(bytes, input);
  const output = demangler.demangle(input);
  demangler.free(input);
  if (output === 0) return name;
  const memory = new Uint8Array(demangler.memory.buffer);
  const text = new TextDecoder().decode(memory.subarray(output, memory.indexOf(0, output)));
  demangler.free(output);
  return asNsysPrints(text);
}

/**
 * One type name, with template arguments (one level of nesting) or as several words: `unsigned int`, `Pair<A, B>`. It begins where a
 * word does: looked for from each of its letters on, a name of a million would take a million times as long.
 */
const typeName = '(?<![\\w:])(?:(?:unsigned|signed|long|short) ){0,3}[\\w:]+(?:<(?:[^<>]|<[^<>]*>)*>)?';
const constAfter = new RegExp(`(${typeName}) const(?=[*&])`, 'g');

/** cu++filt writes `const float *` where libc++abi prints `float const*`. */
export function asNsysPrints(name: string): string {
  return name.replace(constAfter, 'const $1').replace(/([\w>)\]])([*&]+)/g, '$1 $2');
}

/** Names that are not mangled come back as they are. */
export async function demangle(names: string[], options: CacheOptions): Promise<string[]> {
  if (!names.some((name) => name.startsWith('_Z'))) return [...names];
  let demangler = demanglers.get(options.cacheFolder);
  if (!demangler) {
    demangler = buildDemangler(options);
    demanglers.set(options.cacheFolder, demangler);
    // A cancelled build must not be remembered.
    demangler.catch(() => demanglers.delete(options.cacheFolder));
  }
  const ready = await demangler;
  return names.map((name) => {
    try {
      return demangleOne(ready, name);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      // Out of memory: it stays as it is, and the next program gets a demangler of its own.
      demanglers.delete(options.cacheFolder);
      return name;
    }
  });
}

const closers: Record<string, string> = { '>': '<', ')': '(' };

/** Start of the bracket that closes at `end`; operators such as `operator<<` never end there. */
function openingOf(text: string, end: number): number {
  const open = closers[text[end]!]!;
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (text[at] === text[end] && text[at - 1] !== '-') depth++;
    else if (text[at] === open && --depth === 0) return at;
  }
  return -1;
}

/**
 * The name alone, as Nsight shows it in a row: `void ns::scale<float>(float *, int)` is `scale`.
 * Return type, scopes, template arguments and parameters are left out.
 */
export function shortName(demangled: string): string {
  const name = demangled.replaceAll('(anonymous namespace)', '');
  let end = name.length;
  if (name[end - 1] === ')') {
    const start = openingOf(name, end - 1);
    if (start > 0) end = start;
  }
  while (
    name[end - 1] === '>' &&
    !/operator(?:>|>>|->|<=>)$/.test(name.slice(Math.max(0, end - longestOperator), end))
  ) {
    const start = openingOf(name, end - 1);
    if (start <= 0) break;
    end = start;
  }
  // The rest is `type scope<…>::name`: the name follows the last blank or colon outside of brackets.
  const line = name.slice(Math.max(...lineEnds.map((each) => name.lastIndexOf(each, end - 1) + 1)), end);
  const operator = line.search(/operator\b/);
  if (operator >= 0) return line.slice(operator);
  let start = end;
  while (start > 0 && !/[\s:>]/.test(name[start - 1]!)) start--;
  return name.slice(start, end) || demangled;
}
const longestOperator = 'operator<=>'.length;
const lineEnds = ['\n', '\r', '\u2028', '\u2029'];
