/**
 * A thread that holds LLVM's tools (Clang, the linker) and runs one of them at a time, each in a fresh instance over files of its own.
 * Loading takes a while, so a thread serves many runs. Its memory is limited; whoever started the thread looks after the time.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToolLoaded, ToolReply, ToolRequest } from './clang.ts';
import { mostMessages, type LimitName } from './limits.ts';
import { Llvm } from './llvm.ts';
import { ToolFile, ToolFolder } from './tool-files.ts';
import { ToolExit } from './tool-system.ts';

const memoryBytes = workerData as number;
let llvm: Llvm | null = null;

/** Ends a run from within. */
class LimitReached extends Error {
  readonly limit: LimitName;

  constructor(limit: LimitName) {
    super(limit);
    this.limit = limit;
  }
}

/** The share of memory in use from which a failure is taken to be a lack of memory: large pieces do not fit in the rest. */
const nearlyFull = 0.6;

const outOfMemory = /LLVM ERROR: out of memory/;

function limitBehind({ memory }: Llvm, error: unknown, messages: string): LimitName | null {
  if (error instanceof LimitReached) return error.limit;
  const isFull = (memory?.buffer.byteLength ?? 0) > nearlyFull * memoryBytes;
  if (/out of memory|bad_alloc|length_error/i.test(messages.slice(-2000)) || isFull) return 'memoryBytes';
  if (error instanceof RangeError && /call stack/.test(error.message)) return 'stack';
  if (error instanceof RangeError) return 'memoryBytes';
  return /stack (exhausted|overflow)|out of bounds/i.test(`${messages.slice(-2000)}${String(error)}`) ? 'stack' : null;
}

function runTool(llvm: Llvm, request: ToolRequest): ToolReply {
  const decoder = new TextDecoder();
  const output = new ToolFile();
  let messages = '';
  let outputBytes = 0;
  const count = (bytes: number): void => {
    outputBytes += bytes;
    if (outputBytes > request.limits.outputBytes) throw new LimitReached('outputBytes');
  };
  const collect = (bytes: Uint8Array): void => {
    messages += decoder.decode(bytes, { stream: true });
    if (messages.length > mostMessages) throw new LimitReached('messages');
  };
  const keep = (bytes: Uint8Array): void => {
    count(bytes.length);
    output.write(bytes, output.length);
  };
  const files = new ToolFolder(true);
  for (const [path, bytes] of request.library?.files ?? []) files.add(path, bytes);
  for (const [path, bytes] of request.files) files.add(path, bytes);
  const reply = { id: request.id, outputs: [] as ToolReply['outputs'], limit: null };
  try {
    llvm.run(request.arguments, files, {
      output: request.outputs.includes('-') ? keep : collect,
      messages: collect,
      written: count,
    });
    for (const path of request.outputs) {
      const file = path === '-' ? output : files.find(path);
      if (file instanceof ToolFile) reply.outputs.push([path, new Uint8Array(file.bytes)]);
    }
    return { ...reply, outcome: 'success', messages };
  } catch (error) {
    // Clang says itself that memory is short, and ends.
    if (error instanceof ToolExit)
      return { ...reply, outcome: 'failure', messages, limit: outOfMemory.test(messages) ? 'memoryBytes' : null };
    return {
      ...{ id: request.id, outputs: [], outcome: 'crash', messages: `${messages}${String(error)}\n` },
      limit: limitBehind(llvm, error, messages),
    };
  }
}

/** V8's code is looked at when Clang has run for so long since, twice as long where there was little more, and nothing is to be done. Milliseconds. */
let worthKeeping = 1000;
const idle = 200;
let ran = 0;
let timer: NodeJS.Timeout | undefined;

async function keepCode(): Promise<void> {
  ran = 0;
  if ((await llvm?.keepCode()) !== true) worthKeeping *= 2;
}

parentPort!.on('message', (request: ToolRequest) => {
  clearTimeout(timer);
  if (llvm === null) {
    llvm = new Llvm(memoryBytes, request.codeFolder, request.module);
    if (request.module === null) parentPort!.postMessage({ module: llvm.module } satisfies ToolLoaded);
  }
  const begin = performance.now();
  const reply = runTool(llvm, request);
  ran += performance.now() - begin;
  parentPort!.postMessage(
    reply,
    reply.outputs.map(([, bytes]) => bytes.buffer),
  );
  if (ran >= worthKeeping) timer = setTimeout(() => void keepCode(), idle);
});
