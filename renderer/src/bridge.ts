/**
 * The way to the engine: a message port in the desktop app, a WebSocket in browser mode. Both end as the same
 * {@link Channel}; nothing else of the renderer knows which it is.
 */
import { decode, encode } from '../../engine/api/frame.ts';
import type { Channel } from '../../engine/api/rpc.ts';

/** The functions of the desktop app's preload script; absent in browser mode. */
export interface Shell {
  host: 'electron';
  /** The port arrives as a `simsight:port` message on the window. */
  connect(): void;
  chooseTrace(): Promise<string[]>;
  chooseSource(): Promise<string[]>;
  chooseFolder(): Promise<string[]>;
  pathOf(file: File): Promise<string>;
  onOpen(listener: (paths: string[]) => void): void;
  onCommand(listener: (command: string) => void): void;
}

export function shellOf(page: Window): Shell | null {
  return (page as Window & { simsight?: Shell }).simsight ?? null;
}

export type Connect = () => Promise<Channel>;

export const connectBridge: Connect = () => {
  const shell = shellOf(window);
  return shell ? connectPort(shell) : connectSocket(location);
};

/** Listeners that come late still hear of a close that was before. */
class Closing {
  #closed = false;
  readonly #listeners: (() => void)[] = [];
  listen(listener: () => void): void {
    if (this.#closed) listener();
    else this.#listeners.push(listener);
  }
  happen(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** Calls are small. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

const portTimeoutMs = 15_000;

function connectPort(shell: Shell): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      window.removeEventListener('message', onPort);
      reject(new Error('The engine did not answer.'));
    }, portTimeoutMs);
    const onPort = (event: MessageEvent<{ type?: string } | null>): void => {
      const port = event.ports[0];
      if (event.source !== window || event.data?.type !== 'simsight:port' || !port) return;
      window.removeEventListener('message', onPort);
      clearTimeout(timer);
      const closing = new Closing();
      port.addEventListener('close', () => closing.happen());
      resolve({
        post: (message, transfer) => port.postMessage(message, transfer ?? []),
        onMessage: (listener) => {
          port.onmessage = (message) => listener(message.data);
        },
        onClose: (listener) => closing.listen(listener),
      });
    };
    window.addEventListener('message', onPort);
    shell.connect();
  });
}

function connectSocket(page: Location): Promise<Channel> {
  const token = new URLSearchParams(page.hash.slice(1)).get('token') ?? '';
  const scheme = page.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${page.host}/bridge?token=${encodeURIComponent(token)}`);
  socket.binaryType = 'arraybuffer';
  const closing = new Closing();
  return new Promise((resolve, reject) => {
    socket.onerror = () =>
      reject(
        new Error(
          token
            ? 'The Simsight server cannot be reached. Is it still running?'
            : 'This address lacks its token: open the address that Simsight printed when it started.',
        ),
      );
    socket.onclose = () => closing.happen();
    socket.onopen = () =>
      resolve({
        // In one piece, and not as a Blob, which is read later: of a page that goes, the last words would be lost.
        post: (message) => socket.send(joined(encode(message))),
        onMessage: (listener) =>
          socket.addEventListener('message', (event: MessageEvent<ArrayBuffer>) => listener(decode(event.data))),
        onClose: (listener) => closing.listen(listener),
      });
  });
}
