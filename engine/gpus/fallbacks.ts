/**
 * Stand-ins for figures that nobody has published for a GPU. The one place for it: models call
 * {@link withFallbacks} and get a description without nulls, plus the list of what was assumed, for reports to show.
 *
 *   const { gpu, assumptions } = withFallbacks(gpuById('mx330'));
 */
import type { GpuDescription } from './types.ts';

export interface Assumption {
  /** Path of the figure: `latency.dram`. */
  figure: string;
  value: number;
  reason: string;
}

type Complete<Group> = { [Key in keyof Group]: NonNullable<Group[Key]> };

/** The same description with every figure that a timing model needs. */
export interface CompleteGpu extends Omit<GpuDescription, 'throughput' | 'memory' | 'hostLink' | 'latency'> {
  throughput: Complete<GpuDescription['throughput']>;
  memory: Complete<GpuDescription['memory']>;
  hostLink: Complete<GpuDescription['hostLink']>;
  latency: Complete<GpuDescription['latency']>;
}

export interface GpuWithAssumptions {
  gpu: CompleteGpu;
  assumptions: readonly Assumption[];
}

/** Raw bytes per second and lane in one direction: transfer rate × line code of the PCI Express base specification. */
const pcieLaneBytesPerSecond: Readonly<Record<number, number>> = {
  1: (2.5e9 * 0.8) / 8,
  2: (5e9 * 0.8) / 8,
  3: (8e9 * (128 / 130)) / 8,
  4: (16e9 * (128 / 130)) / 8,
  5: (32e9 * (128 / 130)) / 8,
};

/** The share of the raw rate that pinned copies reach: 55.5 of 63.0 GB/s (H200 reference, case C3 memcpy H2D_pinned_262144KB). */
const pcieEfficiency = 0.88;
/** Efficiency of PCIe generation 3: 12.35 of 15.75 GB/s (V100, te42kyfo/gpu-benches). */
const pcie3Efficiency = 0.784;

/** 4250 bytes per clock over 132 SMs: H200 reference, case A9 read_cg_32MB. */
const l2BytesPerClockAndSm = 32.2;

/** Nanoseconds from an L2 hit to DRAM data on GDDR memory: (541.5 - 273) cycles at 2520 MHz (RTX 4090, arXiv 2402.13499). */
const gddrBeyondL2Nanoseconds = 106.5;

/** Quadro P6000 (GP102, compute capability 6.1): caps-tum/mt4g; ALU, SFU and FP64 from PPT-GPU's Pascal file. */
const pascalLatency = { alu: 6, fp64: 45, special: 6, shared: 40, l1Hit: 106, l2Hit: 227, dram: 415 };

const complete = new WeakMap<GpuDescription, GpuWithAssumptions>();

/** The description with stand-ins for all nulls; the same object for the same GPU. */
export function withFallbacks(gpu: GpuDescription): GpuWithAssumptions {
  let result = complete.get(gpu);
  if (!result) complete.set(gpu, (result = fillIn(gpu)));
  return result;
}

/** The figures of a GPU, with assumptions noted for those that its description lacks. */
class Figures {
  readonly assumptions: Assumption[] = [];
  private readonly gpu: GpuDescription;
  constructor(gpu: GpuDescription) {
    this.gpu = gpu;
  }

  /** The known value, or the fallback, which is noted with its reason. */
  known(figure: string, value: number | null, fallback: () => number, reason: string): number {
    if (value !== null) return value;
    const assumed = fallback();
    this.assumptions.push({ figure, value: assumed, reason });
    return assumed;
  }

  get isPascal(): boolean {
    return this.gpu.computeCapability.major === 6;
  }

  /** A latency in cycles. GPUs of compute capability 6.x have those of a measured one of it. */
  latency(name: keyof typeof pascalLatency, other: () => number, reason: string): number {
    return this.known(
      `latency.${name}`,
      this.gpu.latency[name],
      () => (this.isPascal ? pascalLatency[name] : other()),
      this.isPascal ? 'measured on a Quadro P6000 of the same compute capability' : reason,
    );
  }
}

function fillIn(gpu: GpuDescription): GpuWithAssumptions {
  const figures = new Figures(gpu);
  const alu = figures.latency('alu', () => 4, 'on every measured GPU from Volta to Hopper');
  const l2Hit = figures.latency(
    'l2Hit',
    () => 236,
    'as measured on an RTX 2070, which has L2 and memory of the same size and kind',
  );
  return {
    assumptions: figures.assumptions,
    gpu: {
      ...gpu,
      throughput: throughputOf(gpu, figures),
      memory: memoryOf(gpu, figures),
      hostLink: hostLinkOf(gpu, figures),
      latency: latencyOf(gpu, figures, alu, l2Hit),
    },
  };
}

function throughputOf({ throughput, computeCapability }: GpuDescription, figures: Figures): CompleteGpu['throughput'] {
  const pascal = figures.isPascal;
  const fermi = computeCapability.major === 2;
  return {
    ...throughput,
    fp64: figures.known(
      'throughput.fp64',
      throughput.fp64,
      () => throughput.fp32 / 64,
      'the 64:1 of GPUs without FP64 units',
    ),
    fp16: figures.known(
      'throughput.fp16',
      throughput.fp16,
      () => throughput.fp32,
      fermi ? 'half precision is computed as FP32' : 'as fast as FP32: board listings of GA10x',
    ),
    imad: figures.known(
      'throughput.imad',
      throughput.imad,
      () => (pascal ? throughput.int32 / 3 : throughput.fp32 / 2),
      pascal
        ? 'three XMAD of 16 bit each make one 32-bit multiply-add on Pascal'
        : 'half of FP32, as on compute capability 8.6 and 9.0',
    ),
    special: figures.known(
      'throughput.special',
      throughput.special,
      () => 16,
      '16 on every other compute capability from 7.0 to 9.0',
    ),
    conversion: figures.known(
      'throughput.conversion',
      throughput.conversion,
      () => (pascal ? 32 : 16),
      'the rate of special functions, whose unit converts',
    ),
    shuffle: figures.known('throughput.shuffle', throughput.shuffle, () => 32, 'as on every GPU that has shuffles'),
    loadStore: figures.known(
      'throughput.loadStore',
      throughput.loadStore,
      () => (computeCapability.major === 8 || computeCapability.minor === 5 ? 16 : 32),
      'as on the nearest measured family: GA102 for consumer chips from Turing on, GH100 otherwise',
    ),
  };
}

function memoryOf({ memory, core }: GpuDescription, figures: Figures): CompleteGpu['memory'] {
  return {
    ...memory,
    achievableFraction: figures.known(
      'memory.achievableFraction',
      memory.achievableFraction,
      () => 0.9,
      'the share that the H200 reference reaches (A9 read_cg_1024MB); A100 measurements say the same',
    ),
    l2BytesPerClock: figures.known(
      'memory.l2BytesPerClock',
      memory.l2BytesPerClock,
      () => Math.round(l2BytesPerClockAndSm * core.smCount),
      'per SM as much as the H200 reference measures (A9 read_cg_32MB)',
    ),
  };
}

function hostLinkOf({ hostLink }: GpuDescription, figures: Figures): CompleteGpu['hostLink'] {
  const pcieRate =
    (pcieLaneBytesPerSecond[hostLink.pcieGeneration] ?? pcieLaneBytesPerSecond[3]!) *
    hostLink.pcieLanes *
    (hostLink.pcieGeneration <= 3 ? pcie3Efficiency : pcieEfficiency);
  const pcieReason =
    hostLink.pcieGeneration <= 3
      ? 'raw rate of the link times the share that a V100 reaches on generation 3'
      : 'raw rate of the link times the share that the H200 reference reaches';
  return {
    ...hostLink,
    copyEngines: figures.known(
      'hostLink.copyEngines',
      hostLink.copyEngines,
      () => 2,
      'one per direction, the least that overlaps both ways',
    ),
    hostToDevice: figures.known('hostLink.hostToDevice', hostLink.hostToDevice, () => pcieRate, pcieReason),
    deviceToHost: figures.known(
      'hostLink.deviceToHost',
      hostLink.deviceToHost,
      () => hostLink.hostToDevice ?? pcieRate,
      hostLink.hostToDevice === null ? pcieReason : 'as fast as the other direction',
    ),
  };
}

/** Latencies in cycles; `alu` and `l2Hit` are those that others are derived from. */
function latencyOf(
  { latency, throughput, core }: GpuDescription,
  figures: Figures,
  alu: number,
  l2Hit: number,
): CompleteGpu['latency'] {
  return {
    ...latency,
    alu,
    fp64: figures.latency(
      'fp64',
      () => (throughput.fp64 !== null && throughput.fp64 * 2 >= throughput.fp32 ? 2 * alu : 64),
      'twice that of FP32 with FP64 units (V100, H200), 64 without (GB202)',
    ),
    special: figures.latency(
      'special',
      () => Math.max(17, alu),
      'H200 reference, case A1 mufu_rsq; not less than FP32',
    ),
    shared: figures.latency('shared', () => 23, 'H200 reference, case A1 lds32'),
    l1Hit: figures.latency('l1Hit', () => 32, 'H200 reference, case A1 l1_hit_32KB'),
    l2Hit,
    dram: figures.latency(
      'dram',
      () => Math.round(l2Hit + gddrBeyondL2Nanoseconds * core.smClockMhz * 1e-3),
      'the L2 hit plus the nanoseconds beyond it that an RTX 4090 shows',
    ),
    barrier: figures.known('latency.barrier', latency.barrier, () => 28, 'H200 reference, case A1 syncthreads_256'),
  };
}
