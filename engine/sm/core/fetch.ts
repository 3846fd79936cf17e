/**
 * Where instructions come from: a cache near the schedulers, a larger one behind it, and L2. What lies ahead is fetched in time
 * as long as the near cache has it; beyond that, lines come one after the other (test/reference/h200/icache.json). The first time
 * that an SM executes something is not told apart: launches of a kernel after the first find it in the caches.
 */
import { lineBytes } from '../../model/geometry.ts';
import type { CoreParameters } from './parameters.ts';

export const instructionBytes = 16;
const lineInstructions = lineBytes / instructionBytes;

/** Lines of a cache with the times from which they are there; a new one replaces that not used for longest. */
class Lines {
  private readonly most: number;
  /** In the order of their last use. */
  private readonly times = new Map<number, number>();

  constructor(bytes: number) {
    this.most = bytes / lineBytes;
  }

  use(line: number): number | undefined {
    const time = this.times.get(line);
    if (time !== undefined) this.put(line, time);
    return time;
  }
  put(line: number, time: number): void {
    this.times.delete(line);
    this.times.set(line, time);
    if (this.times.size > this.most) this.times.delete(this.times.keys().next().value!);
  }
}

export class Fetch {
  private readonly parameters: CoreParameters;
  private readonly near: Lines;
  private readonly far: Lines;
  /** The line that was asked for last, and when it is there. */
  private last = -1;
  private free = 0;

  constructor(parameters: CoreParameters) {
    this.parameters = parameters;
    this.near = new Lines(parameters.nearInstructionBytes);
    this.far = new Lines(parameters.farInstructionBytes);
  }

  /** When a warp that wants an instruction at `now` has it. */
  arrival(instruction: number, now: number): number {
    const line = Math.floor(instruction / lineInstructions);
    const there = this.near.use(line);
    if (there !== undefined) return Math.max(now, there);
    const { nearFillCycles, farFillCycles } = this.parameters;
    const cycles = this.far.use(line) === undefined ? farFillCycles : nearFillCycles;
    // The next line is on its way while this one is executed.
    const asked = line === this.last + 1 ? now - cycles : now;
    this.last = line;
    this.free = Math.max(asked, this.free) + cycles;
    this.near.put(line, this.free);
    this.far.put(line, this.free);
    return Math.max(now, this.free);
  }
}
