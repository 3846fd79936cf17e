/** Which table an event is in and which track shows it. */
import { eventKinds, type EventKind } from '../api/types.ts';

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
};
/** Kinds as they are kept in packed tracks and sent to be drawn. */
export const kindNumber = Object.fromEntries(eventKinds.map((kind, index) => [kind, index])) as Record<
  EventKind,
  number
>;

/** Names a track while the tree is being built, and the track of an event afterwards. */
export const trackKeys = {
  api: (globalTid: number) => `api ${globalTid}`,
  nvtx: (globalTid: number) => `nvtx ${globalTid}`,
  osrt: (globalTid: number) => `os calls ${globalTid}`,
  hostSync: (process: number) => `host synchronization ${process}`,
  // Streams of several processes have the same numbers.
  stream: (device: number, process: number, stream: number) => `stream ${device} ${process} ${stream}`,
  graphNodes: (device: number, process: number, stream: number) => `graph nodes ${device} ${process} ${stream}`,
  streamSync: (device: number, process: number, stream: number) =>
    `stream synchronization ${device} ${process} ${stream}`,
  engine: (device: number, engine: number) => `copy engine ${device} ${engine}`,
  cpuFaults: 'cpu page faults',
  migrations: (device: number) => `migrations ${device}`,
  gpuFaults: (device: number) => `gpu page faults ${device}`,
  kernels: (device: number) => `kernels ${device}`,
};

/** Whether a key is that of all kernels of a device. */
export const isKernels = (key: string): boolean => key.startsWith('kernels ');
