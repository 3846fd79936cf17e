/**
 * The driver's locks, where several host threads call it: part of each call is done with a lock of the GPU's context, and
 * calls that put work into one stream follow each other. Who comes first is served first.
 */
import type { CallCost } from './call-costs.ts';
import type { HostProfile } from './hosts.ts';
import type { HostThread, HostThreads } from './host-threads.ts';
import type { StreamId } from './types.ts';

export class DriverLocks {
  private readonly host: HostProfile;
  private readonly threads: HostThreads;
  /** Locks of contexts, by device: when the lock is free for the next call, and the number of the thread that had it last. */
  private readonly contexts = new Map<number, { free: number; holder: number }>();
  /** Threads by stream: the one whose call is in it, and those that wait for that. */
  private readonly streams = new Map<StreamId, HostThread[]>();

  constructor(host: HostProfile, threads: HostThreads) {
    this.host = host;
    this.threads = threads;
  }

  /** The present thread's call enters a stream, or begins to wait for it. */
  enter(stream: StreamId): void {
    const inside = this.streams.get(stream) ?? [];
    this.streams.set(stream, inside);
    inside.push(this.threads.current);
    if (inside.length > 1) this.threads.wait({ what: 'a stream that another thread is calling with' });
  }

  leave(stream: StreamId): void {
    const inside = this.streams.get(stream)!;
    inside.shift();
    if (inside[0]) this.threads.wake(inside[0], this.threads.current.clock);
    else this.streams.delete(stream);
  }

  /**
   * Delay of a call that takes `cost` of CPU time until it has done its part in the context, compared with a program without other threads.
   */
  delay({ serial = 1 }: CallCost, cost: number, device: number): number {
    const { clock, number } = this.threads.current;
    const before = this.contexts.get(device);
    const extra = before && before.holder !== number ? this.host.threads.contextLock : 0;
    const begin = Math.max(clock, before?.free ?? 0) + extra;
    this.contexts.set(device, { free: begin + Math.round(serial * cost), holder: number });
    return begin - clock;
  }
}
