/** The app's log, `logs/simsight.log` in the data folder: starts, ends and failures. Nothing of it leaves this machine. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A longer one becomes `simsight.old.log` at the next start. */
const longestBytes = 1024 * 1024;

export class Log {
  readonly file: string;

  constructor(dataFolder: string) {
    this.file = join(dataFolder, 'logs', 'simsight.log');
    this.attempt(() => {
      mkdirSync(dirname(this.file), { recursive: true });
      const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > longestBytes) renameSync(this.file, this.file.replace(/\.log$/, '.old.log'));
    });
  }

  write(text: string): void {
    this.attempt(() => appendFileSync(this.file, `${new Date().toISOString()} ${text.trimEnd()}\n`));
  }

  /** A home that cannot be written must not keep the app from running. */
  private attempt(action: () => void): void {
    try {
      action();
    } catch {
      // There is nowhere to say so.
    }
  }
}
