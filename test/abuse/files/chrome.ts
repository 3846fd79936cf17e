/** Small files in Chrome's format that become large, deep, wide or endless when they are read. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { gzipSync, createGzip } from 'node:zlib';
import type { Random } from '../../fuzz/random.ts';
import { hostileText } from './texts.ts';

/** Writes a file at a path without ending; gives its name's ending. */
export type Make = (path: string, random: Random) => string | Promise<string>;

const kernelEvent = (i: number, more: Record<string, unknown>, args: Record<string, unknown>): string =>
  JSON.stringify({
    ...{ ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: i, dur: 1, ...more },
    args: { device: 0, context: 1, stream: 7, correlation: i + 1, ...args },
  });
const hostEvent = (i: number, more: Record<string, unknown>): string =>
  JSON.stringify({ ph: 'X', cat: 'cpu_op', name: 'op', pid: 1, tid: 1, ts: i, dur: 1, ...more });

function write(path: string, events: Iterable<string>): string {
  writeFileSync(`${path}.json`, `{"traceEvents":[\n${[...events].join(',\n')}\n]}`);
  return '.json';
}
const times = (count: number, each: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => each(i));
const many = (random: Random): number => random.pick([2000, 20_000, 100_000, 200_000]);

const oddTimes = [
  '1e308',
  '-1e308',
  '9223372036854775807',
  '-9223372036854775808',
  '1e999',
  'null',
  '"x"',
  '0.0000001',
];

export const chromeFiles: Record<string, Make> = {
  'a process for each event': (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { pid: i, name: 'p' })),
    ),
  'a thread for each event': (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { tid: i })),
    ),
  'a stream for each kernel': (path, random) =>
    write(
      path,
      times(many(random), (i) => kernelEvent(i, {}, { stream: i })),
    ),
  'a GPU for each kernel': (path, random) =>
    write(
      path,
      times(many(random), (i) => kernelEvent(i, { pid: i }, { device: i })),
    ),
  'a context for each kernel': (path, random) =>
    write(
      path,
      times(many(random), (i) => kernelEvent(i, {}, { context: i })),
    ),
  'a name for each event': (path, random) =>
    write(
      path,
      times(many(random), (i) => kernelEvent(i, { name: `k${i}<${i}>()` }, {})),
    ),
  'nested ranges': (path, random) => {
    const count = many(random);
    const name = random.pick(['range', 'x'.repeat(200)]);
    return write(
      path,
      times(count, (i) => hostEvent(i, { cat: 'user_annotation', name: `${name} ${i}`, dur: 2 * (count - i) + 1 })),
    );
  },
  'overlapping events of one row': (path, random) => {
    const count = many(random);
    return write(
      path,
      times(count, (i) => hostEvent(i, { dur: count })),
    );
  },
  'events that all start together': (path, random) =>
    write(
      path,
      times(many(random), (i) => kernelEvent(0, {}, { correlation: i })),
    ),
  'begins without ends': (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { ph: 'B' })),
    ),
  'ends without begins': (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { ph: 'E' })),
    ),
  'asynchronous events never ended': (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { ph: random.pick(['b', 'n', 'S']), id: random.pick([i, 1]) })),
    ),
  'arrows all to one': (path, random) => {
    const count = many(random);
    const arrows = times(count, (i) => hostEvent(i, { ph: 's', cat: 'ac2g', name: 'ac2g', id: 1 }));
    return write(path, [
      ...arrows,
      hostEvent(count, { ph: 'f', cat: 'ac2g', name: 'ac2g', id: 1, bp: 'e' }),
      kernelEvent(count, {}, {}),
    ]);
  },
  'calls all with one correlation': (path, random) =>
    write(
      path,
      times(many(random), (i) =>
        i % 2 === 0
          ? hostEvent(i, { cat: 'cuda_runtime', name: 'cudaLaunchKernel', args: { correlation: 1 } })
          : kernelEvent(i, {}, { correlation: 1 }),
      ),
    ),
  'deep JSON': (path, random) => {
    const depth = random.pick([10_000, 100_000, 3_000_000]);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['{"traceEvents":[', ']}'],
    ] as const);
    const nested = open.repeat(depth) + random.pick(['1', '']) + close.repeat(random.pick([depth, 0]));
    writeFileSync(
      `${path}.json`,
      random.pick([
        nested,
        `{"traceEvents":[{"ph":"X","name":"a","args":${nested}}]}`,
        `{"deviceProperties":${nested},"traceEvents":[${hostEvent(1, {})}]}`,
      ]),
    );
    return '.json';
  },
  'one long string': (path, random) => {
    const text = 'x'.repeat(random.pick([2 ** 20, 2 ** 24, 2 ** 27]));
    writeFileSync(
      `${path}.json`,
      random.pick([
        `{"traceEvents":[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"${text}"}]}`,
        `{"${text}":1,"traceEvents":[${hostEvent(1, {})}]}`,
        `["${text}"`,
      ]),
    );
    return '.json';
  },
  'long names': (path, random) => {
    const length = 2 ** random.pick([12, 16, 20]);
    const names = times(random.pick([3, 30]), () => hostileText(random, length));
    const each = (i: number): string =>
      i % 2 === 0
        ? kernelEvent(i, { name: random.pick(names) }, {})
        : hostEvent(i, { name: random.pick(names), cat: 'user_annotation' });
    return write(path, times(Math.min(2000, 2 ** 25 / length), each));
  },
  'copies with long names': (path, random) =>
    write(
      path,
      times(2000, (i) =>
        kernelEvent(
          i,
          { cat: random.pick(['gpu_memcpy', 'gpu_memset']), name: `Memcpy a (${hostileText(random, 20_000)}` },
          {},
        ),
      ),
    ),
  'odd times': (path, random) =>
    write(
      path,
      times(
        3000,
        (i) =>
          `{"ph":"${random.pick(['X', 'B', 'E', 'i', 'C'])}","cat":"${random.pick(['kernel', 'cpu_op', 'cuda_runtime'])}","name":"n","pid":1,"tid":1,"ts":${random.pick([...oddTimes, String(i)])},"dur":${random.pick([...oddTimes, '-5', '1'])},"args":{"stream":${random.pick(oddTimes)},"device":${random.pick(oddTimes)},"correlation":${random.pick(oddTimes)}}}`,
      ),
    ),
  'many arguments': (path, random) => {
    const args = Object.fromEntries(times(random.pick([10_000, 200_000]), (i) => `a${i}`).map((name) => [name, 1]));
    return write(path, [hostEvent(1, { args }), kernelEvent(2, {}, args)]);
  },
  'names of threads and processes': (path, random) =>
    write(
      path,
      times(many(random), (i) =>
        JSON.stringify({
          ph: 'M',
          name: random.pick(['process_name', 'thread_name', 'process_labels']),
          pid: i,
          tid: i,
          args: { name: `GPU ${i}`, labels: 'GPU 1' },
        }),
      ).concat(hostEvent(1, {})),
    ),
  counters: (path, random) =>
    write(
      path,
      times(many(random), (i) => hostEvent(i, { ph: 'C', name: `c${i}`, args: { value: i } })),
    ),
  'gzip that becomes a thousand times as much': async (path, random) => {
    const name = `${path}.json.gz`;
    const zip = createGzip({ level: 9 });
    const file = createWriteStream(name);
    zip.pipe(file);
    const event = random.pick([
      '{"ph":"X","name":"a","cat":"kernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"device":0,"stream":7}},',
      '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},',
      ' ',
      '[',
      '"',
    ]);
    const piece = event.repeat(Math.ceil(2 ** 22 / event.length));
    zip.write('{"traceEvents":[');
    for (let left = random.pick([20, 200, 600]); left > 0; left--) {
      if (!zip.write(piece)) await new Promise((go) => zip.once('drain', go));
    }
    zip.end(random.pick(['{}]}', '']));
    await finished(file);
    return '.json.gz';
  },
  'gzip of events that differ a little': (path, random) => {
    const block = gzipSync(times(10_000, (i) => kernelEvent(i, {}, {})).join(',\n') + ',\n', { level: 9 });
    const head = gzipSync('{"traceEvents":[\n');
    writeFileSync(
      `${path}.json.gz`,
      Buffer.concat([head, ...times(random.pick([1, 10, 50]), () => '').map(() => block), gzipSync('{}]}')]),
    );
    return '.json.gz';
  },
  'gzip in gzip': (path, random) => {
    let bytes = gzipSync(random.pick([Buffer.alloc(2 ** 26), Buffer.from(`{"traceEvents":[${hostEvent(1, {})}]}`)]));
    for (let depth = random.below(5); depth > 0; depth--) bytes = gzipSync(bytes);
    writeFileSync(`${path}.json.gz`, bytes);
    return '.json.gz';
  },
};
