/**
 * Numbers that stand for things in the tables shared with Nsight Systems: enumerations (`ENUM_*` tables), "none" marks
 * and global ids. One place for writer, reader and reports.
 */
import type { CopyDirection, HostMemoryKind, MigrationEvent } from './event-kinds/memcpy.ts';
import type { MemoryEvent } from './events.ts';
import type { NvtxEvent } from './event-kinds/nvtx.ts';
import type { PageFaultEvent } from './event-kinds/gpu-page-fault.ts';
import type { SynchronizationEvent } from './event-kinds/synchronization.ts';

/** `ENUM_CUDA_MEMCPY_OPER` */
export const copyKinds: Record<CopyDirection, number> = {
  'host-to-device': 1,
  'device-to-host': 2,
  'device-to-device': 8,
  'host-to-host': 9,
};
/** The same, between two GPUs. */
export const peerCopyKind = 10;
/** Copies of managed memory. */
export const migrationKinds: Record<MigrationEvent['direction'], number> = {
  'host-to-device': 11,
  'device-to-host': 12,
  'device-to-device': 13,
};
export const isMigration = (copyKind: number): boolean => copyKind >= 11 && copyKind <= 13;
/** `ENUM_CUDA_UNIF_MEM_MIGRATION` */
export const migrationCauses: Record<MigrationEvent['cause'], number> = { user: 1, coherence: 2, eviction: 4 };
export const migrationCauseNames = [
  ...['Unknown', 'Prefetch by request', 'Page fault', 'Speculative prefetch', 'Eviction', 'Access counters'],
];
export const migrationCauseName = (cause: number): string => migrationCauseNames[cause] ?? 'Unknown';
/** `ENUM_CUDA_UNIF_MEM_ACCESS_TYPE` */
export const faultAccesses: Record<PageFaultEvent['access'], number> = { read: 1, write: 2, atomic: 3 };
const faultAccessNames = ['Unknown', 'Read', 'Write', 'Atomic'];
export const faultAccessName = (access: number): string => faultAccessNames[access] ?? 'Unknown';

/** `ENUM_CUDA_MEM_KIND` */
export const memoryKinds = { pageable: 0, pinned: 1, device: 2, array: 3, managed: 4 } as const satisfies Record<
  HostMemoryKind | 'device' | 'array' | 'managed',
  number
>;
/** `ENUM_CUDA_DEV_MEM_EVENT_OPER` */
export const memoryOperations: Record<MemoryEvent['operation'], number> = { allocation: 0, deallocation: 1 };
/** `ENUM_CUPTI_SYNC_TYPE` */
export const syncTypes: Record<SynchronizationEvent['kind'], number> = {
  event: 1,
  'stream-wait': 2,
  stream: 3,
  context: 4,
};
/** `ENUM_CUPTI_STREAM_TYPE` */
export const streamFlags = { default: 1, nonBlocking: 2, null: 3 } as const;
/** `ENUM_NSYS_EVENT_CLASS` */
export const eventClasses = { runtime: 0, driver: 1, executable: 94, graph: 95, clone: 96 } as const;

/** `ENUM_NSYS_EVENT_TYPE`, as far as NVTX uses it. */
export const nvtxTypes = {
  mark: 34,
  'push-pop': 59,
  'start-end': 60,
  'domain-create': 75,
  category: 33,
} as const satisfies Record<NvtxEvent['kind'], number>;
/** Types on the timeline: marks and ranges. */
export const nvtxShown: readonly number[] = [nvtxTypes.mark, nvtxTypes['push-pop'], nvtxTypes['start-end']];
const nvtxStyles: Readonly<Record<number, string>> = { 34: 'Mark', 59: 'PushPop', 60: 'StartEnd' };
/** The text of a row of `NVTX_EVENTS`, as SQL: in place or by id. */
export const nvtxText = 'coalesce(text, (SELECT value FROM StringIds WHERE id = textId))';
export const nvtxStyle = (type: number): string => nvtxStyles[type] ?? 'Unknown';

/** No stream or no event: CUPTI's invalid ids. */
export const none = 4294967295;

/** A recording has one process, and each device one context; their ids are the same in all recordings. */
export const pid = 1000;
export const contextIdOf = (device = 0): number => 1 + device;
/** The number under which CUPTI reports the legacy default stream; the first created stream is 13. */
export const nullStreamId = 7;

const virtualMachine = 2 ** 48;
/** `globalPid` and `globalTid` as nsys packs them: machine << 48 | pid << 24 | tid. */
export const globalId = (tid = 0): number => globalIdOf(pid, tid);
export const globalIdOf = (pid: number, tid: number): number => virtualMachine + pid * 2 ** 24 + tid;
export const pidOf = (global: number): number => Math.floor(global / 2 ** 24) % 2 ** 24;
/** Machine and process of a thread's or a process's global id. */
export const processOf = (global: unknown): number => Math.floor((Number(global) || 0) / 2 ** 24);
export const tidOf = (global: number): number => global % 2 ** 24;
/** Ranges that a GPU has beside its streams are those of threads of a machine that there is not, with devices for processes. */
const gpuMachine = 31 * 2 ** 48;
export const gpuThread = (device: number, tid: number): number => gpuMachine + device * 2 ** 24 + tid;
/** null for threads of hosts. */
export const deviceOfThread = (global: number): number | null => (global >= gpuMachine ? pidOf(global) : null);

/** Names of copies in the timeline and reports: `ENUM_CUDA_MEMCPY_OPER`'s label, the short form, and its colour. */
export const copyNames: Readonly<Record<number, { label: string; short: string; flavour: number }>> = {
  1: { label: 'Host-to-Device', short: 'HtoD', flavour: 1 },
  2: { label: 'Device-to-Host', short: 'DtoH', flavour: 2 },
  8: { label: 'Device-to-Device', short: 'DtoD', flavour: 3 },
  9: { label: 'Host-to-Host', short: 'HtoH', flavour: 4 },
  [peerCopyKind]: { label: 'Peer-to-Peer', short: 'PtoP', flavour: 3 },
  11: { label: 'Unified Host-to-Device', short: 'Unified HtoD', flavour: 1 },
  12: { label: 'Unified Device-to-Host', short: 'Unified DtoH', flavour: 2 },
  13: { label: 'Unified Device-to-Device', short: 'Unified DtoD', flavour: 3 },
};
export const copyName = (kind: number): { label: string; short: string; flavour: number } =>
  copyNames[kind] ?? { label: 'Unknown', short: 'unknown', flavour: 0 };

export const memoryKindNames = ['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'];
export const memoryKindName = (kind: number | null): string =>
  kind === null ? '' : (memoryKindNames[kind] ?? 'Unknown');

const syncNames = ['Synchronization', 'Event sync', 'Stream wait sync', 'Stream sync', 'Context sync'];
/** Name of a wait that the legacy default stream imposes (CUDA runtime API, "Stream synchronization behavior"). */
export const implicitWaitName = (otherStream: number): string =>
  `Implicit sync: ${otherStream === nullStreamId ? 'default stream' : `stream ${otherStream}`}`;
export const syncName = (type: number): string => syncNames[type] ?? 'Synchronization';

const errorNames: Readonly<Record<number, string>> = {
  0: 'cudaSuccess',
  1: 'cudaErrorInvalidValue',
  2: 'cudaErrorMemoryAllocation',
  3: 'cudaErrorInitializationError',
  9: 'cudaErrorInvalidConfiguration',
  21: 'cudaErrorInvalidMemcpyDirection',
  98: 'cudaErrorInvalidDeviceFunction',
  100: 'cudaErrorNoDevice',
  101: 'cudaErrorInvalidDevice',
  400: 'cudaErrorInvalidResourceHandle',
  600: 'cudaErrorNotReady',
  700: 'cudaErrorIllegalAddress',
  701: 'cudaErrorLaunchOutOfResources',
  710: 'cudaErrorAssert',
  716: 'cudaErrorMisalignedAddress',
  719: 'cudaErrorLaunchFailure',
  720: 'cudaErrorCooperativeLaunchTooLarge',
  801: 'cudaErrorNotSupported',
  900: 'cudaErrorStreamCaptureUnsupported',
  901: 'cudaErrorStreamCaptureInvalidated',
  902: 'cudaErrorStreamCaptureMerge',
  903: 'cudaErrorStreamCaptureUnmatched',
  904: 'cudaErrorStreamCaptureUnjoined',
  905: 'cudaErrorStreamCaptureIsolation',
  906: 'cudaErrorStreamCaptureImplicit',
  907: 'cudaErrorCapturedEvent',
  910: 'cudaErrorGraphExecUpdateFailure',
};
export const errorName = (code: number): string => errorNames[code] ?? `cudaError ${code}`;

/** Exported API names carry the version of the call's interface, `cudaLaunchKernel_v7000`; `_v2` is part of the name itself. */
export const apiName = (name: string): string => name.replace(/_v\d{4,}$/, '');
