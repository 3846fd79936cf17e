/**
 * What memsets left in device memory: the same again is not written again, as long as nobody has changed memory since. Programs clear what
 * a kernel adds to in front of each launch, which finds it clear where launches are not executed (`timed-only.ts`).
 */
import type { FillWork } from './work.ts';

/** Fills that are remembered at most. */
const most = 16;

export class Fills {
  private known: { key: string; first: number; end: number }[] = [];
  /** {@link CudaDevice.changes} when the last of them was done. */
  private changes = -1;

  /** True where memory holds already what a memset would write; `changes`: to memory until now. */
  isThere(work: FillWork, changes: number): boolean {
    if (changes !== this.changes) this.known = [];
    const key = keyOf(work);
    return this.known.some((each) => each.key === key);
  }

  /** A memset of so many bytes, gaps included, was done; `changes` counts it. */
  done(work: FillWork, bytes: number, changes: number): void {
    const first = work.target.address;
    const end = first + bytes;
    const others = this.known.filter((each) => each.end <= first || each.first >= end);
    this.known = [...others, { key: keyOf(work), first, end }].slice(-most);
    this.changes = changes;
  }
}

const keyOf = ({ target: { address, pitch, slice }, value, elementBytes, width, height, depth }: FillWork): string =>
  [address, pitch, slice, value, elementBytes, width, height, depth].join();
