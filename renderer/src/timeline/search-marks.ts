/** A third of the strip for a single hit, all of it for the densest part; logarithmic, because one of a thousand counts as well. */
export function markHeights(density: ArrayLike<number>): number[] {
  const counts = Array.from(density);
  const most = Math.max(1, ...counts);
  return counts.map((count) =>
    count === 0 ? 0 : 1 / 3 + (2 / 3) * (most === 1 ? 0 : Math.log(count) / Math.log(most)),
  );
}
