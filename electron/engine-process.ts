/** The engine's process: started when a page first asks for it, started again when a page asks after it has died. */
import { MessageChannelMain, utilityProcess, type MessagePortMain, type UtilityProcess } from 'electron';
import { join } from 'node:path';
import type { SqlReply, SqlRequest } from '../engine/host/electron-sql.ts';
import type { EngineOptions } from '../engine/host/options.ts';

export class EngineProcess {
  private readonly folder: string;
  private readonly options: EngineOptions;
  private readonly onCrash: (exitCode: number) => void;
  private process: UtilityProcess | undefined;
  /** Processes of queries that run, by the engine's number for them. */
  private readonly queries = new Map<number, UtilityProcess>();

  /** `folder` holds the engine's files; `onCrash` is told when the process ends although nobody stopped it. */
  constructor(folder: string, options: EngineOptions, onCrash: (exitCode: number) => void) {
    this.folder = folder;
    this.options = options;
    this.onCrash = onCrash;
  }

  /** A new connection; the port is for the page. */
  connect(): MessagePortMain {
    const { port1, port2 } = new MessageChannelMain();
    this.process ??= this.start();
    this.process.postMessage({ type: 'connect' }, [port1]);
    return port2;
  }

  stop(): void {
    const process = this.process;
    this.process = undefined;
    process?.kill();
    this.killQueries();
  }

  private killQueries(): void {
    for (const query of this.queries.values()) query.kill();
    this.queries.clear();
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
      if (this.queries.get(id) === query) engine.postMessage({ type: 'sql', id, answer } satisfies SqlReply);
    };
    query.on('message', reply);
    query.on('exit', () => reply(null));
    query.postMessage(request.order);
  }

  private start(): UtilityProcess {
    const process = utilityProcess.fork(join(this.folder, 'host', 'worker.js'), [JSON.stringify(this.options)], {
      serviceName: 'Simsight engine',
    });
    process.on('message', (request: SqlRequest) => this.serveQuery(process, request));
    process.on('exit', (exitCode) => {
      if (this.process !== process) return;
      this.killQueries();
      this.process = undefined;
      this.onCrash(exitCode);
    });
    return process;
  }
}
