/**
 * Names of values and blocks that steps make. They are seen (operands of machine code), so they depend on nothing but the function: its
 * steps, none of which waits for anything, begin with {@link startNames}.
 */
let next = 0;

/** From here on, a function's names are counted anew. Steps before must have used other kinds. */
export function startNames(): void {
  next = 0;
}

/** `.copy3`: unique within the function, among names of its kind. */
export const freshName = (kind: string): string => `.${kind}${next++}`;
