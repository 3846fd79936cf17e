/** Which table an event is in and which track shows it. */
import { eventKinds, type EventKind } from '../model/timeline.ts';

export const eventTables: Record<EventKind, string> = {
  api: 'CUPTI_ACTIVITY_KIND_RUNTIME',
  kernel: 'CUPTI_ACTIVITY_KIND_KERNEL',
  memcpy: 'CUPTI_ACTIVITY_KIND_MEMCPY',
  memset: 'CUPTI_ACTIVITY_KIND_MEMSET',
  synchronization: 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
  graph: 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
  nvtx: 'NVTX_EVENTS',
  'gpu-page-fault': 'CUDA_UM_GPU_PAGE_FAULT_EVENTS',
  'cpu-page-fault': 'CUDA_UM_CPU_PAGE_FAULT_EVENTS',
  osrt: 'OSRT_API',
  'implicit-wait': 'SIMSIGHT_IMPLICIT_WAITS',
};
/** Kinds as they are kept in packed tracks and sent to be drawn. */
export const kindNumber = Object.fromEntries(eventKinds.map((kind, index) => [kind, index])) as Record<
  EventKind,
  number
>;

/** Streams of several processes, and of several contexts of one, have the same numbers. */
export interface StreamPlace {
  device: number;
  process: number;
  /** 0 where recordings have none. */
  context: number;
  stream: number;
}
const wordsOf = ({ device, process, context, stream }: StreamPlace): string =>
  `${device} ${process} ${context} ${stream}`;

/** Names a track while the tree is being built, and the track of an event afterwards. */
export const trackKeys = {
  api: (globalTid: number) => `api ${globalTid}`,
  nvtx: (globalTid: number) => `nvtx ${globalTid}`,
  osrt: (globalTid: number) => `os calls ${globalTid}`,
  /** Of threads that are not known. */
  hostSync: (process: number) => `host synchronization ${process}`,
  threadSync: (globalTid: number) => `thread synchronization ${globalTid}`,
  stream: (place: StreamPlace) => `stream ${wordsOf(place)}`,
  graphNodes: (place: StreamPlace) => `graph nodes ${wordsOf(place)}`,
  streamSync: (place: StreamPlace) => `stream synchronization ${wordsOf(place)}`,
  engine: (device: number, engine: number) => `copy engine ${device} ${engine}`,
  cpuFaults: 'cpu page faults',
  migrations: (device: number) => `migrations ${device}`,
  gpuFaults: (device: number) => `gpu page faults ${device}`,
  kernels: (device: number) => `kernels ${device}`,
};

/** Null for keys of other rows. */
export function streamOfKey(key: string): StreamPlace | null {
  const found = /^(?:stream|stream synchronization|graph nodes) (\S+) (\d+) (\d+) (\S+)$/.exec(key);
  if (!found) return null;
  const [device, process, context, stream] = found.slice(1).map(Number) as [number, number, number, number];
  return { device, process, context, stream };
}

/** Whether a key is that of all kernels of a device. */
export const isKernels = (key: string): boolean => key.startsWith('kernels ');
/** Whether it is that of events which are on other rows as well. */
export const isRepeated = (key: string): boolean => isKernels(key) || key.startsWith('copy engine ');
