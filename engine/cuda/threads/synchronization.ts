/** Synchronization of host threads: mutexes, conditions, locks for readers and writers, barriers, semaphores. */
import { epochNanoseconds } from '../../base/epoch.ts';
import { ns } from '../../base/units.ts';
import type { HostThread } from '../../system/host-threads.ts';
import type { SystemSimulator } from '../../system/types.ts';
import { unsigned } from '../runtime/arguments.ts';
import type { Steps, Stepwise } from '../runtime/table.ts';

/** Error numbers of the C library. */
export const errno = { again: 11, busy: 16, deadlock: 35, invalid: 22, noThread: 3, timedOut: 110 } as const;

/** `pthread_mutexattr_settype`. */
const mutexKind = { normal: 0, recursive: 1, errorCheck: 2 } as const;

interface Mutex {
  kind: number;
  owner: HostThread | null;
  /** Times that its owner locked it. */
  depth: number;
  waiting: HostThread[];
}

interface Gate {
  readers: number;
  writer: boolean;
  waiting: HostThread[];
}

interface Barrier {
  count: number;
  arrived: HostThread[];
}

interface Semaphore {
  value: number;
  waiting: HostThread[];
}

type Waiting = Generator<void, boolean>;

/** Objects at addresses of the program, made as static initializers leave them when they are first used. */
class Objects<Kind> {
  private readonly made = new Map<number, Kind>();
  private readonly make: () => Kind;

  constructor(make: () => Kind) {
    this.make = make;
  }

  at(address: number): Kind {
    return this.made.get(address) ?? this.set(address, this.make());
  }

  set(address: number, object: Kind): Kind {
    this.made.set(address, object);
    return object;
  }

  delete(address: number): void {
    this.made.delete(address);
  }
}

export class Synchronization {
  private readonly system: SystemSimulator;
  private readonly memory: () => WebAssembly.Memory;
  private readonly mutexes = new Objects<Mutex>(() => ({
    kind: mutexKind.normal,
    owner: null,
    depth: 0,
    waiting: [],
  }));
  private readonly conditions = new Objects<HostThread[]>(() => []);
  private readonly gates = new Objects<Gate>(() => ({ readers: 0, writer: false, waiting: [] }));
  private readonly barriers = new Objects<Barrier>(() => ({ count: 1, arrived: [] }));
  private readonly semaphores = new Objects<Semaphore>(() => ({ value: 0, waiting: [] }));

  constructor(system: SystemSimulator, memory: () => WebAssembly.Memory) {
    this.system = system;
    this.memory = memory;
  }

  /** Calls that may stop a thread. */
  steps(): Record<string, (...words: number[]) => Steps> {
    return {
      ...this.mutexCalls(),
      ...this.conditionCalls(),
      ...this.gateCalls(),
      ...this.barrierCalls(),
      ...this.semaphoreCalls(),
    };
  }

  /** Calls that do not. */
  calls(): Record<string, (...words: number[]) => number> {
    const { mutexes, barriers, semaphores } = this;
    const done = (_: unknown): number => 0;
    return {
      pthread_mutex_init: (address, attributes) => {
        const kind = attributes ? this.word(attributes) & 3 : mutexKind.normal;
        return done(mutexes.set(address!, { kind, owner: null, depth: 0, waiting: [] }));
      },
      pthread_mutex_destroy: (address) => done(mutexes.delete(address!)),
      pthread_barrier_init: (address, _attributes, count) =>
        done(barriers.set(address!, { count: count!, arrived: [] })),
      pthread_barrier_destroy: (address) => done(barriers.delete(address!)),
      sem_init: (address, _shared, value) => done(semaphores.set(address!, { value: value!, waiting: [] })),
      sem_destroy: (address) => done(semaphores.delete(address!)),
      sem_getvalue: (address, target) => done(this.setWord(target!, semaphores.at(address!).value)),
    };
  }

  private get costs(): SystemSimulator['host']['threads'] {
    return this.system.host.threads;
  }

  private get self(): HostThread {
    return this.system.threads.current;
  }

  private word(address: number): number {
    return new DataView(this.memory().buffer).getUint32(address, true);
  }

  private setWord(address: number, value: number): void {
    new DataView(this.memory().buffer).setUint32(address, value, true);
  }

  /** When a wait until a `timespec` ends, in time of the recording: the operating system is as late as after sleeping. Times of the clock that counts from its beginning are small. */
  private until(address: number): number {
    const view = new DataView(this.memory().buffer);
    const time = view.getBigInt64(address, true) * 1_000_000_000n + BigInt(view.getInt32(address + 8, true));
    const since = Number(time > epochNanoseconds / 2n ? time - epochNanoseconds : time);
    return Math.max(this.system.now, since) + this.costs.sleepOver;
  }

  private passes(time: number): void {
    this.system.hostWork(ns(time));
  }

  /** Waits in a queue until it is taken out of it; false when the time was up first. */
  private *queue(waiting: HostThread[], what: string, until?: number): Waiting {
    const { self } = this;
    waiting.push(self);
    this.system.threads.wait({ what, ...(until === undefined ? {} : { until }) });
    yield;
    if (!self.timedOut) return true;
    const at = waiting.indexOf(self);
    if (at >= 0) waiting.splice(at, 1);
    return false;
  }

  private wake(waiting: HostThread[], latency: number, count = waiting.length): void {
    for (const thread of waiting.splice(0, count)) this.system.threads.wake(thread, this.system.now + latency);
  }

  /** False when the time was up first. */
  private *lock(mutex: Mutex, until?: number): Waiting {
    while (mutex.owner !== null) {
      const what = `a mutex that thread ${mutex.owner.number} holds`;
      if (!(yield* this.queue(mutex.waiting, what, until))) return false;
    }
    mutex.owner = this.self;
    mutex.depth = 1;
    return true;
  }

  private unlock(mutex: Mutex): void {
    if (--mutex.depth > 0) return;
    mutex.owner = null;
    this.wake(mutex.waiting, this.costs.mutexWakeUp, 1);
  }

  private mutexCalls(): Record<string, (...words: number[]) => Steps> {
    const lock = (address: number, mayWait: boolean, until?: number): Steps => this.lockCall(address, mayWait, until);
    const unlock = (address: number): Steps => this.unlockCall(address);
    return {
      pthread_mutex_lock: (address) => lock(address!, true),
      pthread_mutex_trylock: (address) => lock(address!, false),
      pthread_mutex_timedlock: (address, time) => lock(address!, true, this.until(time!)),
      pthread_mutex_unlock: (address) => unlock(address!),
      pthread_spin_lock: (address) => lock(address!, true),
      pthread_spin_trylock: (address) => lock(address!, false),
      pthread_spin_unlock: (address) => unlock(address!),
    };
  }

  private *lockCall(address: number, mayWait: boolean, until?: number): Steps {
    yield;
    const mutex = this.mutexes.at(address);
    this.passes(this.costs.mutex);
    if (mutex.owner === this.self && mutex.kind === mutexKind.recursive) mutex.depth++;
    else if (mutex.owner !== null && !mayWait) return errno.busy;
    else if (mutex.owner === this.self && mutex.kind === mutexKind.errorCheck) return errno.deadlock;
    else if (!(yield* this.lock(mutex, until))) return errno.timedOut;
    yield;
    return 0;
  }

  private *unlockCall(address: number): Steps {
    yield;
    this.unlock(this.mutexes.at(address));
    this.passes(this.costs.mutex);
    yield;
    return 0;
  }

  private conditionCalls(): Record<string, (...words: number[]) => Steps> {
    const signal = (address: number, count?: number): Steps => this.signalCall(address, count);
    return {
      pthread_cond_signal: (address) => signal(address!, 1),
      pthread_cond_broadcast: (address) => signal(address!),
      pthread_cond_wait: (address, mutex) => this.waitCall(address!, mutex!),
      pthread_cond_timedwait: (address, mutex, time) => this.waitCall(address!, mutex!, this.until(time!)),
    };
  }

  private *signalCall(address: number, count?: number): Steps {
    yield;
    this.wake(this.conditions.at(address), this.costs.signalWakeUp, count);
    return 0;
  }

  private *waitCall(address: number, mutexAddress: number, until?: number): Steps {
    yield;
    const mutex = this.mutexes.at(mutexAddress);
    const { depth } = mutex;
    mutex.depth = 1;
    this.unlock(mutex);
    const signalled = yield* this.queue(this.conditions.at(address), 'a condition variable', until);
    yield* this.lock(mutex);
    mutex.depth = depth;
    return signalled ? 0 : errno.timedOut;
  }

  private gateCalls(): Record<string, (...words: number[]) => Steps> {
    const enter = (address: number, writes: boolean, mayWait: boolean): Steps =>
      this.enterCall(this.gates.at(address), writes, mayWait);
    return {
      pthread_rwlock_rdlock: (address) => enter(address!, false, true),
      pthread_rwlock_wrlock: (address) => enter(address!, true, true),
      pthread_rwlock_tryrdlock: (address) => enter(address!, false, false),
      pthread_rwlock_trywrlock: (address) => enter(address!, true, false),
      pthread_rwlock_unlock: (address) => this.leaveCall(this.gates.at(address!)),
    };
  }

  private *enterCall(gate: Gate, writes: boolean, mayWait: boolean): Steps {
    yield;
    this.passes(this.costs.mutex);
    while (gate.writer || (writes && gate.readers > 0)) {
      if (!mayWait) return errno.busy;
      yield* this.queue(gate.waiting, 'a lock for readers and writers');
    }
    if (writes) gate.writer = true;
    else gate.readers++;
    yield;
    return 0;
  }

  private *leaveCall(gate: Gate): Steps {
    yield;
    if (gate.writer) gate.writer = false;
    else gate.readers--;
    if (gate.readers === 0) this.wake(gate.waiting, this.costs.mutexWakeUp);
    this.passes(this.costs.mutex);
    yield;
    return 0;
  }

  private barrierCalls(): Record<string, (...words: number[]) => Steps> {
    return { pthread_barrier_wait: (address) => this.arriveCall(this.barriers.at(address!)) };
  }

  /** The last to arrive is told so. */
  private *arriveCall(barrier: Barrier): Steps {
    yield;
    this.passes(this.costs.mutex);
    const isLast = barrier.arrived.length === barrier.count - 1;
    if (isLast) this.wake(barrier.arrived, this.costs.signalWakeUp);
    else yield* this.queue(barrier.arrived, 'a barrier');
    yield;
    return isLast ? -1 : 0;
  }

  private semaphoreCalls(): Record<string, (...words: number[]) => Steps> {
    const take = (address: number, mayWait: boolean, until?: number): Steps =>
      this.takeCall(this.semaphores.at(address), mayWait, until);
    return {
      sem_wait: (address) => take(address!, true),
      sem_trywait: (address) => take(address!, false),
      sem_timedwait: (address, time) => take(address!, true, this.until(time!)),
      sem_post: (address) => this.postCall(this.semaphores.at(address!)),
    };
  }

  private *takeCall(semaphore: Semaphore, mayWait: boolean, until?: number): Steps {
    yield;
    this.passes(this.costs.mutex);
    while (semaphore.value === 0) {
      if (!mayWait || !(yield* this.queue(semaphore.waiting, 'a semaphore', until))) return -1;
    }
    semaphore.value--;
    yield;
    return 0;
  }

  private *postCall(semaphore: Semaphore): Steps {
    yield;
    semaphore.value++;
    this.wake(semaphore.waiting, this.costs.mutexWakeUp, 1);
    this.passes(this.costs.mutex);
    yield;
    return 0;
  }
}

/** Steps of a call whose arguments are unsigned words. */
export const stepsOnWords =
  (call: (...words: number[]) => Steps): Stepwise =>
  (...passed) =>
    call(...passed.map(unsigned));
