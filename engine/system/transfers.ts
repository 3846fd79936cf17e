/**
 * How long copies and memsets take: pure functions of size, direction, kind of host memory, GPU and host. The figures are
 * explained where they are kept, in `hosts.ts`; rates of the link and of memory belong to the GPU.
 */
import { nanosecondsPerSecond } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { HostProfile } from './hosts.ts';
import { offLink, onLink, type Phase } from './operations.ts';
import type { HostMemoryKind } from '../model/event-kinds/memcpy.ts';
import type { KernelBlocks } from '../model/kernel-profile.ts';

/** Path of a copy between host and device. */
export type TransferPath =
  /** The host writes the bytes into the command stream; the call returns when it has. */
  | { path: 'inline'; hostTime: number; phases: Phase[] }
  /** The copy engine reads or writes pinned memory; the host has nothing to do. */
  | { path: 'direct'; phases: Phase[] }
  /** Copies in pieces through pinned buffers of the driver, which the host fills (`firstPiece`) or empties (`lastPiece`). */
  | { path: 'staged'; hostTime: number; firstPiece: number; lastPiece: number; phases: Phase[] };

/** Transfer between host and device. `stagingRate`: rate at which the host reads its source, bytes per nanosecond. */
export interface Transfer {
  bytes: number;
  memory: HostMemoryKind;
  rows: number;
  stagingRate: number;
}

export function uploadPath(
  host: HostProfile,
  gpu: CompleteGpu,
  { bytes, memory, rows, stagingRate }: Transfer,
): TransferPath {
  const { copies } = host;
  if (bytes <= copies.inlineBytes[memory] && rows === 1) {
    const duration = copies.inlineSetup + bytes / copies.inlineRate[memory];
    return { path: 'inline', hostTime: bytes / copies.inlineHostRate, phases: [offLink(duration)] };
  }
  const linkTime = (size: number): number =>
    Math.max(
      (size / gpu.hostLink.hostToDevice) * nanosecondsPerSecond,
      inRows(rows, size / bytes, copies.perRow.upload),
    );
  if (memory === 'pinned') return { path: 'direct', phases: [offLink(copies.uploadSetup), onLink(linkTime(bytes))] };
  const piece = Math.min(bytes, copies.stagingBytes);
  // The slower of the two keeps the other waiting: the host fills at its rate, the link empties at its own.
  const paced = Math.max((bytes - piece) / stagingRate, linkTime(bytes - piece));
  return {
    path: 'staged',
    hostTime: paced + piece / stagingRate,
    firstPiece: piece / stagingRate,
    lastPiece: piece / stagingRate,
    phases: [offLink(copies.uploadSetup), onLink(paced + linkTime(piece))],
  };
}

export function downloadPath(
  host: HostProfile,
  gpu: CompleteGpu,
  { bytes, memory, rows }: Omit<Transfer, 'stagingRate'>,
): TransferPath {
  const { copies } = host;
  const linkTime = (size: number): number =>
    Math.max(
      (size / gpu.hostLink.deviceToHost) * nanosecondsPerSecond,
      inRows(rows, size / bytes, copies.perRow.download),
    );
  if (memory === 'pinned') return { path: 'direct', phases: [offLink(copies.downloadSetup), onLink(linkTime(bytes))] };
  const piece = Math.min(bytes, copies.stagingBytes);
  const paced = Math.max((bytes - piece) / copies.stagingDownload, linkTime(bytes - piece));
  return {
    path: 'staged',
    hostTime: paced + piece / copies.stagingDownload,
    firstPiece: 0,
    lastPiece: piece / copies.stagingDownload + copies.pageableDownloadOverhead,
    phases: [offLink(copies.downloadSetup), onLink(linkTime(piece) + paced)],
  };
}

/** Copy inside the GPU: every byte is read and written. */
export function deviceCopyTime({ copies }: HostProfile, gpu: CompleteGpu, bytes: number, rows = 1): number {
  const time = memoryTime(gpu, 2 * bytes);
  if (rows === 1) return copies.deviceCopySetup + time;
  const { fewRows, perBlock, perBlockOfMany, rate, rateOfMany } = copies.insideRows;
  const hasFew = rows <= fewRows;
  const blocks = hasFew ? rows : Math.min(fewRows, rows / perBlockOfMany);
  return copies.deviceCopySetup + Math.max(time, blocks * perBlock, (2 * bytes) / (hasFew ? rate : rateOfMany));
}

/** Fills go at the rate of DRAM, also of what L2 holds (system.cu, S4 memset 16 MB: 3.7 us for what L2 would take in half of that). */
export function memsetTime({ copies }: HostProfile, gpu: CompleteGpu, bytes: number, rows = 1): number {
  const { fills, insideRows } = copies;
  const setup = isSmallFill(copies, bytes, rows) ? fills.smallSetup : fills.setup;
  const { bandwidth, achievableFraction } = gpu.memory;
  const time = Math.max((bytes / (bandwidth * achievableFraction)) * nanosecondsPerSecond, bytes / l2Rate(gpu));
  return setup + Math.max(time, rows === 1 ? 0 : rows * insideRows.perBlock);
}

export const isSmallFill = ({ fills }: HostProfile['copies'], bytes: number, rows = 1): boolean =>
  rows === 1 && bytes <= fills.smallBytes;

const inRows = (rows: number, part: number, perRow: number): number => (rows > 1 ? rows * part * perRow : 0);

/**
 * Fills and copies inside the GPU are done by SMs: they wait for places and share DRAM with kernels (system.cu, S3
 * d2d_two_streams, d2d_beside_fma). `bytes`: read and written. How many blocks the driver takes is not known.
 */
export function memoryBlocks({ core, memory }: CompleteGpu, bytes: number): KernelBlocks {
  return {
    count: Math.max(1, Math.min(core.smCount, Math.ceil(bytes / bytesPerMemoryBlock))),
    perSm: 1,
    share: { warps: 0.5, registers: 0.5, shared: 0, slots: 1 / 32 },
    load: { sm: 0, dram: bytes > memory.l2Bytes ? 1 : 0 },
  };
}
const bytesPerMemoryBlock = 64 * 1024;

/**
 * Nanoseconds of moving bytes within device memory: at L2's rate if they fit in it (H200 reference, C3 D2D_16384KB: 7.2 TB/s), else at that
 * of DRAM.
 */
function memoryTime(gpu: CompleteGpu, bytes: number): number {
  return bytes / (bytes <= gpu.memory.l2Bytes ? l2Rate(gpu) : dramRate(gpu));
}

/** Bytes per nanosecond; DRAM's are no more than L2's. */
const l2Rate = ({ memory, core }: CompleteGpu): number => (memory.l2BytesPerClock * core.smClockMhz) / 1e3;
const dramRate = (gpu: CompleteGpu): number =>
  Math.min(l2Rate(gpu), (gpu.memory.bandwidth * gpu.memory.achievableFraction) / nanosecondsPerSecond);
