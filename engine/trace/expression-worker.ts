/** The thread of one regular expression: says which names it fits, or what is wrong with it; ended when it takes too long. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ExpressionOrder, FromExpressionWorker } from './expressions.ts';

const { expression, names } = workerData as ExpressionOrder;
const post = (message: FromExpressionWorker): void => parentPort!.postMessage(message);

post({ started: true });
try {
  const compiled = new RegExp(expression.source, expression.flags);
  post({ fits: Uint8Array.from(names, (name) => Number(compiled.test(name))) });
} catch (error) {
  // The error of an expression that is invalid, or that needs too much memory.
  post({ wrong: error instanceof Error ? error.message : String(error) });
}
