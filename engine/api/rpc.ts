/**
 * Calls over any two-way channel: Electron message port, WebSocket, or a pair in one process for tests. The client side
 * has no dependency on the engine, so the renderer can hold it.
 *
 *   const client = createClient(channel);
 *   const info = await client.call('trace.open', { path });
 *   const run = client.call('record.run', options, { signal, onProgress: (p) => … });
 */
import { errorFrom, type ErrorReport } from '../base/errors.ts';
import { stopAndKeep } from '../base/stopped.ts';
import type { Method, Params, Progress, Result } from './contract.ts';

export { stopAndKeep };

/** The smallest common denominator of all transports: structured messages that may hold typed arrays. */
export interface Channel {
  post(message: unknown, transfer?: ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: () => void): void;
}

export type ClientMessage =
  { type: 'call'; id: number; method: string; params: unknown } | { type: 'cancel'; id: number; keep?: boolean };
export type ServerMessage =
  | { type: 'result'; id: number; result: unknown }
  | { type: 'error'; id: number; error: ErrorReport }
  | { type: 'progress'; id: number; progress: unknown };

export interface CallOptions<M extends Method> {
  /** Aborted with {@link stopAndKeep}: the call is to end with what there is. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress<M>) => void;
}
export interface Client {
  call<M extends Method>(method: M, params: Params<M>, options?: CallOptions<M>): Promise<Result<M>>;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  onProgress?: (progress: unknown) => void;
}

/** Calls pending when the channel closes are rejected with `onClosed`'s message. */
export function createClient(channel: Channel, closedMessage = 'The engine has gone.'): Client {
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let closed = false;

  channel.onMessage((raw) => {
    const message = raw as ServerMessage;
    const call = pending.get(message.id);
    if (!call) return;
    if (message.type === 'progress') {
      call.onProgress?.(message.progress);
      return;
    }
    pending.delete(message.id);
    if (message.type === 'result') call.resolve(message.result);
    else call.reject(errorFrom(message.error));
  });
  channel.onClose(() => {
    closed = true;
    for (const call of pending.values()) call.reject(new Error(closedMessage));
    pending.clear();
  });

  return {
    call<M extends Method>(method: M, params: Params<M>, options: CallOptions<M> = {}): Promise<Result<M>> {
      if (closed) return Promise.reject(new Error(closedMessage));
      const id = nextId++;
      return new Promise((resolve, reject) => {
        pending.set(id, {
          resolve: (result) => resolve(result as Result<M>),
          reject,
          onProgress: options.onProgress as ((progress: unknown) => void) | undefined,
        });
        const { signal } = options;
        const cancel = (): void =>
          channel.post({ type: 'cancel', id, keep: signal?.reason === stopAndKeep } satisfies ClientMessage);
        signal?.addEventListener('abort', cancel, { once: true });
        channel.post({ type: 'call', id, method, params } satisfies ClientMessage);
        if (signal?.aborted) cancel();
      });
    },
  };
}
