import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const c2050 = {
  id: 'c2050',
  name: 'Tesla C2050',
  chip: 'GF100',
  architecture: 'Fermi',
  computeCapability: { major: 2, minor: 0 },
  core: {
    source:
      'listings of sysrqmts.com, technical.city and fpsbench.com (clock of the cores, twice that of the rest of the SM); ' +
      'memory clock is half the data rate',
    smCount: 14,
    smClockMhz: 1147,
    memoryClockMhz: 1500,
  },
  limits: limits['2.0'],
  throughput: throughput['2.0'],
  tensorCores: tensorCores['2.0'],
  memory: {
    source:
      'NVIDIA board specification BD-04983-001 (3 GB of GDDR5, 144 GB/s, both without ECC); bus width and L2: listings ' +
      'of sysrqmts.com, technical.city and fpsbench.com',
    type: 'GDDR5',
    capacityBytes: 3 * 2 ** 30,
    busWidthBits: 384,
    bandwidth: 144e9,
    achievableFraction: null,
    l2Bytes: 768 * 1024,
    l2BytesPerClock: null,
  },
  hostLink: {
    source:
      'NVIDIA board specification BD-04983-001 (PCI Express 2.0 x16); copy engines: NVIDIA webinar "CUDA C/C++ Streams ' +
      'and Concurrency" (compute capability 2.0: two copies at a time, in different directions)',
    pcieGeneration: 2,
    pcieLanes: 16,
    copyEngines: 2,
    hostToDevice: null,
    deviceToHost: null,
  },
  latency: {
    source:
      'CUDA C Programming Guide 4.2, multiprocessor level (about 22 cycles between dependent instructions on 2.x); no ' +
      'measurement of caches and memory of a GF100 found',
    alu: 22,
    fp64: null,
    special: null,
    shared: null,
    l1Hit: null,
    l2Hit: null,
    dram: null,
    barrier: null,
  },
} satisfies GpuDescription;
