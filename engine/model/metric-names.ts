/**
 * Names of Nsight Compute's metrics on its details page, and the sections they stand in. A metric that is not
 * listed is shown under its own name, in a section guessed from its unit prefix.
 */
import { formatBytes, formatNumber, formatPercent, formatTime } from './format.ts';

export type MetricSection = 'Launch configuration' | 'Occupancy' | 'Memory' | 'Estimate' | 'Warp states' | 'Metrics';

/** 1 of launches that were not executed, whose results are missing (`--sample`). */
export const timedOnlyMetric = 'simsight__timed_only';

/** 1 of kernels of a library that were not simulated: their times are those of a model of measured ones. */
export const libraryMetric = 'simsight__timed_by_measurement';

const labels: Readonly<Record<string, [MetricSection, string]>> = {
  'gpu__time_duration.sum': ['Metrics', 'Duration'],
  launch__waves_per_multiprocessor: ['Launch configuration', 'Waves Per SM'],
  launch__thread_count: ['Launch configuration', 'Threads'],
  launch__grid_size: ['Launch configuration', 'Grid Size'],
  launch__block_size: ['Launch configuration', 'Block Size'],
  launch__registers_per_thread: ['Launch configuration', 'Registers Per Thread'],
  launch__shared_mem_config_size: ['Launch configuration', 'Shared Memory Configuration Size'],
  launch__shared_mem_per_block_static: ['Launch configuration', 'Static Shared Memory Per Block'],
  launch__shared_mem_per_block_dynamic: ['Launch configuration', 'Dynamic Shared Memory Per Block'],
  launch__shared_mem_per_block_driver: ['Launch configuration', 'Driver Shared Memory Per Block'],
  launch__occupancy_limit_blocks: ['Occupancy', 'Block Limit SM'],
  launch__occupancy_limit_registers: ['Occupancy', 'Block Limit Registers'],
  launch__occupancy_limit_shared_mem: ['Occupancy', 'Block Limit Shared Mem'],
  launch__occupancy_limit_warps: ['Occupancy', 'Block Limit Warps'],
  sm__maximum_warps_per_active_cycle_pct: ['Occupancy', 'Theoretical Occupancy'],
  sm__maximum_warps_avg_per_active_cycle: ['Occupancy', 'Theoretical Active Warps per SM'],
  'sm__warps_active.avg.pct_of_peak_sustained_active': ['Occupancy', 'Achieved Occupancy'],
  'sm__warps_active.avg.per_cycle_active': ['Occupancy', 'Achieved Active Warps Per SM'],
  'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': ['Memory', 'Global Load Requests'],
  'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': ['Memory', 'Global Store Requests'],
  'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': ['Memory', 'Global Load Sectors'],
  'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': ['Memory', 'Global Store Sectors'],
  'l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum': ['Memory', 'Global Atomic Requests'],
  'l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum': ['Memory', 'Global Atomic Sectors'],
  'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio': ['Memory', 'Sectors/Req Global Load'],
  'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio': ['Memory', 'Sectors/Req Global Store'],
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum': ['Memory', 'Shared Memory Bank Conflicts'],
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': ['Memory', 'Shared Load Bank Conflicts'],
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum': ['Memory', 'Shared Store Bank Conflicts'],
  'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum': ['Memory', 'Shared Atomic Bank Conflicts'],
  'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': ['Memory', 'Shared Load Wavefronts'],
  'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum': ['Memory', 'Shared Store Wavefronts'],
  'smsp__inst_executed_op_shared_ld.sum': ['Memory', 'Shared Load Instructions'],
  'smsp__inst_executed_op_shared_st.sum': ['Memory', 'Shared Store Instructions'],
  'smsp__inst_executed_op_tma_ld.sum': ['Memory', 'Bulk Load Instructions'],
  'smsp__inst_executed_op_tma_st.sum': ['Memory', 'Bulk Store Instructions'],
  'l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum': ['Memory', 'Bulk Load Sectors'],
  'l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum': ['Memory', 'Bulk Store Sectors'],
  'l1tex__t_sectors_pipe_tex_mem_texture.sum': ['Memory', 'Texture Sectors'],
  'l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum': ['Memory', 'Surface Load Sectors'],
  'l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum': ['Memory', 'Surface Store Sectors'],
  'l1tex__t_sector_hit_rate.pct': ['Memory', 'L1/TEX Hit Rate'],
  'lts__t_sector_hit_rate.pct': ['Memory', 'L2 Hit Rate'],
  'lts__t_sectors.sum': ['Memory', 'L2 Sectors'],
  'dram__bytes.sum': ['Memory', 'DRAM Bytes'],
  'dram__bytes_read.sum': ['Memory', 'DRAM Bytes Read'],
  'dram__bytes_write.sum': ['Memory', 'DRAM Bytes Written'],
  'nvlrx__bytes.sum': ['Memory', 'NVLink Bytes Received'],
  'nvltx__bytes.sum': ['Memory', 'NVLink Bytes Transmitted'],
  'dram__throughput.avg.pct_of_peak_sustained_elapsed': ['Memory', 'DRAM Throughput'],
  'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed': ['Memory', 'Memory Throughput'],
  'sm__throughput.avg.pct_of_peak_sustained_elapsed': ['Metrics', 'Compute (SM) Throughput'],
  'smsp__inst_executed.sum': ['Metrics', 'Executed Instructions'],
  'smsp__thread_inst_executed.sum': ['Metrics', 'Thread Instructions Executed'],
  'smsp__thread_inst_executed_per_inst_executed.ratio': ['Metrics', 'Avg. Active Threads Per Warp'],
  'smsp__issue_active.avg.pct_of_peak_sustained_active': ['Metrics', 'Issue Slots Busy'],
  [libraryMetric]: ['Estimate', 'Timed by Measurement, Not Simulated'],
  [timedOnlyMetric]: ['Estimate', 'Share That Was Timed Only, Not Executed'],
  'simsight__sampled.pct': ['Estimate', 'Simulated Part of an SM’s Blocks'],
  'simsight__sampling_error.pct': ['Estimate', 'Error by Extrapolation'],
};

const prefixes: readonly [string, MetricSection][] = [
  ['simsight__', 'Estimate'],
  ['launch__occupancy', 'Occupancy'],
  ['launch__', 'Launch configuration'],
  ['dram__', 'Memory'],
  ['l1tex__', 'Memory'],
  ['lts__', 'Memory'],
];

export function describeMetric(name: string): { section: MetricSection; label: string } {
  const stall = /^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$/.exec(name)?.[1];
  if (stall !== undefined) return { section: 'Warp states', label: `Stall ${capitals(stall)}` };
  const known = labels[name];
  if (known) return { section: known[0], label: known[1] };
  const prefix = prefixes.find(([start]) => name.startsWith(start));
  return { section: prefix?.[1] ?? 'Metrics', label: name };
}

/** Nsight Compute's titles: `long_scoreboard` is "Long Scoreboard". */
const capitals = (name: string): string =>
  name.replace(/(^|_)([a-z])/g, (_, space: string, letter: string) => `${space && ' '}${letter.toUpperCase()}`);

/** With the unit that the metric's name implies. */
export function formatMetric(name: string, value: number): string {
  const unit = unitOfMetric(name);
  if (unit === 'percent') return formatPercent(value);
  if (unit === 'ns' || name.endsWith('_ns')) return formatTime(value);
  return unit === 'bytes' ? formatBytes(value) : formatNumber(value);
}

/** Longer ones are no metric's: a file can say anything, and looking for words in it takes time. */
const longestName = 300;

export function unitOfMetric(name: string): 'percent' | 'ns' | 'bytes' | null {
  if (name.length > longestName) return null;
  if (/(\.pct|_pct|pct_of_peak\w*)$/.test(name)) return 'percent';
  if (/time_duration/.test(name)) return 'ns';
  return /bytes(_\w+)?(\.sum)?$|shared_mem_config_size|shared_mem_per_block/.test(name) ? 'bytes' : null;
}

/** The resources that limit how many blocks an SM holds, as Nsight Compute's occupancy section names them. */
export const occupancyLimits: readonly [metric: string, resource: string][] = [
  ['launch__occupancy_limit_warps', 'Warps'],
  ['launch__occupancy_limit_registers', 'Registers'],
  ['launch__occupancy_limit_blocks', 'SM'],
  ['launch__occupancy_limit_shared_mem', 'Shared Memory'],
];
