/** Address ranges that are in use, with what is known of each; looked up by any address inside. */
export class Allocations<Info> {
  /** Sorted; parallel to `ranges`. */
  private readonly starts: number[] = [];
  private readonly ranges: { start: number; size: number; info: Info }[] = [];

  add(start: number, size: number, info: Info): void {
    const at = this.after(start);
    this.starts.splice(at, 0, start);
    this.ranges.splice(at, 0, { start, size, info });
  }

  /** Removes the range that starts exactly here. */
  remove(start: number): boolean {
    const at = this.after(start) - 1;
    if (this.starts[at] !== start) return false;
    this.starts.splice(at, 1);
    this.ranges.splice(at, 1);
    return true;
  }

  /** The range that holds all of `address … address + size`. */
  find(address: number, size = 0): { start: number; size: number; info: Info } | undefined {
    const range = this.ranges[this.after(address) - 1];
    return range && address + size <= range.start + range.size ? range : undefined;
  }

  /** True if ranges that follow each other without a gap hold all of it. */
  covers(address: number, size: number): boolean {
    const end = address + size;
    let reached = address;
    for (let at = this.after(address) - 1; at >= 0 && at < this.ranges.length; at++) {
      const range = this.ranges[at]!;
      if (range.start > reached || range.start + range.size < reached) return false;
      reached = range.start + range.size;
      if (reached >= end) return true;
    }
    return false;
  }

  /** Allocations in order of address. */
  get list(): readonly { start: number; size: number; info: Info }[] {
    return this.ranges;
  }

  /** Index of the first start beyond the address. */
  private after(address: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
