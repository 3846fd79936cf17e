/** All kinds of events. To add one, write its file and list it here. */
import { api } from './api.ts';
import { cpuPageFault } from './cpu-page-fault.ts';
import { gpuPageFault } from './gpu-page-fault.ts';
import { graphCreation } from './graph-creation.ts';
import { graph } from './graph.ts';
import { implicitWait } from './implicit-wait.ts';
import { kernel } from './kernel.ts';
import type { EmittedBy, EventKindDescription } from './kind.ts';
import { memcpy } from './memcpy.ts';
import { memset } from './memset.ts';
import { nvtx } from './nvtx.ts';
import { osrt } from './osrt.ts';
import { synchronization } from './synchronization.ts';

/** Kinds in the order of their numbers in packed tracks and windows: append only: traces and colours rely on it. */
const described = {
  api,
  kernel,
  memcpy,
  memset,
  synchronization,
  nvtx,
  'gpu-page-fault': gpuPageFault,
  'cpu-page-fault': cpuPageFault,
  graph,
  osrt,
  'implicit-wait': implicitWait,
  'graph-creation': graphCreation,
};

export type EventKind = keyof typeof described;
/** Events of the recorder that a trace has rows for. */
export type EmittedEvent = EmittedBy<(typeof described)[EventKind]>;

export const kindOf: Readonly<Record<EventKind, EventKindDescription>> = described;

/** Index = the value in windows ({@link file://../timeline.ts}). */
export const eventKinds = Object.keys(described) as [EventKind, ...EventKind[]];

/** Kinds by the values in windows. */
export const kindNumber = Object.fromEntries(eventKinds.map((kind, number) => [kind, number])) as Record<
  EventKind,
  number
>;

/** Calls come first, which say who waits, then launches of graphs, which say where their nodes are. */
const firstLoaded: readonly (readonly EventKind[])[] = [['api'], ['graph', 'kernel', 'memcpy', 'memset']];
const thenLoaded: readonly EventKind[] = [
  ...(['synchronization', 'implicit-wait', 'gpu-page-fault', 'cpu-page-fault', 'nvtx', 'osrt'] as const),
];
const isListed = new Set([...firstLoaded.flat(), ...thenLoaded]);

/**
 * The order in which events are put on their rows. The kinds of a group share rows with no later group: their rows are packed and
 * forgotten when it has been read.
 */
export const loadingOrder: readonly (readonly EventKind[])[] = [
  ...firstLoaded,
  [...thenLoaded, ...eventKinds.filter((kind) => !isListed.has(kind))],
];
