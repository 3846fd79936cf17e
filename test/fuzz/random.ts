/** A small fixed generator, so that every mutated file can be made again from its kind, seed and number. */
export class Random {
  private state: number;

  /** Equal words give equal numbers. */
  constructor(...words: (string | number)[]) {
    let state = 0x811c9dc5;
    for (const c of words.join(' ')) state = Math.imul(state ^ c.codePointAt(0)!, 0x01000193);
    this.state = state;
  }

  /** A whole number in [0, limit); mulberry32. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** In [0, 1). */
  part(): number {
    return this.below(2 ** 30) / 2 ** 30;
  }

  chance(part: number): boolean {
    return this.below(2 ** 30) < part * 2 ** 30;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** From 1 to `most`, small ones more often. */
  few(most: number): number {
    return 1 + Math.floor(2 ** ((this.below(1000) / 1000) * Math.log2(most)) - 1 + this.below(2));
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}
