/**
 * Where lanes went at branches, from how many lanes executed each block: as many leave a block as come to it, so that an edge is known
 * when all others of one of its ends are.
 */

/**
 * `lanes`: by block, how often a lane executed it; `successors`: none where lanes leave for good. Lanes begin at block 0, which nothing
 * leads back to.
 * Returns lanes by edge, in the order of `successors`; null where that does not tell.
 */
export function lanesByEdge(lanes: readonly number[], successors: readonly (readonly number[])[]): (number | null)[][] {
  const edges = successors.flatMap((targets, from) =>
    targets.map((to) => ({ from, to, lanes: null as number | null })),
  );
  const ends = lanes.flatMap((all, block) => [
    { amount: block === 0 ? 0 : all, edges: edges.filter(({ to }) => to === block) },
    { amount: all, edges: edges.filter(({ from }) => from === block) },
  ]);
  const settle = ({ amount, edges }: (typeof ends)[number]): boolean => {
    const unknown = edges.filter((edge) => edge.lanes === null);
    if (unknown.length !== 1) return false;
    const rest = amount - edges.reduce((sum, edge) => sum + (edge.lanes ?? 0), 0);
    unknown[0]!.lanes = rest;
    return true;
  };
  while (ends.some(settle));
  // Counts that do not agree tell nothing: blocks that traps left, say.
  const agree = edges.every((edge) => edge.lanes === null || edge.lanes >= 0);
  let next = 0;
  return successors.map((targets) =>
    targets.map(() => {
      const found = edges[next++]!.lanes;
      return agree ? found : null;
    }),
  );
}
