/** The traffic of a kernel between the units of its GPU, from Nsight Compute's counters. All pure. */
import { sectorBytes } from '../../../engine/model/geometry.ts';
import type { KernelView } from '../../../engine/model/kernel-view.ts';

export interface MemoryFlows {
  globalRequests: number;
  globalBytes: number;
  /** Variables of threads that are no registers, and spilled registers. */
  localRequests: number;
  localBytes: number;
  /** Textures and surfaces. */
  textureBytes: number;
  /** Copies in bulk (TMA) between global and shared memory, which pass L1 by. */
  bulkCopies: number;
  bulkBytes: number;
  sharedRequests: number;
  sharedWavefronts: number;
  bankConflicts: number;
  l1HitPercent: number | null;
  l2Bytes: number;
  l2HitPercent: number | null;
  dramReadBytes: number;
  dramWriteBytes: number;
}

/** null where the trace has no counters of the kernel. */
export function memoryFlows(metrics: KernelView['metrics']): MemoryFlows | null {
  const values = new Map(metrics.map(({ metric, value }) => [metric, value]));
  if (!values.has('lts__t_sectors.sum') && !values.has('dram__bytes_read.sum')) return null;
  const of = (name: string): number => values.get(name) ?? 0;
  const sum = (name: (what: string) => string, whats: readonly string[]): number =>
    whats.reduce((all, what) => all + of(name(what)), 0);
  const all = ['ld', 'st', 'atom', 'red'];
  const both = ['ld', 'st'];
  return {
    globalRequests: sum((what) => `l1tex__t_requests_pipe_lsu_mem_global_op_${what}.sum`, all),
    globalBytes: sectorBytes * sum((what) => `l1tex__t_sectors_pipe_lsu_mem_global_op_${what}.sum`, all),
    localRequests: sum((what) => `l1tex__t_requests_pipe_lsu_mem_local_op_${what}.sum`, both),
    localBytes: sectorBytes * sum((what) => `l1tex__t_sectors_pipe_lsu_mem_local_op_${what}.sum`, both),
    textureBytes:
      sectorBytes *
      (of('l1tex__t_sectors_pipe_tex_mem_texture.sum') +
        sum((what) => `l1tex__t_sectors_pipe_tex_mem_surface_op_${what}.sum`, both)),
    bulkCopies: sum((what) => `smsp__inst_executed_op_tma_${what}.sum`, both),
    bulkBytes:
      sectorBytes *
      (of('l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum') +
        of('l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum')),
    sharedRequests: sum((what) => `smsp__inst_executed_op_shared_${what}.sum`, all),
    sharedWavefronts: sum((what) => `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${what}.sum`, all),
    bankConflicts: sum((what) => `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${what}.sum`, all),
    l1HitPercent: values.get('l1tex__t_sector_hit_rate.pct') ?? null,
    l2Bytes: sectorBytes * of('lts__t_sectors.sum'),
    l2HitPercent: values.get('lts__t_sector_hit_rate.pct') ?? null,
    dramReadBytes: of('dram__bytes_read.sum'),
    dramWriteBytes: of('dram__bytes_write.sum'),
  };
}
