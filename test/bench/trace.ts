/**
 * The trace store at real sizes: how fast a recording is written, opened and looked at, how large it is, and how fast
 * an export of Nsight Systems with the same events, and traces in Chrome's JSON, are imported.
 *
 *   npm run bench:trace -- [--events 1000000,10000000] [--warps y_apps,b_mem] [--chrome 300,1000] [--json FILE]
 *
 * The recording is that of a program that launches kernels into four streams, copies, waits and names what it does; times and sizes
 * vary by a fixed generator. What warps did is that of the H200 reference's programs (`--warps all`: of all of them), and of one
 * recorded with all its blocks. `--chrome`: megabytes of JSON, each imported by a process of its own. Rates are medians of three where they take less than seconds.
 *
 * In the end it says which of the figures that the store is to reach were reached; exit code 1 if one was missed.
 */
import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { writeChromeTrace } from '../../engine/formats/export-chrome.ts';
import { writeNsysExport } from '../../engine/formats/export-sqlite.ts';
import { openRecording } from '../../engine/formats/open.ts';
import { labsFolder } from '../../engine/base/paths.ts';
import { openTraceFile } from '../../engine/trace/open-file.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { writeLargeChrome } from '../unit/formats/large-chrome.ts';
import { programOf, simsight, suites, type Suite } from '../fidelity/programs.ts';
import { facts, random, recording } from './recording.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000,10000000' },
    warps: { type: 'string', default: 'y_apps,b_mem' },
    chrome: { type: 'string', default: '300,1000' },
    json: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
const flat: Record<string, number> = {};
const say = (name: string, value: number, unit: string): void => {
  flat[name] = Math.round(value * 1000) / 1000;
  console.log(`${name.padEnd(44)} ${value.toLocaleString('en', { maximumFractionDigits: 3 }).padStart(14)} ${unit}`);
};
const seconds = (work: () => void): number => {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1e3;
};
const median = (values: number[], part = 0.5): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;

/** Rows per second of a bare loop: API rows in the tables of nsys, sixteen per INSERT, no indexes. */
function bareRate(rows: number): number {
  const db = new Database(join(folder, 'bare.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(
    'CREATE TABLE t (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL)',
  );
  const insert = db.prepare(
    `INSERT INTO t VALUES ${Array.from({ length: 16 }, () => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
  );
  const time = seconds(() => {
    db.exec('BEGIN');
    for (let i = 0; i < rows; i += 16) {
      const cells: number[] = [];
      for (let k = i; k < i + 16; k++) cells.push(k * 3000, k * 3000 + 2500, 0, 281474993488872, k, k % 20, 0);
      insert.run(cells);
    }
    db.exec('COMMIT');
  });
  db.close();
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `bare.sqlite${end}`), { force: true });
  return rows / time;
}

/** The same rows in the tables of nsys as they are. */
function asNsys(path: string, out: string): void {
  const file = openTraceFile(path);
  writeNsysExport(file, out);
  file.close();
}

/** Bytes per interval of warps, and how fast they are looked at at ten zooms. */
function measureWarps(): void {
  const all = Object.keys(suites) as Suite[];
  const chosen = values.warps === 'all' ? all : all.filter((suite) => values.warps.split(',').includes(suite));
  const recordings = [
    ...chosen.map((suite) => {
      const options = suites[suite].flatMap((define) => ['-D', define]);
      return { name: suite, words: [programOf(suite), ...options, '--env', 'LAB_PROFILE=1', '--', folder] };
    }),
    { name: 'full', words: [join(labsFolder, 'matmul', 'matmul.cu'), '--detail', 'full', '--', 'naive', '512'] },
  ];
  let [bytes, intervals] = [0, 0];
  const times: number[] = [];
  for (const { name, words } of recordings) {
    const path = join(folder, `${name}.simsight`);
    simsight(['record', '--gpu', 'h200', '-o', path, '--writable', folder, ...words]);
    const trace = openTrace(path);
    const [[sum, count] = [0, 0]] = trace.query(
      'SELECT sum(length(data) + coalesce(length(issues), 0)), sum(iif(resolution = 0, intervals, 0)) FROM SIMSIGHT_WARP_CHUNKS',
    ) as [number, number][];
    bytes += sum;
    intervals += count;
    say(`warp_bytes_per_interval_${name}`, sum / count, 'bytes');
    const kernels = trace.query('SELECT min(kernel) FROM SIMSIGHT_KERNEL_PROFILES GROUP BY profile') as [number][];
    for (const [kernel] of kernels) {
      const end = trace.warps(kernel)?.end ?? 0;
      for (let zoom = 0; zoom < 10 && end >> zoom > 100; zoom++) {
        const span = end / 2 ** zoom;
        const from = (end - span) / 2;
        const resolution = span / 1200 <= 1 ? 0 : 2 ** Math.ceil(Math.log2(span / 1200));
        times.push(seconds(() => trace.warpWindows(kernel, [0, 1, 2, 3], from, from + span, resolution)) * 1e3);
      }
    }
    trace.close();
    rmSync(path);
  }
  say('warp_bytes_per_interval', bytes / intervals, 'bytes');
  say('warp_window_p50_ms', median(times), 'ms');
  say('warp_window_p95_ms', median(times, 0.95), 'ms');
}

/** Chrome's JSON: the real samples, and what is generated at any size. */
async function measureChrome(): Promise<void> {
  const program = fileURLToPath(new URL('../unit/formats/import-once.ts', import.meta.url));
  const measure = (path: string): { seconds: number; peakMb: number; bytes: number; events: number } => {
    const target = join(folder, 'chrome.simsight');
    const runs = [0, 1, 2].slice(0, statSync(path).size < 5e8 ? 3 : 1).map(() => {
      rmSync(target, { force: true });
      return JSON.parse(execFileSync(process.execPath, [program, path, target], { encoding: 'utf8' })) as {
        seconds: number;
        peakMb: number;
      };
    });
    const trace = openTrace(target);
    const events = trace.info.eventCount;
    trace.close();
    const bytes = statSync(target).size;
    rmSync(target);
    const peakMb = Math.max(...runs.map((run) => run.peakMb));
    return { seconds: median(runs.map((run) => run.seconds)), peakMb, bytes, events };
  };
  const tell = (name: string, path: string): void => {
    const { seconds: time, peakMb, bytes, events } = measure(path);
    say(`import_json_mb_per_second_${name}`, statSync(path).size / 1e6 / time, 'MB/s');
    say(`import_json_${name}_peak_rss_mb`, peakMb, 'MB');
    say(`bytes_per_event_over_chrome_json_${name}`, bytes / statSync(path).size, '');
    say(`chrome_bytes_per_event_${name}`, bytes / events, 'bytes');
    rmSync(path);
  };
  const kineto = join(folder, 'kineto.json');
  const packed = readFileSync(new URL('../samples/kineto-before.json.gz', import.meta.url));
  writeFileSync(kineto, gunzipSync(packed));
  tell('kineto', kineto);
  for (const megabytes of values.chrome.split(',').filter(Boolean).map(Number)) {
    const path = join(folder, 'large.json');
    await writeLargeChrome(path, megabytes * 1e6);
    tell(megabytes >= 1000 ? `${megabytes / 1000}gb` : `${megabytes}mb`, path);
  }
  // The real one stands for all.
  flat['import_json_mb_per_second'] = flat['import_json_mb_per_second_kineto']!;
  flat['bytes_per_event_over_chrome_json'] ??= flat['bytes_per_event_over_chrome_json_kineto']!;
}

/** Event limit for JSON: more events take minutes, and show the same. */
const mostAsJson = 1_000_000;
/** The same trace in Chrome's JSON. */
async function asChrome(path: string, size: string): Promise<void> {
  const json = join(folder, 'export.json');
  const file = openTraceFile(path);
  await writeChromeTrace(file, json, false);
  file.close();
  say(`bytes_per_event_over_chrome_json_${size}`, statSync(path).size / statSync(json).size, '');
  rmSync(json);
}

/** Targets of the store. */
const reaches: readonly { name: string; least?: number; most?: number; below?: number }[] = [
  { name: 'write_over_bare', least: 0.8 },
  { name: 'warp_bytes_per_interval', most: 2 },
  { name: 'window_query_p95_ms_10m', below: 10 },
  { name: 'open_10m_ms', most: 1000 },
  { name: 'bytes_per_event_over_nsys', most: 0.5 },
];

/** Prints them; false if one was missed. What was not measured is neither. */
function judge(): boolean {
  let missed = false;
  console.log();
  for (const { name, least, most, below } of reaches) {
    const value = flat[name];
    const limit = least !== undefined ? `>= ${least}` : below !== undefined ? `< ${below}` : `<= ${most}`;
    const isReached =
      value !== undefined &&
      value >= (least ?? -Infinity) &&
      value <= (most ?? Infinity) &&
      value < (below ?? Infinity);
    missed ||= value !== undefined && !isReached;
    const verdict = value === undefined ? 'not measured' : isReached ? 'reached' : 'MISSED';
    console.log(`${verdict.padEnd(13)} ${name.padEnd(30)} ${limit.padStart(8)}   ${value ?? ''}`);
  }
  return !missed;
}

try {
  const bareRates = (): number[] => [0, 1, 2].map(() => bareRate(800_000));
  for (const count of values.events.split(',').filter(Boolean).map(Number)) {
    const size = count >= 1e6 ? `${count / 1e6}m` : `${count}`;
    const path = join(folder, `${size}.simsight`);
    const writer = createTraceWriter(path, facts);
    // The bare loop runs before and after: the machine may become slower or faster meanwhile.
    const before = bareRates();
    let writing = 0;
    for (const batch of recording(count)) writing += seconds(() => writer.append(batch));
    const bare = median([...before, ...bareRates()]);
    say(`bare_rows_per_second_${size}`, bare, 'rows/s');
    say(`write_rows_per_second_${size}`, count / writing, 'rows/s');
    say(`write_over_bare_${size}`, count / writing / bare, '');
    say(
      `finish_s_${size}`,
      seconds(() => writer.finish({ exitCode: 0, notices: [], complete: true })),
      's',
    );

    let first: ReturnType<typeof openTrace> | undefined;
    const opens = [0, 1, 2].map(() => {
      first?.close();
      return seconds(() => {
        first = openTrace(path);
        const { tracks, durationNs } = first.info;
        first.window(
          tracks.map(({ id }) => id),
          0,
          durationNs,
          2 ** Math.ceil(Math.log2(durationNs / 1200)),
        );
      });
    });
    say(`open_${size}_ms`, median(opens) * 1e3, 'ms');

    const trace = first!;
    const { durationNs, tracks } = trace.info;
    const ids = tracks.map(({ id }) => id);
    const next = random(7);
    const all: number[] = [];
    for (let zoom = 0; zoom < 10; zoom++) {
      const span = durationNs / 4 ** zoom;
      const times: number[] = [];
      for (let turn = 0; turn < 20; turn++) {
        const from = (durationNs - span) * (next(1000) / 1000);
        const resolution = span / 1200 <= 1 ? 0 : 2 ** Math.ceil(Math.log2(span / 1200));
        times.push(seconds(() => trace.window(ids, from, from + span, resolution)) * 1e3);
      }
      all.push(...times);
      console.log(
        `  span ${(span / 1e6).toFixed(3).padStart(14)} ms   p50 ${median(times).toFixed(2).padStart(8)} ms   p95 ${median(times, 0.95).toFixed(2).padStart(8)} ms`,
      );
    }
    say(`window_query_p50_ms_${size}`, median(all), 'ms');
    say(`window_query_p95_ms_${size}`, median(all, 0.95), 'ms');
    let tables = 0;
    const asked = (name: string, question: () => unknown): void => {
      say(`${name}_first_ms_${size}`, seconds(question) * 1e3, 'ms');
      say(`${name}_ms_${size}`, median([0, 1, 2].map(() => seconds(question) * 1e3)), 'ms');
    };
    asked('search', () => trace.queries.search({ text: 'kernel_7' }, 100));
    asked('selection', () => trace.queries.summarize({ fromNs: durationNs / 3, toNs: durationNs / 2 }));
    asked('table', () => {
      // Each time another one: pages of the same one are kept.
      trace.queries.page({ fromNs: tables++ }, 'start', false, 0, 100);
    });
    asked('table_by_duration', () => trace.queries.page({ fromNs: tables++ }, 'duration', true, 0, 100));
    trace.close();

    const nsys = join(folder, 'nsys.sqlite');
    asNsys(path, nsys);
    const bytes = statSync(path).size;
    say(`bytes_per_event_${size}`, bytes / count, 'bytes');
    say(`nsys_bytes_per_event_${size}`, statSync(nsys).size / count, 'bytes');
    say(`bytes_per_event_over_nsys_${size}`, bytes / statSync(nsys).size, '');
    if (count <= mostAsJson) await asChrome(path, size);
    const start = performance.now();
    (await openRecording(nsys)).close();
    say(`import_mb_per_second_${size}`, statSync(nsys).size / 1e3 / (performance.now() - start), 'MB/s');
    // The figures of the largest recording stand for all.
    for (const [name, value] of Object.entries(flat)) {
      if (name.endsWith(`_${size}`)) flat[name.slice(0, -size.length - 1)] = value;
    }
    rmSync(nsys);
    rmSync(path);
  }
  measureWarps();
  await measureChrome();
  if (!judge()) process.exitCode = 1;
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(flat, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
