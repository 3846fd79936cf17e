/**
 * Work that cannot be carried out when the program enqueues it: a kernel all of whose blocks wait for what only the host can write
 * (`while (*latch == 0) {}`), and what comes behind it in its stream or waits for it. The host goes on. When it waits for such work, or asks
 * about it, the kernel is tried again, from its beginning: until then it has done nothing but wait. If it waits still and the
 * host cannot go on without it, nobody will ever write, and the kernel fails.
 *
 * Everything is carried out in the order in which it was enqueued, but for what does not depend on what still waits.
 */
import { isLegacyStream, type StreamId } from '../../system/types.ts';

interface Deferred {
  /** Of what has none: it comes after everything that was deferred before. */
  stream: StreamId | null;
  device: number;
  /** Carries it out; false where a kernel still waits, which fails if it must end. */
  run: (mustEnd: boolean) => boolean;
}

export class DeferredWork {
  private entries: Deferred[] = [];
  private readonly isBlocking: (stream: StreamId) => boolean;

  /** `isBlocking`: whether a stream and the legacy default stream wait for each other. */
  constructor(isBlocking: (stream: StreamId) => boolean) {
    this.isBlocking = isBlocking;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  isOnDevice(device: number): boolean {
    return this.entries.some((each) => each.device === device);
  }

  /** True if some of what a wait for the stream has to wait for is deferred: the legacy default stream stands for all blocking ones. */
  isIn(stream: StreamId, device: number): boolean {
    return this.entries.some(
      (other) =>
        other.stream !== null &&
        other.device === device &&
        (other.stream === stream || (isLegacyStream(stream) && this.isBlocking(other.stream))),
    );
  }

  /** True if work that is put into a stream of a device now has to wait for deferred work. */
  isBehind(stream: StreamId, device: number): boolean {
    const isAfterLegacy = !isLegacyStream(stream) && this.isBlocking(stream);
    return (
      this.isIn(stream, device) ||
      (isAfterLegacy &&
        this.entries.some(({ stream: other, device: of }) => other !== null && of === device && isLegacyStream(other)))
    );
  }

  put(entry: Deferred): void {
    this.entries.push(entry);
  }

  /** After everything that has been deferred: for what takes away what that uses. */
  putLast(device: number, run: () => void): void {
    this.put({ stream: null, device, run: () => (run(), true) });
  }

  /** Carries out what no longer waits. */
  goOn(): void {
    const before = this.entries;
    this.entries = [];
    for (const entry of before) {
      const { stream, device, run } = entry;
      const waits = stream === null ? !this.isEmpty : this.isBehind(stream, device);
      if (waits || !run(false)) this.entries.push(entry);
    }
  }

  /** Carries out deferred work until `isDone`: the host cannot go on before. Kernels that still wait fail. */
  end(isDone: () => boolean): void {
    if (isDone()) return;
    this.goOn();
    while (!isDone() && !this.isEmpty) {
      this.entries.shift()!.run(true);
      this.goOn();
    }
  }
}
