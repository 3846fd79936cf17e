/**
 * The process of one recording's program. Its main thread runs nothing of the program's: it starts the threads that do, with no more
 * rights than they need, and hands on what they and the engine say to each other. It ends with the engine.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { reportOf, SimsightError, type ErrorReport } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { executionProgress, newExecutionProgress } from '../model/execution-progress.ts';
import { startCrewThread } from '../warp/crew.ts';
import { newInFlight, written } from './batches.ts';
import { handOnCode, type KernelCodeRequest } from './kernel-code.ts';
import type { FromProcess, FromThread, ThreadData, ToProcess } from './messages.ts';

/** Port that Electron's utilityProcess adds to Node. */
interface ElectronParentPort {
  on(event: 'message', listener: (event: { data: ToProcess; ports: EnginePort[] }) => void): void;
}
interface EnginePort {
  on(event: 'message', listener: (event: { data: ToProcess }) => void): void;
  on(event: 'close', listener: () => void): void;
  postMessage(message: FromProcess): void;
  start(): void;
}

/** Interval at which progress of blocks is polled, ms. */
const lookEvery = 200;

const inFlight = newInFlight();
const progress = newExecutionProgress();
const answers = new Int32Array(new SharedArrayBuffer(4));
const { port1: codePort, port2: threadsCodePort } = new MessageChannel();
let post: (message: FromProcess) => void;

function start({ order, rights }: Extract<ToProcess, { type: 'start' }>): void {
  const data: ThreadData = { order, code: { port: threadsCodePort, answers }, inFlight, progress };
  const thread = new Worker(workerUrl('recording/program-worker'), {
    workerData: data,
    transferList: [threadsCodePort],
    execArgv: rights.program,
    env: {},
  });
  thread.on('message', (message: FromThread) => {
    if (message.type === 'program') post(message);
    else startCrewThread(message.member, rights.execution);
  });
  thread.once('error', (error) => post({ type: 'ended', error: reportOfThread(error) }));
  thread.once('exit', () => post({ type: 'ended', error: null }));
}

function reportOfThread(error: Error): ErrorReport {
  if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') return reportOf(error);
  return reportOf(
    new SimsightError(
      'budget-exceeded',
      'The recording needs more memory than its process may use.',
      'Use smaller problem sizes, or record with --detail counters.',
    ),
  );
}

function receive(message: ToProcess): void {
  if (message.type === 'start') start(message);
  else if (message.type === 'written') written(inFlight);
  else if (message.type === 'stop') progress[executionProgress.stop] = 1;
  else handOnCode(codePort, answers, message.answer);
}

codePort.on('message', (request: KernelCodeRequest) => post({ type: 'code', request }));
let last = '';
setInterval(() => {
  if (last === progress.join()) return;
  last = progress.join();
  const at = (place: keyof typeof executionProgress): number => progress[executionProgress[place]]!;
  const [done, total] = [at('blocks'), at('ofBlocks')];
  post({
    type: 'progress',
    blocks: total > 0 ? { done, total } : null,
    ...{ launches: at('launches'), repeated: at('repeated') },
    ...{ kernel: at('kernel'), kernelLaunches: at('kernelLaunches'), kernelMilliseconds: at('kernelMilliseconds') },
  });
}, lookEvery);

const electronParent = (process as { parentPort?: ElectronParentPort }).parentPort;
if (electronParent) {
  electronParent.on('message', ({ ports: [port] }) => {
    post = (message) => port!.postMessage(message);
    port!.on('message', ({ data }) => receive(data));
    port!.on('close', () => process.exit(0));
    port!.start();
  });
} else {
  post = (message) => process.send?.(message);
  process.on('message', receive);
  process.on('disconnect', () => process.exit(0));
}
