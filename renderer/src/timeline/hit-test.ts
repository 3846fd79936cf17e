import type { RectBatch } from './rect-batch.ts';

/**
 * The rectangle under the pointer, −1 for none. Near misses count up to `toleranceNs`, because one-pixel events cannot
 * be hit exactly. Of several, the nearest, then the shortest wins: short events lie on top of long ones.
 */
export function hitTest(batch: RectBatch, time: number, y: number, toleranceNs: number): number {
  let best = -1;
  let bestDistance = Infinity;
  let bestLength = Infinity;
  for (let i = 0; i < batch.count; i++) {
    if (y < batch.tops[i]! - 3 || y > batch.bottoms[i]! + 1) continue;
    const start = batch.starts[i]!;
    const end = batch.ends[i]!;
    const distance = time < start ? start - time : time > end ? time - end : 0;
    if (distance > toleranceNs) continue;
    const length = end - start;
    if (distance < bestDistance || (distance === bestDistance && length < bestLength)) {
      best = i;
      bestDistance = distance;
      bestLength = length;
    }
  }
  return best;
}
