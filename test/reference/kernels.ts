/**
 * Single kernels of the H200 reference: what Nsight Compute counted is given to the estimate, so that the timing model is
 * judged without the functional execution.
 */
import { readFileSync } from 'node:fs';
import { gpuById } from '../../engine/gpus/index.ts';
import { estimateKernel } from '../../engine/sm/estimate.ts';
import { instructionClasses } from '../../engine/warp/types.ts';
import type { KernelEstimate } from '../../engine/sm/estimate.ts';
import type { Dim3, InstructionClass, KernelCounts, KernelDescription, KernelLaunch } from '../../engine/warp/types.ts';

type Triple = [number, number, number];

interface Row {
  case: string;
  grid: Triple;
  block: Triple;
  registers: number;
  staticShared: number;
  dynamicShared: number;
  localBytes: number;
  /** Nanoseconds. */
  time: number;
  /** Without those that are 0. */
  metrics: Record<string, number>;
}

export interface KernelCase {
  name: string;
  /** Nanoseconds. */
  measured: number;
  estimate: KernelEstimate;
  metrics: Record<string, number>;
}

export function kernelCases(): KernelCase[] {
  const rows = JSON.parse(readFileSync(new URL('./h200/kernels.json', import.meta.url), 'utf8')) as Row[];
  const gpu = gpuById('h200');
  return rows.map((row) => ({
    name: row.case,
    measured: row.time,
    metrics: row.metrics,
    estimate: estimateKernel(descriptionOf(row), launchOf(row), countsOf(row), gpu),
  }));
}

function descriptionOf(row: Row): KernelDescription {
  return {
    name: row.case,
    parameters: [],
    parameterBytes: 0,
    staticSharedBytes: row.staticShared,
    registersPerThread: row.registers,
    localBytes: row.localBytes,
    maxThreadsPerBlock: null,
  };
}

function launchOf(row: Row): KernelLaunch {
  return {
    kernel: row.case,
    grid: dim3(row.grid),
    block: dim3(row.block),
    dynamicSharedBytes: row.dynamicShared,
    parameters: new Uint8Array(),
  };
}

const dim3 = ([x, y, z]: Triple): Dim3 => ({ x, y, z });

/**
 * Pipes stand for classes: FMA for fp32, less what its heavy half does beyond its share (IMAD runs only there), ALU for
 * int, XU for special. What no pipe counts is control:
 * branches, barriers, exits, of which all but the exit are taken for branches. LSU instructions that are neither global nor
 * shared accesses are taken for shuffles.
 */
function countsOf(row: Row): KernelCounts {
  const m = (name: string): number => row.metrics[name] ?? 0;
  const blocks = row.grid[0] * row.grid[1] * row.grid[2];
  const warps = blocks * Math.ceil((row.block[0] * row.block[1] * row.block[2]) / 32);
  const warpInstructions = m('smsp__inst_executed.sum');
  const pipe = (name: string): number => m(`sm__inst_executed_pipe_${name}.sum`);
  const requests = (op: string): number => m(`l1tex__t_requests_pipe_lsu_mem_global_op_${op}.sum`);
  const sectors = (op: string): number => m(`l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`);
  const shared = (op: string): { requests: number; wavefronts: number } => ({
    requests: m(`smsp__inst_executed_op_shared_${op}.sum`),
    wavefronts: m(`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`),
  });
  const atomicRequests = requests('atom') + requests('red');
  const globalRequests = requests('ld') + requests('st') + atomicRequests;
  const sharedRequests = shared('ld').requests + shared('st').requests;
  const piped = ['fma', 'alu', 'fp64', 'lsu', 'xu', 'uniform', 'tensor_op_hmma'].reduce((sum, p) => sum + pipe(p), 0);
  const branches = Math.max(0, warpInstructions - piped - warps);
  const byClass = Object.fromEntries(instructionClasses.map((name) => [name, 0])) as Record<InstructionClass, number>;
  byClass.imad = Math.max(0, 2 * pipe('fmaheavy') - pipe('fma'));
  byClass.fp32 = pipe('fma') - byClass.imad;
  byClass.int = pipe('alu');
  byClass.fp64 = pipe('fp64');
  byClass.special = pipe('xu');
  byClass.tensor = pipe('tensor_op_hmma');
  byClass.branch = branches + warps;
  byClass.shuffle = Math.max(0, pipe('lsu') - globalRequests - sharedRequests);
  byClass['load-global'] = requests('ld');
  byClass['store-global'] = requests('st');
  byClass['atomic-global'] = atomicRequests;
  byClass['load-shared'] = shared('ld').requests;
  byClass['store-shared'] = shared('st').requests;
  const l1Sectors = sectors('ld') + sectors('st');
  const l1Rate = m('l1tex__t_sector_hit_rate.pct') / 100;
  const l2Sectors = m('lts__t_sectors.sum');
  const l2Rate = m('lts__t_sector_hit_rate.pct') / 100;
  return {
    blocks,
    warps,
    warpInstructions,
    warpInstructionsByClass: byClass,
    threadInstructions: warpInstructions * m('smsp__thread_inst_executed_per_inst_executed.ratio'),
    branches,
    divergentBranches: 0,
    barriers: 0,
    globalLoad: { requests: requests('ld'), sectors: sectors('ld') },
    globalStore: { requests: requests('st'), sectors: sectors('st') },
    globalAtomic: { requests: atomicRequests, sectors: sectors('red') },
    sharedLoad: shared('ld'),
    sharedStore: shared('st'),
    sharedAtomic: { requests: 0, wavefronts: 0 },
    l1Hits: l1Sectors * l1Rate,
    l1Misses: l1Sectors * (1 - l1Rate),
    l2Hits: l2Sectors * l2Rate,
    l2Misses: l2Sectors * (1 - l2Rate),
    dramReadBytes: m('dram__bytes_read.sum'),
    dramWriteBytes: m('dram__bytes_write.sum'),
  };
}
