/** One device of the program: what CUDA keeps in its primary context. */
import type { GpuDescription } from '../../gpus/types.ts';
import type { KernelModel } from '../../model/kernel-timing.ts';
import type { KernelAttributes } from './context.ts';
import { GraphMemory } from './graph-memory.ts';
import type { Pool } from './pools.ts';

export class DeviceState {
  /** Ordinal: what `cudaSetDevice` takes. */
  readonly index: number;
  readonly gpu: GpuDescription;
  readonly model: KernelModel;
  readonly kernelAttributes = new Map<string, KernelAttributes>();
  readonly limits = new Map<number, number>();
  /** `cudaSetDeviceFlags`. */
  flags = 0;
  /** `cudaDeviceSetCacheConfig`. */
  cacheConfig = 0;
  defaultPool: Pool | null = null;
  currentPool: Pool | null = null;
  readonly graphMemory = new GraphMemory();
  /** Devices whose memory it may access: `cudaDeviceEnablePeerAccess`. */
  readonly peers = new Set<number>();
  /** The context is lost. */
  stickyError = 0;
  /** A kernel failed and the host has not noticed: reported by the next call that waits for the device. */
  pendingError = 0;

  constructor(index: number, gpu: GpuDescription, model: KernelModel) {
    this.index = index;
    this.gpu = gpu;
    this.model = model;
  }

  /** Nothing runs on the device any more, whether the host knows it or not. */
  get lost(): boolean {
    return this.stickyError !== 0 || this.pendingError !== 0;
  }

  /** `cudaDeviceReset`. */
  reset(): void {
    this.kernelAttributes.clear();
    this.cacheConfig = 0;
    this.peers.clear();
    this.graphMemory.reset();
    this.stickyError = this.pendingError = 0;
  }
}
