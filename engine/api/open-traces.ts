/**
 * The traces that viewers have open. Each opening gets an id of its own, so that closing one never takes a trace away
 * from another viewer; the trace behind them is opened once. A file that was recorded anew is another trace.
 */
import { realpathSync, statSync } from 'node:fs';
import { SimsightError } from '../base/errors.ts';
import { openRecording, type OpenOptions } from '../formats/open.ts';
import type { Trace } from '../trace/reader.ts';

interface Shared {
  key: string;
  trace: Trace;
  users: number;
}

export class OpenTraces {
  private readonly byId = new Map<number, { shared: Shared; path: string }>();
  private readonly byFile = new Map<string, Shared>();
  private lastId = 0;

  async open(path: string, options: OpenOptions = {}): Promise<{ traceId: number; trace: Trace }> {
    const key = identityOf(path);
    let shared = key === null ? undefined : this.byFile.get(key);
    if (!shared) {
      const trace = await openRecording(path, options);
      // Somebody else may have been faster.
      shared = key === null ? undefined : this.byFile.get(key);
      if (shared) trace.close();
      else shared = { key: key ?? path, trace, users: 0 };
      if (key !== null) this.byFile.set(key, shared);
    }
    shared.users++;
    const traceId = ++this.lastId;
    this.byId.set(traceId, { shared, path });
    return { traceId, trace: shared.trace };
  }

  /** Throws `trace-not-open`. */
  get(traceId: number): Trace {
    return this.find(traceId).shared.trace;
  }

  /** The file that was opened. Throws `trace-not-open`. */
  pathOf(traceId: number): string {
    return this.find(traceId).path;
  }

  close(traceId: number): void {
    const { shared } = this.find(traceId);
    this.byId.delete(traceId);
    if (--shared.users > 0) return;
    if (this.byFile.get(shared.key) === shared) this.byFile.delete(shared.key);
    shared.trace.close();
  }

  closeIfOpen(traceId: number): void {
    if (this.byId.has(traceId)) this.close(traceId);
  }

  private find(traceId: number): { shared: Shared; path: string } {
    const found = this.byId.get(traceId);
    if (!found) throw new SimsightError('trace-not-open', `Trace ${traceId} is not open.`, 'Open it again.');
    return found;
  }
}

/** Changes when the file or the log of a running recording does; null where there is no file. */
function identityOf(path: string): string | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return [realpathSync(path), ino, size, mtimeMs, log].join(' ');
  } catch {
    return null;
  }
}
