/**
 * The engine's process: an Electron utilityProcess in the desktop app, a Node worker_thread in browser mode. Front ends
 * reach it through message ports that the host hands in; all of them share one engine.
 */
import { parentPort, workerData, type MessagePort, type Transferable } from 'node:worker_threads';
import { createHandlers } from '../api/handlers.ts';
import type { Channel } from '../api/rpc.ts';
import { serve } from '../api/server.ts';
import { gpus } from '../gpus/index.ts';
import { labs } from '../labs/index.ts';
import { record } from '../recording/record.ts';
import { sqlThroughMain, type SqlReply } from './electron-sql.ts';
import { gpuSummary } from './gpu-summary.ts';
import type { EngineOptions } from './options.ts';

/** What Electron's utilityProcess adds to Node; its types come with the `electron` module, which the engine lacks. */
interface ElectronPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  start(): void;
}
interface ElectronParentPort {
  on(event: 'message', listener: (event: { data: unknown; ports: ElectronPort[] }) => void): void;
  postMessage(message: unknown): void;
}
const electronParent = (process as { parentPort?: ElectronParentPort }).parentPort;

function electronChannel(port: ElectronPort): Channel {
  return {
    // Electron's ports transfer nothing but ports: buffers are copied.
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', (event) => listener(event.data)),
    onClose: (listener) => port.on('close', listener),
  };
}

function nodeChannel(port: MessagePort): Channel {
  return {
    post: (message, transfer) => port.postMessage(message, transfer as Transferable[] | undefined),
    onMessage: (listener) => port.on('message', listener),
    onClose: (listener) => port.on('close', listener),
  };
}

const options = (electronParent ? JSON.parse(process.argv.at(-1) ?? '{}') : workerData) as EngineOptions;
const sql = electronParent ? sqlThroughMain((request) => electronParent.postMessage(request)) : null;
const handlers = createHandlers({
  ...{ ...options, labs, gpus: gpus.map(gpuSummary), record },
  ...(sql ? { startSql: sql.start } : {}),
});

if (electronParent) {
  electronParent.on('message', ({ data, ports }) => {
    if ((data as SqlReply | undefined)?.type === 'sql') sql?.receive(data as SqlReply);
    for (const port of ports) {
      serve(electronChannel(port), handlers);
      port.start();
    }
  });
} else {
  parentPort?.on('message', ({ port }: { port: MessagePort }) => serve(nodeChannel(port), handlers));
}
