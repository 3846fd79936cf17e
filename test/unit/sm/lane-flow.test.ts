/** Where lanes went at branches, against programs that are walked lane by lane. */
import { expect, test } from 'vitest';
import { lanesByEdge } from '../../../engine/sm/lane-flow.ts';

/** Sends lanes through, each the way that `choose` says; counts blocks and edges. */
function walk(successors: number[][], lanes: number): { blocks: number[]; edges: number[][] } {
  const blocks = successors.map(() => 0);
  const edges = successors.map((targets) => targets.map(() => 0));
  let seed = 7;
  for (let lane = 0; lane < lanes; lane++) {
    let at = 0;
    for (;;) {
      blocks[at]!++;
      const targets = successors[at]!;
      if (targets.length === 0) break;
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const way = (seed >>> 16) % targets.length;
      edges[at]![way]!++;
      at = targets[way]!;
    }
  }
  return { blocks, edges };
}

test.each([
  ['if', [[1, 2], [2], []]],
  ['if and else', [[1, 2], [3], [3], []]],
  ['a loop', [[1], [1, 2], []]],
  ['a loop with a way out', [[1], [2, 4], [3, 4], [1, 4], []]],
  ['nested', [[1, 6], [2], [3, 4], [4], [2, 5], [6], []]],
  ['one of three', [[1, 2, 3], [4], [4], [4], []]],
])('%s', (_, successors) => {
  const { blocks, edges } = walk(successors, 1000);
  expect(lanesByEdge(blocks, successors)).toEqual(edges);
});

test('what counts of blocks do not tell is not told', () => {
  // From 1 and 2 both to 3 and 4.
  const successors = [[1, 2], [3, 4], [3, 4], [], []];
  const { blocks, edges } = walk(successors, 1000);
  expect(lanesByEdge(blocks, successors)).toEqual([edges[0], [null, null], [null, null], [], []]);
  expect(lanesByEdge([10, 20, 5], [[1, 2], [2], []])).toEqual([[null, null], [null], []]);
});
