import { limits, tensorCores, throughput } from './families.ts';
import type { GpuDescription } from './types.ts';

export const v100 = {
  id: 'v100',
  name: 'Tesla V100-PCIE-16GB',
  chip: 'GV100',
  architecture: 'Volta',
  computeCapability: { major: 7, minor: 0 },
  core: {
    source: 'te42kyfo/gpu-benches (V100 PCIe, 1380 MHz); Accel-Sim configuration SM7_QV100 (80 SMs)',
    smCount: 80,
    smClockMhz: 1380,
    memoryClockMhz: 877,
  },
  limits: limits['7.0'],
  throughput: throughput['7.0'],
  tensorCores: tensorCores['7.0'],
  memory: {
    source: '877 MHz on 4096 bit; measured 800 to 895 GB/s: te42kyfo/gpu-benches (commit 1c36d50), middle taken',
    type: 'HBM2',
    capacityBytes: 16 * 2 ** 30,
    busWidthBits: 4096,
    bandwidth: 898e9,
    achievableFraction: 0.94,
    l2Bytes: 6 * 2 ** 20,
    l2BytesPerClock: null,
  },
  hostLink: {
    source: 'te42kyfo/gpu-benches (commit 1c36d50): 12.35 GB/s for large copies; copy engines not found',
    pcieGeneration: 3,
    pcieLanes: 16,
    copyEngines: null,
    hostToDevice: 12.35e9,
    deviceToHost: null,
  },
  latency: {
    source:
      'Jia et al., arXiv 1804.06826 (FMA 4, DFMA 8, shared 19, L1 28, L2 193); DRAM 428 to 437: te42kyfo/gpu-benches; ' +
      'barrier: sjfeng1999/gpu-arch-microbenchmark',
    alu: 4,
    fp64: 8,
    special: null,
    shared: 19,
    l1Hit: 28,
    l2Hit: 193,
    dram: 432,
    barrier: 22,
  },
} satisfies GpuDescription;
