/** NVTX ranges: written as nsys writes them, shown on a row of their own, summed up in a report. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { ns } from '../../../engine/base/units.ts';
import type { NvtxEvent } from '../../../engine/model/event-kinds/nvtx.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { facts, temporaryFolder } from './example-recording.ts';

const folder = temporaryFolder();

const nvtx = (kind: NvtxEvent['kind'], text: string, start: number, end: number | null, domainId = 0): NvtxEvent => ({
  type: 'nvtx',
  kind,
  start: ns(start),
  end: end === null ? null : ns(end),
  text,
  threadId: 1,
  color: null,
  category: null,
  domainId,
  rangeId: null,
  payload: null,
});

const path = join(folder, 'nvtx.simsight');
const writer = createTraceWriter(path, facts);
writer.append([
  nvtx('domain-create', 'solver', 0, null, 1),
  nvtx('push-pop', 'inner', 200, 300),
  nvtx('push-pop', 'outer', 100, 500),
  nvtx('mark', 'here', 250, null),
  nvtx('start-end', 'iteration', 150, 650, 1),
]);
writer.finish({ exitCode: 0, notices: [], complete: true });

test('nested ranges lie in lanes below one another; a mark has no duration', () => {
  const trace = openTrace(path);
  const track = trace.info.tracks.find(({ title }) => title === 'NVTX')!;
  expect(track).toMatchObject({ kind: 'thread', eventCount: 4, lanes: 4 });
  const [window] = trace.window([track.id], 0, 1000, 0);
  const shown = Array.from(
    window!.starts,
    (start, i) => `${window!.labels[window!.labelIndex[i]!]} ${start}+${window!.durations[i]} lane ${window!.lanes[i]}`,
  );
  expect(shown.sort()).toEqual([
    'here 250+0 lane 3',
    'inner 200+100 lane 2',
    'iteration 150+500 lane 1',
    'outer 100+400 lane 0',
  ]);
  trace.close();
});

test('all about one range', () => {
  const trace = openTrace(path);
  const details = trace.event({ kind: 'nvtx', row: 3 });
  expect(details).toMatchObject({ title: 'outer', startNs: 100, durationNs: 400, correlated: [] });
  expect(details.groups.find(({ title }) => title === 'NVTX')!.fields).toContainEqual({
    name: 'Style',
    value: 'PushPop',
  });
  trace.close();
});

test('nvtx_sum names ranges by domain', () => {
  const trace = openTrace(path);
  const { rows } = makeReport(trace, 'nvtx_sum');
  expect(rows.map((row) => [row[1], row[2], row.at(-2), row.at(-1)])).toEqual([
    [500, 1, 'StartEnd', 'solver:iteration'],
    [400, 1, 'PushPop', ':outer'],
    [100, 1, 'PushPop', ':inner'],
  ]);
  trace.close();
});
