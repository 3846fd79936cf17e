/** The engine's process: started when a page first asks for it, started again when a page asks after it has died. */
import { MessageChannelMain, utilityProcess, type MessagePortMain, type UtilityProcess } from 'electron';
import { join } from 'node:path';
import type { RecentTrace } from '../engine/api/types.ts';
import type { FromEngine, ToEngine } from '../engine/host/electron-messages.ts';
import type { ProgramRequest } from '../engine/host/electron-programs.ts';
import type { SqlReply, SqlRequest } from '../engine/host/electron-sql.ts';
import type { EngineOptions } from '../engine/host/options.ts';

export interface EngineListener {
  /** The process ended although nobody stopped it. */
  onCrash(exitCode: number): void;
  /** The list of recent traces, at start and when it changes. */
  onRecent(traces: RecentTrace[]): void;
  /** Takes the process's stdout and stderr. */
  onOutput(text: string): void;
}

/** The file of ten million events takes half of it to finish. One that is killed then opens all the same. */
const mostSecondsToEnd = 60;

export class EngineProcess {
  private readonly folder: string;
  private readonly options: EngineOptions;
  private readonly listener: EngineListener;
  private process: UtilityProcess | undefined;
  private readonly granted = new Set<string>();
  /** Callers waiting for the engine to have heard of a grant. */
  private readonly grants = new Map<number, () => void>();
  private lastGrant = 0;
  /** Processes of queries that run, by the engine's number for them. */
  private readonly queries = new Map<number, UtilityProcess>();
  /** Processes of programs that are recorded, likewise. */
  private readonly programs = new Map<number, UtilityProcess>();

  /** `folder` holds the engine's files. */
  constructor(folder: string, options: EngineOptions, listener: EngineListener) {
    this.folder = folder;
    this.options = options;
    this.listener = listener;
  }

  get isRunning(): boolean {
    return this.process !== undefined;
  }

  /** Pages may name these from now on: the user has chosen them. A new process is told as well. */
  async grant(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.granted.add(path);
    const { process } = this;
    if (!process || paths.length === 0) return;
    const id = ++this.lastGrant;
    // Pages have a way of their own to it, which may be the faster one.
    const heard = new Promise<void>((done) => {
      this.grants.set(id, done);
      process.once('exit', () => done());
    });
    process.postMessage({ type: 'grant', id, paths: [...paths] } satisfies ToEngine);
    await heard;
    this.grants.delete(id);
  }

  /** A new connection; the port is for the page. */
  connect(): MessagePortMain {
    const { port1, port2 } = new MessageChannelMain();
    this.process ??= this.start();
    this.process.postMessage({ type: 'connect' } satisfies ToEngine, [port1]);
    return port2;
  }

  clearRecent(): void {
    this.process?.postMessage({ type: 'clear-recent' } satisfies ToEngine);
  }

  /** Resolves when the process is gone: of its own will, with the files of what ran finished, or killed after a while. */
  async end(): Promise<void> {
    const process = this.process;
    if (!process) return;
    this.process = undefined;
    this.killAll(this.queries);
    const ended = new Promise<void>((done) => process.once('exit', () => done()));
    const late = setTimeout(() => process.kill(), mostSecondsToEnd * 1e3);
    process.postMessage({ type: 'end' } satisfies ToEngine);
    await ended;
    this.killAll(this.programs);
    clearTimeout(late);
  }

  private killAll(processes: Map<number, UtilityProcess>): void {
    for (const each of processes.values()) each.kill();
    processes.clear();
  }

  /** A query has a process of its own, because nothing else can end one that takes too long. */
  private serveQuery(engine: UtilityProcess, request: SqlRequest): void {
    const { id } = request;
    if (request.type === 'sql-kill') {
      this.queries.get(id)?.kill();
      this.queries.delete(id);
      return;
    }
    const query = utilityProcess.fork(join(this.folder, 'trace', 'sql-process.js'), [], {
      serviceName: 'Simsight query',
    });
    this.queries.set(id, query);
    const reply = (answer: SqlReply['answer']): void => {
      if (this.queries.get(id) === query) engine.postMessage({ type: 'sql', id, answer } satisfies ToEngine);
    };
    query.on('message', reply);
    query.on('exit', () => reply(null));
    query.postMessage(request.order);
  }

  /** A recorded program has a process of its own, with no rights but its own; see engine/recording/program-process.ts. */
  private serveProgram(engine: UtilityProcess, { type, id }: ProgramRequest): void {
    if (type === 'program-kill') {
      this.programs.get(id)?.kill();
      return;
    }
    const folder = join(this.folder, 'recording');
    const program = utilityProcess.fork(join(folder, 'program-process.js'), [], {
      serviceName: 'Simsight program',
      // Threads may read this folder, whatever else they may; and need nothing of the user's environment.
      cwd: folder,
      env: {},
    });
    this.programs.set(id, program);
    const { port1, port2 } = new MessageChannelMain();
    program.on('exit', (exitCode) => {
      this.programs.delete(id);
      engine.postMessage({ type: 'program-ended', id, exitCode } satisfies ToEngine);
    });
    program.postMessage(null, [port1]);
    engine.postMessage({ type: 'program', id } satisfies ToEngine, [port2]);
  }

  private start(): UtilityProcess {
    const process = utilityProcess.fork(join(this.folder, 'host', 'worker.js'), [JSON.stringify(this.options)], {
      serviceName: 'Simsight engine',
      stdio: 'pipe',
    });
    for (const stream of [process.stdout, process.stderr])
      stream?.on('data', (chunk: unknown) => this.listener.onOutput(String(chunk)));
    if (this.granted.size > 0)
      process.postMessage({ type: 'grant', id: 0, paths: [...this.granted] } satisfies ToEngine);
    process.on('message', (message: FromEngine) => {
      if (message.type === 'recent') this.listener.onRecent(message.traces);
      else if (message.type === 'granted') this.grants.get(message.id)?.();
      else if (message.type === 'sql' || message.type === 'sql-kill') this.serveQuery(process, message);
      else this.serveProgram(process, message);
    });
    process.on('exit', (exitCode) => {
      if (this.process !== process) return;
      this.killAll(this.queries);
      this.killAll(this.programs);
      this.process = undefined;
      this.listener.onCrash(exitCode);
    });
    return process;
  }
}
