/** The recorded program's run: its process, its trace, and what both say meanwhile. */
import { basename, dirname, extname, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { errorFrom, fileError, SimsightError } from '../base/errors.ts';
import { stopAndKeep, stopped } from '../base/stopped.ts';
import type { RunTimeSource } from '../model/run-time-compilation.ts';
import type { KernelEvent } from '../model/event-kinds/kernel.ts';
import { libraryMetric, timedOnlyMetric } from '../model/metric-names.ts';
import { h200 } from '../gpus/h200.ts';
import { onlyOptions } from '../model/record-options.ts';
import type { KernelTime, RecordProgress, RecordResult } from '../model/recording.ts';
import type { WritableFolder } from '../cuda/linux/files.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { TraceWriter } from '../trace/writer.ts';
import { nameInTrace } from './file-names.ts';
import { serveKernelCode, type LoadedImage } from './kernel-code.ts';
import type { FromProcess, FromProgram, ProgramOrder } from './messages.ts';
import { workingFolderOf } from './programs.ts';
import type { ProgressReporter } from './progress.ts';
import { nothingYet } from './progress.ts';
import { FailedChecks, findRace, mayHaveRaced } from './races.ts';
import { executionRights, programRights } from './rights.ts';
import type { ProgramProcess } from './start-program.ts';
import { isOwn, type TranslatedProgram } from './translate.ts';
import type { RecordCall } from './types.ts';

/** Interval (ms) at which the number of compiled units is looked at. */
const lookEvery = 200;
/** Time (ms) that a program has to come to its next launch when somebody asks for the end. */
const stopMilliseconds = 2000;
/** Exit code of what was interrupted, as of a shell. */
const stoppedCode = 130;

/** A trace that is being written; without a writer and with an empty path where none is kept. */
export interface OpenedTrace {
  output: string;
  writer?: TraceWriter;
}

export interface ProgramRunOptions {
  call: RecordCall;
  gpus: readonly [GpuDescription, ...GpuDescription[]];
  program: TranslatedProgram;
  own: ProgramProcess;
  progress: ProgressReporter;
  /** Notices that are known before the program runs. */
  notices: readonly string[];
  writable: WritableFolder | null;
  /** Real paths of others that it may read. */
  readable: readonly string[];
  /** Names and opens the trace. */
  openTrace: () => OpenedTrace;
  /** The final path of a trace that has been finished. */
  kept: (output: string) => string;
  /** Another recording of the same program, which looks for races. */
  recordAgain: (call: RecordCall) => Promise<RecordResult>;
}

type Outcome = { settle: (result: RecordResult) => void; fail: (error: Error) => void };

export class ProgramRun {
  private readonly options: ProgramRunOptions;
  private readonly code: ReturnType<typeof serveKernelCode>;
  private readonly checks = new FailedChecks();
  private readonly kernelTimes = new Map<string, KernelTime>();
  private output = '';
  private writer: TraceWriter | undefined;
  private state: RecordProgress = { ...nothingYet, phase: 'run', message: 'Running the program' };
  private failedKernel: string | null = null;
  /** Launches whose results are missing, in part or as a whole, and the latter ones. */
  private readonly timedOnly = { all: 0, whole: 0 };
  /** Kernels of libraries, whose times are those of measured ones. */
  private ofLibraries = 0;
  private look: NodeJS.Timeout | undefined;
  /** The program has sent its last message; the end of its process is then expected. */
  private isOver = false;
  /** Somebody has asked for the end. */
  private stopping: NodeJS.Timeout | undefined;
  /** Of all modules. */
  private readonly kernelNames: string[];

  constructor(options: ProgramRunOptions) {
    const { program } = options;
    this.options = options;
    this.kernelNames = program.modules.flatMap(({ kernels, later = [] }) =>
      [...kernels.map(({ name }) => name), ...later].map((name) => this.nameOf(name)),
    );
    const folders = [workingFolderOf(options.call), ...options.readable].filter((folder) => folder !== null);
    const compilers = {
      ...program,
      loadImage: (image: Uint8Array) => this.loadImage(image),
      compileText: (source: RunTimeSource) => program.compileText(source, folders),
    };
    this.code = serveKernelCode(program.modules, compilers, (module) => isOwn(program, module));
  }

  /** The trace has the source of an image as it has those of the program. */
  private async loadImage(image: Uint8Array): Promise<LoadedImage> {
    const { call, program } = this.options;
    const loaded = await program.loadImage(image);
    const { sourceName, kernels } = loaded.module;
    this.kernelNames.push(...kernels.map(({ name }) => this.nameOf(name)));
    const path = nameInTrace(dirname(resolve(call.sources[0]!)), sourceName);
    this.writer?.addSource({ path, text: loaded.text });
    return loaded;
  }

  /** Runs the program to its end and writes its trace. */
  async run(): Promise<RecordResult> {
    const { call, own, progress } = this.options;
    // The limit is for the program, not for the compiler.
    if (call.maxSeconds !== undefined) await this.code.compiledAhead;
    const order = this.order();
    ({ output: this.output, writer: this.writer } = this.options.openTrace());
    progress.report(this.state);
    this.look = setInterval(() => {
      const { compiled } = this.code;
      if (JSON.stringify(compiled) !== JSON.stringify(this.state.compiled)) this.onPart({ compiled: { ...compiled } });
    }, lookEvery);
    try {
      return await new Promise<RecordResult>((settle, fail) => {
        const outcome: Outcome = { settle, fail };
        call.signal?.addEventListener('abort', () => this.abort(outcome), { once: true });
        own.onMessage((message, how) => {
          try {
            this.onMessage(message, how, outcome);
          } catch (error) {
            fail(this.cutShort(error));
          }
        });
        const rights = {
          program: programRights(order.folder, order.writable, order.readable),
          execution: executionRights(),
        };
        own.send({ type: 'start', order: serialize(order), rights });
      });
    } finally {
      clearInterval(this.look);
      clearTimeout(this.stopping);
      this.code.close();
      await own.kill();
      this.writer?.abandon();
    }
  }

  /** The program, as its process gets it. */
  private order(): ProgramOrder {
    const { call, gpus, program, writable, readable } = this.options;
    const [first] = call.sources as [string];
    return {
      host: program.host,
      modules: program.modules,
      programName: basename(first, extname(first)),
      folder: workingFolderOf(call),
      writable,
      readable,
      gpus: gpus.map(({ id }) => id),
      options: onlyOptions(call),
      threads: call.threads,
      perThreadStreams: program.perThreadStreams,
      names: new Map([...program.names].map(([mangled, { demangled }]) => [mangled, demangled])),
    };
  }

  // Messages of the process

  private onMessage(message: FromProcess | null, how: string, outcome: Outcome): void {
    const { own } = this.options;
    if (this.isOver) return;
    if (message === null) this.failed(processEnded(`by ${how}`), outcome);
    else if (message.type === 'program') this.onProgram(deserialize(message.message) as FromProgram, outcome);
    else if (message.type === 'code')
      void this.code.answer(message.request).then((answer) => own.send({ type: 'code', answer }));
    else if (message.type === 'progress') {
      const { type: _, kernel: number, kernelLaunches, kernelMilliseconds, ...part } = message;
      const name = this.kernelNames[number - 1];
      const meanMs = kernelLaunches > 0 ? kernelMilliseconds / kernelLaunches : 0;
      this.onPart({
        ...part,
        launches: part.launches + this.timedOnly.whole,
        kernel: name === undefined ? null : { name, launches: kernelLaunches, meanMs },
      });
    } else this.failed(message.error ? errorFrom(message.error) : processEnded('without an answer'), outcome);
  }

  private onProgram(message: FromProgram, outcome: Outcome): void {
    if (message.type === 'events') this.onEvents(message);
    else if (message.type === 'failed') this.failed(errorFrom(message.error), outcome);
    else {
      const { exitCode, durationNs, uncheckedLaunch, notices, repeated } = message;
      const launches = message.launches + this.timedOnly.whole;
      this.state.launches = launches;
      this.isOver = true;
      this.afterwards(this.raceOf(exitCode !== 0), outcome, (race) => {
        this.finish(exitCode, true, ...notices, ...(race === null ? [] : [race]));
        this.options.call.onKernelTimes?.([...this.kernelTimes.values()]);
        const path = this.options.kept(this.output);
        const { failedKernel } = this;
        outcome.settle({
          path,
          exitCode,
          durationNs,
          kernels: this.state.kernels,
          launches,
          repeated,
          timedOnly: this.timedOnly.all,
          uncheckedLaunch,
          race,
          failedKernel,
        });
      });
    }
  }

  private onEvents({ events, simulatedNs, apiCalls }: Extract<FromProgram, { type: 'events' }>): void {
    this.writer?.append(events);
    this.options.own.send({ type: 'written' });
    this.state = { ...this.state, simulatedNs, apiCalls, console: [] };
    for (const event of events) {
      if (event.type === 'kernel') {
        this.failedKernel ??= event.failure?.message ?? null;
        this.countKernel(event);
      } else if (event.type === 'console') {
        this.checks.take(event.text);
        this.state.console.push({ timeNs: event.time, stream: event.stream, text: event.text });
      }
    }
    this.options.progress.report(this.state);
  }

  private countKernel({ kernel, start, end, details }: KernelEvent): void {
    this.state.kernels++;
    const missing = details.metrics?.[timedOnlyMetric] ?? 0;
    if (details.metrics?.[libraryMetric] === 1) this.ofLibraries++;
    if (missing > 0) this.timedOnly.all++;
    if (missing === 1) this.timedOnly.whole++;
    const of = this.kernelTimes.get(kernel) ?? { name: this.nameOf(kernel), count: 0, ns: 0 };
    this.kernelTimes.set(kernel, { ...of, count: of.count + 1, ns: of.ns + end - start });
  }

  /** As in the source. */
  private nameOf(kernel: string): string {
    return this.options.program.names.get(kernel)?.demangled ?? kernel;
  }

  /** Progress of grids and compilations, which go on without events. */
  private onPart(
    part: Pick<RecordProgress, 'blocks' | 'launches' | 'repeated' | 'kernel'> | Pick<RecordProgress, 'compiled'>,
  ): void {
    this.state = { ...this.state, ...part, console: [] };
    this.options.progress.report(this.state);
  }

  // Ends

  private missingResults(): string[] {
    const { all } = this.timedOnly;
    const { launches } = this.state;
    const notice = `${all} of ${launches} launches were timed and not executed, or not as a whole: results that the program computed of theirs are wrong.`;
    return all === 0 ? [] : [notice];
  }

  /** Where the times of libraries' kernels come from. */
  private libraryTimes(): string[] {
    const { ofLibraries } = this;
    if (ofLibraries === 0) return [];
    const others = this.options.gpus.filter(({ id }) => id !== h200.id).map(({ name }) => name);
    const scaled = others.length === 0 ? '' : `, scaled to the ${[...new Set(others)].join(' and the ')} by its peaks`;
    const which = `${ofLibraries} of ${this.state.kernels} kernels are cuBLAS’s own, timed by measurement`;
    return [
      `${which}: shapes and times are those of a model of what was measured on an H200${scaled}. They are not simulated: they have no counters and no warp states.`,
    ];
  }

  private finish(exitCode: number | null, complete: boolean, ...more: string[]): void {
    const { progress, notices } = this.options;
    clearInterval(this.look);
    progress.report({
      ...this.state,
      phase: 'store',
      message: 'Finishing the trace',
      blocks: null,
      kernel: null,
      console: [],
    });
    this.writer?.finish({
      exitCode,
      notices: [...notices, ...more, ...this.libraryTimes(), ...this.missingResults()],
      complete,
    });
    this.writer = undefined;
  }

  /** The program is over before its end; what it did until then is kept. */
  private failed({ code, message, remedy, place, details }: SimsightError, outcome: Outcome): void {
    if (this.stopping !== undefined) return this.endStopped(outcome);
    this.isOver = true;
    // Then nobody asked for it, or `abort` has kept it.
    if (this.options.call.signal?.aborted) return outcome.fail(new Error('cancelled'));
    const kept = this.writer !== undefined && this.state.simulatedNs > 0;
    const end = (race: string | null): void => {
      const notices = race === null ? [message] : [message, race];
      if (kept) this.finish(null, code !== 'budget-exceeded' && code !== 'internal', ...notices);
      const hint = kept ? `${remedy} What was recorded until then: ${this.output}`.trim() : remedy;
      outcome.fail(new SimsightError(code, message, hint, place, details));
    };
    // Otherwise it is not the program that failed.
    if (code !== 'host-program-failed' && code !== 'kernel-failed') end(null);
    else this.afterwards(this.raceOf(true), outcome, end);
  }

  private abort(outcome: Outcome): void {
    const { fail } = outcome;
    const { call, own } = this.options;
    if (call.signal?.reason === stopAndKeep) {
      own.send({ type: 'stop' });
      // Work of the host goes on.
      this.stopping = setTimeout(() => this.endStopped(outcome), stopMilliseconds);
      return;
    }
    try {
      if (call.keepWhenStopped === true && call.signal?.reason === stopped && this.state.simulatedNs !== 0)
        this.finish(null, false, 'The recording was stopped because Simsight was closed.');
      fail(new Error('cancelled'));
    } catch (error) {
      fail(this.cutShort(error));
    }
  }

  /** Keeps what there is of a recording that somebody stopped. */
  private endStopped(outcome: Outcome): void {
    this.isOver = true;
    if (this.writer === undefined || this.state.simulatedNs === 0) return outcome.fail(new Error('cancelled'));
    // What is said of progress is older than the trace.
    this.state.launches = Math.max(this.state.launches, this.state.kernels);
    const { simulatedNs: durationNs, kernels, launches, repeated } = this.state;
    try {
      this.finish(null, false, 'The recording was stopped before the end of the program.');
      const path = this.options.kept(this.output);
      outcome.settle({
        path,
        exitCode: stoppedCode,
        durationNs,
        kernels,
        launches,
        repeated,
        timedOnly: this.timedOnly.all,
        stopped: true,
      });
    } catch (error) {
      outcome.fail(this.cutShort(error));
    }
  }

  /** A step that follows a promise. */
  private afterwards<T>(promise: Promise<T>, { fail }: Outcome, then: (value: T) => void): void {
    promise.then(then).catch((error: unknown) => fail(this.cutShort(error)));
  }

  /** The error to report when writing failed; what was committed stays in the trace. */
  private cutShort(error: unknown): Error {
    const fault = fileError(error, this.output);
    return (fault && this.writer?.cutShort(fault)) ?? (error as Error);
  }

  /** A notice of the race that may be why the program failed; it is shown among the program's output. */
  private async raceOf(hasFailed: boolean): Promise<string | null> {
    const { call, program, progress, recordAgain } = this.options;
    if (!(this.checks.end() || hasFailed || this.failedKernel !== null) || !mayHaveRaced(call, program.modules))
      return null;
    const found = this.state.kernels === 0 ? null : await findRace(call, recordAgain);
    if (found === null) return null;
    const notice = `The program seems to have failed, and it has a race, which may be why. ${found} Put a __syncthreads() between the two accesses.`;
    const line = { timeNs: this.state.simulatedNs, stream: 'stderr' as const, text: `Simsight: ${notice}\n` };
    progress.report({ ...this.state, console: [line] });
    return notice;
  }
}

const processEnded = (how: string): SimsightError =>
  new SimsightError(
    'budget-exceeded',
    `The process of the program was ended ${how}.`,
    'If that was for want of memory, use smaller problem sizes, or record less at a time.',
  );
