/** L2 that programs can set aside for lines that persist (programming guide, "L2 Set-Aside for Persisting Accesses": from 8.0 on). */
import type { GpuDescription } from './types.ts';

/** Sixteenths of L2, in which it is set aside: an H200 with driver 580.159 rounds up to them, and starts with three. */
const sixteenth = 1 / 16;
const startSixteenths = 3;

/**
 * The most: 10 on that H200, and on a GPU with 96 MiB of L2 (60 MiB of them: Neroued/ninfer pull request 202), assumed for all others but the A100,
 * which has 30 of 40 MB (CUDA C++ Best Practices Guide, "Tuning the Access Window Hit-Ratio").
 */
const mostSixteenths = ({ computeCapability: { major, minor } }: GpuDescription): number =>
  major < 8 ? 0 : major === 8 && minor === 0 ? 12 : 10;

/** The widest window of addresses, bytes: on both of these. */
const widestWindow = 128 * 2 ** 20;

export interface PersistingL2 {
  /** Bytes that can be set aside; 0: the GPU has no persisting lines. */
  most: number;
  /** Bytes that are, before a program says how many. */
  atStart: number;
  /** Bytes that an access policy window can cover. */
  window: number;
}

export function persistingL2(gpu: GpuDescription): PersistingL2 {
  const part = gpu.memory.l2Bytes * sixteenth;
  const most = mostSixteenths(gpu);
  return most === 0
    ? { most: 0, atStart: 0, window: 0 }
    : { most: most * part, atStart: startSixteenths * part, window: widestWindow };
}

/** Bytes that are set aside where a program asks for so many; null where it can't have them. */
export function setAside(gpu: GpuDescription, bytes: number): number | null {
  const part = gpu.memory.l2Bytes * sixteenth;
  return bytes > persistingL2(gpu).most ? null : Math.ceil(bytes / part) * part;
}
