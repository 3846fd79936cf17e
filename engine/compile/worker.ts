/**
 * A thread that holds LLVM's tools (Clang, the linker) as one WebAssembly program and runs one of them at a time, each
 * in a fresh instance over a file system of its own. Loading takes about a second, so a thread serves many runs.
 */
import { parentPort } from 'node:worker_threads';
import { Exit, runLLVM, type Tree } from '@yowasp/clang';
import type { ToolReply, ToolRequest } from './clang.ts';

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
  };
  const output: Uint8Array[] = [];
  const reply = { id: request.id, outputs: [] as ToolReply['outputs'] };
  try {
    const files = (await runLLVM(request.arguments, treeOf(request.files), {
      // The pieces are views of memory that the tool goes on using.
      stdout: request.outputs.includes('-')
        ? (bytes) => {
            if (bytes) output.push(bytes.slice());
          }
        : collect,
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
    if (error instanceof Exit) return { ...reply, outcome: 'failure', messages };
    return { ...reply, outcome: 'crash', messages: `${messages}${String(error)}\n` };
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
