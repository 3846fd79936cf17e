/** The engine's process: started when a page first asks for it, started again when a page asks after it has died. */
import { MessageChannelMain, utilityProcess, type MessagePortMain, type UtilityProcess } from 'electron';
import type { EngineOptions } from '../engine/host/options.ts';

export class EngineProcess {
  private readonly entry: string;
  private readonly options: EngineOptions;
  private readonly onCrash: (exitCode: number) => void;
  private process: UtilityProcess | undefined;

  /** `onCrash` is told when the process ends although nobody stopped it. */
  constructor(entry: string, options: EngineOptions, onCrash: (exitCode: number) => void) {
    this.entry = entry;
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
  }

  private start(): UtilityProcess {
    const process = utilityProcess.fork(this.entry, [JSON.stringify(this.options)], { serviceName: 'Simsight engine' });
    process.on('exit', (exitCode) => {
      if (this.process !== process) return;
      this.process = undefined;
      this.onCrash(exitCode);
    });
    return process;
  }
}
