/**
 * The files that are mutated: the samples in `test/samples`, as they are or cut down to a few hundred events, and small recordings
 * of every kind of event.
 */
import Database from 'better-sqlite3';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ns } from '../../engine/base/units.ts';
import { writeChromeTrace } from '../../engine/formats/export-chrome.ts';
import { openRecordingFile } from '../../engine/formats/open.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { api, copy, events as exampleEvents, facts, kernel, write } from '../unit/trace/example-recording-events.ts';
import { Random } from './random.ts';

export type Family = 'simsight' | 'old' | 'log' | 'nsys' | 'chrome';

export interface Source {
  name: string;
  family: Family;
  path: string;
  /** How often it is taken, beside 1. */
  weight: number;
}

/** Rows of each table of a sample that is cut down, and bytes of a JSON sample. */
const [fewRows, fewBytes] = [300, 300_000];

/** Makes the files in a folder, once; `recorded`: traces of real programs beside them. */
export async function makeSources(folder: string, recorded: readonly string[] = []): Promise<Source[]> {
  if (!existsSync(folder)) await make(folder, recorded);
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-wal'))
    .sort()
    .map((name) => ({ name, family: familyOf(name), path: join(folder, name), weight: weightOf(name) }));
}

function familyOf(name: string): Family {
  if (name.startsWith('format-')) return 'old';
  if (name.startsWith('killed')) return 'log';
  if (name.endsWith('.simsight')) return 'simsight';
  return name.endsWith('.sqlite') ? 'nsys' : 'chrome';
}

/** The weight of a source in the choice: less for those that take long to open. */
function weightOf(name: string): number {
  if (name === 'kineto-before.json') return 0.002;
  return name === 'nsys-2gpu-before.sqlite' ? 0.02 : name.startsWith('format-') ? 0.4 : 1;
}

async function make(folder: string, recorded: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const samples = new URL('../samples/', import.meta.url);
  const unpacked = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, gunzipSync(readFileSync(new URL(`${name}.gz`, samples))));
    return path;
  };
  for (const name of readdirSync(samples)) {
    if (/^format-\d+\.simsight\.gz$/.test(name)) unpacked(name.slice(0, -3));
  }
  for (const name of ['nsys-streams.sqlite', 'nsys-2gpu-before.sqlite', 'kineto-sync.json']) unpacked(name);
  cutTables(join(folder, 'nsys-2gpu-before.sqlite'), join(folder, 'nsys-small.sqlite'));
  const kineto = readFileSync(unpacked('kineto-before.json'), 'latin1');
  const [head, list] = [kineto.slice(0, 4000), kineto.lastIndexOf('},', fewBytes)];
  const tail = kineto.slice(kineto.lastIndexOf('],'));
  writeFileSync(join(folder, 'kineto-small.json'), kineto.slice(0, list + 1) + tail, 'latin1');
  if (!head.includes('traceEvents')) throw new Error('the sample has no events where they were');

  write(join(folder, 'example.simsight'));
  write(join(folder, 'many.simsight'), manyEvents(1500));
  // Lanes long enough for levels.
  write(join(folder, 'levels.simsight'), [...launches(9000)]);
  recorded.forEach((path, i) => copyFileSync(path, join(folder, `recorded-${i}.simsight`)));
  await writeKilled(folder);
  const file = await openRecordingFile(join(folder, 'many.simsight'), { here: true });
  await writeChromeTrace(file, join(folder, 'exported.json'), false);
  file.close();
}

function cutTables(from: string, to: string): void {
  copyFileSync(from, to);
  const db = new Database(to);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables.filter((name) => name !== 'StringIds')) {
    db.exec(`DELETE FROM "${table}" WHERE rowid > ${fewRows}`);
  }
  db.exec('VACUUM');
  db.close();
}

function* launches(count: number): Generator<TraceEvent> {
  const next = new Random('launches');
  let now = 0;
  for (let i = 1; i <= count; i++) {
    yield api('cudaLaunchKernel', now, now + 5, i);
    yield kernel(now + 3, now + 9 + next.below(30), i);
    now += 6 + next.below(40);
  }
}

/** Some of everything, overlapping on each row. */
function manyEvents(count: number): TraceEvent[] {
  const next = new Random('many');
  const events: TraceEvent[] = [...exampleEvents];
  for (let i = 1; i <= count; i++) {
    const start = 5000 + i * 40 + next.below(60);
    const end = start + 1 + next.below(90);
    const common = {
      start: ns(start),
      end: ns(end),
      deviceId: 0,
      streamId: next.pick([7, 13, 14]),
      correlationId: 100 + i,
    };
    events.push(api(next.pick(['cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaGraphLaunch']), start - 20, start, 100 + i));
    switch (next.below(8)) {
      case 0:
        events.push(copy(start, end, 100 + i, { streamId: common.streamId, engine: next.below(2) }));
        break;
      case 1:
        events.push({ type: 'memset', ...common, value: 1, bytes: 4096 });
        break;
      case 2:
        events.push({ type: 'graph', ...common, graphId: 3 });
        events.push(kernel(start, end, 100 + i, 7, { graphId: 3, graphNodeId: 5 }));
        break;
      case 3:
        events.push({
          ...{
            type: 'nvtx',
            kind: next.pick(['push-pop', 'mark', 'start-end'] as const),
            start: ns(start),
            end: ns(end),
          },
          ...{ text: `step ${i % 20}`, threadId: 1, color: 0xff00ff00, category: null, domainId: 0, rangeId: i },
          payload: { kind: 'int64', value: BigInt(i) },
        });
        break;
      case 4:
        events.push({
          ...{ type: 'page-fault', processor: next.pick(['host', 'device'] as const), start: ns(start), end: ns(end) },
          ...{ deviceId: 0, address: 2 ** 21 * i, count: 4, access: 'write' },
        });
        break;
      case 5:
        events.push({
          ...{ type: 'migration', start: ns(start), end: ns(end), deviceId: 0, direction: 'host-to-device' },
          ...{ address: 2 ** 21 * i, bytes: 65536, cause: 'coherence' },
        });
        break;
      default:
        events.push(kernel(start, end, 100 + i, common.streamId, { profile: 1 }));
    }
  }
  return events;
}

/** Writes what a killed program leaves: a file and its log. */
async function writeKilled(folder: string): Promise<void> {
  const path = join(folder, 'writing.simsight');
  const writer = createTraceWriter(path, facts);
  writer.append(manyEvents(200));
  await new Promise((done) => setTimeout(done, 400));
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, join(folder, `killed.simsight${end}`));
  writer.abandon();
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}
