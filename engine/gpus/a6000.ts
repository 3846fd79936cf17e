import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const a6000 = {
  id: 'a6000',
  name: 'NVIDIA RTX A6000',
  chip: 'GA102',
  architecture: 'Ampere',
  computeCapability: { major: 8, minor: 6 },
  core: {
    source: 'listing of sysrqmts.com (84 SMs, boost 1800 MHz, 16 Gbit/s per pin); memory clock is half the data rate',
    smCount: 84,
    smClockMhz: 1800,
    memoryClockMhz: 8000,
  },
  limits: limits['8.6'],
  throughput: throughput['8.6'],
  tensorCores: tensorCores['8.6'],
  memory: {
    source: 'product data at servethehome.com (48 GB of GDDR6, 384 bit, 768 GB/s); L2: listing of sysrqmts.com',
    type: 'GDDR6',
    capacityBytes: 48 * 2 ** 30,
    busWidthBits: 384,
    bandwidth: 768e9,
    achievableFraction: null,
    l2Bytes: 6 * 2 ** 20,
    l2BytesPerClock: null,
  },
  hostLink: {
    source: 'product data at servethehome.com (PCI Express 4.0 x16); copy engines not found',
    pcieGeneration: 4,
    pcieLanes: 16,
    copyEngines: null,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source: 'GA102: Huerta et al., MICRO 2025 (FFMA 4, LDS 24, LDG 32); L2 and DRAM not found',
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
