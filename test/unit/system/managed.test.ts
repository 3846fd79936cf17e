/** Where managed memory is: what faults, what comes along, and what that costs. */
import { callCost } from '../../../engine/system/call-costs.ts';
import { describe, expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { withFallbacks } from '../../../engine/gpus/fallbacks.ts';
import { hostLinkForKernels } from '../../../engine/gpus/host-link.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import { access, ManagedMemory, type ManagedGpu, type Paging, type Touches } from '../../../engine/system/managed.ts';
import { gpu, host } from '../../../engine/system/managed-pages.ts';
import { pagingEvents } from '../../../engine/system/paging-events.ts';
import { blocksOf, Recorder } from './recorder.ts';

const kilobyte = 1024;
const megabyte = 1 << 20;
const start = 256 * megabyte;
const costs = defaultHost.managed;

function memory(more: Partial<ManagedGpu> = {}, gpus = 1, linkBetween = (): number | null => 450e9): ManagedMemory {
  const each = { hostToDevice: 55e9, deviceToHost: 55e9, capacity: 2 ** 37, smCount: 132, onDemand: true, ...more };
  return new ManagedMemory({ costs, gpus: Array.from({ length: gpus }, () => each), linkBetween });
}

function touches(addresses: number[], kind: number = access.read): Touches {
  return {
    pages: Uint32Array.from(addresses, (address) => address / 4096),
    access: new Uint8Array(addresses.length).fill(kind),
    sectors: new Uint32Array(addresses.length).fill(128),
  };
}
const range = (from: number, bytes: number, step = 4096): number[] =>
  Array.from({ length: bytes / step }, (_, i) => from + i * step);

const moved = ({ steps }: Paging) => steps.flatMap(({ migrations }) => migrations.map(({ bytes }) => bytes));
const faults = ({ steps }: Paging) => steps.reduce((sum, step) => sum + (step.faults?.count ?? 0), 0);

describe('what a fault brings along', () => {
  // test/reference/h200/managed.json, serial_from_cpu and serial_back_to_cpu: faults at 0, 1, 2, 4, 8, 16 times 64 KB of each 2 MB.
  test.each([
    { by: 'GPU', from: host },
    { by: 'host', from: gpu(0) },
  ])('one access after the other by the $by doubles it', ({ from }) => {
    const managed = memory();
    managed.allocate(start, 2 * megabyte);
    managed.prefetch(start, 2 * megabyte, from);
    const faulted: number[] = [];
    const sizes: number[] = [];
    for (let leaf = 0; leaf < 32; leaf++) {
      const address = start + leaf * 64 * kilobyte;
      const paging = from === host ? managed.launch(0, touches([address])) : managed.hostAccess(address, 4, false);
      if (!paging || paging.steps.length === 0) continue;
      faulted.push(leaf);
      sizes.push(...moved(paging).map((bytes) => bytes / kilobyte));
    }
    expect(faulted).toEqual([0, 1, 2, 4, 8, 16]);
    expect(sizes).toEqual([64, 64, 128, 256, 512, 1024]);
  });

  test('where one side has more than half of a block, the rest comes at once', () => {
    const managed = memory();
    managed.allocate(start, 2 * megabyte);
    managed.hostAccess(start, 2 * megabyte, true);
    managed.launch(0, touches(range(start, megabyte)));
    // serial_back_to_cpu step=4096: of 1 MB on the GPU, all with the first access.
    expect(moved(managed.hostAccess(start, 4, false)!)).toEqual([megabyte]);
  });

  test('no more than was allocated, and small allocations that share a page move together', () => {
    const managed = memory();
    managed.allocate(start, 512);
    managed.allocate(start + 512, 512);
    managed.allocate(start + 64 * kilobyte, 100 * kilobyte);
    managed.hostAccess(start, 4, true);
    expect(managed.hostAccess(start + 512, 4, true)).toBeNull();
    expect(moved(managed.launch(0, touches([start])))).toEqual([4096]);
    managed.free(start);
    expect(managed.residency(start)).toBe(1 << gpu(0));
    managed.free(start + 512);
    expect(managed.residency(start)).toBe(0);
  });
});

describe('kernels', () => {
  test('the first touch clears pages and moves nothing, the second costs nothing', () => {
    const managed = memory();
    managed.allocate(start, 64 * kilobyte);
    const first = managed.launch(0, touches(range(start, 64 * kilobyte), access.write));
    expect([moved(first), faults(first)]).toEqual([[], 16]);
    const expected =
      costs.gpuFault.first +
      costs.gpuFault.block +
      16 * costs.gpuFault.fault +
      Math.round((64 * kilobyte) / costs.gpuFault.zero);
    expect(first.duration).toBe(expected);
    expect(managed.launch(0, touches(range(start, 64 * kilobyte)))).toMatchObject({ duration: 0, steps: [] });
  });

  test('faults are served 256 at a time, block by block', () => {
    const managed = memory();
    managed.allocate(start, 8 * megabyte);
    managed.hostAccess(start, 8 * megabyte, true);
    // touch_each_4096: 256 pages are half of a block, the next ones bring the rest.
    const all = managed.launch(0, touches(range(start, 8 * megabyte)));
    expect(all.steps).toHaveLength(8);
    expect(faults(all)).toBe(2048);
    expect(moved(all)).toEqual(Array.from({ length: 8 }, () => megabyte));
    expect(managed.residency(start + 8 * megabyte - 4096)).toBe(1 << gpu(0));
  });

  test('blocks that share a page each report it when the kernel starts', () => {
    const one = memory();
    one.allocate(start, megabyte);
    const many = memory();
    many.allocate(start, megabyte);
    const alone = one.launch(0, touches(range(start, megabyte)));
    const pages = touches(range(start, megabyte));
    const shared = many.launch(0, { ...pages, blocks: new Uint32Array(256).fill(4), resident: 500 });
    expect(shared.duration - alone.duration).toBe(500 * costs.gpuFault.fault);
  });

  test('a warp faults once at a time: its next page comes with a batch of its own', () => {
    const managed = memory();
    managed.allocate(start, 2 * megabyte);
    managed.hostAccess(start, 2 * megabyte, true);
    const leaf = 64 * kilobyte;
    const pages = touches(range(start, 2 * megabyte, leaf));
    const serial = managed.launch(0, { ...pages, rounds: Uint32Array.from({ length: 32 }, (_, i) => i) });
    // serial_from_cpu step=65536: faults at 0, 1, 2, 4, 8 and 16 times 64 KB of each 2 MB.
    expect(moved(serial).map((bytes) => bytes / leaf)).toEqual([1, 1, 2, 4, 8, 16]);
    expect(faults(serial)).toBe(6);
  });

  test('before Pascal all that the host has moves at a launch, touched or not', () => {
    const managed = memory({ onDemand: false });
    managed.allocate(start, 4 * megabyte);
    managed.hostAccess(start, 4 * megabyte, true);
    const paging = managed.launch(0, touches([]));
    expect([moved(paging), faults(paging)]).toEqual([[2 * megabyte, 2 * megabyte], 0]);
  });
});

describe('advice', () => {
  const filled = (): ManagedMemory => {
    const managed = memory();
    managed.allocate(start, 2 * megabyte);
    managed.hostAccess(start, 2 * megabyte, true);
    return managed;
  };
  const advise = (
    managed: ManagedMemory,
    kind: 'read-mostly' | 'preferred-location' | 'accessed-by',
    processor = host,
  ) => managed.advise(start, 2 * megabyte, { kind, on: true, processor });

  test('what is mostly read has copies until somebody writes, page by page', () => {
    const managed = filled();
    expect(advise(managed, 'read-mostly')).toBe(Math.round(2 * megabyte * costs.readMostlyPerByte));
    const copied = managed.launch(0, touches(range(start, 2 * megabyte)));
    expect(moved(copied).reduce((a, b) => a + b)).toBe(2 * megabyte);
    expect(managed.residency(start)).toBe((1 << host) | (1 << gpu(0)));
    expect(managed.hostAccess(start, 2 * megabyte, false)).toBeNull();
    const written = managed.hostAccess(start, 4 * 4096, true)!;
    expect(written).toMatchObject({ duration: 4 * costs.cpuFault.duplicate, steps: { length: 4 } });
    expect(moved(written)).toEqual([]);
    expect(managed.residency(start)).toBe(1 << host);
    expect(managed.residency(start + 4 * 4096)).toBe((1 << host) | (1 << gpu(0)));
  });

  test('what is mapped stays, and is accessed over the link', () => {
    const managed = filled();
    advise(managed, 'accessed-by', gpu(0));
    const paging = managed.launch(0, touches(range(start, 2 * megabyte)));
    expect(paging).toMatchObject({ duration: 0, remoteBytes: 2 * megabyte });
    expect(managed.residency(start)).toBe(1 << host);
  });

  test('what prefers the host is mapped by the first fault', () => {
    const managed = filled();
    advise(managed, 'preferred-location', host);
    const first = managed.launch(0, touches([start, start + 4096]));
    expect([moved(first), faults(first)]).toEqual([[], 2]);
    expect(managed.launch(0, touches([start])).duration).toBe(0);
  });

  test('a kernel takes the time of the link for what it reads there', () => {
    const { system, events } = new Recorder();
    const call = system.beginApi('cudaLaunchKernel', { cost: callCost.launch });
    const shape = { x: 1, y: 1, z: 1 };
    system.launch(call, {
      ...{ stream: 0, kernel: 'k', grid: shape, block: shape, dynamicSharedBytes: 0 },
      ...{ duration: ns(1000), blocks: blocksOf(1, 1) },
      paging: { duration: 0, before: 0, steps: [], remoteBytes: 1e6, peerBytes: 0 },
      details: {} as never,
    });
    system.finish();
    const kernel = events.find(({ type }) => type === 'kernel') as { start: number; end: number };
    const { reads } = hostLinkForKernels(withFallbacks(gpuById('h200')).gpu);
    expect(kernel.end - kernel.start).toBe(Math.round((1e6 / reads) * 1e9));
  });
});

describe('prefetches', () => {
  test('move what is elsewhere, at the rate of the link', () => {
    const managed = memory();
    managed.allocate(start, 4 * megabyte);
    managed.hostAccess(start, 4 * megabyte, true);
    const there = managed.prefetch(start, 4 * megabyte, gpu(0));
    expect(moved(there)).toEqual([2 * megabyte, 2 * megabyte]);
    const { fixed, moving, block } = costs.prefetch;
    expect(there.duration).toBe(fixed + moving + 2 * (block + Math.round((2 * megabyte) / 55)));
    expect(managed.prefetch(start, 4 * megabyte, gpu(0)).duration).toBe(fixed + 2 * block);
    expect(managed.launch(0, touches(range(start, 4 * megabyte))).steps).toEqual([]);
  });
});

describe('several GPUs', () => {
  const onFirst = (linkBetween?: () => number | null): ManagedMemory => {
    const managed = memory({}, 2, linkBetween);
    managed.allocate(start, 4 * megabyte);
    managed.launch(0, touches(range(start, 4 * megabyte), access.write));
    return managed;
  };
  const ways = ({ steps }: Paging) => steps.flatMap(({ migrations }) => migrations.map(({ from, to }) => [from, to]));

  test('a kernel brings its pages to its own GPU, from the other one and back', () => {
    const managed = onFirst();
    const there = managed.launch(1, touches(range(start, 4 * megabyte)));
    expect(new Set(ways(there).map(String))).toEqual(new Set(['1,2']));
    expect(moved(there).reduce((a, b) => a + b)).toBe(4 * megabyte);
    expect(managed.residency(start)).toBe(1 << gpu(1));
    const back = managed.launch(0, touches([start]));
    expect(ways(back)).toEqual([[2, 1]]);
    expect(managed.hostAccess(start + 2 * megabyte, 4, false)!.steps[0]!.migrations).toMatchObject([
      { from: 2, to: 0 },
    ]);
  });

  test('its faults and what moved are its own in the trace, with both GPUs of a migration between them', () => {
    const paging = onFirst().launch(1, touches([start]));
    expect(pagingEvents(paging, 0, 1e6)).toMatchObject([
      { type: 'page-fault', processor: 'device', deviceId: 1 },
      { type: 'migration', deviceId: 1, direction: 'device-to-device', peer: { from: 0, to: 1 } },
    ]);
    const managed = onFirst();
    managed.prefetch(start, 4 * megabyte, gpu(1));
    const [event] = pagingEvents(managed.prefetch(start, 2 * megabyte, host), 0, 1e6);
    expect(event).toMatchObject({ type: 'migration', deviceId: 1, direction: 'device-to-host' });
    expect(event).not.toHaveProperty('peer');
  });

  test('a prefetch goes to any GPU, over the link of the two or through the host', () => {
    const { fixed, moving, block, fromPeer, toHost } = costs.prefetch;
    const time = (perByte: number): number => fixed + moving + 2 * (block + Math.round(2 * megabyte * perByte));
    const linked = onFirst();
    expect(linked.prefetch(start, 4 * megabyte, gpu(1)).duration).toBe(time(1 / fromPeer));
    expect(linked.launch(1, touches(range(start, 4 * megabyte))).steps).toEqual([]);
    expect(onFirst(() => null).prefetch(start, 4 * megabyte, gpu(1)).duration).toBe(time(1 / toHost + 1 / 55));
    expect(onFirst(() => 50e9).prefetch(start, 4 * megabyte, gpu(1)).duration).toBe(time(1 / 50));
  });

  test('who is told to access it where it is moves nothing, if a link joins the two', () => {
    const linked = onFirst();
    linked.advise(start, 4 * megabyte, { kind: 'accessed-by', on: true, processor: gpu(1) });
    const paging = linked.launch(1, touches(range(start, 4 * megabyte)));
    expect(paging).toMatchObject({ duration: 0, steps: [], peerBytes: 4 * megabyte, remoteBytes: 0 });
    expect(linked.residency(start)).toBe(1 << gpu(0));
    const apart = onFirst(() => null);
    apart.advise(start, 4 * megabyte, { kind: 'accessed-by', on: true, processor: gpu(1) });
    expect(moved(apart.launch(1, touches([start])))).toEqual([64 * kilobyte]);
  });

  test('what prefers one GPU is mapped by the first faults of the other', () => {
    const managed = onFirst();
    managed.advise(start, 4 * megabyte, { kind: 'preferred-location', on: true, processor: gpu(0) });
    const first = managed.launch(1, touches([start]));
    expect([moved(first), faults(first), first.peerBytes]).toEqual([[], 1, 4096]);
    expect(managed.launch(1, touches([start]))).toMatchObject({ steps: [], peerBytes: 4096 });
    expect(managed.launch(0, touches([start])).steps).toEqual([]);
  });

  test('copies of what is mostly read come from the GPU nearby', () => {
    const managed = memory({}, 2);
    managed.allocate(start, 2 * megabyte);
    managed.hostAccess(start, 2 * megabyte, true);
    managed.advise(start, 2 * megabyte, { kind: 'read-mostly', on: true, processor: host });
    managed.prefetch(start, 2 * megabyte, gpu(0));
    expect(ways(managed.prefetch(start, 2 * megabyte, gpu(1)))).toEqual([[1, 2]]);
    expect(managed.residency(start)).toBe(0b111);
    managed.launch(1, touches([start], access.write));
    expect(managed.residency(start)).toBe(1 << gpu(1));
  });

  test('each has room of its own', () => {
    const managed = memory({ capacity: 2 * megabyte }, 2);
    managed.allocate(start, 4 * megabyte);
    managed.prefetch(start, 2 * megabyte, gpu(0));
    expect(ways(managed.prefetch(start + 2 * megabyte, 2 * megabyte, gpu(1)))).toEqual([]);
    expect([0, 2].map((at) => managed.residency(start + at * megabyte))).toEqual([1 << gpu(0), 1 << gpu(1)]);
  });

  test('there may be eight', () => {
    const managed = memory({}, 8);
    managed.allocate(start, 2 * megabyte);
    managed.launch(7, touches([start]));
    expect(managed.residency(start)).toBe(1 << gpu(7));
    expect(ways(managed.launch(0, touches([start])))).toEqual([[8, 1]]);
  });
});

describe('more than the GPU holds', () => {
  test('the block that came longest ago goes', () => {
    const managed = memory({ capacity: 4 * megabyte });
    managed.allocate(start, 6 * megabyte);
    managed.hostAccess(start, 6 * megabyte, true);
    for (const at of [0, 2, 4]) {
      const paging = managed.launch(0, touches(range(start + at * megabyte, 2 * megabyte)));
      const evicted = paging.steps.flatMap(({ migrations }) => migrations.filter(({ cause }) => cause === 'eviction'));
      expect(evicted.map(({ address, bytes }) => [address, bytes])).toEqual(at === 4 ? [[start, 2 * megabyte]] : []);
    }
    expect([0, 2, 4].map((at) => managed.residency(start + at * megabyte))).toEqual([1 << host, 2, 2]);
  });
});

test('the host is told which of its pages fault', () => {
  const managed = memory();
  const masks = new Map<number, number>();
  managed.pages.onProtect = (page, mask) => masks.set(page, mask);
  managed.allocate(start, 8192);
  const page = start / 4096;
  const of = (): (number | undefined)[] => [masks.get(page), masks.get(page + 1)];
  expect(of()).toEqual([3, 3]);
  managed.hostAccess(start, 4, false);
  expect(of()).toEqual([0, 0]);
  managed.advise(start, 8192, { kind: 'read-mostly', on: true, processor: host });
  managed.launch(0, touches([start]));
  expect(of()).toEqual([2, 2]);
  managed.free(start);
  expect(of()).toEqual([0, 0]);
});

test('round trips are counted', () => {
  const managed = memory();
  managed.allocate(start, 64 * kilobyte);
  for (let i = 0; i < 5; i++) {
    managed.hostAccess(start, 64 * kilobyte, true);
    managed.launch(0, touches(range(start, 64 * kilobyte)));
  }
  expect(managed.roundTrips(3)).toEqual({ bytes: 64 * kilobyte, most: 4 });
  expect(managed.roundTrips(5).bytes).toBe(0);
});

test('round trips that the program asks for are not', () => {
  const managed = memory();
  managed.allocate(start, 64 * kilobyte);
  for (let i = 0; i < 5; i++) {
    managed.hostAccess(start, 64 * kilobyte, true);
    managed.prefetch(start, 64 * kilobyte, gpu(0));
    managed.launch(0, touches(range(start, 64 * kilobyte)));
  }
  expect(managed.roundTrips(1)).toEqual({ bytes: 0, most: 0 });
});

test('events lie within the work, one step after the other, with its own time between them', () => {
  const managed = memory();
  managed.allocate(start, 4 * megabyte);
  managed.hostAccess(start, 4 * megabyte, true);
  const paging = managed.launch(0, touches(range(start, 4 * megabyte)));
  const end = 1000 + paging.duration + 8000;
  const events = pagingEvents(paging, 1000, end);
  const faulted = events.filter(({ type }) => type === 'page-fault');
  expect(faulted).toHaveLength(paging.steps.length);
  expect(faulted[0]!.start).toBe(1000 + paging.before);
  faulted.slice(1).forEach((event, i) => expect(event.start).toBe(faulted[i]!.end + 8000 / paging.steps.length));
  for (const event of events) expect(event.end).toBeLessThanOrEqual(end);
});
