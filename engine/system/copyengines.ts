/**
 * Copy engines: each does one copy at a time, in order of readiness. Engine 0 uploads; engine 1, where there is one,
 * downloads. A third engine, as the H200 has, copies to other GPUs: host copies use one per direction.
 *
 * A copy first sets up its DMA, then moves its bytes over the link. While both directions are on the link, each is slower;
 * what they ask of DRAM is felt by kernels. Kernels that access the host's memory share the link with them.
 */
import { changeRate, wholeEnd, enterNextPhase } from './operations.ts';
import { Fifo } from './queues.ts';
import type { HostProfile } from './hosts.ts';
import type { Multiprocessors } from './multiprocessors.ts';
import type { Operation } from './operations.ts';
import type { ActionQueue } from './queues.ts';

type CopyFigures = Pick<HostProfile['copies'], 'bidirectionalRate' | 'dramIntensity'>;

interface Engine {
  current: Operation | null;
  readonly queue: Fifo<Operation>;
}

export class CopyEngines {
  private readonly actions: ActionQueue;
  private readonly multiprocessors: Multiprocessors;
  private readonly figures: CopyFigures;
  private readonly engines: Engine[];

  constructor(count: number, figures: CopyFigures, actions: ActionQueue, multiprocessors: Multiprocessors) {
    this.actions = actions;
    this.multiprocessors = multiprocessors;
    this.figures = figures;
    this.indexForPeers = count > 2 ? 2 : null;
    this.engines = Array.from({ length: Math.min(count, 2) }, () => ({ current: null, queue: new Fifo() }));
  }

  /** The engine that copies this way. */
  indexFor(direction: 'upload' | 'download'): number {
    return direction === 'download' && this.engines.length > 1 ? 1 : 0;
  }

  /** The engine that copies to other GPUs, where one is left for that: see peercopies.ts. */
  readonly indexForPeers: number | null;

  /** A copy whose turn in its stream has come. */
  add(copy: Operation, time: number): void {
    const engine = this.engineOf(copy);
    engine.queue.push(copy);
    this.startNext(engine, time);
  }

  /** Setup or transfer has ended; true when the copy is complete. */
  progress(copy: Operation, time: number): boolean {
    const engine = this.engineOf(copy);
    const more = enterNextPhase(copy, time);
    if (!more) engine.current = null;
    this.startNext(engine, time);
    return !more;
  }

  private engineOf(copy: Operation): Engine {
    return this.engines[this.indexFor(copy.engine === 'download' ? 'download' : 'upload')]!;
  }

  private startNext(engine: Engine, time: number): void {
    if (!engine.current) {
      const copy = engine.queue.shift();
      if (copy) {
        copy.start = time;
        engine.current = copy;
        enterNextPhase(copy, time);
      }
    }
    this.setRates(time);
  }

  /** Also when kernels that access the host's memory begin or end. */
  setRates(time: number): void {
    const { bidirectionalRate, dramIntensity } = this.figures;
    let onLink = 0;
    let intensity = 0;
    for (const { current } of this.engines) {
      if (!current || current.phases[0]!.share === 0) continue;
      onLink++;
      intensity += current.engine === 'download' ? dramIntensity.download : dramIntensity.upload;
    }
    this.multiprocessors.setCopies(intensity, Math.min(1, onLink), time);
    const { linkShare } = this.multiprocessors;
    for (const { current } of this.engines) {
      if (!current) continue;
      const isOnLink = current.phases[0]!.share > 0;
      const rate = isOnLink ? linkShare * (onLink > 1 ? bidirectionalRate : 1) : 1;
      if (changeRate(current, rate, time)) {
        this.actions.push(wholeEnd(current), { kind: 'progress', operation: current });
      }
    }
  }
}
