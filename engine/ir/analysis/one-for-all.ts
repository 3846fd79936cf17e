/**
 * Atomic additions of a warp to one address, which nvcc makes one lane do for all (SASS of CUDA 13 for sm_90, and the times of
 * H200 reference, A6 same_address_plain_atomicAdd and V17 filter).
 *
 *   sum      all add the same, nobody wants the old value: VOTE, POPC, RED
 *   fetch    all add the same and want what they would have found: also SHFL and the number of lanes before
 *   reduce   each adds its own, nobody wants the old value: REDUX, RED
 */
export type OneForAll = 'sum' | 'fetch' | 'reduce';

/** How an integer `atomicAdd` is done; null: by every lane. */
export function oneForAll(add: {
  type: 'i32' | 'i64';
  isUsed: boolean;
  uniformAddress: boolean;
  uniformValue: boolean;
}): OneForAll | null {
  if (!add.uniformAddress) return null;
  if (add.uniformValue) return add.isUsed ? 'fetch' : 'sum';
  return add.isUsed || add.type === 'i64' ? null : 'reduce';
}
