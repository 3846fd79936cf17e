/**
 * Starts the process of a recording's program (`program-process.ts`). It begins while the program is still being compiled, so that it
 * is there when that is done.
 */
import { fork } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerUrl } from '../base/paths.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { processRights } from './rights.ts';

export interface ProgramProcess {
  send(message: ToProcess): void;
  /** Listener to its messages; the last one is null when the process is gone, and `how` says how. At most one listener. */
  onMessage(listener: (message: FromProcess | null, how: string) => void): void;
  /** At once, whatever it is doing; resolves when it is gone. */
  kill(): Promise<void>;
}
export type StartProgram = () => ProgramProcess;

/** The last of what the process wrote to stderr is said when it dies (characters). */
const errorTail = 500;

/** Longest time for which a process that is gone may still have something to say (ms). */
const mostMilliseconds = 1000;

/** Flags of V8: no code from strings, in any of its threads; hints of host programs (cuda/host-code/tiers.ts); and see record.ts. */
export const engineFlags = [
  '--disallow-code-generation-from-strings',
  '--no-wasm-code-gc',
  '--experimental-wasm-compilation-hints',
];

/** A process of Node; it ends with the one that started it. */
export const forkProgram: StartProgram = () => {
  const file = fileURLToPath(workerUrl('recording/program-process'));
  const child = fork(file, {
    cwd: dirname(file),
    // Windows does not start processes without it.
    env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
    execArgv: [...processRights(), ...engineFlags],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl+C is the engine's to answer, which finishes the trace first.
    detached: process.platform !== 'win32',
  });
  const gone = new Promise<string>((done) => {
    let tail = '';
    child.stderr!.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-errorTail)));
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => {
      const how = `${signal ?? `code ${code}`}${tail === '' ? '' : `: ${tail.trim()}`}`;
      // Earlier messages may still be on their way. Node does not always tell when all have arrived.
      const late = setTimeout(done, mostMilliseconds, how);
      const all = (): void => {
        clearTimeout(late);
        done(how);
      };
      if (child.connected) child.once('disconnect', all);
      else all();
    });
  });
  return {
    send: (message) => void child.send(message, () => {}),
    onMessage(listener) {
      child.on('message', (message) => listener(message as FromProcess, ''));
      void gone.then((how) => listener(null, how));
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
};
