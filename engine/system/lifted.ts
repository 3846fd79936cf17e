/** Changes that one lifted limit (engine/base/limits.ts) makes to a host. */
import type { Limit } from '../base/limits.ts';
import type { HostProfile } from './hosts.ts';

/** Launches take a host no time, and what they launch starts at once. */
function withFreeLaunches(host: HostProfile): HostProfile {
  const { calls } = host.graphs;
  return {
    ...host,
    callFactor: { ...host.callFactor, launches: 0 },
    firstLaunchOfKernel: 0,
    startLatency: { ...host.startLatency, kernel: 0 },
    submission: host.submission && { ...host.submission, cost: 0 },
    graphs: {
      ...host.graphs,
      calls: { ...calls, launch: { ...calls.launch, perGroup: 0, perKeptNode: 0 } },
      gap: 0,
      gapPerDoubling: 0,
      perFollower: 0,
      perGroup: 0,
    },
  };
}

export const liftedHost = (host: HostProfile, lifted: Limit | undefined): HostProfile =>
  lifted === 'launches' ? withFreeLaunches(host) : host;
