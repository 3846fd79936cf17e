/** Kernels that kernels launch against the H200 reference, nested.cu: medians in microseconds. */
import { describe, expect, it } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import { launchTime } from '../../../engine/gpus/device-runtime.ts';
import { runLaunchTree, type DeviceLaunch, type LaunchTree } from '../../../engine/system/device-launches.ts';
import type { ChildKernel } from '../../../engine/system/types.ts';
import { blocksOf, details, one, Recorder } from './recorder.ts';

const smCount = 132;
const kernel = (microseconds: number, blocks = 1): ChildKernel['work'] => ({
  kernel: 'kernel',
  grid: { ...one, x: blocks },
  block: one,
  dynamicSharedBytes: 0,
  duration: ns(microseconds * 1e3),
  blocks: blocksOf(blocks, 16),
  // An object of its own, by which it is known again in the trace.
  details: { ...details },
});

/** A grid by what it launches. */
interface Grid {
  microseconds: number;
  blocks?: number;
  launches?: DeviceLaunch<Grid>[];
}
const run = (first: Grid, order: Grid[] = []): LaunchTree & { starts: number[] } => {
  const starts: number[] = [];
  const tree = runLaunchTree(first, true, smCount, (grid, _depth, start) => {
    order.push(grid);
    starts.push(start / 1e3);
    return { work: kernel(grid.microseconds, grid.blocks), launches: grid.launches ?? [] };
  })!;
  return { ...tree, starts };
};
/** So many blocks of which so many threads launch so often, as nested.cu does. */
const parent = (blocks: number, threads: number, each: number, child: number, stream: 'own' | null): Grid => ({
  microseconds: 1,
  blocks,
  launches: Array.from({ length: blocks * threads * each }, (_, i) => {
    const block = Math.floor(i / (threads * each));
    const step = Math.floor((i % (threads * each)) / threads);
    const launching = launchTime(threads, true, blocks - 1) + step * launchTime(threads, false, blocks - 1);
    const name = stream && `default of ${block}`;
    return { grid: { microseconds: child }, stream: name, isTail: false, block, warp: 0, launching };
  }),
});
const lastEnd = ({ kernels, starts }: ReturnType<typeof run>): number =>
  Math.max(...kernels.slice(1).map(({ work }, i) => starts[i + 1]! + work.duration / 1e3));
const within = (simulated: number, measured: number): void =>
  expect(Math.abs(simulated / measured - 1), `${simulated} for ${measured}`).toBeLessThan(0.15);

describe('H200 reference, nested.cu', () => {
  it.each<[number, number, number, number, 'own' | null, number, number]>([
    [1, 1, 1, 0.3, 'own', 6.816, 7.072],
    [1, 1, 2, 20, 'own', 7.168, 59.168],
    [1, 1, 10, 20, 'own', 7.008, 254.816],
    [1, 1, 100, 0.3, null, 6.368, 626.208],
    [1, 32, 1, 20, 'own', 13.184, 709.056],
    [1, 32, 1, 20, null, 12.352, 39.552],
    [1, 32, 100, 20, 'own', 12.416, 70_038.176],
    [132, 1, 10, 0.3, null, 6.272, 267.584],
    [132, 1, 100, 0.3, null, 5.92, 2690.336],
    [132, 32, 1, 0.3, 'own', 50.272, 3048.288],
    [132, 32, 2, 20, null, 46.72, 1869.344],
  ])(
    '%i blocks of %i threads launch %i each of %d us, stream %s',
    (blocks, threads, each, child, stream, first, last) => {
      const tree = run(parent(blocks, threads, each, child, stream));
      const earliest = Math.min(...tree.starts.slice(1));
      expect(Math.abs(earliest / first - 1)).toBeLessThan(0.25);
      within(lastEnd(tree), last);
    },
  );

  it('a kernel is as much longer as its launches keep it', () => {
    within(run(parent(1, 1, 100, 0, null)).kernels[0]!.work.duration / 1e3, 625.792);
    within(run(parent(1, 32, 1, 0, null)).kernels[0]!.work.duration / 1e3, 12.608);
  });

  it('tail launches follow each other', () => {
    let grid: Grid = { microseconds: 0.3 };
    for (let i = 0; i < 10; i++) {
      const launching = launchTime(1, true, 0);
      grid = { microseconds: 0.3, launches: [{ grid, stream: null, isTail: true, block: 0, warp: 0, launching }] };
    }
    const tree = run(grid);
    within(lastEnd(tree) + tree.ending / 1e3, 206.08);
  });
});

describe('a tree of launches', () => {
  const launch = (grid: Grid, more: Partial<DeviceLaunch<Grid>> = {}): DeviceLaunch<Grid> => {
    return { grid, stream: null, isTail: false, block: 0, warp: 0, launching: 6000, ...more };
  };

  it('is executed in the order of simulated time, each kernel after what it waits for', () => {
    const grandchild = { microseconds: 5 };
    const [first, second, alone, tail]: Grid[] = [
      { microseconds: 50, launches: [launch(grandchild)] },
      { microseconds: 1 },
      { microseconds: 1 },
      { microseconds: 1 },
    ];
    const order: Grid[] = [];
    const { kernels, starts } = run(
      {
        microseconds: 1,
        launches: [
          launch(first!, { stream: 'a' }),
          launch(second!, { stream: 'a', launching: 12_000 }),
          launch(tail!, { isTail: true, launching: 18_000 }),
          launch(alone!, { launching: 24_000 }),
        ],
      },
      order,
    );
    expect(order.slice(1)).toEqual([first, alone, grandchild, second, tail]);
    expect([...starts].sort((a, b) => a - b)).toEqual(starts);
    const [, , , ofGrandchild, ofSecond, ofTail] = kernels;
    expect(ofGrandchild!.launcher!.index).toBe(1);
    // With its grandchild.
    expect(ofSecond!.dependencies).toEqual([1, 3]);
    expect([...ofTail!.dependencies].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(kernels.slice(1).every(({ launcher, dependencies }) => launcher !== null || dependencies.length > 0)).toBe(
      true,
    );
  });

  it('needs as many rows as kernels run side by side, and never two in one', () => {
    const { kernels, starts } = run(parent(132, 1, 10, 100, null));
    expect(Math.max(...kernels.map(({ row }) => row))).toBe(127);
    const ends = kernels.map(({ work }, i) => starts[i]! * 1e3 + work.duration);
    for (const [i, { before }] of kernels.entries()) {
      if (before >= 0) expect(ends[before]).toBeLessThanOrEqual(starts[i]! * 1e3 + 1e-6);
    }
    const few = run(parent(1, 1, 10, 1, null));
    expect(Math.max(...few.kernels.map(({ row }) => row))).toBe(1);
  });

  it('follows itself without end', () => {
    let left = 20_000;
    const tree = runLaunchTree<null>(null, true, smCount, () => ({
      work: kernel(1),
      launches: --left > 0 ? [{ grid: null, stream: null, isTail: true, block: 0, warp: 0, launching: 6000 }] : [],
    }))!;
    expect(tree.kernels).toHaveLength(20_000);
  });

  it('ends when a kernel fails', () => {
    expect(runLaunchTree<null>(null, true, smCount, () => null)).toBeNull();
  });

  it('takes no longer where a kernel cannot launch', () => {
    const [can, cannot] = [true, false].map((may) => {
      return runLaunchTree(null, may, smCount, () => ({ work: kernel(1), launches: [] }))!;
    });
    expect(cannot!.ending).toBe(0);
    within(can!.ending / 1e3, 10.66 - 2.88);
  });
});

describe('random trees of launches', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'hold to what they wait for beside other work, seed %i',
    (seed) => {
      let state = seed * 7919 + 1;
      const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
      const grid = (depth: number): Grid => ({
        microseconds: 1 + random() * 40,
        blocks: 1 + Math.floor(random() * 300),
        launches: Array.from({ length: depth > 2 ? 0 : Math.floor(random() * 5) }, (_, i) => ({
          grid: grid(depth + 1),
          stream: random() < 0.5 ? null : random() < 0.5 ? 'a' : 'b',
          isTail: random() < 0.2,
          block: 0,
          warp: 0,
          launching: (i + 1) * launchTime(1, i === 0, 0),
        })),
      });
      const { kernels, ending } = run(grid(0));
      const [{ work }, ...children] = kernels as [ChildKernel, ...ChildKernel[]];
      const r = new Recorder();
      const stream = r.stream();
      r.launch(r.stream(), { microseconds: 100, blocks: 5000, load: { sm: 1, dram: 0.5 } });
      r.call('cudaLaunchKernel', (call) =>
        r.system.launch(call, { ...work, stream, children: { kernels: children, ending } }),
      );
      r.launch(stream, { microseconds: 1, name: 'next' });
      r.syncDevice();

      const all = r.of('kernel');
      const next = all.find(({ kernel }) => kernel === 'next')!;
      const own = all.filter(({ correlationId }) => correlationId === next.correlationId - 1);
      expect(own).toHaveLength(kernels.length);
      expect(next.start).toBeGreaterThanOrEqual(Math.max(...own.map(({ end }) => end)) + ending);
      // Rows of the trace hold one kernel at a time, and as many as were planned.
      for (const row of Map.groupBy(own, ({ streamId }) => streamId).values()) {
        row.sort((a, b) => a.start - b.start);
        for (const [i, { start }] of row.entries()) if (i > 0) expect(start).toBeGreaterThanOrEqual(row[i - 1]!.end);
      }
      const spans = kernels.map(({ work: each }) => own.find(({ details }) => details === each.details)!);
      for (const [i, { dependencies, gap, launcher }] of kernels.entries()) {
        for (const before of dependencies) expect(spans[i]!.start).toBeGreaterThanOrEqual(spans[before]!.end + gap);
        if (launcher) expect(spans[i]!.start).toBeGreaterThanOrEqual(spans[launcher.index]!.start + launcher.offset);
      }
    },
  );
});
