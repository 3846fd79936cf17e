/** A thread in place of `engine/compile/worker.ts`: hands each run to the tests' compiler, and hands its reply back. */
import { connect } from 'node:net';
import { parentPort } from 'node:worker_threads';
import type { ToolReply, ToolRequest } from '../../engine/compile/clang.ts';
import { receive, send } from './compiler-messages.ts';

const socket = connect(process.env['SIMSIGHT_TEST_COMPILER']!);
socket.on('close', () => {
  throw new Error('The compiler of the tests has ended.');
});
receive<ToolReply>(socket, (reply) => {
  // Buffers of their own, which can be handed over.
  const outputs = reply.outputs.map(([path, bytes]): ToolReply['outputs'][number] => [path, new Uint8Array(bytes)]);
  parentPort!.postMessage(
    { ...reply, outputs },
    outputs.map(([, bytes]) => bytes.buffer),
  );
});
parentPort!.on('message', (request: ToolRequest) => send(socket, request));
