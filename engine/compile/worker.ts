/**
 * A thread that holds LLVM's tools (Clang, the linker) as one WebAssembly program and runs one of them at a time, each
 * in a fresh instance over a file system of its own. Loading takes about a second, so a thread serves many runs. Its memory is
 * limited; whoever started the thread looks after the time.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Exit, runLLVM, type Tree } from '@yowasp/clang';
import type { ToolReply, ToolRequest } from './clang.ts';
import { mostMessages, type LimitName } from './limits.ts';
import { withMemoryMaximum } from './memory-maximum.ts';
import { sysrootFiles } from './sysroot.ts';

const memoryBytes = workerData as number;
/** The memory of the instance that runs, or ran last. */
let memory: WebAssembly.Memory | null = null;

// The package has no option for it: what it compiles and instantiates passes through here.
const { instantiate } = WebAssembly;
WebAssembly.compileStreaming = async (source) =>
  WebAssembly.compile(withMemoryMaximum(new Uint8Array(await (await source).arrayBuffer()), memoryBytes));
WebAssembly.instantiate = (async (module: WebAssembly.Module, imports?: WebAssembly.Imports) => {
  const instance = await instantiate(module, imports);
  const { memory: own } = instance.exports;
  if (own instanceof WebAssembly.Memory) memory = own;
  return instance;
}) as typeof WebAssembly.instantiate;

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

function limitBehind(error: unknown, messages: string): LimitName | null {
  if (error instanceof LimitReached) return error.limit;
  const isFull = (memory?.buffer.byteLength ?? 0) > nearlyFull * memoryBytes;
  if (/out of memory|bad_alloc|length_error/i.test(messages.slice(-2000)) || isFull) return 'memoryBytes';
  if (error instanceof RangeError && /call stack/.test(error.message)) return 'stack';
  if (error instanceof RangeError) return 'memoryBytes';
  return /stack (exhausted|overflow)|out of bounds/i.test(`${messages.slice(-2000)}${String(error)}`) ? 'stack' : null;
}

function treeOf(files: [path: string, bytes: Uint8Array][]): Tree {
  const tree: Tree = {};
  for (const [path, bytes] of files) {
    const segments = path.split('/').filter(Boolean);
    const name = segments.pop()!;
    let folder = tree;
    for (const segment of segments) folder = (folder[segment] ??= {}) as Tree;
    folder[name] = bytes;
  }
  return tree;
}

/** Headers and libraries of 64-bit programs; runs do not change them. */
let libraries: Tree | null = null;
const sysroot = (): Tree => (libraries ??= treeOf(sysrootFiles()));

function fileIn(tree: Tree, path: string): Uint8Array<ArrayBuffer> | null {
  let entry: Tree | string | Uint8Array | undefined = tree;
  for (const segment of path.split('/').filter(Boolean)) {
    if (typeof entry !== 'object' || entry instanceof Uint8Array) return null;
    entry = entry[segment];
  }
  return entry instanceof Uint8Array ? new Uint8Array(entry) : null;
}

async function runTool(request: ToolRequest): Promise<ToolReply> {
  const decoder = new TextDecoder();
  let messages = '';
  const collect = (bytes: Uint8Array | null) => {
    if (bytes) messages += decoder.decode(bytes, { stream: true });
    if (messages.length > mostMessages) throw new LimitReached('messages');
  };
  const output: Uint8Array[] = [];
  let outputBytes = 0;
  const keep = (bytes: Uint8Array | null) => {
    if (!bytes) return;
    output.push(bytes.slice());
    outputBytes += bytes.length;
    if (outputBytes > request.limits.outputBytes) throw new LimitReached('outputBytes');
  };
  const reply = { id: request.id, outputs: [] as ToolReply['outputs'], limit: null };
  try {
    const tree = treeOf(request.files);
    if (request.arguments.some((word) => word.includes('/sysroot/'))) tree['sysroot'] ??= sysroot();
    const files = (await runLLVM(request.arguments, tree, {
      // The pieces are views of memory that the tool goes on using.
      stdout: request.outputs.includes('-') ? keep : collect,
      stderr: collect,
      // Files are bytes: decoding what looks like text would hand some objects back as strings.
      decodeASCII: false,
      fetchProgress: () => {},
    })) as Tree;
    for (const path of request.outputs) {
      const bytes = path === '-' ? new Uint8Array(Buffer.concat(output)) : fileIn(files, path);
      if (bytes) reply.outputs.push([path, bytes]);
    }
    return { ...reply, outcome: 'success', messages };
  } catch (error) {
    // Clang says itself that memory is short, and ends.
    if (error instanceof Exit)
      return { ...reply, outcome: 'failure', messages, limit: outOfMemory.test(messages) ? 'memoryBytes' : null };
    return {
      ...{ id: request.id, outputs: [], outcome: 'crash', messages: `${messages}${String(error)}\n` },
      limit: limitBehind(error, messages),
    };
  }
}

parentPort!.on('message', (request: ToolRequest) => {
  void runTool(request).then((reply) => {
    parentPort!.postMessage(
      reply,
      reply.outputs.map(([, bytes]) => bytes.buffer),
    );
  });
});
