/** Copies that API calls ask for: their way, and when the call returns. */
import { after, mark, offLink, operation, withFaults } from './operations.ts';
import type { SystemParts } from './parts.ts';
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Stream, Streams } from './streams.ts';
import type { Submission } from './submission.ts';
import type { ApiCall, CopyRequest, PeerCopy } from './types.ts';
import type { Waits } from './waits.ts';
import { copyReport, placeOf, type RequestedWork } from './work.ts';

export class Copies {
  private readonly state: SystemState;
  private readonly streams: Streams;
  private readonly order: StreamOrder;
  private readonly submission: Submission;
  private readonly waits: Waits;
  private readonly work: RequestedWork;

  constructor({ state, streams, order, submission, waits, work }: SystemParts) {
    this.state = state;
    this.streams = streams;
    this.order = order;
    this.submission = submission;
    this.waits = waits;
    this.work = work;
  }

  copy(call: ApiCall, request: CopyRequest): void {
    const stream = this.streams.stream(request.stream);
    if (request.peer) return this.copyBetween(call, { ...request, peer: request.peer }, stream);
    switch (request.direction) {
      case 'host-to-device':
        return this.upload(call, request, stream);
      case 'device-to-host':
        return this.download(call, request, stream);
      case 'device-to-device':
        return this.copyInside(call, request, stream);
      case 'host-to-host':
        return this.copyOnHost(call, request, stream);
    }
  }

  private upload(call: ApiCall, request: CopyRequest, stream: Stream): void {
    const { description, device } = this.streams.gpuOf(stream);
    const plan = this.work.uploadPlan(request, description);
    const engine = device.copyEngines.indexFor('upload');
    // Data that the host writes into the command stream itself needs no copy engine.
    const isOwn = plan.path === 'inline' && request.hostMemory === 'pageable';
    const report = copyReport(call, request, placeOf(stream), isOwn ? null : engine);
    const way = isOwn
      ? operation('inline', 'compute', [offLink(Math.round(plan.phases[0]!.duration))], report)
      : operation('copy', 'upload', plan.phases, report);
    const work = withFaults(way, request);
    const { copy: latency } = this.state.host.startLatency;
    switch (plan.path) {
      case 'inline':
        this.state.clock +=
          Math.round(plan.hostTime) + (request.async ? 0 : this.state.host.copies.inlineBlockingIssue);
        this.submission.enqueue(stream, work, isOwn ? this.state.host.startLatency.kernel : latency, true);
        if (!request.async && request.hostMemory === 'pinned') this.waits.waitFor(call, work);
        return;
      case 'direct':
        this.submission.enqueue(stream, work, latency);
        if (!request.async) this.waits.waitFor(call, work);
        return;
      case 'staged': {
        if (this.state.copiesAside) return this.submission.enqueue(stream, work, latency);
        // CUDA runtime API, "API synchronization behavior": the call returns when all bytes are in staging memory. The first
        // piece goes there while the stream is still busy: C3 H2D_pageable_1024KB, whose events lie closer together than the
        // host's copy takes.
        const begin = this.state.clock;
        this.submission.enqueue(stream, work, Math.round(plan.firstPiece) + latency);
        const goesOn = (): number => {
          const delay = Math.max(0, work.start - (begin + plan.firstPiece + latency));
          return Math.max(Math.round(begin + plan.hostTime + delay), work.start);
        };
        const isLong = request.bytes > this.state.host.copies.stagingBytes;
        if (isLong) this.submission.flush();
        if (isLong && call.waits) return this.waits.whenOver(call, () => (work.start < 0 ? null : goesOn()));
        if (isLong) this.state.machine.runUntilStarted(work);
        this.state.clock = Math.max(this.state.clock, goesOn(), this.state.machine.time);
      }
    }
  }

  private download(call: ApiCall, request: CopyRequest, stream: Stream): void {
    const { description, device } = this.streams.gpuOf(stream);
    const plan = this.work.downloadPlan(request, description);
    const engine = device.copyEngines.indexFor('download');
    const report = copyReport(call, request, placeOf(stream), engine);
    const work = withFaults(operation('copy', 'download', plan.phases, report), request);
    this.submission.enqueue(stream, work, this.state.host.startLatency.copy);
    if (this.state.copiesAside) return;
    if (plan.path === 'staged') {
      this.waits.waitFor(call, work);
      this.waits.whenWaited(call, () => (this.state.clock += Math.round(plan.lastPiece)));
    } else if (!request.async) {
      this.waits.waitFor(call, work);
    }
  }

  private copyInside(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.state.clock += this.state.host.copies.deviceCopyIssue;
    const report = copyReport(call, request, placeOf(stream), null);
    const work = withFaults(this.work.insideOperation(request, report, stream.priority), request);
    // Neither kind of call waits: CUDA runtime API, "API synchronization behavior".
    this.submission.enqueue(stream, work, this.state.host.startLatency.kernel);
  }

  private copyBetween(call: ApiCall, request: CopyRequest & { peer: PeerCopy }, stream: Stream): void {
    if (!request.peer.direct) this.state.clock += this.state.host.peers.stagedIssue;
    const work = this.work.peerOperation(call, request, placeOf(stream));
    if (this.state.copiesAside) return this.submission.enqueue(stream, work, this.state.host.startLatency.copy);
    // CUDA programming guide, "Peer-to-Peer Memory Copy": in the default stream it starts when all that was issued to either
    // GPU has ended, and what is issued afterwards waits for it.
    const others = stream === this.streams.gpuOf(stream).legacy ? [request.peer.from, request.peer.to] : [];
    const waiting = [...new Set(others)].flatMap((index) =>
      index === stream.device ? [] : [this.streams.gpus[index]!],
    );
    this.state.machine.advance(this.state.clock);
    for (const { legacy, blockingWithWork } of waiting) {
      for (const other of [legacy, ...blockingWithWork]) this.order.dependAcross(work, other.last);
    }
    this.submission.enqueue(stream, work, this.state.host.startLatency.copy);
    for (const { legacy } of waiting) {
      const wait = mark('wait');
      after(wait, work, this.order.eventLatency(work, legacy.device));
      this.submission.enqueue(legacy, wait, this.state.host.startLatency.kernel);
    }
  }

  /** Copies in stream order by the host itself, which therefore waits for the stream. */
  private copyOnHost(call: ApiCall, request: CopyRequest, stream: Stream): void {
    this.waits.waitForStream(call, stream);
    this.waits.whenWaited(call, () => {
      const start = this.state.now;
      this.state.clock += Math.round(this.work.hostCopyTime(request));
      this.state.machine.advance(this.state.clock);
      this.state.sink({ ...copyReport(call, request, placeOf(stream), null), start, end: this.state.now });
    });
  }
}
