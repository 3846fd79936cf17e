/** How much is simulated of the blocks that one SM gets: a sample, or all of them. */
export const details = ['sampled', 'full'] as const;
export type Detail = (typeof details)[number];
