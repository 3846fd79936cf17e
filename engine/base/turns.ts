/** So many at a time, the others in the order in which they came: recordings and queries each have threads, processes and memory. */
import { SimsightError } from './errors.ts';

export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  /** Throws `cancelled` where `signal` is aborted before its turn has come. */
  async inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    await this.turn(signal);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  private turn(signal: AbortSignal | undefined): Promise<void> {
    const cancelled = (): SimsightError => new SimsightError('cancelled', 'It was cancelled while it was waiting.');
    if (signal?.aborted) return Promise.reject(cancelled());
    if (this.free > 0) {
      this.free--;
      return Promise.resolve();
    }
    return new Promise((done, fail) => {
      const next = (): void => {
        signal?.removeEventListener('abort', leave);
        done();
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(next), 1);
        fail(cancelled());
      };
      this.waiting.push(next);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
