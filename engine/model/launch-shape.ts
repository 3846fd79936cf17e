/** What launches are told apart by where only their kernels and sizes count. */
import type { KernelLaunch } from './execution.ts';

/** Launches of the same shape follow each other, or those of a few kernels do in turn. */
const remembered = 8;
const latest: { shape: Shape; text: string }[] = [];

type Shape = Pick<KernelLaunch, 'kernel' | 'grid' | 'block' | 'dynamicSharedBytes' | 'preferredCarveout'>;

/**
 * Kernel, grid, block, dynamic shared memory and carve-out as text. Launches that are alike mostly get
 * the very same string, whose hash maps know already.
 */
export function shapeText(launch: KernelLaunch): string {
  for (const known of latest) if (isAlike(known.shape, launch)) return known.text;
  const { kernel, grid, block, dynamicSharedBytes, preferredCarveout = -1 } = launch;
  const text = JSON.stringify([kernel, grid, block, dynamicSharedBytes, preferredCarveout]);
  if (latest.length >= remembered) latest.pop();
  const shape = { kernel, grid: { ...grid }, block: { ...block }, dynamicSharedBytes, preferredCarveout };
  latest.unshift({ shape, text });
  return text;
}

function isAlike(a: Shape, b: Shape): boolean {
  return (
    a.kernel === b.kernel &&
    a.grid.x === b.grid.x &&
    a.grid.y === b.grid.y &&
    a.grid.z === b.grid.z &&
    a.block.x === b.block.x &&
    a.block.y === b.block.y &&
    a.block.z === b.block.z &&
    a.dynamicSharedBytes === b.dynamicSharedBytes &&
    a.preferredCarveout === (b.preferredCarveout ?? -1)
  );
}

/** Parameters as text: a character for each byte. */
export function parameterText({ parameters: { buffer, byteOffset, byteLength } }: KernelLaunch): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
