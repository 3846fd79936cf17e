/**
 * How long copies and memsets take: pure functions of size, direction, kind of host memory, GPU and host. The figures are
 * explained where they are kept, in `hosts.ts`; rates of the link and of memory belong to the GPU.
 */
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { HostProfile } from './hosts.ts';
import type { Phase } from './operations.ts';
import type { HostMemoryKind, KernelBlocks } from './types.ts';

const nanosecondsPerSecond = 1e9;

/** How a copy between host and device is done. */
export type TransferPath =
  /** The host writes the bytes into the command stream; the call returns when it has. */
  | { path: 'inline'; hostTime: number; phases: Phase[] }
  /** The copy engine reads or writes pinned memory; the host has nothing to do. */
  | { path: 'direct'; phases: Phase[] }
  /** In pieces through pinned buffers of the driver, which the host fills (`firstPiece`) or empties (`lastPiece`). */
  | { path: 'staged'; hostTime: number; firstPiece: number; lastPiece: number; phases: Phase[] };

export function uploadPath(host: HostProfile, gpu: CompleteGpu, bytes: number, memory: HostMemoryKind): TransferPath {
  const { copies } = host;
  if (bytes <= copies.inlineBytes[memory]) {
    const duration = copies.inlineSetup + bytes / copies.inlineRate[memory];
    return { path: 'inline', hostTime: bytes / copies.inlineHostRate, phases: [setup(duration)] };
  }
  const onLink = (size: number): number => (size / gpu.hostLink.hostToDevice) * nanosecondsPerSecond;
  if (memory === 'pinned') return { path: 'direct', phases: [setup(copies.uploadSetup), link(onLink(bytes))] };
  const piece = Math.min(bytes, copies.stagingBytes);
  // The slower of the two keeps the other waiting: the host fills at its rate, the link empties at its own.
  const paced = Math.max((bytes - piece) / copies.stagingRate.upload, onLink(bytes - piece));
  return {
    path: 'staged',
    hostTime: paced + piece / copies.stagingRate.upload,
    firstPiece: piece / copies.stagingRate.upload,
    lastPiece: piece / copies.stagingRate.upload,
    phases: [setup(copies.uploadSetup), link(paced + onLink(piece))],
  };
}

export function downloadPath(host: HostProfile, gpu: CompleteGpu, bytes: number, memory: HostMemoryKind): TransferPath {
  const { copies } = host;
  const onLink = (size: number): number => (size / gpu.hostLink.deviceToHost) * nanosecondsPerSecond;
  if (memory === 'pinned') return { path: 'direct', phases: [setup(copies.downloadSetup), link(onLink(bytes))] };
  const piece = Math.min(bytes, copies.stagingBytes);
  const paced = Math.max((bytes - piece) / copies.stagingRate.download, onLink(bytes - piece));
  return {
    path: 'staged',
    hostTime: paced + piece / copies.stagingRate.download,
    firstPiece: 0,
    lastPiece: piece / copies.stagingRate.download + copies.pageableDownloadOverhead,
    phases: [setup(copies.downloadSetup), link(onLink(piece) + paced)],
  };
}

/** Copy inside the GPU: every byte is read and written. */
export function deviceCopyTime(host: HostProfile, gpu: CompleteGpu, bytes: number): number {
  return host.copies.deviceCopySetup + memoryTime(gpu, 2 * bytes);
}

export function memsetTime(host: HostProfile, gpu: CompleteGpu, bytes: number): number {
  return host.copies.memsetSetup + memoryTime(gpu, bytes);
}

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

/** Between two places of pageable or pinned host memory, by the host. */
export function hostCopyTime(host: HostProfile, bytes: number): number {
  return bytes / host.copies.stagingRate.upload;
}

/** What fits in L2 moves at its rate (H200 reference, C3 D2D_16384KB: 7.2 TB/s), all else at that of DRAM. */
function memoryTime(gpu: CompleteGpu, bytes: number): number {
  const { memory, core } = gpu;
  const perNanosecond =
    bytes <= memory.l2Bytes
      ? (memory.l2BytesPerClock * core.smClockMhz) / 1e3
      : (memory.bandwidth * memory.achievableFraction) / nanosecondsPerSecond;
  return bytes / perNanosecond;
}

const setup = (duration: number): Phase => ({ duration, share: 0 });
const link = (duration: number): Phase => ({ duration, share: 1 });
