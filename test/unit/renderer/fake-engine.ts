/**
 * A stand-in for the engine behind a real channel, for looking at the renderer and testing its parts alone: made-up but
 * plausible recordings, errors on demand. Not part of the app.
 */
import type { Channel, ClientMessage } from '../../../engine/api/rpc.ts';
import { compareRow } from './compare-row.ts';
import { SimsightError, reportOf } from '../../../engine/base/errors.ts';
import { eventKinds, type EventKind } from '../../../engine/model/event-kinds/index.ts';
import type { EventRef, TraceInfo, Track, TrackWindow } from '../../../engine/model/timeline.ts';
import type { AppInfo } from '../../../engine/api/types.ts';
import type { Comparison } from '../../../engine/model/comparison.ts';
import type { EventDetails } from '../../../engine/model/event-queries.ts';
import type { RecordOptions } from '../../../engine/model/record-options.ts';
import type { RecordProgress } from '../../../engine/model/recording.ts';
import type { ReportTable } from '../../../engine/model/tables.ts';

interface FakeEvent {
  kind: EventKind;
  row: number;
  track: number;
  lane: number;
  start: number;
  duration: number;
  label: string;
  flavour: number;
  correlation: number;
}
export interface FakeTrace {
  info: Omit<TraceInfo, 'traceId'>;
  events: FakeEvent[];
}
export interface FakeOptions {
  /** Milliseconds before each answer. */
  delay?: number;
  recent?: boolean;
  open?: string[];
  /** `record.run` fails with compiler diagnostics. */
  compileError?: boolean;
  windowError?: boolean;
  /** Extra streams, to fill the screen. */
  streams?: number;
  recordMs?: number;
}

/** Chunks go in, are computed on, come out; on one stream or several. */
export function overlapTrace(path: string, streams: number, extraRows = 0): FakeTrace {
  const events: FakeEvent[] = [];
  const trackOf = { thread: 2, stream: (i: number) => 20 + i, engine: (i: number) => 10 + i };
  let host = 120_000;
  let correlation = 1;
  const api = (label: string, duration: number, linked = 0): void => {
    events.push({
      kind: 'api',
      row: events.length,
      track: trackOf.thread,
      lane: 0,
      start: host,
      duration,
      label,
      flavour: 0,
      correlation: linked,
    });
    host += duration + 700;
  };
  api('cudaMalloc', 180_000);
  api('cudaMalloc', 42_000);
  api('cudaHostAlloc', 610_000);
  for (let s = 0; s < streams; s++) api('cudaStreamCreate', 9_000);
  const free = { h2d: host, d2h: host, sm: host };
  const streamFree = Array.from({ length: streams }, () => host);
  const put = (
    kind: EventKind,
    label: string,
    stream: number,
    engine: 'h2d' | 'd2h' | 'sm',
    duration: number,
    flavour: number,
    link: number,
  ): void => {
    const start = Math.max(free[engine], streamFree[stream]!, host + 2_000);
    free[engine] = streamFree[stream] = start + duration;
    const row = events.length;
    events.push({
      kind,
      row,
      track: trackOf.stream(stream),
      lane: 0,
      start,
      duration,
      label,
      flavour,
      correlation: link,
    });
    const engineTrack = engine === 'h2d' ? 0 : engine === 'd2h' ? 1 : 2;
    if (engine !== 'sm')
      events.push({
        kind,
        row,
        track: trackOf.engine(engineTrack),
        lane: 0,
        start,
        duration,
        label,
        flavour,
        correlation: link,
      });
  };
  for (let chunk = 0; chunk < 24; chunk++) {
    const stream = chunk % streams;
    const step = (label: string, f: (link: number) => void, cost = 4_200): void => {
      const link = correlation++;
      f(link);
      api(label, cost, link);
    };
    step('cudaMemcpyAsync', (link) => put('memcpy', 'Memcpy HtoD', stream, 'h2d', 166_000 + chunk * 300, 1, link));
    step(
      'cudaLaunchKernel',
      (link) => put('kernel', chunk % 6 === 5 ? 'reduce_partial' : 'saxpy_chunk', stream, 'sm', 121_000, 0, link),
      3_600,
    );
    if (chunk % 8 === 0)
      step('cudaMemsetAsync', (link) => put('memset', 'Memset', stream, 'sm', 9_000, 0, link), 3_000);
    step('cudaMemcpyAsync', (link) => put('memcpy', 'Memcpy DtoH', stream, 'd2h', 158_000, 2, link));
    if (streams === 1) {
      const wait = Math.max(0, streamFree[0]! - host);
      api('cudaStreamSynchronize', wait + 2_000);
    }
  }
  const end = Math.max(...streamFree);
  if (end > host) api('cudaDeviceSynchronize', end - host + 3_000);
  api('cudaFree', 21_000);
  // A burst of tiny kernels that merge into one pixel.
  for (let i = 0; i < 400; i++) {
    const link = correlation++;
    const row = events.length;
    events.push({
      kind: 'kernel',
      row,
      track: trackOf.stream(0),
      lane: 0,
      start: host + 2_500,
      duration: 1_400,
      label: i % 3 ? 'tiny_kernel' : 'void thrust::fill<float>',
      flavour: 0,
      correlation: link,
    });
    api('cudaLaunchKernel', 2_400, link);
  }
  const durationNs = host + 80_000;
  const track = (id: number, parent: number | null, kind: Track['kind'], title: string, subtitle = ''): Track => {
    const mine = events.filter((event) => event.track === id);
    const busy = mine.reduce((sum, event) => sum + event.duration, 0) / durationNs;
    return { id, parent, kind, title, subtitle, lanes: mine.length > 0 ? 1 : 0, eventCount: mine.length, busy };
  };
  const percent = (id: number): string => `${(track(id, null, 'stream', '').busy * 100).toFixed(1)} % busy`;
  for (let i = 0; i < extraRows; i++) {
    for (let k = 0; k < 40; k++) {
      events.push({
        kind: 'kernel',
        row: events.length,
        track: 100 + i,
        lane: k % 3,
        start: ((k * 977 + i * 131) % 1000) * (durationNs / 1000),
        duration: 20_000 + ((k * 37) % 50) * 6_000,
        label: `layer_${(i + k) % 9}_gemm`,
        flavour: 0,
        correlation: 0,
      });
    }
  }
  const tracks: Track[] = [
    track(1, null, 'process', 'overlap', 'process 4242'),
    track(2, 1, 'thread', 'CUDA API', percent(2)),
    track(3, null, 'gpu', 'NVIDIA A100-SXM4-80GB', 'device 0'),
    track(4, 3, 'group', 'Copy engines'),
    track(10, 4, 'copy-engine', 'Host to device', percent(10)),
    track(11, 4, 'copy-engine', 'Device to host', percent(11)),
    track(5, 3, 'group', 'Streams', `${streams}`),
    ...Array.from({ length: streams }, (_, i) =>
      track(20 + i, 5, 'stream', i === 0 && streams === 1 ? 'Default stream' : `Stream ${13 + i}`, percent(20 + i)),
    ),
    ...Array.from({ length: extraRows }, (_, i) => ({
      ...track(100 + i, 5, 'stream', `Stream ${40 + i}`, ''),
      lanes: 3,
    })),
  ];
  return {
    info: {
      path,
      title: `Copy/compute overlap: ${streams === 1 ? 'Pageable, 1 stream' : `Pinned, ${streams} streams`}`,
      program: 'overlap.cu',
      gpu: 'NVIDIA A100-SXM4-80GB',
      durationNs,
      firstEventNs: 0,
      failures: [],
      eventCount: events.length,
      exitCode: 0,
      complete: true,
      notices: ['Kernel times are estimates from instruction and memory counts until the SM model lands.'],
      tracks,
    },
    events,
  };
}

/** As the engine does: events of a track in a range, those nearer than the resolution merged. */
export function windowOf(trace: FakeTrace, track: number, from: number, to: number, resolution: number): TrackWindow {
  const mine = trace.events
    .filter((event) => event.track === track && event.start <= to && event.start + event.duration >= from)
    .sort((a, b) => a.start - b.start);
  const labels: string[] = [];
  const groups: { events: FakeEvent[]; start: number; end: number }[] = [];
  for (const event of mine) {
    const last = groups.at(-1);
    const end = event.start + event.duration;
    const near = last?.events[0]?.lane === event.lane && event.start - last.end < resolution;
    if (last && near && end - last.start < resolution) {
      last.events.push(event);
      last.end = Math.max(last.end, end);
    } else groups.push({ events: [event], start: event.start, end });
  }
  const count = groups.length;
  const window: TrackWindow = {
    track,
    count,
    starts: new Float64Array(count),
    durations: new Float64Array(count),
    lanes: new Uint16Array(count),
    kinds: new Uint8Array(count),
    flavours: new Uint8Array(count),
    rows: new Uint32Array(count),
    correlations: new Uint32Array(count),
    merged: new Uint32Array(count),
    busy: new Float32Array(count),
    labelIndex: new Uint32Array(count),
    labels,
    fullNames: labels,
  };
  for (const [i, group] of groups.entries()) {
    const longest = group.events.reduce((a, b) => (b.duration > a.duration ? b : a));
    let label = labels.indexOf(longest.label);
    if (label < 0) label = labels.push(longest.label) - 1;
    window.starts[i] = group.start;
    window.durations[i] = group.end - group.start;
    window.lanes[i] = longest.lane;
    window.kinds[i] = eventKinds.indexOf(longest.kind);
    window.flavours[i] = longest.flavour;
    window.rows[i] = longest.row;
    window.correlations[i] = longest.correlation;
    window.merged[i] = group.events.length;
    window.busy[i] =
      group.events.reduce((sum, event) => sum + event.duration, 0) / Math.max(1, group.end - group.start);
    window.labelIndex[i] = label;
  }
  return window;
}

const appInfo: AppInfo = {
  version: '0.1.0',
  host: 'browser',
  labs: [
    {
      id: 'overlap',
      title: 'Copy/compute overlap',
      gpus: 1,
      group: 'Where to start',
      summary:
        'A chunked pipeline: copy in, compute, copy out. With pageable memory and one stream everything waits; with pinned memory and several streams, copies and kernels run side by side.',
      variants: [
        {
          id: 'before',
          title: 'Pageable, 1 stream',
          source: '/labs/overlap.cu',
          defines: [],
          arguments: ['pageable', '1'],
        },
        { id: 'two', title: 'Pinned, 2 streams', source: '/labs/overlap.cu', defines: [], arguments: ['pinned', '2'] },
        {
          id: 'after',
          title: 'Pinned, 4 streams',
          source: '/labs/overlap.cu',
          defines: [],
          arguments: ['pinned', '4'],
        },
      ],
    },
    {
      id: 'matmul',
      title: 'Matrix product',
      gpus: 1,
      group: 'Where to start',
      summary: 'The same product with every operand from global memory, and with 16 × 16 tiles in shared memory.',
      variants: [
        { id: 'before', title: 'Naive', source: '/labs/matmul.cu', defines: [], arguments: ['naive'] },
        { id: 'after', title: 'Shared-memory tiles', source: '/labs/matmul.cu', defines: [], arguments: ['tiled'] },
      ],
    },
    {
      id: 'launches',
      title: '500 small launches per frame',
      gpus: 1,
      group: 'Where to start',
      summary:
        'Tiny kernels, where the host is the limit: waiting after each launch, launching ahead, one fused kernel.',
      variants: [
        {
          id: 'before',
          title: 'Wait after each launch',
          source: '/labs/launches.cu',
          defines: [],
          arguments: ['sync'],
        },
        { id: 'after', title: 'One fused kernel', source: '/labs/launches.cu', defines: [], arguments: ['fused'] },
      ],
    },
  ],
  gpus: [
    ['mx330', 'GeForce MX330', 'Pascal', '6.1', 3, 1594, 2, 56e9],
    ['a4000', 'RTX A4000', 'Ampere', '8.6', 48, 1560, 16, 448e9],
    ['a100', 'A100-SXM4-80GB', 'Ampere', '8.0', 108, 1410, 80, 2039e9],
    ['h100', 'H100 SXM5', 'Hopper', '9.0', 132, 1980, 80, 3352e9],
    ['h200', 'H200 SXM', 'Hopper', '9.0', 132, 1980, 141, 4800e9],
  ].map(([id, name, architecture, cc, smCount, smClockMhz, gib, bandwidth]) => ({
    id: String(id),
    name: String(name),
    architecture: String(architecture),
    computeCapability: String(cc),
    smCount: Number(smCount),
    smClockMhz: Number(smClockMhz),
    memory: Number(gib) * 2 ** 30,
    bandwidth: Number(bandwidth),
  })),
  defaultGpu: 'a100',
  folders: ['/home/me'],
  open: [],
};

const diagnostics = `saxpy.cu:14:23: error: use of undeclared identifier 'blockIndex'
   14 |   int i = threadIdx.x + blockIndex.x * blockDim.x;
      |                         ^~~~~~~~~~
saxpy.cu:31:3: error: no matching function for call to 'saxpy'
   31 |   saxpy<<<blocks, 256>>>(n, 2.0f, x);
      |   ^~~~~~~~~~~~~~~~~~~~~~
saxpy.cu:12:17: note: candidate function not viable: requires 4 arguments, but 3 were provided
2 errors generated.`;

export function fakeChannel(options: FakeOptions = {}): Channel & { drop(): void } {
  const traces: FakeTrace[] = [];
  const cancelled = new Set<number>();
  let receive: (message: unknown) => void = () => undefined;
  let closed: () => void = () => undefined;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  function trace(id: unknown): FakeTrace {
    const found = traces[Number(id)];
    if (!found) throw new SimsightError('trace-not-open', 'This trace is not open.');
    return found;
  }
  function details(of: FakeTrace, ref: EventRef): EventDetails {
    const event = of.events.find(({ kind, row }) => kind === ref.kind && row === ref.row);
    if (!event) throw new SimsightError('bad-request', 'There is no such event.');
    const others = of.events.filter(
      (other) =>
        event.correlation > 0 &&
        other.correlation === event.correlation &&
        other !== event &&
        (other.kind === 'api') !== (event.kind === 'api') &&
        other.track !== 10 &&
        other.track !== 11,
    );
    const kernel = event.kind === 'kernel';
    return {
      ref,
      track: event.track,
      title: event.label,
      fullName: kernel ? `void pipeline::${event.label}<float>(int, float, const float *, float *)` : event.label,
      startNs: event.start,
      durationNs: event.duration,
      groups: kernel
        ? [
            {
              title: 'Launch',
              fields: [
                { name: 'Grid', value: '4096 × 1 × 1' },
                { name: 'Block', value: '256 × 1 × 1' },
                { name: 'Registers per thread', value: '22' },
                { name: 'Static shared memory', value: '0 B' },
              ],
            },
            {
              title: 'Occupancy',
              fields: [
                { name: 'Theoretical', value: '100 %' },
                { name: 'Limited by', value: 'Warps' },
                { name: 'Waves', value: '4.74' },
              ],
            },
            {
              title: 'Memory',
              fields: [
                { name: 'Sectors', value: '393,216' },
                { name: 'DRAM read', value: '8 MiB' },
                { name: 'DRAM written', value: '4 MiB' },
              ],
            },
          ]
        : [
            {
              title: 'Call',
              fields: [
                { name: 'Correlation id', value: String(event.correlation) },
                { name: 'Return value', value: 'cudaSuccess' },
              ],
            },
          ],
      correlated: others.map((other) => ({
        ref: { kind: other.kind, row: other.row },
        track: other.track,
        title: other.label,
        startNs: other.start,
        durationNs: other.duration,
      })),
    };
  }
  function report(of: FakeTrace, name: string): ReportTable {
    const columns: ReportTable['columns'] = [
      { name: 'Time (%)', type: 'percent' },
      { name: 'Total Time', type: 'nanoseconds' },
      { name: 'Instances', type: 'integer' },
      { name: 'Avg', type: 'nanoseconds' },
      { name: 'Name', type: 'text' },
    ];
    if (name.endsWith('_trace')) {
      const kernels = of.events.filter(({ kind }) => kind === 'kernel' || kind === 'memcpy');
      return {
        report: name,
        title: name,
        columns: [
          { name: 'Start', type: 'nanoseconds' },
          { name: 'Duration', type: 'nanoseconds' },
          { name: 'CorrId', type: 'integer' },
          { name: 'Name', type: 'text' },
        ],
        rows: kernels.map((event) => [event.start, event.duration, event.correlation, event.label]),
      };
    }
    const kind: EventKind = name === 'cuda_api_sum' ? 'api' : name === 'cuda_gpu_kern_sum' ? 'kernel' : 'memcpy';
    const groups = Map.groupBy(
      of.events.filter((event) => event.kind === kind && event.track !== 10 && event.track !== 11),
      ({ label }) => label,
    );
    const all = [...groups.values()].flat().reduce((sum, event) => sum + event.duration, 0);
    const rows = [...groups].map(([label, list]) => {
      const sum = list.reduce((total, event) => total + event.duration, 0);
      return [(sum / all) * 100, sum, list.length, sum / list.length, label];
    });
    return { report: name, title: name, columns, rows: rows.sort((a, b) => Number(b[1]) - Number(a[1])) };
  }
  function compare(before: FakeTrace, after: FakeTrace): Comparison {
    const side = ({ info }: FakeTrace) => ({
      path: info.path,
      title: info.title,
      gpu: info.gpu,
      durationNs: info.durationNs,
      isSimulated: true,
      window: { fromNs: 0, toNs: info.durationNs },
    });
    const names = new Set(
      [...before.events, ...after.events]
        .filter(({ track }) => track !== 10 && track !== 11)
        .map(({ kind, label }) => `${kind}|${label}`),
    );
    const rows = [...names].map((key) => {
      const [kind, name] = key.split('|') as [EventKind, string];
      const of = (trace: FakeTrace) =>
        trace.events.filter(
          (event) => event.kind === kind && event.label === name && event.track !== 10 && event.track !== 11,
        );
      const sum = (events: FakeEvent[]) => events.reduce((total, event) => total + event.duration, 0);
      const [a, b] = [of(before), of(after)];
      return compareRow(
        kind === 'api' || kind === 'kernel' ? kind : 'copy',
        name,
        [a.length, sum(a)],
        [b.length, sum(b)],
      );
    });
    const [wasNs, isNs] = [before.info.durationNs, after.info.durationNs];
    const total = compareRow('total', 'Whole program', [0, wasNs], [0, isNs]);
    return {
      ...{ before: side(before), after: side(after), rows: [total, ...rows], rowsLeftOut: 0, kernels: [] },
      align: {
        ...{ by: 'start', name: null, scaled: false },
        ...{ before: { originNs: 0, scale: 1 }, after: { originNs: 0, scale: 1 } },
      },
      ...{ steps: null, waterfall: [], explanation: [], modelError: null },
      judgement: {
        ...{ verdict: 'neutral', measure: 'window', beforeNs: wasNs, afterNs: isNs, ratio: isNs / wasNs },
        ...{ threshold: 0.05, noise: 0, matchedBefore: 1, matchedAfter: 1, comparability: 1 },
        reasons: ['The whole time is the same.'],
      },
    };
  }

  async function record(id: number, recording: RecordOptions): Promise<unknown> {
    const duration = options.recordMs ?? 600;
    const phases = ['compile', 'translate', 'run', 'store'] as const;
    for (const [i, phase] of phases.entries()) {
      if (options.compileError && i === 1)
        throw new SimsightError('compile-failed', diagnostics, '', { file: 'saxpy.cu', line: 14, column: 23 });
      for (let k = 0; k < 4; k++) {
        if (cancelled.has(id)) throw new SimsightError('cancelled', 'The recording was cancelled.');
        const at = i * 4 + k;
        const progress: RecordProgress = {
          phase,
          message: phase === 'run' ? `Kernel ${at}: saxpy_chunk` : `${phase} ${recording.sources[0]}`,
          simulatedNs: at * 310_000,
          kernels: at * 3,
          launches: at * 4,
          repeated: at,
          apiCalls: at * 11,
          compiled: phase === 'run' ? { done: k, total: 4 } : null,
          kernel: null,
          blocks: phase === 'run' ? { done: 256 * k, total: 1024 } : null,
          console:
            phase === 'run' ? [{ timeNs: at * 310_000, stream: 'stdout', text: `chunk ${k}: ok, max error 0\n` }] : [],
        };
        receive({ type: 'progress', id, progress });
        await pause(duration / 16);
      }
    }
    return {
      path: `/recordings/${recording.arguments.join('-') || 'run'}.simsight`,
      exitCode: 0,
      durationNs: 1,
      kernels: 24,
    };
  }

  async function answer(id: number, method: string, params: Record<string, unknown>): Promise<unknown> {
    if (options.delay) await pause(options.delay);
    switch (method) {
      case 'app.info':
        return { ...appInfo, open: options.open ?? [] };
      case 'lab.page':
        return '# Lab\n\nWhat to look at, and **what to expect**.\n';
      case 'app.recent':
        return options.recent === false
          ? []
          : [
              {
                path: '/home/me/recordings/overlap-4.simsight',
                title: 'Copy/compute overlap: Pinned, 4 streams',
                gpu: 'A100-SXM4-80GB',
                openedAt: Date.now() - 400_000,
              },
              {
                path: '/home/me/recordings/llm-step.simsight',
                title: 'llm-step',
                gpu: 'H100 SXM5',
                openedAt: Date.now() - 90_000_000,
              },
            ];
      case 'files.list':
        return {
          path: params.path ?? '/home/me',
          parent: params.path ? '/home/me' : null,
          entries: [
            { name: 'recordings', path: '/home/me/recordings', kind: 'folder', size: 0, modifiedAt: 0 },
            {
              name: 'saxpy.cu',
              path: '/home/me/saxpy.cu',
              kind: 'source',
              size: 2134,
              modifiedAt: Date.now() - 7_200_000,
            },
            {
              name: 'overlap-4.simsight',
              path: '/home/me/overlap-4.simsight',
              kind: 'trace',
              size: 1_834_000,
              modifiedAt: Date.now() - 400_000,
            },
          ],
        };
      case 'record.run':
        return record(id, params as unknown as RecordOptions);
      case 'trace.open': {
        const path = String(params.path);
        if (path.includes('broken'))
          throw new SimsightError(
            'trace-not-sqlite',
            `${path} is not a Simsight trace: it is no SQLite file.`,
            'Choose a .simsight file.',
            { file: path },
          );
        traces.push(overlapTrace(path, /4/.test(path) ? 4 : 1, options.streams));
        return { traceId: traces.length - 1, ...traces.at(-1)!.info } satisfies TraceInfo;
      }
      case 'trace.close':
        return null;
      case 'trace.window': {
        if (options.windowError)
          throw new SimsightError('trace-damaged', 'The trace is damaged: page 17 cannot be read.');
        const p = params as { traceId: number; tracks: number[]; fromNs: number; toNs: number; resolutionNs: number };
        return p.tracks.map((track) => windowOf(trace(p.traceId), track, p.fromNs, p.toNs, p.resolutionNs));
      }
      case 'trace.event':
        return details(trace(params.traceId), params.ref as EventRef);
      case 'trace.console':
        return Array.from({ length: 24 }, (_, i) => ({
          timeNs: 1_200_000 + i * 250_000,
          stream: i === 20 ? 'stderr' : 'stdout',
          text: `chunk ${i}: ok, max error 0\n`,
        }));
      case 'trace.report':
        return report(trace(params.traceId), String(params.report));
      case 'trace.notes':
      case 'trace.setNotes':
        return { notes: params.notes ?? [], place: null, isOfThisRecording: true };
      case 'compare.run':
        return compare(trace(params.before), trace(params.after));
      default:
        throw new SimsightError('bad-request', `There is no call ${method}.`);
    }
  }

  return {
    post(raw) {
      const message = raw as ClientMessage;
      if (message.type === 'cancel') {
        cancelled.add(message.id);
        return;
      }
      // As a transport does: nothing shared, and never answered at once.
      const params = structuredClone(message.params) as Record<string, unknown>;
      Promise.resolve()
        .then(() => answer(message.id, message.method, params))
        .then(
          (result) => receive({ type: 'result', id: message.id, result }),
          (error: unknown) => receive({ type: 'error', id: message.id, error: reportOf(error) }),
        );
    },
    onMessage: (listener) => (receive = listener),
    onClose: (listener) => (closed = listener),
    drop: () => closed(),
  };
}
