/** Graphs against the H200 reference, section C2 of c_launch and S8 of system: medians in microseconds. */
import { describe, expect, it } from 'vitest';
import { bytes, ns } from '../../../engine/base/units.ts';
import { hostProfileById, type HostProfile } from '../../../engine/system/hosts.ts';
import type { ChildKernel, GraphCall, GraphNodeRequest } from '../../../engine/system/types.ts';
import type { CopyDirection } from '../../../engine/model/event-kinds/memcpy.ts';
import { blocksOf, details, one, Recorder } from './recorder.ts';

/** k_tiny inside a graph lasts this long: graph_device_time per node of 1.12 less the gap. */
const duration = 870;

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
      r.timed(() =>
        r.call('cudaGraphInstantiate', (call) => r.system.graphCall(call, 'instantiate', chains(1, count))),
      ),
      instantiate,
    );
    const upload = r.timed(() =>
      r.call('cudaGraphUpload', (call) => r.system.graphCall(call, 'upload', chains(1, count))),
    );
    within(upload + launch(r, r.stream(), chains(1, count)), first);
  });
});

/** As a program measures it: behind work that keeps the stream busy until the graph has been launched, in microseconds. */
function deviceTime(nodes: GraphNodeRequest[]): number {
  const r = new Recorder();
  const stream = r.stream();
  const [start, end] = [r.event(), r.event()];
  r.launch(stream, { microseconds: 500 });
  r.record(start, stream);
  launch(r, stream, nodes);
  r.record(end, stream);
  r.syncEvent(end);
  return r.system.elapsedMilliseconds(start, end)! * 1e3;
}

const kernelNode = (microseconds: number, ...dependencies: number[]): GraphNodeRequest => {
  const [{ work }] = chains(1, 1) as [GraphNodeRequest];
  return { nodeId: 0, dependencies, work: { ...work, duration: ns(microseconds * 1e3) } as GraphNodeRequest['work'] };
};
const copyNode = (direction: CopyDirection, kilobytes: number, ...dependencies: number[]): GraphNodeRequest => {
  const work = { type: 'copy', direction, bytes: bytes(kilobytes * 1024), hostMemory: 'pinned' } as const;
  return { nodeId: 0, dependencies, work };
};
const fillNode = (kilobytes: number, ...dependencies: number[]): GraphNodeRequest => ({
  nodeId: 0,
  dependencies,
  work: { type: 'memset', value: 0, bytes: bytes(kilobytes * 1024) },
});
const before = (index: number): number[] => (index === 0 ? [] : [index - 1]);
const ten = (node: (...dependencies: number[]) => GraphNodeRequest): GraphNodeRequest[] =>
  Array.from({ length: 10 }, (_, index) => node(...before(index)));
/** A kernel, so many that wait for it, and one that waits for all of them. */
const fork = (branches: number): GraphNodeRequest[] => [
  kernelNode(0.67),
  ...Array.from({ length: branches }, () => kernelNode(10.7, 0)),
  kernelNode(0.67, ...Array.from({ length: branches }, (_, index) => index + 1)),
];
const independent = (count: number): GraphNodeRequest[] => Array.from({ length: count }, () => kernelNode(10.7));

describe('H200 reference, S8', () => {
  it.each<[string, GraphNodeRequest[], number]>([
    ['fork and join 2', fork(2), 15.264],
    ['fork and join 16', fork(16), 18.304],
    ['fork and join 128', fork(128), 37.92],
    ['independent 4', independent(4), 16.448],
    ['independent 32', independent(32), 26.192],
    ['ten copies inside of 4 KB', ten((...on) => copyNode('device-to-device', 4, ...on)), 12.864],
    ['ten copies inside of 1 MB', ten((...on) => copyNode('device-to-device', 1024, ...on)), 15.6],
    ['ten fills of 4 KB', ten((...on) => fillNode(4, ...on)), 14.912],
    ['ten fills of 1 MB', ten((...on) => fillNode(1024, ...on)), 15.44],
    [
      'upload, kernel and download of 64 KB',
      [copyNode('host-to-device', 64), kernelNode(10.7, 0), copyNode('device-to-host', 64, 1)],
      26.352,
    ],
    [
      'kernel, function of the host, kernel',
      [kernelNode(0.67), { nodeId: 0, dependencies: [0], work: { type: 'host' } }, kernelNode(0.67, 1)],
      80.864,
    ],
  ])('%s', (_, nodes, measured) => {
    within(deviceTime(nodes), measured);
  });

  it('launching costs the host by what the GPU does not keep', () => {
    const cost = (nodes: GraphNodeRequest[]): number => {
      const r = new Recorder();
      return launch(r, r.stream(), nodes);
    };
    within(cost(independent(4)), 3.56);
    within(cost(independent(32)), 29.3555);
    expect(cost(fork(128))).toBeLessThan(1.2 * cost(fork(2)));
    expect(cost(ten((...on) => fillNode(4, ...on)))).toBeGreaterThan(5 * cost(ten((...on) => fillNode(64, ...on))));
    const nothing = ten((...on) => ({ nodeId: 0, dependencies: on, work: { type: 'empty' } }));
    within(cost(nothing), 0.25);
  });

  it('instantiating costs by branches, updating by nodes and edges', () => {
    const cost = (kind: GraphCall, nodes: GraphNodeRequest[], host?: HostProfile): number => {
      const r = new Recorder({ host });
      return r.timed(() => r.call('cudaGraphExecUpdate', (call) => r.system.graphCall(call, kind, nodes)));
    };
    within(cost('instantiate', independent(32)), 81.406);
    within(cost('update', chains(1, 100)), 7.3705);
    within(cost('update', independent(32)), 1.8755);
    within(cost('clone', fork(98)), 24.26);
    within(cost('destroy-exec', fork(98)), 153.5); // less 7 of the call itself
    const slower = hostProfileById('linux-2018');
    const factor = 5000 / 2900;
    for (const kind of ['instantiate', 'upload', 'update', 'clone'] as const) {
      expect(cost(kind, fork(40), slower)).toBeCloseTo(factor * cost(kind, fork(40)), 1);
    }
  });
});

it('a graph is launched behind its own earlier launch, in whichever stream', () => {
  const r = new Recorder();
  const nodes = [kernelNode(100)];
  const launchIn = (graphId: number): void =>
    r.call('cudaGraphLaunch', (call) => r.system.launchGraph(call, { stream: r.stream(), graphId, nodes }));
  launchIn(1);
  launchIn(1);
  launchIn(2);
  r.syncDevice();
  const [first, other, second] = r.of('kernel').sort((a, b) => a.start - b.start);
  expect(other).toMatchObject({ graphId: 2 });
  expect(other!.start).toBeLessThan(first!.end);
  expect(second).toMatchObject({ graphId: 1 });
  expect(second!.start).toBeGreaterThan(first!.end);
});

describe('kernels that kernels launch', () => {
  const [{ work }] = chains(1, 1) as [GraphNodeRequest];
  const { type: _, ...kernel } = work as Extract<GraphNodeRequest['work'], { type: 'kernel' }>;
  const launched = (row: number, offset: number): ChildKernel => {
    return { work: kernel, dependencies: [], gap: 0, launcher: { index: 0, offset }, row, before: -1 };
  };

  it('start after the kernel that launched them, beside it, and later work of the stream after all of them', () => {
    const r = new Recorder();
    const next = { ...launched(1, 0), dependencies: [1], gap: 2000, launcher: null, before: 1 };
    const kernels = [launched(1, 100), launched(2, 300), next];
    const request = { ...kernel, stream: 0, children: { kernels, ending: 5000 } };
    r.call('cudaLaunchKernel', (call) => r.system.launch(call, request));
    r.launch(0, { microseconds: 1 });
    r.syncDevice();
    const [parent, first, second, third, last] = r.of('kernel').sort((a, b) => a.start - b.start);
    expect(first!.start).toBe(parent!.start + 100);
    expect(second!.start).toBe(parent!.start + 300);
    expect(third!.start).toBe(first!.end + 2000);
    expect(last!.start).toBeGreaterThanOrEqual(third!.end + 5000);
    expect(new Set([parent, first, second, third].map((each) => each!.correlationId)).size).toBe(1);
    expect(parent!.streamId).toBe(7);
    expect(third!.streamId).toBe(first!.streamId);
  });

  it('do not start before it where the GPU is full', () => {
    const r = new Recorder();
    const wide = { ...kernel, blocks: blocksOf(132, 1), stream: 0 };
    const stream = r.stream();
    r.launch(stream, { microseconds: 200, blocks: 132, perSm: 1 });
    r.call('cudaLaunchKernel', (call) =>
      r.system.launch(call, { ...wide, children: { kernels: [launched(1, 100)], ending: 0 } }),
    );
    r.syncDevice();
    const [other, parent, child] = r.of('kernel').sort((a, b) => a.start - b.start);
    expect(parent!.start).toBeGreaterThanOrEqual(other!.end);
    expect(child!.start).toBeGreaterThanOrEqual(parent!.start + 100);
  });
});

describe('H200 reference, mem_nodes', () => {
  const nodes = [kernelNode(10.7), kernelNode(10.7, 0)];

  /** A kernel, the graph, another kernel: nanoseconds before the graph, inside and behind it, and microseconds of the launch. */
  function gaps(hasMemoryNodes: boolean) {
    const r = new Recorder();
    const stream = r.stream();
    r.launch(stream, { microseconds: 150 });
    const cost = r.timed(() =>
      r.call('cudaGraphLaunch', (call) => r.system.launchGraph(call, { stream, graphId: 1, nodes, hasMemoryNodes })),
    );
    r.launch(stream, { microseconds: 5 });
    r.syncStream(stream);
    const kernels = r.of('kernel');
    const [ahead, inside, behind] = kernels.slice(1).map(({ start }, index) => start - kernels[index]!.end);
    return { ahead, inside, behind: behind!, cost };
  }

  it('M1, M2: with memory nodes a graph ends later and its launch costs more, and nothing else changes', () => {
    const [without, withMemory] = [gaps(false), gaps(true)];
    expect(withMemory.ahead).toBe(without.ahead);
    expect(withMemory.inside).toBe(without.inside);
    within(withMemory.behind - without.behind, 2688 - 2112);
    expect(withMemory.cost - without.cost).toBeCloseTo(0.5, 3);
  });

  it('M1: instantiation costs as much for memory nodes as for kernels', () => {
    const chain = Array.from({ length: 192 }, (_, index) => ({
      dependencies: before(index),
      work: { type: index % 3 === 1 ? ('kernel' as const) : ('memory' as const) },
    }));
    const r = new Recorder();
    const cost = r.timed(() =>
      r.call('cudaGraphInstantiate', (call) => r.system.graphCall(call, 'instantiate', chain)),
    );
    within(cost, 148.97);
  });
});

it('lets a node’s own priority count where the request has it', () => {
  // Two kernels that fill the GPU, launched beside each other: blocks of the one with the greater priority go first.
  const first = (priority?: number): string => {
    const r = new Recorder();
    const node = (kernel: string, own: object): GraphNodeRequest => {
      const [{ work }] = chains(1, 1) as [GraphNodeRequest];
      const blocks = blocksOf(4 * 8 * 132, 8);
      return {
        nodeId: 0,
        dependencies: [],
        ...own,
        work: { ...work, kernel, blocks, duration: ns(100_000) } as GraphNodeRequest['work'],
      };
    };
    launch(r, r.stream(), [node('early', {}), node('late', priority === undefined ? {} : { priority })]);
    r.system.finish();
    return r.of('kernel')[0]!.kernel;
  };
  expect(first()).toBe('early');
  expect(first(-5)).toBe('late');
});
