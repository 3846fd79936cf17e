/** Programs of recordings in the desktop app: only its main process can start processes, so the engine asks it for them. */
import type { ProgramProcess, StartProgram } from '../recording/start-program.ts';
import type { FromProcess, ToProcess } from '../recording/messages.ts';

/** From the engine to the main process. */
export type ProgramRequest = { type: 'program'; id: number } | { type: 'program-kill'; id: number };
/** And back: the first brings the port to the process, the other says that it is gone. */
export type ProgramReply = { type: 'program'; id: number } | { type: 'program-ended'; id: number; exitCode: number };

/** As Electron has them in its processes. */
export interface ProgramPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
}

interface Running {
  port: ProgramPort | null;
  /** Messages sent before the port was there. */
  unsent: ToProcess[];
  listener: ((message: FromProcess | null, how: string) => void) | null;
  ended(how: string): void;
  gone: Promise<string>;
}

export function programsThroughMain(post: (request: ProgramRequest) => void): {
  start: StartProgram;
  receive(reply: ProgramReply, port: ProgramPort | undefined): void;
} {
  const running = new Map<number, Running>();
  let lastId = 0;
  return {
    start(): ProgramProcess {
      const id = ++lastId;
      let ended: Running['ended'] = () => {};
      const gone = new Promise<string>((done) => (ended = done));
      const own: Running = { port: null, unsent: [], listener: null, ended, gone };
      running.set(id, own);
      post({ type: 'program', id });
      return {
        send(message) {
          if (own.port) own.port.postMessage(message);
          else own.unsent.push(message);
        },
        onMessage(listener) {
          own.listener = listener;
          void gone.then((how) => listener(null, how));
        },
        async kill() {
          if (running.has(id)) post({ type: 'program-kill', id });
          await gone;
        },
      };
    },
    receive(reply, port) {
      const own = running.get(reply.id);
      if (!own) return;
      if (reply.type === 'program-ended') {
        running.delete(reply.id);
        own.ended(`code ${reply.exitCode}`);
      } else if (port) {
        own.port = port;
        port.on('message', ({ data }) => own.listener?.(data as FromProcess, ''));
        port.start();
        for (const message of own.unsent.splice(0)) port.postMessage(message);
      }
    },
  };
}
