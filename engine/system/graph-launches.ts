/** Launches of work with dependencies of its own: graphs, and kernels that launch kernels. */
import type { GraphEvent } from '../model/event-kinds/graph.ts';
import type { SystemParts } from './parts.ts';
import { connect, planChildren, planLaunch, type LaunchPlan, type SubmittedNode } from './graphs.ts';
import { isBetween, mark, type GraphLaunch, type Operation } from './operations.ts';
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Stream, Streams } from './streams.ts';
import type { Submission } from './submission.ts';
import type { ApiCall, GraphNodeRequest, GraphRequest, KernelRequest } from './types.ts';
import { deviceWork, placeOf, type RequestedWork } from './work.ts';

export class GraphLaunches {
  private readonly state: SystemState;
  private readonly streams: Streams;
  private readonly order: StreamOrder;
  private readonly submission: Submission;
  private readonly work: RequestedWork;
  /** The latest launch of each executable graph. */
  private readonly graphLaunches = new Map<number, { stream: Stream; end: Operation }>();

  constructor({ state, streams, order, submission, work }: SystemParts) {
    this.state = state;
    this.streams = streams;
    this.order = order;
    this.submission = submission;
    this.work = work;
  }

  launchGraph(call: ApiCall, { stream: id, graphId, nodes, hasMemoryNodes }: GraphRequest): void {
    const stream = this.streams.stream(id);
    for (const { work, device = 0 } of nodes) if (work.type === 'kernel') this.work.loadKernel(work.kernel, device);
    // Nothing is given to the GPU for nodes that do nothing.
    if (nodes.every(({ work }) => work.type === 'empty')) return;
    const report: GraphEvent = { type: 'graph', ...deviceWork(call, placeOf(stream)), graphId };
    const launch: GraphLaunch = { start: -1, pending: nodes.length, report };
    const make = (node: GraphNodeRequest, streamId: number): Operation => {
      const work = this.work.graphOperation(call, node, stream, { deviceId: node.device ?? 0, streamId });
      work.launch = launch;
      if (work.report) Object.assign(work.report, { graphId, graphNodeId: node.nodeId });
      return work;
    };
    // CUDA runtime API, cudaGraphLaunch: behind all that is in the stream, and behind earlier launches of the same executable.
    const before = this.graphLaunches.get(graphId);
    const elsewhere = before && before.stream !== stream ? before.end : null;
    const end = this.submitNodes(stream, nodes, planLaunch(this.state.host, nodes, hasMemoryNodes), make, elsewhere);
    this.graphLaunches.set(graphId, { stream, end });
  }

  /** Kernels that kernels launch start without the host: see device-launches.ts. */
  launchWithChildren(
    call: ApiCall,
    request: KernelRequest,
    { kernels, ending }: NonNullable<KernelRequest['children']>,
    stream: Stream,
  ): void {
    for (const { work } of kernels) this.work.loadKernel(work.kernel, stream.device);
    const first = { work: request, dependencies: [], gap: 0, launcher: null, row: 0, before: -1 };
    const { nodes, plan } = planChildren([first, ...kernels], ending);
    const onDevice = nodes.map((node) => ({ ...node, device: stream.device }));
    this.submitNodes(stream, onDevice, plan, ({ work }, streamId) =>
      this.work.kernelOperation(call, work, stream, { deviceId: stream.device, streamId }),
    );
  }

  /**
   * Puts work with dependencies of its own at the end of a stream, behind work of another stream too if so asked. `make` is
   * told on which stream the trace shows it. What it returns ends when all of it has ended.
   */
  private submitNodes<Node extends SubmittedNode & { device?: number }>(
    stream: Stream,
    nodes: Node[],
    plan: LaunchPlan,
    make: (node: Node, traceId: number) => Operation,
    elsewhere: Operation | null = null,
  ): Operation {
    const { device } = this.streams.gpuOf(stream);
    this.submission.makeRoom(stream);
    this.state.machine.advance(this.state.clock);

    const made = nodes.map((node, index) => make(node, this.streams.graphStream(stream, plan.branches[index]!)));
    // In the place of copies that nobody waits for are marks.
    const isAside = (work: Operation): boolean => this.state.copiesAside && isBetween(work);
    const operations = made.map((work) => (isAside(work) ? mark('wait') : work));
    let isFirst = true;
    const end = connect(nodes, operations, plan, {
      enter: (work, delay) => {
        this.order.waitForEarlier(stream, work, false, delay);
        // The launch waits, whatever it begins with.
        if (!isFirst) work.implicit = null;
        isFirst = false;
        this.order.dependAcross(work, elsewhere);
      },
      gapBetween: (before, work) => this.order.gapBetween(before, work, false),
    });
    this.order.becomeLast(stream, end);
    this.order.works(stream);
    const latency = this.state.host.startLatency.kernel;
    this.state.clock += plan.cost;
    const parts = operations.map((work, index) => ({
      device: this.streams.gpus[nodes[index]!.device ?? 0]!.device,
      work,
      // The host goes on giving while the GPU works, unless it hands over all at once.
      latency: this.state.host.submission ? latency : latency + plan.given[index]! - plan.cost,
    }));
    made.forEach((work, index) => {
      if (isAside(work)) parts.push({ ...parts[index]!, work });
    });
    this.submission.handOver(operations.includes(end) ? parts : [...parts, { device, work: end, latency }]);
    return end;
  }
}
