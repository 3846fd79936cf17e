/** A limit of wall time for what runs synchronously and may never come back. */
import { createContext, Script } from 'node:vm';
import { SimsightError } from '../base/errors.ts';

/**
 * Calls `run`; after `seconds` ends whatever it is doing, endless loops in WebAssembly included, with 'budget-exceeded'. This
 * is what the time limit of scripts is for; `finally` blocks inside do not run. `where` says what was being done, if that is known.
 */
export function withinSeconds(seconds: number, run: () => void, where: () => string = () => ''): void {
  try {
    new Script('run()').runInContext(createContext({ run }), { timeout: Math.max(1, Math.ceil(seconds * 1000)) });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new SimsightError(
      'budget-exceeded',
      `The program was stopped: it ran for more than ${seconds} s${where()}.`,
      'Allow more with --max-seconds, use smaller problem sizes, or execute only some of the launches that are alike with --sample.',
    );
  }
}
