/**
 * The tables that an SQLite export of Nsight Systems has for what a trace holds: columns, order and types of its export
 * schema 3.25, read from exports of 2026.1 and 2026.2, and for CUDA_UM_* from published ones.
 */

import { eventKinds, kindOf } from '../model/event-kinds/index.ts';
import { columnDefinitions, type ColumnDefinition } from '../trace/column-definitions.ts';

export interface NsysColumn extends ColumnDefinition {
  /** The value where a trace lacks the column or a value, as SQL; without it, NULL. */
  otherwise?: string;
}

const tables: Readonly<Record<string, string>> = {
  StringIds: `
    id! PRIMARY KEY, value TEXT!`,
  ...Object.fromEntries(
    eventKinds.flatMap((kind) => {
      const { name, exported } = kindOf[kind].table;
      return exported === undefined ? [] : [[name, exported]];
    }),
  ),
  CUDA_GPU_MEMORY_USAGE_EVENTS: `
    start!, globalPid, deviceId!, contextId!, address!, pc!, bytes!, memKind!, memoryOperationType!, name TEXT,
    correlationId, streamId, localMemoryPoolAddress, localMemoryPoolReleaseThreshold, localMemoryPoolSize,
    localMemoryPoolUtilizedSize, importedMemoryPoolAddress, importedMemoryPoolProcessId`,
  PROCESSES: `
    globalPid, pid, name TEXT`,
  ThreadNames: `
    nameId!, priority, globalTid`,
  TARGET_INFO_GPU: `
    vmId!, id!, name TEXT, busLocation TEXT, isDiscrete, l2CacheSize, totalMemory, memoryBandwidth, clockRate,
    smCount, pwGpuId, uuid TEXT, luid, chipName TEXT, cuDevice, ctxswDevPath TEXT, ctrlDevPath TEXT, revision,
    nodeMask, constantMemory, maxIPC, maxRegistersPerBlock, maxShmemPerBlock, maxShmemPerBlockOptin,
    maxShmemPerSm, maxRegistersPerSm, threadsPerWarp, asyncEngines, maxWarpsPerSm, maxBlocksPerSm,
    maxThreadsPerBlock, maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ,
    computeMajor, computeMinor, smMajor, smMinor`,
  TARGET_INFO_CUDA_DEVICE: `
    gpuId, cudaId!, pid!, uuid TEXT, numMultiprocessors`,
  TARGET_INFO_CUDA_CONTEXT_INFO: `
    nullStreamId!, hwId!, vmId!, processId!, deviceId!, contextId!, parentContextId, isGreenContext,
    numMultiprocessors`,
  TARGET_INFO_CUDA_STREAM: `
    streamId!, hwId!, vmId!, processId!, contextId!, priority!, flag!`,
  TARGET_INFO_SESSION_START_TIME: `
    utcEpochNs, utcTime TEXT, localTime TEXT, systemClockNs`,
  META_DATA_EXPORT: `
    name TEXT!, value TEXT`,
};

/** nsys writes an empty list for kernels without tensor maps. Where a call of the program lies is not known here. */
const otherwise: Readonly<Record<string, string>> = { tensorSizeMinusOneElements: "'[]'", pc: '0' };

/** Tables of the export, with the enumerations among `found`, which all look alike. */
export function nsysTables(found: Iterable<string>): { name: string; columns: NsysColumn[] }[] {
  const enumerations = [...found].filter((name) => /^ENUM_(?!SIMSIGHT_)\w+$/.test(name)).sort();
  const all = [
    ...Object.entries(tables),
    ...enumerations.map((name) => [name, 'id! PRIMARY KEY, name TEXT, label TEXT'] as const),
  ];
  return all.map(([name, list]) => ({ name, columns: columnDefinitions(list).map(withDefault) }));
}

const withDefault = (column: ColumnDefinition): NsysColumn =>
  otherwise[column.name] === undefined ? column : { ...column, otherwise: otherwise[column.name]! };
