/**
 * "CUDA: performance case studies", 500 small kernels per frame on an A100: 15 ms as launches, 2.1 ms as a graph, 1.4 ms with 50
 * groups fused, 0.8 ms of it kernels, 94 % gaps. Which host and which way to call explain that: every host profile with every
 * pattern. With `--gpu h200` beside what the program measured on one.
 *
 *   npm run fidelity:frames -- [--gpu ID] [--json FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { hostProfiles } from '../../engine/system/index.ts';
import { inNewFolder, simsight } from './programs.ts';

type Times = Record<string, number>;

const { values } = parseArgs({ options: { gpu: { type: 'string', default: 'a100-80gb' }, json: { type: 'string' } } });
const onH200 = new URL('../reference/h200/frames.json', import.meta.url);
/** Milliseconds. */
const known: Times =
  values.gpu === 'h200'
    ? (JSON.parse(readFileSync(onH200, 'utf8')) as Times)
    : { sync: 15, launches: 15, graph: 2.1, updated: 2.1, captured: 2.1, fused: 1.4, 'fused-captured': 1.4 };
const source = fileURLToPath(new URL('published/frames.cu', import.meta.url));

interface Frame {
  host: string;
  pattern: string;
  /** Milliseconds: of a frame, of its kernels. */
  frame: number;
  kernels: number;
  /** Share of the frame in which no kernel runs. */
  gaps: number;
}

const rows: Frame[] = [];
for (const { id: host } of hostProfiles) {
  for (const pattern of Object.keys(known)) rows.push(measure(host, pattern));
}
console.log(
  `${'host'.padEnd(14)}${'pattern'.padEnd(16)}${'ms'.padStart(8)}${'kernels'.padStart(9)}${'gaps'.padStart(8)}${(values.gpu === 'h200' ? 'measured' : 'published').padStart(11)}`,
);
for (const { host, pattern, frame, kernels, gaps } of rows) {
  const percent = `${(gaps * 100).toFixed(0)} %`;
  const figures = `${frame.toFixed(2).padStart(8)}${kernels.toFixed(2).padStart(9)}${percent.padStart(8)}`;
  console.log(`${host.padEnd(14)}${pattern.padEnd(16)}${figures}${known[pattern]!.toFixed(2).padStart(11)}`);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);

function measure(host: string, pattern: string): Frame {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const words = ['record', source, '--gpu', values.gpu, '--host', host, '-o', trace, '--', pattern, '2'];
    const frame = Number(simsight(words).trim().split('\n').at(-1));
    if (!Number.isFinite(frame)) throw new Error(`${words.join(' ')} printed no time.`);
    const database = new Database(trace, { readonly: true });
    const { time } = database
      .prepare('SELECT sum("end" - start) / 2e6 AS time FROM CUPTI_ACTIVITY_KIND_KERNEL')
      .get() as { time: number };
    database.close();
    return { host, pattern, frame, kernels: time, gaps: 1 - time / frame };
  });
}
