/** NVLinks of the GPUs that have them, by id. GPUs without share nothing but the host: copies between them go through it. */
import type { GpuDescription, Sourced } from './types.ts';

export interface NvLink extends Sourced {
  generation: number;
  links: number;
  /** All links together, one direction, bytes per second. */
  bandwidth: number;
  /** GPUs that a bridge or a switch joins at most. */
  joins: number;
}

const hopper: NvLink = {
  source: 'H100 whitepaper: NVLink 4, 18 links of 25 GB/s per direction; NVSwitch joins the 8 of an HGX board',
  generation: 4,
  links: 18,
  bandwidth: 450e9,
  joins: 8,
};

const a100: NvLink = {
  source: 'A100 whitepaper: NVLink 3, 12 links of 25 GB/s per direction; NVSwitch joins the 8 of an HGX board',
  generation: 3,
  links: 12,
  bandwidth: 300e9,
  joins: 8,
};

const links: Readonly<Record<string, NvLink>> = {
  h100: hopper,
  h200: hopper,
  'a100-40gb': a100,
  'a100-80gb': a100,
  v100: {
    source: 'V100 whitepaper: NVLink 2, 6 links of 25 GB/s per direction; NVSwitch joins those of a DGX-2',
    generation: 2,
    links: 6,
    bandwidth: 150e9,
    joins: 8,
  },
  a6000: {
    source: 'RTX A6000 product data: a bridge between two boards, 112.5 GB/s in both directions together',
    generation: 3,
    links: 4,
    bandwidth: 56.25e9,
    joins: 2,
  },
};

/** NVLink links of a GPU, whichever others they lead to. */
export const nvLinkOf = ({ id }: Pick<GpuDescription, 'id'>): NvLink | null => links[id] ?? null;

/** The bandwidth of the links that kernels get, bytes per second. */
export function nvLinkForKernels(gpu: Pick<GpuDescription, 'id'>): { reads: number; writes: number } | null {
  const link = nvLinkOf(gpu);
  const { kernelReads, kernelWrites } = nvLinkUse;
  return link && { reads: link.bandwidth * kernelReads, writes: link.bandwidth * kernelWrites };
}

/**
 * The links between two GPUs of a machine, given with their ordinals; null where there is only the host. Only boards with one chip are
 * joined.
 */
export function nvLinkBetween(
  gpus: readonly Pick<GpuDescription, 'id' | 'chip'>[],
  first: number,
  second: number,
): NvLink | null {
  const [a, b] = [gpus[first]!, gpus[second]!];
  const [one, other] = [nvLinkOf(a), nvLinkOf(b)];
  if (!one || !other || first === second || a.chip !== b.chip) return null;
  const joined = Math.floor(first / one.joins) === Math.floor(second / one.joins);
  return joined ? (one.bandwidth <= other.bandwidth ? one : other) : null;
}

/**
 * The share of an NVLink's bandwidth that programs get, and the latency it adds: H200 reference, suite c_peer (two H200, 18 links).
 * Other generations have the same packets, so these stand for them too.
 */
export const nvLinkUse = {
  /** memcpy_peer 0_to_1, peer access enabled: 507.3 us for the 201 MB between 64 and 256 MB. */
  copies: 396.9 / 450,
  /** Copies both ways at once: 512.5 us for the same. */
  bothWays: 507.3 / 512.5,
  /** kernel_access read_peer_write_local and read_local_write_peer: 268 MB in 729.4 and 734.3 us, less 7.9 of launch and wait. */
  kernelReads: 372 / 450,
  kernelWrites: 369.5 / 450,
  /** load_chain: 1576 cycles against 279 at 1980 MHz. */
  latencyNanoseconds: 655,
};
