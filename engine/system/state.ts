/** State that all parts of the simulated system share: the machine, the host's profile and the clock of the present host thread. */
import { ns, type Nanoseconds } from '../base/units.ts';
import { nvLinkUse } from '../gpus/nvlink.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { EventSink } from '../model/events.ts';
import type { PassedOptions } from '../model/record-options.ts';
import { HostCache } from './host-cache.ts';
import type { HostProfile } from './hosts.ts';
import { HostThreads } from './host-threads.ts';
import { liftedHost } from './lifted.ts';
import { Machine } from './machine.ts';

export class SystemState {
  readonly host: HostProfile;
  readonly threads: HostThreads;
  readonly sink: EventSink;
  readonly machine: Machine;
  readonly hostCache: HostCache;
  /** Launches are free: kernels start when what is before them has ended. */
  readonly startsAtOnce: boolean;
  /** Copies between host and GPU happen beside everything else. */
  readonly copiesAside: boolean;
  /** Correlation id of the latest API call. */
  lastCorrelation = 0;

  constructor(gpus: readonly CompleteGpu[], host: HostProfile, sink: EventSink, lifted: PassedOptions['lifted']) {
    this.host = liftedHost(host, lifted);
    this.startsAtOnce = lifted === 'launches';
    this.copiesAside = lifted === 'overlap';
    this.sink = sink;
    this.hostCache = new HostCache(host.copies);
    this.machine = new Machine({
      devices: gpus.map(({ core, hostLink: { copyEngines } }) => ({
        smCount: core.smCount,
        copyEngines,
        copies: host.copies,
      })),
      peerBothWays: { direct: nvLinkUse.bothWays, staged: host.peers.stagedBothWays },
      horizon: () => this.threads.horizon(),
      sink,
    });
    this.threads = new HostThreads(this.machine);
  }

  get now(): Nanoseconds {
    return ns(this.clock);
  }

  /** Clock of the present host thread, ns. */
  get clock(): number {
    return this.threads.current.clock;
  }

  set clock(time: number) {
    this.threads.current.clock = time;
  }
}
