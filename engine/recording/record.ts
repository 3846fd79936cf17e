/**
 * A recording from source to trace file. The program is compiled and run on its own thread (`program-worker.ts`), so that
 * the engine stays responsive and a recording can be cancelled at any moment by ending that thread; the trace is written
 * here, in the engine's process, as events arrive.
 *
 *   const result = await record({ sources: ['/home/me/app.cu'], gpu: 'a100', …, keepTrace: true });
 *
 * What a failing program did is kept: a trap or an abort after the first event leaves a complete trace of the run so
 * far, and the error names it. A cancelled recording leaves nothing behind.
 */
import { mkdirSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ConsoleLine, RecordProgress, RecordResult } from '../api/types.ts';
import { errorFrom, SimsightError } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { gpuById } from '../gpus/index.ts';
import { createTraceWriter, type TraceWriter } from '../trace/writer.ts';
import type { FromProgram, ProgramOrder } from './messages.ts';
import type { RecordCall } from './types.ts';

export async function record(call: RecordCall): Promise<RecordResult> {
  const gpu = gpuById(call.gpu);
  const output = call.keepTrace ? outputPath(call) : '';
  if (call.signal?.aborted) throw cancelled();

  const inFlight = new Int32Array(new SharedArrayBuffer(4));
  const order: ProgramOrder = {
    sources: call.sources.map((source) => resolve(source)),
    includeFolders: call.includeFolders.map((folder) => resolve(folder)),
    defines: call.defines,
    gpu: gpu.id,
    arguments: call.arguments,
    environment: call.environment,
    cacheFolder: call.cacheFolder,
    coldStart: call.coldStart ?? false,
    inFlight,
  };
  const worker = new Worker(workerUrl('recording/program-worker'), { workerData: order, stdout: false, stderr: false });
  const progress = progressReporter(call.onProgress);
  let writer: TraceWriter | undefined;
  let simulatedNs = 0;
  let kernels = 0;

  function onEvents(message: Extract<FromProgram, { type: 'events' }>): void {
    writer?.append(message.events);
    Atomics.sub(inFlight, 0, 1);
    Atomics.notify(inFlight, 0);
    simulatedNs = message.simulatedNs;
    const lines: ConsoleLine[] = [];
    for (const event of message.events) {
      if (event.type === 'kernel') kernels++;
      else if (event.type === 'console') lines.push({ timeNs: event.time, stream: event.stream, text: event.text });
    }
    progress.report({
      phase: 'run',
      message: 'Running the program',
      simulatedNs,
      kernels,
      apiCalls: message.apiCalls,
      console: lines,
    });
  }

  try {
    return await new Promise<RecordResult>((settle, fail) => {
      call.signal?.addEventListener('abort', () => fail(cancelled()), { once: true });
      worker.on('error', fail);
      worker.on('exit', (code) => {
        fail(new SimsightError('internal', `The recording thread ended unexpectedly (code ${code}).`));
      });
      worker.on('message', (message: FromProgram) => {
        try {
          switch (message.type) {
            case 'phase':
              progress.report({
                phase: message.phase,
                message: message.message,
                simulatedNs,
                kernels,
                apiCalls: 0,
                console: [],
              });
              break;
            case 'facts':
              if (!call.keepTrace) break;
              mkdirSync(dirname(output), { recursive: true });
              writer = createTraceWriter(output, {
                title: titleOf(call),
                program: basename(call.sources[0]!),
                arguments: call.arguments,
                gpu,
                names: message.names,
                sources: message.sources,
              });
              break;
            case 'events':
              onEvents(message);
              break;
            case 'done': {
              progress.report({
                phase: 'store',
                message: 'Finishing the trace',
                simulatedNs,
                kernels,
                apiCalls: message.apiCalls,
                console: [],
              });
              writer?.finish({ exitCode: message.exitCode, notices: message.notices, complete: true });
              writer = undefined;
              settle({ path: output, exitCode: message.exitCode, durationNs: message.durationNs, kernels });
              break;
            }
            case 'failed': {
              const error = errorFrom(message.error);
              if (writer && simulatedNs > 0) {
                writer.finish({ exitCode: null, notices: [...message.notices, error.message], complete: true });
                writer = undefined;
                fail(
                  new SimsightError(
                    error.code,
                    error.message,
                    `${error.remedy} What was recorded until then: ${output}`.trim(),
                    error.place,
                  ),
                );
              } else fail(error);
              break;
            }
          }
        } catch (error) {
          fail(error as Error);
        }
      });
    });
  } finally {
    progress.flush();
    worker.removeAllListeners('exit');
    await worker.terminate();
    writer?.abandon();
  }
}

function cancelled(): SimsightError {
  return new SimsightError('cancelled', 'The recording was cancelled.');
}

/** The command line, as one would type it, where nobody gave a title. */
function titleOf(call: RecordCall): string {
  return call.title ?? [basename(call.sources[0]!), ...call.arguments].join(' ').slice(0, 200);
}

function outputPath(call: RecordCall): string {
  if (call.output) return resolve(call.output);
  const first = call.sources[0]!;
  const name = (call.title ?? [basename(first, extname(first)), ...call.arguments].join('-'))
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 120);
  return join(call.recordingsFolder, `${name || 'recording'}-${call.gpu}.simsight`);
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
