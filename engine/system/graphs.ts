/**
 * Graphs as the driver carries them out. The GPU keeps the commands of kernels, and of the fills and copies inside it that
 * kernels do: the host starts each group of them that hangs together by one command, and its nodes then start each other.
 * All other nodes are given to the GPU at each launch, as the calls of their kind are. So a chain of 2000 kernels costs the
 * host hardly more than one kernel, and 32 kernels that nothing joins cost 32 commands.
 *
 * Measured on an H200: c_launch.cu, C2, and system.cu, S8 and S9 (test/reference/h200/cuda).
 */
import { callCost, chargedOn } from './call-costs.ts';
import { after, afterStart, mark } from './operations.ts';
import { isSmallFill } from './transfers.ts';
import type { HostProfile } from './hosts.ts';
import type { Operation } from './operations.ts';
import type { ChildKernel, GraphCall, GraphNodeRequest, GraphWork } from './types.ts';

/** Properties of a node that costs depend on: what it does, and the indexes of earlier nodes that it waits for. */
export interface GraphNodeShape {
  readonly dependencies: readonly number[];
  readonly child?: GraphNodeRequest['child'];
  readonly work: {
    readonly type: GraphWork['type'] | 'memory';
    readonly direction?: string;
    readonly bytes?: number;
    readonly rows?: number;
    readonly peer?: object;
  };
}
type Nodes = readonly GraphNodeShape[];

const isMark = ({ work }: GraphNodeShape): boolean =>
  work.type === 'event-record' || work.type === 'event-wait' || work.type === 'host' || work.type === 'empty';

/** A fill that the GPU's front end writes. */
const isWritten = (host: HostProfile, { work }: GraphNodeShape): boolean =>
  work.type === 'memset' && isSmallFill(host.copies, work.bytes!, work.rows);

/** The GPU keeps its commands. */
function isKept(host: HostProfile, node: GraphNodeShape): boolean {
  const { type, direction, peer } = node.work;
  if (type === 'copy') return direction === 'device-to-device' && !peer;
  return type === 'kernel' || (type === 'memset' && !isWritten(host, node));
}

/** CPU time of a call on a graph, beyond that of the call itself. */
export function graphCallCost(host: HostProfile, kind: GraphCall, nodes: Nodes): number {
  const { instantiate, upload, uploadAgain, update, clone, destroyExec, destroyGraph } = host.graphs.calls;
  const count = nodes.length;
  const kept = nodes.filter((node) => isKept(host, node)).length;
  switch (kind) {
    case 'instantiate': {
      // Memory nodes cost as much as kernels: mem_nodes.json, M1: 149 us with 64 kernels and 128 memory nodes, 51 without.
      const marks = nodes.filter(isMark).length;
      const empty = nodes.filter(({ work }) => work.type === 'empty').length;
      const { fixed, perNode, perMark, perNodeSquared, perBranch } = instantiate;
      const ofNodes = perNode * (count - marks) + perMark * (marks - empty) + perNodeSquared * count * count;
      return Math.round(fixed + ofNodes + perBranch * (branchCount(nodes) - 1));
    }
    case 'upload': {
      const { fixed, perNode, nodes: first, perFurtherNode } = upload;
      return kept === 0
        ? 0
        : Math.round(fixed + perNode * Math.min(kept, first) + perFurtherNode * Math.max(0, kept - first));
    }
    case 'upload-again':
      return Math.round(uploadAgain * kept);
    case 'update': {
      const edges = nodes.reduce((sum, { dependencies }) => sum + dependencies.length, 0);
      return Math.round(update.fixed + update.perNode * count + update.perEdge * edges);
    }
    case 'clone':
      return Math.round(clone * count);
    case 'destroy-exec':
      return Math.round(destroyExec.perNode * count + destroyExec.perBranch * (branchCount(nodes) - 1));
    case 'destroy-graph':
      return Math.round(destroyGraph * count);
  }
}

/** Timing of a graph launch. Times in nanoseconds. */
export interface LaunchPlan {
  /** CPU time of the call, beyond that of the call itself. */
  cost: number;
  /** From the beginning of it until the host has given a node to the GPU, or what it is started by. */
  given: number[];
  /** The chain of each node: what the trace shows on a row of its own. */
  branches: number[];
  /** From the end of the i-th dependency of a node to its start; null: as between work of a stream. */
  gaps: (number | null)[][];
  /** Additional time that each node, compared with the first, waits for the work before the graph. */
  delays: number[];
  /** Groups of nodes that the host starts one by one. */
  groups: number;
  /** From the end of the last node to the end of all. */
  ending: number;
}

/** The kernel that the host launched, and what came of it. */
export function planChildren(
  children: readonly ChildKernel[],
  ending: number,
): { nodes: ChildNode[]; plan: LaunchPlan } {
  const nodes: ChildNode[] = children.map(({ work, dependencies, launcher, before }) => ({
    work,
    dependencies: before < 0 ? dependencies : [...dependencies, before],
    launcher,
  }));
  const none = nodes.map(() => 0);
  const gaps = children.map(({ dependencies, gap }, index) =>
    // The kernel before it in its row of the trace is no reason of its own to wait.
    nodes[index]!.dependencies.map((_, i) => (i < dependencies.length ? gap : 0)),
  );
  const branches = children.map(({ row }) => row);
  return { nodes, plan: { cost: 0, given: none, branches, gaps, delays: none, groups: 1, ending } };
}
export type ChildNode = Pick<ChildKernel, 'work' | 'dependencies' | 'launcher'>;

/** Memory nodes, which are not among `nodes`, cost a launch as a whole, whatever their number (mem_nodes.json, M1, M2). */
export function planLaunch(host: HostProfile, nodes: Nodes, hasMemoryNodes = false): LaunchPlan {
  const { calls, gap, gapPerDoubling, perFollower, perGroup } = host.graphs;
  const kept = nodes.map((node) => isKept(host, node));
  const branches = branchesOf(nodes);
  const own = branches.filter((_, index) => !nodes[index]!.child);
  const between = gap + gapPerDoubling * Math.log2(countOf(own));
  const plan: LaunchPlan = { cost: 0, given: [], branches, gaps: [], delays: [], groups: 0, ending: 0 };
  const followers: number[] = nodes.map(() => 0);
  nodes.forEach((node, index) => {
    const { work, dependencies, child } = node;
    const isFirst = kept[index] && !child && !dependencies.some((dependency) => kept[dependency]);
    plan.cost += child
      ? 0
      : !kept[index]
        ? pushCost(host, work.type)
        : calls.launch.perKeptNode + (isFirst ? calls.launch.perGroup : 0);
    plan.given.push(Math.round(plan.cost));
    plan.delays.push(isFirst ? perGroup * plan.groups : 0);
    if (isFirst) plan.groups++;
    plan.gaps.push(
      dependencies.map((dependency) => {
        const before = nodes[dependency]!;
        if (child) return child.gap;
        if (isMark(node)) return 0;
        if (isWritten(host, node) && isWritten(host, before)) return 0;
        if (!kept[index] || !(kept[dependency] || isMark(before))) return null;
        return Math.round(between + perFollower * followers[dependency]!++);
      }),
    );
  });
  plan.cost = Math.round(plan.cost);
  // Groups that nothing joins meet as streams do, by an event.
  const leaves = nodes.length - new Set(nodes.flatMap(({ dependencies }) => dependencies)).size;
  if (plan.groups > 1 && leaves > 1) plan.ending = host.crossStreamLatency + host.timedEvent.duration;
  if (hasMemoryNodes) {
    plan.cost += calls.memory.launch;
    plan.ending += host.graphs.memoryEnding;
  }
  return plan;
}

/** CPU time of giving a node to the GPU that it does not keep. */
function pushCost(host: HostProfile, type: GraphNodeShape['work']['type']): number {
  const charged = (cost: number): number => chargedOn(host, { cost });
  switch (type) {
    case 'memset':
      return charged(callCost.fillAsync);
    case 'copy':
      return charged(callCost.copyAsync);
    case 'event-record':
      return charged(callCost.record) + host.timedEvent.issue;
    case 'event-wait':
      return charged(callCost.waitEvent);
    case 'host':
      return host.graphs.calls.launch.hostFunction;
    default:
      return 0;
  }
}

/** Splits a graph into chains: a node goes on with the chain of one it depends on, where no other node has done so. */
function branchesOf(nodes: Nodes): number[] {
  const branches: number[] = [];
  const continued = new Set<number>();
  let count = 0;
  for (const { dependencies, child } of nodes) {
    const all = child?.launcher ? [child.launcher.index] : dependencies;
    const before = all.find((dependency) => !continued.has(dependency));
    if (before === undefined) branches.push(count++);
    else {
      continued.add(before);
      branches.push(branches[before]!);
    }
  }
  return branches;
}

const countOf = (branches: readonly number[]): number =>
  branches.reduce((most, branch) => Math.max(most, branch + 1), 1);
const branchCount = (nodes: Nodes): number => countOf(branchesOf(nodes));

/** A node of a graph, or a kernel that a kernel launched. */
export interface SubmittedNode {
  dependencies: number[];
  child?: GraphNodeRequest['child'];
  launcher?: ChildKernel['launcher'];
}

/**
 * Makes what the nodes do wait for each other. What comes out ends when all of them have: one of them, or a mark that is yet to
 * be submitted. `stream` makes those that wait for none of them wait for what is before them.
 */
export function connect(
  nodes: readonly SubmittedNode[],
  operations: readonly Operation[],
  plan: LaunchPlan,
  stream: {
    enter: (work: Operation, delay: number) => void;
    gapBetween: (before: Operation, work: Operation) => number;
  },
): Operation {
  nodes.forEach(({ dependencies, child, launcher = child?.launcher }, index) => {
    const work = operations[index]!;
    if (launcher) afterStart(work, operations[launcher.index]!, launcher.offset);
    else if (dependencies.length === 0) stream.enter(work, plan.delays[index]!);
    dependencies.forEach((dependency, i) => {
      const before = operations[dependency]!;
      work.engine ??= before.engine;
      after(work, before, plan.gaps[index]![i] ?? stream.gapBetween(before, work));
    });
  });
  const hasDependents = new Set(nodes.flatMap(({ dependencies }) => dependencies));
  const leaves = operations.filter((_, index) => !hasDependents.has(index));
  if (leaves.length === 1 && plan.ending === 0) return leaves[0]!;
  const end = mark('wait', plan.ending, 'compute');
  for (const leaf of leaves) after(end, leaf, 0);
  return end;
}
