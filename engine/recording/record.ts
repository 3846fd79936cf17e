/**
 * A recording from source to trace file. The program runs in a process of its own (`program-process.ts`), so that it has no rights but
 * its own, the engine stays responsive, and a recording can be cancelled at any moment by ending that process; the trace is
 * written here, in the engine's process, as events arrive.
 *
 *   const result = await record({ sources: ['/home/me/app.cu'], gpu: 'a100', …, keepTrace: true });
 *
 * The work of a failing program is kept: a trap or an abort after the first event leaves a complete trace of the run so
 * far, and the error names it; so does one whose budget is used up, but for being complete, and one that finds the disk full. A cancelled
 * recording leaves nothing behind, one that is stopped because Simsight is closed its part, where that is asked for.
 */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { ConsoleLine, RecordResult } from '../model/recording.ts';
import type { WritableFolder } from '../cuda/linux/files.ts';
import { SimsightError } from '../base/errors.ts';
import { harmless } from '../base/harmless.ts';
import { limitOf } from '../base/limits.ts';
import { isWithin, withoutLinks } from '../base/real-paths.ts';
import { systemFault } from '../base/system-errors.ts';
import { checkTraceTarget } from '../base/targets.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { gpusById } from '../gpus/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { noticesOf, type NoticeFacts } from '../model/record-options.ts';
import { registersAllowed } from '../sm/occupancy.ts';
import { defaultHost, hostProfileById, type HostProfile } from '../system/hosts.ts';
import { createTraceWriter, type TraceWriter } from '../trace/writer.ts';
import { nameInTrace } from './file-names.ts';
import { nothingYet, progressReporter, type ProgressReporter } from './progress.ts';
import { workingFolderOf } from './programs.ts';
import { ProgramRun } from './run-program.ts';
import { freeName, keptAt } from './own-names.ts';
import { forkProgram, type ProgramProcess } from './start-program.ts';
import { translate, type TranslatedProgram } from './translate.ts';
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

/** Runs the translated program in its process and writes its trace. */
function run(
  call: RecordCall,
  gpus: readonly [GpuDescription, ...GpuDescription[]],
  program: TranslatedProgram,
  own: ProgramProcess,
  progress: ProgressReporter,
): Promise<RecordResult> {
  const facts: NoticeFacts = { registersAllowed: (asked) => registersAllowed(asked, oldest(gpus)) };
  const notices = [
    ...noticesOf(call, facts, true),
    ...noticesFor(gpus, hostProfileById(call.hostProfile ?? defaultHost.id)),
    ...noticesOf(call, facts, false),
    ...lateMacroNotices(program),
  ];
  return new ProgramRun({
    ...{ call, gpus, program, own, progress, notices },
    writable: writableFolder(call),
    readable: readableFor(call),
    openTrace: () => {
      if (!call.keepTrace) return { output: '' };
      // Nothing may come between, or two recordings could take the same name.
      const output = isNumbered(call) ? freeName(outputPath(call)) : outputPath(call);
      return { output, writer: openWriter(call, gpus, program, output) };
    },
    kept: (output) => (output !== '' && isNumbered(call) ? keptAt(output, outputPath(call)) : output),
    recordAgain: record,
  }).run();
}
function openWriter(
  call: RecordCall,
  [gpu, ...others]: readonly [GpuDescription, ...GpuDescription[]],
  { names, sources }: TranslatedProgram,
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
    sources: sources.map(({ path, text }) => ({ path: nameInTrace(folder, path), text })),
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
function lateMacroNotices({ sources, perThreadStreams }: TranslatedProgram): string[] {
  if (perThreadStreams) return [];
  return sources
    .filter(({ path, text }) => /\.cu$/i.test(path) && definesPerThread.test(text))
    .map(
      ({ path }) =>
        `${basename(path)} defines CUDA_API_PER_THREAD_DEFAULT_STREAM, which comes too late in a .cu file, with nvcc as well: stream 0 is the legacy default stream. Use --default-stream per-thread.`,
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

/**
 * What the program may read outside of its working folder: its own folder, and files and folders that its arguments name, as `../data/graph.txt`
 * or `--input=/data/graph.txt`: whoever types them means the program to read them.
 */
function readableFor(call: RecordCall): string[] {
  const folder = realpathSync(workingFolderOf(call));
  const own = realpathSync(dirname(resolve(call.sources[0]!)));
  const owns = isWithin(folder, own) ? [] : [own];
  if (call.readsArguments !== true) return owns;
  const named = call.arguments.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  const found = named.filter((word) => word.includes('/') || word.includes(sep)).map((word) => resolve(folder, word));
  const real = found.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  const outside = real.filter((path) => !isWithin(folder, path) && !isWithin(path, folder) && !path.includes('*'));
  return [...new Set([...owns, ...outside])];
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
