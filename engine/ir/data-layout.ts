/** What a module's `target datalayout` says of the sizes of pointers. */
import type { PointerBytes } from './ir.ts';

/** Size of the pointers of an address space; key 0: of all spaces that have none of their own. */
export type DataLayout = ReadonlyMap<number, PointerBytes>;

/** LLVM's pointers have 64 bits where the layout does not say otherwise; IR without a layout is taken for that of a 32-bit device. */
export function dataLayoutOf(text: string): DataLayout {
  const [, layout] = /^target datalayout = "([^"]*)"/m.exec(text) ?? [];
  if (layout === undefined) return new Map([[0, 4]]);
  const sizes = new Map<number, PointerBytes>([[0, 8]]);
  for (const [, space, bits] of layout.matchAll(/(?:^|-)p(\d*):(\d+)/g))
    sizes.set(Number(space), bits === '32' ? 4 : 8);
  return sizes;
}

export const pointerBytesOf = (layout: DataLayout, space: number): PointerBytes =>
  layout.get(space) ?? layout.get(0) ?? 8;
