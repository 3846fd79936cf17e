import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const h100 = {
  id: 'h100',
  name: 'NVIDIA H100 80GB HBM3',
  chip: 'GH100',
  architecture: 'Hopper',
  computeCapability: { major: 9, minor: 0 },
  core: {
    source: 'H100 SXM5 product data (132 SMs, 1980 MHz); memory clock from bandwidth and bus width',
    smCount: 132,
    smClockMhz: 1980,
    memoryClockMhz: 2617,
  },
  limits: limits['9.0'],
  throughput: throughput['9.0'],
  tensorCores: tensorCores['9.0'],
  memory: {
    source:
      'H100 SXM5 product data; measured read 2561 GiB/s: caps-tum/mt4g (commit 4cc5566); L2 rate of the same chip in ' +
      'the H200 reference, case A9 read_cg_32MB',
    type: 'HBM3',
    capacityBytes: 80 * 2 ** 30,
    busWidthBits: 5120,
    bandwidth: 3350e9,
    achievableFraction: 0.82,
    l2Bytes: 50 * 2 ** 20,
    l2Halves: 2, // two partitions, each of which caches what its own SMs ask for: A100 and H100 whitepapers
    l2BytesPerClock: 4250,
  },
  hostLink: {
    source: 'H100 SXM5 product data; asyncEngineCount of an H100 80GB HBM3, driver 580.159; pinned rates not found',
    pcieGeneration: 5,
    pcieLanes: 16,
    copyEngines: 3,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source:
      'L1 34: te42kyfo/gpu-benches; shared 29: Luo et al., arXiv 2402.13499; L2 258 to 273; DRAM 658.7 on H100 PCIe: ' +
      'arXiv 2507.10789 (sources range from 479 to 834); FP64, special and barrier of the same SM: H200 reference, A1',
    alu: 4,
    fp64: 8,
    special: 17,
    shared: 29,
    l1Hit: 34,
    l2Hit: 265,
    dram: 659,
    barrier: 28,
  },
} satisfies GpuDescription;
