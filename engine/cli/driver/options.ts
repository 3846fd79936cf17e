/**
 * Command lines of compilers, as makefiles write them: nvcc's, and those of gcc, which nvcc passes on with `-Xcompiler`. A table has each option
 * with its spellings and what it does; `-o x`, `-o=x`, `--output-file=x` and `-Ifolder` are read alike.
 */
import { resolve } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { isToolkit } from '../../compile/index.ts';
import type { SourceLanguage, SourceOptions } from '../../compile/types.ts';
import { fileError } from '../../base/errors.ts';
import { usageError } from '../command.ts';

export type DriverName = 'nvcc' | 'cc' | 'c++';
export type Phase =
  | 'link'
  | 'compile'
  | 'device-link'
  | 'preprocess'
  | 'dependencies'
  | 'library'
  | 'fatbin'
  | 'cubin'
  | 'ptx'
  | 'version';

export interface Input {
  path: string;
  /** As `-x` says; absent: by its name. */
  language?: SourceLanguage;
}

/** A command line, read. */
export interface DriverOptions {
  phase: Phase;
  inputs: Input[];
  output?: string;
  outputFolder?: string;
  relocatable: boolean;
  source: SourceOptions;
  computeCapability: { major: number; minor: number } | null;
  libraries: string[];
  libraryFolders: string[];
  openmp: boolean;
  /** Rule of make beside the object. */
  dependencies: { wanted: boolean; file?: string; targets: string[]; phony: boolean };
  /** A shared library is linked: its units are those of whoever links it. */
  shared: boolean;
  /** What it does is said (`-v`), or nothing but said (`-dryrun`). */
  shown: 'too' | 'only' | null;
  /** Sentences on options that are not modelled, each once. */
  notes: Set<string>;
}

interface State extends DriverOptions {
  name: DriverName;
  language: SourceLanguage | undefined;
}

interface Option {
  names: readonly string[];
  /** The value may be part of the word: `-Ifolder`. */
  attached?: true;
  /** Several, between commas. */
  list?: true;
  does: ((state: State, value: string) => void) | null;
  /** The option is alone. */
  alone?: true;
}

const alone = (names: string, does: Option['does'] = null): Option => ({ names: names.split(' '), does, alone: true });
const value = (names: string, does: Option['does'] = null): Option => ({ names: names.split(' '), does });
const attached = (names: string, does: Option['does'] = null): Option => ({ ...value(names, does), attached: true });
const list = (option: Option): Option => ({ ...option, list: true });

/** Headers of the system: ours stand for them, as for a toolkit's. */
const isSystems = (folder: string): boolean => /^\/usr\/include(?:\/x86_64-linux-gnu)?$/.test(folder);

function addFolder(folders: string[], name: string): void {
  const folder = resolve(name);
  // Compilers pass over folders that are not there.
  if (existsSync(folder) && !isToolkit(folder) && !isSystems(folder)) folders.push(folder);
}

const nameOf = (define: string): string => /^[^=(]*/.exec(define)![0];

function define(state: State, text: string): void {
  state.source.undefines = (state.source.undefines ?? []).filter((name) => name !== nameOf(text));
  state.source.defines.push(text);
}

function undefine(state: State, name: string): void {
  state.source.defines = state.source.defines.filter((text) => nameOf(text) !== name);
  (state.source.undefines ??= []).push(name);
}

const languages: Readonly<Record<string, SourceLanguage>> = { c: 'c', 'c++': 'c++', cu: 'cuda', cuda: 'cuda' };

function setLanguage(state: State, name: string): void {
  if (name !== 'none' && languages[name] === undefined)
    throw usageError(`${state.name}: -x ${name} is no language.`, `Use one of ${Object.keys(languages).join(', ')}.`);
  state.language = languages[name];
}

function setStandard(state: State, name: string): void {
  const asClang = name.replace(/^iso9899:/, 'c');
  if (!/^(?:c|gnu)(?:\+\+)?\w\w$/.test(asClang))
    throw usageError(`${state.name}: -std=${name} is no standard of C or C++.`, 'For example: -std=c++17.');
  state.source.standard = asClang;
}

/** Of several architectures the first counts; `native` and `all` are left to the recording. */
function setArchitecture(state: State, text: string): void {
  const [, major, minor] = /(?:sm|compute|lto)_(\d+)(\d)[af]?\b/.exec(text) ?? [];
  if (major !== undefined) state.computeCapability ??= { major: Number(major), minor: Number(minor) };
}

const images: readonly Phase[] = ['ptx', 'cubin', 'fatbin'];

const setPhase =
  (phase: Phase) =>
  (state: State): void => {
    if (images.includes(phase) && images.includes(state.phase) && phase !== state.phase)
      throw usageError(`${state.name}: only one of -ptx, -cubin and -fatbin can be made at a time.`, '');
    // `nvcc -c -dc` is one thing.
    state.phase = phase;
  };

function isTrue(state: State, name: string, text: string): boolean {
  if (!/^(?:true|false)$/.test(text))
    throw usageError(`${state.name}: -${name} cannot be "${text}".`, 'Use true or false.');
  return text === 'true';
}

const math =
  (key: 'ftz' | 'precDiv' | 'precSqrt' | 'fmad', name: string) =>
  (state: State, text: string): void =>
    void ((state.source.math ??= {})[key] = isTrue(state, name, text));

const note =
  (text: string) =>
  (state: State): void =>
    void state.notes.add(text);

const notHere =
  (what: string) =>
  (state: State): never => {
    throw usageError(`${state.name}: ${what}.`, 'Leave the option out.');
  };

/** What nvcc and gcc have in common. */
const common: readonly Option[] = [
  value('-o --output-file', (state, path) => void (state.output = path)),
  alone('-c --compile', setPhase('compile')),
  alone('-E --preprocess', setPhase('preprocess')),
  alone('-M -MM --generate-dependencies --generate-nonsystem-dependencies', setPhase('dependencies')),
  alone(
    '-MD -MMD --generate-dependencies-with-compile --generate-nonsystem-dependencies-with-compile',
    ({ dependencies }) => void (dependencies.wanted = true),
  ),
  value('-MF --dependency-output', ({ dependencies }, file) => void (dependencies.file = file)),
  value('-MT -MQ --dependency-target-name', ({ dependencies }, target) => void dependencies.targets.push(target)),
  alone('-MP --generate-dependency-targets', ({ dependencies }) => void (dependencies.phony = true)),
  list(attached('-D --define-macro', define)),
  list(attached('-U --undefine-macro', undefine)),
  list(attached('-I --include-path', ({ source }, folder) => addFolder(source.includeFolders, folder))),
  list(
    value('-isystem --system-include -idirafter', ({ source }, folder) =>
      addFolder((source.systemFolders ??= []), folder),
    ),
  ),
  list(
    value(
      '-include --pre-include',
      ({ source }, file) => void (source.forcedIncludes ??= []).push(existsSync(file) ? resolve(file) : file),
    ),
  ),
  list(attached('-L --library-path', ({ libraryFolders }, folder) => void libraryFolders.push(folder))),
  list(attached('-l --library', ({ libraries }, name) => void libraries.push(name))),
  attached('-x --x', setLanguage),
  value('-std --std', setStandard),
  attached('-O --optimize', null),
  alone('-g --debug -pg --profile -w --disable-warnings -pipe -s -pedantic -ansi -rdynamic -static -m64 --m64'),
  alone('-v --verbose', (state) => void (state.shown ??= 'too')),
  alone('--version -V', setPhase('version')),
  alone('-shared --shared', (state) => void (state.shared = true)),
];

const nvccOptions: readonly Option[] = [
  alone('-dc --device-c -dw --device-w', (state) => {
    state.phase = 'compile';
    state.relocatable = true;
  }),
  alone('-dlink --device-link', setPhase('device-link')),
  alone('-link --link', setPhase('link')),
  alone('-lib --lib', setPhase('library')),
  alone('-ptx --ptx', setPhase('ptx')),
  alone('-cubin --cubin', setPhase('cubin')),
  alone('-fatbin --fatbin', setPhase('fatbin')),
  value('-odir --output-directory', (state, folder) => void (state.outputFolder = folder)),
  value('-rdc --relocatable-device-code', (state, text) => void (state.relocatable = isTrue(state, 'rdc', text))),
  value('-arch --gpu-architecture', setArchitecture),
  list(value('-code --gpu-code', setArchitecture)),
  value('-gencode --generate-code', setArchitecture),
  value('-maxrregcount --maxrregcount', ({ source }, count) => {
    if (/^\d+$/.test(count) && Number(count) > 0) source.maxRegisters = Math.min(255, Number(count));
  }),
  alone('-use_fast_math --use_fast_math', ({ source }) => void ((source.math ??= {}).fastMath = true)),
  value('-ftz --ftz', math('ftz', 'ftz')),
  value('-prec-div --prec-div', math('precDiv', 'prec-div')),
  value('-prec-sqrt --prec-sqrt', math('precSqrt', 'prec-sqrt')),
  value('-fmad --fmad', math('fmad', 'fmad')),
  value('-default-stream --default-stream', (state, kind) => {
    if (kind === 'per-thread') define(state, 'CUDA_API_PER_THREAD_DEFAULT_STREAM=1');
  }),
  list(value('-Xcompiler --compiler-options', null)),
  list(value('-Xlinker --linker-options -Xnvlink --nvlink-options -Xarchive --archive-options')),
  list(
    value('-Xptxas --ptxas-options', (state, text) => {
      if (/^-{1,2}(?:v|O3|warn-|verbose|Werror|w$)/.test(text)) return;
      if (/^-{1,2}maxrregcount[= ]?\d/.test(text)) return;
      state.notes.add(`${text} of -Xptxas is not modelled`);
    }),
  ),
  alone('-G --device-debug', note('-G is not modelled: device code is optimized as without it')),
  value('-dopt --dopt -Ofc --Ofast-compile', null),
  alone(
    '-dlto --dlink-time-opt -lto --lto -gen-opt-lto --gen-opt-lto',
    note('-dlto is not modelled: device code is optimized file by file'),
  ),
  alone('-keep --keep -save-temps --save-temps', note('there are no intermediate files to keep')),
  value(
    '-keep-dir --keep-dir -ccbin --compiler-bindir -arbin --archiver-binary -cudart --cudart -cudadevrt --cudadevrt',
  ),
  value(
    '-ldir --libdevice-directory -target-dir --target-directory -m --machine -t --threads -split-compile --split-compile',
  ),
  value('-split-compile-extended --split-compile-extended -time --time -run-args --run-args -e --entries'),
  value('-ftemplate-backtrace-limit --ftemplate-backtrace-limit -ftemplate-depth --ftemplate-depth'),
  value(
    '-opt-info --optimization-info -brief-diag --brief-diagnostics -jtd --jump-table-density -frandom-seed --frandom-seed',
  ),
  value('-diag-error --diag-error -diag-suppress --diag-suppress -diag-warn --diag-warn -hls --host-linker-script'),
  value('-static-global-template-stub --static-global-template-stub -compress-mode --compress-mode -Werror --Werror'),
  value('-device-entity-has-hidden-visibility --device-entity-has-hidden-visibility -device-stack-protector'),
  alone('-lineinfo --generate-line-info -src-in-ptx --source-in-ptx -restrict --restrict -res-usage --resource-usage'),
  alone('-expt-relaxed-constexpr --expt-relaxed-constexpr -extended-lambda --extended-lambda'),
  alone('-expt-extended-lambda --expt-extended-lambda -objtemp --objdir-as-tempdir -noprof --dont-use-profile'),
  alone('-allow-unsupported-compiler --allow-unsupported-compiler -use-local-env --use-local-env'),
  alone('-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler -forward-unknown-opts'),
  alone(
    '--forward-unknown-opts -forward-unknown-to-host-linker --forward-unknown-to-host-linker -nodlink --no-device-link',
  ),
  alone('-nohdinitlist --no-host-device-initializer-list -nohdmoveforward --no-host-device-move-forward'),
  alone('-extra-device-vectorization --extra-device-vectorization -keep-device-functions --keep-device-functions'),
  alone('-no-compress --no-compress -ewp --extensible-whole-program -err-no --display-error-number -no-err-no'),
  alone('--no-display-error-number -aug-hls --augment-host-linker-script -jobserver --jobserver -reloc-ptx'),
  alone('-Wno-deprecated-gpu-targets --Wno-deprecated-gpu-targets -Wreorder --Wreorder -Wno-deprecated-declarations'),
  alone('--Wno-deprecated-declarations -Wdefault-stream-launch --Wdefault-stream-launch -Wmissing-launch-bounds'),
  alone('--Wmissing-launch-bounds -Wext-lambda-captures-this --Wext-lambda-captures-this'),
  alone('-clean --clean-targets', notHere('-clean is not supported')),
  alone('-run --run', notHere('-run is not supported: run the program with "simsight run"')),
  alone(
    '-cuda --cuda -optix-ir --optix-ir -ltoir --ltoir',
    notHere('it makes objects, programs and module images only'),
  ),
  alone('-dryrun --dryrun', (state) => void (state.shown = 'only')),
];

const hostOptions: readonly Option[] = [
  alone('-fopenmp', (state) => void (state.openmp = true)),
  alone('-ffast-math -Ofast', note('-ffast-math is not modelled: host code is exact')),
  alone('-m32', notHere('programs of 32 bits are not simulated')),
  value('-Xlinker -z -T -u -install_name -framework -arch --param'),
  alone('-dumpversion -dumpfullversion -dumpmachine', setPhase('version')),
];

const tables: Readonly<Record<DriverName, ReadonlyMap<string, Option>>> = {
  nvcc: tableOf([...nvccOptions, ...common]),
  cc: tableOf([...hostOptions, ...common]),
  'c++': tableOf([...hostOptions, ...common]),
};

function tableOf(options: readonly Option[]): Map<string, Option> {
  return new Map(options.toReversed().flatMap((option) => option.names.map((name) => [name, option] as const)));
}

/** Options of gcc that change no result: warnings, code generation of a processor that is not simulated. */
const changesNothing = /^-(?:f|m|W|g|O|std=|p)/;

const hostUsual = (name: DriverName, word: string): boolean => name !== 'nvcc' && changesNothing.test(word);

/** Words as a shell has them: in quotes, and with what follows a backslash. */
const shellWords = (text: string): string[] =>
  [...text.matchAll(/(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(
      /\\([^])|"((?:[^"\\]|\\[^])*)"|'([^']*)'/g,
      (_, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? '',
    ),
  );

/** Puts the words of files of options in their place: `@file` of gcc, `-optf a,b` of nvcc, as CMake writes them. */
function withFiles(name: DriverName, words: readonly string[]): string[] {
  const wordsOf = (path: string): string[] => {
    try {
      return withFiles(name, shellWords(readFileSync(path, 'utf8')));
    } catch (error) {
      throw fileError(error as NodeJS.ErrnoException, path) ?? error;
    }
  };
  const result: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const files = name === 'nvcc' ? /^--?(?:optf|options-file)(?:=(.*))?$/s.exec(word) : null;
    if (files) for (const path of (files[1] ?? words[++i] ?? '').split(',')) result.push(...wordsOf(path));
    else if (name !== 'nvcc' && word.startsWith('@') && existsSync(word.slice(1)))
      result.push(...wordsOf(word.slice(1)));
    else result.push(word);
  }
  return result;
}

/** Reads a command line. Errors: `usage`, those of files of options. */
export function readWords(name: DriverName, words: readonly string[]): DriverOptions {
  const state: State = {
    ...{ name, language: undefined, phase: 'link', inputs: [], relocatable: false, computeCapability: null },
    ...{ libraries: [], libraryFolders: [], openmp: false, shown: null, shared: false, notes: new Set() },
    source: { includeFolders: [], defines: [] },
    dependencies: { wanted: false, targets: [], phony: false },
  };
  read(state, withFiles(name, words));
  if (state.phase === 'version' || state.inputs.length > 0) return state;
  throw usageError(`${name}: no input files.`, `See "simsight ${name} --help".`);
}

function read(state: State, words: readonly string[]): void {
  const table = tables[state.name];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith('-') || word === '-') {
      if (word !== '')
        state.inputs.push({ path: word, ...(state.language === undefined ? {} : { language: state.language }) });
      continue;
    }
    const equals = word.indexOf('=');
    const exact = table.get(word) ?? (equals < 0 ? undefined : table.get(word.slice(0, equals)));
    const option =
      exact ?? [...table.values()].find((each) => each.attached && each.names.some((name) => begins(word, name)));
    if (option === undefined) {
      if (!hostUsual(state.name, word)) unknown(state, word);
      continue;
    }
    if (option.alone) {
      option.does?.(state, '');
      continue;
    }
    let text: string;
    if (exact !== undefined && table.get(word) === undefined) text = word.slice(equals + 1);
    else if (exact === undefined)
      text = word.slice(option.names.find((name) => begins(word, name))!.length).replace(/^=/, '');
    else {
      const next = words[i + 1];
      // A level may be absent.
      if (word === '-O' && !/^[0-3s]$/.test(next ?? '')) continue;
      if (next === undefined) throw usageError(`${state.name}: ${word} needs a value.`, '');
      text = next;
      i++;
    }
    const isForHost = option.names.includes('-Xcompiler');
    if (isForHost) passOn(state, text);
    else for (const each of option.list && state.name === 'nvcc' ? text.split(',') : [text]) option.does?.(state, each);
  }
}

const begins = (word: string, name: string): boolean => /^-\w$/.test(name) && word.startsWith(name) && word !== name;

/** `-Xcompiler -Wall,-fopenmp` or `-Xcompiler "-Wall -O3"`. */
function passOn(state: State, text: string): void {
  const { name, phase } = state;
  read(Object.assign(state, { name: 'c++' }), text.split(/[,\s]+/).filter(Boolean));
  Object.assign(state, { name, phase });
}

function unknown(state: State, word: string): void {
  if (state.name !== 'nvcc' && /^-(?:pthread|nostdinc|no-pie|pie|undef|H|P|C|t|r|dD|dM|print-.*)$/.test(word)) return;
  throw usageError(`${state.name}: unknown option ${word}.`, `See "simsight ${state.name} --help".`);
}
