/**
 * Lays the events of one track out in lanes, so that none covers another: overlapping events get lanes of their own and
 * nothing is ever dropped. An event takes the lowest lane that is free at its start.
 */

/** Lanes of events sorted by start, and how many lanes that takes. O(n log lanes). */
export function assignLanes(starts: Float64Array, ends: Float64Array): { lanes: Uint32Array; count: number } {
  const lanes = new Uint32Array(starts.length);
  /** Lanes in use, the one that ends first on top; keys are end times. */
  const busy = new MinHeap();
  /** Lanes given back, the lowest on top. */
  const free = new MinHeap();
  let count = 0;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    while (busy.size > 0 && busy.topKey <= start) {
      const lane = busy.pop();
      free.push(lane, lane);
    }
    const lane = free.size > 0 ? free.pop() : count++;
    lanes[i] = lane;
    busy.push(ends[i]!, lane);
  }
  return { lanes, count };
}

/** A binary heap of (key, value) pairs of numbers. */
class MinHeap {
  private readonly keys: number[] = [];
  private readonly values: number[] = [];

  get size(): number {
    return this.keys.length;
  }
  get topKey(): number {
    return this.keys[0]!;
  }

  push(key: number, value: number): void {
    const { keys, values } = this;
    let at = keys.length;
    keys.push(key);
    values.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[at] = keys[parent]!;
      values[at] = values[parent]!;
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Removes the pair with the smallest key and gives its value. */
  pop(): number {
    const { keys, values } = this;
    const top = values[0]!;
    const key = keys.pop()!;
    const value = values.pop()!;
    const size = keys.length;
    if (size === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[at] = keys[child]!;
      values[at] = values[child]!;
      at = child;
    }
    keys[at] = key;
    values[at] = value;
    return top;
  }
}
