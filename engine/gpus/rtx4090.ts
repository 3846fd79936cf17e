import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const rtx4090 = {
  id: 'rtx4090',
  name: 'NVIDIA GeForce RTX 4090',
  chip: 'AD102',
  architecture: 'Ada Lovelace',
  computeCapability: { major: 8, minor: 9 },
  core: {
    source: 'RTX 4090 product data (128 SMs, boost 2520 MHz); memory clock is half the data rate',
    smCount: 128,
    smClockMhz: 2520,
    memoryClockMhz: 10500,
  },
  limits: limits['8.9'],
  throughput: throughput['8.9'],
  tensorCores: tensorCores['8.9'],
  memory: {
    source:
      'RTX 4090 product data; L2 5.2 TB/s on an L40 (same chip) at 2490 MHz: te42kyfo/gpu-benches (commit 1c36d50)',
    type: 'GDDR6X',
    capacityBytes: 24 * 2 ** 30,
    busWidthBits: 384,
    bandwidth: 1008e9,
    achievableFraction: null,
    l2Bytes: 72 * 2 ** 20,
    l2BytesPerClock: 2088,
  },
  hostLink: {
    source: 'RTX 4090 product data; copy engines not found',
    pcieGeneration: 4,
    pcieLanes: 16,
    copyEngines: null,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source: 'Luo et al., arXiv 2402.13499 (shared 30.1, L1 43.4, L2 273, DRAM 541.5); FMA not found',
    alu: null,
    fp64: null,
    special: null,
    shared: 30,
    l1Hit: 43,
    l2Hit: 273,
    dram: 542,
    barrier: null,
  },
} satisfies GpuDescription;
