/** Scheduling of host threads: their order, how far the GPU may be simulated, and the driver's locks. */
import { costOf } from '../../../engine/cuda/runtime/table.ts';
import { expect, test } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import { HostThreads, type HostThread } from '../../../engine/system/host-threads.ts';
import { DriverLocks } from '../../../engine/system/driver-locks.ts';
import { createSystemSimulator, defaultHost } from '../../../engine/system/index.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { kernelRequest } from './recorder.ts';

/** A GPU where something happens at the given times. */
function timelineOf(times: number[]) {
  const happened: number[] = [];
  const timeline = {
    get next() {
      return times[0] ?? Infinity;
    },
    step() {
      happened.push(times.shift()!);
    },
  };
  return { timeline, happened };
}

test('1. the thread whose clock shows least goes on; of several, the first', () => {
  const threads = new HostThreads(timelineOf([]).timeline);
  const main = threads.current;
  const other = threads.start(50);
  const third = threads.start(50);
  expect(threads.pick()).toBe(main);
  main.clock = 50;
  expect(threads.pick()).toBe(main);
  main.clock = 51;
  expect(threads.pick()).toBe(other);
  other.clock = 60;
  expect(threads.pick()).toBe(third);
  threads.end(third);
  expect(threads.pick()).toBe(main);
});

test('2. who waits is passed over until woken, or until the time is up', () => {
  const threads = new HostThreads(timelineOf([]).timeline);
  const main = threads.current;
  const other = threads.start(100);
  threads.wait({ what: 'a mutex', until: 500 });
  expect(threads.pick()).toBe(other);
  threads.wake(main, 130);
  other.clock = 200;
  expect(threads.pick()).toBe(main);
  expect([main.clock, main.timedOut]).toEqual([130, false]);
  threads.wait({ what: 'a mutex', until: 150 });
  expect(threads.pick()).toBe(main);
  expect([main.clock, main.timedOut]).toEqual([150, true]);
});

test('3. a wait for the GPU lets it work, but not beyond what another thread may still hand it', () => {
  const { timeline, happened } = timelineOf([10, 20, 30, 40]);
  const threads = new HostThreads(timeline);
  const main = threads.current;
  const other = threads.start(25);
  threads.wait({ what: 'cudaDeviceSynchronize', returns: () => (happened.includes(30) ? 33 : null) });
  expect(threads.pick()).toBe(other);
  expect(happened).toEqual([10, 20]);
  expect(threads.horizon()).toBe(Infinity);
  other.clock = 100;
  expect(threads.pick()).toBe(main);
  expect([main.clock, happened]).toEqual([33, [10, 20, 30]]);
  expect(threads.horizon()).toBe(100);
});

test('4. nobody can go on: who waits for what', () => {
  const threads = new HostThreads(timelineOf([5]).timeline);
  threads.start(0);
  threads.wait({ what: 'the end of thread 2' });
  expect(threads.pick()?.number).toBe(2);
  threads.wait({ what: 'a mutex that thread 1 holds' });
  expect(threads.pick()).toBeNull();
  expect(threads.describe()).toBe('thread 1 for the end of thread 2, thread 2 for a mutex that thread 1 holds');
});

test('5. a thread that waits for a change goes on when no other can', () => {
  const threads = new HostThreads(timelineOf([]).timeline);
  const polling = threads.start(10);
  threads.wait({ what: 'the end of thread 2' });
  expect(threads.pick()).toBe(polling);
  threads.wait({ what: 'a variable', returns: () => null, isIdle: true });
  expect(threads.pick()).toBe(polling);
});

test("6. calls hold the context's lock for part of their time, and their stream for all of it", () => {
  const threads = new HostThreads(timelineOf([]).timeline);
  const locks = new DriverLocks(defaultHost, threads);
  const handOff = defaultHost.threads.contextLock;
  const launch = costOf('cudaLaunchKernel')!;
  const main = threads.current;
  const other = threads.start(0);
  locks.enter(13);
  expect(locks.delay(launch, 3000, 0)).toBe(0);
  main.clock = 3000;
  expect(threads.pick()).toBe(other);
  expect(locks.delay(launch, 3000, 0)).toBe(3000 * launch.serial! + handOff);
  expect(locks.delay(launch, 3000, 1)).toBe(0);
  locks.enter(13);
  expect(threads.pick()).toBe(main);
  locks.leave(13);
  expect([other.wait, other.clock]).toEqual([null, 3000]);
});

/** Threads that launch kernels of 10 us into a stream each and wait for them, in steps as the runtime does it. */
function recordThreads(count: number): TraceEvent[] {
  const events: TraceEvent[] = [];
  const system = createSystemSimulator({
    gpu: gpuById('h200'),
    host: defaultHost,
    sink: (event) => events.push(event),
    contextCreation: false,
    lazyLoading: false,
  });
  const { threads } = system;
  function* call(name: string, stream: number, body: (of: ReturnType<typeof system.openApi>) => void) {
    yield;
    const opened = system.openApi(name);
    system.chargeApi(costOf(name)!, {});
    yield;
    body(opened);
    for (let wait = opened.waits!.shift(); wait; wait = opened.waits!.shift()) {
      threads.wait({ what: name, returns: wait.returns });
      yield;
      wait.then?.();
    }
    system.endApi(opened, 0);
  }
  function* program(stream: number) {
    for (let i = 0; i < 3; i++) {
      yield* call('cudaLaunchKernel', stream, (opened) =>
        system.launch(opened, kernelRequest(stream, { microseconds: 10 })),
      );
      yield* call('cudaStreamSynchronize', stream, (opened) => system.synchronizeStream(opened, stream));
    }
  }
  const running = new Map<HostThread, Generator<void>>();
  const streams = Array.from({ length: count }, () => system.createStream({ nonBlocking: true, priority: 0 }));
  running.set(threads.current, program(streams[0]!));
  for (const stream of streams.slice(1)) running.set(threads.start(1000), program(stream));
  while (running.size > 0) {
    const thread = threads.pick()!;
    if (!running.get(thread)!.next().done) continue;
    running.delete(thread);
    if (running.size > 0) threads.end(thread);
  }
  system.finish();
  return events;
}

test('7. kernels of several threads overlap; nothing in the trace runs backwards; twice the same', () => {
  const events = recordThreads(4);
  expect(recordThreads(4)).toEqual(events);
  const kernels = events.filter((event) => event.type === 'kernel');
  expect(kernels).toHaveLength(12);
  const perStream = new Map<number, number>();
  for (const { start, end, streamId } of kernels) {
    expect(start).toBeGreaterThanOrEqual(perStream.get(streamId) ?? 0);
    perStream.set(streamId, end);
  }
  const last = Math.max(...kernels.map(({ end }) => end));
  const alone = Math.max(...recordThreads(1).flatMap((event) => (event.type === 'kernel' ? [event.end] : [])));
  expect(last).toBeLessThan(1.6 * alone);
  const calls = events.filter((event) => event.type === 'api');
  expect(new Set(calls.map(({ threadId }) => threadId)).size).toBe(4);
  for (const { correlationId, start } of kernels) {
    expect(start).toBeGreaterThan(calls.find((call) => call.correlationId === correlationId)!.start);
  }
});
