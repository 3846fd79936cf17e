/**
 * Ranges whose begin and end are events of their own. They are paired as they come; what stands in the wrong order waits for the end
 * of the file, and is paired by time.
 */

/** Begins and ends that may wait: more are made up. */
const mostWaiting = 2 ** 20;

export interface OpenRange {
  name: number;
  domain: number;
  start: number;
}

/** Unpaired ends of one thread, or of one id: what was begun and has not ended, and when something ended that was not begun. */
export class Unpaired<T extends OpenRange = OpenRange> {
  readonly begins: T[] = [];
  readonly ends: number[] = [];
  latestEnd = -Infinity;
  /** True once a begin came after its end. */
  isMixed = false;
}

export class RangePairs<T extends OpenRange> {
  /** Begins without an end, and ends without a begin. */
  readonly alone = { begins: 0, ends: 0 };
  private waiting = 0;

  /** False where there are too many already. */
  begin(unpaired: Unpaired<T>, range: T): boolean {
    if (this.waiting === mostWaiting) return false;
    this.waiting++;
    unpaired.begins.push(range);
    unpaired.isMixed ||= range.start < unpaired.latestEnd;
    return true;
  }

  /** The range that ends: the last one begun, of those for which `isOwn` holds where there are some. */
  end(unpaired: Unpaired<T>, time: number, isOwn?: (range: T) => boolean): T | null {
    const { begins, ends } = unpaired;
    let at = begins.length - 1;
    if (isOwn) {
      const own = begins.findLastIndex((range) => range.start <= time && isOwn(range));
      if (own >= 0) at = own;
    }
    const range = begins[at];
    if (range && range.start <= time && !unpaired.isMixed) {
      this.waiting--;
      begins.splice(at, 1);
      return range;
    }
    if (this.waiting < mostWaiting) {
      this.waiting++;
      ends.push(time);
      unpaired.latestEnd = Math.max(unpaired.latestEnd, time);
    } else this.alone.ends++;
    return null;
  }

  /** Ends the file: hands out what waited, and what has no end, with that of the recording. */
  finish({ begins, ends }: Unpaired<T>, last: number, close: (range: T, end: number) => void): void {
    begins.sort((a, b) => a.start - b.start);
    const open: T[] = [];
    let next = 0;
    for (const end of ends.sort((a, b) => a - b)) {
      while (next < begins.length && begins[next]!.start < end) open.push(begins[next++]!);
      if (open.length === 0 && begins[next]?.start === end) open.push(begins[next++]!);
      const range = open.pop();
      if (range) close(range, end);
      else this.alone.ends++;
    }
    open.push(...begins.slice(next));
    this.alone.begins += open.length;
    for (const range of open) close(range, last);
  }
}
