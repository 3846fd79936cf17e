/**
 * Host threads as coroutines of the one WebAssembly program: each has a stack of its own, and one at a time runs until it
 * calls something that stops it (JavaScript Promise Integration). Who goes on next is decided by their clocks
 * (`engine/system/host-threads.ts`), so it is the same in every run.
 *
 * Functions that a thread calls outside of WebAssembly are written in steps: they stop at each `yield` until it is the thread's turn again.
 */
import { createContext, Script } from 'node:vm';
import { SimsightError } from '../../base/errors.ts';
import type { HostThread, HostThreads } from '../../system/host-threads.ts';
import type { Steps, Stepwise } from '../runtime/table.ts';
import type { AnyFunction } from './switchable.ts';

export interface Coroutine {
  readonly thread: HostThread;
  /** Remaining steps of a call, and the function that resumes its WebAssembly after that. */
  steps: Steps | null;
  goOn: ((result: unknown) => void) | null;
  /** Starts the thread; null once it has begun. */
  begin: (() => void) | null;
}

/**
 * Another global object, whose promises are settled while `run` is on the stack: so a program runs synchronously, and within a limit
 * of time.
 */
interface Realm {
  /** Makes an import of what may return a promise, and of an exported function one that returns a promise. */
  Suspending: new (run: AnyFunction) => object;
  promising(exported: unknown): (...args: (number | bigint)[]) => Promise<unknown>;
  soon(run: () => void): void;
  settled(promise: Promise<unknown>, ended: (value: unknown) => void, failed: (error: unknown) => void): void;
}

export class Coroutines {
  current: Coroutine;
  private readonly threads: HostThreads;
  private readonly program: string;
  private readonly onSwitch: (from: Coroutine, to: Coroutine) => void;
  private readonly context = createContext({}, { microtaskMode: 'afterEvaluate' });
  private readonly realm = new Script(`({
    Suspending: WebAssembly.Suspending,
    promising: WebAssembly.promising,
    soon: (run) => void Promise.resolve().then(() => run()),
    settled: (promise, ended, failed) => void promise.then((value) => ended(value), (error) => failed(error)),
  })`).runInContext(this.context) as Realm;
  private readonly all = new Map<HostThread, Coroutine>();
  private over = false;
  private failure: { error: unknown } | null = null;

  constructor(threads: HostThreads, program: string, onSwitch: (from: Coroutine, to: Coroutine) => void) {
    this.threads = threads;
    this.program = program;
    this.onSwitch = onSwitch;
    this.current = this.add(threads.current, null);
  }

  /** Runs the main thread, and all others as long as it runs; what any of them throws, this does. */
  run(main: unknown): void {
    this.context['run'] = (): void => {
      this.call(main, [], () => (this.over = true));
    };
    new Script('run()').runInContext(this.context);
    if (this.failure) throw this.failure.error;
    if (!this.over) throw new SimsightError('internal', 'No host thread went on.', 'Please report it.');
  }

  /** A thread that calls a function of the program at `time`, and then `ended`. */
  start(time: number, begin: (coroutine: Coroutine) => void): Coroutine {
    const coroutine = this.add(this.threads.start(time), () => begin(coroutine));
    return coroutine;
  }

  /** Calls a function of the program where nothing else is on the stack; it may stop there. */
  call(exported: unknown, args: (number | bigint)[], ended: (result: unknown) => void): void {
    this.guarded(() =>
      this.realm.settled(
        this.realm.promising(exported)(...args),
        (result) => this.guarded(() => ended(result)),
        (error) => this.fail(error),
      ),
    );
  }

  /** The present thread has ended: another one goes on, after `left`. */
  end(left: () => void): void {
    const { thread } = this.current;
    this.all.delete(thread);
    this.threads.end(thread);
    const next = this.choose();
    left();
    this.proceed(next);
  }

  /** Constructor for imports made by `suspending`. */
  get Suspending(): Realm['Suspending'] {
    return this.realm.Suspending;
  }

  /** An import that may stop the thread which calls it. */
  suspending(steps: Stepwise): AnyFunction {
    return (...args: (number | bigint)[]) => {
      const own = this.current;
      const running = steps(...args);
      for (let step = running.next(); ; step = running.next()) {
        if (step.done) return step.value;
        const next = this.choose();
        if (next === own) continue;
        own.steps = running;
        const result = new Promise((settle) => (own.goOn = settle));
        this.proceed(next);
        return result;
      }
    };
  }

  /** Import for calls in which the thread cannot stop: only it runs, or there is something else on the stack. */
  plain(steps: Stepwise): AnyFunction {
    return (...args: (number | bigint)[]) => {
      const running = steps(...args);
      for (let step = running.next(); ; step = running.next()) {
        if (step.done) return step.value;
        const { thread } = this.current;
        // Without other threads there is nobody to give way to, but the GPU may be waited for.
        if (thread.wait !== null && this.threads.several) {
          throw new SimsightError(
            'unsupported-construct',
            `A function that CUDA or the C++ runtime calls back in ${this.program} waits for ${thread.wait.what}.`,
            'Wait in the host thread itself.',
          );
        }
        if (!this.threads.several) this.choose();
      }
    };
  }

  private add(thread: HostThread, begin: (() => void) | null): Coroutine {
    const coroutine = { thread, steps: null, goOn: null, begin };
    this.all.set(thread, coroutine);
    return coroutine;
  }

  private choose(): Coroutine {
    const thread = this.threads.pick();
    if (!thread) {
      throw new SimsightError(
        'host-program-failed',
        `The host threads of ${this.program} wait for each other, and none can go on: ${this.threads.describe()}.`,
        'Look for locks taken in different orders, and for conditions that nobody signals any more.',
      );
    }
    const before = this.current;
    this.current = this.all.get(thread)!;
    if (before !== this.current) this.onSwitch(before, this.current);
    return this.current;
  }

  /** Lets a thread go on, and others, until one is back in its WebAssembly. */
  private proceed(first: Coroutine): void {
    for (let next = first; ; next = this.choose()) {
      const { begin } = next;
      if (begin) {
        next.begin = null;
        return this.realm.soon(() => this.guarded(begin));
      }
      const step = next.steps!.next();
      if (!step.done) continue;
      next.steps = null;
      return next.goOn!(step.value);
    }
  }

  private guarded(run: () => void): void {
    try {
      if (!this.over) run();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.over = true;
  }
}
