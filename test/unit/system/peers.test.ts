/** Two GPUs: copies between them, events across them, waits for one of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytes, ns } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import { createSystemSimulator } from '../../../engine/system/simulator.ts';
import { legacyStreamOf, type ApiCall, type SystemSimulator } from '../../../engine/system/types.ts';
import type { CopyEvent, KernelEvent, TraceEvent } from '../../../engine/trace/events.ts';

interface Row {
  name: string;
  variant: string;
  bytes?: number;
  enabled?: boolean;
  us: number;
}
const reference = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../reference/h200/peers.json'), 'utf8'),
) as Row[];

/** What c_peer.cu does with its two devices. */
class Pair {
  readonly events: TraceEvent[] = [];
  readonly system: SystemSimulator;

  constructor(gpus = ['h200', 'h200']) {
    const [gpu, ...others] = gpus.map((id) => gpuById(id));
    const sink = (event: TraceEvent): void => void this.events.push(event);
    const options = { host: defaultHost, sink, contextCreation: false, lazyLoading: false };
    this.system = createSystemSimulator({ gpu: gpu!, others, ...options });
  }

  call(name: string, action: (call: ApiCall) => void): void {
    const call = this.system.beginApi(name);
    action(call);
    this.system.endApi(call, 0);
  }

  stream(device: number): number {
    return this.system.createStream({ nonBlocking: true, priority: 0, device });
  }

  copy(from: number, to: number, size: number, stream: number, direct: boolean): void {
    const request = { direction: 'device-to-device', hostMemory: 'pageable', async: true } as const;
    this.call('cudaMemcpyPeerAsync', (call) =>
      this.system.copy(call, { ...request, bytes: bytes(size), stream, peer: { from, to, direct } }),
    );
  }

  launch(stream: number, nanoseconds: number): void {
    const one = { x: 1, y: 1, z: 1 };
    const details = {
      registersPerThread: 16,
      staticSharedBytes: 0,
      localBytesPerThread: 0,
      sharedConfigBytes: 0,
      metrics: {},
    };
    const share = { warps: 1 / 64, registers: 0, shared: 0, slots: 1 / 32 };
    const blocks = { count: 1, perSm: 1, share, load: { sm: 0, dram: 0 } };
    const kernel = { kernel: 'kernel', grid: one, block: one, dynamicSharedBytes: 0, blocks, details };
    this.call('cudaLaunchKernel', (call) => this.system.launch(call, { ...kernel, stream, duration: ns(nanoseconds) }));
  }

  wait(stream: number): void {
    this.call('cudaStreamSynchronize', (call) => this.system.synchronizeStream(call, stream));
  }

  /** Microseconds until both streams are done with it. */
  timed(streams: number[], action: () => void): number {
    const start = this.system.now;
    action();
    for (const stream of streams) this.wait(stream);
    return (this.system.now - start) / 1e3;
  }

  of<Type extends 'copy' | 'kernel'>(type: Type): (Type extends 'copy' ? CopyEvent : KernelEvent)[] {
    this.system.finish();
    return this.events.filter((event) => event.type === type) as never;
  }
}

describe('H200 reference, section C8', () => {
  const copies = reference.filter(({ name }) => name === 'memcpy_peer');
  /** 4 KB, staged: 15 or 24 us from one run to the next. */
  const undecided = ({ bytes: size, enabled, variant }: Row): boolean =>
    size === 4096 && enabled === false && variant === '0_to_1';

  it.each(copies.filter((row) => !undecided(row)).map((row) => [JSON.stringify(row), row] as const))(
    '%s within 15 %%',
    (_, { variant, bytes: size, enabled, us }) => {
      const pair = new Pair();
      const streams = [pair.stream(0), pair.stream(1)];
      const simulated = pair.timed(streams, () => {
        pair.copy(0, 1, size!, streams[0]!, enabled!);
        if (variant === 'both_ways') pair.copy(1, 0, size!, streams[1]!, enabled!);
      });
      expect(Math.abs(simulated / us - 1)).toBeLessThan(0.15);
    },
  );

  it('events that two GPUs wait for in turn', () => {
    const pair = new Pair();
    const streams = [pair.stream(0), pair.stream(1)];
    const marks = streams.map(() => pair.system.createEvent({ timing: false, blockingSync: false }));
    const simulated = pair.timed(streams, () => {
      for (let i = 0; i < 100; i++)
        for (const d of [0, 1]) {
          pair.launch(streams[d]!, 600);
          pair.call('cudaEventRecord', (call) => pair.system.recordEvent(call, marks[d]!, streams[d]!));
          pair.call('cudaStreamWaitEvent', (call) => pair.system.streamWaitEvent(call, streams[1 - d]!, marks[d]!));
        }
    });
    const { us } = reference.find(({ name }) => name === 'event_ping_pong')!;
    expect(Math.abs(simulated / us - 1)).toBeLessThan(0.15);
    const kernels = pair.of('kernel');
    expect(kernels.map(({ deviceId }) => deviceId)).toEqual(Array.from({ length: 200 }, (_, i) => i % 2));
    for (const [i, kernel] of kernels.entries()) if (i > 0) expect(kernel.start).toBeGreaterThan(kernels[i - 1]!.end);
  });
});

describe('copies that share links', () => {
  const size = 256 << 20;
  const durationsOf = (copies: CopyEvent[]): number[] => copies.map(({ start, end }) => (end - start) / 1e3);

  it('from two GPUs to a third take twice as long; from one they follow each other', () => {
    const alone = new Pair(['h200', 'h200', 'h200']);
    alone.copy(0, 1, size, alone.stream(0), true);
    const [one] = durationsOf(alone.of('copy'));

    const into = new Pair(['h200', 'h200', 'h200']);
    for (const from of [0, 1]) into.copy(from, 2, size, into.stream(from), true);
    for (const duration of durationsOf(into.of('copy'))) expect(Math.abs(duration / one! - 2)).toBeLessThan(0.02);

    const from = new Pair(['h200', 'h200', 'h200']);
    for (const to of [1, 2]) from.copy(0, to, size, from.stream(0), true);
    const [first, second] = from.of('copy');
    expect(second!.start).toBeGreaterThanOrEqual(first!.end);
    expect(durationsOf([first!, second!])).toEqual([one, one]);
  });

  it('around a ring do not meet', () => {
    const ring = new Pair(['h200', 'h200', 'h200', 'h200']);
    for (let d = 0; d < 4; d++) ring.copy(d, (d + 1) % 4, size, ring.stream(d), true);
    const durations = durationsOf(ring.of('copy'));
    expect(Math.max(...durations) / Math.min(...durations)).toBeLessThan(1.02);
  });

  it('go through the host where no NVLink joins the GPUs', () => {
    const pair = new Pair(['h200', 'a100']);
    pair.copy(0, 1, size, pair.stream(0), false);
    const [copy] = pair.of('copy');
    expect(copy).toMatchObject({ deviceId: 0, peer: { from: 0, to: 1 }, engine: null });
    expect(size / (copy!.end - copy!.start)).toBeLessThan(28);
  });
});

describe('order', () => {
  it('waiting for a GPU is waiting for its work alone', () => {
    const pair = new Pair();
    pair.launch(legacyStreamOf(0), 1e6);
    pair.launch(legacyStreamOf(1), 1e3);
    pair.call('cudaDeviceSynchronize', (call) => pair.system.synchronizeDevice(call, false, 1));
    expect(pair.system.now).toBeLessThan(1e5);
    pair.call('cudaDeviceSynchronize', (call) => pair.system.synchronizeDevice(call, false, 0));
    expect(pair.system.now).toBeGreaterThan(1e6);
  });

  it('default streams of two GPUs run side by side', () => {
    const pair = new Pair();
    for (const d of [0, 1]) pair.launch(legacyStreamOf(d), 1e6);
    const [first, second] = pair.of('kernel');
    expect([first!.deviceId, second!.deviceId]).toEqual([0, 1]);
    expect([first!.streamId, second!.streamId]).toEqual([7, 7]);
    expect(second!.start).toBeLessThan(first!.end);
  });

  it('a copy in the default stream waits for both, and both wait for it', () => {
    const pair = new Pair();
    const blocking = pair.system.createStream({ nonBlocking: false, priority: 0, device: 1 });
    pair.launch(blocking, 1e6);
    pair.copy(1, 0, 1 << 20, legacyStreamOf(0), true);
    pair.launch(blocking, 1e3);
    const [copy] = pair.of('copy');
    const [before, after] = pair.of('kernel');
    expect(copy!.start).toBeGreaterThan(before!.end);
    expect(after!.start).toBeGreaterThan(copy!.end);
  });

  it('two runs are equal', () => {
    const run = (): TraceEvent[] => {
      const pair = new Pair(['h200', 'h200', 'a100']);
      const streams = [0, 1, 2].map((d) => pair.stream(d));
      for (let i = 0; i < 30; i++) {
        const from = i % 3;
        pair.copy(
          from,
          (i * 7 + 1) % 3 === from ? (from + 1) % 3 : (i * 7 + 1) % 3,
          1 << (10 + (i % 12)),
          streams[from]!,
          i % 2 === 0,
        );
        pair.launch(streams[(i * 5) % 3]!, 100 * i + 1);
      }
      pair.system.finish();
      return pair.events;
    };
    expect(run()).toEqual(run());
  });
});
