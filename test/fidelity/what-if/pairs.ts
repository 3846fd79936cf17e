/**
 * Programs of the H200 reference before and after a fix, each with the limit that the fix lifts. Which one was decided by what the
 * fix does to the program, before any of them had been recorded without a limit, and all pairs are kept.
 */
import type { Limit } from '../../../engine/base/limits.ts';
import type { Suite } from '../programs.ts';

/** A case of `cases.json`, by name, variant and what its parameters have to be; and what the program here calls it. */
export interface CaseOfPair {
  case: string;
  name: string;
  variant: string;
  params?: Record<string, unknown>;
}

export interface KernelPair {
  program: Suite;
  before: CaseOfPair;
  after: CaseOfPair;
  limit: Limit;
  /** The fix, as the end of a sentence. */
  fix: string;
  /** Said after the recordings, where the real gain came out larger: what the fix does beyond lifting the limit. */
  beyond?: string;
}

/** Example programs of engine/labs, which print how long they take: labs.json. */
export interface LabPair {
  program: 'launches' | 'overlap' | 'matmul';
  before: string[];
  after: string[];
  limit: Limit;
  fix: string;
  beyond?: string;
}

const of = (name: string, variant: string, params?: Record<string, unknown>, id = variant): CaseOfPair => ({
  case: id,
  name,
  variant,
  ...(params ? { params } : {}),
});
const app = (name: string, variant: string, id: string): CaseOfPair => of(name, variant, undefined, id);

const transpose = { n: 2048 };
const records = { n: 4_194_304 };
const vectors = { n: 16_777_216 };
const tiles = { fma_per_element: 8, blocks_per_sm: 1 };
const product = { M: 1024 };

export const kernelPairs: readonly KernelPair[] = [
  {
    program: 'a_mem',
    before: of('shared_bank_conflict', 'column_32x32_t256'),
    after: of('shared_bank_conflict', 'column_32x33_padded_t256'),
    limit: 'bank-conflicts',
    fix: 'pads the rows of a tile whose columns are read',
  },
  {
    program: 'b_mem',
    before: of('transpose', 'tile32x32_conflicts', transpose),
    after: of('transpose', 'tile32x33_padded', transpose),
    limit: 'bank-conflicts',
    fix: 'pads the rows of the tile',
  },
  {
    program: 'b_reduce_pipeline',
    before: of('reduction_sum', 'tree_strided_bank_conflicts', vectors),
    after: of('reduction_sum', 'tree_sequential', vectors),
    limit: 'bank-conflicts',
    fix: 'adds neighbours of a power of two away, without conflicts',
  },
  {
    program: 'a_mem',
    before: of('access_pattern', 'load_stride_8'),
    after: of('access_pattern', 'load_stride_1'),
    limit: 'coalescing',
    fix: 'reads neighbouring words',
  },
  {
    program: 'a_mem',
    before: of('access_pattern', 'store_stride_8'),
    after: of('access_pattern', 'load_stride_1'),
    limit: 'coalescing',
    fix: 'writes neighbouring words: both are then the same copy',
  },
  {
    program: 'b_mem',
    before: of('transpose', 'naive', transpose),
    after: of('transpose', 'tile32x33_padded', transpose),
    limit: 'coalescing',
    fix: 'turns a tile in shared memory, to write rows',
  },
  {
    program: 'b_mem',
    before: of('aos_soa_one_field', 'aos', records),
    after: of('aos_soa_one_field', 'soa', records),
    limit: 'coalescing',
    fix: 'gives the one field that is used an array of its own',
    beyond: '16 MB stay in L2, where 48 MB did not: what-if takes the hits of L2 as they were',
  },
  {
    program: 'b_gemm',
    before: of('sgemm', 'naive_rowmapped_16x16', product),
    after: of('sgemm', 'naive_16x16', product),
    limit: 'coalescing',
    fix: 'lets neighbouring threads have neighbouring columns',
  },
  {
    program: 'v_apps',
    before: app('matvec', 'row_per_thread', 'matvec_row_per_thread'),
    after: app('matvec', 'row_per_warp', 'matvec_row_per_warp'),
    limit: 'coalescing',
    fix: 'lets a warp read each row together; there are 32 times as many threads then',
    beyond: 'the threads: 8192 are too few to hide latency, whatever they read',
  },
  {
    program: 'v_apps',
    before: app('small_products', 'aos', 'small_aos'),
    after: app('small_products', 'soa', 'small_soa'),
    limit: 'coalescing',
    fix: 'stores matrices element by element',
    beyond: 'nothing: the simulated fix gains as much as the what-if says',
  },
  {
    program: 'v_apps',
    before: app('layernorm', 'row_per_thread', 'layernorm_row_per_thread'),
    after: app('layernorm', 'row_per_block', 'layernorm_row_per_block'),
    limit: 'coalescing',
    fix: 'lets a block read each row together; there are 256 times as many threads then',
    beyond: 'the threads: 16384 are too few to hide latency, whatever they read',
  },
  {
    program: 'x_apps',
    before: app('lattice_boltzmann', 'aos', 'lattice_aos'),
    after: app('lattice_boltzmann', 'soa', 'lattice_soa'),
    limit: 'coalescing',
    fix: 'gives each velocity an array of its own',
  },
  {
    program: 'x_apps',
    before: app('tridiagonal', 'contiguous', 'tridiagonal_contiguous'),
    after: app('tridiagonal', 'interleaved', 'tridiagonal_interleaved'),
    limit: 'coalescing',
    fix: 'interleaves the systems',
    beyond: 'nothing: the simulated fix gains less than the what-if says',
  },
  {
    program: 'a_mem',
    before: of('divergence', 'paths_32'),
    after: of('divergence', 'paths_1'),
    limit: 'divergence',
    fix: 'sends all lanes of a warp the same way',
  },
  {
    program: 'a_mem',
    before: of('divergence', 'paths_4'),
    after: of('divergence', 'paths_1'),
    limit: 'divergence',
    fix: 'sends all lanes of a warp the same way',
  },
  {
    program: 'b_reduce_pipeline',
    before: of('reduction_sum', 'tree_modulo_divergent', vectors),
    after: of('reduction_sum', 'tree_sequential', vectors),
    limit: 'divergence',
    fix: 'lets the threads that add be neighbours',
  },
  {
    program: 'a_mem',
    before: of('bytes_in_flight', 'float_x1_occ1'),
    after: of('bytes_in_flight', 'float_x1_occ8'),
    limit: 'occupancy',
    fix: 'takes less shared memory, so that 8 blocks fit instead of 1',
  },
  {
    program: 'a_mem',
    before: of('occupancy_line_chain_l2', 'blocks_per_sm_1', undefined, 'line_chain_l2_1'),
    after: of('occupancy_line_chain_l2', 'blocks_per_sm_32', undefined, 'line_chain_l2_32'),
    limit: 'occupancy',
    fix: 'takes less shared memory, so that 32 blocks fit instead of 1',
  },
  {
    program: 'a_mem',
    before: of('bytes_in_flight', 'float_x1_occ1'),
    after: of('bytes_in_flight', 'float_x8_occ1'),
    limit: 'latency',
    fix: 'lets each thread have 8 loads on their way instead of 1',
    beyond: 'an eighth of the blocks: starting them one after the other is what is left without latency',
  },
  {
    program: 'b_reduce_pipeline',
    before: of('tile_pipeline', 'synchronous', tiles),
    after: of('tile_pipeline', 'cp_async_3stage', tiles),
    limit: 'latency',
    fix: 'loads the next tiles while one is computed',
  },
  {
    program: 'v_apps',
    before: app('nbody', 'global', 'nbody_global'),
    after: app('nbody', 'tiled', 'nbody_tiled'),
    limit: 'latency',
    fix: 'reads bodies from shared memory, which answers sooner than L1',
    beyond: 'fewer cycles of the memory pipe; the simulated fix gains less than the what-if says',
  },
  {
    program: 'v_apps',
    before: app('conv5x5', 'global', 'conv_global'),
    after: app('conv5x5', 'shared', 'conv_shared'),
    limit: 'l1-l2',
    fix: 'keeps what neighbours share in shared memory',
  },
  {
    program: 'v_apps',
    before: app('jacobi7_3d', 'naive', 'jacobi_naive'),
    after: app('jacobi7_3d', 'marching', 'jacobi_marching'),
    limit: 'l1-l2',
    fix: 'keeps what the next plane needs in registers and shared memory',
  },
  {
    program: 'b_mem',
    before: of('saxpy', 'unfused_2_kernels', vectors),
    after: of('saxpy', 'fused', vectors),
    limit: 'dram-bandwidth',
    fix: 'keeps the product in a register instead of sending it to DRAM and back',
    beyond: 'a third less goes through L2, which decides when DRAM does not, and one kernel less starts',
  },
  {
    program: 'v_apps',
    before: app('gelu', 'float', 'gelu_float'),
    after: app('gelu', 'half2', 'gelu_half2'),
    limit: 'dram-bandwidth',
    fix: 'halves the bytes',
    beyond: 'halves the instructions, too, and what goes through L2',
  },
];

export const labPairs: readonly LabPair[] = [
  {
    program: 'launches',
    before: ['stream'],
    after: ['fused'],
    limit: 'launches',
    fix: 'one kernel does all steps',
    beyond: 'no kernels either: the steps are done in registers',
  },
  {
    program: 'overlap',
    before: ['pinned', '1', '8', '1'],
    after: ['pinned', '4', '8', '1'],
    limit: 'overlap',
    fix: 'four streams in place of one',
  },
  {
    program: 'overlap',
    before: ['pageable', '1', '8', '1'],
    after: ['pinned', '4', '8', '1'],
    limit: 'overlap',
    fix: 'page-locked memory and four streams',
  },
  {
    program: 'matmul',
    before: ['naive'],
    after: ['tiled'],
    limit: 'l1-l2',
    fix: 'keeps tiles in shared memory',
    beyond: 'a sixteenth of the lines to look up: what limits the naive kernel is the rate of L1, not what it misses',
  },
];
