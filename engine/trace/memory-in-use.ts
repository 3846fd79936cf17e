/** Memory of a GPU that a program had allocated, from moment to moment. */
import { memoryKinds, memoryOperations } from '../model/nsight-codes.ts';
import type { Trace } from './trace.ts';

export interface MemoryStep {
  /** (ns) */
  start: number;
  end: number;
  bytes: number;
}

export class MemoryInUse {
  /** (ns) When it changed, ascending. */
  private readonly times: Float64Array;
  /** Bytes from then on. */
  private readonly bytes: Float64Array;
  readonly most: number;

  constructor(trace: Pick<Trace, 'query'>, device: number) {
    // Memory on the host, and managed memory, which migrates, is not counted as the GPU's. Memory freed twice or never allocated must
    // not make the sum negative.
    const rows = trace.query(
      `SELECT start, bytes, memoryOperationType FROM CUDA_GPU_MEMORY_USAGE_EVENTS
       WHERE deviceId = ? AND memKind IN (${memoryKinds.device}, ${memoryKinds.array}) AND bytes > 0
         AND start BETWEEN 0 AND ${2 ** 52} ORDER BY start, rowid`,
      device,
    );
    const [times, bytes]: [number[], number[]] = [[], []];
    let [now, most] = [0, 0];
    for (const [start, size, operation] of rows) {
      if (!Number.isFinite(Number(size)) || !Number.isFinite(Number(start))) continue;
      now = Math.max(0, now + (operation === memoryOperations.allocation ? 1 : -1) * Number(size));
      most = Math.max(most, now);
      if (times.at(-1) === start) bytes[bytes.length - 1] = now;
      else {
        times.push(Number(start));
        bytes.push(now);
      }
    }
    this.times = Float64Array.from(times);
    this.bytes = Float64Array.from(bytes);
    this.most = most;
  }

  /**
   * Steps of memory in use in a range; among changes closer together than the resolution (ns), the maximum. The last step extends to the
   * end of the range.
   */
  *steps(from: number, to: number, resolution: number): Generator<MemoryStep> {
    const { times, bytes } = this;
    let at = this.lastBefore(from);
    let pending: MemoryStep | null = null;
    for (at = Math.max(0, at); at < times.length && times[at]! < to; at++) {
      const step = { start: times[at]!, end: Math.min(to, times[at + 1] ?? to), bytes: bytes[at]! };
      if (pending && step.end - pending.start <= resolution) {
        pending.end = step.end;
        pending.bytes = Math.max(pending.bytes, step.bytes);
        continue;
      }
      if (pending && pending.bytes > 0) yield pending;
      pending = step;
    }
    if (pending && pending.bytes > 0) yield pending;
  }

  /** Bytes at a time. */
  at(time: number): number {
    return this.bytes[this.lastBefore(time)] ?? 0;
  }

  /** Index of the last change at or before a time, -1 if there is none. */
  private lastBefore(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
