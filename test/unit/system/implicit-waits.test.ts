/** Waits for the legacy default stream, and their length: CUDA runtime API, "Stream synchronization behavior". */
import { callCost } from '../../../engine/system/call-costs.ts';
import { expect, test } from 'vitest';
import { bytes } from '../../../engine/base/units.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import {
  createSystemSimulator,
  defaultHost,
  hostProfileById,
  type SystemSimulator,
} from '../../../engine/system/index.ts';
import type { ImplicitWaitEvent } from '../../../engine/model/event-kinds/implicit-wait.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';

function run(work: (system: SystemSimulator) => void, host = defaultHost) {
  const events: TraceEvent[] = [];
  const system = createSystemSimulator({
    ...{ gpu: gpuById('h200'), host, sink: (event) => events.push(event) },
    ...{ contextCreation: false, lazyLoading: false },
  });
  work(system);
  system.finish();
  return {
    waits: events.filter((event): event is ImplicitWaitEvent => event.type === 'implicit-wait'),
    fills: events.filter((event) => event.type === 'memset'),
    dependencies: events.filter((event) => event.type === 'dependency'),
  };
}
function fill(system: SystemSimulator, stream: number, megabytes = 512): void {
  const call = system.beginApi('cudaMemsetAsync', { cost: callCost.fillAsync });
  system.memset(call, { value: 0, bytes: bytes(megabytes << 20), stream, async: true });
  system.endApi(call, 0);
}

test('a blocking stream waits for the default stream, until its turn comes', () => {
  const { waits, fills, dependencies } = run((system) => {
    const stream = system.createStream({ nonBlocking: false, priority: 0 });
    fill(system, 0);
    fill(system, stream);
  });
  const [first, second] = fills;
  expect(waits).toHaveLength(1);
  expect(waits[0]).toMatchObject({ streamId: 13, otherStreamId: 7, correlationId: 2, waitsFor: 1, deviceId: 0 });
  expect(waits[0]!.end).toBeGreaterThanOrEqual(first!.end);
  expect(waits[0]!.end).toBeLessThanOrEqual(second!.start);
  expect(waits[0]!.start).toBeLessThan(first!.end);
  expect(dependencies).toEqual([{ type: 'dependency', correlationId: 2, waitsFor: 1 }]);
});

test('the default stream waits for the last of all blocking streams', () => {
  const { waits } = run((system) => {
    const streams = [1, 2].map(() => system.createStream({ nonBlocking: false, priority: 0 }));
    fill(system, streams[0]!, 64);
    fill(system, streams[1]!, 512);
    fill(system, 0);
  });
  expect(waits).toMatchObject([{ streamId: 7, otherStreamId: 14, correlationId: 3, waitsFor: 2 }]);
});

test('who waits for its own stream longer, or does not wait at all, is not said to', () => {
  const { waits } = run((system) => {
    const [blocking, free] = [false, true].map((nonBlocking) => system.createStream({ nonBlocking, priority: 0 }));
    // Behind its own long work, the short one of the default stream is over by then.
    fill(system, 0, 1);
    fill(system, blocking!, 512);
    fill(system, blocking!, 1);
    fill(system, free!, 1);
  });
  expect(waits.filter(({ streamId }) => streamId === 14)).toEqual([]);
  expect(waits.length).toBeLessThanOrEqual(1);
});

test('what is only tried, to know when it would start, is not in the trace', () => {
  const { waits } = run((system) => {
    const stream = system.createStream({ nonBlocking: false, priority: 0 });
    fill(system, 0);
    expect(system.expectedStart(stream)).toBeGreaterThan(0);
  });
  expect(waits).toEqual([]);
});

test('on a host that gathers commands it waits from when they were handed over', () => {
  const { waits, fills } = run((system) => {
    const stream = system.createStream({ nonBlocking: false, priority: 0 });
    fill(system, 0);
    fill(system, stream);
  }, hostProfileById('windows-wddm'));
  expect(waits).toHaveLength(1);
  expect(waits[0]!.start).toBeLessThan(waits[0]!.end);
  expect(waits[0]!.end).toBeLessThanOrEqual(fills[1]!.start);
});
