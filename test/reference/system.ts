/**
 * The programs of the H200 reference's sections C1 to C6, replayed on the simulated system: every case with its measured
 * and simulated time in microseconds. Kernels last what activity tracing measured, so that only the system is judged.
 */
import { readFileSync } from 'node:fs';
import { Recorder } from '../unit/system/recorder.ts';
import type { HostMemoryKind } from '../../engine/model/event-kinds/memcpy.ts';

export interface SystemCase {
  name: string;
  /** Microseconds. */
  measured: number;
  simulated: number;
}

type Row = { time: number } & Record<string, number>;

const rows = JSON.parse(readFileSync(new URL('./h200/system.json', import.meta.url), 'utf8')) as Record<string, Row>;

/** Durations in the trace of c_launch: k_empty, and what k_stamp lasts beyond the time it measures inside. */
const emptyKernel = 0.6;
const aroundStamp = 0.58;
/** Spins of the reference overshoot by this. */
const spinOvershoot = 0.11;
const spin = (microseconds: number): number => microseconds + spinOvershoot + aroundStamp;

const KIB = 1024;
const MIB = 1024 * KIB;

export function systemCases(): SystemCase[] {
  const cases: SystemCase[] = [];
  const add = (name: string, figure: string, simulated: number): void => {
    const row = rows[name];
    if (!row) throw new Error(`The reference has no case "${name}".`);
    cases.push({ name: figure === 'time' ? name : `${name} ${figure}`, measured: row[figure]!, simulated });
  };
  launches(add);
  waits(add);
  copies(add);
  pipelines(add);
  concurrency(add);
  dependencies(add);
  return cases;
}

type Add = (name: string, figure: string, simulated: number) => void;

function launches(add: Add): void {
  for (const variant of ['empty_1x256', 'alternating_two_streams']) {
    const r = new Recorder();
    const streams = [r.stream(), r.stream()];
    const alternate = variant === 'alternating_two_streams';
    const issue = r.timed(() => {
      for (let i = 0; i < 200; i++) r.launch(streams[alternate ? i % 2 : 0]!, { microseconds: emptyKernel });
    });
    const drain = r.timed(() => r.syncDevice());
    add(`C1 launch_cpu_time ${variant}`, 'mean_cpu_us_per_launch', issue / 200);
    add(`C1 launch_cpu_time ${variant}`, 'wall_us_per_kernel_including_drain', (issue + drain) / 200);
  }
  for (const hold of [true, false]) {
    for (const [variant, microseconds, kernels] of [
      ['empty_1x256', 0.16 + aroundStamp, 400],
      ['spin_2us_1x32', spin(2), 200],
      ['spin_10us_1x32', spin(10), 200],
      ['spin_50us_1x32', spin(50), 200],
    ] as const) {
      const r = new Recorder();
      const stream = r.stream();
      if (hold) r.launch(stream, { microseconds: 3000 });
      for (let i = 0; i < kernels; i++) r.launch(stream, { microseconds });
      r.syncDevice();
      const starts = r.of('kernel').slice(-kernels);
      const mean = (starts.at(-1)!.start - starts[0]!.start) / 1e3 / (kernels - 1);
      add(`C1 start_to_start_${hold ? 'queue_full' : 'host_bound'} ${variant}`, 'mean_start_to_start_us', mean);
    }
  }
  // k_tiny on 256 elements lasts 0.77 us at least in the trace, 1.18 in the median.
  const tiny = { microseconds: 1.18 };
  const frame = new Recorder();
  const stream = frame.stream();
  const perFrame = frame.timed(() => {
    for (let i = 0; i < 500; i++) frame.launch(stream, tiny);
    frame.syncStream(stream);
  });
  add('C2 frame_500_tiny_kernels stream_launches_sync_per_frame', 'time', perFrame);
  const perKernel = frame.timed(() => {
    for (let i = 0; i < 500; i++) {
      frame.launch(stream, tiny);
      frame.syncStream(stream);
    }
  });
  add('C2 frame_500_tiny_kernels sync_per_kernel', 'time', perKernel);
}

function waits(add: Add): void {
  const r = new Recorder();
  const stream = r.stream();
  const event = r.event();
  const roundTrip = (variant: string, kernels: number[], wait: () => void): void => {
    r.system.hostWork(1e6 as never);
    const time = r.timed(() => {
      for (const microseconds of kernels) r.launch(stream, { microseconds });
      wait();
    });
    add(`C1 launch_plus_sync ${variant}`, 'time', time);
  };
  roundTrip('empty_streamSynchronize', [emptyKernel], () => r.syncStream(stream));
  roundTrip('empty_deviceSynchronize', [emptyKernel], () => r.syncDevice());
  roundTrip('empty_event_record_and_sync', [emptyKernel], () => {
    r.record(event, stream);
    r.syncEvent(event);
  });
  for (const us of [2, 5, 10, 20, 50]) {
    roundTrip(`spin_${us}us_streamSynchronize`, [spin(us)], () => r.syncStream(stream));
  }
  roundTrip('two_spin_10us_streamSynchronize', [spin(10), spin(10)], () => r.syncStream(stream));
}

const ways = [
  ['H2D_pinned', 'host-to-device', 'pinned'],
  ['D2H_pinned', 'device-to-host', 'pinned'],
  ['H2D_pageable', 'host-to-device', 'pageable'],
  ['D2H_pageable', 'device-to-host', 'pageable'],
  ['D2D', 'device-to-device', 'pinned'],
] as const;

function copies(add: Add): void {
  for (const [way, direction, memory] of ways) {
    for (let size = 4 * KIB; size <= 256 * MIB; size *= 4) {
      const name = `C3 memcpy ${way}_${size / KIB}KB`;
      const r = new Recorder();
      const stream = r.stream();
      const [before, after] = [r.event(), r.event()];
      // The reference has copied the same twice before.
      r.copy(0, direction, size, memory, false);
      r.syncDevice();
      const sync = r.timed(() => {
        r.copy(0, direction, size, memory, false);
        if (way === 'D2D') r.syncDevice();
      });
      r.syncDevice();
      add(name, 'cudaMemcpy_wall_us', sync);
      const issue = r.timed(() => r.copy(stream, direction, size, memory));
      add(name, 'async_issue_cpu_us', issue);
      add(name, 'async_plus_sync_wall_us', issue + r.timed(() => r.syncStream(stream)));
      if (memory === 'pinned') {
        r.launch(stream, { microseconds: 30.6 });
        r.record(before, stream);
        r.copy(stream, direction, size, memory);
        r.record(after, stream);
        r.syncEvent(after);
        add(name, 'time', r.elapsed(before, after));
      }
    }
  }
  for (const size of [MIB, 16 * MIB, 256 * MIB]) {
    const r = new Recorder();
    const [one, two] = [r.stream(), r.stream()];
    const up = (stream: number, part = size): void => r.copy(stream, 'host-to-device', part);
    const down = (stream: number): void => r.copy(stream, 'device-to-host', size);
    const both = (first: () => void, second: () => void): number =>
      r.timed(() => {
        first();
        second();
        r.syncStream(one);
        r.syncStream(two);
      });
    const serial = r.timed(() => {
      up(one);
      r.syncStream(one);
      down(one);
      r.syncStream(one);
    });
    const kib = `${size / KIB}KB`;
    add(`C3 bidirectional serial_${kib}`, 'time', serial);
    add(`C3 bidirectional two_streams_${kib}`, 'time', both(() => up(one), () => down(two))); // prettier-ignore
    add(`C3 same_direction two_H2D_streams_${kib}`, 'time', both(() => up(one, size / 2), () => up(two, size / 2))); // prettier-ignore
  }
}

/** k_work: 4 of 8 possible blocks per SM; its multiply-adds keep the FMA pipes busy 73 % of its time. */
const pipelineLoad = { sm: 0.73, dram: 0 };
/** Event time of k_work less its duration in the trace of c_copy: 167.7 to 162.9 us, in which the events take part. */
const aroundPipelineKernel = 2.3;

function pipelines(add: Add): void {
  const total = 128 * MIB;
  for (const chunks of [16, 64]) {
    for (const memory of ['pinned', 'pageable'] as const) {
      for (const streams of [1, 2, 3, 4, 8]) {
        for (const breadth of memory === 'pinned' && streams > 1 ? [false, true] : [false]) {
          const name = `C4 overlap_pipeline ${memory}_streams${streams}${breadth ? '_breadth_first' : ''}_chunks${chunks}`;
          const microseconds = rows[name]!['kernel_us_per_chunk']! - aroundPipelineKernel;
          add(name, 'time', pipeline(memory, streams, breadth, chunks, total / chunks, microseconds));
        }
      }
    }
  }
}

function pipeline(
  memory: HostMemoryKind,
  streamCount: number,
  breadth: boolean,
  chunks: number,
  size: number,
  microseconds: number,
): number {
  const r = new Recorder({ keep: false });
  const streams = Array.from({ length: streamCount }, () => r.stream());
  const at = (chunk: number): number => streams[chunk % streamCount]!;
  const steps = [
    (chunk: number): void => r.copy(at(chunk), 'host-to-device', size, memory, true, chunk * size),
    (chunk: number): void => r.launch(at(chunk), { microseconds, blocks: 4 * 132, perSm: 8, load: pipelineLoad }),
    (chunk: number): void => r.copy(at(chunk), 'device-to-host', size, memory, true, (chunks + chunk) * size),
  ];
  const group = breadth ? streamCount : 1;
  const run = (): void => {
    for (let first = 0; first < chunks; first += group) {
      for (const step of steps) for (let c = first; c < Math.min(chunks, first + group); c++) step(c);
    }
    for (const stream of streams) r.syncStream(stream);
  };
  // The first time tells what the host's caches hold.
  run();
  return r.timed(run);
}

function concurrency(add: Add): void {
  const run = (kernels: number, own: boolean, shape: Parameters<Recorder['launch']>[1]): number => {
    const r = new Recorder();
    const streams = Array.from({ length: own ? kernels : 1 }, () => r.stream());
    return r.timed(() => {
      for (let i = 0; i < kernels; i++) r.launch(streams[own ? i : 0]!, shape);
      r.syncDevice();
    });
  };
  const small = { microseconds: spin(1000), blocks: 8 };
  for (const kernels of [1, 2, 4, 8, 16, 32]) {
    add(`C5 concurrent_kernels own_streams_k${kernels}`, 'time', run(kernels, true, small));
    if (kernels <= 16) add(`C5 concurrent_kernels same_stream_k${kernels}`, 'time', run(kernels, false, small));
  }
  // Two full waves of 250 us, which start within 15 us of each other: 530.6 us in the reference.
  const filling = { microseconds: 530.6, blocks: 2 * 1056 };
  const half = { microseconds: spin(500), blocks: 1056 / 2 };
  const waveAndABit = { microseconds: spin(510.5), blocks: 1056 + 132 };
  for (const [variant, shape] of [
    ['gpu_filling', filling],
    ['half_gpu', half],
    ['wave_and_a_bit', waveAndABit],
  ] as const) {
    add(`C5 concurrent_kernels ${variant}_one_stream`, 'time', run(2, false, shape));
    add(`C5 concurrent_kernels ${variant}_two_streams`, 'time', run(2, true, shape));
  }
  for (const [variant, priority] of [
    ['default_priority_small_kernel', 0],
    ['high_priority_small_kernel', -5],
  ] as const) {
    const r = new Recorder();
    const low = r.stream(true, 0);
    const other = r.stream(true, priority);
    r.launch(low, { microseconds: 1793.7, blocks: 16 * 1056 });
    r.system.hostWork(300_000 as never);
    const wait = r.timed(() => {
      r.launch(other, { microseconds: spin(10), blocks: 132 });
      r.syncStream(other);
    });
    add(`C5 stream_priority ${variant}`, 'time', wait);
  }
}

function dependencies(add: Add): void {
  // From the last instruction of one kernel to the first of the next; what lies around the stamps is in both.
  const between = (connect: (r: Recorder, one: number, two: number) => number): number => {
    const r = new Recorder();
    const [one, two] = [r.stream(), r.stream()];
    r.launch(one, { microseconds: 100 });
    r.launch(one, { microseconds: spin(5) });
    r.launch(connect(r, one, two), { microseconds: 0.16 + aroundStamp });
    r.syncDevice();
    const [, first, second] = r.of('kernel');
    return (second!.start - first!.end) / 1e3 + aroundStamp;
  };
  const record = (r: Recorder, stream: number): number => {
    const event = r.event();
    r.record(event, stream);
    return event;
  };
  const name = 'C6 dependency_latency';
  add(`${name} same_stream_kernel_to_kernel`, 'time', between((_, one) => one)); // prettier-ignore
  add(`${name} same_stream_with_event_between`, 'time', between((r, one) => (record(r, one), one))); // prettier-ignore
  add(`${name} cross_stream_event_wait`, 'time', between((r, one, two) => (r.wait(two, record(r, one)), two))); // prettier-ignore
}
