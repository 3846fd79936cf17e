/**
 * Fewer blocks than SMs, or fewer threads in a block than in a warp. How a kernel was launched is in every recording, and how many SMs its
 * GPU has in most: this needs no counters.
 */
import { warpSize } from '../../../model/geometry.ts';
import type { Trace } from '../../../trace/trace.ts';
import { multiprocessors } from '../../../trace/gpu-names.ts';
import { lengthOf, overlapOf, SpanCollector } from '../../../trace/spans.ts';
import { formatNumber } from '../../../model/format.ts';
import { num } from '../../columns.ts';
import type { Facts } from '../facts.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { workKinds, type DeviceFacts } from '../timeline-facts.ts';
import { launchNs, leastGain, leastShareOfKernels, leastShareOfRuntime } from '../thresholds.ts';

const rule: Omit<Rule, 'find'> = {
  id: 'small-grid',
  stage: 'latency',
  title: 'Fewer blocks than SMs',
  lab: null,
};

const counted = kernelRule({
  ...rule,
  find(kernel, { timeline }) {
    const { blocks, gpu, resources } = kernel.view;
    // A kernel shorter than a launch does not get shorter by more blocks.
    if (!gpu || kernel.ownNs < launchNs.least) return null;
    const launch = { blocks, threads: resources.threadsPerBlock, smCount: gpu.smCount };
    const idle = idleShare(launch);
    if (idle === 0) return null;
    const device = timeline.devices.find((each) => each.device === kernel.view.deviceId);
    if (device && sideBySide(device) >= leastGain) return null;
    return {
      ...wordsOf(launch),
      evidence: [
        ...counters(kernel, 'launch__grid_size', 'launch__block_size', 'launch__waves_per_multiprocessor'),
        measured('SMs of the GPU', gpu.smCount, 'count'),
      ],
      places: kernel.places(() => 0),
      saves: {
        share: Math.min(idle, kernel.leftBeside('memory', 'compute')),
        basis: `At most: ${inPercent(idle)} of the SMs' lanes have nothing to do.`,
      },
    };
  },
});

export const smallGrid: Rule = {
  ...rule,
  find: (facts, found) => [...counted.find(facts, found), ...uncounted(facts)],
};

interface Launch {
  blocks: number;
  threads: number;
  smCount: number;
}

/** The share of the lanes of all SMs that no thread can be on. */
function idleShare({ blocks, threads, smCount }: Launch): number {
  if (blocks >= smCount && threads >= warpSize) return 0;
  return 1 - Math.min(1, blocks / smCount) * Math.min(1, threads / warpSize);
}

function wordsOf({ blocks, threads, smCount }: Launch): { says: string; why: string; todo: string } {
  const isThin = threads < warpSize;
  const ofThreads = isThin ? ` of ${threads} ${threads === 1 ? 'thread' : 'threads'}` : '';
  const why = [
    ...(blocks < smCount
      ? [`A block runs on one SM: ${smCount - blocks} of ${smCount} have nothing to do while this kernel runs alone.`]
      : []),
    ...(isThin
      ? [`A warp has ${warpSize} lanes, whatever a block's size: ${warpSize - threads} of each are switched off.`]
      : []),
  ];
  const smaller = threads > 128 ? ', which may be smaller' : '';
  return {
    says: `launches ${formatNumber(blocks)} ${blocks === 1 ? 'block' : 'blocks'}${ofThreads} on a GPU of ${smCount} SMs`,
    why: why.join(' '),
    todo:
      (isThin
        ? 'Give a block 128 threads or more and each thread an element (blockIdx.x * blockDim.x + threadIdx.x), and launch as many blocks as that takes'
        : `Divide the work into more blocks${smaller}: fewer elements for each thread, another dimension in the grid, a split sum that is added up afterwards`) +
      '. Where there is no more work, run independent kernels beside it in other streams.',
  };
}

/** Kernels of recordings of other tools, of each name and configuration. */
function uncounted({ trace, timeline }: Facts): RuleFinding[] {
  const smCounts = multiprocessors(trace);
  const rows = launchesWithoutCounters(trace);
  const allNs = rows.reduce((sum, { totalNs }) => sum + totalNs, 0);
  const least = Math.max(leastShareOfKernels * allNs, leastShareOfRuntime * timeline.spanNs);
  return rows.flatMap((launched): RuleFinding[] => {
    const { name, device, blocks, threads, launches, totalNs, row } = launched;
    const smCount = smCounts.get(device);
    if (smCount === undefined || blocks === 0 || threads === 0) return [];
    if (isCommunication.test(name) || totalNs < least || totalNs / launches < launchNs.least) return [];
    const share = idleShare({ blocks, threads, smCount });
    if (share < leastGain) return [];
    const own = timeline.devices.find((each) => each.device === device);
    // Others that run at the same time have the SMs that these leave.
    const alone = own ? aloneShare(own, rowsOf(trace, launched)) : 1;
    if (share * alone < leastGain) return [];
    const { says, why, todo } = wordsOf({ blocks, threads, smCount });
    const ofAll = launches === 1 ? '' : ` Over ${formatNumber(launches)} launches.`;
    return [
      {
        title: `${name} ${says}`,
        evidence: [
          measured('blocks', blocks, 'count'),
          measured('threads of a block', threads, 'count'),
          measured('SMs of the GPU', smCount, 'count'),
          measured('time of these launches', totalNs, 'ns'),
          measured('of the time of all kernels', (100 * totalNs) / allNs, 'percent'),
        ],
        places: [{ kind: 'kernel', kernel: row, name }],
        ...{ why, todo },
        gain: {
          ns: Math.round(share * alone * totalNs),
          basis: `At most: ${inPercent(share)} of the SMs' lanes have nothing to do while these run alone.${ofAll}`,
        },
      },
    ];
  });
}

/** Kernels of libraries that move data between GPUs: few blocks fill a link, and leave the SMs to others. */
const isCommunication = /^(nccl|rccl|mscclpp?|nvshmem)/i;

interface Launches {
  name: string;
  device: number;
  blocks: number;
  threads: number;
  launches: number;
  totalNs: number;
  /** The first one. */
  row: number;
  /** The id of the name in full. */
  nameId: number;
}

function launchesWithoutCounters(trace: Trace): Launches[] {
  return trace
    .query(
      `SELECT (SELECT value FROM StringIds WHERE id = coalesce(s.shortName, s.demangledName)), s.deviceId,
         ${blocksOf} AS blocks, ${threadsOf} AS threads,
         sum(e.launches), sum(e.total) AS total, min(e.first), s.demangledName
       FROM (SELECT shape, count(*) AS launches, sum(length) AS total, min(rowid) AS first FROM SIMSIGHT_EVENTS_KERNEL GROUP BY shape) e
       JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape WHERE s.metricSet IS NULL
       GROUP BY s.deviceId, s.demangledName, blocks, threads ORDER BY total DESC, min(e.first)`,
    )
    .map(([name, device, blocks, threads, launches, total, row, nameId]) => ({
      ...{ name: String(name ?? ''), device: num(device), blocks: num(blocks), threads: num(threads) },
      ...{ launches: num(launches), totalNs: num(total), row: num(row), nameId: num(nameId) },
    }));
}

const blocksOf = 's.gridX * s.gridY * s.gridZ';
const threadsOf = 's.blockX * s.blockY * s.blockZ';

const rowsOf = (trace: Trace, { device, nameId, blocks, threads }: Launches): Set<number> =>
  new Set(
    trace
      .query(
        `SELECT e.rowid FROM SIMSIGHT_EVENTS_KERNEL e JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape
         WHERE s.metricSet IS NULL AND s.deviceId = ? AND s.demangledName = ? AND ${blocksOf} = ? AND ${threadsOf} = ?`,
        ...[device, nameId, blocks, threads],
      )
      .map(([row]) => num(row)),
  );

/** The share of the time of some kernels, by their rows, in which no other runs, nor another of them. */
function aloneShare({ work }: DeviceFacts, rows: ReadonlySet<number>): number {
  const [own, others] = [new SpanCollector(), new SpanCollector()];
  let all = 0;
  for (let i = 0; i < work.count; i++) {
    if (work.kinds[i] !== workKinds.kernel) continue;
    const isOwn = rows.has(work.rows[i]!);
    (isOwn ? own : others).add(work.starts[i]!, work.ends[i]!);
    if (isOwn) all += work.ends[i]! - work.starts[i]!;
  }
  const spans = own.finish();
  const length = lengthOf(spans);
  // The time that they share with each other counts twice: both are not alone then.
  const alone = length - overlapOf(spans, others.finish()) - (all - length);
  return all > 0 ? Math.max(0, alone / all) : 1;
}

/** The share of the time of all kernels in which others ran as well: these have the SMs that one leaves. */
function sideBySide({ work, kernels }: DeviceFacts): number {
  const all = work.kinds.reduce(
    (sum, kind, i) => sum + (kind === workKinds.kernel ? work.ends[i]! - work.starts[i]! : 0),
    0,
  );
  return all > 0 ? 1 - lengthOf(kernels) / all : 0;
}
