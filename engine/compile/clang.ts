/**
 * LLVM's tools in worker threads: at most two, so that the device and the host pass run side by side. Threads are
 * started when first needed, kept for a while (the second run of Clang in a thread costs 25 ms instead of a second), and
 * ended at once when a run is cancelled, because a compilation cannot be interrupted from inside.
 */
import { Worker } from 'node:worker_threads';
import { SimsightError } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import type { HeaderLibrary } from './cccl.ts';
import { endAfter } from './thread-time.ts';
import { compileLimits, limitError, type Compiled, type CompileLimits, type LimitName } from './limits.ts';

export interface ToolRun {
  /** The tool's name first: `clang`, `wasm-ld`. */
  arguments: string[];
  /** Absolute paths in the tool's own file system. */
  files: [path: string, bytes: Uint8Array][];
  /** More files, known by their digest. */
  library?: HeaderLibrary | null;
  /** Files to hand back; `-` is what the tool wrote to its standard output, the quick way for a large one. */
  outputs: string[];
  /** The source or kernel that messages name where a limit is reached. */
  of?: Compiled;
}

export interface ToolRequest extends ToolRun {
  id: number;
  limits: CompileLimits;
  /** Folder in which V8's code of Clang is kept; null: nowhere. A thread has that of its first run. */
  codeFolder: string | null;
  /** Clang as another thread has loaded it; null: this one loads it, and hands it over ({@link ToolLoaded}). */
  module: WebAssembly.Module | null;
}

/** What a thread that has loaded Clang says before its first reply; null: others cannot have it. */
export interface ToolLoaded {
  module: WebAssembly.Module | null;
}

export interface ToolResult {
  /** `crash`: the tool itself broke (an assertion, out of memory). */
  outcome: 'success' | 'failure' | 'crash';
  /** The tool's messages. */
  messages: string;
  outputs: [path: string, bytes: Uint8Array<ArrayBuffer>][];
}

export interface ToolReply extends ToolResult {
  id: number;
  /** Limit that ended it; null: none. */
  limit: LimitName | null;
}

interface Job {
  request: Omit<ToolRequest, 'module'>;
  settle: (reply: ToolResult | Error) => void;
}

const maxThreads = 2;
/** An idle thread holds some hundred MB. */
const idleMilliseconds = 120_000;
/** The thread's own heap, for files and messages; Clang's memory has its own limit. MiB. */
const heapMib = 1024;

class ClangThread {
  readonly worker: Worker;
  /** Clang's memory has it from the beginning. */
  readonly memoryBytes: number;
  job: Job | null = null;
  /** Clang, once it is loaded. */
  module: WebAssembly.Module | null;
  /** Nothing has come of it yet. */
  isLoading: boolean;
  idleTimer: NodeJS.Timeout | null = null;
  private forgetTime = (): void => {};

  constructor({ memoryBytes }: CompileLimits, module: WebAssembly.Module | null) {
    this.memoryBytes = memoryBytes;
    this.module = module;
    this.isLoading = module === null;
    this.worker = new Worker(workerUrl('compile/worker'), {
      name: 'clang',
      workerData: memoryBytes,
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
    });
    this.worker.unref();
    this.worker.on('message', (message: ToolReply | ToolLoaded) => {
      this.isLoading = false;
      if (!('module' in message)) return this.release(message);
      this.module = message.module;
      dispatch();
    });
    this.worker.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.end(
        isFull && this.job
          ? errorOf(this.job, 'memoryBytes')
          : new SimsightError('internal', `The compiler's thread failed: ${error.message}`),
      );
    });
  }

  start(job: Job): void {
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.job = job;
    const { seconds } = job.request.limits;
    this.forgetTime = endAfter(this.worker, seconds, () => this.end(errorOf(job, 'seconds')));
    this.worker.ref();
    this.worker.postMessage({ ...job.request, module: this.module } satisfies ToolRequest);
  }

  end(reason: Error): void {
    threads.delete(this);
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.forgetTime();
    void this.worker.terminate();
    this.job?.settle(reason);
    this.job = null;
    dispatch();
  }

  private release(reply: ToolReply): void {
    const job = this.job;
    // Its memory has grown to the limit: a fresh thread is smaller.
    if (job && reply.limit !== null) return this.end(errorOf(job, reply.limit));
    this.forgetTime();
    this.job = null;
    this.worker.unref();
    this.idleTimer = setTimeout(() => this.end(new Error('idle')), idleMilliseconds).unref();
    job?.settle(reply);
    dispatch();
  }
}

const errorOf = ({ request: { limits, of } }: Job, limit: LimitName): SimsightError =>
  limitError(limit, limits, of ?? { name: 'the program', file: '' });

const threads = new Set<ClangThread>();
const queue: Job[] = [];
let lastId = 0;

function dispatch(): void {
  while (queue.length > 0) {
    const { limits } = queue[0]!.request;
    const waiting = [...threads].filter((thread) => thread.job === null);
    const idle = waiting.find(({ memoryBytes }) => memoryBytes === limits.memoryBytes);
    if (!idle && threads.size >= maxThreads) {
      const [other] = waiting;
      if (other === undefined) return;
      // It has another limit.
      threads.delete(other);
      other.end(new Error('replaced'));
      continue;
    }
    const like = idle ? [] : [...threads].filter(({ memoryBytes }) => memoryBytes === limits.memoryBytes);
    // It is there sooner than a second thread would have loaded it.
    if (like.some(({ isLoading }) => isLoading)) return;
    const thread = idle ?? new ClangThread(limits, like.find(({ module }) => module !== null)?.module ?? null);
    threads.add(thread);
    thread.start(queue.shift()!);
  }
}

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Folder of what is kept for later processes; absent: nothing is. */
  cacheFolder?: string;
}

export const cancelled = () => new SimsightError('cancelled', 'The compilation was cancelled.');

/**
 * Runs one tool. Rejects only when cancelled, when it reaches a limit (`budget-exceeded`) or when the thread breaks; a failed
 * compilation is a result.
 */
export function runTool(run: ToolRun, { signal, cacheFolder }: RunOptions = {}): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled());
    const onAbort = () => {
      const waiting = queue.indexOf(job);
      if (waiting >= 0) {
        queue.splice(waiting, 1);
        job.settle(cancelled());
      } else {
        for (const thread of threads) if (thread.job === job) thread.end(cancelled());
      }
    };
    const job: Job = {
      request: { id: ++lastId, ...run, limits: compileLimits(), codeFolder: cacheFolder ?? null },
      settle: (reply) => {
        signal?.removeEventListener('abort', onAbort);
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      },
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.push(job);
    dispatch();
  });
}

/** Ends all threads, whatever they do: for a process whose work is done, in which nobody waits for what they compile ahead. */
export function abandonCompiler(): void {
  for (const job of queue.splice(0)) job.settle(cancelled());
  for (const thread of threads) thread.end(cancelled());
}

/** Ends the threads that wait for work, for programs that want to exit with nothing left behind. */
export function releaseCompiler(): void {
  for (const thread of threads) if (thread.job === null) thread.end(new Error('released'));
}
