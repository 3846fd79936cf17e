/** Length of the union of ranges in any order. */
export function busyTime(starts: ArrayLike<number>, ends: ArrayLike<number>): number {
  const opening = Float64Array.from(starts).sort();
  const closing = Float64Array.from(ends).sort();
  let busy = 0;
  let since = 0;
  let open = 0;
  for (let o = 0, c = 0; c < closing.length;) {
    if (o < opening.length && opening[o]! <= closing[c]!) {
      if (open++ === 0) since = opening[o]!;
      o++;
    } else {
      if (--open === 0) busy += closing[c]! - since;
      c++;
    }
  }
  return busy;
}
