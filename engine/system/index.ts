/** The simulated system as other parts of the engine use it. */
export { createSystemSimulator } from './simulator.ts';
export { defaultHost, hostProfileById, hostProfiles } from './hosts.ts';
export type { HostProfile } from './hosts.ts';
export type { SystemOptions } from './simulator.ts';
export type * from './types.ts';
