/** From CUDA sources to what a recording's thread can run. Done in the engine's process, where Clang stays warm. */
import { basename, resolve } from 'node:path';
import { nameInModule, nameInSource } from '../base/device-names.ts';
import type { RecordProgress } from '../model/recording.ts';
import type { RunTimeModule, RunTimeSource } from '../model/run-time-compilation.ts';
import { SimsightError } from '../base/errors.ts';
import {
  compileDevice,
  compileImage,
  compileText,
  compileIrToWasm,
  compileObject,
  compileProgram,
  demangle,
  shortName,
  type Compiled,
  type CompiledProgram,
  type DeviceMath,
} from '../compile/index.ts';
import type { CacheOptions } from '../compile/cache.ts';
import { librarySources } from '../cuda/libraries/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { KernelNames } from '../trace/recording-facts.ts';
import type { DeviceModule, ModuleUnit } from '../warp/module.ts';
import { firstUnits, isSecond } from '../warp/unit-code.ts';
import { images, withNames } from './images.ts';
import type { KernelCompilers } from './kernel-code.ts';
import { programAt } from './programs.ts';
import type { RecordCall } from './types.ts';
import { widenKept } from './kept-modules.ts';
import type { WidenOrder } from './widen.ts';

export interface TranslatedProgram extends Omit<KernelCompilers, 'compileText'> {
  /** A text that the program hands over; it reads files in `folders` only, of which the first is the program's. */
  compileText: (source: RunTimeSource, folders: readonly string[]) => Promise<RunTimeModule>;
  host: Uint8Array<ArrayBuffer>;
  modules: DeviceModule[];
  /** Kernel names, keyed by mangled name. */
  names: Map<string, KernelNames>;
  /** All sources of the program, by absolute path. */
  sources: readonly { path: string; text: string }[];
  /** Clang's warnings as it prints them; empty without. */
  warnings: string;
  /** Each host thread has a stream 0 of its own; of a linked program, if that is so for one of its files. */
  perThreadStreams: boolean;
}

/** Macro that NVIDIA's headers test; nvcc defines it for `--default-stream per-thread`, and on its own it means the same. */
const perThread = 'CUDA_API_PER_THREAD_DEFAULT_STREAM';

function hasPerThreadStreams({ defaultStream, defines }: Pick<RecordCall, 'defaultStream' | 'defines'>): boolean {
  if (defaultStream !== undefined) return defaultStream === 'per-thread';
  return defines.some((define) => define === perThread || define.startsWith(`${perThread}=`));
}

function definesOf(call: RecordCall): string[] {
  const others = call.defines.filter((define) => !define.startsWith(perThread));
  return hasPerThreadStreams(call) ? [...others, `${perThread}=1`] : others;
}

/** The program of a call, from its sources or from what `simsight nvcc` has linked. */
async function compileCall(
  call: RecordCall,
  { computeCapability }: GpuDescription,
  options: CacheOptions,
): Promise<CompiledProgram & Pick<TranslatedProgram, 'perThreadStreams'>> {
  const [first] = call.sources as [string];
  const object = call.sources.length === 1 ? programAt(first) : null;
  if (object !== null) {
    checkLinked(call, first);
    const program = await compileObject(object, computeCapability, options);
    return { ...program, perThreadStreams: object.units.some(hasPerThreadStreams) };
  }
  const { standard, forcedIncludes, maxRegisters: _, ...others } = call;
  const math = mathOfCall(others);
  const program = await compileProgram(
    {
      sources: call.sources.map((source) => resolve(source)),
      includeFolders: call.includeFolders.map((folder) => resolve(folder)),
      defines: definesOf(call),
      computeCapability,
      ...(standard === undefined ? {} : { standard }),
      ...(forcedIncludes === undefined ? {} : { forcedIncludes }),
      ...(math === null ? {} : { math }),
    },
    { ...options, ...(call.mayRead ? { mayRead: call.mayRead } : {}), ownFoldersOnly: call.ownFoldersOnly ?? false },
  );
  return { ...program, perThreadStreams: hasPerThreadStreams(call) };
}

/** Errors: `usage` for options that a program has been compiled with, or without, already. */
function checkLinked(call: RecordCall, program: string): void {
  const { includeFolders, defines, standard, forcedIncludes = [], defaultStream } = call;
  const isGiven = includeFolders.length + defines.length + forcedIncludes.length > 0 || mathOfCall(call) !== null;
  if (!isGiven && standard === undefined && defaultStream === undefined) return;
  throw new SimsightError(
    'usage',
    `${basename(program)} is compiled and linked: options of the compiler come too late.`,
    'Give them to "simsight nvcc".',
  );
}

const isYes = (choice: string): boolean => choice === 'true';

/** Null: as nvcc without options. */
function mathOfCall({ fastMath, ftz, precDiv, precSqrt, fmad }: Partial<RecordCall>): DeviceMath | null {
  const math: DeviceMath = {
    ...(fastMath === true ? { fastMath } : {}),
    ...(ftz === undefined ? {} : { ftz: isYes(ftz) }),
    ...(precDiv === undefined ? {} : { precDiv: isYes(precDiv) }),
    ...(precSqrt === undefined ? {} : { precSqrt: isYes(precSqrt) }),
    ...(fmad === undefined ? {} : { fmad: isYes(fmad) }),
  };
  return Object.keys(math).length === 0 ? null : math;
}

/** Errors: `compile-failed` with Clang's text; `unsupported-construct` with the construct and its place. */
export async function translate(
  call: RecordCall,
  gpu: GpuDescription,
  onPhase: (phase: RecordProgress['phase'], message: string) => void,
): Promise<TranslatedProgram> {
  const options = { cacheFolder: call.cacheFolder, ...(call.signal ? { signal: call.signal } : {}) };
  onPhase('compile', `Compiling ${call.sources.map((source) => basename(source)).join(', ')}`);
  const program = await compileCall(call, gpu, options);
  onPhase('translate', 'Translating kernels to warp-wide code');
  const libraries = librarySources(program.host);
  // Launch bounds say how many registers there may be, and -maxrregcount is for kernels that have none (programming guide,
  // "Maximum Number of Registers Per Thread").
  const { maxRegisters = null, checks = [] } = call;
  const orders = [
    ...program.device.map(async ({ source, ir, maxRegisters: own = null }): Promise<WidenOrder> => ({
      ir,
      sourceName: source,
      checks,
      gpu,
      maxRegisters: maxRegisters ?? own,
    })),
    ...libraries.map(async ({ source, defines }): Promise<WidenOrder> => {
      const request = { sources: [source], includeFolders: [], defines, computeCapability: libraryTarget(gpu) };
      const { ir } = await compileDevice(request, options);
      return { ir, sourceName: basename(source), checks: [], gpu, maxRegisters: null };
    }),
  ];
  const widenAhead = (order: WidenOrder): Promise<DeviceModule> =>
    widenKept(order, options, (units) => {
      // The cache has them when they are asked for, or knows that they are under way; errors are told then.
      const first = firstUnits(units);
      if (first.length <= mostAhead && isOwn(program, order))
        for (const unit of first) void compileIrToWasm(unit, options).catch(() => {});
    });
  const built = await Promise.all(
    orders.map(async (order, i): Promise<DeviceModule> => {
      const module = await widenAhead(await order);
      const { later } = program.device[i] ?? {};
      return later === undefined ? module : { ...module, later: later.names };
    }),
  );
  const kernelsOf = ({ kernels, later = [] }: DeviceModule): string[] => [...kernels.map(({ name }) => name), ...later];
  const mangled = [...new Set(built.flatMap(kernelsOf))];
  const demangled = await demangle(mangled.map(nameInSource), options);
  const namesOf = new Map(
    mangled.map((name, i) => [name, { demangled: demangled[i]!, short: shortName(demangled[i]!) }]),
  );
  const ownNames = qualifiedNames(built);
  const modules = built.map((module, i) => withNames(module, (name) => ownNames(name, i)));
  const names = new Map(
    built.flatMap((module, i) => kernelsOf(module).map((name) => [ownNames(name, i), namesOf.get(name)!] as const)),
  );
  for (const module of modules) checkSharedMemory(module, names, gpu);
  /** Also those for paged memory. */
  const all = [...modules];
  const orderOf = new Map(modules.map((module, i) => [module, orders[i]!]));
  const add = (module: DeviceModule, order: WidenOrder): void => {
    checkSharedMemory(module, names, gpu);
    orderOf.set(module, Promise.resolve(order));
    all.push(module);
  };
  // Whether they have been made already is nothing that others may depend on.
  const laterModules: DeviceModule[] = [];
  const later = new Map<string, Promise<DeviceModule>>();
  async function makeLater(of: number, name: string): Promise<DeviceModule> {
    const order = { ...(await orders[of]!), ir: await program.device[of]!.later!.irOf(name) };
    const module = withNames(await widenAhead(order), (each) => ownNames(each, of));
    checkSharedMemory(module, names, gpu);
    orderOf.set(module, Promise.resolve(order));
    laterModules.push(module);
    return module;
  }
  return {
    host: program.host,
    modules,
    names,
    sources: program.sources,
    perThreadStreams: program.perThreadStreams,
    warnings: program.diagnosticText,
    compileUnit: (unit) => compileIrToWasm(unit, options, compiledUnit(unit, [...all, ...laterModules], names)),
    laterKernel: async (module, kernel) => {
      const of = modules.indexOf(module);
      const key = `${of} ${kernel}`;
      if (!later.has(key)) later.set(key, makeLater(of, built[of]!.later![module.later!.indexOf(kernel)]!));
      return later.get(key)!;
    },
    pagedModule: async (module) => {
      const paged = await widenKept({ ...(await orderOf.get(module)!), paged: true }, options);
      const named = {
        ...paged,
        kernels: paged.kernels.map((kernel, i) => ({ ...kernel, name: module.kernels[i]!.name })),
      };
      all.push(named);
      return named;
    },
    compileText: (source, folders) => compileText(source, folders, gpu.computeCapability, options),
    loadImage: images({
      compile: (image) => compileImage(image, gpu.computeCapability, options),
      widen: async ({ source, ir, maxRegisters: own = null }) => {
        const order = { ir, sourceName: source, checks, gpu, maxRegisters: maxRegisters ?? own };
        return { order, module: await widenKept(order, options) };
      },
      demangle: (mangled) => demangle(mangled, options),
      names,
      modules: all,
      add,
    }),
  };
}

/** Modules of more units are compiled in the order in which they are needed. */
const mostAhead = 2;

/** The kernels of a unit, as the error says it that stops their compilation. */
function compiledUnit(unit: ModuleUnit, modules: readonly DeviceModule[], names: TranslatedProgram['names']): Compiled {
  const module = modules.find(({ units }) => units.includes(unit))!;
  const at = module.units.indexOf(unit);
  const index = isSecond(unit) ? module.units.findIndex(({ second }) => second === at) : at;
  const kernels = module.kernels.filter((kernel) => kernel.unit === index).map(({ name }) => names.get(name)!.short);
  const others = kernels.length > 1 ? ` and ${kernels.length - 1} more` : '';
  return { name: `the kernel ${kernels[0]}${others} of ${basename(module.sourceName)}`, file: module.sourceName };
}

/** True for modules of the program's own sources, false for those of libraries. */
export const isOwn = (
  { sources }: Pick<TranslatedProgram, 'sources'>,
  { sourceName }: Pick<DeviceModule, 'sourceName'>,
): boolean => sources.some(({ path }) => path === sourceName);

/** Compiles all kernels of the program's own sources, which a recording does while the program runs. */
export async function compileOwnKernels(program: TranslatedProgram): Promise<void> {
  const own = program.modules.filter((module) => isOwn(program, module));
  const later = own.flatMap((module) => (module.later ?? []).map((name) => program.laterKernel(module, name)));
  const units = [...own, ...(await Promise.all(later))].flatMap((module) => firstUnits(module.units));
  await Promise.all(units.map(program.compileUnit));
}

/** Our libraries are written with shuffles, which Fermi lacks: NVIDIA's had other code for it, with the same results. */
const libraryTarget = ({ computeCapability }: GpuDescription): GpuDescription['computeCapability'] =>
  computeCapability.major < 3 ? { major: 3, minor: 5 } : computeCapability;

/** `static` kernels and variables may have one name in several files: there, the number of the file is added to it. */
function qualifiedNames(modules: readonly DeviceModule[]): (name: string, index: number) => string {
  const uses = new Map<string, number>();
  for (const { kernels, variables, later = [] } of modules) {
    for (const name of [...[...kernels, ...variables].map((each) => each.name), ...later])
      uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return (name, index) => ((uses.get(name) ?? 0) > 1 ? nameInModule(name, index) : name);
}

/** Check of static shared memory, which ptxas makes too: beyond 48 KiB it has no opt-in. */
function checkSharedMemory(module: DeviceModule, names: TranslatedProgram['names'], gpu: GpuDescription): void {
  const most = gpu.limits.sharedBytesPerBlock;
  const kernel = module.kernels.find(({ staticSharedBytes }) => staticSharedBytes > most);
  if (!kernel) return;
  throw new SimsightError(
    'compile-failed',
    `${basename(module.sourceName)}: ${names.get(kernel.name)!.demangled} uses too much shared data (${kernel.staticSharedBytes} bytes, ${most} max).`,
    'Use dynamic shared memory, and allow it with cudaFuncSetAttribute.',
    { file: module.sourceName, ...(kernel.place ? { line: kernel.place.line } : {}) },
  );
}
