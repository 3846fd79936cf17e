/** A simulated system with its events kept, and one-line calls for tests and benches: what a program would write. */
import { costOf } from '../../../engine/cuda/runtime/table.ts';
import { ns, bytes } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import { createSystemSimulator } from '../../../engine/system/simulator.ts';
import type { KernelBlocks } from '../../../engine/model/kernel-profile.ts';
import type { KernelRequest, ApiCall, SystemSimulator } from '../../../engine/system/types.ts';
import type { GpuDescription } from '../../../engine/gpus/types.ts';
import type { HostProfile } from '../../../engine/system/hosts.ts';
import type { CopyDirection, HostMemoryKind } from '../../../engine/model/event-kinds/memcpy.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';

export interface KernelShape {
  /** Microseconds. */
  microseconds: number;
  blocks?: number;
  /** How many of them an SM holds. */
  perSm?: number;
  load?: KernelBlocks['load'];
  name?: string;
}

/** Blocks of which an SM holds so many at most, for the one resource that they fill. */
export function blocksOf(count: number, perSm: number, load: KernelBlocks['load'] = { sm: 0, dram: 0 }): KernelBlocks {
  return { count, perSm, share: { warps: 1 / perSm, registers: 0, shared: 0, slots: 1 / 32 }, load };
}

/** Details of a kernel for tests that do not depend on them. */
export const details = {
  registersPerThread: 16,
  staticSharedBytes: 0,
  localBytesPerThread: 0,
  sharedConfigBytes: 0,
  metrics: {},
};
export const one = { x: 1, y: 1, z: 1 };

export function kernelRequest(
  stream: number,
  { microseconds, blocks = 1, perSm = 8, load, name = 'kernel' }: KernelShape,
): KernelRequest {
  return {
    stream,
    kernel: name,
    grid: { ...one, x: blocks },
    block: { ...one, x: 256 },
    dynamicSharedBytes: 0,
    duration: ns(Math.round(microseconds * 1e3)),
    blocks: blocksOf(blocks, perSm, load),
    details,
  };
}

export class Recorder {
  readonly events: TraceEvent[] = [];
  readonly system: SystemSimulator;

  constructor(
    options: {
      gpu?: GpuDescription;
      others?: GpuDescription[];
      host?: HostProfile;
      cold?: boolean;
      keep?: boolean;
      connections?: number;
    } = {},
  ) {
    const { gpu = gpuById('h200'), others, host = defaultHost, cold = false, keep = true, connections } = options;
    const sink = (event: TraceEvent): void => void (keep && this.events.push(event));
    const settings = { contextCreation: cold, lazyLoading: cold, connections };
    this.system = createSystemSimulator({ gpu, others, host, sink, ...settings });
  }

  /** Microseconds. */
  get now(): number {
    return this.system.now / 1e3;
  }

  /** Microseconds that `action` takes the host. */
  timed(action: () => void): number {
    const start = this.system.now;
    action();
    return (this.system.now - start) / 1e3;
  }

  call(name: string, action: (call: ApiCall) => void): void {
    const call = this.system.beginApi(name, costOf(name)!);
    action(call);
    this.system.endApi(call, 0);
  }

  launch(stream: number, shape: KernelShape): void {
    this.call('cudaLaunchKernel', (call) => this.system.launch(call, kernelRequest(stream, shape)));
  }

  copy(
    stream: number,
    direction: CopyDirection,
    size: number,
    hostMemory: HostMemoryKind = 'pinned',
    async = true,
    hostAddress = 0,
  ): void {
    this.call(async ? 'cudaMemcpyAsync' : 'cudaMemcpy', (call) =>
      this.system.copy(call, { direction, bytes: bytes(size), hostMemory, stream, async, hostAddress }),
    );
  }

  memset(stream: number, size: number): void {
    const request = { value: 0, bytes: bytes(size), stream, async: true };
    this.call('cudaMemsetAsync', (call) => this.system.memset(call, request));
  }

  stream(nonBlocking = true, priority = 0): number {
    let id = 0;
    this.call('cudaStreamCreateWithFlags', () => (id = this.system.createStream({ nonBlocking, priority })));
    return id;
  }

  event(): number {
    let id = 0;
    this.call('cudaEventCreate', () => (id = this.system.createEvent({ timing: true, blockingSync: false })));
    return id;
  }

  record(event: number, stream: number): void {
    this.call('cudaEventRecord', (call) => this.system.recordEvent(call, event, stream));
  }

  wait(stream: number, event: number): void {
    this.call('cudaStreamWaitEvent', (call) => this.system.streamWaitEvent(call, stream, event));
  }

  syncStream(stream: number): void {
    this.call('cudaStreamSynchronize', (call) => this.system.synchronizeStream(call, stream));
  }

  syncEvent(event: number): void {
    this.call('cudaEventSynchronize', (call) => this.system.synchronizeEvent(call, event));
  }

  syncDevice(): void {
    this.call('cudaDeviceSynchronize', (call) => this.system.synchronizeDevice(call));
  }

  /** Microseconds between two recorded events. */
  elapsed(start: number, end: number): number {
    return this.system.elapsedMilliseconds(start, end)! * 1e3;
  }

  of<Type extends TraceEvent['type']>(type: Type): Extract<TraceEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<TraceEvent, { type: Type }> => event.type === type);
  }
}
