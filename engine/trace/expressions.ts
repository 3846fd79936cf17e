/**
 * Regular expressions that people type to find names, in a thread of their own: one like `/(x+)+y/` can take for ever on a name of a
 * few thousand characters, and whoever works on it answers nobody else meanwhile. A thread can be ended, even within an expression.
 *
 *   expressionOf('/^void .*<double>/');                                   // { source: '^void .*<double>', flags: '' }
 *   await namesThatFit({ source: '^void', flags: '' }, ['void a()', 'b']);  // Uint8Array [1, 0]
 */
import { Worker } from 'node:worker_threads';
import { SimsightError } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { Turns } from '../base/turns.ts';

/** Regular expression, in JavaScript's syntax. */
export interface Expression {
  source: string;
  flags: string;
}
export interface ExpressionOrder {
  expression: Expression;
  names: readonly string[];
}
export type FromExpressionWorker = { started: true } | { fits: Uint8Array } | { wrong: string };

/** Time limit for matching all names of a trace: a sound expression takes less than a second for a million of them. */
const mostMilliseconds = 5000;
/** Threads that match at the same time; further questions wait for their turn, so that there are cores left for all else. */
const mostAtOnce = 2;
/** Heap limit of a worker thread, MB: the names are copied into it. */
const mostMegabytes = 1024;

const remedy = 'Write it as JavaScript does, or without slashes.';

/** Parses a filter written between slashes; null for literal text. */
export function expressionOf(text: string): Expression | null {
  if (!text.startsWith('/')) return null;
  const end = text.lastIndexOf('/');
  const flags = text.slice(end + 1);
  return end > 1 && (flags === '' || flags === 'i') ? { source: text.slice(1, end), flags } : null;
}

const turns = new Turns(mostAtOnce);

/** 1 for each name that an expression fits. Throws `bad-request` for one that is wrong, `budget-exceeded` for one that takes too long. */
export function namesThatFit(
  expression: Expression,
  names: readonly string[],
  signal?: AbortSignal,
  limitMs = mostMilliseconds,
): Promise<Uint8Array> {
  return turns.inTurn(signal, () => match({ expression, names }, signal, limitMs));
}

async function match(order: ExpressionOrder, signal: AbortSignal | undefined, limitMs: number): Promise<Uint8Array> {
  const cancelled = (): SimsightError => new SimsightError('cancelled', 'The search was cancelled.');
  if (signal?.aborted) throw cancelled();
  const worker = new Worker(workerUrl('trace/expression-worker'), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  });
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const late = `The regular expression takes longer than ${limitMs / 1000} s for the names of this trace.`;
  try {
    return await new Promise<Uint8Array>((done, fail) => {
      abort = () => fail(cancelled());
      signal?.addEventListener('abort', abort, { once: true });
      worker.on('message', (message: FromExpressionWorker) => {
        if ('fits' in message) done(message.fits);
        else if ('wrong' in message) fail(new SimsightError('bad-request', message.wrong, remedy));
        else {
          const stop = (): void => fail(new SimsightError('budget-exceeded', late, 'Repeat less within what repeats.'));
          timer = setTimeout(stop, limitMs);
        }
      });
      const died = (): void =>
        fail(new SimsightError('budget-exceeded', 'The regular expression needs too much memory.', remedy));
      worker.on('error', died);
      worker.on('exit', died);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
