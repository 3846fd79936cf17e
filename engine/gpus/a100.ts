/** The two A100 SXM4 boards: one chip with two kinds of memory. */
import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

const chip = {
  chip: 'GA100',
  architecture: 'Ampere',
  computeCapability: { major: 8, minor: 0 },
  limits: limits['8.0'],
  throughput: throughput['8.0'],
  tensorCores: tensorCores['8.0'],
  hostLink: {
    source: 'A100 product data; copy engines and pinned rates not found',
    pcieGeneration: 4,
    pcieLanes: 16,
    copyEngines: null,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source:
      'Abdelkhalik et al., arXiv 2208.11174 (FMA 4, shared 23, L1 33, near L2 200); DRAM by pointer chase 566 to 575 ' +
      '(Luo et al., arXiv 2402.13499, say 466); barrier 21 + 2 per warp, for 8 warps',
    alu: 4,
    fp64: null,
    special: null,
    shared: 23,
    l1Hit: 33,
    l2Hit: 203,
    dram: 570,
    barrier: 37,
  },
} as const;

const core = { smCount: 108, smClockMhz: 1410 };

export const a100Sxm40 = {
  ...chip,
  id: 'a100-40gb',
  name: 'NVIDIA A100-SXM4-40GB',
  core: { ...core, source: 'A100 whitepaper (108 SMs, boost 1410 MHz, memory 1215 MHz)', memoryClockMhz: 1215 },
  memory: {
    source:
      'A100 whitepaper; measured 1400 GB/s and 4.3 to 4.5 TB/s of L2: te42kyfo/gpu-benches (commit 1c36d50); the ' +
      'whitepaper peak of L2 is 5120 bytes per clock',
    type: 'HBM2',
    capacityBytes: 40 * 2 ** 30,
    busWidthBits: 5120,
    bandwidth: 1555e9,
    achievableFraction: 0.9,
    l2Bytes: 40 * 2 ** 20,
    l2Halves: 2, // two partitions, each of which caches what its own SMs ask for: A100 and H100 whitepapers
    l2BytesPerClock: 3120,
  },
} satisfies GpuDescription;

export const a100Sxm80 = {
  ...chip,
  id: 'a100-80gb',
  name: 'NVIDIA A100-SXM4-80GB',
  core: {
    ...core,
    source: 'A100 whitepaper (108 SMs, boost 1410 MHz); memory clock from bandwidth and bus width',
    memoryClockMhz: 1593,
  },
  memory: {
    source:
      'A100 product data; measured 1880 GB/s and 5.2 to 5.45 TB/s of L2: te42kyfo/gpu-benches (commit 1c36d50); the ' +
      'whitepaper peak of L2 is 5120 bytes per clock',
    type: 'HBM2e',
    capacityBytes: 80 * 2 ** 30,
    busWidthBits: 5120,
    bandwidth: 2039e9,
    achievableFraction: 0.92,
    l2Bytes: 40 * 2 ** 20,
    l2Halves: 2, // two partitions, each of which caches what its own SMs ask for: A100 and H100 whitepapers
    l2BytesPerClock: 3780,
  },
} satisfies GpuDescription;
