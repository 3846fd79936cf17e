import { beforeEach, describe, expect, it } from 'vitest';
import { bytes, ns } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { costOf } from '../../../engine/cuda/runtime/table.ts';
import { callCost } from '../../../engine/system/call-costs.ts';
import { defaultHost, hostProfileById } from '../../../engine/system/hosts.ts';
import { Recorder } from './recorder.ts';

const MIB = 2 ** 20;
const sms = 132;
/** Nanoseconds that a launch takes the host. */
const launch = callCost.launch;
let r: Recorder;
beforeEach(() => void (r = new Recorder()));

const spans = (): [number, number][] => r.of('kernel').map(({ start, end }) => [start / 1e3, end / 1e3]);

describe('the host', () => {
  it('pays for calls, and the trace shows them in order with correlation ids from 1', () => {
    r.launch(0, { microseconds: 5 });
    r.syncDevice();
    expect(r.of('api')).toEqual([
      { type: 'api', start: 0, end: launch, name: 'cudaLaunchKernel', correlationId: 1, threadId: 1, returnValue: 0 },
      expect.objectContaining({ start: launch, end: launch + 9230, name: 'cudaDeviceSynchronize', correlationId: 2 }),
    ]);
    expect(r.of('kernel')[0]).toMatchObject({
      start: launch + 2000,
      end: launch + 7000,
      correlationId: 1,
      streamId: 7,
    });
  });

  it('creates the context at the first call that needs it, and loads a kernel at its first launch', () => {
    const cold = new Recorder({ cold: true });
    const free = cold.timed(() => cold.call('cudaGetDeviceProperties', () => {}));
    const first = cold.timed(() => cold.launch(0, { microseconds: 1 }));
    const second = cold.timed(() => cold.launch(0, { microseconds: 1 }));
    const other = cold.timed(() => cold.launch(0, { microseconds: 1, name: 'other' }));
    expect(free).toBeLessThan(1);
    expect(first).toBeCloseTo(97296 + 17 + launch / 1e3, 6);
    expect([second, other]).toEqual([launch / 1e3, 17 + launch / 1e3]);
  });

  it('does other work while the GPU runs', () => {
    r.launch(0, { microseconds: 50 });
    r.system.hostWork(ns(100_000));
    expect(r.system.queryStream(0)).toBe(true);
    expect(r.timed(() => r.syncStream(0))).toBeLessThan(0.3);
  });

  it('pays for allocations by their size', () => {
    const cost = (name: string, bytes?: number): number =>
      r.timed(() => void r.system.beginApi(name, costOf(name)!, { bytes }));
    expect(cost('cudaMalloc', 256 * MIB)).toBeCloseTo(34.7, 1);
    // H200 reference, C6 cudaMallocHost_cpu 64MB: 19559.
    expect(cost('cudaMallocHost', 64 * MIB) / 19_559).toBeCloseTo(1, 1);
    expect(cost('cudaMemPoolCreate')).toBe(0.3);
  });

  it('pays for a block of memory once for all small allocations in it', () => {
    const cost = (name: string, bytes: number): number =>
      r.timed(() => void r.system.beginApi(name, costOf(name)!, { bytes }));
    const first = cost('cudaMalloc', 4096);
    expect(first).toBeCloseTo(25, 0);
    expect(cost('cudaMalloc', MIB)).toBe(0.8);
    expect(cost('cudaMalloc', MIB)).toBeCloseTo(first, 3);
    // C6 cudaMallocHost_cpu 1MB: 408.
    expect(cost('cudaMallocHost', MIB)).toBeCloseTo(409, 0);
    expect(cost('cudaMallocHost', 4096)).toBe(2.2);
    expect(cost('cudaFree', MIB)).toBeGreaterThan(20);
    expect(cost('cudaFree', MIB)).toBe(0.75);
  });

  it('takes no time on the stream for events that keep none', () => {
    const times = [true, false].map((timing) => {
      const own = new Recorder();
      own.launch(0, { microseconds: 10 });
      own.record(own.system.createEvent({ timing, blockingSync: false }), 0);
      own.launch(0, { microseconds: 10 });
      own.syncStream(0);
      const [one, two] = own.of('kernel');
      return two!.start - one!.end;
    });
    expect(times).toEqual([
      defaultHost.timedEvent.duration + defaultHost.gap.sameEngineAfterEvent,
      defaultHost.gap.sameEngine,
    ]);
  });

  it('shows functions of the host the time of their turn', () => {
    r.launch(0, { microseconds: 50 });
    const issued = r.system.now;
    const seen = r.system.inHostFunction(0, () => r.system.clockReading);
    expect(r.system.clockReading).toBe(issued);
    r.call('cudaLaunchHostFunc', (call) => r.system.hostFunction(call, 0));
    r.launch(0, { microseconds: 1 });
    r.syncStream(0);
    const [before, after] = r.of('kernel');
    expect(seen).toBeGreaterThan(before!.end);
    expect(seen).toBeLessThan(after!.start);
    // system.cu, S5 host_function run_to_sync_return: 11.7 us, on another host 7.2.
    expect(r.now - seen / 1e3).toBeGreaterThan(7.2);
    expect(r.now - seen / 1e3).toBeLessThan(11.7);
  });

  it('sees the end of work as late by asking as by waiting', () => {
    r.launch(0, { microseconds: 50 });
    while (!r.system.queryStream(0)) r.system.hostWork(ns(10));
    const seen = r.system.now;
    r.syncStream(0);
    const [kernel] = r.of('kernel');
    expect(seen - kernel!.end).toBeGreaterThanOrEqual(defaultHost.returnLatency.kernel);
    expect(seen - kernel!.end).toBeLessThanOrEqual(defaultHost.returnLatency.kernel + 10);
  });

  it('blocks when a stream holds 1022 operations, and each stream holds its own', () => {
    const [one, two] = [r.stream(), r.stream()];
    r.launch(one, { microseconds: 100_000 });
    for (let i = 1; i < 1022; i++) r.launch(one, { microseconds: 1 });
    expect(r.timed(() => r.launch(two, { microseconds: 1 }))).toBe(launch / 1e3);
    const before = r.now;
    r.launch(one, { microseconds: 1 });
    expect(before).toBeLessThan(5_000);
    expect(r.now).toBeGreaterThan(100_000);
  });
});

describe('a driver that gathers commands', () => {
  const windows = hostProfileById('windows-wddm');
  const { cost, commands } = windows.submission!;

  it('hands them over when the program waits or asks, at a cost', () => {
    r = new Recorder({ host: windows });
    const launches = r.timed(() => {
      for (let i = 0; i < 10; i++) r.launch(0, { microseconds: 1 });
    });
    expect(launches).toBe((10 * launch) / 1e3);
    r.system.hostWork(ns(1_000_000));
    expect(r.of('kernel')).toHaveLength(0);
    expect(r.timed(() => r.system.queryStream(0))).toBe(cost / 1e3);
    r.syncDevice();
    expect(r.of('kernel')).toHaveLength(10);
    expect(r.of('kernel')[0]!.start).toBeGreaterThan(1_000_000);
  });

  it('or when there are enough of them', () => {
    r = new Recorder({ host: windows });
    for (let i = 0; i < commands; i++) r.launch(0, { microseconds: 1 });
    expect(r.now).toBe((commands * launch + cost) / 1e3);
    r.system.hostWork(ns(1_000_000));
    r.call('cudaStreamIsCapturing', () => {});
    expect(r.of('kernel')).toHaveLength(commands);
  });
});

describe('streams', () => {
  it('run their work in order, with a gap', () => {
    const stream = r.stream();
    r.launch(stream, { microseconds: 10 });
    r.launch(stream, { microseconds: 10 });
    r.syncStream(stream);
    const [[, end], [start]] = spans() as [[number, number], [number, number]];
    expect(start - end).toBeCloseTo(defaultHost.gap.sameEngine / 1e3, 6);
  });

  it('are numbered as Nsight Systems shows them', () => {
    expect([r.stream(), r.stream(false, -2)]).toEqual([13, 14]);
    expect(r.of('stream')).toEqual([
      { type: 'stream', streamId: 7, priority: 0, nonBlocking: false },
      { type: 'stream', streamId: 13, priority: 0, nonBlocking: true },
      { type: 'stream', streamId: 14, priority: -2, nonBlocking: false },
    ]);
  });

  it('go on after being destroyed, and are unknown then', () => {
    const stream = r.stream();
    r.launch(stream, { microseconds: 10 });
    r.system.destroyStream(stream);
    r.system.finish();
    expect(spans()).toHaveLength(1);
    expect(() => r.launch(stream, { microseconds: 1 })).toThrow('There is no stream 13.');
  });

  it('overlap, when neither fills the GPU', () => {
    for (const stream of [r.stream(), r.stream()]) r.launch(stream, { microseconds: 100, blocks: 4 * sms });
    r.syncDevice();
    const [[start, end], [nextStart, nextEnd]] = spans() as [[number, number], [number, number]];
    expect(nextStart).toBeLessThan(end);
    expect([end - start, nextEnd - nextStart]).toEqual([100, 100]);
  });
});

describe('the legacy default stream', () => {
  it('waits for blocking streams and they for it', () => {
    const blocking = r.stream(false);
    r.launch(blocking, { microseconds: 50 });
    r.launch(0, { microseconds: 50 });
    r.launch(blocking, { microseconds: 50 });
    r.syncDevice();
    const [first, second, third] = spans();
    expect(second![0]).toBeGreaterThan(first![1]);
    expect(third![0]).toBeGreaterThan(second![1]);
  });

  it('leaves non-blocking streams alone', () => {
    const free = r.stream(true);
    r.launch(free, { microseconds: 500 });
    r.launch(0, { microseconds: 50 });
    r.syncDevice();
    const ofDefault = r.of('kernel').find((kernel) => kernel.streamId === 7)!;
    expect(ofDefault.end).toBeLessThan(r.of('kernel').find((kernel) => kernel.streamId === free)!.end);
  });

  it('is awaited together with all blocking streams', () => {
    const blocking = r.stream(false);
    r.launch(blocking, { microseconds: 500 });
    expect(r.system.queryStream(0)).toBe(false);
    r.syncStream(0);
    expect(r.now).toBeGreaterThan(500);
  });
});

describe('events', () => {
  it('measure what lies between them', () => {
    const [before, after] = [r.event(), r.event()];
    r.launch(0, { microseconds: 30 });
    r.record(before, 0);
    r.launch(0, { microseconds: 100 });
    r.record(after, 0);
    expect(r.system.queryEvent(after)).toBe(false);
    expect(r.system.elapsedMilliseconds(before, after)).toBeNull();
    r.syncEvent(after);
    expect(r.elapsed(before, after)).toBeCloseTo(100 + 1 + 1.28, 6);
  });

  it('without timing tell no time', () => {
    const event = r.system.createEvent({ timing: false, blockingSync: false });
    r.record(event, 0);
    r.syncEvent(event);
    expect(r.system.elapsedMilliseconds(event, event)).toBeNull();
  });

  it('hold back another stream, and only it', () => {
    const [one, two, three] = [r.stream(), r.stream(), r.stream()];
    const event = r.event();
    r.launch(one, { microseconds: 200 });
    r.record(event, one);
    r.wait(two, event);
    r.launch(two, { microseconds: 10 });
    r.launch(three, { microseconds: 10 });
    r.syncDevice();
    const at = new Map(r.of('kernel').map((kernel) => [kernel.streamId, kernel]));
    expect(at.get(two)!.start).toBeGreaterThan(at.get(one)!.end);
    expect(at.get(three)!.end).toBeLessThan(at.get(one)!.end);
    expect(r.of('synchronization').map(({ kind }) => kind)).toEqual(['stream-wait', 'context']);
  });

  it('that were never recorded hold back nothing', () => {
    const event = r.event();
    r.wait(0, event);
    r.launch(0, { microseconds: 1 });
    expect(r.system.queryEvent(event)).toBe(true);
    expect(r.timed(() => r.syncEvent(event))).toBeLessThan(1);
    expect(r.system.elapsedMilliseconds(event, event)).toBeNull();
  });

  it('are waited for as recorded last before the wait', () => {
    const [one, two] = [r.stream(), r.stream()];
    const event = r.event();
    r.record(event, one);
    r.syncStream(one);
    r.wait(two, event);
    r.launch(one, { microseconds: 500 });
    r.record(event, one);
    r.launch(two, { microseconds: 10 });
    r.syncStream(two);
    expect(r.now).toBeLessThan(100);
  });
});

describe('what streams wait for on others', () => {
  /** Correlation ids of kernels, in order of their launches. */
  const kernels = (): number[] =>
    r
      .of('kernel')
      .map(({ correlationId }) => correlationId)
      .sort((a, b) => a - b);
  const found = (): [number, number][] =>
    r.of('dependency').map(({ correlationId, waitsFor }) => [correlationId, waitsFor]);

  it('is the last work before the record, of the wait and of the first work behind it alone', () => {
    const [a, b, event] = [r.stream(), r.stream(), r.event()];
    r.launch(a, { microseconds: 5 });
    r.launch(a, { microseconds: 50 });
    r.record(event, a);
    // Later than the record: nobody waits for it.
    r.launch(a, { microseconds: 5 });
    r.wait(b, event);
    r.launch(b, { microseconds: 5 });
    r.launch(b, { microseconds: 5 });
    r.syncDevice();
    const [, second, , behind] = kernels();
    const wait = r.of('api').find(({ name }) => name === 'cudaStreamWaitEvent')!.correlationId;
    expect(found()).toEqual([
      [wait, second],
      [behind, second],
    ]);
  });
  it('is nothing where nothing was recorded, or nothing was before it', () => {
    const [a, b, unrecorded, empty] = [r.stream(), r.stream(), r.event(), r.event()];
    r.record(empty, a);
    r.wait(b, unrecorded);
    r.wait(b, empty);
    r.launch(b, { microseconds: 5 });
    r.syncDevice();
    expect(found()).toEqual([]);
  });
  it('is several things where a stream waits several times', () => {
    const [a, b, c] = [r.stream(), r.stream(), r.stream()];
    for (const stream of [a, b]) {
      r.launch(stream, { microseconds: 20 });
      const event = r.event();
      r.record(event, stream);
      r.wait(c, event);
    }
    r.launch(c, { microseconds: 5 });
    r.syncDevice();
    const [first, second, last] = kernels();
    expect(found().filter(([waiting]) => waiting === last)).toEqual([
      [last, first],
      [last, second],
    ]);
  });
});

describe('copies', () => {
  it('in both directions run at once on an engine each, a little slower', () => {
    r.copy(r.stream(), 'host-to-device', 64 * MIB);
    r.copy(r.stream(), 'device-to-host', 64 * MIB);
    r.syncDevice();
    const [up, down] = r.of('copy');
    expect(new Set([up!.engine, down!.engine])).toEqual(new Set([0, 1]));
    expect(down!.start).toBeLessThan(up!.end);
    expect(r.now).toBeGreaterThan(1.05 * 1216);
    expect(r.now).toBeLessThan(1.15 * 1216);
  });

  it('in one direction queue up', () => {
    r.copy(r.stream(), 'host-to-device', MIB);
    r.copy(r.stream(), 'host-to-device', MIB);
    r.syncDevice();
    const [first, second] = r.of('copy');
    expect(second!.start).toBe(first!.end);
  });

  it('queue up on a GPU with one engine whatever their direction', () => {
    const gpu = gpuById('h200');
    const single = new Recorder({ gpu: { ...gpu, hostLink: { ...gpu.hostLink, copyEngines: 1 } } });
    single.copy(single.stream(), 'host-to-device', MIB);
    single.copy(single.stream(), 'device-to-host', MIB);
    single.syncDevice();
    const [up, down] = single.of('copy');
    expect([up!.engine, down!.engine]).toEqual([0, 0]);
    expect(down!.start).toBe(up!.end);
  });

  it('of pinned memory leave the host free, if it asked for that', () => {
    expect(r.timed(() => r.copy(r.stream(), 'host-to-device', 64 * MIB))).toBeLessThan(3);
    expect(r.timed(() => r.copy(0, 'host-to-device', 64 * MIB, 'pinned', false))).toBeGreaterThan(1200);
  });

  it('of pageable memory hold the host, except to the device what fits a staging buffer', () => {
    const stream = r.stream();
    expect(r.timed(() => r.copy(stream, 'host-to-device', 16 * MIB, 'pageable'))).toBeGreaterThan(800);
    r.syncDevice();
    expect(r.timed(() => r.copy(stream, 'device-to-host', 16 * MIB, 'pageable'))).toBeGreaterThan(800);
    r.launch(stream, { microseconds: 1000 });
    expect(r.timed(() => r.copy(stream, 'host-to-device', 65536, 'pageable'))).toBeLessThan(12);
    expect(r.timed(() => r.copy(stream, 'host-to-device', MIB, 'pageable'))).toBeLessThan(60);
    expect(r.timed(() => r.copy(stream, 'host-to-device', MIB + 1, 'pageable'))).toBeGreaterThan(800);
  });

  it('of pageable memory for the first time take more than twice as long as again', () => {
    // The trace of c_copy: calls of 41 and 18 us for 256 KB, 145 and 53 for 1 MB.
    for (const [kilobytes, first, again, at] of [
      [256, 41, 18, 0],
      [1024, 145, 53, 64 * MIB],
    ] as const) {
      const copy = (): void => r.copy(0, 'host-to-device', kilobytes * 1024, 'pageable', true, at);
      const times = [r.timed(copy)];
      for (let i = 0; i < 2; i++) {
        r.syncDevice();
        times.push(r.timed(copy));
      }
      expect(Math.abs(times[0]! / first - 1)).toBeLessThan(0.2);
      expect(Math.abs(times[2]! / again - 1)).toBeLessThan(0.3);
      expect(times[0]! / times[1]!).toBeGreaterThan(2);
    }
  });

  it('to pageable memory are complete when the call returns, from it staged', () => {
    r.copy(0, 'device-to-host', MIB, 'pageable', false);
    expect(r.system.queryStream(0)).toBe(true);
    r.copy(0, 'host-to-device', MIB, 'pageable', false);
    expect(r.system.queryStream(0)).toBe(false);
  });

  it('inside the GPU or on the host use no copy engine', () => {
    r.copy(0, 'device-to-device', MIB);
    r.copy(0, 'host-to-host', MIB, 'pageable', false);
    r.syncDevice();
    expect(r.of('copy').map(({ engine, direction }) => [engine, direction])).toEqual([
      [null, 'device-to-device'],
      [null, 'host-to-host'],
    ]);
  });

  it('are slower over a narrower link', () => {
    const narrow = new Recorder({ gpu: gpuById('mx330') });
    narrow.copy(0, 'host-to-device', 16 * MIB, 'pinned', false);
    expect(narrow.now).toBeCloseTo((16 * MIB) / 3.09e3, -2);
  });

  it('of nothing take no longer than their setup', () => {
    for (const direction of ['host-to-device', 'device-to-host', 'device-to-device'] as const) r.copy(0, direction, 0);
    r.syncDevice();
    expect(r.now).toBeLessThan(40);
  });
});

describe('copies in rows', () => {
  const inRows = (direction: 'host-to-device' | 'device-to-host' | 'device-to-device', rows: number): number => {
    r = new Recorder();
    const request = { direction, bytes: bytes(16 * MIB), hostMemory: 'pinned', stream: 0, async: true, rows } as const;
    r.call('cudaMemcpy2DAsync', (call) => r.system.copy(call, request));
    r.syncDevice();
    const [copy] = r.of('copy');
    return (copy!.end - copy!.start) / 1e3;
  };
  // test/reference/h200/cuda/system.cu, S4: between two events, which take 3.5 us.
  it.each([
    ['host-to-device', 2 ** 18, 430],
    ['host-to-device', 2 ** 14, 313],
    ['device-to-host', 2 ** 18, 379],
    ['device-to-host', 2 ** 14, 312],
    ['device-to-device', 2 ** 18, 45.7],
    ['device-to-device', 2 ** 14, 23.3],
  ] as const)('%s, %i of them', (direction, rows, measured) => {
    expect(Math.abs((inRows(direction, rows) + 3.5) / measured - 1)).toBeLessThan(0.08);
  });
});

describe('what the host waits for', () => {
  it('takes longer where it sleeps meanwhile', () => {
    const wait = (blocking: boolean, microseconds: number): number => {
      r = new Recorder();
      r.system.setBlockingWaits(blocking);
      r.launch(0, { microseconds });
      return r.timed(() => r.syncStream(0));
    };
    expect(wait(true, 100) - wait(false, 100)).toBeCloseTo(31, 6);
    expect(wait(true, 1) - wait(false, 1)).toBeCloseTo(14.6, 6);
  });

  it('may be a function of its own, which wakes a thread of the driver', () => {
    const stream = r.stream();
    const call = (): void => r.call('cudaLaunchHostFunc', (call) => r.system.hostFunction(call, stream));
    r.launch(stream, { microseconds: 30 });
    call();
    r.launch(stream, { microseconds: 1 });
    r.syncDevice();
    const [first, second] = r.of('kernel');
    // S5 host_function kernel_to_kernel 41.1 us.
    expect(Math.abs((second!.start - first!.end) / 41_100 - 1)).toBeLessThan(0.05);
    const ten = r.timed(() => {
      for (let i = 0; i < 10; i++) call();
      r.syncStream(stream);
    });
    expect(ten).toBeLessThan(30);
  });
});

describe('memsets', () => {
  it('run at the rate of the memory that holds them', () => {
    r.memset(0, MIB);
    r.memset(0, 2 ** 30);
    r.syncDevice();
    const [small, large] = r.of('memset').map(({ start, end }) => (end - start) / 1e3);
    expect(small).toBeCloseTo(0.9 + 0.24, 1);
    expect(large).toBeCloseTo(2 ** 30 / 4.333e6, -1);
  });
});

describe('kernels side by side', () => {
  it('wait while the GPU is full', () => {
    for (const stream of [r.stream(), r.stream()]) r.launch(stream, { microseconds: 100, blocks: 8 * sms });
    r.syncDevice();
    const [first, second] = spans();
    expect(second![0]).toBe(first![1]);
  });

  it('take the places that are left, and more when they become free', () => {
    const [one, two] = [r.stream(), r.stream()];
    r.launch(one, { microseconds: 100, blocks: 6 * sms });
    r.launch(two, { microseconds: 50, blocks: 4 * sms });
    r.syncDevice();
    const [first, second] = r.of('kernel').sort((a, b) => a.start - b.start);
    // Two of its blocks per SM start as soon as they are launched, the other two when those have ended.
    expect(second!.start - first!.start).toBe(launch);
    expect(second!.end - second!.start).toBe(100_000);
  });

  it('start in the last wave of the one before', () => {
    const [one, two] = [r.stream(), r.stream()];
    r.launch(one, { microseconds: 200, blocks: 10 * sms });
    r.launch(two, { microseconds: 75, blocks: 6 * sms });
    r.syncDevice();
    const [first, second] = r.of('kernel').sort((a, b) => a.start - b.start);
    expect(first!.end - first!.start).toBe(200_000);
    expect(second!.start - first!.start).toBe(100_000);
    expect(second!.end - second!.start).toBe(75_000);
  });

  it('of a stream with priority get the next places that become free', () => {
    const [low, high] = [r.stream(true, 0), r.stream(true, -5)];
    r.launch(low, { microseconds: 1000, blocks: 10 * 8 * sms });
    r.launch(high, { microseconds: 50, blocks: 4 * sms });
    r.syncStream(high);
    const [fast] = r.of('kernel');
    r.syncDevice();
    const slow = r.of('kernel').find((kernel) => kernel.streamId === low)!;
    expect(fast!.start - slow.start).toBe(100_000);
    expect(fast!.end - fast!.start).toBe(50_000);
    // Half of a wave came that much later.
    expect(slow.end - slow.start).toBe(1_050_000);
  });

  it('share DRAM, and an SM serves the older ones first', () => {
    const together = (load: { sm: number; dram: number }): number[][] => {
      r = new Recorder();
      for (const stream of [r.stream(), r.stream()]) r.launch(stream, { microseconds: 100, blocks: 4 * sms, load });
      r.syncDevice();
      return spans();
    };
    // The first is alone for 3 us.
    const [one, two] = together({ sm: 0, dram: 0.99 });
    expect(one![1]! - one![0]!).toBeGreaterThan(190);
    expect(two![1]! - two![0]!).toBeGreaterThan(190);
    const [older, younger] = together({ sm: 0.99, dram: 0 });
    expect(older![1]! - older![0]!).toBe(100);
    expect(younger![1]! - younger![0]!).toBeGreaterThan(190);
    const [easy, light] = together({ sm: 0.2, dram: 0.2 });
    expect(easy![1]! - easy![0]!).toBeLessThan(105);
    expect(light![1]! - light![0]!).toBeLessThan(105);
  });

  it('are 128 at most', () => {
    for (let i = 0; i < 130; i++) r.launch(r.stream(), { microseconds: 10_000 });
    r.syncDevice();
    const firstEnd = Math.min(...r.of('kernel').map(({ end }) => end));
    expect(r.of('kernel').filter(({ start }) => start < firstEnd)).toHaveLength(128);
  });
});

describe('connections', () => {
  /** Two kernels of 1 ms in each stream, stream by stream or turn by turn, as in test/reference/h200/cuda/spins.cu; milliseconds. */
  const run = (streams: number, depthFirst: boolean, connections?: number): number => {
    r = new Recorder({ connections });
    const all = Array.from({ length: streams }, () => r.stream());
    const launches = depthFirst ? all.flatMap((stream) => [stream, stream]) : [...all, ...all];
    const start = r.now;
    for (const stream of launches) r.launch(stream, { microseconds: 1000 });
    r.syncDevice();
    return Math.floor((r.now - start) / 1e3);
  };

  it.each([
    [1, 2],
    [8, 2],
    [9, 3],
    [16, 3],
    [17, 4],
    [32, 5],
    [33, 6],
    [64, 9],
  ])('hold up streams that share them: %i streams take %i ms on an H200', (streams, milliseconds) => {
    expect(run(streams, true)).toBe(milliseconds);
    expect(run(streams, false)).toBe(2);
  });

  it('are as many as the environment says', () => {
    expect(run(32, true, 32)).toBe(2);
    expect(run(4, true, 1)).toBe(5);
  });
});

describe('the trace', () => {
  it('has what the program printed, at its time, and everything once, in order of its end', () => {
    r.launch(0, { microseconds: 20 });
    r.system.hostWork(ns(10_000));
    r.system.console('stdout', 'half way\n');
    r.system.finish();
    expect(r.events.map(({ type }) => type)).toEqual(['stream', 'api', 'console', 'kernel']);
    expect(r.of('console')[0]).toEqual({
      type: 'console',
      time: launch + 10_000,
      stream: 'stdout',
      text: 'half way\n',
    });
    r.system.finish();
    expect(r.events).toHaveLength(4);
  });
});

// test/reference/h200/zero_copy.json, 64 MB, between two events.
describe('kernels that access the memory of the host', () => {
  it.each([
    ['host-to-device', 2524.5],
    ['device-to-host', 2454.9],
  ] as const)('share the link with copies %s', (direction, measured) => {
    const [one, two] = [r.stream(), r.stream()];
    r.launch(one, { microseconds: 1311, blocks: 1056, load: { sm: 0, dram: 0, link: 1 } });
    r.copy(two, direction, 64 * MIB);
    r.syncDevice();
    const all = [...r.of('kernel'), ...r.of('copy')];
    const time = Math.max(...all.map(({ end }) => end)) - Math.min(...all.map(({ start }) => start));
    expect(Math.abs(time / 1e3 / measured - 1)).toBeLessThan(0.05);
  });

  it('share it with each other', () => {
    const [one, two] = [r.stream(), r.stream()];
    for (const stream of [one, two]) {
      r.launch(stream, { microseconds: 1311, blocks: 528, load: { sm: 0, dram: 0, link: 1 } });
    }
    r.syncDevice();
    const [, last] = r.of('kernel');
    expect(Math.abs((last!.end - r.of('kernel')[0]!.start) / 1e3 / 2627.6 - 1)).toBeLessThan(0.05);
  });
});
