import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const h200 = {
  id: 'h200',
  name: 'NVIDIA H200',
  chip: 'GH100',
  architecture: 'Hopper',
  computeCapability: { major: 9, minor: 0 },
  core: {
    source: 'H200 reference, device properties; clock held in every suite',
    smCount: 132,
    smClockMhz: 1980,
    memoryClockMhz: 3201,
  },
  limits: limits['9.0'],
  throughput: throughput['9.0'],
  tensorCores: tensorCores['9.0'],
  memory: {
    source:
      'H200 reference, device properties; achievable: A9 read_cg_1024MB and write_1024MB, 245 us each (plain copies reach ' +
      'less: copy_1024MB 542 us); L2: A9 read_cg_32MB, 32.4 us of which 0.6 are the ramp; its halves: ' +
      'A4 random_gather, sectors looked up and bytes read from DRAM by windows of 4 MB to 1 GB',
    type: 'HBM3e',
    capacityBytes: 150_109_880_000,
    busWidthBits: 6016,
    bandwidth: 4814.304e9,
    achievableFraction: 0.91,
    l2Bytes: 60 * 2 ** 20,
    l2Halves: 2,
    l2BytesPerClock: 4250,
  },
  hostLink: {
    source: 'H200 reference, device properties and cases C3 memcpy H2D_pinned_262144KB, D2H_pinned_262144KB',
    pcieGeneration: 5,
    pcieLanes: 16,
    copyEngines: 3,
    hostToDevice: 55.5e9,
    deviceToHost: 55.4e9,
  },
  latency: {
    source:
      'H200 reference, A1 latency: ffma, dfma, mufu_rsq, lds32, l1_hit_32KB, l2_cg_8192KB, dram_cold_256MB, ' +
      'syncthreads_256',
    alu: 4,
    fp64: 8,
    special: 17,
    shared: 23,
    l1Hit: 32,
    l2Hit: 276,
    dram: 655,
    barrier: 28,
  },
} satisfies GpuDescription;
