import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const t4 = {
  id: 't4',
  name: 'Tesla T4',
  chip: 'TU104',
  architecture: 'Turing',
  computeCapability: { major: 7, minor: 5 },
  core: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com (boost clock); a published deviceQuery output',
    smCount: 40,
    smClockMhz: 1590,
    memoryClockMhz: 5001,
  },
  limits: limits['7.5'],
  throughput: throughput['7.5'],
  tensorCores: tensorCores['7.5'],
  memory: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com; a published deviceQuery output',
    type: 'GDDR6',
    capacityBytes: 16 * 2 ** 30,
    busWidthBits: 256,
    bandwidth: 320e9,
    achievableFraction: null,
    l2Bytes: 4 * 2 ** 20,
    l2BytesPerClock: null,
  },
  hostLink: {
    source: 'listings of sysrqmts.com; copy engines from a published deviceQuery output',
    pcieGeneration: 3,
    pcieLanes: 16,
    copyEngines: 3,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source:
      'Jia et al., arXiv 1903.07486 (FMA 4); L1 32, shared 23 and L2 236 on an RTX 2070 of the same architecture: ' +
      'sjfeng1999/gpu-arch-microbenchmark; DRAM not found',
    alu: 4,
    fp64: null,
    special: null,
    shared: 23,
    l1Hit: 32,
    l2Hit: 236,
    dram: null,
    barrier: null,
  },
} satisfies GpuDescription;
