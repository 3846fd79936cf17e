/** Two GPUs: copies between them, events across them, waits for one of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytes } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { legacyStreamOf } from '../../../engine/system/types.ts';
import type { CopyEvent } from '../../../engine/model/event-kinds/memcpy.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { Recorder } from './recorder.ts';

interface Row {
  section: string;
  name: string;
  variant: string;
  params: { bytes?: number; peer_access_enabled?: boolean };
  /** Microseconds. */
  figures: { time: number };
}
const all = new URL('../../reference/h200/programs.json', import.meta.url);
const reference = (JSON.parse(readFileSync(all, 'utf8')) as Row[]).filter(({ section }) => section === 'C8');

/** The calls of c_peer.cu on its devices. */
class Peers extends Recorder {
  constructor(gpus = ['h200', 'h200']) {
    const [gpu, ...others] = gpus.map((id) => gpuById(id));
    super({ gpu, others });
  }

  streamOn(device: number): number {
    return this.system.createStream({ nonBlocking: true, priority: 0, device });
  }

  copyPeer(from: number, to: number, size: number, stream: number, direct: boolean): void {
    const request = { direction: 'device-to-device', hostMemory: 'pageable', async: true } as const;
    this.call('cudaMemcpyPeerAsync', (call) =>
      this.system.copy(call, { ...request, bytes: bytes(size), stream, peer: { from, to, direct } }),
    );
  }

  /** Microseconds until the streams are done with it. */
  until(streams: number[], action: () => void): number {
    return this.timed(() => {
      action();
      for (const stream of streams) this.syncStream(stream);
    });
  }

  finished<Type extends 'copy' | 'kernel'>(type: Type): Extract<TraceEvent, { type: Type }>[] {
    this.system.finish();
    return this.of(type);
  }
}

describe('H200 reference, section C8', () => {
  const copies = reference.filter(({ name }) => name === 'memcpy_peer');
  /** 4 KB, staged: 15 or 24 us from one run to the next. */
  const undecided = ({ params, variant }: Row): boolean =>
    params.bytes === 4096 && !params.peer_access_enabled && variant === '0_to_1';

  it.each(copies.filter((row) => !undecided(row)).map((row) => [JSON.stringify(row), row] as const))(
    '%s within 15 %%',
    (_, { variant, params: { bytes: size, peer_access_enabled: enabled }, figures: { time } }) => {
      const pair = new Peers();
      const streams = [pair.streamOn(0), pair.streamOn(1)];
      const simulated = pair.until(streams, () => {
        pair.copyPeer(0, 1, size!, streams[0]!, enabled!);
        if (variant === 'both_ways') pair.copyPeer(1, 0, size!, streams[1]!, enabled!);
      });
      expect(Math.abs(simulated / time - 1)).toBeLessThan(0.15);
    },
  );

  it('events that two GPUs wait for in turn', () => {
    const pair = new Peers();
    const streams = [pair.streamOn(0), pair.streamOn(1)];
    const marks = streams.map(() => pair.system.createEvent({ timing: false, blockingSync: false }));
    const simulated = pair.until(streams, () => {
      for (let i = 0; i < 100; i++)
        for (const d of [0, 1]) {
          pair.launch(streams[d]!, { microseconds: 0.6 });
          pair.record(marks[d]!, streams[d]!);
          pair.wait(streams[1 - d]!, marks[d]!);
        }
    });
    const { time } = reference.find(({ name }) => name === 'event_ping_pong')!.figures;
    expect(Math.abs(simulated / time - 1)).toBeLessThan(0.15);
    const kernels = pair.finished('kernel');
    expect(kernels.map(({ deviceId }) => deviceId)).toEqual(Array.from({ length: 200 }, (_, i) => i % 2));
    for (const [i, kernel] of kernels.entries()) if (i > 0) expect(kernel.start).toBeGreaterThan(kernels[i - 1]!.end);
  });
});

describe('copies that share links', () => {
  const size = 256 << 20;
  const durationsOf = (copies: CopyEvent[]): number[] => copies.map(({ start, end }) => (end - start) / 1e3);

  it('from two GPUs to a third take twice as long; from one they follow each other', () => {
    const alone = new Peers(['h200', 'h200', 'h200']);
    alone.copyPeer(0, 1, size, alone.streamOn(0), true);
    const [one] = durationsOf(alone.finished('copy'));

    const into = new Peers(['h200', 'h200', 'h200']);
    for (const from of [0, 1]) into.copyPeer(from, 2, size, into.streamOn(from), true);
    for (const duration of durationsOf(into.finished('copy'))) expect(Math.abs(duration / one! - 2)).toBeLessThan(0.02);

    const from = new Peers(['h200', 'h200', 'h200']);
    for (const to of [1, 2]) from.copyPeer(0, to, size, from.streamOn(0), true);
    const [first, second] = from.finished('copy');
    expect(second!.start).toBeGreaterThanOrEqual(first!.end);
    expect(durationsOf([first!, second!])).toEqual([one, one]);
  });

  it('around a ring do not meet', () => {
    const ring = new Peers(['h200', 'h200', 'h200', 'h200']);
    for (let d = 0; d < 4; d++) ring.copyPeer(d, (d + 1) % 4, size, ring.streamOn(d), true);
    const durations = durationsOf(ring.finished('copy'));
    expect(Math.max(...durations) / Math.min(...durations)).toBeLessThan(1.02);
  });

  it('go through the host where no NVLink joins the GPUs', () => {
    const pair = new Peers(['h200', 'a100']);
    pair.copyPeer(0, 1, size, pair.streamOn(0), false);
    const [copy] = pair.finished('copy');
    expect(copy).toMatchObject({ deviceId: 0, peer: { from: 0, to: 1 }, engine: null });
    expect(size / (copy!.end - copy!.start)).toBeLessThan(28);
  });
});

describe('order', () => {
  it('waiting for a GPU is waiting for its work alone', () => {
    const pair = new Peers();
    pair.launch(legacyStreamOf(0), { microseconds: 1000 });
    pair.launch(legacyStreamOf(1), { microseconds: 1 });
    pair.call('cudaDeviceSynchronize', (call) => pair.system.synchronizeDevice(call, false, 1));
    expect(pair.system.now).toBeLessThan(1e5);
    pair.call('cudaDeviceSynchronize', (call) => pair.system.synchronizeDevice(call, false, 0));
    expect(pair.system.now).toBeGreaterThan(1e6);
  });

  it('default streams of two GPUs run side by side', () => {
    const pair = new Peers();
    for (const d of [0, 1]) pair.launch(legacyStreamOf(d), { microseconds: 1000 });
    const [first, second] = pair.finished('kernel');
    expect([first!.deviceId, second!.deviceId]).toEqual([0, 1]);
    expect([first!.streamId, second!.streamId]).toEqual([7, 7]);
    expect(second!.start).toBeLessThan(first!.end);
  });

  it('a copy in the default stream waits for both, and both wait for it', () => {
    const pair = new Peers();
    const blocking = pair.system.createStream({ nonBlocking: false, priority: 0, device: 1 });
    pair.launch(blocking, { microseconds: 1000 });
    pair.copyPeer(1, 0, 1 << 20, legacyStreamOf(0), true);
    pair.launch(blocking, { microseconds: 1 });
    const [copy] = pair.finished('copy');
    const [before, after] = pair.finished('kernel');
    expect(copy!.start).toBeGreaterThan(before!.end);
    expect(after!.start).toBeGreaterThan(copy!.end);
  });

  it('two runs are equal', () => {
    const run = (): TraceEvent[] => {
      const pair = new Peers(['h200', 'h200', 'a100']);
      const streams = [0, 1, 2].map((d) => pair.streamOn(d));
      for (let i = 0; i < 30; i++) {
        const from = i % 3;
        pair.copyPeer(
          from,
          (i * 7 + 1) % 3 === from ? (from + 1) % 3 : (i * 7 + 1) % 3,
          1 << (10 + (i % 12)),
          streams[from]!,
          i % 2 === 0,
        );
        pair.launch(streams[(i * 5) % 3]!, { microseconds: i / 10 + 0.001 });
      }
      pair.system.finish();
      return pair.events;
    };
    expect(run()).toEqual(run());
  });
});
