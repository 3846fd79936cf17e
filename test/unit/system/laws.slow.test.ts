/**
 * Laws that hold for every program: random sequences of API calls are simulated, and what the trace says is checked
 * against what was asked for. A failing seed is named in the message and repeats exactly.
 */
import { describe, expect, it } from 'vitest';
import { bytes, ns } from '../../../engine/base/units.ts';
import { gpus } from '../../../engine/gpus/index.ts';
import { hostProfiles } from '../../../engine/system/index.ts';
import { Multiprocessors } from '../../../engine/system/multiprocessors.ts';
import { operation } from '../../../engine/system/operations.ts';
import { ActionQueue, Fifo } from '../../../engine/system/queues.ts';
import { blocksOf, details, one, Recorder } from './recorder.ts';
import type { GraphWork } from '../../../engine/system/types.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';

/** mulberry32: numbers in [0, 1) that depend on the seed alone. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type DeviceEvent = Extract<TraceEvent, { type: 'kernel' | 'copy' | 'memset' }>;

/** Operations that the program enqueued, in program order. */
interface Asked {
  correlationId: number;
  stream: number;
  blocking: boolean;
  /** Nanoseconds when it is alone, for kernels. */
  kernel: { duration: number; waves: number } | null;
  /** Host clock when the call began. */
  since: number;
  /** Graph launches only: the nodes that each node waits for. All nodes must be in the trace. */
  nodes: number[][] | null;
}

interface Run {
  events: TraceEvent[];
  asked: Asked[];
  /** Work that the first must wait for: [earlier, later], as correlation ids. */
  before: [number, number][];
  clocks: number[];
  /** Correlation ids that had to be complete at a host time. */
  complete: { at: number; ids: number[] }[];
}

function randomProgram(seed: number): Run {
  const random = generator(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const gpu = gpus[seed % gpus.length]!;
  const r = new Recorder({ gpu, cold: seed % 5 === 0, host: hostProfiles[seed % hostProfiles.length]! });
  const streams = [{ id: 0, blocking: true }];
  for (let i = 0; i < 1 + (seed % 4); i++) {
    const nonBlocking = random() < 0.5;
    streams.push({ id: r.stream(nonBlocking, pick([0, 0, -1])), blocking: !nonBlocking });
  }
  const events = [r.event(), r.event(), r.event()];
  const asked: Asked[] = [];
  const before: [number, number][] = [];
  const clocks: number[] = [];
  const complete: Run['complete'] = [];
  /** Operations that the latest record of each event, and each stream's waits, cover. */
  const recorded = new Map<number, number[]>();
  const heldBack = new Map<number, number[]>();
  const inStream = (id: number): number[] =>
    asked.filter(({ stream, blocking }) => stream === id || (id === 0 && blocking)).map((work) => work.correlationId);

  const issue = (
    stream: { id: number; blocking: boolean },
    kernel: Asked['kernel'],
    action: () => void,
    nodes: Asked['nodes'] = null,
  ): void => {
    const since = r.system.now;
    const known = r.events.length;
    action();
    const call = r.events.slice(known).find((event) => event.type === 'api')!;
    const { correlationId } = call as Extract<TraceEvent, { type: 'api' }>;
    for (const earlier of heldBack.get(stream.id) ?? []) before.push([earlier, correlationId]);
    asked.push({ correlationId, stream: stream.id, blocking: stream.blocking, kernel, since, nodes });
  };
  const randomBlocks = () =>
    blocksOf(Math.ceil(4000 ** random()), pick([1, 2, 3, 8, 16]), { sm: random(), dram: random() });
  const randomWork = (): GraphWork => {
    const choice = random();
    if (choice < 0.6) {
      const kernel = { kernel: 'node', grid: one, block: one, dynamicSharedBytes: 0, details: details };
      return { type: 'kernel', ...kernel, duration: ns(Math.round(random() * 50_000)), blocks: randomBlocks() };
    }
    const size = bytes(Math.round(2 ** (random() * 20)));
    if (choice < 0.8) return { type: 'memset', value: 0, bytes: size };
    const direction = pick(['host-to-device', 'device-to-host', 'device-to-device'] as const);
    return { type: 'copy', direction, bytes: size, hostMemory: 'pinned' };
  };
  /** Each node waits for some of those before it. */
  const launchGraph = (stream: { id: number; blocking: boolean }): void => {
    const nodes = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, nodeId) => ({
      nodeId,
      dependencies: Array.from({ length: nodeId }, (__, index) => index).filter(() => random() < 0.4),
      work: randomWork(),
    }));
    const request = { stream: stream.id, graphId: 1, nodes };
    const action = (): void => r.call('cudaGraphLaunch', (call) => r.system.launchGraph(call, request));
    issue(stream, null, action, nodes.map(({ dependencies }) => dependencies)); // prettier-ignore
  };

  for (let step = 0; step < 40; step++) {
    const stream = pick(streams);
    const event = pick(events);
    const choice = random();
    if (choice < 0.06) launchGraph(stream);
    else if (choice < 0.08) {
      r.call('cudaLaunchHostFunc', (call) => r.system.hostFunction(call, stream.id));
    } else if (choice < 0.35) {
      const { count: blocks, perSm, load } = randomBlocks();
      const waves = blocks / perSm / gpu.core.smCount;
      const kernel = { duration: Math.round(random() ** 3 * 200_000), waves };
      const shape = { microseconds: kernel.duration / 1e3, blocks, perSm, load };
      issue(stream, kernel, () => r.launch(stream.id, shape));
    } else if (choice < 0.6) {
      const direction = pick(['host-to-device', 'device-to-host', 'device-to-device'] as const);
      const size = Math.round(2 ** (random() * 23));
      const memory = pick(['pinned', 'pageable'] as const);
      const async = random() < 0.7;
      const target = async ? stream : streams[0]!;
      issue(target, null, () => r.copy(target.id, direction, size, memory, async));
    } else if (choice < 0.65) {
      issue(stream, null, () => r.memset(stream.id, Math.round(random() * 1e6)));
    } else if (choice < 0.75) {
      recorded.set(event, inStream(stream.id));
      r.record(event, stream.id);
    } else if (choice < 0.83) {
      const held = heldBack.get(stream.id) ?? [];
      heldBack.set(stream.id, [...held, ...(recorded.get(event) ?? [])]);
      r.wait(stream.id, event);
    } else if (choice < 0.87) {
      r.syncStream(stream.id);
      complete.push({ at: r.system.now, ids: inStream(stream.id) });
    } else if (choice < 0.9) {
      r.syncEvent(event);
      complete.push({ at: r.system.now, ids: recorded.get(event) ?? [] });
    } else if (choice < 0.92) {
      r.syncDevice();
      complete.push({ at: r.system.now, ids: asked.map((work) => work.correlationId) });
    } else if (choice < 0.96) {
      if (r.system.queryStream(stream.id)) complete.push({ at: r.system.now, ids: inStream(stream.id) });
    } else {
      r.system.hostWork(ns(Math.round(random() * 50_000)));
    }
    clocks.push(r.system.now);
  }
  r.system.finish();
  return { events: r.events, asked, before, clocks, complete };
}

function check(seed: number): void {
  const run = randomProgram(seed);
  const done = run.events.filter((event): event is DeviceEvent => ['kernel', 'copy', 'memset'].includes(event.type));
  const byId = new Map<number, { start: number; end: number }>();
  const must = (holds: boolean, law: string): void => {
    if (!holds) throw new Error(`seed ${seed}: ${law}`);
  };

  const eventsOf = Map.groupBy(done, ({ correlationId }) => correlationId);
  const launches = run.events.filter((event) => event.type === 'graph');
  const rangeOf = new Map(launches.map((launch) => [launch.correlationId, launch]));
  must(eventsOf.size === run.asked.length, 'every operation completes');
  for (const { correlationId, nodes } of run.asked) {
    const events = eventsOf.get(correlationId)!;
    must(events.length === (nodes?.length ?? 1), 'every operation completes, once');
    const start = Math.min(...events.map((event) => event.start));
    const end = Math.max(...events.map((event) => event.end));
    byId.set(correlationId, { start, end });
    const range = rangeOf.get(correlationId);
    must(
      nodes ? range?.start === start && range.end === end : !range,
      'a launch of a graph is from its first node to its last',
    );
    const node = new Map(events.map((event) => [event.graphNodeId, event]));
    nodes?.forEach((dependencies, index) => {
      for (const before of dependencies) {
        must(node.get(index)!.start >= node.get(before)!.end, 'a node waits for those that it depends on');
      }
    });
  }
  must(
    run.clocks.every((clock, i) => i === 0 || clock >= run.clocks[i - 1]!),
    'the host clock never runs back',
  );
  let latest = 0;
  for (const event of run.events) {
    if (event.type === 'stream' || event.type === 'nvtx' || event.type === 'thread-name') continue;
    if (event.type === 'profile' || event.type === 'dependency' || event.type === 'notice') continue;
    if (event.type === 'failure') continue;
    const isMoment = event.type === 'console' || event.type === 'memory';
    const end = isMoment ? event.time : event.end;
    must(end >= latest, 'events come in order of their end');
    must(isMoment || (event.start <= end && Number.isInteger(event.start)), 'spans are not negative');
    must(Number.isInteger(end), 'times are whole nanoseconds');
    latest = end;
  }

  const lastOf = new Map<number, Asked>();
  let lastLegacy: Asked | null = null;
  const lastBlocking = new Map<number, Asked>();
  const follows = (earlier: Asked, later: Asked): boolean =>
    byId.get(later.correlationId)!.start >= byId.get(earlier.correlationId)!.end;
  for (const work of run.asked) {
    const event = byId.get(work.correlationId)!;
    must(event.start >= work.since, 'nothing starts before it is asked for');
    const previous = lastOf.get(work.stream);
    must(!previous || follows(previous, work), 'a stream works in order');
    if (work.stream === 0) {
      for (const other of lastBlocking.values())
        must(follows(other, work), 'the default stream waits for blocking ones');
      lastLegacy = work;
    } else if (work.blocking) {
      must(!lastLegacy || follows(lastLegacy, work), 'blocking streams wait for the default stream');
      lastBlocking.set(work.stream, work);
    }
    lastOf.set(work.stream, work);
  }
  for (const [earlier, later] of run.before) {
    must(byId.get(later)!.start >= byId.get(earlier)!.end, 'a stream waits for the event it was told to');
  }
  for (const { at, ids } of run.complete) {
    for (const id of ids) must(byId.get(id)!.end <= at, 'what was waited for, or found complete, is complete');
  }

  for (const engine of [0, 1]) {
    const copies = done.filter((event) => event.type === 'copy' && event.engine === engine);
    copies.sort((a, b) => a.start - b.start || a.end - b.end);
    for (let i = 1; i < copies.length; i++) {
      must(copies[i]!.start >= copies[i - 1]!.end, 'a copy engine does one thing at a time');
    }
  }

  const kernels = run.asked.flatMap((work) => (work.kernel ? [{ ...work.kernel, ...span(byId, work) }] : []));
  // Waves that others cut short may fill the last one better.
  for (const { start, end, duration, waves } of kernels) {
    const least = waves <= 1 ? duration : (duration * waves) / Math.ceil(waves);
    must(end - start >= Math.floor(least), 'no kernel is faster than alone');
  }
}

function span(
  byId: Map<number, { start: number; end: number }>,
  { correlationId }: Asked,
): { start: number; end: number } {
  const { start, end } = byId.get(correlationId)!;
  return { start, end };
}

describe('laws', () => {
  it('hold for 1000 random programs on all GPUs and hosts', () => {
    for (let seed = 1; seed <= 1000; seed++) check(seed);
  });

  it('same program, same trace', () => {
    for (let seed = 1; seed <= 30; seed++) expect(randomProgram(seed).events).toEqual(randomProgram(seed).events);
  });

  it('no SM holds more than it can, at any moment, and every block has its turn', () => {
    const random = generator(7);
    const actions = new ActionQueue();
    const sms = new Multiprocessors(20, actions);
    let [time, fullest, ended] = [0, 0, 0];
    const advance = (to: number): void => {
      while (actions.next <= to) {
        const action = actions.pop();
        // Nothing happens where it is out of date.
        if (action?.happening.kind !== 'blocks') continue;
        if (sms.progress(action.happening.batch, action.time)) ended++;
        fullest = Math.max(fullest, ...Object.values(sms.fullest));
      }
    };
    for (let i = 0; i < 3000; i++) {
      time += Math.round(random() * 400);
      advance(time);
      const work = operation('sm', 'compute', [{ duration: random() * 1000, share: 0 }], null, random() < 0.2 ? -1 : 0);
      const perSm = 1 + Math.floor(random() * 16);
      work.blocks = {
        ...blocksOf(1 + Math.floor(random() ** 2 * 1000), perSm, { sm: random(), dram: random() }),
        share: { warps: random() / perSm, registers: 1 / perSm, shared: random() / perSm, slots: 1 / 32 },
        cooperative: false,
      };
      sms.add(work, time);
      fullest = Math.max(fullest, ...Object.values(sms.fullest));
    }
    advance(Number.MAX_VALUE);
    expect(ended).toBe(3000);
    expect(fullest).toBeLessThanOrEqual(1 + 1e-9);
    expect(fullest).toBeGreaterThan(0.99);
    expect(Object.values(sms.fullest)).toEqual([0, 0, 0, 0]);
  });
});

describe('the queues', () => {
  it('give actions by time, then by order of scheduling', () => {
    const random = generator(3);
    const queue = new ActionQueue();
    const work = operation('event', null, [], null);
    const all = Array.from({ length: 2000 }, (_, order) => ({
      time: Math.floor(random() * 50),
      operation: { ...work, earliest: order },
    }));
    for (const { time, operation } of all) queue.push(time, { kind: 'ready', operation });
    const taken = all.map(() => queue.pop()!);
    expect(queue.next).toBe(Infinity);
    const order = ({ happening }: (typeof taken)[number]): number =>
      happening.kind === 'blocks' ? -1 : happening.operation.earliest;
    for (let i = 1; i < taken.length; i++) {
      expect(taken[i]!.time * 1e6 + order(taken[i]!)).toBeGreaterThan(taken[i - 1]!.time * 1e6 + order(taken[i - 1]!));
    }
  });

  it('give items first in, first out', () => {
    const random = generator(4);
    const fifo = new Fifo<number>();
    let [next, expected] = [0, 0];
    for (let i = 0; i < 5000; i++) {
      if (random() < 0.55) fifo.push(next++);
      else if (fifo.length > 0) expect(fifo.shift()).toBe(expected++);
      else expect(fifo.shift()).toBeUndefined();
      expect(fifo.length).toBe(next - expected);
    }
  });
});
