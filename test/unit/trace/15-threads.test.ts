/** A process with several threads has a row for each, with its calls, ranges and waits below. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ns } from '../../../engine/base/units.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { openTrace, type Trace } from '../../../engine/trace/reader.ts';
import { api, kernel, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
const call = (threadId: number, name: string, start: number, end: number, id: number): TraceEvent =>
  ({ ...api(name, start, end, id), threadId }) as TraceEvent;
const wait = (start: number, end: number, correlationId: number): TraceEvent => ({
  ...{ type: 'synchronization', kind: 'context', deviceId: 0, streamId: null, eventId: null },
  ...{ start: ns(start), end: ns(end), correlationId },
});
const range = (threadId: number, text: string, start: number, end: number): TraceEvent => ({
  ...{ type: 'nvtx', kind: 'push-pop', start: ns(start), end: ns(end), text, threadId },
  ...{ color: null, category: null, domainId: 0, rangeId: null, payload: null },
});

/** Host rows, those below others indented. */
function hostRows({ info: { tracks } }: Trace): string[] {
  const depth = (id: number | null): number => (id === null ? 0 : 1 + depth(tracks[id]!.parent));
  return tracks
    .filter(({ kind }) => kind === 'process' || kind === 'thread')
    .map(({ parent, title, eventCount }) => `${'  '.repeat(depth(parent))}${title} (${eventCount})`);
}

test('each thread has its calls, ranges and waits; what it waits for is not in the row of another', () => {
  const trace = openTrace(
    write(join(folder, 'two.simsight'), [
      call(1, 'cudaLaunchKernel', 0, 100, 1),
      kernel(200, 900, 1),
      call(1, 'cudaDeviceSynchronize', 300, 1000, 2),
      wait(310, 990, 2),
      range(1, 'load', 0, 400),
      { type: 'thread-name', threadId: 2, name: 'worker' },
      call(2, 'cudaLaunchKernel', 100, 200, 3),
      kernel(1000, 1500, 3),
      // At the same time as the other one.
      call(2, 'cudaDeviceSynchronize', 400, 1600, 4),
      wait(410, 1590, 4),
    ]),
  );
  const first = 'Thread 1000 saxpy.cu';
  expect(hostRows(trace)).toEqual([
    ...['saxpy.cu (0)', `  ${first} (0)`, '    NVTX (1)', '    CUDA API (2)', '    Synchronization (1)'],
    ...['  Thread 1001 worker (0)', '    CUDA API (2)', '    Synchronization (1)'],
  ]);
  // Both a wait and a jump to it from its call lead to the row of its thread.
  const threadOf = (track: number): string => trace.info.tracks[trace.info.tracks[track]!.parent!]!.title;
  expect(threadOf(trace.event({ kind: 'synchronization', row: 1 }).track)).toBe(first);
  expect(threadOf(trace.event({ kind: 'synchronization', row: 2 }).track)).toMatch(/worker/);
  const { correlated } = trace.event({ kind: 'api', row: 4 });
  expect(correlated.map(({ ref, track }) => [ref.kind, threadOf(track)])).toEqual([
    ['synchronization', expect.stringMatching(/worker/)],
  ]);
  trace.close();
});

test('a thread with one row is that row; a process with one thread has no rows of threads', () => {
  const one = [call(1, 'cudaLaunchKernel', 0, 100, 1), kernel(200, 900, 1), call(1, 'cudaFree', 300, 1000, 2)];
  const alone = openTrace(write(join(folder, 'alone.simsight'), [...one, wait(310, 990, 2), range(1, 'load', 0, 400)]));
  expect(hostRows(alone)).toEqual(['saxpy.cu (0)', '  NVTX (1)', '  CUDA API (2)', '  Synchronization (1)']);
  alone.close();
  const other = openTrace(write(join(folder, 'other.simsight'), [...one, wait(310, 990, 2), range(2, 'load', 0, 400)]));
  expect(hostRows(other)).toEqual([
    ...['saxpy.cu (0)', '  Thread 1000 saxpy.cu (0)', '    CUDA API (2)', '    Synchronization (1)'],
    '  NVTX, thread 1001 (1)',
  ]);
  other.close();
});
