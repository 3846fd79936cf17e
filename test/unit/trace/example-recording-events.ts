/** A small recording with every kind of event, and ways to write it, for the tests of trace, reports and API. */
import { ns } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { TimelineWriter } from '../../../engine/model/warp-timeline.ts';
import type { KernelProfile, ProfiledInstruction } from '../../../engine/model/kernel-profile.ts';
import type { AccessSample } from '../../../engine/model/execution.ts';
import type { CopyEvent } from '../../../engine/model/event-kinds/memcpy.ts';
import type { KernelEvent } from '../../../engine/model/event-kinds/kernel.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { createTraceWriter, type RecordingEnd } from '../../../engine/trace/writer.ts';
import type { RecordingFacts } from '../../../engine/trace/recording-facts.ts';

export const facts: RecordingFacts = {
  title: 'Saxpy',
  program: 'saxpy.cu',
  arguments: ['1024', 'fast'],
  gpu: gpuById('a100'),
  sources: [{ path: 'saxpy.cu', text: '__global__ void saxpy() {}\n' }],
  names: new Map([
    ['_Z5saxpyIfEviT_PKS0_PS0_', { demangled: 'void saxpy<float>(int, float, float const*, float*)', short: 'saxpy' }],
  ]),
};

export function api(name: string, start: number, end: number, correlationId: number): TraceEvent {
  return { type: 'api', name, start: ns(start), end: ns(end), correlationId, threadId: 1, returnValue: 0 };
}

export function kernel(
  start: number,
  end: number,
  correlationId: number,
  streamId = 7,
  more: Partial<KernelEvent> = {},
): KernelEvent {
  return {
    type: 'kernel',
    kernel: '_Z5saxpyIfEviT_PKS0_PS0_',
    start: ns(start),
    end: ns(end),
    deviceId: 0,
    streamId,
    correlationId,
    grid: { x: 4096, y: 2, z: 1 },
    block: { x: 256, y: 1, z: 1 },
    dynamicSharedBytes: 2048,
    details: {
      registersPerThread: 24,
      staticSharedBytes: 1024,
      localBytesPerThread: 8,
      sharedConfigBytes: 16384,
      metrics: {
        'dram__bytes_read.sum': 1048576,
        'dram__bytes_write.sum': 1048576,
        launch__occupancy_limit_warps: 8,
        launch__occupancy_limit_registers: 7,
        sm__maximum_warps_per_active_cycle_pct: 87.5,
        'x__odd.sum': 3,
      },
    },
    ...more,
  };
}

export function copy(start: number, end: number, correlationId: number, more: Partial<CopyEvent> = {}): CopyEvent {
  return {
    type: 'copy',
    start: ns(start),
    end: ns(end),
    deviceId: 0,
    streamId: 7,
    correlationId,
    direction: 'host-to-device',
    hostMemory: 'pinned',
    bytes: 4_000_000,
    engine: 0,
    ...more,
  };
}

const instruction = (opcode: string, line: number | null, more: Partial<ProfiledInstruction>): ProfiledInstruction => ({
  opcode,
  operands: 'R0, R1',
  block: 0,
  file: line === null ? null : `/somewhere/saxpy.cu`,
  line,
  executed: 8,
  threads: 256,
  threadsOn: 256,
  partial: 0,
  sectors: 0,
  wavefronts: 0,
  idealWavefronts: 0,
  states: { selected: 8 },
  samples: [],
  ...more,
});
const timeline = new TimelineWriter(1000);
timeline.sink(1, 4, 10, 300);
timeline.sink(1, 0, 300, 301, 2);
/** Every other lane reads four bytes of a row of its own. */
const rows: AccessSample = {
  ...{ block: 132, warp: 3, size: 4, space: 'global', lanes: 0x5555_5555 },
  addresses: Uint32Array.from({ length: 32 }, (_, lane) => (lane % 2 === 0 ? 0x1000_0000 + lane * 512 : 0)),
};
/** Four instructions of two blocks on one SM, and one of its warps. */
export const profile: KernelProfile = {
  instructions: [
    instruction('LDC', null, {}),
    instruction('LDG', 2, { sectors: 32, states: { selected: 8, lg_throttle: 24 }, samples: [rows] }),
    instruction('FFMA', 2, { threads: 128, states: { selected: 8, long_scoreboard: 352 } }),
    instruction('STS', 1, { wavefronts: 16 }),
  ],
  cycles: 500,
  share: 0.25,
  blocks: [
    { block: 0, start: 0, end: 400 },
    { block: 132, start: 400, end: -1 },
  ],
  warps: timeline.finish(),
  issues: timeline.finishIssues([0, 1, 2, 3]),
  mix: timeline.finishMix(),
  warpCycles: 500,
  branches: [{ instruction: 3, executed: 4, diverged: 1, taken: 40, notTaken: null }],
  sharedArrays: [
    { name: 'tile', offset: 0, bytes: 4096, rowBytes: 128 },
    { name: 'rest', offset: 4096, bytes: null, rowBytes: null },
  ],
};
/**
 * ns:  100 stream created · 200–1200 copy in · launch 300–500, runs 1300–3300 on stream 13 · memset 1400–1500 ·
 * copy out 3400–4400 · the host waits 600–4500
 */
export const events: TraceEvent[] = [
  { type: 'stream', streamId: 7, priority: 0, nonBlocking: false },
  { type: 'stream', streamId: 13, priority: -5, nonBlocking: true },
  api('cudaStreamCreateWithPriority', 100, 150, 1),
  api('cudaMemcpyAsync', 160, 200, 2),
  api('cudaLaunchKernel', 300, 500, 3),
  api('cudaMemsetAsync', 510, 550, 4),
  api('cudaMemcpyAsync', 560, 590, 5),
  copy(200, 1200, 2, { streamId: 13 }),
  { type: 'profile', id: 1, profile },
  kernel(1300, 3300, 3, 13, { profile: 1 }),
  {
    type: 'memset',
    start: ns(1400),
    end: ns(1500),
    deviceId: 0,
    streamId: 7,
    correlationId: 4,
    value: 0,
    bytes: 65536,
  },
  {
    type: 'synchronization',
    start: ns(1200),
    end: ns(1400),
    kind: 'stream-wait',
    deviceId: 0,
    streamId: 13,
    eventId: 2,
    correlationId: 9,
  },
  copy(3400, 4400, 5, { direction: 'device-to-host', hostMemory: 'pageable', engine: 1, streamId: 13 }),
  api('cudaDeviceSynchronize', 600, 4500, 6),
  {
    type: 'synchronization',
    start: ns(610),
    end: ns(4490),
    kind: 'context',
    deviceId: 0,
    streamId: null,
    eventId: null,
    correlationId: 6,
  },
  { type: 'console', time: ns(4600), stream: 'stdout', text: 'max error 0\n' },
  { type: 'console', time: ns(4700), stream: 'stderr', text: 'done\n' },
];

export const end: RecordingEnd = { exitCode: 3, notices: ['Kernel times are estimates.'], complete: true };

export function write(
  path: string,
  written: readonly TraceEvent[] = events,
  options: Partial<RecordingFacts> & Partial<RecordingEnd> = {},
): string {
  const writer = createTraceWriter(path, { ...facts, ...options });
  writer.append(written);
  writer.finish({ ...end, ...options });
  return path;
}
