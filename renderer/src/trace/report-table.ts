/** Cells of reports for people, for sorting, and for spreadsheets. */
import type { CellType, ReportTable } from '../../../engine/model/tables.ts';
import { formatBytes, formatCount, formatTime } from '../../../engine/model/format.ts';
import type { Cell } from './csv.ts';

/** The reports offered, as `nsys stats` names them. */
export const reports = [
  { id: 'cuda_gpu_kern_sum', title: 'Kernels' },
  { id: 'cuda_api_sum', title: 'API calls' },
  { id: 'cuda_gpu_mem_time_sum', title: 'Memory operations by time' },
  { id: 'cuda_gpu_mem_size_sum', title: 'Memory operations by size' },
  { id: 'cuda_gpu_sum', title: 'Kernels and memory operations' },
  { id: 'cuda_kern_exec_sum', title: 'Launch and execution of kernels' },
  { id: 'nvtx_sum', title: 'NVTX ranges' },
  { id: 'um_sum', title: 'Unified memory' },
  { id: 'um_total_sum', title: 'Unified memory: totals' },
  { id: 'um_cpu_page_faults_sum', title: 'CPU page faults' },
  { id: 'cuda_gpu_trace', title: 'GPU trace' },
  { id: 'cuda_api_trace', title: 'API trace' },
  { id: 'cuda_kern_exec_trace', title: 'Launch and execution trace' },
] as const;

export function formatCell(value: Cell, type: CellType): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  switch (type) {
    case 'nanoseconds':
      return formatTime(value);
    case 'bytes':
      return formatBytes(value);
    case 'percent':
      return `${value.toFixed(1)} %`;
    case 'integer':
      return formatCount(value);
    case 'number':
      if (Number.isInteger(value) || Math.abs(value) >= 1e4) return formatCount(value);
      return Math.abs(value) < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
    default:
      return String(value);
  }
}

/** A copy in order; empty cells last in both directions. */
export function sortRows(rows: readonly Cell[][], column: number, descending: boolean): Cell[][] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = a[column] ?? null;
    const y = b[column] ?? null;
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    if (typeof x === 'number' && typeof y === 'number') return (x - y) * sign;
    return String(x).localeCompare(String(y), 'en', { numeric: true }) * sign;
  });
}

/** Columns are named `Total Time (ns)` as `nsys` does; cells here carry their own unit. */
export function columnTitle(name: string, type: CellType): string {
  return type === 'nanoseconds' ? name.replace(/ \(ns\)$/, '') : name;
}

export function columnIndex(table: ReportTable, pattern: RegExp): number {
  return table.columns.findIndex(({ name }) => pattern.test(name));
}
