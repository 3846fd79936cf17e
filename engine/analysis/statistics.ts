/** Summary figures of a list of numbers, defined as `nsys stats` defines them. */
export interface Summary {
  total: number;
  count: number;
  average: number;
  /** Mean of the two middle values where the count is even. */
  median: number;
  min: number;
  max: number;
  /** The standard deviation of a sample (n - 1); 0 for a single value. */
  deviation: number;
}

/** `values` must not be empty; it is sorted in place. */
export function summarize(values: Float64Array): Summary {
  values.sort();
  const count = values.length;
  let total = 0;
  for (const value of values) total += value;
  const average = total / count;
  let squares = 0;
  for (const value of values) squares += (value - average) ** 2;
  return {
    total,
    count,
    average,
    median: (values[(count - 1) >> 1]! + values[count >> 1]!) / 2,
    min: values[0]!,
    max: values[count - 1]!,
    deviation: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
  };
}

/** Summaries of the numbers under each key, the largest total first; equal ones by name. */
export function summarizeBy(entries: readonly (readonly [string, number])[]): [string, Summary][] {
  // All values in one array, those of a key side by side: a list for each takes several times as much where all keys differ.
  const numbers = new Map<string, number>();
  const groupOf = new Uint32Array(entries.length);
  entries.forEach(([key], i) => {
    let group = numbers.get(key);
    if (group === undefined) numbers.set(key, (group = numbers.size));
    groupOf[i] = group;
  });
  const ends = new Uint32Array(numbers.size + 1);
  for (const group of groupOf) ends[group + 1]!++;
  for (let group = 0; group < numbers.size; group++) ends[group + 1]! += ends[group]!;
  const starts = ends.slice();
  const values = new Float64Array(entries.length);
  entries.forEach(([, value], i) => (values[starts[groupOf[i]!]!++] = value));
  const summaries = [...numbers.keys()].map((key, group): [string, Summary] => [
    key,
    summarize(values.subarray(ends[group], ends[group + 1])),
  ]);
  return summaries.sort(([a, x], [b, y]) => y.total - x.total || (a < b ? -1 : 1));
}
