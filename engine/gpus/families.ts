/**
 * The figures that all GPUs of one compute capability share: limits of an SM and results per clock. The board files of this folder
 * refer to these tables, so that a limit is written down once.
 */
import type { GpuDescription } from './types.ts';

type Limits = GpuDescription['limits'];
type Throughput = GpuDescription['throughput'];
type TensorCores = GpuDescription['tensorCores'];

const KIB = 1024;
const kib = (...sizes: number[]): number[] => sizes.map((size) => size * KIB);

const limitsSource =
  'NVIDIA/cccl libcudacxx arch_traits.h (commit 004ad19); CUDA C++ Programming Guide 13.x, tables of technical ' +
  'specifications per compute capability; allocation units: cuda_occupancy.h of CUDA 11.x';

/** The same on every compute capability from 6.0 to 9.0 except where a table below says otherwise. */
const common = {
  source: limitsSource,
  warpsPerSm: 64,
  threadsPerSm: 2048,
  blocksPerSm: 32,
  threadsPerBlock: 1024,
  registersPerSm: 65536,
  registersPerThread: 255,
  registerAllocationUnit: 256,
  doubleUnitRegisterCounts: [],
  registersPerWarpMin: 256,
  sharedBytesPerBlock: 48 * KIB,
  sharedCarveoutDefault: 'needed',
  l1Bytes: null,
} satisfies Partial<Limits>;

export const limits = {
  '2.0': {
    warpsPerSm: 48,
    threadsPerSm: 1536,
    blocksPerSm: 8,
    threadsPerBlock: 1024,
    registersPerSm: 32768,
    registersPerThread: 63,
    registerAllocationUnit: 64,
    doubleUnitRegisterCounts: [21, 22, 29, 30, 37, 38, 45, 46],
    registersPerWarpMin: 64,
    sharedBytesPerSm: 48 * KIB,
    sharedBytesPerBlock: 48 * KIB,
    sharedBytesPerBlockOptin: 48 * KIB,
    sharedReservedBytesPerBlock: 0,
    sharedAllocationUnit: 128,
    unifiedL1SharedBytes: 64 * KIB,
    sharedCarveouts: kib(16, 48),
    sharedCarveoutDefault: 'largest',
    l1Bytes: null,
    source:
      'cuda_occupancy.h of CUDA 8.0 (allocation units, blocks per SM, sizes of shared memory and which is the default); ' +
      "the rest: GPU data of NVIDIA's occupancy calculator as tmcdonell/cuda has them (commit 6fbd7de)",
  },
  '6.1': {
    ...common,
    sharedBytesPerSm: 96 * KIB,
    sharedBytesPerBlockOptin: 48 * KIB,
    sharedReservedBytesPerBlock: 0,
    sharedAllocationUnit: 256,
    unifiedL1SharedBytes: null,
    sharedCarveouts: kib(96),
    l1Bytes: 48 * KIB,
    source: `${limitsSource}; L1 48 KiB per SM: listings of GP108 boards (mt4g measures 24 KiB on GP102)`,
  },
  '7.0': {
    ...common,
    sharedBytesPerSm: 96 * KIB,
    sharedBytesPerBlockOptin: 96 * KIB,
    sharedReservedBytesPerBlock: 0,
    sharedAllocationUnit: 256,
    unifiedL1SharedBytes: 128 * KIB,
    sharedCarveouts: kib(0, 8, 16, 32, 64, 96),
  },
  '7.5': {
    ...common,
    warpsPerSm: 32,
    threadsPerSm: 1024,
    blocksPerSm: 16,
    sharedBytesPerSm: 64 * KIB,
    sharedBytesPerBlockOptin: 64 * KIB,
    sharedReservedBytesPerBlock: 0,
    sharedAllocationUnit: 256,
    unifiedL1SharedBytes: 96 * KIB,
    sharedCarveouts: kib(32, 64),
  },
  '8.0': {
    ...common,
    sharedBytesPerSm: 164 * KIB,
    sharedBytesPerBlockOptin: 163 * KIB,
    sharedReservedBytesPerBlock: 1024,
    sharedAllocationUnit: 128,
    unifiedL1SharedBytes: 192 * KIB,
    sharedCarveouts: kib(0, 8, 16, 32, 64, 100, 132, 164),
  },
  '8.6': {
    ...common,
    warpsPerSm: 48,
    threadsPerSm: 1536,
    blocksPerSm: 16,
    sharedBytesPerSm: 100 * KIB,
    sharedBytesPerBlockOptin: 99 * KIB,
    sharedReservedBytesPerBlock: 1024,
    sharedAllocationUnit: 128,
    unifiedL1SharedBytes: 128 * KIB,
    sharedCarveouts: kib(0, 8, 16, 32, 64, 100),
  },
  '8.9': {
    ...common,
    warpsPerSm: 48,
    threadsPerSm: 1536,
    blocksPerSm: 24,
    sharedBytesPerSm: 100 * KIB,
    sharedBytesPerBlockOptin: 99 * KIB,
    sharedReservedBytesPerBlock: 1024,
    sharedAllocationUnit: 128,
    unifiedL1SharedBytes: 128 * KIB,
    sharedCarveouts: kib(0, 8, 16, 32, 64, 100),
  },
  '9.0': {
    ...common,
    sharedBytesPerSm: 228 * KIB,
    sharedBytesPerBlockOptin: 227 * KIB,
    sharedReservedBytesPerBlock: 1024,
    sharedAllocationUnit: 128,
    unifiedL1SharedBytes: 256 * KIB,
    sharedCarveouts: kib(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    registersPerWarpMin: 512,
    source:
      `${limitsSource}; block, SM and reserved sizes agree with the device properties of the H200 reference; least ` +
      'registers of a warp: kernels with 8 per thread count like those with 16 there (A6 global_atomics)',
  },
} satisfies Record<string, Limits>;

const guide = 'CUDA C++ Programming Guide, table of arithmetic instruction throughput';

export const throughput = {
  '2.0': {
    source:
      `${guide} (table 2 of the copy in PCSX2's nvidia_throughput.txt, column 2.0; no shuffles, no half precision); ` +
      'load/store: 16 units per SM (Fermi whitepaper); schedulers: cuda_occupancy.h of CUDA 8.0, two sub-partitions',
    fp32: 32,
    fp64: 16,
    fp16: null,
    int32: 32,
    imad: 16,
    special: 4,
    conversion: 16,
    shuffle: null,
    loadStore: 16,
    schedulers: 2,
  },
  '6.1': {
    source: `${guide} (11.x); no native 32-bit multiply-add on Pascal, so imad is not known; load/store not found`,
    fp32: 128,
    fp64: 4,
    fp16: 2,
    int32: 128,
    imad: null,
    special: 32,
    conversion: null,
    shuffle: 32,
    loadStore: null,
    schedulers: 4,
  },
  '7.0': {
    source: `${guide} (11.x); load/store not found`,
    fp32: 64,
    fp64: 32,
    fp16: 128,
    int32: 64,
    imad: 64,
    special: 16,
    conversion: null,
    shuffle: 32,
    loadStore: null,
    schedulers: 4,
  },
  '7.5': {
    source: `${guide} (11.x, column 7.x; FP64 32:1); load/store not found`,
    fp32: 64,
    fp64: 2,
    fp16: 128,
    int32: 64,
    imad: 64,
    special: 16,
    conversion: null,
    shuffle: 32,
    loadStore: null,
    schedulers: 4,
  },
  '8.0': {
    source: `${guide} (12.6); load/store from 128 bytes per clock of L1 (AMALI, ISCA 2025)`,
    fp32: 64,
    fp64: 32,
    fp16: 256,
    int32: 64,
    imad: 64,
    special: 16,
    conversion: 16,
    shuffle: 32,
    loadStore: 32,
    schedulers: 4,
  },
  '8.6': {
    source:
      `${guide} (12.6); fp16 left out: the guide prints 256, board listings say 128; load/store: one warp ` +
      'instruction per two cycles and SM (Huerta et al., MICRO 2025, measured on GA102)',
    fp32: 128,
    fp64: 2,
    fp16: null,
    int32: 64,
    imad: 64,
    special: 16,
    conversion: 16,
    shuffle: 32,
    loadStore: 16,
    schedulers: 4,
  },
  '8.9': {
    source: `${guide} (12.6); special functions, multiply-add and load/store not found`,
    fp32: 128,
    fp64: 2,
    fp16: 128,
    int32: 64,
    imad: null,
    special: null,
    conversion: 16,
    shuffle: 32,
    loadStore: null,
    schedulers: 4,
  },
  '9.0': {
    source: `${guide} (12.6); imad, special and load/store: H200 reference, cases A2 throughput imad, mufu_rsq, lds32`,
    fp32: 128,
    fp64: 64,
    fp16: 256,
    int32: 64,
    imad: 64,
    special: 16,
    conversion: 16,
    shuffle: 32,
    loadStore: 32,
    schedulers: 4,
  },
} satisfies Record<string, Throughput>;

const noTensorCores = { fp16: null, tf32: null, fp8: null, fp64: null, clockShare: 1 };
const openXla = 'cuda_core_info_table.cc of OpenXLA (four cores per SM)';

export const tensorCores = {
  '2.0': { source: 'none before compute capability 7.0', ...noTensorCores },
  '6.1': { source: 'none before compute capability 7.0', ...noTensorCores },
  '7.0': { source: 'eight cores of 64: Cornell Virtual Workshop, GPU architecture', ...noTensorCores, fp16: 512 },
  '7.5': { source: 'eight cores of 64: product data of the T4', ...noTensorCores, fp16: 512 },
  '8.0': { source: openXla, fp16: 1024, tf32: 512, fp8: null, fp64: 64, clockShare: 1 },
  '8.6': { source: 'not found; listings do not say whether they mean dense matrices', ...noTensorCores },
  '8.9': { source: '165 TFLOP/s of an RTX 4090 (128 SMs, 2520 MHz): product data', ...noTensorCores, fp16: 256 },
  '9.0': {
    source: `${openXla}, where they run at 0.924 of the clock of the SM except for FP64`,
    ...{ fp16: 2048, tf32: 1024, fp8: 4096, fp64: 128, clockShare: 0.924 },
  },
} satisfies Record<string, TensorCores>;

/**
 * Multiply-adds of integers of 8 bits per clock of the tensor cores and SM, by compute capability. They stand beside the descriptions, which
 * recordings hold.
 */
export const int8TensorCores: ReadonlyMap<string, { source: string; perClock: number }> = new Map([
  ['7.5', { source: '130 TOPS of a T4, twice its FP16: product data', perClock: 1024 }],
  ['8.0', { source: '624 TOPS of an A100 (108 SMs, 1410 MHz): product data', perClock: 2048 }],
  ['8.9', { source: '661 TOPS of an RTX 4090 (128 SMs, 2520 MHz): product data', perClock: 1024 }],
  ['9.0', { source: '1979 TOPS of an H100, as in FP8: product data', perClock: 4096 }],
]);
