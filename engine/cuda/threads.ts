/**
 * Host threads (`std::thread`, `std::async`, pthreads) one after the other: each runs to its end when it is started.
 * Results are those of one legal order; what overlaps on a real host does not overlap here, and the trace says so. A
 * thread that waits for what another has yet to do cannot go on, and ends the program with a message.
 */
import { SimsightError } from '../base/errors.ts';
import { onWords, type Imported } from './runtime/table.ts';

interface ThreadParts {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
}

/** What `pthread_self` gives in the main thread; others count on from there. */
const mainThread = 1;
/** `ETIMEDOUT` of wasi-libc. */
const timedOut = 73;

export class HostThreads {
  /** Threads started until now. */
  started = 0;
  private readonly program: string;
  private readonly host: () => ThreadParts;
  private readonly around: <Result>(run: () => Result) => Result;
  private readonly running: number[] = [mainThread];
  private readonly results = new Map<number, number>();

  /** `around`: runs a thread with what CUDA keeps for each of them. */
  constructor(program: string, host: () => ThreadParts, around: <Result>(run: () => Result) => Result) {
    this.program = program;
    this.host = host;
    this.around = around;
  }

  imports(): Record<string, Imported> {
    const store = (address: number, value: number): void => {
      if (address !== 0) new DataView(this.host().memory.buffer).setUint32(address, value, true);
    };
    const waits = (): number => {
      throw new SimsightError(
        'unsupported-construct',
        `A host thread of ${this.program} waits for another one that has not come that far: host threads run one after the other here.`,
        'Start the thread that is waited for first, or do the work in one thread; streams overlap all the same.',
      );
    };
    return {
      __wrap_pthread_create: onWords((thread, _attributes, start, argument) => {
        const id = mainThread + ++this.started;
        store(thread!, id);
        const run = this.host().__indirect_function_table.get(start!) as (argument: number) => number;
        this.running.push(id);
        this.results.set(id, this.around(() => run(argument!)) >>> 0);
        this.running.pop();
        return 0;
      }),
      __wrap_pthread_join: onWords((thread, result) => {
        store(result!, this.results.get(thread!) ?? 0);
        this.results.delete(thread!);
        return 0;
      }),
      __wrap_pthread_detach: onWords((thread) => {
        this.results.delete(thread!);
        return 0;
      }),
      __wrap_pthread_self: onWords(() => this.running.at(-1)!),
      __wrap_pthread_cond_wait: onWords(waits),
      __wrap_pthread_cond_timedwait: onWords(() => timedOut),
    };
  }
}
