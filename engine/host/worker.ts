/**
 * The engine's process: an Electron utilityProcess in the desktop app, a Node worker_thread in browser mode. Front ends
 * reach it through message ports that the host hands in; all of them share one engine.
 */
import { parentPort, workerData, type MessagePort, type Transferable } from 'node:worker_threads';
import { grantsOf } from '../api/allowed-paths.ts';
import { createHandlers, pathsAtStart } from '../api/handlers.ts';
import type { Channel } from '../api/rpc.ts';
import type { RecentTrace } from '../api/types.ts';
import { serve } from '../api/server.ts';
import { gpus } from '../gpus/index.ts';
import { labs } from '../labs/index.ts';
import { record } from '../recording/record.ts';
import { RecentTraces } from '../api/recent-traces.ts';
import type { FromEngine, ToEngine } from './electron-messages.ts';
import { programsThroughMain } from './electron-programs.ts';
import { sqlThroughMain } from './electron-sql.ts';
import { gpuSummary } from './gpu-summary.ts';
import type { EngineOptions, FromServer } from './options.ts';

/** Port that Electron's utilityProcess adds to Node; its types come with the `electron` module, which the engine lacks. */
interface ElectronPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  start(): void;
}
interface ElectronParentPort {
  on(event: 'message', listener: (event: { data: ToEngine; ports: ElectronPort[] }) => void): void;
  postMessage(message: FromEngine): void;
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
const programs = electronParent ? programsThroughMain((request) => electronParent.postMessage(request)) : null;
const tellRecent = (traces: RecentTrace[]): void => electronParent?.postMessage({ type: 'recent', traces });
const paths = pathsAtStart({ ...options, labs });
const handlers = createHandlers({
  ...{ ...options, labs, gpus: gpus.map(gpuSummary), onRecent: tellRecent, paths },
  record: (call) => record(programs ? { ...call, startProgram: programs.start } : call),
  ...(sql ? { startSql: sql.start } : {}),
});

const endings = new Set<() => Promise<void>>();
function serveChannel(channel: Channel): void {
  const end = serve(channel, handlers);
  endings.add(end);
  // Work that a page left running ends by itself, and the engine waits for it.
  channel.onClose(() => void end().then(() => endings.delete(end)));
}
async function end(): Promise<void> {
  await Promise.all([...endings].map((endOne) => endOne()));
  process.exit(0);
}

if (electronParent) {
  const recent = new RecentTraces(options.dataFolder);
  // Whoever opened them has been asked.
  paths.grant(recent.list().flatMap(({ path }) => grantsOf(path)));
  electronParent.on('message', ({ data, ports }) => {
    if (data.type === 'program' || data.type === 'program-ended') return programs?.receive(data, ports[0]);
    if (data.type === 'sql') sql?.receive(data);
    else if (data.type === 'grant') {
      paths.grant(data.paths.flatMap(grantsOf));
      electronParent.postMessage({ type: 'granted', id: data.id });
    } else if (data.type === 'end') void end();
    else if (data.type === 'clear-recent') {
      recent.clear();
      tellRecent([]);
    }
    for (const port of ports) {
      serveChannel(electronChannel(port));
      port.start();
    }
  });
  tellRecent(recent.list());
} else {
  parentPort?.on('message', (message: FromServer) => {
    if (message.type === 'end') void end();
    else serveChannel(nodeChannel(message.port));
  });
}
