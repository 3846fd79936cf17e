/** Leaves of structs and arrays. */
import type { Type } from '../../../ir/ir.ts';
import { elementType, leavesOf } from '../../../ir/ir.ts';

/** First leaf and number of leaves of the part of `type` that `indices` select. */
export function leafRange(type: Type, indices: number[]): [number, number] {
  let start = 0;
  let at = type;
  for (const index of indices) {
    for (let i = 0; i < index; i++) start += leavesOf(elementType(at, i)).length;
    at = elementType(at, index);
  }
  return [start, leavesOf(at).length];
}
