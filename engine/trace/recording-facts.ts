/** Facts known when a recording starts, and how its trace stores them. */
import type Database from 'better-sqlite3';
import type { Limit } from '../base/limits.ts';
import { version } from '../base/version.ts';
import { busLocation } from '../gpus/bus.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { contextIdOf, globalId, nullStreamId, pid } from '../model/nsight-codes.ts';

export interface KernelNames {
  /** Name with template arguments and parameters. */
  demangled: string;
  /** The function's name alone. */
  short: string;
}

/** Facts known when a recording starts. Nothing in here may differ between two recordings of one program. */
export interface RecordingFacts {
  title: string;
  /** Name of the program, without folders. */
  program: string;
  arguments: string[];
  gpu: GpuDescription;
  /** Further GPUs: devices 1 and up. */
  others?: readonly GpuDescription[];
  /** The limit that times were computed without. */
  lifted?: Limit;
  /** The program's own files, with paths as the user gave them. */
  sources: { path: string; text: string }[];
  /** Kernel names by mangled name; kernels that are not in it keep the mangled one. */
  names: ReadonlyMap<string, KernelNames>;
}

export function writeFacts(db: Database.Database, facts: RecordingFacts): void {
  const { gpu, others = [] } = facts;
  const fact = db.prepare('INSERT INTO SIMSIGHT_RECORDING (name, value) VALUES (?, ?)');
  fact.run('engineVersion', version);
  fact.run('title', facts.title);
  fact.run('program', facts.program);
  fact.run('arguments', JSON.stringify(facts.arguments));
  fact.run('gpuId', gpu.id);
  fact.run('gpu', JSON.stringify(gpu));
  if (others.length > 0) fact.run('otherGpus', JSON.stringify(others));
  if (facts.lifted !== undefined) fact.run('lifted', facts.lifted);
  fact.run('exitCode', null);
  fact.run('complete', 'false');

  const source = db.prepare('INSERT INTO SIMSIGHT_SOURCES (path, text) VALUES (?, ?)');
  for (const { path, text } of facts.sources) source.run(path, text);

  insert(db, 'PROCESSES', { globalPid: globalId(), pid, name: facts.program });
  insert(db, 'TARGET_INFO_SESSION_START_TIME', {
    // Always the same, or no two recordings would be equal.
    utcEpochNs: 1_767_225_600_000_000_000n,
    utcTime: '2026-01-01T00:00:00',
    localTime: '2026-01-01T00:00:00',
    systemClockNs: 0,
  });
  [gpu, ...others].forEach((each, device) => writeGpu(db, each, device));
  const exported: [string, string][] = [
    ['EXPORT_PRODUCT_NAME', 'Simsight'],
    ['EXPORT_PRODUCT_VERSION', version],
    ['EXPORT_SCHEMA_VERSION', '3.25.0'],
    ['EXPORT_SCHEMA_VERSION_MAJOR', '3'],
    ['EXPORT_SCHEMA_VERSION_MINOR', '25'],
    ['EXPORT_SCHEMA_VERSION_MICRO', '0'],
  ];
  for (const [name, value] of exported) insert(db, 'META_DATA_EXPORT', { name, value });
}

function writeGpu(db: Database.Database, gpu: GpuDescription, device: number): void {
  insert(db, 'TARGET_INFO_GPU', {
    vmId: globalId() - pid * 2 ** 24,
    id: device,
    name: gpu.name,
    busLocation: busLocation(device),
    isDiscrete: 1,
    l2CacheSize: gpu.memory.l2Bytes,
    totalMemory: gpu.memory.capacityBytes,
    memoryBandwidth: Math.round(gpu.memory.bandwidth),
    clockRate: Math.round(gpu.core.smClockMhz * 1e6),
    smCount: gpu.core.smCount,
    chipName: gpu.chip,
    cuDevice: device,
    maxRegistersPerBlock: gpu.limits.registersPerSm,
    maxShmemPerBlock: gpu.limits.sharedBytesPerBlock,
    maxShmemPerBlockOptin: gpu.limits.sharedBytesPerBlockOptin,
    maxShmemPerSm: gpu.limits.sharedBytesPerSm,
    maxRegistersPerSm: gpu.limits.registersPerSm,
    threadsPerWarp: 32,
    asyncEngines: gpu.hostLink.copyEngines,
    maxWarpsPerSm: gpu.limits.warpsPerSm,
    maxBlocksPerSm: gpu.limits.blocksPerSm,
    maxThreadsPerBlock: gpu.limits.threadsPerBlock,
    computeMajor: gpu.computeCapability.major,
    computeMinor: gpu.computeCapability.minor,
    smMajor: gpu.computeCapability.major,
    smMinor: gpu.computeCapability.minor,
  });
  insert(db, 'TARGET_INFO_CUDA_DEVICE', { gpuId: device, cudaId: device, pid, numMultiprocessors: gpu.core.smCount });
  insert(db, 'TARGET_INFO_CUDA_CONTEXT_INFO', {
    nullStreamId,
    hwId: 0,
    vmId: 1,
    processId: pid,
    deviceId: device,
    contextId: contextIdOf(device),
    parentContextId: 0,
    isGreenContext: 0,
    numMultiprocessors: 0,
  });
}

function insert(db: Database.Database, table: string, row: Record<string, string | number | bigint | null>): void {
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}
