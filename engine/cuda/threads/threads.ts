/**
 * Host threads (`std::thread`, `std::async`, pthreads) side by side in simulated time. What a program without them imports is
 * in {@link mainThreadImports}: nothing of it stops.
 */
import { SimsightError } from '../../base/errors.ts';
import { ns } from '../../base/units.ts';
import type { SystemSimulator } from '../../system/types.ts';
import { asWord, type HostExports } from '../host-exports.ts';
import type { CudaContext } from '../runtime/context.ts';
import { onWords, unsigned, type Imported } from '../runtime/arguments.ts';
import type { Steps, Stepwise } from '../runtime/table.ts';
import type { ThreadState } from '../runtime/thread-state.ts';
import { Coroutines, type Coroutine } from './coroutines.ts';
import { errno, stepsOnWords, Synchronization } from './synchronization.ts';
import type { Destructors } from './thread-locals.ts';

/** Globals that each thread has a value of its own for: where its stack is, and its variables. */
const stackPointer = '__stack_pointer';
const localsBase = '__tls_base';

/** Result of `pthread_self` in the main thread; others count on from there. */
const mainThread = 1;
/** Stack size of a thread, as on Linux. */
const stackBytes = 8 << 20;
const alignment = 16;
/** A loop that reads variables of other threads so many times, while nothing happens, waits for them. */
const pollsInRow = 64;

/** State kept for a thread while another one runs. */
interface Kept {
  readonly number: number;
  readonly runtime: ThreadState;
  readonly destructors: Destructors;
  /** `pthread_setspecific`, by key. */
  readonly specific: Map<number, number>;
  /** Its stack and its variables, as they were allocated. */
  allocated: number[];
  stackPointer: number;
  localsAt: number;
  ended: boolean;
  detached: boolean;
  result: number;
  joiner: Coroutine | null;
  /** Reads in a row of variables of other threads, the last of them, and the turns of threads until then. */
  polls: number;
  polledAt: number;
  sawTurn: number;
}

export class Threads {
  readonly coroutines: Coroutines;
  private readonly context: CudaContext;
  private readonly system: SystemSimulator;
  private readonly host: () => HostExports;
  private readonly synchronization: Synchronization;
  /** Initial values of `thread_local` variables. */
  private readonly initialLocals: Uint8Array;
  private readonly kept = new Map<Coroutine, Kept>();
  /** Threads that can be joined. */
  private readonly byNumber = new Map<number, Kept>();
  /** Destructors of keys. */
  private readonly keys = new Map<number, number>();
  private lastKey = 0;
  /** Callback for when there is a second thread, and when there is none any more. */
  onSeveral: (several: boolean) => void = () => undefined;

  constructor(context: CudaContext, initialLocals: Uint8Array, host: () => HostExports) {
    this.context = context;
    this.system = context.system;
    this.initialLocals = initialLocals;
    this.host = host;
    this.synchronization = new Synchronization(context.system, () => host().memory);
    this.coroutines = new Coroutines(context.system.threads, context.options.programName, (from, to) =>
      this.change(from, to),
    );
    this.keep(this.coroutines.current, mainThread, context.thread);
  }

  /** Destructors that the running thread has to call; null in the main thread. */
  get destructors(): Destructors | null {
    return this.own.number === mainThread ? null : this.own.destructors;
  }

  private get own(): Kept {
    return this.kept.get(this.coroutines.current)!;
  }

  /** Calls that may stop a thread. */
  steps(): Record<string, Stepwise> {
    const calls: Record<string, (...words: number[]) => Steps> = {
      ...this.synchronization.steps(),
      pthread_create: (target, attributes, start, argument) => this.create(target!, attributes!, start!, argument!),
      pthread_join: (number, target) => this.join(number!, target!),
    };
    return Object.fromEntries(Object.entries(calls).map(([name, call]) => [`__wrap_${name}`, stepsOnWords(call)]));
  }

  /**
   * The thread reads a variable in a loop, which other threads may have to change. When it has done so for a while and nobody else
   * has run, it goes on behind the next one that does.
   */
  *poll(): Steps {
    yield;
    const { system } = this;
    const { threads } = system;
    const { poll } = system.host.threads;
    const { own } = this;
    if (own.polledAt === system.now - poll && own.sawTurn === threads.turns) own.polls++;
    else own.polls = 0;
    own.sawTurn = threads.turns;
    system.hostWork(ns(poll));
    if (own.polls > pollsInRow) {
      const { turns } = threads;
      threads.wait({
        what: 'a variable that it reads again and again',
        returns: () => (threads.turns === turns ? null : threads.turnAt + poll),
        isIdle: true,
      });
    }
    own.polledAt = system.now;
    yield;
    return undefined;
  }

  /** Calls that do not. */
  imports(): Record<string, Imported> {
    const calls = Object.entries(this.synchronization.calls());
    return {
      ...Object.fromEntries(calls.map(([name, call]) => [`__wrap_${name}`, onWords(call)])),
      __wrap_pthread_self: onWords(() => this.own.number),
      __wrap_pthread_detach: onWords((number) => this.detach(number!)),
      __wrap_pthread_key_create: onWords((target, destructor) => {
        this.keys.set(++this.lastKey, destructor!);
        // `pthread_key_t` has 32 bits.
        new DataView(this.host().memory.buffer).setUint32(target!, this.lastKey, true);
        return 0;
      }),
      __wrap_pthread_key_delete: onWords((key) => {
        this.keys.delete(key!);
        return 0;
      }),
      __wrap_pthread_setspecific: onWords((key, value) => {
        this.own.specific.set(key!, value!);
        return 0;
      }),
      __wrap_pthread_getspecific: onWords((key) => this.own.specific.get(key!) ?? 0),
    };
  }

  private keep(coroutine: Coroutine, number: number, runtime: ThreadState): Kept {
    const kept: Kept = {
      number,
      runtime,
      destructors: [],
      specific: new Map(),
      allocated: [],
      stackPointer: 0,
      localsAt: 0,
      ended: false,
      detached: false,
      result: 0,
      joiner: null,
      polls: 0,
      polledAt: -1,
      sawTurn: -1,
    };
    this.kept.set(coroutine, kept);
    this.byNumber.set(number, kept);
    return kept;
  }

  /** Another thread goes on: with its own stack, and what it left behind. */
  private change(from: Coroutine, to: Coroutine): void {
    const host = this.host();
    const before = this.kept.get(from);
    const next = this.kept.get(to)!;
    if (before) {
      before.stackPointer = host.word(stackPointer)!;
      before.localsAt = host.word(localsBase)!;
    }
    host.setWord(stackPointer, next.stackPointer);
    host.setWord(localsBase, next.localsAt);
    this.context.thread = next.runtime;
  }

  private *create(target: number, attributes: number, start: number, argument: number): Steps {
    yield;
    const host = this.host();
    const { create, start: latency } = this.system.host.threads;
    // `pthread_attr_t` begins with the size of the stack; what musl has by default is less than glibc.
    const wanted = attributes === 0 ? 0 : this.context.memory.word(attributes);
    const bytes = Math.max(wanted, stackBytes);
    const allocated = [bytes, this.initialLocals.length + alignment].map((each) => host.malloc(each));
    const [stack, locals] = allocated as [number, number];
    if (stack === 0 || locals === 0) return errno.again;
    const began = this.system.now;
    const coroutine = this.coroutines.start(began + latency, (own) => {
      const run = this.host().functionAt(start);
      this.coroutines.call(run, [asWord(argument)], (result) => this.leave(own, unsigned(result as number | bigint)));
    });
    const kept = this.keep(coroutine, coroutine.thread.number, this.context.startThread());
    kept.allocated = allocated;
    kept.stackPointer = Math.floor((stack + bytes) / alignment) * alignment;
    kept.localsAt = Math.ceil(locals / alignment) * alignment;
    new Uint8Array(host.memory.buffer).set(this.initialLocals, kept.localsAt);
    this.context.memory.setWord(target, kept.number);
    this.onSeveral(true);
    this.system.hostWork(ns(create));
    yield;
    return 0;
  }

  /** Destroys what the thread has for itself, then lets others go on. */
  private leave(coroutine: Coroutine, result: number): void {
    const kept = this.kept.get(coroutine)!;
    const destroys = kept.destructors.pop() ?? this.nextSpecific(kept);
    if (destroys) {
      const run = this.host().functionAt(destroys.destructor);
      return this.coroutines.call(run, [asWord(destroys.object)], () => this.leave(coroutine, result));
    }
    kept.ended = true;
    kept.result = result;
    if (kept.joiner) this.system.threads.wake(kept.joiner.thread, this.system.now + this.system.host.threads.endToJoin);
    if (kept.detached) this.byNumber.delete(kept.number);
    this.context.endThread(kept.runtime);
    this.kept.delete(coroutine);
    this.coroutines.end(() => {
      for (const each of kept.allocated) this.host().free(each);
      if (!this.system.threads.several) this.onSeveral(false);
    });
  }

  private nextSpecific({ specific }: Kept): { destructor: number; object: number } | null {
    for (const [key, object] of specific) {
      specific.delete(key);
      const destructor = this.keys.get(key) ?? 0;
      if (destructor !== 0 && object !== 0) return { destructor, object };
    }
    return null;
  }

  private *join(number: number, target: number): Steps {
    yield;
    const joined = this.byNumber.get(number);
    if (!joined) return errno.noThread;
    if (joined.ended) this.system.hostWork(ns(this.system.host.threads.joinEnded));
    else {
      joined.joiner = this.coroutines.current;
      this.system.threads.wait({ what: `the end of thread ${number}` });
    }
    yield;
    if (target !== 0) this.context.memory.setWord(target, joined.result);
    this.byNumber.delete(number);
    return 0;
  }

  private detach(number: number): number {
    const detached = this.byNumber.get(number);
    if (!detached) return errno.noThread;
    detached.detached = true;
    if (detached.ended) this.byNumber.delete(number);
    return 0;
  }
}

/** Functions of these that a program imports that starts no thread. */
export function mainThreadImports(program: string): Record<string, Imported> {
  const never = (): number => {
    throw new SimsightError(
      'host-program-failed',
      `${program} waits for another host thread, and there is none.`,
      'Look for a condition that nobody signals.',
    );
  };
  return {
    __wrap_pthread_self: onWords(() => mainThread),
    __wrap_pthread_join: onWords(() => errno.noThread),
    __wrap_pthread_detach: onWords(() => errno.noThread),
    __wrap_pthread_cond_wait: onWords(never),
    __wrap_pthread_cond_timedwait: onWords(() => errno.timedOut),
  };
}
