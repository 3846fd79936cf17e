/** Electron's `utilityProcess`; each process is a thread here. */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MessagePortMain } from './ports.ts';
import type { Run } from './run.ts';

/** The threads of a run, and what the app starts them with. */
export class Processes {
  /** The engine's threads, the last one started last, and the emitters that stand for them. */
  readonly engines: Worker[] = [];
  private readonly emitters: EventEmitter[] = [];
  /** Threads of queries and programs. */
  private readonly helpers: Worker[] = [];
  private readonly run: Run;
  constructor(run: Run) {
    this.run = run;
  }

  fork(entry: string, args: string[] = [], { stdio }: { stdio?: string } = {}) {
    const piped = stdio === 'pipe';
    const worker = new Worker(new URL('./utility.ts', import.meta.url), {
      argv: args,
      ...{ stdout: piped, stderr: piped },
      // The test runner's loaders are not for the engine.
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
      workerData: { entry: pathToFileURL(entry).href },
    });
    const isEngine = /\bhost[\\/]worker\.js$/.test(entry);
    this.run.calls.push([isEngine ? 'fork' : 'fork helper', entry]);
    const child = new EventEmitter();
    if (isEngine) {
      this.engines.push(worker);
      this.emitters.push(child);
    } else this.helpers.push(worker);
    worker.on('message', (message) => child.emit('message', message));
    worker.on('error', (error) => console.error(error));
    worker.on('exit', (code) => child.emit('exit', code));
    return Object.assign(child, {
      ...(piped ? { stdout: worker.stdout, stderr: worker.stderr } : {}),
      postMessage(message: unknown, ports: MessagePortMain[] = []) {
        const bare = ports.map(({ port }) => port);
        worker.postMessage({ message, ports: bare }, bare);
      },
      kill: () => void worker.terminate(),
    });
  }

  /** Ends the engine as a crash would. */
  crashEngine(exitCode: number): void {
    const emitter = this.emitters.at(-1)!;
    emitter.emit('exit', exitCode);
    emitter.removeAllListeners('exit');
    void this.engines.at(-1)!.terminate();
  }

  async end(): Promise<void> {
    await Promise.all([...this.engines, ...this.helpers].map((process) => process.terminate()));
  }
}
