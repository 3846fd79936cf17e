/**
 * Sums over time in cells of equal width: how much of something there was in each. Adding what lasts long takes no longer than adding
 * what is short. The width doubles as time goes on, so that there are never too many cells.
 */
export class TimeCells {
  /** Width of a cell (ns), a power of two. */
  width = 1;
  private readonly capacity: number;
  /** Amounts of each cell, in addition to those in `steps`. */
  private readonly parts: Float64Array;
  /** From each cell on there is so much more in every cell. */
  private readonly steps: Float64Array;
  /** The last cell in which there is anything, plus one. */
  private count = 0;

  /** `capacity`: cells at most, an even number. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.parts = new Float64Array(capacity);
    this.steps = new Float64Array(capacity + 1);
  }

  /** `amount` in [start, end) ns, evenly; all of it at `start` where that is no time. */
  add(start: number, end: number, amount: number): void {
    while (end > this.capacity * this.width || start >= this.capacity * this.width) this.fold();
    const { width, parts, steps } = this;
    const first = Math.floor(start / width);
    const last = Math.max(first, Math.ceil(end / width) - 1);
    if (last >= this.count) this.count = last + 1;
    if (first === last) {
      parts[first]! += amount;
      return;
    }
    const rate = amount / (end - start);
    parts[first]! += rate * ((first + 1) * width - start);
    parts[last]! += rate * (end - last * width);
    steps[first + 1]! += rate * width;
    steps[last]! -= rate * width;
  }

  /** The sums, in at most `most` cells. */
  finish(most: number): { width: number; sums: Float64Array } {
    while (this.count > most) this.fold();
    this.settle();
    return { width: this.width, sums: this.parts.slice(0, this.count) };
  }

  private settle(): void {
    const { parts, steps } = this;
    let level = 0;
    for (let cell = 0; cell < this.count; cell++) {
      level += steps[cell]!;
      parts[cell]! += level;
    }
    steps.fill(0);
  }

  private fold(): void {
    this.settle();
    const { parts } = this;
    const half = this.capacity / 2;
    for (let cell = 0; cell < half; cell++) parts[cell] = parts[2 * cell]! + parts[2 * cell + 1]!;
    parts.fill(0, half);
    this.count = Math.ceil(this.count / 2);
    this.width *= 2;
  }
}
