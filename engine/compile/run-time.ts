/** Sources that a program has compiled while it runs: the options of NVRTC, and module images from texts. */
import { join, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { imageOf } from '../base/module-image.ts';
import { root } from '../base/paths.ts';
import type { RunTimeModule, RunTimeSource } from '../model/run-time-compilation.ts';
import type { CacheOptions } from './cache.ts';
import { CompileError } from './diagnostics.ts';
import { modulePass } from './images.ts';
import { withinFolders, type Refusal } from './sources.ts';
import { storedUnit } from './stored-units.ts';
import { checkPasses, unitOf } from './units.ts';
import type { CompileRequest, DeviceMath, SourceOptions } from './types.ts';

type Options = SourceOptions & { isDefaultDevice?: boolean };
type Take = (options: Options, value: string) => void;

const math =
  (key: keyof DeviceMath): Take =>
  (options, value) =>
    void ((options.math ??= {})[key] = value === 'true');

/** Options with a value, by all their names. */
const valued: [names: string[], take: Take][] = [
  [['-I', '--include-path'], ({ includeFolders }, value) => void includeFolders.push(value)],
  [['-D', '--define-macro'], ({ defines }, value) => void defines.push(value)],
  [['-U', '--undefine-macro'], (options, value) => void (options.undefines ??= []).push(value)],
  [['-include', '--pre-include'], (options, value) => void (options.forcedIncludes ??= []).push(value)],
  [['-std', '--std'], (options, value) => void (options.standard = value)],
  [['-maxrregcount', '--maxrregcount'], (options, value) => void (options.maxRegisters = Number(value))],
  [['-use_fast_math', '--use_fast_math'], (options) => void ((options.math ??= {}).fastMath = true)],
  [['-ftz', '--ftz'], math('ftz')],
  [['-prec-div', '--prec-div'], math('precDiv')],
  [['-prec-sqrt', '--prec-sqrt'], math('precSqrt')],
  [['-fmad', '--fmad'], math('fmad')],
  [['-default-device', '--device-as-default-execution-space'], (options) => void (options.isDefaultDevice = true)],
];

/** Options that change nothing here: where code goes, what is known of it besides, how it is made. */
const withoutEffect =
  /^--?(?:arch|gpu-architecture|rdc|relocatable-device-code|dc|dw|device-c|device-w|G|device-debug|lineinfo|generate-line-info|dopt|Ofast-compile|fdevice-time-trace|dlto|dlink-time-opt|gen-opt-lto|extra-device-vectorization|restrict|w|disable-warnings|Wreorder|warning-as-error|diag-\w+|pch\w*|create-pch|use-pch|modify-stack-limit|split-compile|minimal|ewp|extensible-whole-program|jump-table-density|time|device-int128|device-float128|optimization-info|version-ident|builtin-move-forward|builtin-initializer-list|no-source-include|no-cache|ptxas-options|Xptxas|no-display-error-number|brief-diagnostics|device-stack-protector|frandom-seed|device-syntax-only)(?:=.*|$)/;

/** The options that words stand for, or the word that NVRTC would refuse. */
function optionsOf(words: readonly string[]): Options | { refused: string } {
  const options: Options = { includeFolders: [], defines: ['__CUDACC_RTC__=1'] };
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!.trim();
    const [row, name] = rowOf(word) ?? [];
    if (row !== undefined) {
      let value = word.slice(name!.length).replace(/^[=\s]+/, '');
      // `-I`, and the folder as the next one.
      if (value === '' && /^-(?:I|D|U|include)$/.test(word)) value = words[++i] ?? '';
      row(options, value);
    } else if (!withoutEffect.test(word)) return { refused: word };
  }
  return options;
}

function rowOf(word: string): [Take, name: string] | undefined {
  for (const [names, take] of valued)
    for (const name of names)
      if (word === name || word.startsWith(`${name}=`) || (/^-(?:[IDU]|include )/.test(word) && word.startsWith(name)))
        return [take, name];
  return undefined;
}

/** The folder of headers that are handed over as texts: no folder of anybody's. */
const headerFolder = join(root, 'nvrtc');
/** What NVRTC knows without a header. */
const builtIn = 'built-in.h';
const markOfName = '__simsight_name_';

/**
 * Compiles what a program hands over for its GPU. Files are read from `folders` only. What is wrong with the source or the options is in the result;
 * errors: `budget-exceeded`, `cancelled`.
 */
export async function compileText(
  { name, text, headers, options: words, expressions }: RunTimeSource,
  folders: readonly string[],
  computeCapability: CompileRequest['computeCapability'],
  options: CacheOptions,
): Promise<RunTimeModule> {
  const nothing = { image: null, names: [] };
  const own = optionsOf(words);
  if ('refused' in own)
    return { ...nothing, result: 'invalid-option', log: `error: unrecognized option ${own.refused} found\n` };
  const { isDefaultDevice = false, ...sourceOptions } = own;
  const folder = folders[0] ?? headerFolder;
  // Any name will do for the text; the file's decides what it is taken for.
  const source = resolve(folder, /\.cu$/.test(name) ? name : `${name === '' ? 'default_program' : name}.cu`);
  const given = new Map([[source, withNames(text, expressions)]]);
  for (const header of headers) given.set(join(headerFolder, header.name), header.text);
  const pragma = isDefaultDevice ? '#pragma clang force_cuda_host_device begin\n' : '';
  given.set(join(headerFolder, builtIn), `#include <assert.h>\n${pragma}`);
  const request: CompileRequest = {
    ...sourceOptions,
    sources: [source],
    computeCapability,
    includeFolders: [headerFolder, ...sourceOptions.includeFolders.map((each) => resolve(folder, each))],
    forcedIncludes: [builtIn, ...(sourceOptions.forcedIncludes ?? [])],
  };
  const refusals: Refusal[] = [];
  const encoder = new TextEncoder();
  const unit = unitOf(source, request, {
    language: 'cuda',
    mayRead: withinFolders([...folders, headerFolder]),
    onRefused: (one) => void refusals.push(one),
    given: new Map([...given].map(([path, content]) => [path, encoder.encode(content)])),
  });
  if (unit.cccl !== null)
    return { ...nothing, result: 'failed', log: `${name}: error: headers of CCCL cannot be compiled at run time\n` };
  const passes = await modulePass(unit, options);
  try {
    const { text: log } = checkPasses(passes, source, { refusals, isGranted: false, includeFolders: [] });
    const ir = new TextDecoder().decode(passes[0]!.outputs[0]![1]);
    return {
      result: 'compiled',
      log,
      image: imageOf(JSON.stringify(storedUnit(unit))),
      names: namesIn(ir, expressions),
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { ...nothing, result: 'failed', log: error.details };
  }
}

/** The text with a function for each name, which makes an instance of what it names, and by which its mangled name is found. */
function withNames(text: string, expressions: readonly string[]): string {
  if (expressions.length === 0) return text;
  const functions = expressions.map(
    (each, i) =>
      `extern "C" __device__ __attribute__((used)) const void *${markOfName}${i}() { return (const void *)(${each}); }\n`,
  );
  return `${text}\n#line 1 "name expressions"\n${functions.join('')}`;
}

/** Mangled names, of the functions that {@link withNames} has added. */
function namesIn(ir: string, expressions: readonly string[]): string[] {
  return expressions.map((expression, i) => {
    const body = new RegExp(`^define [^\\n]*@${markOfName}${i}\\([^]*?^}`, 'm').exec(ir)?.[0] ?? '';
    const name = /\bret ptr (?:addrspacecast \(ptr addrspace\(\d\) )?@(?:"([^"]+)"|([\w.$]+))/.exec(body);
    if (!name) throw new SimsightError('internal', `The name ${expression} was not found in what it was compiled to.`);
    return name[1] ?? name[2]!;
  });
}
