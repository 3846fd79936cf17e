/**
 * Runs a compiled host program against the simulated CUDA runtime. The program is 64-bit WebAssembly; its operating
 * system is `linux/`, its CUDA runtime `runtime/table.ts`. It runs synchronously on the calling thread, its
 * host threads as coroutines (`threads/`): give it one of its own.
 *
 *   const { exitCode } = await runHostProgram({ host: program.host, programName: 'app', … });
 */
import { SimsightError } from '../base/errors.ts';
import { importsFor, own } from '../base/program-imports.ts';
import { ns } from '../base/units.ts';
import { functionImports, type FunctionImport } from '../base/wasm-binary.ts';
import type { SystemSimulator } from '../system/types.ts';
import { uncaughtException } from './exceptions.ts';
import { HostAccesses } from './host-code/accesses.ts';
import { accessMask, hostSymbols, instrument } from './host-code/instrument.ts';
import { withTiers } from './host-code/tiers.ts';
import { importTypes, refuseReferences, type FunctionType, type ImportKey } from './host-code/types.ts';
import { HostExports } from './host-exports.ts';
import { Linux, ProgramExit, timeBeside } from './linux/calls.ts';
import { CudaContext } from './runtime/context.ts';
import { HostMemory } from './runtime/host-memory.ts';
import { hostTouches } from './runtime/managed.ts';
import { SharedMemory } from './runtime/shared-memory.ts';
import { isDriver } from './driver/index.ts';
import { fitted, onBits, type Imported } from './runtime/arguments.ts';
import { callInSteps, cudaImports, inOneStep, type Stepwise } from './runtime/table.ts';
import { mainThreadImports, Threads } from './threads/threads.ts';
import { switchableImports, type AnyFunction, type Switchable } from './threads/switchable.ts';
import { threadLocalImports, withThreadLocals } from './threads/thread-locals.ts';
import type { HostProgramOptions, HostProgramResult } from './types.ts';

export { cudaError, errorName, errorText } from '../model/cuda-errors.ts';
export type * from './types.ts';

/**
 * Runs the program to its end, and the simulated system with it (`system.finish()` is the caller's). Errors:
 * `unsupported-construct` before the program starts, when it calls what the runtime does not have;
 * `host-program-failed` when it aborts or traps.
 */
export async function runHostProgram(options: HostProgramOptions): Promise<HostProgramResult> {
  const context = new CudaContext(options);
  // Says why.
  if (!WebAssembly.validate(options.host)) await WebAssembly.compile(options.host);
  const imported = functionImports(options.host);
  refuseReferences(options.host);
  const locals = startsThreads(imported, options.programName) ? withThreadLocals(options.host) : null;
  const host = locals?.program ?? options.host;
  const accesses = usesManagedMemory(imported, options);
  const operations = options.hostRate !== undefined;
  const isChanged = accesses || operations || locals !== null;
  const changed = isChanged ? instrument(host, { accesses, operations, polls: locals !== null }) : host;
  const module = await WebAssembly.compile(withTiers(changed));
  const os = new Linux(options);
  const threads = locals ? new Threads(context, locals.initial, () => exports) : null;
  const uncatchable = new Uncatchable();
  const work = new HostWork(options, () => instance);
  const prepared = <Functions extends Record<string, unknown>>(functions: Functions): Functions =>
    work.chargedBefore(uncatchable.guard(functions));
  const others = {
    ...threadLocalImports(
      () => exports,
      () => threads?.destructors ?? null,
    ),
    ...(threads ? threads.imports() : mainThreadImports(options.programName)),
  };
  const steps = threads?.steps() ?? {};
  const stopped = Object.fromEntries(Object.keys(steps).map((name) => [name, unreachable]));
  const imports: ProgramImports = {
    env: prepared(cudaImports(context, module, { ...others, ...stopped })),
    linux: prepared(os.imports()),
  };
  fitImports(imports, importTypes(host));
  const poll = threads && makeSwitchable(host, imports, steps, { context, threads, prepared });
  const instance: WebAssembly.Instance = await WebAssembly.instantiate(module, importsFor(module, imports));
  if (poll) (instance.exports[hostSymbols.poll] as WebAssembly.Table).set(0, poll);
  const exports = new HostExports(instance);
  os.memory.attach(exports.memory);
  context.memory = new HostMemory(exports.memory);
  context.malloc = (bytes) => exports.malloc(bytes);
  context.free = (address) => exports.free(address);
  context.readFile = (name) => os.readFile(name);
  context.functionOf = (pointer) => exports.functionAt(pointer);
  context.entryPoint = (name, version, isPerThread) => exports.entryPoint(name, version, isPerThread);
  os.onSignal = (handler, signal) => context.callHost(handler, signal);
  const pages = accesses
    ? new HostAccesses(exports, (address, bytes, mask) => {
        work.charge();
        hostTouches(context, address, bytes, mask === accessMask.write);
      })
    : null;
  if (accesses) os.memory.onAccess = (address, bytes, writes) => hostTouches(context, address, bytes, writes);
  context.system.managed.pages.onProtect = (page, mask) => pages?.protect(page, mask);
  context.system.managed.allocatedElsewhere = (device) => context.allocatedOn(context.devices[device]!);
  context.shared = new SharedMemory(options.device, context.memory, (address, bytes) => {
    pages?.watch(address, bytes);
    options.device.watchManaged?.(address, bytes);
  });
  const ended = (exitCode: number): HostProgramResult => {
    context.deferred.end(() => context.deferred.isEmpty);
    return { exitCode, uncheckedLaunches: context.uncheckedLaunches, outside: os.outside };
  };
  try {
    const { _start: start } = exports.raw;
    const run = threads ? () => threads.coroutines.run(start) : () => start();
    (options.start ?? ((start) => start()))(run);
    work.charge();
    return ended(0);
  } catch (trap) {
    const error = uncatchable.reason ?? trap;
    if (error instanceof ProgramExit) {
      return ended(error.exitCode);
    }
    if (error instanceof SimsightError && error.code === 'budget-exceeded') context.stoppedBy(error);
    throw (
      uncaughtException(error, options.programName, exports, context.memory) ??
      hostFailure(error, options.programName, os)
    );
  } finally {
    os.end();
  }
}

/** Or has what belongs to threads, mutexes for example, because its headers do. */
const startsThreads = (imported: readonly FunctionImport[], program: string): boolean => {
  const ofMain = mainThreadImports(program);
  return imported.some(({ name }) => /^__wrap_(pthread|sem)_/.test(name) && own(ofMain, name) === undefined);
};

/** Stands for an import that `makeSwitchable` replaces. */
const unreachable = (): never => {
  throw new SimsightError('internal', 'A call in steps was made at once.', 'Please report it.');
};

/** The call of the operating system in which time passes, beside that which it passes itself. */
const osWait = 'wait';

type ProgramImports = Record<string, Record<string, unknown>>;

/** Has imports give what the program expects of them: addresses have 64 bits. */
function fitImports(imports: ProgramImports, types: ReadonlyMap<ImportKey, FunctionType>): void {
  for (const [module, functions] of Object.entries(imports)) {
    for (const [name, call] of Object.entries(functions)) {
      const type = types.get(`${module}.${name}`);
      if (!type || typeof call !== 'function') continue;
      const onWhatItTakes = isDriver(name) ? onBits(call as Imported, type) : (call as Imported);
      functions[name] = fitted(onWhatItTakes, type);
    }
  }
}

/** Makes calls that can stop a thread of those which may, while there are several; returns what loops that poll call. */
function makeSwitchable(
  host: Uint8Array,
  imports: ProgramImports,
  ofThreads: Record<string, Stepwise>,
  parts: { context: CudaContext; threads: Threads; prepared: <F extends Record<string, unknown>>(functions: F) => F },
): AnyFunction {
  const { context, threads, prepared } = parts;
  const { coroutines } = threads;
  const switchable = new Map<`${string}.${string}`, Switchable>();
  for (const [module, functions] of Object.entries(imports)) {
    for (const [name, plain] of Object.entries(functions)) {
      const ofThread =
        own(ofThreads, name) ??
        (name === osWait
          ? inOneStep(plain as Imported, context.system, (call) => timeBeside(call, context.system.host.threads))
          : undefined);
      const inSteps = ofThread ?? callInSteps(context, name, plain as Imported);
      if (!inSteps) continue;
      switchable.set(
        `${module}.${name}`,
        prepared({
          plain: ofThread ? coroutines.plain(inSteps) : (plain as AnyFunction),
          suspending: coroutines.suspending(inSteps),
        }),
      );
    }
  }
  const pollKey = 'simsight.poll';
  switchable.set(
    pollKey,
    prepared({ plain: () => undefined, suspending: coroutines.suspending(() => threads.poll()) }),
  );
  const { suspends, functions } = switchableImports(host, switchable, coroutines.Suspending);
  // What is called back has other things than the program below it on the stack: it cannot stop.
  let several = false;
  const choose = (): void => void (suspends.value = several && !context.inHostFunction ? 1 : 0);
  threads.onSeveral = (now) => {
    several = now;
    choose();
  };
  context.onHostFunction = choose;
  for (const [key, chosen] of functions) {
    const [module, name] = key.split('.') as [string, string];
    if (key !== pollKey) imports[module]![name] = chosen;
  }
  return functions.get(pollKey)!;
}

/** Allocations by these calls, or variables. */
function usesManagedMemory(imported: readonly FunctionImport[], { device }: HostProgramOptions): boolean {
  const calls = new Set(['cudaMallocManaged', 'cuMemAllocManaged']);
  if (device.variables.some(({ managed }) => managed)) return true;
  return imported.some(({ name }) => calls.has(name));
}

/** Lets time pass for what the program did on the CPU since it last called out of itself. */
class HostWork {
  private readonly rate: number | undefined;
  private readonly system: SystemSimulator;
  private readonly instance: () => WebAssembly.Instance;
  /** Operations that were less than a nanosecond. */
  private rest = 0;

  constructor({ hostRate, system }: HostProgramOptions, instance: () => WebAssembly.Instance) {
    this.rate = hostRate;
    this.system = system;
    this.instance = instance;
  }

  charge(): void {
    if (this.rate === undefined) return;
    const counter = this.instance().exports[hostSymbols.operations] as WebAssembly.Global<'i64'>;
    this.rest += Number(counter.value);
    counter.value = 0n;
    const passed = Math.floor(this.rest / this.rate);
    this.rest -= passed * this.rate;
    this.system.hostWork(ns(passed));
  }

  chargedBefore<Functions extends Record<string, unknown>>(imports: Functions): Functions {
    if (this.rate === undefined) return imports;
    const charged = Object.entries(imports).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      const inner = value as (...args: unknown[]) => unknown;
      return [
        name,
        (...args: unknown[]) => {
          this.charge();
          return inner(...args);
        },
      ];
    });
    return Object.fromEntries(charged) as Functions;
  }
}

/**
 * Errors that imports throw would be seen by the program's handlers: destructors would run at `exit`. A trap is not, so
 * what ends the program is kept and a trap thrown in its place.
 */
class Uncatchable {
  reason: unknown = null;
  /** (module (func (export "trap") unreachable)) */
  private readonly trap = new WebAssembly.Instance(
    new WebAssembly.Module(
      new Uint8Array([
        ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0],
        ...[7, 8, 1, 4, 0x74, 0x72, 0x61, 0x70, 0, 0, 10, 5, 1, 3, 0, 0, 0x0b],
      ]),
    ),
  ).exports.trap as () => never;

  guard<Functions extends Record<string, unknown>>(imports: Functions): Functions {
    const guarded = Object.entries(imports).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      const inner = value as (...args: unknown[]) => unknown;
      return [
        name,
        (...args: unknown[]) => {
          try {
            return inner(...args);
          } catch (error) {
            // Exceptions of the program's own go on, and so do traps.
            if (error instanceof WebAssembly.Exception || this.reason !== null) throw error;
            this.reason = error;
            return this.trap();
          }
        },
      ];
    });
    return Object.fromEntries(guarded) as Functions;
  }
}

const outsideOfMemory = /memory access out of bounds/;
/** The most frequent reason. */
const devicePointers = 'A pointer that cudaMalloc gave can be followed in kernels only: copy with cudaMemcpy. ';

/** Meanings of traps in terms of C++. */
const trapMeanings: [pattern: RegExp, meaning: string][] = [
  [/unreachable/, 'aborted'],
  [outsideOfMemory, 'accessed memory outside of its own (a segmentation fault)'],
  [/Maximum call stack size exceeded/, 'ran out of stack'],
  [/divide by zero/, 'divided by zero'],
  [/integer overflow|float unrepresentable/, 'overflowed in a conversion or division'],
  [/indirect call|table index|signature mismatch|null function/, 'called through an invalid function pointer'],
];

function hostFailure(error: unknown, program: string, { errorTail: printed, refused, outside }: Linux): unknown {
  if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) return error;
  const stack = error.stack ?? '';
  const meaning = usesNullFile(error.message, stack)
    ? 'read or wrote a null FILE* (a segmentation fault)'
    : (trapMeanings.find(([pattern]) => pattern.test(error.message))?.[1] ?? `failed (${error.message})`);
  const where = functionNames(stack);
  const last = printed.trim() === '' ? '' : ` It had printed: ${printed.trim().split('\n').slice(-3).join(' / ')}`;
  const file =
    refused !== null
      ? `It wanted to write ${refused}, which is refused outside of a folder named with --writable. `
      : outside !== null
        ? `It wanted to read ${outside}, which is outside of its folder: where there is such a file, allow it with --writable. `
        : '';
  return new SimsightError(
    'host-program-failed',
    `${program} ${meaning}${where === '' ? '' : ` in ${where}`}.${last}`,
    `${file}${outsideOfMemory.test(error.message) ? devicePointers : ''}Debug the host program as you would on a CPU; what was recorded until then is kept.`,
  );
}

/** The C library says so (build/sysroot/libc.c), but for single characters: the function that reads or writes more of the file is null. */
const usesNullFile = (message: string, stack: string): boolean =>
  /\b__simsight_null_file\b/.test(stack) ||
  (/null function/.test(message) && /^.*\n.*\b(__uflow|__overflow|[fp]?(get|put)w?c)\b/.test(stack));

/** The innermost functions of the program's own, from the names that V8 puts into the stack behind that of the module. */
function functionNames(stack: string): string {
  const names = [...stack.matchAll(/at (?:\w+\.wasm\.)?(.+) \(wasm:/g)].map(([, name]) => name!);
  return names
    .filter((name) => !/^(abort|__.*|_start|dl\w+|undefined_weak.*)$/.test(name))
    .slice(0, 3)
    .join(', called by ');
}
