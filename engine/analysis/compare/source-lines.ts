/** Matches the lines of two versions of a file: a longest common subsequence of lines, without their indentation. */

/** Larger products of what differs are matched by lines that occur once in either: nobody reads a change of a thousand lines by line. */
const mostCells = 4e6;

/** For each line of `before` (from 0) the one of `after` that it became; -1 where it is gone. */
export function sameLines(before: readonly string[], after: readonly string[]): Int32Array {
  const [was, is] = [before.map((line) => line.trim()), after.map((line) => line.trim())];
  const found = new Int32Array(was.length).fill(-1);
  let from = 0;
  while (from < was.length && from < is.length && was[from] === is[from]) found[from] = from++;
  let [wasEnd, isEnd] = [was.length, is.length];
  while (wasEnd > from && isEnd > from && was[wasEnd - 1] === is[isEnd - 1]) found[--wasEnd] = --isEnd;
  const [rows, columns] = [wasEnd - from, isEnd - from];
  if (rows === 0 || columns === 0) return found;
  if (rows * columns > mostCells) return onlyOnes(was, is, found, from, wasEnd, isEnd);
  // Longest from each pair of lines to the ends.
  const longest = new Uint32Array((rows + 1) * (columns + 1));
  const at = (r: number, c: number): number => r * (columns + 1) + c;
  for (let r = rows - 1; r >= 0; r--) {
    for (let c = columns - 1; c >= 0; c--) {
      longest[at(r, c)] =
        was[from + r] === is[from + c]
          ? longest[at(r + 1, c + 1)]! + 1
          : Math.max(longest[at(r + 1, c)]!, longest[at(r, c + 1)]!);
    }
  }
  for (let r = 0, c = 0; r < rows && c < columns;) {
    if (was[from + r] === is[from + c]) found[from + r++] = from + c++;
    else if (longest[at(r + 1, c)]! >= longest[at(r, c + 1)]!) r++;
    else c++;
  }
  return found;
}

function onlyOnes(
  was: readonly string[],
  is: readonly string[],
  found: Int32Array,
  from: number,
  wasEnd: number,
  isEnd: number,
): Int32Array {
  const places = new Map<string, number[]>();
  for (let i = from; i < isEnd; i++) places.set(is[i]!, [...(places.get(is[i]!) ?? []).slice(0, 1), i]);
  const often = new Map<string, number>();
  for (let i = from; i < wasEnd; i++) often.set(was[i]!, (often.get(was[i]!) ?? 0) + 1);
  let last = -1;
  for (let i = from; i < wasEnd; i++) {
    const [place, ...more] = places.get(was[i]!) ?? [];
    if (place === undefined || more.length > 0 || often.get(was[i]!) !== 1 || place <= last) continue;
    found[i] = last = place;
  }
  return found;
}
