/**
 * The driver's locks, where several host threads call it: part of each call is done with a lock of the GPU's context, and
 * calls that put work into one stream follow each other.
 */
import type { HostProfile } from './hosts.ts';
import type { StreamId } from './types.ts';

interface Lock {
  /** When its holder gives it back. */
  free: number;
  /** Number of the thread that had it last. */
  holder: number;
}

export class DriverLocks {
  private readonly host: HostProfile;
  /** By device. */
  private readonly contexts = new Map<number, Lock>();
  private readonly streams = new Map<StreamId, number>();

  constructor(host: HostProfile) {
    this.host = host;
  }

  /** When a call may begin that wants to now. */
  freeAt(now: number, device: number, stream: StreamId | null): number {
    const ofStream = stream === null ? 0 : (this.streams.get(stream) ?? 0);
    return Math.max(now, this.contexts.get(device)?.free ?? 0, ofStream);
  }

  /** A call that takes `cost` begins; how much longer it takes since another thread had the lock before. */
  take(now: number, thread: number, call: { name: string; cost: number; device: number }): number {
    const { handOff, serial } = this.host.threads.contextLock;
    const before = this.contexts.get(call.device);
    const extra = before && before.holder !== thread ? handOff : 0;
    const share = serial[call.name] ?? 1;
    this.contexts.set(call.device, { free: now + extra + Math.round(share * call.cost), holder: thread });
    return extra;
  }

  /** A call holds a stream until then. */
  hold(stream: StreamId, until: number): void {
    this.streams.set(stream, until);
  }
}
