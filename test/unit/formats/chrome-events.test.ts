/** Events of Chrome traces that are odd, each kind as it has been seen: nothing is lost without a word. */
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../trace/example-recording.ts';
import { call, chromeFiles, kernel, noticeOf, range, rangesIn } from './chrome-file.ts';

const { read, readEvents } = chromeFiles(temporaryFolder());

describe('times', () => {
  test('fractions of microseconds are whole nanoseconds, from the base that the file gives', async () => {
    const text = `{"schemaVersion": 1, "baseTimeNanoseconds": 1717000000123456789, "traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "first", "pid": 1, "tid": 1, "ts": 1000000.001, "dur": 0.999},
      {"ph": "X", "cat": "cpu_op", "name": "second", "pid": 1, "tid": 1, "ts": 1000001.1, "dur": 2.0015},
      {"ph": "X", "cat": "cpu_op", "name": "third", "pid": 1, "tid": 1, "ts": "1000001.234567", "dur": "1e-3"}
    ]}`;
    await read(text, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['first', 0, 999],
        // Half a nanosecond is rounded up, from the fourth digit.
        ['second', 1099, 3101],
        ['third', 1234, 1235],
      ]);
      expect(trace.query("SELECT printf('%d', utcEpochNs) FROM TARGET_INFO_SESSION_START_TIME")).toEqual([
        ['1717000001123456790'],
      ]);
    });
  });

  test('absolute times of 1.7e15 µs keep their nanoseconds, beyond 2^53', async () => {
    const text = `{"schemaVersion": 1, "traceEvents": [
      {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1717000000123456.789, "dur": 9007199.254},
      {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 1717000000123456.790, "dur": 0.001},
      {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": 1.717000000123456791e15, "dur": 2}]}`;
    await read(text, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['a', 0, 9007199254],
        ['b', 1, 2],
        ['c', 2, 2002],
      ]);
      expect(trace.query("SELECT printf('%d', utcEpochNs) FROM TARGET_INFO_SESSION_START_TIME")).toEqual([
        ['1717000000123456789'],
      ]);
    });
  });

  test('a base that no clock has is no start', async () => {
    for (const base of ['9999999999999999999', '-5', '"soon"', '[]']) {
      const text = `{"schemaVersion": 1, "baseTimeNanoseconds": ${base}, "traceEvents": [${JSON.stringify(range('a', 1, 1))}]}`;
      await read(text, (trace) => {
        expect(trace.info.eventCount).toBe(1);
        expect(trace.query('SELECT count(*) FROM TARGET_INFO_SESSION_START_TIME')).toEqual([[0]]);
      });
    }
  });

  test('times before others in any order, also below zero', async () => {
    await readEvents([range('later', 500, 1), range('negative', -20.5, 1), range('first', -100, 50)], (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['first', 0, 50_000],
        ['negative', 79_500, 80_500],
        ['later', 600_000, 601_000],
      ]);
    });
  });

  test('one event that is decades away takes nothing from the others', async () => {
    const now = 1_717_000_000_000_000;
    const others = [range('a', now, 5), range('b', now + 10, 5), kernel('k', now + 3, 1)];
    for (const events of [
      [range('odd', 0, 1), ...others],
      [...others, range('odd', 0, 1)],
    ]) {
      await readEvents(events, (trace) => {
        expect(rangesIn(trace)).toEqual([
          ['a', 0, 5000],
          ['b', 10_000, 15_000],
        ]);
        expect(trace.query('SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([[3000]]);
        expect(noticeOf(trace, 'left out')).toBe('1 events were left out because their times cannot be read.');
      });
    }
  });

  test('durations below zero, without one, and times that are none', async () => {
    const events = `{"traceEvents": [
      ${JSON.stringify(range('fine', 10, 5))},
      ${JSON.stringify(range('negative', 20, -5))},
      {"ph": "X", "name": "without", "pid": 100, "tid": 101, "ts": 30},
      {"ph": "X", "name": "not a number", "pid": 100, "tid": 101, "ts": NaN, "dur": 1},
      {"ph": "X", "name": "infinite", "pid": 100, "tid": 101, "ts": 40, "dur": Infinity},
      {"ph": "X", "name": "minus infinite", "pid": 100, "tid": 101, "ts": -Infinity, "dur": 1},
      {"ph": "X", "name": "null", "pid": 100, "tid": 101, "ts": null, "dur": 1},
      {"ph": "X", "name": "text", "pid": 100, "tid": 101, "ts": "soon", "dur": 1},
      {"ph": "X", "name": "list", "pid": 100, "tid": 101, "ts": [1], "dur": 1},
      {"ph": "X", "name": "none", "pid": 100, "tid": 101, "dur": 1},
      {"ph": "X", "name": "far", "pid": 100, "tid": 101, "ts": 1e300, "dur": 1},
      {"ph": "X", "name": "long", "pid": 100, "tid": 101, "ts": 50, "dur": 1e30},
      ${JSON.stringify(range('last', 60, 1))}]}`;
    await read(events, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['fine', 0, 5000],
        ['negative', 10_000, 10_000],
        ['without', 20_000, 20_000],
        ['last', 50_000, 51_000],
      ]);
      expect(trace.info.notices).toContain('9 events were left out because their times cannot be read.');
      expect(trace.info.notices).toContain('1 events end before they start: they are shown without length.');
    });
  });
});

describe('ranges', () => {
  test('events with one start nest, the longest outermost; partly overlapping ones have lanes of their own', async () => {
    const events = [range('inner', 0, 2), range('outer', 0, 10), range('middle', 0, 5), range('across', 8, 10)];
    await readEvents(events, (trace) => {
      const thread = trace.info.tracks.find(({ kind }) => kind === 'thread')!;
      const { lanes, labels, labelIndex, count } = trace.window([thread.id], 0, trace.info.durationNs, 0)[0]!;
      const lane = Object.fromEntries([...lanes.subarray(0, count)].map((each, i) => [labels[labelIndex[i]!], each]));
      expect(lane).toEqual({ outer: 0, middle: 1, inner: 2, across: 1 });
    });
  });

  test('begin and end: nested, of several threads at once, and ends that say no name', async () => {
    const at = (ph: string, ts: number, name?: string, tid = 1): object => ({ ph, ts, name, pid: 9, tid, cat: 'c' });
    const events = [
      ...[at('B', 0, 'a'), at('B', 1, 'b'), at('B', 1, 'other', 2), at('E', 3), at('E', 5), at('E', 6, 'other', 2)],
    ];
    await readEvents(events, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['a', 0, 5000],
        ['other', 1000, 6000],
        ['b', 1000, 3000],
      ]);
      expect(trace.info.notices).toHaveLength(1);
    });
  });

  test('begins without end last to the end, ends without begin are counted', async () => {
    const at = (ph: string, ts: number, name?: string): object => ({ ph, ts, name, pid: 9, tid: 1 });
    const events = [at('E', 0, 'lost'), at('B', 1, 'open'), at('B', 2, 'closed'), at('E', 3), range('last', 10, 10)];
    await readEvents(events, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['open', 0, 19_000],
        ['closed', 1000, 2000],
        ['last', 9000, 19_000],
      ]);
      expect(trace.info.notices.slice(1)).toEqual([
        '1 ends of ranges were left out: nothing was begun.',
        '1 ranges have no end: they are shown up to the end of the recording.',
      ]);
    });
  });

  test('ends that stand before their begins in the file', async () => {
    const at = (ph: string, ts: number, name?: string, more = {}): object => ({
      ph,
      ts,
      name,
      pid: 9,
      tid: 1,
      ...more,
    });
    const async = { id: '0x1', cat: 'net' };
    const events = [
      ...[at('E', 9), at('E', 5), at('B', 1, 'outer'), at('B', 3, 'inner')],
      ...[at('e', 40, 'load', async), at('b', 20, 'load', async), at('E', 80), at('B', 60, 'again')],
    ];
    await readEvents(events, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['outer', 0, 8000],
        ['inner', 2000, 4000],
        ['load', 19_000, 39_000],
        ['again', 59_000, 79_000],
      ]);
      expect(trace.info.notices).toHaveLength(1);
    });
  });

  test('async ranges pair by id and category, and overlap', async () => {
    const at = (ph: string, ts: number, id: unknown, more: object = {}): object => ({
      ...{ ph, ts, id, cat: 'net', name: `load ${String(id)}`, pid: 9, tid: 1 },
      ...more,
    });
    const events = [
      ...[at('b', 0, '0x1'), at('b', 2, '0x2'), at('n', 3, '0x1', { name: 'answer' }), at('e', 5, '0x1')],
      // The same id in another category, and an end nobody waits for.
      ...[at('b', 6, '0x2', { cat: 'disk', name: 'disk' }), at('e', 8, '0x2'), at('e', 9, '0x3')],
      ...[at('e', 10, '0x2', { cat: 'disk' }), at('b', 11, 7), at('S', 12, 8, { name: 'old' }), at('F', 14, 8)],
      // Local to each of two processes.
      at('b', 20, undefined, { id2: { local: '0x9' }, name: 'local 9' }),
      at('b', 21, undefined, { id2: { local: '0x9' }, name: 'local 10', pid: 10 }),
      at('e', 23, undefined, { id2: { local: '0x9' }, pid: 10 }),
      at('e', 24, undefined, { id2: { local: '0x9' } }),
    ];
    await readEvents(events, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['load 0x1', 0, 5000],
        ['load 0x2', 2000, 8000],
        ['answer', 3000, null],
        ['disk', 6000, 10_000],
        ['load 7', 11_000, 24_000],
        ['old', 12_000, 14_000],
        ['local 9', 20_000, 24_000],
        ['local 10', 21_000, 23_000],
      ]);
      expect(noticeOf(trace, 'ends of ranges')).toBe('1 ends of ranges were left out: nothing was begun.');
      expect(noticeOf(trace, 'no end')).toMatch(/^1 ranges have no end/);
      const rows = trace.info.tracks.filter(({ kind }) => kind === 'thread').map(({ title }) => title);
      expect(rows).toEqual(expect.arrayContaining(['async net', 'async disk']));
    });
  });

  test('marks, counters, samples, objects, dumps: shown, or counted by what they are', async () => {
    const at = (ph: string, name = 'x'): object => ({ ph, name, ts: 1, pid: 1, tid: 1 });
    const events = ['i', 'I', 'R', 'C', 'C', 'P', 'O', 'N', 'D', 'v', 'c', '?', 't'].map((ph) => at(ph, `on ${ph}`));
    await readEvents([...events, { name: 'without' }, { ph: 5 }, { ph: null }, {}], (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['on I', 0, null],
        ['on R', 0, null],
        ['on i', 0, null],
      ]);
      expect(trace.info.notices.at(-1)).toBe(
        'Not shown: counter values of on C (2), samples (1), snapshots of objects (1), objects (2), memory dumps (1), ' +
          'clock synchronizations (1), events of phase ? (1), events without a phase (3).',
      );
    });
  });

  test('duplicates stay', async () => {
    await readEvents([range('twice', 0, 5), range('twice', 0, 5)], (trace) => {
      expect(trace.info.eventCount).toBe(2);
      expect(trace.info.tracks.find(({ kind }) => kind === 'thread')!.lanes).toBe(2);
    });
  });
});

describe('processes, threads, ids', () => {
  test('ids that are texts, empty, huge or missing: a row each, with their own names', async () => {
    const events = [
      range('text', 0, 1, { pid: 'Spans', tid: 'PyTorch Profiler' }),
      range('empty', 1, 1, { pid: '', tid: '' }),
      range('wide', 2, 1, { pid: 2 ** 40, tid: -19360192 }),
      range('number', 3, 1, { pid: 12, tid: 34 }),
      range('the same as text', 4, 1, { pid: '12', tid: '34' }),
      { ph: 'X', name: 'nobody', ts: 5, dur: 1 },
    ];
    await readEvents(events, (trace) => {
      const { tracks } = trace.info;
      const rows = tracks
        .filter(({ kind }) => kind === 'thread')
        .map(({ title, parent, eventCount }) => [tracks[parent!]!.title, title, eventCount])
        .sort();
      expect(rows).toEqual([
        ['1099511627776', '-19360192', 1],
        ['Process', 'Thread 34', 2],
        ['Spans', 'PyTorch Profiler', 1],
        ['without a name', 'without a name', 2],
      ]);
    });
  });

  test('ids beyond 2^53 that are one number to a double are two processes', async () => {
    const text = `[{"ph": "X", "name": "a", "pid": 9007199254740992, "tid": 1, "ts": 1, "dur": 1},
      {"ph": "X", "name": "b", "pid": 9007199254740993, "tid": 18446744073709551615, "ts": 1, "dur": 1}]`;
    await read(text, (trace) => {
      const titles = trace.info.tracks.map(({ title }) => title);
      const wide = ['9007199254740992', '9007199254740993', '18446744073709551615'];
      expect(titles).toEqual(expect.arrayContaining(wide));
    });
  });

  test('correlation ids beyond 32 and 53 bits join what they name', async () => {
    const events = [4294967295, 4294967296, 9007199254740992, 9007199254740993n, 18446744073709551615n].flatMap(
      (id, index) => [
        `{"ph": "X", "cat": "cuda_runtime", "name": "launch ${index}", "pid": 1, "tid": 1, "ts": ${10 * index}, "dur": 1, "args": {"correlation": ${id}}}`,
        `{"ph": "X", "cat": "kernel", "name": "k${index}", "pid": 0, "tid": 7, "ts": ${10 * index + 5}, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": "${id}"}}`,
      ],
    );
    await read(`[${events.join(',\n')}]`, (trace) => {
      for (let row = 1; row <= 5; row++) {
        const { correlated } = trace.event({ kind: 'kernel', row });
        expect(correlated.map(({ title }) => title)).toEqual([`launch ${row - 1}`]);
      }
      expect(noticeOf(trace, 'correlation ids')).toBe(
        '5 correlation ids do not fit 32 bits: they have got other numbers.',
      );
    });
  });

  test('names of processes and threads come before or after their events', async () => {
    const events = [
      { ph: 'M', name: 'process_name', pid: 5, tid: 0, args: { name: '/opt/bin/trainer' } },
      range('work', 0, 1, { pid: 5, tid: 6 }),
      range('more', 0, 1, { pid: 5, tid: 7 }),
      { ph: 'M', name: 'thread_name', pid: 5, tid: 7, args: { labels: 'x', name: 'loader "2"\u0001' } },
      { ph: 'M', name: 'thread_name', pid: 5, tid: 8, args: { name: 'never seen' } },
      { ph: 'M', name: 'process_name', pid: 6, tid: 0, args: 'not an object' },
    ];
    await readEvents(events, (trace) => {
      expect(trace.info.tracks.map(({ title }) => title)).toEqual(
        ['trainer', 'Thread 6', 'loader "2"\u0001', 'x'].slice(0, 3),
      );
      expect(trace.info.program).toBe('trainer');
    });
  });

  test('a name in Unicode, with escapes and surrogates', async () => {
    const text = `[{"ph":"X","name":"caf\\u00e9 \\ud83d\\ude00 \\"q\\" \\\\ \\/ \\q tab\\t","pid":1,"tid":1,"ts":1,"dur":1},
      {"ph":"X","name":"größer 😀","pid":1,"tid":1,"ts":2,"dur":1},{"ph":"X","name":"half \\ud83d","pid":1,"tid":1,"ts":3,"dur":1}]`;
    await read(text, (trace) => {
      const names = rangesIn(trace).map(([name]) => name);
      expect(names).toEqual(['café 😀 "q" \\ / q tab\t', 'größer 😀', 'half \ufffd']);
    });
  });
});

describe('GPU work', () => {
  test('kernels without a call, calls without a kernel', async () => {
    const events = [
      call('cudaLaunchKernel', 0, 1, 1),
      call('cudaLaunchKernel', 2, 1, 2),
      kernel('k', 5, 1, { correlation: 1 }),
    ];
    await readEvents([...events, kernel('alone', 7, 1, { correlation: 99 }), kernel('without', 9, 1)], (trace) => {
      expect(trace.event({ kind: 'kernel', row: 1 }).correlated.map(({ title }) => title)).toEqual([
        'cudaLaunchKernel',
      ]);
      expect(trace.event({ kind: 'kernel', row: 2 }).correlated).toEqual([]);
      expect(trace.event({ kind: 'kernel', row: 3 }).correlated).toEqual([]);
      expect(trace.info.notices).toContain('2 kernels have no API call in this recording.');
    });
  });

  test('arrows join calls and kernels where there are no correlation ids, and dangle without harm', async () => {
    const arrow = (ph: string, id: unknown, ts: number, more: object = {}): object => ({
      ...{ ph, id, ts, cat: 'async_cpu_to_gpu', name: 'async_cpu_to_gpu', pid: 100, tid: 101 },
      ...more,
    });
    const gpu = { pid: 0, tid: 7, bp: 'e' };
    const events = [
      ...[call('cudaLaunchKernel', 0, 2), kernel('a', 10, 5), arrow('s', 4, 0), arrow('f', 4, 10, gpu)],
      ...[call('cudaLaunchKernel', 3, 2), kernel('b', 20, 5), arrow('s', 5, 4), arrow('f', 5, 20, gpu)],
      ...[kernel('c', 30, 5), arrow('f', 6, 30, gpu), arrow('s', 7, 60), arrow('f', 8, 70, gpu)],
      { ph: 's', id: 1, ts: 1, cat: 'fwdbwd', name: 'fwdbwd', pid: 100, tid: 101 },
    ];
    await readEvents(events, (trace) => {
      const callsOf = (row: number): unknown[] => trace.event({ kind: 'kernel', row }).correlated.map(({ ref }) => ref);
      expect(callsOf(1)).toEqual([{ kind: 'api', row: 1 }]);
      expect(callsOf(2)).toEqual([{ kind: 'api', row: 2 }]);
      expect(callsOf(3)).toEqual([]);
      expect(noticeOf(trace, 'Not shown')).toBe('Not shown: arrows fwdbwd (1).');
    });
  });

  test('the correlation argument is believed, not the arrows', async () => {
    const wrong = { cat: 'ac2g', name: 'ac2g', id: 2 };
    const events = [
      ...[call('first', 0, 2, 1), call('second', 3, 2, 2), kernel('k', 10, 5, { correlation: 1 })],
      { ph: 's', ts: 3, pid: 100, tid: 101, ...wrong },
      { ph: 'f', ts: 10, pid: 0, tid: 7, ...wrong },
    ];
    await readEvents(events, (trace) => {
      expect(trace.event({ kind: 'kernel', row: 1 }).correlated.map(({ title }) => title)).toEqual(['first']);
    });
  });

  test('waits of no stream, of a stream, and of an event', async () => {
    const wait = (name: string, ts: number, args: object): object => ({
      ...{ ph: 'X', cat: 'cuda_sync', name, pid: 0, tid: -1, ts, dur: 4 },
      args: { cuda_sync_kind: name, wait_on_stream: -1, wait_on_cuda_event_id: -1, device: 0, context: 1, ...args },
    });
    const events = [
      call('cudaDeviceSynchronize', 0, 9, 1),
      wait('Context Sync', 0, { stream: -1, correlation: 1 }),
      wait('Stream Wait Event', 10, { stream: 20, wait_on_cuda_event_id: 9, correlation: 2 }),
      wait('Event Sync', 20, { stream: -1, wait_on_cuda_event_id: 3, correlation: 3 }),
      wait('Stream Sync', 30, { stream: 7, correlation: 4 }),
      wait('Something new', 40, { stream: 7 }),
      { ph: 'X', cat: 'cuda_event', name: 'cudaEventRecord', pid: 0, tid: 7, ts: 50, dur: 0, args: { event_id: 4 } },
    ];
    await readEvents(events, (trace) => {
      const rows = trace.query('SELECT syncType, streamId, eventId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION');
      const none = 4294967295;
      expect(rows).toEqual([
        [4, none, none],
        [2, 20, 9],
        [1, none, 3],
        [3, 7, none],
        [0, 7, none],
      ]);
      const tracks = trace.info.tracks.filter(({ eventCount }) => eventCount > 0).map(({ title }) => title);
      expect(tracks).toEqual(['CUDA API', 'Synchronization', 'Stream 20 (sync)']);
      expect(noticeOf(trace, 'Not shown')).toBe('Not shown: cuda_event (1).');
    });
  });

  test('graph ids: nodes of one launch, beside other work', async () => {
    const node = (ts: number, id: unknown): object =>
      kernel('node', ts, 2, { correlation: 5, 'graph id': 3, 'graph node id': id });
    const events = [
      ...[call('cudaGraphLaunch', 0, 2, 5), node(10, 12884901889), node(20, 12884901890)],
      { ...kernel('', 30, 4), cat: 'gpu_memcpy', name: 'Memcpy DtoD (Device -> Device)' },
    ];
    await readEvents(events, (trace) => {
      expect(trace.query('SELECT graphId, graphNodeId FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([
        [3, 12884901889],
        [3, 12884901890],
      ]);
      for (const row of [1, 2]) {
        const { correlated } = trace.event({ kind: 'kernel', row });
        expect(correlated.map(({ title }) => title)).toContain('cudaGraphLaunch');
      }
      expect(trace.query('SELECT copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY')).toEqual([[8, 2, 2]]);
    });
  });

  test('streams that are texts, addresses, or beyond 32 bits; device and stream by the row', async () => {
    const events = [
      kernel('a', 0, 1, { stream: 'stream 13' }),
      kernel('b', 2, 1, { stream: 'main' }),
      kernel('c', 4, 1, { stream: 94_283_746_123_456 }),
      { ph: 'X', cat: 'kernel', name: 'd', pid: 2, tid: 9, ts: 6, dur: 1, args: { grid: [1, 1, 1] } },
    ];
    await readEvents(events, (trace) => {
      const rows = trace.query('SELECT deviceId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL');
      expect(rows).toEqual([
        [0, 13],
        [0, 4294967296],
        [0, 94_283_746_123_456],
        [2, 9],
      ]);
      expect(noticeOf(trace, 'Streams')).toBe('Streams that are not numbered have got numbers: main is 4294967296.');
    });
  });

  test('categories of old versions, and others that only look like them', async () => {
    const plain = { pid: 1, tid: 1, ph: 'X', dur: 1 };
    const events = [
      { ...kernel('old', 0, 1), cat: 'Kernel' },
      { ...kernel('Memcpy HtoD (Pinned -> Device)', 2, 1, { bytes: 64 }), cat: 'Memcpy' },
      { ...call('cudaLaunchKernel', 4, 1, 3), cat: 'Runtime' },
      { ...plain, ts: 6, cat: 'kernel', name: 'page fault' },
      { ...plain, ts: 8, cat: 'Runtime', name: 'gc' },
      { ...plain, ts: 10, cat: 'graph', name: 'optimize' },
      { ...plain, ts: 12, cat: 'gpu_user_annotation', name: 'step', pid: 0, tid: 7 },
    ];
    await readEvents(events, (trace) => {
      expect(rangesIn(trace).map(([name]) => name)).toEqual(['page fault', 'gc', 'optimize', 'step']);
      const count = (kind: string): number =>
        Number(trace.query(`SELECT count(*) FROM CUPTI_ACTIVITY_KIND_${kind}`)[0]![0]);
      expect(['KERNEL', 'MEMCPY', 'RUNTIME'].map(count)).toEqual([1, 1, 1]);
      expect(trace.query('SELECT bytes, copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY')).toEqual([
        [64, 1, 1, 2],
      ]);
      const { tracks } = trace.info;
      const step = tracks.find(({ title }) => title === 'Annotations, stream 7')!;
      expect(tracks[step.parent!]!.kind).toBe('gpu');
    });
  });

  test('several ranks in one file: kernels go with the process that launched them', async () => {
    const events = [1, 2].flatMap((rank) => [
      { ...call('cudaLaunchKernel', 10 * rank, 1, 100), pid: 1000 + rank, tid: 1 },
      { ...kernel(`of ${rank}`, 10 * rank + 5, 1, { correlation: 100 + rank, device: rank }), pid: rank },
      { ...call('cudaLaunchKernel', 10 * rank + 2, 1, 100 + rank), pid: 1000 + rank, tid: 1 },
    ]);
    await readEvents(events, (trace) => {
      const rows = trace.query('SELECT deviceId, globalPid >> 24 & 0xffffff FROM CUPTI_ACTIVITY_KIND_KERNEL');
      expect(rows).toEqual([
        [1, 1001],
        [2, 1002],
      ]);
    });
  });

  describe('processes that share a GPU', () => {
    const of = (pid: number, ts: number, correlation: number, name = 'cudaLaunchKernel'): object => ({
      ...call(name, ts, 2, correlation),
      ...{ pid, tid: pid },
    });
    const owners = `SELECT s.value, k.globalPid >> 24 & 0xffffff FROM CUPTI_ACTIVITY_KIND_KERNEL k
      JOIN StringIds s ON s.id = k.shortName ORDER BY k.start`;

    test('with the same ids: each kernel goes with the call that was last before it', async () => {
      const events = [
        ...[of(100, 100, 5), of(200, 200, 5), of(200, 300, 6)],
        ...[kernel('k100', 110, 2, { correlation: 5 }), kernel('k200', 210, 2, { correlation: 5 })],
        ...[kernel('again', 310, 2, { correlation: 6 }), kernel('early', 50, 2, { correlation: 5 })],
        kernel('nobody', 400, 2, { correlation: 7 }),
        {
          ph: 'X',
          cat: 'gpu_memset',
          name: 'Memset (Device)',
          pid: 0,
          tid: 7,
          ts: 320,
          dur: 1,
          args: { device: 0, context: 1, correlation: 6 },
        },
      ];
      await readEvents(events, (trace) => {
        expect(trace.query(owners)).toEqual([
          ['early', null],
          ...[
            ['k100', 100],
            ['k200', 200],
          ],
          ...[
            ['again', 200],
            ['nobody', null],
          ],
        ]);
        expect(trace.query('SELECT globalPid >> 24 & 0xffffff FROM CUPTI_ACTIVITY_KIND_MEMSET')).toEqual([[200]]);
        const calls = [1, 2].map((row) => {
          const [first] = trace.event({ kind: 'kernel', row }).correlated;
          return trace.query(
            'SELECT globalTid & 0xffffff FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid = ?',
            first!.ref.row,
          );
        });
        expect(calls).toEqual([[[100]], [[200]]]);
        expect(noticeOf(trace, 'share')).toBe(
          '2 events of a GPU that processes share have no call before them: whose they are is unknown.',
        );
        const streams = trace.info.tracks.filter(({ kind }) => kind === 'stream').map(({ title }) => title);
        expect(streams).toEqual([
          ...['Default stream 7, process unknown', 'Default stream 7, process 100', 'Default stream 7, process 200'],
        ]);
      });
    });

    test('with ids of their own', async () => {
      const events = [1, 2, 3, 4].flatMap((id) => [
        of(id % 2 ? 100 : 200, 100 * id, id),
        kernel(`k${id}`, 100 * id + 10, 2, { correlation: id }),
      ]);
      await readEvents(events, (trace) =>
        expect(trace.query(owners)).toEqual([
          ...[
            ['k1', 100],
            ['k2', 200],
          ],
          ...[
            ['k3', 100],
            ['k4', 200],
          ],
        ]),
      );
    });

    test('nodes of a graph have one call, and do not make it shared', async () => {
      const events = [
        ...[of(100, 100, 5, 'cudaGraphLaunch'), of(200, 115, 5)],
        ...[110, 120, 130].map((ts) => kernel(`at ${ts}`, ts, 2, { correlation: 5 })),
      ];
      await readEvents(events, (trace) =>
        expect(trace.query(owners).map(([, process]) => process)).toEqual([100, 100, 100]),
      );
    });
  });

  test('a process that is a GPU and launches on another one', async () => {
    const launch = (pid: number, ts: number, correlation: number): object => ({
      ...call('cudaLaunchKernel', ts, 1, correlation),
      ...{ pid, tid: pid },
    });
    const events = [
      ...[launch(1, 0, 11), { ...kernel('on 0', 5, 1, { device: 0, correlation: 11 }), pid: 0 }],
      ...[launch(2, 10, 12), { ...kernel('on 1', 15, 1, { device: 1, correlation: 12 }), pid: 1 }],
    ];
    await readEvents(events, (trace) => {
      const rows = trace.query('SELECT deviceId, globalPid >> 24 & 0xffffff FROM CUPTI_ACTIVITY_KIND_KERNEL');
      expect(rows).toEqual([
        [0, 1],
        [1, 2],
      ]);
    });
  });

  test('in a container the host has the number of a GPU', async () => {
    const events = [
      ...[range('op', 0, 9, { pid: 1, tid: 1 }), { ...call('cudaLaunchKernel', 1, 1, 5), pid: 1, tid: 1 }],
      { ...kernel('k', 5, 1, { device: 1, correlation: 5 }), pid: 1 },
    ];
    await readEvents(events, (trace) => {
      const shown = trace.info.tracks
        .filter(({ eventCount }) => eventCount > 0)
        .map(({ kind, title }) => [kind, title]);
      expect(shown).toEqual([
        ['thread', 'Thread 1'],
        ['thread', 'CUDA API'],
        ['kernels', 'Kernels'],
        ['stream', 'Default stream 7'],
      ]);
      expect(trace.event({ kind: 'kernel', row: 1 }).correlated.map(({ title }) => title)).toEqual([
        'cudaLaunchKernel',
      ]);
    });
  });
});
