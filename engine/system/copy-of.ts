/**
 * A deep copy of objects that refer to each other in any way, instances of classes too. What is in `shared` stays the same
 * object, as functions and typed arrays do; properties with `dropped` names become null.
 */
export function copyOf<T extends object>(root: T, shared: ReadonlySet<unknown>, dropped: readonly string[]): T {
  const copies = new Map<object, object>();
  const unfilled: [object, object][] = [];
  const one = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || shared.has(value)) return value;
    let copy = copies.get(value);
    if (copy === undefined) {
      copy = Array.isArray(value)
        ? []
        : value instanceof Map
          ? new Map()
          : value instanceof Set
            ? new Set()
            : (Object.create(Object.getPrototypeOf(value) as object) as object);
      copies.set(value, copy);
      unfilled.push([value, copy]);
    }
    return copy;
  };
  const result = one(root) as T;
  // Not by recursion: a stream's operations are a chain as long as its queue.
  for (let next = unfilled.pop(); next; next = unfilled.pop()) {
    const [from, to] = next;
    if (from instanceof Map) for (const [key, value] of from) (to as Map<unknown, unknown>).set(one(key), one(value));
    else if (from instanceof Set) for (const value of from) (to as Set<unknown>).add(one(value));
    else {
      for (const [key, value] of Object.entries(from)) {
        (to as Record<string, unknown>)[key] = dropped.includes(key) ? null : one(value);
      }
    }
  }
  return result;
}
