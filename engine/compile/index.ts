/**
 * From CUDA sources to what can be run: the host program as 64-bit WebAssembly, and the device side of each `.cu` file as
 * LLVM IR. Real Clang does both; this folder lays out files, runs it in threads, caches and reads its messages.
 *
 *   const program = await compileProgram({ sources: ['/home/me/app.cu'], … }, { cacheFolder });
 *
 * Every single run of a tool is cached by the hash of its inputs, so a second compilation of unchanged files reads three
 * files and never loads Clang, and another GPU only costs another device pass.
 */
import { basename, dirname, resolve } from 'node:path';
import { compilerPath } from '../base/compiler-paths.ts';
import { SimsightError } from '../base/errors.ts';
import { labsFolder } from '../base/paths.ts';
import { isCached, runCached, type CachedResult, type CacheOptions } from './cache.ts';
import { CompileError, compileError, parseMessages } from './diagnostics.ts';
import { demangle } from './demangle.ts';
import {
  deviceArguments,
  fatBinaryFile,
  hostArguments,
  hostObjectArguments,
  hostLinkArguments,
  managedSection,
  type Translation,
} from './flags.ts';
import type { ToolRun } from './clang.ts';
import { compiledSource } from './limits.ts';
import { withStandardHeaders } from './precompiled.ts';
import {
  checkIncludeFolder,
  displayPath,
  gatherFiles,
  languageOf,
  layOut,
  withinFolders,
  type MayRead,
  type Refusal,
  type SourceLanguage,
} from './sources.ts';
import { asNvccReads } from './as-nvcc-reads.ts';
import type { CompiledProgram, CompileRequest, DeviceSource } from './types.ts';

export { cancelled, releaseCompiler } from './clang.ts';
export { demangle, shortName } from './demangle.ts';
export { CompileError } from './diagnostics.ts';
export { compileIrToWasm, type WasmModuleRequest } from './wasm-module.ts';
export { endAfter } from './thread-time.ts';
export { compileLimits, limitError, type Compiled, type LimitName } from './limits.ts';
export type * from './types.ts';

export interface CompileOptions extends CacheOptions {
  /** Says for a file of the user's if a source may include it; absent: any. */
  mayRead?: MayRead;
  /** Sources include what lies in their own folders and those of `-I`, and nothing else. */
  ownFoldersOnly?: boolean;
  onProgress?: (phase: string) => void;
}

interface Unit {
  source: string;
  language: SourceLanguage;
  translation: Translation;
  /** The source and the user's headers, by real path. */
  userFiles: Map<string, Uint8Array>;
  files: [path: string, bytes: Uint8Array][];
}

function unitOf(
  source: string,
  request: CompileRequest,
  mayRead?: MayRead,
  onRefused?: (refusal: Refusal) => void,
): Unit {
  const language = languageOf(source);
  const translation: Translation = {
    request,
    source: compilerPath(source),
    includeFolders: request.includeFolders.map(compilerPath),
    sourceFolder: compilerPath(dirname(source)),
  };
  const userFiles = gatherFiles(source, request.includeFolders, mayRead, onRefused);
  return { source, language, translation, userFiles, files: layOut(userFiles) };
}

/**
 * The contents that `-fcuda-include-gpubinary` embeds in place of machine code: the number of the source among the program's `.cu`
 * files. The host program hands it to `__cudaRegisterFatBinary`, and so says which device side its kernels belong to.
 */
function fatBinary(index: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, index, true);
  return bytes;
}

const linkOutput = '/host.wasm';

/** Code that grows by more than this is not worth the arrays that it saves. */
const mostGrowth = 4;

/** Where arrays of threads are left in memory, loops are unrolled as far as nvcc would, which makes registers of most. */
async function devicePass(
  { source, userFiles, files, translation: own }: Unit,
  options: CacheOptions,
): Promise<CachedResult> {
  const of = compiledSource(source);
  const pass = (unrollsFar: boolean): Promise<CachedResult> =>
    orRelocatable({ ...own, unrollsFar }, options, {
      runOf: (translation) => ({ arguments: deviceArguments(translation), files, outputs: ['-'], of }),
      faster: (run, translation) => withStandardHeaders(run, translation, 'device', userFiles, options),
    });
  const usual = await pass(false);
  const arrays = arraysIn(usual);
  if (arrays === 0) return usual;
  const far = await pass(true).catch(unlessTooMuch);
  if (far === null) return usual;
  const grows = (far.outputs[0]?.[1].length ?? Infinity) / (usual.outputs[0]?.[1].length ?? 1);
  return far.outcome === 'success' && arraysIn(far) < arrays && grows <= mostGrowth ? far : usual;
}

/** A pass that is only an attempt may exceed its limits. */
function unlessTooMuch(error: unknown): null {
  if (error instanceof SimsightError && error.code === 'budget-exceeded') return null;
  throw error;
}

/** Arrays of threads that are left in the IR of a pass. */
function arraysIn({ outcome, outputs }: CachedResult): number {
  if (outcome !== 'success') return 0;
  return new TextDecoder().decode(outputs[0]![1]).match(/ = alloca \[/g)?.length ?? 0;
}

/** Reason why a file is not found that may be there, and what allows it. */
const outOfReach = ({ folder }: Refusal, isGranted: boolean): { reason: string; remedy: string } =>
  isGranted
    ? {
        reason: 'it is outside the folders that this session may access',
        remedy: `To allow it, start Simsight with "--folder" for ${folder}.`,
      }
    : {
        reason: "it is outside the source's folder and the folders given with -I",
        remedy: `To allow it, add -I ${folder}.`,
      };

async function hostPass(unit: Unit, cudaIndex: number, options: CacheOptions): Promise<CachedResult> {
  const result = await hostCode(unit, cudaIndex, options);
  if (unit.translation.openmp !== true || result.outcome !== 'success') return result;
  // Clang makes names of critical sections common, which WebAssembly does not know for 64 bits.
  const ir = decoder.decode(result.outputs[0]![1]).replaceAll(/ = common (?=(?:[\w.]+ )*global )/g, ' = weak ');
  const files: [string, Uint8Array][] = [['/unit.ll', new TextEncoder().encode(ir)]];
  const run = { arguments: hostObjectArguments('/unit.ll'), files, outputs: ['-'], of: compiledSource(unit.source) };
  const object = await runCached(run, options);
  return { ...object, messages: result.messages, cached: result.cached && object.cached };
}

function hostCode(unit: Unit, cudaIndex: number, options: CacheOptions): Promise<CachedResult> {
  const { language, userFiles, files } = unit;
  const of = compiledSource(unit.source);
  if (language !== 'cuda') {
    const run = { arguments: hostArguments(unit.translation, language), files, outputs: ['-'], of };
    if (language === 'c') return runCached(run, options);
    return runCached(run, options, () => withStandardHeaders(run, unit.translation, 'c++', userFiles, options));
  }
  const withBinary: typeof files = [...files, [fatBinaryFile, fatBinary(cudaIndex)]];
  return orRelocatable(unit.translation, options, {
    runOf: (translation) => ({
      arguments: hostArguments(translation, language),
      files: withBinary,
      outputs: ['-'],
      of,
    }),
    faster: (run, translation) => withStandardHeaders(run, translation, 'host', userFiles, options),
  });
}

interface Pass {
  runOf: (translation: Translation) => ToolRun;
  faster: (run: ToolRun, translation: Translation) => Promise<ToolRun>;
}

/** A pass over a source whose kernels launch kernels says what it needs, and is run again with it. */
async function orRelocatable(
  translation: Translation,
  options: CacheOptions,
  { runOf, faster }: Pass,
): Promise<CachedResult> {
  const pass = (one: Translation): Promise<CachedResult> => runCached(runOf(one), options, (run) => faster(run, one));
  const relocatable = { ...translation, relocatable: true };
  // Its needs take as long to find out as to compile it. They are known of sources that have been compiled before.
  if (await isCached(runOf(relocatable), options)) return pass(relocatable);
  const result = await pass(translation);
  const needed = result.outcome === 'failure' && result.messages.includes('requires relocatable device code');
  return needed ? pass(relocatable) : result;
}

/** Names of the CUDA runtime, driver, NVTX, libraries and of host threads: they stay imports, for the simulated runtime to answer. */
const runtimeImport =
  /^(?:__cxa_thread_atexit$|__wrap_pthread_|__wrap_sem_|__cuda|cuda[A-Z]|cu[A-Z]|nvtx|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|nvml)/;

/** A symbol that nobody defines ends up as an import of the linked module: that is a linker's error. */
async function checkImports(host: Uint8Array<ArrayBuffer>, source: string, options: CacheOptions): Promise<void> {
  const place = { file: source };
  // The C library calls `main` weakly: the linker puts a function that traps in its place, and says so in its name.
  if (Buffer.from(host.buffer, host.byteOffset, host.length).includes('undefined_weak:main')) {
    const message = `${basename(source)} has no main function.`;
    throw new CompileError(
      message,
      'Add main, or also name the file that defines it.',
      place,
      [],
      `error: ${message}\n`,
    );
  }
  const missing = WebAssembly.Module.imports(await WebAssembly.compile(host))
    .filter(({ module, name }) => module === 'env' && !runtimeImport.test(name))
    .map(({ name }) => name);
  if (missing.length === 0) return;
  const names = await demangle(missing, options);
  const text = names.map((name) => `error: undefined symbol: ${name}\n`).join('');
  throw new CompileError(
    `undefined symbol: ${names[0]}`,
    'Define it, or also name the source that defines it.',
    place,
    names.map((name) => ({ severity: 'error', file: '', line: 0, column: 0, text: `undefined symbol: ${name}` })),
    text,
  );
}

/** Headers without which no program starts host threads. */
const threadHeaders = /^[ \t]*#[ \t]*include[ \t]*<(?:thread|future|pthread\.h)>/m;
/** A program with it would not link without `-fopenmp`. */
const openmpHeader = /^[ \t]*#[ \t]*include[ \t]*[<"]omp\.h[>"]/m;

const includes = (units: readonly Unit[], header: RegExp): boolean =>
  units.some(({ userFiles }) => [...userFiles.values()].some((bytes) => header.test(decoder.decode(bytes))));

const decoder = new TextDecoder();

/** `undefined symbol` and the like, from the linker itself. */
function linkError(messages: string, source: string): CompileError {
  const lines = messages.split('\n').filter((line) => line.startsWith('wasm-ld: error: '));
  const texts = lines.map((line) => line.slice('wasm-ld: error: '.length));
  const diagnostics = texts.map((text) => ({ severity: 'error' as const, file: '', line: 0, column: 0, text }));
  const message = `The program cannot be linked: ${texts[0] ?? 'the linker failed'}`;
  return new CompileError(message, '', { file: source }, diagnostics, messages);
}

/**
 * Compiles and links a program. Errors: `file-not-found`, `file-is-directory`, `file-unreadable` and `usage` for the
 * request, {@link CompileError} (`compile-failed`) for the program, `cancelled`.
 */
export async function compileProgram(request: CompileRequest, options: CompileOptions): Promise<CompiledProgram> {
  if (request.sources.length === 0) throw new SimsightError('usage', 'No source file given.', 'Name a .cu file.');
  const progress = options.onProgress ?? (() => {});
  const absolute: CompileRequest = {
    ...request,
    sources: request.sources.map((source) => resolve(source)),
    includeFolders: request.includeFolders.map((folder) => resolve(folder)),
  };
  absolute.includeFolders.forEach(checkIncludeFolder);
  const refusals: Refusal[] = [];
  // The examples share a header.
  const ownFolders = [...absolute.sources.map((source) => dirname(source)), ...absolute.includeFolders, labsFolder];
  const mayRead = options.mayRead ?? (options.ownFoldersOnly === true ? withinFolders(ownFolders) : undefined);
  const units = absolute.sources.map((source) => unitOf(source, absolute, mayRead, (one) => void refusals.push(one)));
  const openmp = includes(units, openmpHeader);
  const threads = openmp || includes(units, threadHeaders);
  for (const { translation } of units) Object.assign(translation, { threads, openmp });
  const cudaUnits = units.filter(({ language }) => language === 'cuda');
  const firstSource = units[0]!.source;

  progress('Compiling');
  const passes = await compiled(units, options);
  const devicePasses = passes.slice(0, cudaUnits.length);
  const hostPasses = passes.slice(cudaUnits.length);

  const folder = dirname(firstSource);
  const shown = new Map<string, string>();
  const parsed = parseMessages(
    passes.map(({ messages }) => messages),
    (path) => {
      const name = displayPath(path, folder);
      shown.set(name, resolve(folder, name));
      return name;
    },
  );
  const crash = passes.find(({ outcome }) => outcome === 'crash');
  const hasErrors = parsed.diagnostics.some(({ severity }) => severity === 'error');
  if (crash && !hasErrors) {
    const message = `Clang crashed on ${basename(firstSource)}.`;
    throw new CompileError(message, 'Please report it, with the source.', { file: firstSource }, [], crash.messages);
  }
  if (passes.some(({ outcome }) => outcome !== 'success')) {
    const fileOf = (name: string): string => shown.get(name) ?? name;
    const isRefused = ({ name, file }: Refusal, asked: string, from: string): boolean =>
      name === asked && file === fileOf(from);
    throw compileError(parsed, fileOf, (asked, from) => {
      const refusal = refusals.find((each) => isRefused(each, asked, from));
      return refusal === undefined ? null : outOfReach(refusal, options.mayRead !== undefined);
    });
  }

  progress('Linking');
  const objects = hostPasses.map(({ outputs }, index): [string, Uint8Array] => [`/objects/${index}.o`, outputs[0]![1]]);
  const objectNames = objects.map(([path]) => path);
  const device = devicePasses.map(({ outputs }, index) => ({
    source: cudaUnits[index]!.source,
    ir: decoder.decode(outputs[0]![1]),
  }));
  const managed = device.some(({ ir }) => ir.includes(managedSection));
  const link = await runCached(
    {
      arguments: hostLinkArguments(objectNames, linkOutput, { managed, threads }),
      files: objects,
      outputs: [linkOutput],
      of: compiledSource(firstSource),
    },
    options,
  );
  if (link.outcome !== 'success') throw linkError(link.messages, firstSource);
  const host = link.outputs[0]![1];
  await checkImports(host, firstSource, options);

  return {
    host,
    device,
    diagnostics: parsed.diagnostics,
    diagnosticText: parsed.text,
    cached: [...passes, link].every(({ cached }) => cached),
  };
}

/** The device side of one source without a host program: what libraries add to a program. */
export async function compileDevice(request: CompileRequest, options: CacheOptions): Promise<DeviceSource> {
  const source = resolve(request.sources[0]!);
  const unit = unitOf(source, request);
  const { outcome, outputs, messages } = await devicePass(unit, options);
  if (outcome !== 'success') {
    throw new SimsightError('internal', `The library's source ${basename(source)} cannot be compiled: ${messages}`);
  }
  return { source, ir: new TextDecoder().decode(outputs[0]![1]) };
}

const isFailure = ({ outcome }: CachedResult): boolean => outcome === 'failure';
/** Corrections may show others that are needed. */
const mostCorrections = 4;

/** The device passes of the units that have one, and the host passes of all. */
async function compiled(units: readonly Unit[], options: CacheOptions): Promise<CachedResult[]> {
  const passesOf = (of: readonly Unit[]): Promise<CachedResult[]> => {
    const cuda = of.filter(({ language }) => language === 'cuda');
    return allOrCancelled(options, (inner) => [
      ...cuda.map((unit) => devicePass(unit, inner)),
      ...of.map((unit) => hostPass(unit, cuda.indexOf(unit), inner)),
    ]);
  };
  const passes = await passesOf(units);
  let [latest, of] = [passes, units];
  for (let i = 0; i < mostCorrections && latest.some(isFailure); i++) {
    const messages = latest.map((pass) => pass.messages);
    const corrected = of.map(({ userFiles }) => asNvccReads(userFiles, messages));
    if (corrected.every((files) => files === null)) break;
    of = of.map((unit, u) => {
      const userFiles = corrected[u] ?? null;
      return userFiles === null ? unit : { ...unit, userFiles, files: layOut(userFiles) };
    });
    latest = await passesOf(of);
  }
  // What is said of files that nobody has written helps nobody.
  return latest.some(isFailure) ? passes : latest;
}

/** Runs the passes side by side; when one breaks (not: fails to compile), the others are cancelled with it. */
async function allOrCancelled(
  options: CacheOptions,
  start: (options: CacheOptions) => Promise<CachedResult>[],
): Promise<CachedResult[]> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  try {
    return await Promise.all(start({ ...options, signal }));
  } catch (error) {
    stop.abort();
    throw error;
  }
}
