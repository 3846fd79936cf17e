/** Graphs against the H200 reference, section C2 of c_launch: medians in microseconds. */
import { describe, expect, it } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import type { GraphNodeRequest } from '../../../engine/system/types.ts';
import { blocksOf, Recorder } from './recorder.ts';

/** k_tiny inside a graph lasts this long: graph_device_time per node of 1.12 less the gap. */
const duration = 870;
const details = {
  registersPerThread: 16,
  staticSharedBytes: 0,
  localBytesPerThread: 0,
  sharedConfigBytes: 0,
  metrics: {},
};
const one = { x: 1, y: 1, z: 1 };

/** Chains side by side, in the order in which a capture would make them. */
function chains(count: number, length: number): GraphNodeRequest[] {
  return Array.from({ length: count * length }, (_, index) => ({
    nodeId: index,
    dependencies: index % length === 0 ? [] : [index - 1],
    work: {
      type: 'kernel',
      kernel: 'k_tiny',
      grid: one,
      block: { x: 256, y: 1, z: 1 },
      dynamicSharedBytes: 0,
      duration: ns(duration),
      blocks: blocksOf(1, 8),
      details,
    },
  }));
}

function launch(r: Recorder, stream: number, nodes: GraphNodeRequest[]): number {
  return r.timed(() => r.call('cudaGraphLaunch', (call) => r.system.launchGraph(call, { stream, graphId: 1, nodes })));
}

const within = (simulated: number, measured: number): void =>
  expect(Math.abs(simulated / measured - 1), `${simulated} for ${measured}`).toBeLessThan(0.15);

describe('H200 reference, C2', () => {
  it.each([
    [1, 1.1045, 6.3355],
    [10, 1.1165, 16.861],
    [100, 1.203, 117.6825],
    [500, 2.03, 566.8395],
    [1000, 2.583, 1127.7915],
    [2000, 3.4815, 2249.051],
  ])('graph_launch_cpu and graph_launch_plus_sync %i', (count, cpu, total) => {
    const r = new Recorder();
    const stream = r.stream();
    const launched = launch(r, stream, chains(1, count));
    within(launched, cpu);
    within(launched + r.timed(() => r.syncStream(stream)), total);
  });

  it.each([
    [1, 571.591],
    [2, 321.928],
    [4, 180.1165],
    [8, 105.9535],
  ])('frame_500_tiny_kernels graph_%i_branches', (count, measured) => {
    const r = new Recorder();
    const stream = r.stream();
    const nodes = chains(count, Math.floor(500 / count));
    within(launch(r, stream, nodes) + r.timed(() => r.syncStream(stream)), measured);
    const streams = new Set(r.of('kernel').map(({ streamId }) => streamId));
    expect(streams.size).toBe(count);
  });

  it.each([
    [1, 4.6025, 3.5285],
    [10, 12.734, 13.124],
    [100, 74.1565, 111.1035],
    [500, 427.502, 355.344],
    [1000, 955.5155, 743.98],
    [2000, 2231.463, 1469.9545],
  ])('graph_instantiate and graph_first_launch_cpu %i', (count, instantiate, first) => {
    const r = new Recorder();
    within(
      r.timed(() => r.call('cudaGraphInstantiate', (call) => r.system.graphCall(call, 'instantiate', count))),
      instantiate,
    );
    const upload = r.timed(() => r.call('cudaGraphUpload', (call) => r.system.graphCall(call, 'upload', count)));
    within(upload + launch(r, r.stream(), chains(1, count)), first);
  });
});

describe('kernels that kernels launch', () => {
  const [{ work }] = chains(1, 1) as [GraphNodeRequest];
  const { type: _, ...kernel } = work as Extract<GraphNodeRequest['work'], { type: 'kernel' }>;
  type Span = { start: number; end: number };
  type Six = [Span, Span, Span, Span, Span, Span];
  const child = (...dependencies: number[]) => ({ work: kernel, dependencies });

  it('start after the kernel that launched them, and later work of the stream after all of them', () => {
    const r = new Recorder();
    const children = [child(0), child(0), child(2), child(1, 3)];
    r.call('cudaLaunchKernel', (call) => r.system.launch(call, { ...kernel, stream: 0, children }));
    r.launch(0, { microseconds: 1 });
    r.syncDevice();
    const spans = r.of('kernel').sort((a, b) => a.start - b.start);
    expect(spans).toHaveLength(6);
    const [parent, first, second, third, last, next] = spans as unknown as Six;
    expect(first.start).toBeGreaterThan(parent.end);
    expect(second.start).toBe(first.start);
    expect(third.start).toBeGreaterThan(second.end);
    expect(last.start).toBeGreaterThan(third.end);
    expect(next.start).toBeGreaterThan(last.end);
    expect(new Set(spans.slice(0, 5).map(({ correlationId }) => correlationId)).size).toBe(1);
    expect(spans[0]!.streamId).toBe(7);
  });

  it('run side by side on a few rows of the trace, however many they are', () => {
    const r = new Recorder();
    const children = Array.from({ length: 100 }, () => child(0));
    r.call('cudaLaunchKernel', (call) => r.system.launch(call, { ...kernel, stream: 0, children }));
    r.syncDevice();
    expect(r.of('kernel')).toHaveLength(101);
    const rows = Map.groupBy(r.of('kernel'), ({ streamId }) => streamId);
    expect(rows.size).toBe(16);
    for (const row of rows.values()) {
      row.sort((a, b) => a.start - b.start);
      for (const [i, { start }] of row.entries()) if (i > 0) expect(start).toBeGreaterThanOrEqual(row[i - 1]!.end);
    }
  });
});
