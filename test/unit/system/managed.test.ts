/** Where managed memory is: what faults, what comes along, and what that costs. */
import { describe, expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import {
  access,
  gpu,
  host,
  ManagedMemory,
  type ManagedOptions,
  type Paging,
  type Touches,
} from '../../../engine/system/managed.ts';
import { pagingEvents } from '../../../engine/system/paging-events.ts';
import { blocksOf, Recorder } from './recorder.ts';

const kilobyte = 1024;
const megabyte = 1 << 20;
const start = 256 * megabyte;
const costs = defaultHost.managed;

function memory(more: Partial<ManagedOptions> = {}): ManagedMemory {
  return new ManagedMemory({
    costs,
    hostToDevice: 55e9,
    deviceToHost: 55e9,
    capacity: 2 ** 37,
    smCount: 132,
    onDemand: true,
    ...more,
  });
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
    const call = system.beginApi('cudaLaunchKernel');
    const shape = { x: 1, y: 1, z: 1 };
    system.launch(call, {
      ...{ stream: 0, kernel: 'k', grid: shape, block: shape, dynamicSharedBytes: 0 },
      ...{ duration: ns(1000), blocks: blocksOf(1, 1) },
      paging: { duration: 0, before: 0, steps: [], remoteBytes: 1e6 },
      details: {} as never,
    });
    system.finish();
    const kernel = events.find(({ type }) => type === 'kernel') as { start: number; end: number };
    expect(kernel.end - kernel.start).toBe(Math.round((1e6 / gpuById('h200').hostLink.hostToDevice!) * 1e9));
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
  managed.onProtect = (page, mask) => masks.set(page, mask);
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
