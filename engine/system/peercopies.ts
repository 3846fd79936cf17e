/**
 * Copies between GPUs. Each GPU does one at a time, in order of readiness; meanwhile they share what they pass: NVLinks, where a
 * GPU sends at one rate to all others and receives at the same, or the host's links, through which copies without peer access
 * are staged. Copies that meet in opposite directions slow each other a little.
 *
 * Known error: staged copies and those between host and GPU do not slow each other.
 */
import { nanosecondsPerSecond } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import { nvLinkBetween, nvLinkUse } from '../gpus/nvlink.ts';
import { changeRate, enterNextPhase, offLink, onLink, wholeEnd } from './operations.ts';
import { Fifo, type ActionQueue } from './queues.ts';
import type { HostProfile } from './hosts.ts';
import type { Operation, Phase } from './operations.ts';
import type { PeerCopy } from './types.ts';

/** Phases of a copy when nothing else is under way: those with a share of 1 use the links. */
export function peerPhases(host: HostProfile, gpus: readonly CompleteGpu[], copy: PeerCopy, bytes: number): Phase[] {
  const { setup, stagedSetup, stagedRate } = host.peers;
  const link = copy.direct ? nvLinkBetween(gpus, copy.from, copy.to) : null;
  const time = (size: number, rate: number): number => (size / rate) * nanosecondsPerSecond;
  if (link) {
    return [offLink(setup), onLink(time(bytes, link.bandwidth * nvLinkUse.copies))];
  }
  // In pieces: the first one has to be down before it can go up, and while one goes up the next comes down.
  const [down, up] = [gpus[copy.from]!.hostLink.deviceToHost, gpus[copy.to]!.hostLink.hostToDevice];
  const piece = Math.min(bytes, host.copies.stagingBytes);
  return [
    offLink(stagedSetup + time(piece, down) + time(piece, up)),
    onLink(time(bytes - piece, Math.min(down, up) * stagedRate)),
  ];
}

interface Queue {
  current: Operation | null;
  readonly waiting: Fifo<Operation>;
}

export class PeerCopies {
  private readonly actions: ActionQueue;
  private readonly bothWays: { direct: number; staged: number };
  /** Queues by the GPU that executes the copies. */
  private readonly queues: readonly Queue[];

  /** `bothWays`: rate of each of two copies in opposite directions as a share of its rate alone. */
  constructor(devices: number, bothWays: { direct: number; staged: number }, actions: ActionQueue) {
    this.actions = actions;
    this.bothWays = bothWays;
    this.queues = Array.from({ length: devices }, () => ({ current: null, waiting: new Fifo() }));
  }

  /** A copy whose turn in its stream has come. */
  add(copy: Operation, time: number): void {
    this.queues[copy.device]!.waiting.push(copy);
    this.startNext(this.queues[copy.device]!, time);
  }

  /** A phase has ended; true when the copy is complete. */
  progress(copy: Operation, time: number): boolean {
    const queue = this.queues[copy.device]!;
    const more = enterNextPhase(copy, time);
    if (!more) queue.current = null;
    this.startNext(queue, time);
    return !more;
  }

  private startNext(queue: Queue, time: number): void {
    if (!queue.current) {
      const copy = queue.waiting.shift();
      if (copy) {
        copy.start = time;
        queue.current = copy;
        enterNextPhase(copy, time);
      }
    }
    this.setRates(time);
  }

  private setRates(time: number): void {
    const onLink = this.queues.flatMap(({ current }) => (current && current.phases[0]!.share > 0 ? [current] : []));
    for (const { current } of this.queues) {
      if (!current) continue;
      const rate = onLink.includes(current) ? this.rateOf(current.peer!, onLink) : 1;
      if (changeRate(current, rate, time)) {
        this.actions.push(wholeEnd(current), { kind: 'progress', operation: current });
      }
    }
  }

  private rateOf({ from, to, direct }: PeerCopy, onLink: readonly Operation[]): number {
    const same = onLink.filter(({ peer }) => peer!.direct === direct);
    const sending = same.filter(({ peer }) => peer!.from === from).length;
    const receiving = same.filter(({ peer }) => peer!.to === to).length;
    const meets = same.some(({ peer }) => peer!.to === from || peer!.from === to);
    const bothWays = meets ? this.bothWays[direct ? 'direct' : 'staged'] : 1;
    return bothWays / Math.max(sending, receiving);
  }
}
