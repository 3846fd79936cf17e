/**
 * Contents of the host's caches: the pageable memory that the driver copies from and to. Copying a buffer again finds it nearby.
 */
import type { HostProfile } from './hosts.ts';

const blockBytes = 64 * 1024;

export class HostCache {
  private readonly levels: HostProfile['copies']['stagingUpload'];
  private readonly first: number;
  /** Blocks touched in all when each block was touched last. */
  private readonly blocks = new Map<number, number>();
  private touched = 0;

  constructor({ stagingUpload, stagingFirst }: HostProfile['copies']) {
    this.levels = stagingUpload;
    this.first = stagingFirst;
  }

  /** The host copies so many bytes from or to there: how fast it reads them, bytes per nanosecond. */
  touch(address: number, bytes: number): number {
    const [first, last] = [
      Math.floor(address / blockBytes),
      Math.floor((address + Math.max(1, bytes) - 1) / blockBytes),
    ];
    let time = 0;
    for (let block = first; block <= last; block++) {
      const before = this.blocks.get(block);
      time += 1 / (before === undefined ? this.first : this.rateAfter((this.touched - before) * blockBytes));
      this.blocks.set(block, this.touched++);
    }
    return (last - first + 1) / time;
  }

  private rateAfter(since: number): number {
    return this.levels.find(({ bytes }) => since <= bytes)!.rate;
  }
}
