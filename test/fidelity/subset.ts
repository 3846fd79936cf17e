/** Cases that every test run simulates: seconds each, with different limits (DRAM, L1, barriers, tensor units, dispatch). */
import type { Suite } from './programs.ts';

/** Suites, and what `section/name/variant` has to contain. */
export const subset: [Suite, string][] = [
  ['b_mem', 'saxpy'],
  ['b_mem', 'count_equal/gridstride'],
  ['b_gemm', 'wmma_global'],
];
