/** A program from its units: the passes over them, the linked host program, and its device modules. */
import { basename, dirname, join, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { labsFolder, root } from '../base/paths.ts';
import { functionImports } from '../base/wasm-binary.ts';
import { isCached, runCached, type CachedResult, type CacheOptions } from './cache.ts';
import { readCccl, type HeaderLibrary } from './cccl.ts';
import type { ToolRun } from './clang.ts';
import { devicePass } from './device-pass.ts';
import { CompileError } from './diagnostics.ts';
import { demangle } from './demangle.ts';
import { entryPointFunction, entryPointSources } from './entry-points.ts';
import { fatBinaryFile, hostArguments, hostObjectArguments, hostLinkArguments, managedSection } from './flags.ts';
import type { Translation } from './flags.ts';
import { compiledSource } from './limits.ts';
import { checkDefined, dependOnEachOther, linkDevice } from './link-device.ts';
import type { ObjectFile } from './objects.ts';
import { withKernelNames } from './main-lambdas.ts';
import { withOwnFunctions } from './own-functions.ts';
import { withStandardHeaders } from './precompiled.ts';
import { withSharedHeaders } from './shared-headers.ts';
import { checkIncludeFolder, withinFolders, type MayRead, type Refusal } from './sources.ts';
import { mismatched, withMatchingCalls } from './mismatched-calls.ts';
import { textOf, unitOfStored } from './stored-units.ts';
import { seemToLaunchEachOther } from './nested-launches.ts';
import {
  asLinked,
  checkPasses,
  compiled,
  mayNest,
  onePass,
  orRelocatable,
  unitFrom,
  unitOf,
  type Pass,
  type PassResult,
  type Unit,
} from './units.ts';
import type { CompiledProgram, CompileRequest, DeviceSource } from './types.ts';

export interface CompileOptions extends CacheOptions {
  /** Says for a file of the user's if a source may include it; absent: any. */
  mayRead?: MayRead;
  /** Sources include what lies in their own folders and those of `-I`, and nothing else. */
  ownFoldersOnly?: boolean;
  onProgress?: (phase: string) => void;
}

/**
 * The contents that `-fcuda-include-gpubinary` embeds in place of machine code: the number of the device module. The host program hands
 * it to `__cudaRegisterFatBinary`, and so says which device side its kernels belong to. The object has 0 until it is linked, so that it is the same in any
 * program; the text is what the place is found by.
 */
const fatBinary = new Uint8Array([0, 0, 0, 0, ...new TextEncoder().encode('SimsightCode')]);

function withModule(object: Uint8Array, module: number): Uint8Array {
  const at = Buffer.from(object.buffer, object.byteOffset, object.length).indexOf(fatBinary);
  if (at < 0 || module <= 0) return object;
  const result = object.slice();
  new DataView(result.buffer).setUint32(at, module, true);
  return result;
}

const linkOutput = '/host.wasm';

/** Where Clang crashes on how it optimizes loops, the unit keeps them. */
async function hostPass(unit: Unit, options: CacheOptions, device?: Promise<PassResult>): Promise<CachedResult> {
  const keeping: Unit = { ...unit, translation: { ...unit.translation, keepsLoops: true } };
  // A crash takes as long as to compile it; what crashed before is known by what was made then.
  if (await isCompiled(keeping, options)) return hostObject(keeping, options, device);
  const result = await hostObject(unit, options, device);
  return result.outcome === 'crash' ? hostObject(keeping, options, device) : result;
}

async function isCompiled(unit: Unit, options: CacheOptions): Promise<boolean> {
  const { translation } = unit;
  if (await isCached(hostRun(unit, translation), options)) return true;
  return isCuda(unit) && isCached(hostRun(unit, { ...translation, relocatable: true }), options);
}

async function hostObject(unit: Unit, options: CacheOptions, device?: Promise<PassResult>): Promise<CachedResult> {
  const { translation, source } = unit;
  const result = await hostCode(unit, options, device);
  if (translation.openmp !== true || result.outcome !== 'success') return result;
  // Clang makes names of critical sections common, which WebAssembly does not know for 64 bits.
  const ir = decoder.decode(result.outputs[0]![1]).replaceAll(/ = common (?=(?:[\w.]+ )*global )/g, ' = weak ');
  const files: [string, Uint8Array][] = [['/unit.ll', new TextEncoder().encode(ir)]];
  const words = hostObjectArguments('/unit.ll', translation);
  const object = await runCached({ arguments: words, files, outputs: ['-'], of: compiledSource(source) }, options);
  return { ...object, messages: result.messages, cached: result.cached && object.cached };
}

function hostRun(unit: Unit, translation: Translation): ToolRun {
  const { language, files, cccl, source } = unit;
  const withBinary: typeof files = isCuda(unit) ? [...files, [fatBinaryFile, fatBinary]] : files;
  const words = hostArguments(translation, language);
  return { arguments: words, files: withBinary, library: cccl, outputs: ['-'], of: compiledSource(source) };
}

/** `device`: the unit's pass over its device side, which knows whether its kernels launch kernels. */
async function hostCode(unit: Unit, options: CacheOptions, device?: Promise<PassResult>): Promise<CachedResult> {
  const { language, userFiles, translation } = unit;
  const runOf = (one: Translation): ToolRun => hostRun(unit, one);
  if (language === 'c') return runCached(runOf(translation), options);
  const kind = language === 'cuda' ? 'host' : 'c++';
  const faster = (run: ToolRun, one: Translation): Promise<ToolRun> =>
    withStandardHeaders(run, one, kind, userFiles, options);
  const pass: Pass = { runOf, faster };
  if (language !== 'cuda') return onePass(translation, options, pass);
  if (device !== undefined && mayNest(unit)) {
    const relocatable = { ...translation, relocatable: true };
    const [result, { nests }] = await Promise.all([onePass(relocatable, options, pass), device]);
    if (nests === true) return result;
  }
  return orRelocatable(translation, options, pass);
}

/** Names of the CUDA runtime, driver, NVTX, libraries and of host threads: they stay imports, for the simulated runtime to answer. */
const runtimeImport =
  /^(?:__cxa_thread_atexit$|__wrap_pthread_|__wrap_sem_|__cuda|cuda[A-Z]|cu[A-Z]|nvtx|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|nvJitLink|nvml)/;

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
  const missing = functionImports(host)
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
/** Where no flags say so: a program with it would not link without `-fopenmp`, unless it asks for `_OPENMP`. */
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
  const onRefused = (one: Refusal): void => void refusals.push(one);
  const ccclIn = readOnce();
  const units = absolute.sources.map((source) => unitOf(source, absolute, { mayRead, onRefused, ccclIn }));
  return compileUnits(units, { ...options, refusals, hasNoFlags: true });
}

/** Reads CCCL once for all units that search the same folders for it. */
function readOnce(): typeof readCccl {
  const copies = new Map<string, HeaderLibrary | null>();
  return (folders) => {
    const key = folders.join('\0');
    const known = copies.get(key);
    if (known !== undefined) return known;
    const copy = readCccl(folders);
    copies.set(key, copy);
    return copy;
  };
}

/** Compiles and links what an object or a program holds. Errors: those of {@link compileProgram}. */
export function compileObject(
  { units, optional = [] }: ObjectFile,
  computeCapability: CompileRequest['computeCapability'],
  options: CompileOptions,
): Promise<CompiledProgram> {
  const ccclIn = readOnce();
  const of = (stored: ObjectFile['units']): Unit[] =>
    stored.map((unit) => unitOfStored(unit, computeCapability, ccclIn));
  return compileUnits(of(units), { ...options, refusals: [], optional: of(optional) });
}

/** Links the device code of objects for what errors there are. Errors: those of {@link compileProgram}. */
export async function checkDeviceLink(
  { units, optional = [] }: ObjectFile,
  computeCapability: CompileRequest['computeCapability'],
  options: CacheOptions,
): Promise<void> {
  const ccclIn = readOnce();
  const all = [...units, ...optional].map((unit) => unitOfStored(unit, computeCapability, ccclIn)).filter(isCuda);
  if (all.length === 0) return;
  const passes = await compiled(all, (of) =>
    allOrCancelled(options, (inner) => of.map((unit) => devicePass(unit, inner))),
  );
  checkPasses(passes, all[0]!.source, { refusals: [], isGranted: false, includeFolders: [] });
  await deviceModules(all, passes, options);
}

/** Compiles one unit for what errors there are, and gives Clang's warnings. Errors: {@link CompileError}. */
export async function checkUnit(unit: Unit, refusals: readonly Refusal[], options: CacheOptions): Promise<string> {
  const [own] = withThreads([unit], false) as [Unit];
  const passes = await compiled([own], (of) => bothPasses(of, options));
  const { text } = checkPasses(passes, unit.source, {
    ...{ refusals, isGranted: false, includeFolders: unit.translation.request.includeFolders },
  });
  if (isCuda(unit) && !isLinked(unit)) await deviceModules([unit], passes, options);
  return text;
}

interface UnitsOptions extends CompileOptions {
  refusals: readonly Refusal[];
  /** Units that are in the program only if others need them. */
  optional?: readonly Unit[];
  /**
   * Sources are named as they are, and not as a build compiles them: device code is linked where it depends on that of other files, and directives of
   * OpenMP hold where its header is included.
   */
  hasNoFlags?: boolean;
}

/**
 * Units of a program that may start host threads, or in which directives of OpenMP hold: as the flags of each say, which objects have, or for all of
 * them where sources are named without.
 */
function withThreads(units: readonly Unit[], hasNoFlags: boolean): Unit[] {
  const isAsked = ({ translation }: Unit): boolean => translation.openmp === true;
  const anyAsks = units.some(isAsked);
  const all = hasNoFlags && (anyAsks || includes(units, openmpHeader));
  const threads = all || anyAsks || includes(units, threadHeaders);
  return units.map((unit) => ({
    ...unit,
    translation: { ...unit.translation, threads, openmp: all || isAsked(unit) },
  }));
}

async function compileUnits(needed: readonly Unit[], options: UnitsOptions): Promise<CompiledProgram> {
  const progress = options.onProgress ?? (() => {});
  const units = withSharedHeaders(withThreads([...needed, ...(options.optional ?? [])], options.hasNoFlags === true));
  const { threads = false } = units[0]!.translation;
  const firstSource = units[0]!.source;

  progress('Compiling');
  const { units: asCompiled, passes } = await allPasses(units, options);
  const parsed = checkPasses(passes, firstSource, {
    refusals: options.refusals,
    isGranted: options.mayRead !== undefined,
    includeFolders: needed.flatMap(({ translation }) => translation.request.includeFolders),
  });
  const cudaUnits = asCompiled.filter(isCuda);
  const device = await deviceModules(cudaUnits, passes, options);

  progress('Linking');
  const modules = modulesOf(cudaUnits);
  const objects = passes.slice(cudaUnits.length).map(({ outputs }, index): [string, Uint8Array] => {
    const module = modules.findIndex((each) => each.includes(asCompiled[index]!));
    return [`/objects/${index}.o`, withModule(outputs[0]![1], module)];
  });
  const paths = objects.map(([path]) => path);
  const managed = device.some(({ ir }) => ir.includes(managedSection));
  const own = paths.slice(0, needed.length);
  const others = paths.slice(needed.length);
  const linkWith = (kept: string[]): Promise<CachedResult> =>
    runCached(
      {
        arguments: hostLinkArguments(own, linkOutput, { managed, threads, optional: others, kept }),
        files: objects,
        outputs: [linkOutput],
        of: compiledSource(firstSource),
      },
      options,
    );
  let link = await linkWith([]);
  const entries = link.outcome === 'success' ? await entryPoints(link.outputs[0]![1], units[0]!, options) : [];
  objects.push(...entries);
  own.push(...entries.map(([path]) => path));
  const kept = entries.length > 0 ? [entryPointFunction] : [];
  if (kept.length > 0) link = await linkWith(kept);
  const called = link.outcome === 'success' ? mismatched(link.outputs[0]![1]) : [];
  if (called.length > 0) link = await linkWith([...kept, ...called]);
  if (link.outcome !== 'success') throw linkError(link.messages, firstSource);
  const linked = link.outputs[0]![1];
  const named = await withKernelNames(called.length > 0 ? withMatchingCalls(linked) : linked, device, options);
  await checkImports(named, firstSource, options);
  const host = withOwnFunctions(
    named,
    objects.map(([, object]) => object),
  );

  return {
    host,
    device,
    sources: asCompiled.map((unit) => ({ path: unit.source, text: textOf(unit) })),
    diagnostics: parsed.diagnostics,
    diagnosticText: parsed.text,
    cached: [...passes, link].every(({ cached }) => cached),
  };
}

/** Objects of what a linked program may look up by name ({@link entryPointSources}). */
async function entryPoints(
  host: Uint8Array<ArrayBuffer>,
  { translation }: Unit,
  options: CacheOptions,
): Promise<[string, Uint8Array][]> {
  const { computeCapability } = translation.request;
  const own = (source: string): CompileRequest => ({
    computeCapability,
    sources: [source],
    includeFolders: [],
    defines: [],
  });
  const units = entryPointSources(host).map(([name, text]): Unit => {
    const source = join(root, name);
    const unit = unitFrom(source, 'c', own(source), new Map([[source, new TextEncoder().encode(text)]]));
    return { ...unit, translation: { ...unit.translation, threads: translation.threads === true } };
  });
  const results = await Promise.all(units.map((unit) => hostPass(unit, options)));
  return results.map(({ outcome, messages, outputs }, i) => {
    if (outcome !== 'success')
      throw new SimsightError('internal', `The functions of the driver do not compile: ${messages}`);
    return [`/objects/entry-points-${i}.o`, outputs[0]![1]];
  });
}

const isCuda = ({ language }: Unit): boolean => language === 'cuda';
const isLinked = ({ translation }: Unit): boolean => translation.linkedAs !== undefined;

/** Units by device module: those that are linked make one, each other its own. */
function modulesOf(cuda: readonly Unit[]): Unit[][] {
  const linked = cuda.filter(isLinked);
  return [...(linked.length > 0 ? [linked] : []), ...cuda.filter((unit) => !isLinked(unit)).map((unit) => [unit])];
}

/**
 * The passes of a program; its device code is linked where it has to be, whatever the options: nvcc would refuse it without `-rdc=true`,
 * which makefiles have and a list of sources has not.
 */
async function allPasses(
  units: readonly Unit[],
  options: UnitsOptions,
): Promise<{ units: readonly Unit[]; passes: PassResult[] }> {
  const cuda = units.filter(isCuda);
  const mayDepend = options.hasNoFlags === true && cuda.length > 1;
  const linked = units.map((unit) => (isCuda(unit) ? asLinked(unit) : unit));
  const irOf = (passes: readonly PassResult[]): string[] => cuda.map((_, i) => deviceIr(passes[i]!));
  if (mayDepend && seemToLaunchEachOther(cuda)) {
    const passes = await compiled(linked, (of) => bothPasses(of, options));
    const succeed = passes.every(({ outcome }) => outcome === 'success');
    if (succeed && dependOnEachOther(irOf(passes))) return { units: linked, passes };
  }
  let passes = await compiled(units, (of) => bothPasses(of, options));
  if (!mayDepend || passes.some(({ outcome }) => outcome !== 'success')) return { units, passes };
  const depend = (): boolean => dependOnEachOther(irOf(passes));
  if (!depend()) return { units, passes };
  // What one seems to use of another may be gone when it has been optimized.
  if (passes.some(({ apart }) => apart !== undefined)) {
    passes = await compiled(units, (of) => bothPasses(of, options, false));
    if (!depend()) return { units, passes };
  }
  return { units: linked, passes: await compiled(linked, (of) => bothPasses(of, options)) };
}

const deviceIr = ({ outputs }: CachedResult): string => decoder.decode(outputs[0]![1]);

/** Passes begin with those over the device side, in the order of the units that have one. */
async function deviceModules(
  cuda: readonly Unit[],
  passes: readonly PassResult[],
  options: CacheOptions,
): Promise<DeviceSource[]> {
  const sourceOf = (unit: Unit): DeviceSource => {
    const { maxRegisters } = unit.translation.request;
    const pass = passes[cuda.indexOf(unit)]!;
    const code =
      pass.apart === undefined ? { ir: deviceIr(pass) } : { ir: pass.apart.variables, later: pass.apart.later };
    return { source: unit.source, ...code, ...(maxRegisters === undefined ? {} : { maxRegisters }) };
  };
  return Promise.all(
    modulesOf(cuda).map(async (units) => {
      const parts = units.map(sourceOf);
      if (parts.length > 1) return linkDevice(parts, options);
      await checkDefined(parts[0]!.ir, parts, options);
      return parts[0]!;
    }),
  );
}

/** The device passes of the units that have one, and the host passes of all. `mayWait`: see {@link devicePass}. */
function bothPasses(of: readonly Unit[], options: CacheOptions, mayWait = true): Promise<PassResult[]> {
  return allOrCancelled<PassResult>(options, (inner) => {
    const device = new Map(of.filter(isCuda).map((unit) => [unit, devicePass(unit, inner, mayWait)]));
    return [...device.values(), ...of.map((unit) => hostPass(unit, inner, device.get(unit)))];
  });
}

/** Runs the passes side by side; when one breaks (not: fails to compile), the others are cancelled with it. */
async function allOrCancelled<Result extends CachedResult>(
  options: CacheOptions,
  start: (options: CacheOptions) => Promise<Result>[],
): Promise<Result[]> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  try {
    return await Promise.all(start({ ...options, signal }));
  } catch (error) {
    stop.abort();
    throw error;
  }
}
