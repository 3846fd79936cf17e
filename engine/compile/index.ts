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
import { SimsightError } from '../base/errors.ts';
import { labsFolder } from '../base/paths.ts';
import { runCached, type CachedResult, type CacheOptions } from './cache.ts';
import { CompileError } from './diagnostics.ts';
import { demangle } from './demangle.ts';
import { fatBinaryFile, hostArguments, hostObjectArguments, hostLinkArguments, managedSection } from './flags.ts';
import { compiledSource } from './limits.ts';
import { withKernelNames } from './main-lambdas.ts';
import { withStandardHeaders } from './precompiled.ts';
import { checkIncludeFolder, withinFolders, type MayRead, type Refusal } from './sources.ts';
import { checkPasses, compiled, devicePass, orRelocatable, unitOf, type Unit } from './units.ts';
import type { CompiledProgram, CompileRequest, DeviceSource } from './types.ts';

export { cancelled, releaseCompiler } from './clang.ts';
export { demangle, shortName } from './demangle.ts';
export { CompileError } from './diagnostics.ts';
export { compileImage, makeImage, type CompiledImage } from './images.ts';
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
  const { language, userFiles, files, cccl } = unit;
  const of = compiledSource(unit.source);
  if (language !== 'cuda') {
    const run = { arguments: hostArguments(unit.translation, language), files, library: cccl, outputs: ['-'], of };
    if (language === 'c') return runCached(run, options);
    return runCached(run, options, () => withStandardHeaders(run, unit.translation, 'c++', userFiles, options));
  }
  const withBinary: typeof files = [...files, [fatBinaryFile, fatBinary(cudaIndex)]];
  return orRelocatable(unit.translation, options, {
    runOf: (translation) => ({
      arguments: hostArguments(translation, language),
      files: withBinary,
      library: cccl,
      outputs: ['-'],
      of,
    }),
    faster: (run, translation) => withStandardHeaders(run, translation, 'host', userFiles, options),
  });
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
  const passes = await compiled(units, (of) => bothPasses(of, options));
  const devicePasses = passes.slice(0, cudaUnits.length);
  const hostPasses = passes.slice(cudaUnits.length);

  const parsed = checkPasses(passes, firstSource, {
    ...{ refusals, isGranted: options.mayRead !== undefined, includeFolders: absolute.includeFolders },
  });

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
  const host = await withKernelNames(link.outputs[0]![1], device, options);
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

/** The device passes of the units that have one, and the host passes of all. */
function bothPasses(of: readonly Unit[], options: CacheOptions): Promise<CachedResult[]> {
  const cuda = of.filter(({ language }) => language === 'cuda');
  return allOrCancelled(options, (inner) => [
    ...cuda.map((unit) => devicePass(unit, inner)),
    ...of.map((unit) => hostPass(unit, cuda.indexOf(unit), inner)),
  ]);
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
