import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const mx330 = {
  id: 'mx330',
  name: 'NVIDIA GeForce MX330',
  chip: 'GP108',
  architecture: 'Pascal',
  computeCapability: { major: 6, minor: 1 },
  core: {
    source:
      'listings of sysrqmts.com, technical.city and fpsbench.com (boost clock); memory clock is half the data rate',
    smCount: 3,
    smClockMhz: 1594,
    memoryClockMhz: 3500,
  },
  limits: limits['6.1'],
  throughput: throughput['6.1'],
  tensorCores: tensorCores['6.1'],
  memory: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com',
    type: 'GDDR5',
    capacityBytes: 2 * 2 ** 30,
    busWidthBits: 64,
    bandwidth: 56.06e9,
    achievableFraction: null,
    l2Bytes: 512 * 1024,
    l2BytesPerClock: null,
  },
  hostLink: {
    source: 'listings of sysrqmts.com, technical.city and fpsbench.com; copy engines not found',
    pcieGeneration: 3,
    pcieLanes: 4,
    copyEngines: null,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source: 'no measurement of an MX330 found',
    alu: null,
    fp64: null,
    special: null,
    shared: null,
    l1Hit: null,
    l2Hit: null,
    dram: null,
    barrier: null,
  },
} satisfies GpuDescription;
