/**
 * How much is simulated of the blocks that one SM gets, and recorded of it: `counters` and `sampled` simulate the same sample,
 * so that all figures agree, but the first keeps only sums, not what each warp did in each cycle nor addresses of single
 * accesses; `full` simulates all blocks and keeps all of it.
 */
export const details = ['counters', 'sampled', 'full'] as const;
export type Detail = (typeof details)[number];
