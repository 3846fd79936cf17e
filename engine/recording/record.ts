/**
 * A recording from source to trace file. The program runs in a process of its own (`program-process.ts`), so that it has no rights but
 * its own, the engine stays responsive, and a recording can be cancelled at any moment by ending that process; the trace is
 * written here, in the engine's process, as events arrive.
 *
 *   const result = await record({ sources: ['/home/me/app.cu'], gpu: 'a100', …, keepTrace: true });
 *
 * What a failing program did is kept: a trap or an abort after the first event leaves a complete trace of the run so
 * far, and the error names it; so does one whose budget is used up, but for being complete, and one that finds the disk full. A cancelled
 * recording leaves nothing behind, one that is stopped because Simsight is closed its part, where that is asked for.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { deserialize, serialize, setFlagsFromString } from 'node:v8';
import type { ConsoleLine, KernelTime, RecordProgress, RecordResult } from '../model/recording.ts';
import type { WritableFolder } from '../cuda/wasi.ts';
import { errorFrom, fileError, SimsightError } from '../base/errors.ts';
import { harmless } from '../base/harmless.ts';
import { limitOf } from '../base/limits.ts';
import { isWithin, withoutLinks } from '../base/real-paths.ts';
import { stopped } from '../base/stopped.ts';
import { systemFault } from '../base/system-errors.ts';
import { checkTraceTarget } from '../base/targets.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { gpusById } from '../gpus/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { noticesOf, onlyOptions, type NoticeFacts } from '../model/record-options.ts';
import { registersAllowed } from '../sm/occupancy.ts';
import { defaultHost, hostProfileById, type HostProfile } from '../system/index.ts';
import type { KernelEvent } from '../model/event-kinds/kernel.ts';
import { createTraceWriter, type TraceWriter } from '../trace/writer.ts';
import { nameInTrace } from './file-names.ts';
import { serveKernelCode } from './kernel-code.ts';
import type { FromProcess, FromProgram, ProgramOrder } from './messages.ts';
import { FailedChecks, findRace, mayHaveRaced } from './races.ts';
import { executionRights, programRights } from './rights.ts';
import { freeName, keptAt } from './own-names.ts';
import { forkProgram, type ProgramProcess } from './start-program.ts';
import { hasPerThreadStreams, isOwn, translate, type TranslatedProgram } from './translate.ts';
import type { RecordCall } from './types.ts';

// Where recordings run side by side, V8 at times ends the process while it frees code of WebAssembly that it has compiled
// anew: "Check failed: jit_page_->allocations_.erase(addr) == 1" (Node 24.21). So it keeps that code. Electron has a V8 of
// its own, and may freeze its flags, where to set one ends the process.
if (!process.versions['electron']) setFlagsFromString('--no-wasm-code-gc');

export async function record(call: RecordCall): Promise<RecordResult> {
  const gpus = gpusById(call.gpu);
  const progress = progressReporter(call.onProgress);
  let own: ProgramProcess | undefined;
  try {
    call.signal?.throwIfAborted();
    // Before the compiler takes its time.
    if (call.keepTrace) checkTraceTarget(outputPath(call));
    checkWritable(call);
    own = (call.startProgram ?? forkProgram)();
    const program = await translate(call, oldest(gpus), (phase, message) =>
      progress.report({ ...nothingYet, phase, message }),
    );
    if (program.warnings) {
      const console: ConsoleLine[] = [{ timeNs: 0, stream: 'stderr', text: harmless(program.warnings) }];
      progress.report({ ...nothingYet, phase: 'translate', message: 'Compiled with warnings', console });
    }
    call.signal?.throwIfAborted();
    return await run(call, gpus, program, own, progress);
  } catch (error) {
    throw call.signal?.aborted ? new SimsightError('cancelled', 'The recording was cancelled.') : error;
  } finally {
    await own?.kill();
    progress.flush();
  }
}

/** Code for several GPUs is compiled for the oldest of them, as all can run it. */
function oldest(gpus: readonly [GpuDescription, ...GpuDescription[]]): GpuDescription {
  const age = ({ computeCapability: { major, minor } }: GpuDescription): number => 10 * major + minor;
  return gpus.reduce((before, gpu) => (age(gpu) < age(before) ? gpu : before));
}

const nothingYet = { simulatedNs: 0, kernels: 0, apiCalls: 0, compiled: null, blocks: null, console: [] };
/** How many units are compiled is looked at this often (ms). */
const lookEvery = 200;

/** Runs the translated program in its process and writes what it does. */
async function run(
  call: RecordCall,
  gpus: readonly [GpuDescription, ...GpuDescription[]],
  program: TranslatedProgram,
  own: ProgramProcess,
  progress: ProgressReporter,
): Promise<RecordResult> {
  const hostProfile = hostProfileById(call.hostProfile ?? defaultHost.id);
  const facts: NoticeFacts = { registersAllowed: (asked) => registersAllowed(asked, oldest(gpus)) };
  const notices = [
    ...noticesOf(call, facts, true),
    ...noticesFor(gpus, hostProfile),
    ...noticesOf(call, facts, false),
    ...lateMacroNotices(call),
  ];
  const [first] = call.sources as [string];
  const code = serveKernelCode(program.modules, program.compileUnit, (module) => isOwn(call, module));
  // The limit is for the program, not for the compiler.
  if (call.maxSeconds !== undefined) await code.compiledAhead;
  const order: ProgramOrder = {
    host: program.host,
    modules: program.modules,
    programName: basename(first, extname(first)),
    folder: dirname(resolve(first)),
    writable: writableFolder(call),
    gpus: gpus.map(({ id }) => id),
    options: onlyOptions(call),
    threads: call.threads,
    perThreadStreams: hasPerThreadStreams(call),
    names: new Map([...program.names].map(([mangled, { demangled }]) => [mangled, demangled])),
  };
  // Nothing may come between, or two recordings could take the same name.
  const output = call.keepTrace ? (isNumbered(call) ? freeName(outputPath(call)) : outputPath(call)) : '';
  let writer = call.keepTrace ? openWriter(call, gpus, program, output) : undefined;
  let state: RecordProgress = { ...nothingYet, phase: 'run', message: 'Running the program' };
  progress.report(state);
  /** Grids and compilations go on without events. */
  function onPart(part: Pick<RecordProgress, 'blocks'> | Pick<RecordProgress, 'compiled'>): void {
    state = { ...state, ...part, console: [] };
    progress.report(state);
  }
  const look = setInterval(() => {
    if (JSON.stringify(code.compiled) !== JSON.stringify(state.compiled)) onPart({ compiled: { ...code.compiled } });
  }, lookEvery);

  function onEvents({ events, simulatedNs, apiCalls }: Extract<FromProgram, { type: 'events' }>): void {
    writer?.append(events);
    own.send({ type: 'written' });
    state = { ...state, simulatedNs, apiCalls, console: [] };
    for (const event of events) {
      if (event.type === 'kernel') {
        failedKernel ??= event.failure?.message ?? null;
        countKernel(event);
      } else if (event.type === 'console') {
        checks.take(event.text);
        state.console.push({ timeNs: event.time, stream: event.stream, text: event.text });
      }
    }
    progress.report(state);
  }

  const checks = new FailedChecks();
  let failedKernel: string | null = null;
  /** What may be why the program failed, as a notice; it is shown with what the program prints. */
  async function raceOf(hasFailed: boolean): Promise<string | null> {
    if (!(checks.end() || hasFailed || failedKernel !== null) || !mayHaveRaced(call, program.modules)) return null;
    const found = state.kernels === 0 ? null : await findRace(call, record);
    if (found === null) return null;
    const notice = `The program seems to have failed, and it has a race, which may be why. ${found} Put a __syncthreads() between the two accesses.`;
    const line = { timeNs: state.simulatedNs, stream: 'stderr' as const, text: `Simsight: ${notice}\n` };
    progress.report({ ...state, console: [line] });
    return notice;
  }

  const kernelTimes = new Map<string, KernelTime>();
  function countKernel({ kernel, start, end }: KernelEvent): void {
    state.kernels++;
    const of = kernelTimes.get(kernel) ?? { name: program.names.get(kernel)?.demangled ?? kernel, count: 0, ns: 0 };
    kernelTimes.set(kernel, { ...of, count: of.count + 1, ns: of.ns + end - start });
  }

  function finish(exitCode: number | null, complete: boolean, ...more: string[]): void {
    clearInterval(look);
    progress.report({ ...state, phase: 'store', message: 'Finishing the trace', blocks: null, console: [] });
    writer?.finish({ exitCode, notices: [...notices, ...more], complete });
    writer = undefined;
  }

  /** What is committed is kept where nothing more can be written. */
  function cutShort(error: unknown): Error {
    const fault = fileError(error, output);
    return (fault && writer?.cutShort(fault)) ?? (error as Error);
  }

  function onAbort(): void {
    if (call.keepWhenStopped !== true || call.signal?.reason !== stopped || state.simulatedNs === 0) return;
    finish(null, false, 'The recording was stopped because Simsight was closed.');
  }

  try {
    return await new Promise<RecordResult>((settle, fail) => {
      const abort = (): void => {
        try {
          onAbort();
          fail(new Error('cancelled'));
        } catch (error) {
          fail(cutShort(error));
        }
      };
      call.signal?.addEventListener('abort', abort, { once: true });
      /** The program has said its last word; that its process ends then is no news. */
      let isOver = false;
      /** The program is over before its end; what it did until then is kept. */
      function failed({ code, message, remedy, place, details }: SimsightError): void {
        isOver = true;
        // Then nobody asked for it, or `onAbort` has kept it.
        if (call.signal?.aborted) return fail(new Error('cancelled'));
        const kept = writer !== undefined && state.simulatedNs > 0;
        const end = (race: string | null): void => {
          const notices = race === null ? [message] : [message, race];
          if (kept) finish(null, code !== 'budget-exceeded' && code !== 'internal', ...notices);
          const hint = kept ? `${remedy} What was recorded until then: ${output}`.trim() : remedy;
          fail(new SimsightError(code, message, hint, place, details));
        };
        // Otherwise it is not the program that failed.
        if (code !== 'host-program-failed' && code !== 'kernel-failed') end(null);
        else afterwards(raceOf(true), end);
      }
      /** What follows from a promise, as one of `onMessage`'s steps. */
      function afterwards<T>(promise: Promise<T>, then: (value: T) => void): void {
        promise.then(then).catch((error: unknown) => fail(cutShort(error)));
      }
      function onProgram(message: FromProgram): void {
        if (message.type === 'events') onEvents(message);
        else if (message.type === 'failed') failed(errorFrom(message.error));
        else {
          const { exitCode, durationNs, uncheckedLaunch } = message;
          isOver = true;
          afterwards(raceOf(exitCode !== 0), (race) => {
            finish(exitCode, true, ...message.notices, ...(race === null ? [] : [race]));
            call.onKernelTimes?.([...kernelTimes.values()]);
            const path = output !== '' && isNumbered(call) ? keptAt(output, outputPath(call)) : output;
            settle({ path, exitCode, durationNs, kernels: state.kernels, uncheckedLaunch, race, failedKernel });
          });
        }
      }
      function onMessage(message: FromProcess | null, how: string): void {
        if (isOver) return;
        if (message === null) failed(processEnded(`by ${how}`));
        else if (message.type === 'program') onProgram(deserialize(message.message) as FromProgram);
        else if (message.type === 'code')
          void code.answer(message.request).then((answer) => own.send({ type: 'code', answer }));
        else if (message.type === 'blocks') {
          const { done, total } = message;
          onPart({ blocks: total > 0 ? { done, total } : null });
        } else failed(message.error ? errorFrom(message.error) : processEnded('without an answer'));
      }
      own.onMessage((message, how) => {
        try {
          onMessage(message, how);
        } catch (error) {
          fail(cutShort(error));
        }
      });
      const rights = { program: programRights(order.folder, order.writable), execution: executionRights() };
      own.send({ type: 'start', order: serialize(order), rights });
    });
  } finally {
    clearInterval(look);
    code.close();
    await own.kill();
    writer?.abandon();
  }
}

const processEnded = (how: string): SimsightError =>
  new SimsightError(
    'budget-exceeded',
    `The process of the program was ended ${how}.`,
    'If that was for want of memory, use smaller problem sizes, or record less at a time.',
  );

function openWriter(
  call: RecordCall,
  [gpu, ...others]: readonly [GpuDescription, ...GpuDescription[]],
  { names }: TranslatedProgram,
  output: string,
): TraceWriter {
  mkdirSync(dirname(output), { recursive: true });
  const folder = dirname(resolve(call.sources[0]!));
  return createTraceWriter(output, {
    title: titleOf(call),
    program: basename(call.sources[0]!),
    arguments: call.arguments,
    gpu,
    others,
    ...(call.lifted === undefined ? {} : { lifted: call.lifted }),
    names,
    sources: call.sources.map((path) => ({
      path: nameInTrace(folder, resolve(path)),
      text: readFileSync(path, 'utf8'),
    })),
  });
}

/** Said with the trace, in the app and by the CLI. */
function noticesFor(gpus: readonly [GpuDescription, ...GpuDescription[]], host: HostProfile): string[] {
  const simulated =
    'Kernel times are simulated: blocks of one SM warp by warp, with its share of L2 and DRAM, from machine code selected as ptxas would do it.';
  const targetOf = ({ computeCapability: { major, minor } }: GpuDescription): string => `${major}.${minor}`;
  const least = oldest(gpus);
  const target = targetOf(least);
  const isMixed = gpus.some((gpu) => targetOf(gpu) !== target);
  const compiled = `The code of all GPUs is compiled for compute capability ${target}, that of the ${least.name}.`;
  const assumed = [...new Set(gpus)].flatMap((gpu) => {
    const { assumptions } = withFallbacks(gpu);
    if (assumptions.length === 0) return [];
    const figures = assumptions.map(({ figure, value, reason }) => `${figure} = ${value} (${reason})`).join('; ');
    return [`Not published for the ${gpu.name}, so assumed: ${figures}.`];
  });
  const hosted = host === defaultHost ? [] : [`The host is ${host.name}: ${host.source}.`];
  return [simulated, ...hosted, ...(isMixed ? [compiled] : []), ...assumed];
}

/** NVIDIA's programming guide, "Default Stream": nvcc includes cuda_runtime.h before the first line of a .cu file. */
function lateMacroNotices(call: RecordCall): string[] {
  if (hasPerThreadStreams(call)) return [];
  return call.sources
    .filter((source) => /\.cu$/i.test(source) && definesPerThread.test(readFileSync(source, 'utf8')))
    .map(
      (source) =>
        `${basename(source)} defines CUDA_API_PER_THREAD_DEFAULT_STREAM, which comes too late in a .cu file, with nvcc as well: stream 0 is the legacy default stream. Use --default-stream per-thread.`,
    );
}
const definesPerThread = /^[ \t]*#[ \t]*define[ \t]+CUDA_API_PER_THREAD_DEFAULT_STREAM\b/m;

/** No program writes where Simsight keeps what is its own. Gives the folder with all links followed. */
function checkWritable(call: RecordCall): string | null {
  const { writableFolder: name, cacheFolder, recordingsFolder, dataFolder } = call;
  if (name === undefined) return null;
  const path = withoutLinks(name);
  const own = [cacheFolder, recordingsFolder, ...(dataFolder === undefined ? [] : [dataFolder])].map((folder) =>
    withoutLinks(folder),
  );
  const kept = own.find((folder) => isWithin(folder, path) || isWithin(path, folder));
  if (kept !== undefined) {
    throw new SimsightError(
      'file-not-allowed',
      `The program cannot write to ${name}: Simsight keeps its own files in ${kept}.`,
      'Name a folder that is neither in there nor around it.',
    );
  }
  return path;
}

/** The folder that the program may write to, made where it is missing. */
function writableFolder(call: RecordCall): WritableFolder | null {
  const path = checkWritable(call);
  if (path === null) return null;
  const name = call.writableFolder!;
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    const isFile = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const reason = isFile ? 'it is a file' : (systemFault(error)?.reason ?? (error as Error).message);
    throw new SimsightError('file-not-allowed', `The program cannot write to ${name}: ${reason}.`, 'Name a folder.');
  }
  return { path, name };
}

/** The command line, as one would type it, where nobody gave a title; and what was lifted. */
function titleOf(call: RecordCall): string {
  const title = call.title ?? [basename(call.sources[0]!), ...call.arguments].join(' ').slice(0, 200);
  return call.lifted === undefined ? title : `${title} (what if: ${limitOf(call.lifted).title})`;
}

/** Nobody chose the name of its trace, or not to replace what has it. */
const isNumbered = ({ output, numbered = output === undefined }: RecordCall): boolean => numbered;

function outputPath(call: RecordCall): string {
  if (call.output) return call.output === '-' ? '-' : resolve(call.output);
  const first = call.sources[0]!;
  const name = (call.title ?? [basename(first, extname(first)), ...call.arguments].join('-'))
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 120);
  const gpu = call.gpu.replaceAll(',', '-');
  const what = call.lifted === undefined ? '' : `-lift-${call.lifted}`;
  return join(call.recordingsFolder, `${name || 'recording'}-${gpu}${what}.simsight`);
}

interface ProgressReporter {
  report(progress: RecordProgress): void;
  /** Hands on what is still held back. */
  flush(): void;
}

/** Hands on progress at most ten times a second, except for changes of phase; console lines are never lost. */
function progressReporter(onProgress: ((progress: RecordProgress) => void) | undefined): ProgressReporter {
  let lastTime = 0;
  let lastStep = '';
  let held: RecordProgress | undefined;
  const flush = (): void => {
    if (held) onProgress?.(held);
    held = undefined;
    lastTime = performance.now();
  };
  return {
    flush,
    report(progress) {
      held = { ...progress, console: [...(held?.console ?? []), ...progress.console] };
      const step = progress.phase + progress.message;
      if (step === lastStep && performance.now() - lastTime < 100) return;
      lastStep = step;
      flush();
    },
  };
}
