/** The engine's side of {@link Channel}: checks arguments against the contract, runs handlers, answers. */
import { reportOf, SimsightError } from '../base/errors.ts';
import { stopAndKeep, stopped } from '../base/stopped.ts';
import { contract, type Contract, type Method, type Progress, type Result } from './contract.ts';
import type { Channel, ClientMessage, ServerMessage } from './rpc.ts';
import type { z } from 'zod';

/** Limit of concurrent calls per front end; a page has a few dozen. */
const mostCalls = 1000;

export interface CallContext<M extends Method> {
  signal: AbortSignal;
  /** Aborted when the front end has gone: what it holds can be given back. */
  connection: AbortSignal;
  progress(progress: Progress<M>): void;
}
/** One function per call of the contract. */
export type Handlers = {
  [M in Method]: (params: z.output<Contract[M]['params']>, context: CallContext<M>) => Result<M> | Promise<Result<M>>;
};

/**
 * Serves one front end until its channel closes, or until the function that it returns is called: then its running calls
 * are stopped. That function resolves when the last of them has ended.
 */
export function serve(channel: Channel, handlers: Handlers): () => Promise<void> {
  const running = new Map<number, AbortController>();
  const answers = new Set<Promise<void>>();
  const connection = new AbortController();
  const stop = (): void => {
    for (const controller of running.values()) controller.abort(stopped);
    connection.abort(stopped);
  };
  const post = (message: ServerMessage, transfer?: ArrayBuffer[]): void => channel.post(message, transfer);

  async function answer(message: Extract<ClientMessage, { type: 'call' }>): Promise<void> {
    const { id, method } = message;
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (answers.size >= mostCalls)
        throw new SimsightError('bad-request', `${mostCalls} calls are already running.`, 'Wait for one to finish.');
      if (typeof method !== 'string' || !Object.hasOwn(contract, method))
        throw new SimsightError(
          'bad-request',
          `There is no call "${typeof method === 'string' ? method.slice(0, 100) : typeof method}".`,
        );
      const known = method as Method;
      const checked = contract[known].params.safeParse(message.params);
      if (!checked.success) {
        const issue = checked.error.issues[0];
        const where = issue?.path.length ? ` (${issue.path.join('.')})` : '';
        throw new SimsightError('bad-request', `${method}: ${issue?.message ?? 'bad arguments'}${where}`);
      }
      const handler = handlers[known] as (params: unknown, context: CallContext<Method>) => unknown;
      const result = await handler(checked.data, {
        signal: controller.signal,
        connection: connection.signal,
        progress: (progress: unknown) => {
          if (running.has(id)) post({ type: 'progress', id, progress });
        },
      });
      post({ type: 'result', id, result }, buffersOf(result));
    } catch (error) {
      post({ type: 'error', id, error: reportOf(error) });
    } finally {
      running.delete(id);
    }
  }

  channel.onMessage((raw) => {
    const message = raw as ClientMessage;
    if (message?.type === 'call' && typeof message.id === 'number') {
      // If two calls shared a number, only one could be cancelled.
      if (running.has(message.id)) {
        const error = new SimsightError('bad-request', `Call number ${message.id} is already running.`);
        post({ type: 'error', id: message.id, error: reportOf(error) });
        return;
      }
      const answered = answer(message);
      answers.add(answered);
      void answered.finally(() => answers.delete(answered));
    } else if (message?.type === 'cancel')
      running.get(message.id)?.abort(message.keep === true ? stopAndKeep : undefined);
  });
  channel.onClose(stop);
  return async () => {
    stop();
    await Promise.allSettled(answers);
  };
}

/** The buffers behind all typed arrays of a result, each once, for transfer. */
function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (value && typeof value === 'object') {
    for (const inner of Object.values(value)) buffersOf(inner, found);
  }
  return [...found];
}
