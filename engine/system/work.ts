/** Operations for the GPU, made of what programs ask for: kernels, copies, fills, functions of the host, nodes of graphs. */
import { nanosecondsPerSecond, ns } from '../base/units.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import { hostLinkForKernels } from '../gpus/host-link.ts';
import { nvLinkForKernels } from '../gpus/nvlink.ts';
import type { CopyEvent } from '../model/event-kinds/memcpy.ts';
import type { KernelEvent } from '../model/event-kinds/kernel.ts';
import type { MemsetEvent } from '../model/event-kinds/memset.ts';
import { after, mark, offLink, onSms, operation, withFaults, type Operation } from './operations.ts';
import { peerPhases } from './peercopies.ts';
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Stream, Streams } from './streams.ts';
import { deviceCopyTime, downloadPath, memoryBlocks, memsetTime, uploadPath, type TransferPath } from './transfers.ts';
import type { ApiCall, CopyRequest, GraphNodeRequest, KernelRequest, MemsetRequest, PeerCopy } from './types.ts';

type HostCopy = Pick<CopyRequest, 'bytes' | 'hostMemory' | 'hostAddress' | 'rows'>;

export class RequestedWork {
  private readonly state: SystemState;
  private readonly streams: Streams;
  private readonly order: StreamOrder;
  /** The first launch of a kernel loads it. */
  private readonly lazyLoading: boolean;

  constructor(state: SystemState, streams: Streams, order: StreamOrder, lazyLoading: boolean) {
    this.state = state;
    this.streams = streams;
    this.order = order;
    this.lazyLoading = lazyLoading;
  }

  /** A kernel waits for the managed memory that it touches; what it accesses over the link takes the link's time at least. */
  kernelOperation(
    call: ApiCall,
    request: Omit<KernelRequest, 'stream' | 'children'>,
    stream: Stream,
    at: Place,
    priority = stream.priority,
  ): Operation {
    const { duration, blocks, paging } = request;
    const report = kernelReport(call, request, at);
    if (!paging) return onSms(duration, blocks, report, priority);
    const gpu = this.streams.gpus[at.deviceId]!.description;
    const remote = Math.round((paging.remoteBytes / hostLinkForKernels(gpu).reads) * nanosecondsPerSecond);
    const link = nvLinkForKernels(gpu);
    const peer = link ? Math.round((paging.peerBytes / link.reads) * nanosecondsPerSecond) : 0;
    const whole = Math.max(duration, remote, peer);
    const load = { ...blocks.load, link: whole > 0 ? remote / whole : 0 };
    return withFaults(onSms(whole, { ...blocks, load }, report, priority), request);
  }

  /** The GPU tells a thread of the driver's, which calls the function and tells the GPU. */
  hostFunctionOperation(before: Operation | null, times = 1): Operation {
    const { asleep, idleStream, afterAnother } = this.state.host.hostFunction;
    const isIdle = before === null || before.end >= 0;
    const duration = isIdle ? idleStream : before.kind === 'host' ? afterAnother : asleep;
    return mark('host', times * duration);
  }

  graphOperation(call: ApiCall, { work, priority }: GraphNodeRequest, stream: Stream, at: Place): Operation {
    const { description: gpu, device } = this.streams.gpus[at.deviceId]!;
    switch (work.type) {
      case 'kernel':
        return this.kernelOperation(call, work, stream, at, priority);
      case 'copy': {
        const { direction, peer } = work;
        if (peer) return this.peerOperation(call, { ...work, peer }, at);
        const to = direction === 'host-to-device' ? 'upload' : direction === 'device-to-host' ? 'download' : null;
        const engine = to && device.copyEngines.indexFor(to);
        const report = copyReport(call, work, at, engine);
        // Pageable memory is staged by the driver's own thread: at its rate, and without the caller's time.
        if (to === 'upload') {
          return withFaults(operation('copy', to, this.uploadPlan(work, gpu).phases, report), work);
        }
        if (to === 'download') {
          return withFaults(operation('copy', to, this.downloadPlan(work, gpu).phases, report), work);
        }
        if (direction === 'device-to-device') {
          return withFaults(this.insideOperation(work, report, stream.priority), work);
        }
        const duration = Math.round(this.hostCopyTime(work));
        return withFaults(operation('wait', null, [offLink(duration)], report), work);
      }
      case 'memset':
        return withFaults(this.fillOperation(work, memsetReport(call, work, at), stream.priority), work);
      case 'host':
        return this.hostFunctionOperation(stream.last, this.state.host.graphs.hostFunction);
      case 'event-record':
        return this.streams.newRecord(work.event);
      case 'event-wait': {
        const wait = mark('wait');
        const { record } = this.streams.event(work.event);
        if (record && record.end < 0) after(wait, record, this.order.eventLatency(record, at.deviceId));
        return wait;
      }
      case 'empty':
        return mark('wait');
    }
  }

  peerOperation(
    call: ApiCall,
    request: Pick<CopyRequest, 'direction' | 'hostMemory' | 'bytes'> & { peer: PeerCopy },
    at: Place,
  ): Operation {
    const descriptions = this.streams.gpus.map(({ description }) => description);
    const phases = peerPhases(this.state.host, descriptions, request.peer, request.bytes);
    const engine = request.peer.direct ? this.streams.gpus[at.deviceId]!.device.copyEngines.indexForPeers : null;
    const work = operation('copy', 'peer', phases, copyReport(call, request, at, engine));
    work.peer = request.peer;
    return work;
  }

  uploadPlan({ bytes, hostMemory: memory, hostAddress, rows = 1 }: HostCopy, gpu: CompleteGpu): TransferPath {
    const stagingRate = memory === 'pageable' ? this.state.hostCache.touch(hostAddress ?? 0, bytes) : 1;
    return uploadPath(this.state.host, gpu, { bytes, memory, rows, stagingRate });
  }

  downloadPlan({ bytes, hostMemory: memory, hostAddress, rows = 1 }: HostCopy, gpu: CompleteGpu): TransferPath {
    if (memory === 'pageable') this.state.hostCache.touch(hostAddress ?? 0, bytes);
    return downloadPath(this.state.host, gpu, { bytes, memory, rows });
  }

  hostCopyTime({ bytes, hostAddress }: HostCopy): number {
    return bytes / this.state.hostCache.touch(hostAddress ?? 0, bytes);
  }

  insideOperation({ bytes, rows }: HostCopy, report: CopyEvent, priority: number): Operation {
    const { description } = this.streams.gpus[report.deviceId]!;
    const duration = deviceCopyTime(this.state.host, description, bytes, rows);
    return onSms(Math.round(duration), memoryBlocks(description, 2 * bytes), report, priority);
  }

  fillOperation(
    { bytes, rows }: Pick<MemsetRequest, 'bytes' | 'rows'>,
    report: MemsetEvent,
    priority: number,
  ): Operation {
    const { description } = this.streams.gpus[report.deviceId]!;
    const duration = memsetTime(this.state.host, description, bytes, rows);
    return onSms(Math.round(duration), memoryBlocks(description, bytes), report, priority);
  }

  loadKernel(kernel: string, device: number): void {
    const { loadedKernels } = this.streams.gpus[device]!;
    if (!this.lazyLoading || loadedKernels.has(kernel)) return;
    loadedKernels.add(kernel);
    this.state.clock += this.state.host.firstLaunchOfKernel;
  }
}

/** Device and stream on which the trace shows work. */
export interface Place {
  deviceId: number;
  streamId: number;
}

export const placeOf = ({ device, traceId }: Stream): Place => ({ deviceId: device, streamId: traceId });

/** The part that events of all work on a device share; times come when it is done. */
export function deviceWork(call: ApiCall, at: Place) {
  return { start: ns(0), end: ns(0), ...at, correlationId: call.correlationId };
}

function kernelReport(call: ApiCall, request: Omit<KernelRequest, 'stream' | 'children'>, at: Place): KernelEvent {
  const { kernel, grid, block, dynamicSharedBytes, details, failure } = request;
  const failed = failure ? { failure } : {};
  return { type: 'kernel', ...deviceWork(call, at), kernel, grid, block, dynamicSharedBytes, details, ...failed };
}

export function memsetReport(call: ApiCall, request: Pick<MemsetRequest, 'value' | 'bytes'>, at: Place): MemsetEvent {
  return { type: 'memset', ...deviceWork(call, at), value: request.value, bytes: request.bytes };
}

export function copyReport(
  call: ApiCall,
  request: Pick<CopyRequest, 'direction' | 'hostMemory' | 'bytes' | 'peer'>,
  at: Place,
  engine: number | null,
): CopyEvent {
  const { direction, hostMemory, bytes, peer } = request;
  const between = peer ? { peer: { from: peer.from, to: peer.to } } : {};
  return { type: 'copy', ...deviceWork(call, at), direction, hostMemory, bytes, ...between, engine };
}
