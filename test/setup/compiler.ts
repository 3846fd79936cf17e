/**
 * The compiler of a run of tests: a process whose threads hold Clang for all others (`shared-compiler.mjs`). Starting it costs some
 * seconds of a core, and its code becomes fast only after a while: dozens of test processes would each pay for both. No run of a tool is
 * made twice, in this run of the tests or in later ones; which caches the tests have above this is theirs.
 *
 *   node test/setup/compiler.ts /tmp/x/socket /tmp/x/results
 *
 * Ends with whoever started it: when its standard input does.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../engine/base/paths.ts';
import type { ToolLoaded, ToolReply, ToolRequest } from '../../engine/compile/clang.ts';
import { compilerVersion } from '../../engine/compile/package.ts';
import { sysrootVersion } from '../../engine/compile/sysroot.ts';
import { compileLimits } from '../../engine/compile/limits.ts';
import { receive, send } from './compiler-messages.ts';

const [address, results] = process.argv.slice(2) as [string, string];
/** As many as one process of the engine starts. */
const mostThreads = 2;

/** One run, and who waits for it: others may ask for the same meanwhile. */
interface Job {
  key: string;
  request: ToolRequest;
  waiting: { socket: Socket; id: number }[];
  thread: Worker | null;
  /** Threads that broke over it. */
  broken: number;
}

const jobs = new Map<string, Job>();
const idle: Worker[] = [];
let threads = 0;

/** The key of a run: everything that its result depends on. */
function keyOf({ arguments: words, outputs, files, limits }: ToolRequest): string {
  const hash = createHash('sha256').update(
    JSON.stringify([compilerVersion(), sysrootVersion(), process.version, words, outputs, limits]),
  );
  for (const [path, bytes] of files) hash.update(`\n${path}:${bytes.length}\n`).update(bytes);
  return hash.digest('hex');
}

const fileOf = (key: string): string => join(results, key);

/** The result of an earlier run; null: there is none. */
function kept(key: string): ToolReply | null {
  try {
    const reply = deserialize(readFileSync(fileOf(key))) as ToolReply;
    const now = new Date();
    utimesSync(fileOf(key), now, now);
    return reply;
  } catch {
    return null;
  }
}

function keep(key: string, reply: ToolReply): void {
  if (reply.outcome !== 'success') return;
  const part = `${fileOf(key)}.${process.pid}.part`;
  try {
    writeFileSync(part, serialize(reply));
    renameSync(part, fileOf(key));
  } catch (error) {
    console.error('The tests’ compiler cannot keep a result:', error);
  }
}

function startThread(): Worker {
  threads++;
  const { memoryBytes } = compileLimits({});
  return new Worker(workerUrl('compile/worker'), { workerData: memoryBytes });
}

function dispatch(): void {
  for (const job of jobs.values()) {
    if (job.thread) continue;
    const thread = idle.pop() ?? (threads < mostThreads ? startThread() : null);
    if (!thread) return;
    job.thread = thread;
    thread.removeAllListeners();
    thread.on('error', (error) => onBroken(thread, job, error));
    thread.on('message', (reply: ToolReply | ToolLoaded) => {
      if ('module' in reply) return;
      // Its memory has grown to the limit.
      if (reply.limit !== null) end(thread);
      else idle.push(thread);
      keep(job.key, reply);
      answer(job, reply);
    });
    thread.postMessage({ ...job.request, codeFolder: results, module: null } satisfies ToolRequest);
  }
}

function answer(job: Job, reply: ToolReply): void {
  jobs.delete(job.key);
  for (const { socket, id } of job.waiting) send(socket, { ...reply, id });
  dispatch();
}

/** A thread that breaks takes nobody else along. Its run is tried once more; who waits for it then hears of a crash. */
function onBroken(thread: Worker, job: Job, error: Error): void {
  console.error(`A thread of the tests' compiler broke over ${job.request.arguments.slice(-1)[0]}:`, error);
  end(thread);
  const idleAt = idle.indexOf(thread);
  if (idleAt >= 0) {
    idle.splice(idleAt, 1);
    return;
  }
  job.thread = null;
  if (++job.broken < 2) return dispatch();
  answer(job, { id: 0, outcome: 'crash', messages: `${String(error)}\n`, outputs: [], limit: null });
}

function end(thread: Worker): void {
  threads--;
  thread.removeAllListeners();
  // What it still says while it ends concerns nobody.
  thread.on('error', () => {});
  void thread.terminate();
}

/** Drops compilations that nobody waits for any more. */
function forget(socket: Socket): void {
  for (const job of jobs.values()) {
    job.waiting = job.waiting.filter((one) => one.socket !== socket);
    if (job.waiting.length > 0) continue;
    jobs.delete(job.key);
    if (job.thread) end(job.thread);
  }
  dispatch();
}

createServer((socket) => {
  receive<ToolRequest>(socket, (request) => {
    const key = keyOf(request);
    const { id } = request;
    const known = kept(key);
    if (known) return send(socket, { ...known, id });
    const job = jobs.get(key) ?? { key, request, waiting: [], thread: null, broken: 0 };
    jobs.set(key, job);
    job.waiting.push({ socket, id });
    dispatch();
  });
  socket.on('close', () => forget(socket));
  // Whoever is gone is told nothing.
  socket.on('error', () => socket.destroy());
}).listen(address, () => console.log('ready'));
process.stdin.on('end', () => process.exit()).resume();
