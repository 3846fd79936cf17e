/** The engine's calls as a front end makes them: over a channel, checked against the contract. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grantsOf } from '../../../engine/api/allowed-paths.ts';
import { createHandlers, pathsAtStart, type HandlerOptions } from '../../../engine/api/handlers.ts';
import { createClient, type Channel, type Client } from '../../../engine/api/rpc.ts';
import { serve, type Handlers } from '../../../engine/api/server.ts';
import { gpuSummary } from '../../../engine/host/gpu-summary.ts';
import { gpus } from '../../../engine/gpus/index.ts';
import { labs } from '../../../engine/labs/index.ts';
import type { SweepProgress } from '../../../engine/model/sweep.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const home = temporaryFolder();
const granted = join(home, 'granted');
const outside = join(home, 'outside');
const dataFolder = join(home, 'data');
for (const folder of [granted, outside, dataFolder, join(granted, 'sub'), join(dataFolder, 'recordings')])
  mkdirSync(folder);
const trace = write(join(granted, 'trace.simsight'));
const secret = write(join(outside, 'secret.simsight'));
const named = write(join(outside, 'named.simsight'));
writeFileSync(join(granted, 'app.cu'), '');
writeFileSync(join(granted, 'notes.txt'), '');
symlinkSync(secret, join(granted, 'link.simsight'));
symlinkSync(outside, join(granted, 'elsewhere'));

const recorded: RecordCall[] = [];
function handlersWith(options: Partial<HandlerOptions> = {}): Handlers {
  return createHandlers({
    host: 'browser',
    version: '1.2.3',
    folders: [granted],
    dataFolder,
    labs,
    gpus: gpus.map(gpuSummary),
    open: [named],
    record: (call) => {
      recorded.push(call);
      return Promise.resolve({
        path: call.output ?? 'x',
        exitCode: 0,
        durationNs: 1,
        kernels: 0,
        launches: 1,
        repeated: 0,
        timedOnly: 0,
      });
    },
    ...options,
  });
}

function connect(options: Partial<HandlerOptions> = {}): Client {
  return connectTo(handlersWith(options)).client;
}

function connectTo(handlers: Handlers): { client: Client; leave(): void } {
  const [front, back] = channelPair();
  let leave = (): void => {};
  serve({ ...back, onClose: (listener) => (leave = listener) }, handlers);
  return { client: createClient(front), leave: () => leave() };
}

function channelPair(): [Channel, Channel] {
  const listeners: [((message: unknown) => void)[], ((message: unknown) => void)[]] = [[], []];
  const side = (own: 0 | 1): Channel => ({
    post: (message) => queueMicrotask(() => listeners[own === 0 ? 1 : 0].forEach((listener) => listener(message))),
    onMessage: (listener) => void listeners[own].push(listener),
    onClose: () => {},
  });
  return [side(0), side(1)];
}

const code = (wanted: string) => expect.objectContaining({ code: wanted }) as Error;

test('what the start screen needs', async () => {
  const info = await connect().call('app.info', {});
  expect(info).toMatchObject({ version: '1.2.3', host: 'browser', folders: [granted], open: [named] });
  expect(info.gpus.map(({ id }) => id)).toContain(info.defaultGpu);
  expect(info.labs[0]!.variants.length).toBeGreaterThan(1);
});

test('a trace is opened, looked at, compared and closed', async () => {
  const client = connect();
  const info = await client.call('trace.open', { path: trace });
  const { traceId } = info;
  expect(info).toMatchObject({ title: 'Saxpy', gpu: facts.gpu.name, path: trace });
  const stream = info.tracks.find(({ title }) => title.startsWith('Stream 13'))!;
  const [window] = await client.call('trace.window', {
    ...{ traceId, tracks: [stream.id], fromNs: 0, toNs: 5000, resolutionNs: 0 },
  });
  expect(window!.count).toBe(3);
  const event = await client.call('trace.event', { traceId, ref: { kind: 'kernel', row: 1 } });
  expect(event.title).toBe('saxpy');
  expect(await client.call('trace.console', { traceId })).toHaveLength(2);
  expect((await client.call('trace.report', { traceId, report: 'cuda_gpu_kern_sum' })).rows).toHaveLength(1);
  for (const { evidence } of await client.call('trace.advice', { traceId })) expect(evidence.length).toBeGreaterThan(0);
  await expect(client.call('trace.report', { traceId, report: 'no' })).rejects.toThrow(code('unknown-report'));
  const comparison = await client.call('compare.run', { before: traceId, after: traceId });
  expect(comparison.rows[0]).toMatchObject({ kind: 'total', ratio: 1 });
  expect(comparison.judgement).toMatchObject({ verdict: 'neutral', comparability: 1 });
  const both = { before: traceId, after: traceId };
  const side = await client.call('compare.kernel', { ...both, beforeKernel: 1, afterKernel: 1 });
  expect(side.metrics.find(({ metric }) => metric === 'dram__bytes_read.sum')).toMatchObject({ before: 1048576 });
  const ref = await client.call('compare.counterpart', { ...both, side: 'after', kernel: 1 });
  expect(ref).toEqual({ kind: 'kernel', row: 1 });
  const ladder = await client.call('compare.ladder', { traces: [traceId, traceId, traceId] });
  expect(ladder.steps.map(({ toFirst }) => toFirst?.ratio)).toEqual([undefined, 1, 1]);
  const page = await client.call('compare.document', { ...both, format: 'html', align: { by: 'start' } });
  expect(page).toMatchObject({ fileName: 'comparison.html', pictures: [] });
  await expect(client.call('compare.run', { ...both, align: { by: 'range', name: 'no' } })).rejects.toThrow(
    code('bad-request'),
  );
  await client.call('trace.close', { traceId });
  await expect(client.call('trace.console', { traceId })).rejects.toThrow(code('trace-not-open'));
});

test('pairs of kernels are remembered, and count both ways', async () => {
  const client = connect();
  const renamed = write(join(granted, 'sub', 'renamed.simsight'), [kernel(0, 900, 1, 7, { kernel: 'renamed' })], {
    program: 'renamed.cu',
  });
  const [{ traceId: before }, { traceId: after }] = [
    await client.call('trace.open', { path: trace }),
    await client.call('trace.open', { path: renamed }),
  ];
  const matched = async (a: number, b: number): Promise<number> =>
    (await client.call('compare.run', { before: a, after: b })).judgement.comparability;
  expect(await client.call('compare.pairs', {})).toEqual([]);
  expect(await matched(before, after)).toBe(0);
  expect(await client.call('compare.counterpart', { before, after, side: 'before', kernel: 1 })).toBeNull();
  await client.call('compare.pairs', { pairs: [['saxpy', 'renamed']] });
  expect(await connect().call('compare.pairs', {})).toEqual([['saxpy', 'renamed']]);
  expect([await matched(before, after), await matched(after, before)]).toEqual([1, 1]);
  // Those of one call take the place of the remembered ones.
  expect((await client.call('compare.run', { before, after, pairs: [] })).judgement.comparability).toBe(0);
  const file = join(dataFolder, 'kernel-pairs.json');
  writeFileSync(file, '{}');
  await expect(client.call('compare.run', { before, after })).rejects.toThrow(code('pairs-unreadable'));
  await expect(client.call('compare.pairs', { pairs: [] })).rejects.toThrow(code('pairs-unreadable'));
  expect(readFileSync(file, 'utf8')).toBe('{}');
  rmSync(file);
});

test('events are searched, summed up and listed', async () => {
  const client = connect();
  const { traceId } = await client.call('trace.open', { path: trace });
  const filter = { text: 'saxpy' };
  const { hits } = await client.call('trace.search', { traceId, filter, limit: 10 });
  expect(hits).toMatchObject([{ ref: { kind: 'kernel', row: 1 }, startNs: 1300 }]);
  const from = { timeNs: hits[0]!.startNs, ref: hits[0]!.ref };
  expect(await client.call('trace.nextHit', { traceId, filter, from, direction: 'next' })).toBeNull();
  const first = await client.call('trace.nextHit', { traceId, filter, from: { timeNs: 0 }, direction: 'next' });
  expect(first).toEqual({ ...hits[0], number: 1 });
  expect(await client.call('trace.summary', { traceId, filter: { toNs: 500 } })).toMatchObject({ count: 4 });
  const order = { traceId, filter: {}, sort: 'duration', descending: true } as const;
  const page = { ...order, offset: 1, limit: 2 };
  expect(await client.call('trace.rows', page)).toMatchObject({ total: 12, rows: [{ durationNs: 3880 }, {}] });
  expect(await client.call('trace.rowOf', { ...order, ref: { kind: 'kernel', row: 1 } })).toBe(2);
  await expect(client.call('trace.rows', { ...page, limit: 1e6 })).rejects.toThrow(code('bad-request'));
  await expect(client.call('trace.search', { traceId, filter: { text: '/(/' }, limit: 1 })).rejects.toThrow(
    code('bad-request'),
  );
  await client.call('trace.close', { traceId });
});

test('a trace answers SQL, and an endless query is cancelled', async () => {
  const client = connect();
  const { traceId } = await client.call('trace.open', { path: trace });
  const text = 'SELECT value FROM StringIds ORDER BY id';
  expect(await client.call('trace.sql', { traceId, text, limit: 1 })).toEqual({
    ...{ columns: ['value'], rows: [['saxpy.cu']], limit: 1, cut: true },
  });
  await expect(client.call('trace.sql', { traceId, text: 'VACUUM' })).rejects.toThrow(code('bad-request'));
  await expect(client.call('trace.sql', { traceId, text: 'SELECT x' })).rejects.toThrow(code('sql-failed'));
  await expect(client.call('trace.sql', { traceId: 99, text })).rejects.toThrow(code('trace-not-open'));
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
  const controller = new AbortController();
  const running = client.call('trace.sql', { traceId, text: endless }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 300);
  await expect(running).rejects.toThrow(code('cancelled'));
  await expect(client.call('trace.sql', { traceId, text: endless, maxSeconds: 0.5 })).rejects.toThrow(
    code('budget-exceeded'),
  );
  await client.call('trace.close', { traceId });
});

test('a sweep is run, cancelled, gone on with and read', async () => {
  const source = join(granted, 'sub', 'sweep.cu');
  writeFileSync(source, 'int main() {}\n');
  let recordings = 0;
  const cancel = new AbortController();
  const client = connect({
    record: async ({ output, signal }) => {
      if (++recordings === 2) {
        setTimeout(() => cancel.abort(), 10);
        await new Promise((_, fail) =>
          signal!.addEventListener('abort', () => fail(new SimsightError('cancelled', ''))),
        );
      }
      copyFileSync(trace, output!);
      return { path: output!, exitCode: 0, durationNs: 1, kernels: 1, launches: 1, repeated: 0, timedOnly: 0 };
    },
  });
  const sweep = {
    ...{ sources: [source], includeFolders: [], defines: [], environment: [], arguments: ['{N}'], jobs: 1 },
    axes: [
      { kind: 'gpu' as const, name: 'GPU', values: ['a100'] },
      { kind: 'argument' as const, name: 'N', values: ['1', '2', '3'] },
    ],
  };
  const seen: SweepProgress[] = [];
  const options = { signal: cancel.signal, onProgress: (progress: SweepProgress) => void seen.push(progress) };
  await expect(client.call('sweep.run', sweep, options)).rejects.toThrow(code('cancelled'));
  expect(seen).toContainEqual({ total: 3, done: 1, failed: 0, running: ['N=2'] });
  const view = await client.call('sweep.run', sweep);
  expect(recordings).toBe(4);
  expect(view).toMatchObject({ done: 3, missing: 0, metric: 'kernels', kernels: ['saxpy'] });
  expect(view.folder.startsWith(join(dataFolder, 'sweeps', 'sweep.cu-N-'))).toBe(true);
  expect(await client.call('sweep.read', { folder: view.folder, metric: 'saxpy' })).toMatchObject({
    metricTitle: 'time of saxpy',
    rows: [{ ns: 2000, ratio: 1 }, { ns: 2000 }, { ns: 2000 }],
  });
  // A row's trace can be opened.
  const { traceId } = await client.call('trace.open', { path: view.rows[0]!.trace! });
  await client.call('trace.close', { traceId });
  await expect(client.call('sweep.read', { folder: outside })).rejects.toThrow(code('file-not-allowed'));
  for (const folder of [outside, granted, dataFolder, join(dataFolder, 'sweeps', '..', '..', 'x')])
    await expect(client.call('sweep.run', { ...sweep, folder })).rejects.toThrow(code('file-not-allowed'));
  await expect(client.call('sweep.run', { ...sweep, data: [secret] })).rejects.toThrow(code('file-not-allowed'));
  await expect(client.call('sweep.read', { folder: granted })).rejects.toThrow(code('file-not-found'));
});

test('viewers of one trace do not disturb each other, and a new recording is another trace', async () => {
  const client = connect();
  const path = join(granted, 'shared.simsight');
  copyFileSync(trace, path);
  const [one, two] = [await client.call('trace.open', { path }), await client.call('trace.open', { path })];
  expect(one.traceId).not.toBe(two.traceId);
  await client.call('trace.close', { traceId: one.traceId });
  await expect(client.call('trace.close', { traceId: one.traceId })).rejects.toThrow(code('trace-not-open'));
  expect(await client.call('trace.console', { traceId: two.traceId })).toHaveLength(2);

  write(path, [], { title: 'Recorded anew' });
  expect((await client.call('trace.open', { path })).title).toBe('Recorded anew');
  expect((await client.call('trace.event', { traceId: two.traceId, ref: { kind: 'kernel', row: 1 } })).title).toBe(
    'saxpy',
  );
});

test('a viewer that goes away gives back what it had open, and only that', async () => {
  const handlers = handlersWith();
  const [one, two] = [connectTo(handlers), connectTo(handlers)];
  const first = await one.client.call('trace.open', { path: trace });
  const second = await two.client.call('trace.open', { path: trace });
  one.leave();
  await expect(two.client.call('trace.console', { traceId: first.traceId })).rejects.toThrow(code('trace-not-open'));
  expect(await two.client.call('trace.console', { traceId: second.traceId })).toHaveLength(2);
});

test('browser mode opens files of granted folders, of Simsight itself, and what the command line named', async () => {
  const client = connect();
  const opens = (path: string) => client.call('trace.open', { path });
  expect((await opens(named)).title).toBe('Saxpy');
  expect((await opens(join(granted, 'sub', '..', 'trace.simsight'))).path).toBe(trace);
  expect((await opens(write(join(dataFolder, 'recordings', 'mine.simsight')))).title).toBe('Saxpy');
  await expect(opens(secret)).rejects.toThrow(code('file-not-allowed'));
  await expect(opens(join(granted, 'link.simsight'))).rejects.toThrow(code('file-not-allowed'));
  await expect(opens(join(granted, 'elsewhere', 'secret.simsight'))).rejects.toThrow(code('file-not-allowed'));
  await expect(opens(`${granted}/../outside/secret.simsight`)).rejects.toThrow(code('file-not-allowed'));
  await expect(opens(`${granted}-not/x.simsight`)).rejects.toThrow(code('file-not-allowed'));
  // Nobody learns from the answer what exists elsewhere.
  await expect(opens(join(outside, 'none.simsight'))).rejects.toThrow(code('file-not-allowed'));
  await expect(opens(join(granted, 'none.simsight'))).rejects.toThrow(code('file-not-found'));
});

test('recordings read and write in allowed places only', async () => {
  const client = connect();
  const call = {
    ...{ sources: [join(granted, 'app.cu')], gpu: 'a100', includeFolders: [granted] },
    ...{ defines: ['N=1'], environment: [], arguments: ['x'] },
  };
  const output = join(dataFolder, 'recordings', 'new.simsight');
  await client.call('record.run', { ...call, output });
  expect(recorded.at(-1)).toMatchObject({
    ...call,
    keepTrace: true,
    output,
    dataFolder,
    cacheFolder: join(dataFolder, 'cache'),
    recordingsFolder: join(dataFolder, 'recordings'),
  });
  await client.call('record.run', { ...call, sources: [labs[0]!.variants[0]!.source] });
  const before = recorded.length;
  const refused = [
    { sources: [join(outside, 'app.cu')] },
    { includeFolders: [outside] },
    { output: join(outside, 'new.simsight') },
    { output: join(granted, 'elsewhere', 'new.simsight') },
    // Outputs go below the folders of recordings and sweeps, wherever files may be read.
    { output: join(granted, 'new.simsight') },
    { output: join(dataFolder, 'state.json') },
    { output: join(dataFolder, 'recordings', '..', 'new.simsight') },
    { output: join(dataFolder, 'recordings', 'elsewhere', 'new.simsight') },
    { output: join(dataFolder, 'recordings', 'nowhere') },
    { output: 'new.simsight' },
  ];
  symlinkSync(outside, join(dataFolder, 'recordings', 'elsewhere'));
  symlinkSync(join(outside, 'not-yet.simsight'), join(dataFolder, 'recordings', 'nowhere'));
  for (const change of refused) {
    await expect(client.call('record.run', { ...call, ...change })).rejects.toThrow(code('file-not-allowed'));
  }
  await expect(client.call('record.run', { ...call, output: `${output}\0` })).rejects.toThrow(code('bad-request'));
  const unlimited = connect({ host: 'electron', folders: [] });
  await expect(unlimited.call('record.run', { ...call, output: join(granted, 'new.simsight') })).rejects.toThrow(
    code('file-not-allowed'),
  );
  expect(recorded).toHaveLength(before);
  // Included files obey the same rule, links followed.
  const { mayRead } = recorded.at(-1)!;
  const asked = [join(granted, 'a.h'), join(outside, 'a.h'), join(granted, 'elsewhere', 'a.h'), '/etc/passwd'];
  expect(asked.map((path) => mayRead!(path))).toEqual([true, false, false, false]);
});

test('a what-if records once for each limit and once without, in allowed places only, and says how far it is', async () => {
  const client = connect();
  const call = {
    ...{ sources: [join(granted, 'app.cu')], gpu: 'a100', includeFolders: [], defines: [], environment: [] },
    ...{ arguments: [], limits: ['latency', 'launches'] as const },
  };
  const before = recorded.length;
  const result = await client.call('record.whatIf', { ...call, limits: [...call.limits] });
  expect(recorded.slice(before).map(({ lifted }) => lifted)).toEqual([undefined, 'latency', 'launches']);
  // The program as it is becomes a recording.
  expect(recorded[before]).toMatchObject({ keepTrace: true });
  expect(recorded.at(-1)).toMatchObject({ keepTrace: false, cacheFolder: join(dataFolder, 'cache') });
  expect(result).toMatchObject({ title: 'app.cu', gpu: 'NVIDIA A100-SXM4-80GB', baseline: { totalNs: 1 }, real: null });
  expect(result.limits).toHaveLength(2);
  const keepFolder = join(dataFolder, 'recordings', 'kept');
  await client.call('record.whatIf', { ...call, limits: ['latency'], keepFolder });
  expect(recorded.at(-1)).toMatchObject({ output: join(keepFolder, 'app-lift-latency.simsight') });
  for (const change of [
    { fixed: secret },
    { keepFolder: outside },
    { keepFolder: granted },
    { sources: [join(outside, 'app.cu')] },
  ]) {
    await expect(client.call('record.whatIf', { ...call, limits: [...call.limits], ...change })).rejects.toThrow(
      code('file-not-allowed'),
    );
  }
  await expect(
    client.call('record.whatIf', { ...call, limits: [...call.limits], fixed: trace, gpu: 'h200' }),
  ).rejects.toThrow(code('bad-request'));
});

test('the open dialog of browser mode', async () => {
  const client = connect();
  const roots = await client.call('files.list', {});
  expect(roots).toMatchObject({ path: '', parent: null });
  expect(roots.entries.map(({ path }) => path).slice(0, 2)).toEqual([granted, join(dataFolder, 'recordings')]);
  const listing = await client.call('files.list', { path: granted });
  expect(listing.parent).toBe(null);
  expect(listing.entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'folder sub',
    'trace shared.simsight',
    'trace trace.simsight',
    'source app.cu',
  ]);
  expect((await client.call('files.list', { path: join(granted, 'sub') })).parent).toBe(granted);
  await expect(client.call('files.list', { path: outside })).rejects.toThrow(code('file-not-allowed'));
  await expect(client.call('files.list', { path: join(granted, 'none') })).rejects.toThrow(code('file-not-found'));
  await expect(client.call('files.list', { path: trace })).rejects.toThrow(code('bad-request'));
});

test('the desktop app opens what its user has chosen, its recordings and examples, and nothing else', async () => {
  const options = { host: 'electron' as const, folders: [] };
  const paths = pathsAtStart({ ...options, dataFolder, labs: [], open: [] });
  const client = connect({ ...options, paths });
  await expect(client.call('trace.open', { path: secret })).rejects.toThrow(code('file-not-allowed'));
  await expect(client.call('files.list', { path: outside })).rejects.toThrow(code('file-not-allowed'));
  paths.grant(grantsOf(secret));
  expect((await client.call('trace.open', { path: secret })).title).toBe('Saxpy');
  // The file that was chosen, not what lies beside it.
  await expect(client.call('files.list', { path: outside })).rejects.toThrow(code('file-not-allowed'));
  expect(grantsOf(join(outside, 'app.cu'))).toEqual([outside]);
});

test('recent traces: newest first, each once, gone ones left out, a broken list is an empty one', async () => {
  const own = { dataFolder: join(home, 'recent') };
  const client = connect(own);
  expect(await client.call('app.recent', {})).toEqual([]);
  const gone = join(granted, 'gone.simsight');
  copyFileSync(trace, gone);
  for (const path of [trace, gone, named, trace]) await client.call('trace.open', { path });
  rmSync(gone);
  const paths = (await client.call('app.recent', {})).map(({ path }) => path);
  expect(paths).toEqual([trace, named]);
  expect(existsSync(join(home, 'recent', 'recent.json'))).toBe(true);
  // A session does not learn of files that it may not open.
  const others = connect({ ...own, open: [] });
  expect((await others.call('app.recent', {})).map(({ path }) => path)).toEqual([trace]);

  writeFileSync(join(home, 'recent', 'recent.json'), '{"broken":');
  expect(await client.call('app.recent', {})).toEqual([]);
  await client.call('trace.open', { path: trace });
  expect(JSON.parse(readFileSync(join(home, 'recent', 'recent.json'), 'utf8'))).toHaveLength(1);
});

test('wrong arguments never reach the engine', async () => {
  const client = connect();
  const window = { traceId: 1, tracks: [0], fromNs: Number.NaN, toNs: 1, resolutionNs: 1 };
  await expect(client.call('trace.window', window)).rejects.toThrow(code('bad-request'));
  await expect(client.call('trace.open', { path: '' })).rejects.toThrow(code('bad-request'));
  await expect(client.call('trace.event', { traceId: 1, ref: { kind: 'table' as 'api', row: 1 } })).rejects.toThrow(
    code('bad-request'),
  );
});

test('a flood of recordings: some at a time, and of those that wait no more than there is room for', async () => {
  const result = { path: 'x', exitCode: 0, durationNs: 1, kernels: 0, launches: 1, repeated: 0, timedOnly: 0 };
  const running: (() => void)[] = [];
  let isHeld = true;
  let most = 0;
  const client = connect({
    record: () =>
      new Promise((done) => {
        if (!isHeld) return done(result);
        running.push(() => done(result));
        most = Math.max(most, running.length);
      }),
  });
  const call = {
    ...{ sources: [join(granted, 'app.cu')], gpu: 'a100', includeFolders: [] },
    ...{ defines: [], environment: [], arguments: [] },
  };
  const cancel = new AbortController();
  const first = Array.from({ length: 40 }, () => client.call('record.run', call));
  const cancelled = client.call('record.run', call, { signal: cancel.signal });
  await client.call('app.recent', {});
  cancel.abort();
  await expect(cancelled).rejects.toThrow(code('cancelled'));
  const flood = Array.from({ length: 1500 }, () => client.call('record.run', call));
  await expect(flood.at(-1)).rejects.toThrow(code('bad-request'));
  expect(most).toBe(16);
  isHeld = false;
  for (const end of running) end();
  const outcomes = await Promise.allSettled([...first, ...flood]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1000);
  expect((await client.call('app.info', {})).host).toBe('browser');
});

test('a number that is taken starts no second call, and when the front end goes all calls are stopped', async () => {
  const stopped: unknown[] = [];
  let started = 0;
  const handlers = handlersWith({
    record: ({ signal }) =>
      new Promise((_, fail) => {
        started++;
        signal!.addEventListener('abort', () => {
          stopped.push(signal!.reason);
          fail(new SimsightError('cancelled', ''));
        });
      }),
  });
  const answers: { id: number; error?: { message: string } }[] = [];
  let say = (_: unknown): void => {};
  const channel: Channel = {
    post: (answer) => answers.push(answer as { id: number }),
    onMessage: (listener) => (say = listener),
    onClose: () => {},
  };
  const end = serve(channel, handlers);
  const params = {
    ...{ sources: [join(granted, 'app.cu')], gpu: 'a100', includeFolders: [] },
    ...{ defines: [], environment: [], arguments: [] },
  };
  for (const id of [1, 1, 2]) say({ type: 'call', id, method: 'record.run', params });
  expect(answers.map(({ id, error }) => [id, error?.message])).toEqual([[1, 'Call number 1 is already running.']]);
  await expect.poll(() => started).toBe(2);
  await end();
  expect(stopped).toHaveLength(2);
  expect(answers).toHaveLength(3);
});
