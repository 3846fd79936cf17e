/**
 * A thread in place of `engine/compile/worker.ts`: hands each run to the tests' compiler, and hands its reply back. Where that has
 * ended, it is started again (`build/run-tests.ts`), and is asked again.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import type { ToolLoaded, ToolReply, ToolRequest } from '../../engine/compile/clang.ts';
import { receive, send } from './compiler-messages.ts';

const mostAttempts = 100;
const betweenAttempts = 100;

const unanswered = new Map<number, ToolRequest>();
let attempts = 0;
let socket = start();

function start(): Socket {
  const one = connect(process.env['SIMSIGHT_TEST_COMPILER']!);
  receive<ToolReply>(one, (reply) => {
    attempts = 0;
    unanswered.delete(reply.id);
    // Buffers of their own, which can be handed over.
    const outputs = reply.outputs.map(([path, bytes]): ToolReply['outputs'][number] => [path, new Uint8Array(bytes)]);
    parentPort!.postMessage(
      { ...reply, outputs },
      outputs.map(([, bytes]) => bytes.buffer),
    );
  });
  // `close` follows.
  one.on('error', () => {});
  one.on('close', () => void restart());
  return one;
}

async function restart(): Promise<void> {
  if (++attempts > mostAttempts) throw new Error('The compiler of the tests has ended.');
  await sleep(betweenAttempts);
  socket = start();
  for (const request of unanswered.values()) send(socket, request);
}

// There is nothing to wait for.
parentPort!.postMessage({ module: null } satisfies ToolLoaded);
parentPort!.on('message', (request: ToolRequest) => {
  unanswered.set(request.id, request);
  send(socket, request);
});
