/**
 * Single kernels of the H200 reference: what Nsight Compute counted is given to the estimate, so that the timing model is
 * judged without the functional execution.
 */
import { readFileSync } from 'node:fs';
import { gpuById } from '../../engine/gpus/index.ts';
import { estimateKernel } from '../../engine/sm/estimate.ts';
import { instructionClasses } from '../../engine/model/execution.ts';
import type { KernelEstimate } from '../../engine/sm/estimate.ts';
import type {
  Dim3,
  GlobalAccesses,
  InstructionClass,
  KernelCounts,
  KernelDescription,
  KernelLaunch,
  SharedAccesses,
} from '../../engine/model/execution.ts';

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
    minBlocksPerSm: 1,
  };
}

/** Taken to go through L1 a line at a time, as those do whose lanes all want the same part of one. */
const ofLines = (requests: number, sectors: number, lines: number): GlobalAccesses => ({
  ...{ requests, sectors, lines },
  wavefronts: Math.max(requests, lines),
  passes: Math.max(requests, lines),
});

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
  const lines = (op: string): number => linesOf(row.case, op, sectors(op));
  const sectors = (op: string): number => m(`l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`);
  const shared = (op: string): SharedAccesses => ({
    requests: m(`smsp__inst_executed_op_shared_${op}.sum`),
    idealWavefronts: m(`smsp__inst_executed_op_shared_${op}.sum`),
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
    globalLoad: ofLines(requests('ld'), sectors('ld'), lines('ld')),
    globalStore: ofLines(requests('st'), sectors('st'), lines('st')),
    globalAtomic: atomicsOf(row.case, atomicRequests, sectors('red')),
    sharedLoad: shared('ld'),
    sharedStore: shared('st'),
    sharedAtomic: { requests: 0, wavefronts: 0, idealWavefronts: 0, lanes: 0 },
    globalReduction: { requests: 0, sectors: 0 },
    localLoad: { requests: 0, sectors: 0 },
    localStore: { requests: 0, sectors: 0 },
    bulkLoad: { requests: 0, sectors: 0, lines: 0 },
    bulkStore: { requests: 0, sectors: 0, lines: 0 },
    textureLoad: { requests: 0, sectors: 0, lines: 0 },
    surfaceLoad: { requests: 0, sectors: 0, lines: 0 },
    surfaceStore: { requests: 0, sectors: 0, lines: 0 },
    l1Hits: l1Sectors * l1Rate,
    l1Misses: l1Sectors * (1 - l1Rate),
    l2Hits: l2Sectors * l2Rate,
    l2Misses: l2Sectors * (1 - l2Rate),
    l2Stored: m('lts__t_sectors_op_write.sum'),
    dramReadBytes: m('dram__bytes_read.sum'),
    dramWriteBytes: m('dram__bytes_write.sum'),
    l2Across: 0,
    dramRows: 0,
    dramFilledBytes: 0,
    dramIdleBytes: 0,
  };
}

/**
 * Nsight Compute does not count lines; from the programs. Neighbouring lanes lie next to each other (four sectors to a line)
 * except where a request's lanes are a row of a matrix apart, in random places, or `stride` words apart.
 */
function linesOf(name: string, op: string, sectors: number): number {
  const scattered =
    op === 'ld'
      ? /rowmapped|random_gather|gather_chain/.test(name)
      : /B3 transpose naive|store_stride_32/.test(name);
  const stride = Number(new RegExp(`${op === 'ld' ? 'load' : 'store'}_stride_(\\d+)`).exec(name)?.[1] ?? 1);
  return scattered ? sectors : sectors / Math.min(4, Math.max(1, 32 / stride));
}

/**
 * The passes in the busiest 512 bytes: from the number of distinct addresses that the programs state (one where they count or
 * sum up), evenly used. Sectors of returning atomics are not counted by Nsight Compute, but are those of the others.
 */
function atomicsOf(name: string, requests: number, reduced: number): KernelCounts['globalAtomic'] {
  const sectors = reduced === 0 && /returning_atom/.test(name) ? 32 * requests : reduced;
  const words =
    Number(/random_2pow(\d+)/.exec(name)?.[1] ?? NaN) > 0
      ? 2 ** Number(/random_2pow(\d+)/.exec(name)?.[1])
      : name.includes('per_warp_own_line')
        ? 131072 * 32
        : name.includes('per_warp')
          ? 131072
          : name.includes('per_block_address')
            ? 16384
            : name.includes('A6 global_atomics distinct')
              ? 4194304
              : 1;
  const hottest = sectors / Math.max(1, words / 128);
  return { ...ofLines(requests, sectors, requests), lanes: 0, conflicts: 0, hottest };
}
