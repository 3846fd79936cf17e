import type { MessagePort } from 'node:worker_threads';

/** Messages of browser mode's server to the engine: connect another viewer; stop running work, finish its files and exit. */
export type FromServer = { type: 'connect'; port: MessagePort } | { type: 'end' };

/** Start options of the engine's process. Plain data: it travels as `workerData` or as a JSON argument. */
export interface EngineOptions {
  host: 'electron' | 'browser';
  version: string;
  /** Folders that front ends may open files from; empty: all in a browser, none in the desktop app, where main grants what is chosen. */
  folders: string[];
  /** Recordings, compiled programs and the list of recent traces live here. */
  dataFolder: string;
  /** Traces that the command line named. */
  open: string[];
}
