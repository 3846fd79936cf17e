/** What the engine's process is told when it starts. Plain data: it travels as `workerData` or as a JSON argument. */
export interface EngineOptions {
  host: 'electron' | 'browser';
  version: string;
  /** Folders that front ends may open files from; empty: all. */
  folders: string[];
  /** Recordings, compiled programs and the list of recent traces live here. */
  dataFolder: string;
  /** Traces that the command line named. */
  open: string[];
}
