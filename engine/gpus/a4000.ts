import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const a4000 = {
  id: 'a4000',
  name: 'NVIDIA RTX A4000',
  chip: 'GA104',
  architecture: 'Ampere',
  computeCapability: { major: 8, minor: 6 },
  core: {
    source:
      'listings of sysrqmts.com, technical.city and fpsbench.com (boost clock); memory clock is half the data rate',
    smCount: 48,
    smClockMhz: 1560,
    memoryClockMhz: 7000,
  },
  limits: limits['8.6'],
  throughput: throughput['8.6'],
  tensorCores: tensorCores['8.6'],
  memory: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com',
    type: 'GDDR6',
    capacityBytes: 16 * 2 ** 30,
    busWidthBits: 256,
    bandwidth: 448e9,
    achievableFraction: null,
    l2Bytes: 4 * 2 ** 20,
    l2BytesPerClock: null,
  },
  hostLink: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com; copy engines not found',
    pcieGeneration: 4,
    pcieLanes: 16,
    copyEngines: null,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source: 'GA102 (same SM): Huerta et al., MICRO 2025 (FFMA 4, LDS 24, LDG 32); L2 and DRAM not found',
    alu: 4,
    fp64: null,
    special: null,
    shared: 24,
    l1Hit: 32,
    l2Hit: null,
    dram: null,
    barrier: null,
  },
} satisfies GpuDescription;
