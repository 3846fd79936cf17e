/** Summary figures of a list of numbers, defined as `nsys stats` defines them. */
export interface Summary {
  total: number;
  count: number;
  average: number;
  /** Mean of the two middle values where the count is even. */
  median: number;
  min: number;
  max: number;
  /** Of a sample (n - 1); 0 for a single value. */
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
export function summarizeBy(entries: Iterable<readonly [string, number]>): [string, Summary][] {
  const groups = new Map<string, number[]>();
  for (const [key, value] of entries) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  const summaries = [...groups].map(([key, values]): [string, Summary] => [key, summarize(Float64Array.from(values))]);
  return summaries.sort(([a, x], [b, y]) => y.total - x.total || (a < b ? -1 : 1));
}
