/** Runs a host program, however it was made, as a recording does: in a process of its own. */
import { deserialize, serialize } from 'node:v8';
import type { ErrorReport } from '../../../engine/base/errors.ts';
import type { FromProgram, ProgramOrder } from '../../../engine/recording/messages.ts';
import { executionRights, programRights } from '../../../engine/recording/rights.ts';
import { forkProgram } from '../../../engine/recording/start-program.ts';

export interface Outcome {
  exitCode: number | null;
  error: ErrorReport | null;
  console: string;
}

/** Longest that one takes (ms). */
const patience = 60_000;

/** Errors: it took too long, or its process died. */
export async function runModule(host: Uint8Array<ArrayBuffer>, folder: string): Promise<Outcome> {
  const order: ProgramOrder = {
    host,
    modules: [],
    programName: 'program',
    folder,
    writable: null,
    readable: [],
    gpus: ['h200'],
    options: {
      ...{ sources: [], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [] },
      detail: 'counters',
    },
    perThreadStreams: false,
    threads: 1,
    names: new Map(),
  };
  const process = forkProgram();
  let console = '';
  let late: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Outcome>((done, fail) => {
      late = setTimeout(() => fail(new Error(`It took longer than ${patience / 1000} s.`)), patience);
      process.onMessage((message, how) => {
        if (message === null) return fail(new Error(`Its process was ended by ${how}.`));
        if (message.type === 'ended') {
          return done({ exitCode: null, error: message.error ?? { ...unanswered }, console });
        }
        if (message.type !== 'program') return;
        const said = deserialize(message.message) as FromProgram;
        if (said.type === 'failed') return done({ exitCode: null, error: said.error, console });
        if (said.type === 'done') return done({ exitCode: said.exitCode, error: null, console });
        process.send({ type: 'written' });
        for (const event of said.events) if (event.type === 'console') console += event.text;
      });
      process.send({
        type: 'start',
        order: serialize(order),
        rights: { program: programRights(folder, null), execution: executionRights() },
      });
    });
  } finally {
    clearTimeout(late);
    await process.kill();
  }
}

const unanswered: ErrorReport = { code: 'internal', message: 'No answer.', remedy: '', place: {}, details: '' };
