/**
 * Levels 1 and 2 of cuBLAS, which go through vectors or a matrix once: a start, time that grows with the number of blocks and the
 * length of a sum, and the bytes at the rates of L2 and DRAM.
 */
import { missing, type ScaledGpu } from './gpu.ts';
import type { LibraryKernel, StreamCall, StreamKernel, StreamParameters } from './types.ts';

/** Nanoseconds of a kernel; `bytes`: that it moves. */
export function streamTime(
  p: StreamParameters,
  { blocks, length, bytes }: { blocks: number; length: number; bytes: number },
  gpu: ScaledGpu,
): number {
  const missed = missing(bytes, gpu);
  const latency = p.start + p.blocks * blocks ** p.power + p.length * Math.sqrt(length);
  return latency * gpu.latency + (bytes * (1 - missed)) / (p.l2 * gpu.l2) + (bytes * missed) / (p.dram * gpu.dram);
}

/** Of a kernel for so many elements. */
export function streamGrid(
  { perBlock, mostBlocks, alone = 0 }: StreamKernel,
  rows: number,
  columns: number,
): [number, number] {
  if (rows <= alone) return [1, 1];
  const [x, y] = [Math.ceil(rows / perBlock[0]), Math.ceil(columns / perBlock[1])];
  return [Math.max(1, Math.min(x, mostBlocks)), Math.max(1, Math.min(y, 65535))];
}

/** The kernels of a call. */
export function streamKernels(call: StreamCall, kernels: readonly StreamKernel[], gpu: ScaledGpu): LibraryKernel[] {
  const { rows, columns, bytes, length } = call;
  const [first] = kernels;
  const [x, y] = streamGrid(first!, rows, columns);
  const launched = kernels.slice(0, rows <= (first!.alone ?? 0) ? 1 : undefined);
  return launched.map((kernel, index) => {
    const { threads, registers, shared, parameters } = kernel;
    const name = gpu.isMeasured ? kernel.name : null;
    const isFirst = index === 0;
    const duration = streamTime(parameters, { blocks: x * y, length, bytes: isFirst ? bytes : 0 }, gpu);
    const busy = 1 - (parameters.start * gpu.latency) / duration;
    return {
      ...{ name, threads, registers, shared, duration: Math.round(duration) },
      grid: isFirst ? { x, y, z: 1 } : { x: 1, y: 1, z: 1 },
      resident: Math.max(1, Math.floor(2048 / threads)),
      load: { sm: 0.3 * busy, dram: isFirst ? busy * missing(bytes, gpu) : 0 },
    };
  });
}
