/** Chrome traces that are damaged, cut short, built to harm, or none: what is whole opens and says what is missing, all else is named. */
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32, createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { TraceInfo } from '../../../engine/model/timeline.ts';
import { openRecording } from '../../../engine/formats/open.ts';
import { TraceEventReader, NotATrace } from '../../../engine/formats/chrome/reader.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { chromeFiles, kernel, noticeOf, opened, range, rangesIn } from './chrome-file.ts';

const folder = temporaryFolder();
const { written, read } = chromeFiles(folder);
const names = (trace: Trace): unknown[] => rangesIn(trace).map(([name]) => name);
const infoOf = (path: string): Promise<TraceInfo> => opened(path, ({ info }) => info);
const json = (value: unknown): string => JSON.stringify(value);
const sample = new URL('../../samples/kineto-sync.json.gz', import.meta.url).pathname;

async function refused(path: string): Promise<{ code: string; message: string; remedy: string; place: unknown }> {
  const error: unknown = await openRecording(path, { here: true }).then(
    (trace) => trace.close(),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ place: { file: path } });
  const { code, message, remedy, place } = error as { code: string; message: string; remedy: string; place: unknown };
  expect(message).toContain(basename(path));
  expect(remedy).not.toBe('');
  return { code, message: message.replace(path, 'FILE'), remedy, place };
}

describe('forms', () => {
  const events = [range('a', 0, 5), range('b', 10, 5)];
  const list = json(events);

  test.each([
    ['an object', `{"traceEvents": ${list}}`],
    ['a list', list],
    ['a list without its end', list.slice(0, -1)],
    ['a list that ends with a comma', `${list.slice(0, -1)},\n`],
    ['a list that ends with a comma and a bracket', `${list.slice(0, -1)},]`],
    ['a list that ends with {}', `${list.slice(0, -1)},{}]`],
    ['with a byte order mark', `\ufeff{"traceEvents": ${list}}`],
    ['with white space around', ` \n\t\r\n{ "traceEvents"\n:\t${list} , "x" : 1 } \n`],
    ['events after other keys', `{"a": {"traceEvents": [1]}, "b": [[]], "c": "]}", "d": null, "traceEvents": ${list}}`],
    ['events before other keys', `{"traceEvents": ${list}, "a": {"b": []}, "c": 1.5e3}`],
    ['with stray commas', `{,"traceEvents": [,${list.slice(1, -1)},,],,"a": 1,}`],
    ['one event a line', `{"traceEvents": [\n${events.map(json).join(',\n')}\n]}`],
    ['pretty', JSON.stringify({ traceEvents: events }, null, 2)],
    ['keys in another order', json(events.map((event) => Object.fromEntries(Object.entries(event).reverse())))],
    ['events in two lists', `{"traceEvents": [${json(events[0])}], "traceEvents": [${json(events[1])}]}`],
  ])('%s', async (_, text) => {
    await read(text, (trace) => {
      expect(rangesIn(trace)).toEqual([
        ['a', 0, 5000],
        ['b', 10_000, 15_000],
      ]);
      expect(trace.info.complete).toBe(true);
      expect(trace.info.notices).toEqual(['Recorded with a program that does not say its name, as Chrome JSON.']);
    });
  });

  test('the extension says nothing', async () => {
    const text = json({ traceEvents: events });
    for (const name of ['trace.sqlite', 'trace', 'trace.gz', 'trace.json.txt', 'trace.simsight']) {
      expect((await infoOf(written(text, name))).eventCount).toBe(2);
      expect((await infoOf(written(gzipSync(text), name))).eventCount).toBe(2);
    }
  });

  test('gzip in members, with a name, and with something behind it', async () => {
    const text = json({ traceEvents: events });
    const members = Buffer.concat([gzipSync(text.slice(0, 70)), gzipSync(text.slice(70))]);
    const whole = gzipSync(text);
    const named = Buffer.concat([whole.subarray(0, 3), Buffer.from([8]), whole.subarray(4, 10)]);
    const long = Buffer.concat([named, Buffer.from(`${'n'.repeat(1000)}\0`), whole.subarray(10)]);
    for (const bytes of [members, long, Buffer.concat([whole, Buffer.alloc(100)])]) {
      const info = await infoOf(written(bytes));
      expect([info.eventCount, info.complete]).toEqual([2, true]);
    }
  });

  test('no events is a trace, too', async () => {
    await read('{"traceEvents": [], "schemaVersion": 1}', ({ info }) => {
      expect([info.eventCount, info.durationNs]).toEqual([0, 0]);
      expect(info.notices).toEqual(["Recorded with PyTorch's profiler (Kineto, schema 1)."]);
    });
  });

  test('what Simsight, VizTracer and Chrome write beside the events', async () => {
    const origin = (beside: object): Promise<string> =>
      read(json({ ...beside, traceEvents: events }), ({ info }) => info.notices[0]!);
    expect(await origin({ viztracer_metadata: { version: '1.0.1' } })).toBe('Recorded with VizTracer 1.0.1.');
    expect(await origin({ metadata: { 'product-version': 'Chrome/150.0' } })).toBe('Recorded with Chrome/150.0.');
    expect(await origin({ metadata: 'x', deviceProperties: 'none', distributedInfo: [1] })).toBe(
      "Recorded with PyTorch's profiler (Kineto, schema unknown).",
    );
  });
});

describe('no trace', () => {
  const all: [string, string | Buffer, string][] = [
    ['an object without events', '{"name": "x", "version": 1}', 'it has no list "traceEvents" (byte 27)'],
    ['events that are no list', '{"traceEvents": {"a": 1}}', 'it has no list "traceEvents"'],
    ['an empty list', '[]', 'there is no event in it'],
    ['a list of numbers', '[1, 2, [3]]', 'there is no event in it'],
    ['a list of other objects', '[{"a": 1}, {"b": 2}]', 'there is no event in it'],
    ['an open brace', '{', 'it has no list "traceEvents"'],
    ['something that starts like JSON', '{not at all', 'it has no list "traceEvents"'],
    ['a notebook', '{"cells": [{"source": ["traceEvents"]}], "nbformat": 4}', 'it has no list "traceEvents"'],
  ];
  test.each(all)('%s', async (_, text, message) => {
    for (const content of [text, gzipSync(text)]) {
      const error = await refused(written(content));
      expect(error.code).toBe('trace-foreign');
      expect(error.message).toContain(`FILE is no trace in Chrome's JSON format: ${message}`);
      expect(error.remedy).toMatch(/torch\.profiler/);
    }
  });

  test('text, UTF-16, nothing, a folder, no file', async () => {
    expect((await refused(written('hello'))).code).toBe('trace-not-sqlite');
    expect((await refused(written(''))).code).toBe('trace-not-sqlite');
    expect((await refused(written(gzipSync('')))).code).toBe('trace-foreign');
    expect((await refused(written(gzipSync('hello')))).message).toBe(
      "FILE is compressed with gzip, and what is in it is no trace in Chrome's JSON format.",
    );
    for (const encoding of ['utf16le', 'utf16be'] as const) {
      const bytes = Buffer.from(`\ufeff${json([range('a', 0, 1)])}`, 'utf16le');
      const error = await refused(written(encoding === 'utf16le' ? bytes : bytes.swap16()));
      expect(error.code).toBe('trace-foreign');
      expect(error.message).toContain('UTF-16');
      expect(error.remedy).toContain('UTF-8');
    }
    mkdirSync(join(folder, 'a folder.json'));
    expect((await refused(join(folder, 'a folder.json'))).code).toBe('file-is-directory');
    expect((await refused(join(folder, 'none.json'))).code).toBe('file-not-found');
  });
});

describe('damaged JSON', () => {
  const good = (name: string, ts: number): string => json(range(name, ts, 1));
  const between = (bad: string): string =>
    `{"schemaVersion": 1, "traceEvents": [${good('before', 0)},${bad},${good('after', 10)},${good('last', 20)}], "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl"}}`;

  test.each([
    ['a quote that is not escaped', '{"ph":"X","name":"a "quoted" name","pid":1,"tid":1,"ts":1,"dur":1}'],
    ['a quote at the end', '{"ph":"X","name":"a"","pid":1,"tid":1,"ts":1,"dur":1}'],
    ['a key without a value', '{"ph":"X","name":,"pid":1}'],
    ['a value without a key', '{"ph":"X","a"}'],
    ['no quotes', '{ph:"X"}'],
    ['single quotes', "{'ph':'X'}"],
    ['a number with letters', '{"ph":"X","ts":12ab3,"dur":1,"pid" 4}'],
    ['a bracket too many', '{"ph":"X","args":{"grid":[1,2]]}}'],
    ['a bracket too few', '{"ph":"X","args":{"grid":[1,2}}'],
    ['words', 'oops'],
    ['a number', '42'],
    ['a text', '"oops"'],
    ['a list', '[{"a":1}]'],
    ['bytes that are no text', '\u0001\u0002\u0000\u0003'],
    ['two events without a comma, the first broken', '{"ph":"X" 1} {"ph":"X" "b"}'],
  ])('%s: that event is left out, and said where', async (_, bad) => {
    const text = between(bad);
    await read(text, (trace) => {
      expect(names(trace)).toEqual(expect.arrayContaining(['before', 'after', 'last']));
      const [, count, at] = /^(\d) parts of the file are no JSON and were left out, the first at byte (\d+)\.$/.exec(
        noticeOf(trace, 'no JSON'),
      )!;
      expect(Number(count)).toBeLessThan(3);
      expect(text.indexOf(bad)).toBe(Number(at));
      // Fields after the events are read as well.
      expect(noticeOf(trace, 'Rank')).toContain('Rank 3 of 8 (nccl).');
    });
  });

  test.each([
    [
      'control characters within a text',
      '{"ph":"X","name":"a\nb\tc\u0001","pid":1,"tid":1,"ts":1,"dur":1}',
      'a\nb\tc\u0001',
    ],
    ['a backslash without meaning', '{"ph":"X","name":"C:\\dir\\x","pid":1,"tid":1,"ts":1,"dur":1}', 'C:dirx'],
    [
      'NaN and Infinity in arguments',
      '{"ph":"X","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":{"x":NaN,"y":[-Infinity,Infinity]}}',
      'n',
    ],
    ['keys twice', '{"ph":"X","name":"first","name":"second","pid":1,"tid":1,"ts":1,"dur":1}', 'second'],
  ])('%s: let pass', async (_, odd, name) => {
    await read(between(odd), (trace) => {
      expect(names(trace)).toEqual(['before', name, 'after', 'last']);
      expect(noticeOf(trace, 'no JSON')).toBe('');
    });
  });

  test('bytes that are not UTF-8 become marks, in this name alone', async () => {
    const bytes = Buffer.from(between('{"ph":"X","name":"a~~b","pid":1,"tid":1,"ts":1,"dur":1}'));
    bytes.fill(0xff, bytes.indexOf('~~'), bytes.indexOf('~~') + 2);
    await read(bytes, (trace) => expect(names(trace)).toEqual(['before', 'a\ufffd\ufffdb', 'after', 'last']));
  });

  test('values beside the events that are no JSON: the events are found', async () => {
    for (const bad of ['"a": tr"ue', '"a": }', '"a" 5', '"a": {"b": [}', 'a: 1', '"a": "x" "y"']) {
      await read(`{"schemaVersion": 1, ${bad}, "traceEvents": [${good('found', 0)}]}`, (trace) => {
        expect(names(trace)).toEqual(['found']);
        expect(noticeOf(trace, 'no JSON')).toMatch(/^1 parts of the file are no JSON/);
      });
    }
  });

  test('cut short anywhere: what was whole is there, and the end is said', async () => {
    const text = json({ schemaVersion: 1, traceEvents: [range('a', 0, 1), range('b', 5, 1)], traceName: 'x' });
    const [first, second] = [text.indexOf('},{') + 1, text.indexOf('}],') + 1];
    for (let length = text.indexOf('[') + 1; length < text.length; length += 3) {
      await read(
        text.slice(0, length),
        (trace) => {
          expect(names(trace)).toEqual(['a', 'b'].slice(0, Number(length >= first) + Number(length >= second)));
          expect(trace.info.notices.at(-1)).toBe(`The file was cut short: it ends at byte ${length}, within its JSON.`);
          expect(trace.info.complete).toBe(false);
        },
        'cut.json',
      );
    }
  });

  test('a real trace with random damage: an error that names it, or a trace', async () => {
    const whole = gunzipSync(readFileSync(sample));
    let state = 7;
    const next = (below: number): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;
    let events = 0;
    for (let turn = 0; turn < 60; turn++) {
      const bad = Buffer.from(turn % 5 === 0 ? whole.subarray(0, next(whole.length)) : whole);
      for (let i = 0; i < 1 + (turn % 20) && bad.length > 0; i++) bad[next(bad.length)] = next(256);
      const path = written(turn % 2 ? bad : gzipSync(bad), 'random.json');
      try {
        const { eventCount, durationNs } = await infoOf(path);
        expect(Number.isSafeInteger(durationNs)).toBe(true);
        events += eventCount;
      } catch (error) {
        expect(String((error as Error).message)).toContain('random.json');
      }
    }
    // 59 each when nothing is wrong.
    expect(events).toBeGreaterThan(60 * 30);
  });
});

describe('damaged gzip', () => {
  const whole = gunzipSync(readFileSync(sample));

  test('cut short: the events until then', async () => {
    const bytes = readFileSync(sample);
    const info = await infoOf(written(bytes.subarray(0, bytes.length / 2)));
    expect(info.eventCount).toBeGreaterThan(10);
    expect(info.notices).toContainEqual(
      expect.stringMatching(/^The file was cut short: it ends at byte \d+, within its JSON\.$/),
    );
    expect(info.complete).toBe(false);
    // Its checksum alone: nothing is missing.
    const trailer = await infoOf(written(bytes.subarray(0, bytes.length - 6)));
    expect([trailer.eventCount, trailer.complete]).toEqual([59, true]);
  });

  test('damaged in the middle: the events until then', async () => {
    const events = Array.from({ length: 30_000 }, (_, i) => range(`op ${(i * 7919) % 1000}`, i, 1));
    const bytes = gzipSync(json({ traceEvents: events }));
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 40);
    const info = await infoOf(written(bytes));
    expect(info.eventCount).toBeGreaterThan(10_000);
    expect(info.eventCount).toBeLessThan(20_000);
    expect(info.notices.at(-1)).toMatch(
      /^Reading ended early: its compressed data are damaged after \d\.\d MB of JSON\.$/,
    );
    expect(info.complete).toBe(false);
  });

  test('a wrong checksum: everything is there, and it is said', async () => {
    const bytes = gzipSync(whole);
    bytes.writeUInt32LE(crc32(whole) ^ 1, bytes.length - 8);
    const info = await infoOf(written(bytes));
    expect(info.eventCount).toBe(59);
    expect(info.notices).toContainEqual(expect.stringMatching(/^Reading ended early: its compressed data are damaged/));
  });

  test('damaged from the start', async () => {
    const bytes = gzipSync(whole);
    bytes.fill(0xff, 10, 60);
    const { code, message } = await refused(written(bytes));
    expect([code, message]).toEqual(['trace-foreign', 'FILE is compressed with gzip, and its data are damaged.']);
  });
});

describe('built to harm', () => {
  const pieces = (text: string, times: number, path: string): Promise<void> =>
    compressed([text.repeat(1000)], times / 1000, path);

  /** A file of gigabytes, in kilobytes. */
  async function compressed(texts: string[], times: number, path: string): Promise<void> {
    const gzip = createGzip();
    const parts: Buffer[] = [];
    gzip.on('data', (part: Buffer) => parts.push(part));
    const done = new Promise((resolve) => gzip.on('end', resolve));
    for (let i = 0; i < times; i++) {
      for (const text of texts) if (!gzip.write(text)) await new Promise((resolve) => gzip.once('drain', resolve));
    }
    gzip.end();
    await done;
    written(Buffer.concat(parts), path);
  }

  test('a gzip bomb ends after 256 MB, whatever is in it', async () => {
    const head = gzipSync(`{"traceEvents": [${json(range('a', 0, 1))},`);
    await pieces(' '.repeat(1024), 280_000, 'bomb.part');
    const bomb = readFileSync(join(folder, 'bomb.part'));
    expect(bomb.length).toBeLessThan(1e6);
    const info = await infoOf(written(Buffer.concat([head, bomb])));
    expect(info.eventCount).toBe(1);
    expect(info.notices.at(-1)).toMatch(
      /^Reading ended early: its 0\.\d MB become more than 2\d\d\.\d MB, which no recording does\.$/,
    );
    const { message } = await refused(written(Buffer.concat([gzipSync('{"a": "'), bomb])));
    expect(message).toMatch(/its 0\.\d MB become more than 2\d\d\.\d MB, which no recording does\.$/);
  });

  test('nested 100,000 deep, in arguments, beside the events, as an event; and deeper than can be', async () => {
    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const braces = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    const inArguments = `{"ph":"X","name":"deep","pid":1,"tid":1,"ts":1,"dur":1,"args":{"x":${deep(100_000)},"y":${braces}}}`;
    await read(
      `{"x": ${braces}, "traceEvents": [${inArguments}, ${json(range('b', 5, 1))}], "y": ${deep(100_000)}}`,
      (trace) => {
        expect(names(trace)).toEqual(['deep', 'b']);
        expect(trace.info.notices).toHaveLength(1);
      },
    );
    await read(`{"traceEvents": [${deep(100_000)}, ${json(range('b', 5, 1))}]}`, (trace) => {
      expect(names(trace)).toEqual(['b']);
      expect(noticeOf(trace, 'no JSON')).not.toBe('');
    });
    await read(`{"traceEvents": [${json(range('a', 0, 1))}], "x": ${deep(2_000_000)}}`, (trace) => {
      expect(names(trace)).toEqual(['a']);
      expect(noticeOf(trace, 'no JSON')).not.toBe('');
    });
    const open = await refused(written(`{"x": ${'['.repeat(3_000_000)}`));
    expect(open.code).toBe('trace-foreign');
  });

  test('texts of megabytes: names are cut, other values passed over, events of more than 16 MB left out', async () => {
    const long = 'x'.repeat(20 * 2 ** 20);
    const events = [
      range('n'.repeat(3 * 2 ** 20), 0, 1),
      range('args', 5, 1, { args: { stack: long.slice(0, 5 * 2 ** 20) } }),
      range('b', 10, 1, { args: { stack: long } }),
      range('c', 15, 1),
    ];
    await read(json({ text: long, traceEvents: events, traceName: long.slice(0, 2 ** 21) }), (trace) => {
      const found = names(trace) as string[];
      expect(found.map((name) => name.length)).toEqual([65537, 4, 1]);
      expect(found.slice(1)).toEqual(['args', 'c']);
      expect(noticeOf(trace, 'no JSON')).toMatch(/^1 parts/);
      expect(trace.info.title.length).toBeLessThan(100);
    });
  });

  test('a text that never ends', async () => {
    const text = `{"traceEvents": [${json(range('a', 0, 1))},{"ph":"X","name":"${'y'.repeat(40 * 2 ** 20)}`;
    await read(text, (trace) => {
      expect(names(trace)).toEqual(['a']);
      expect(trace.info.complete).toBe(false);
    });
  });

  test('a name, an id, a category, a stream and a counter for each event', async () => {
    const events = Array.from({ length: 70_000 }, (_, i) => ({
      ...range(`n${i}`, i, 1),
      tid: `t${i}`,
      pid: `p${i % 5000}`,
      cat: `c${i}`,
    }));
    const kernels = Array.from({ length: 5000 }, (_, i) => ({
      ...kernel(`k${i}`, i, 1, { stream: `s${i}`, device: i, correlation: `id ${i}` }),
      pid: i,
    }));
    const counters = Array.from({ length: 200 }, (_, i) => ({ ph: 'C', name: `counter ${i}`, ts: i, pid: 1 }));
    const odd = Array.from({ length: 200 }, (_, i) => ({ ph: String.fromCharCode(256 + i), ts: 1 }));
    await read(json([...events, ...kernels, ...counters, ...odd]), (trace) => {
      expect(trace.info.eventCount).toBe(75_000);
      for (const notice of trace.info.notices) expect(notice.length).toBeLessThan(5000);
    });
  });
});

describe('pieces', () => {
  const eventsOf = (bytes: Buffer, size: number): { seen: string[]; values: string[]; end: unknown } => {
    const seen: string[] = [];
    const values: string[] = [];
    const reader = new TraceEventReader({
      event: ({ bytes: all, kinds, starts, ends }) =>
        void seen.push(
          [...kinds].map((kind, i) => (kind ? `${i}:${all.toString('latin1', starts[i], ends[i])}` : '')).join('|'),
        ),
      value: (key, text) => void values.push(`${key}=${text}`),
    });
    try {
      for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
      return { seen, values, end: reader.finish() };
    } catch (error) {
      if (!(error instanceof NotATrace)) throw error;
      return { seen, values, end: `${error.message} ${error.offset}` };
    }
  };

  test('of any size give the same, damaged or not', () => {
    const whole = gunzipSync(readFileSync(sample)).subarray(0, 12_000);
    let state = 3;
    const next = (below: number): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below;
    for (let turn = 0; turn < 40; turn++) {
      const bytes = Buffer.from(whole.subarray(0, turn % 3 ? whole.length : next(whole.length)));
      for (let i = 0; i < turn % 8; i++) bytes[next(bytes.length)] = '{}[]",:\\x0 '.charCodeAt(next(11));
      const expected = eventsOf(bytes, bytes.length);
      for (const size of [1, 2, 3, 7, 64, 1000]) expect(eventsOf(bytes, size)).toEqual(expected);
    }
  });
});

test('the file is not written to, and nothing is left beside it', () => {
  for (const name of readdirSync(folder)) expect(name).not.toMatch(/-wal|-shm|simsight-/);
});
