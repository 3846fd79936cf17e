/**
 * The timeline in a real Chromium without a GPU, 1600 × 900, with a trace of ten million events on 500 rows: how soon events are
 * seen, how smoothly they follow the hand, what the page takes. Then all of that again, as `software_gl_…`, in a browser whose GPU the
 * CPU imitates (SwiftShader), by which it draws every page. Beside it speedscope, which needs that, with the same trace as Chrome
 * JSON, of as many events as it opens.
 *
 *   npm run bench:viewer -- [--events 10000000] [--trace FILE] [--repeat 5] [--speedscope 10000000] [--json FILE]
 *
 * first_paint_ms       from the navigation to the end of the frame in which events are first drawn: a server just started, an
 *                      empty browser cache, the file in the system's; median of `--repeat`. `reopen_ms`: from a click on the
 *                      start screen's recent trace
 * frame_p50/p95/p99_ms between frames while input goes on at 60 Hz: dragging at four depths, the wheel from the whole trace to
 *                      tens of microseconds and back, scrolling rows, a key held down; over all of them, and `frame_p95_ms_…` of each
 * input_to_paint_p95_ms  from an input event to the end of the frame that shows its effect, on the page's main thread
 * page_memory_mb       after all that: the private memory of the page's process, less an empty page's (Linux; elsewhere heap).
 *                      `page_heap_mb`: JavaScript's heap and array buffers, garbage collected; `gpu_process_mb`: what draws
 *
 * `--trace`: instead of a generated one; 0 for `--speedscope` leaves it out. speedscope shows one thread at a time, the app all rows.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../../engine/base/paths.ts';
import { writeChromeTrace } from '../../engine/formats/export-chrome.ts';
import { openTraceFile } from '../../engine/trace/open-file.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import type { SceneOfTrace } from '../../renderer/src/trace/test-hook.ts';
import { facts, recording } from './recording.ts';
import {
  keysHeld,
  launchBrowser,
  openPage,
  type PageMemory,
  type Recorded,
  type TimelinePage,
  type Viewer,
  viewport,
} from './timeline-page.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    trace: { type: 'string' },
    repeat: { type: 'string', default: '5' },
    speedscope: { type: 'string' },
    json: { type: 'string' },
  },
});
/** With what they stand for, 500 rows. */
const [gpus, streamsPerGpu] = [8, 56];
const openingTimeout = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
const flat: Record<string, number> = {};
const say = (name: string, value: number, unit: string): void => {
  flat[name] = Math.round(value * 1000) / 1000;
  console.log(`${name.padEnd(44)} ${value.toLocaleString('en', { maximumFractionDigits: 3 }).padStart(14)} ${unit}`);
};
const part = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

const simsight: Viewer = {
  zoom: { modifiers: keysHeld.none, step: 25 },
  scroll: { modifiers: keysHeld.alt, step: 60 },
  watch: (drawn) => {
    const look = (): void => {
      const { simsightScene } = window as unknown as { simsightScene?: () => SceneOfTrace[] };
      const loaded = document.querySelector('[data-testid=timeline][data-loaded=true]');
      // At the start of a frame: what it finds was drawn in the one before.
      if (loaded && simsightScene?.().some(({ rects }) => rects.length > 0)) drawn();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  },
};
const speedscope: Viewer = {
  zoom: { modifiers: keysHeld.ctrl, step: 2 },
  scroll: { modifiers: keysHeld.none, step: 60 },
  watch: (drawn) => {
    const context = WebGLRenderingContext.prototype;
    const { drawArrays } = context;
    context.drawArrays = function (...given) {
      drawArrays.apply(this, given);
      // It names the page after the profile as soon as that is read.
      if (!document.title.endsWith(' - speedscope')) return;
      context.drawArrays = drawArrays;
      requestAnimationFrame(() => requestAnimationFrame(drawn));
    };
  },
};

interface Measured {
  byKind: Map<string, Recorded>;
  memory: PageMemory;
}
/** The same moves for everybody: drags, rows and a key at four depths, the wheel from each to the next, and back out. */
async function measure(
  page: TimelinePage,
  area: { x: number; y: number; width: number; height: number },
): Promise<Measured> {
  const byKind = new Map<string, Recorded>();
  const record = async (kind: string, input: () => Promise<void>): Promise<void> => {
    const { frames, delays } = await page.record(input);
    const all = byKind.get(kind) ?? { frames: [], delays: [] };
    all.frames.push(...frames);
    all.delays.push(...delays);
    byKind.set(kind, all);
  };
  const [x, y] = [area.x + area.width * 0.42, area.y + area.height * 0.5];
  const [left, right] = [area.x + area.width * 0.1, area.x + area.width * 0.9];
  const [sweep, toNextDepth, depths] = [50, 80, 4];
  for (let depth = 0; depth < depths; depth++) {
    await record('drag', async () => {
      for (const [from, to] of [
        [right, left],
        [right, left],
        [left, right],
      ] as const) {
        await page.drag(from, y, (to - from) / sweep, sweep);
      }
    });
    await record('rows', async () => {
      await page.scroll(x, y, 1, 90);
      await page.scroll(x, y, -1, 60);
    });
    await record('key', () => page.hold('d', 60));
    if (depth < depths - 1) await record('wheel', () => page.zoom(x, y, 1, toNextDepth));
  }
  await record('wheel', () => page.zoom(x, y, -1, toNextDepth * (depths - 1)));
  return { byKind, memory: await page.memory() };
}

function report({ byKind, memory }: Measured, prefix = ''): void {
  const all = [...byKind.values()];
  const frames = all.flatMap((recorded) => recorded.frames);
  const delays = all.flatMap((recorded) => recorded.delays);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const) {
    say(`${prefix}frame_${name}_ms`, part(frames, share), 'ms');
  }
  for (const [kind, recorded] of byKind) say(`${prefix}frame_p95_ms_${kind}`, part(recorded.frames, 0.95), 'ms');
  say(`${prefix}input_to_paint_p95_ms`, part(delays, 0.95), 'ms');
  for (const [kind, recorded] of byKind)
    say(`${prefix}input_to_paint_p95_ms_${kind}`, part(recorded.delays, 0.95), 'ms');
  say(`${prefix}page_memory_mb`, memory.privateMb ?? memory.heapMb, 'MB');
  say(`${prefix}page_heap_mb`, memory.heapMb, 'MB');
  if (memory.gpuMb !== null) say(`${prefix}gpu_process_mb`, memory.gpuMb, 'MB');
}

/** As people start it: the built command line, with a home of its own. */
async function serve(home: string, traces: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const program = join(root, 'dist', 'engine', 'cli.js');
  const server = spawn(process.execPath, [program, 'serve', '--folder', dirname(trace), ...traces], {
    env: { ...process.env, SIMSIGHT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => server.once('exit', () => done()));
  const url = await firstLine(server);
  const stop = (): Promise<void> => {
    server.kill();
    return ended;
  };
  return { url, stop };
}
function firstLine(program: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    program.stdout!.on('data', (data: Buffer) => {
      text += data.toString();
      if (text.includes('\n')) resolve(text.split('\n', 1)[0]!);
    });
    program.once('exit', (code) => reject(new Error(`The server ended with exit code ${code}.`)));
  });
}

async function measureSimsight(softwareGl: boolean): Promise<void> {
  const browser = await launchBrowser(softwareGl);
  const prefix = softwareGl ? 'software_gl_' : '';
  const [firsts, reopened]: [number[], number[]] = [[], []];
  try {
    for (let turn = 0; turn < Number(values.repeat); turn++) {
      const home = join(folder, `${prefix}home${turn}`);
      mkdirSync(home);
      const first = await serve(home, [trace]);
      const page = await openPage(browser, first.url, simsight);
      firsts.push(await page.firstPaint(openingTimeout));
      await page.close();
      await first.stop();

      const second = await serve(home, []);
      const again = await openPage(browser, second.url, simsight);
      await again.page.getByTestId('recent-trace').click();
      reopened.push(await again.firstPaint(openingTimeout));
      await again.close();
      await second.stop();
    }
    say(`${prefix}first_paint_ms`, part(firsts, 0.5), 'ms');
    say(`${prefix}first_paint_slowest_ms`, Math.max(...firsts), 'ms');
    say(`${prefix}reopen_ms`, part(reopened, 0.5), 'ms');

    const server = await serve(join(folder, `${prefix}home0`), [trace]);
    const page = await openPage(browser, server.url, simsight);
    await page.firstPaint(openingTimeout);
    const area = await page.page.getByTestId('timeline').boundingBox();
    report(await measure(page, area!), prefix);
    await page.close();
    await server.stop();
  } finally {
    await browser.close();
  }
}

async function measureSpeedscope(count: number, path: string): Promise<boolean> {
  const profile = join(folder, 'profile.json');
  const file = openTraceFile(path);
  try {
    await writeChromeTrace(file, profile, false);
  } finally {
    file.close();
  }
  console.log(
    `  speedscope: ${count.toLocaleString('en')} events, ${Math.round(statSync(profile).size / 1e6)} MB of JSON`,
  );
  const server = await serveSpeedscope(profile);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/#profileURL=${encodeURIComponent('/profile.json')}`;
  // It needs WebGL.
  const browser = await launchBrowser(true);
  try {
    const firsts: number[] = [];
    let page: TimelinePage | undefined;
    // Where it takes minutes, once tells enough.
    while (page === undefined || (firsts.length < Number(values.repeat) && firsts[0]! < 10_000)) {
      await page?.close();
      page = await openPage(browser, url, speedscope);
      firsts.push(await page.firstPaint(openingTimeout));
    }
    say('speedscope_events', count, '');
    say('speedscope_first_paint_ms', part(firsts, 0.5), 'ms');
    // Its drawing of all calls lies below the overview of them.
    report(await measure(page, { x: 0, y: 140, width: viewport.width, height: viewport.height - 140 }), 'speedscope_');
    return true;
  } catch (error) {
    console.log(
      `  speedscope does not open ${count.toLocaleString('en')} events: ${(error as Error).message.split('\n', 1)[0]}`,
    );
    return false;
  } finally {
    await browser.close();
    server.close();
  }
}

/** speedscope's pages and the profile beside them. */
async function serveSpeedscope(profile: string): Promise<Server> {
  const release = fileURLToPath(new URL('../../node_modules/speedscope/dist/release', import.meta.url));
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? '/', 'http://localhost').pathname) || 'index.html';
    const path = name === 'profile.json' ? profile : join(release, name);
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'content-length': statSync(path).size,
    });
    // A page that closes in the middle is not a fault.
    pipeline(createReadStream(path), response).catch(() => undefined);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

function writeRecording(path: string, count: number): void {
  // As compiled programs have them. speedscope runs out of memory in demangling where each of many events is one to itself.
  const names = new Map(
    Array.from({ length: 20 }, (_, name) => [
      `_Z${name + 7}kernel_${name}PfS_i`,
      { demangled: `kernel_${name}(float*, float*, int)`, short: `kernel_${name}` },
    ]),
  );
  const writer = createTraceWriter(path, { ...facts, names });
  for (const batch of recording(count, gpus, streamsPerGpu)) writer.append(batch);
  writer.finish({ exitCode: 0, notices: [], complete: true });
}

const trace = values.trace ?? join(folder, 'trace.simsight');
try {
  const events = Number(values.events);
  if (values.trace === undefined) writeRecording(trace, events);
  await measureSimsight(false);
  await measureSimsight(true);

  for (let count = Number(values.speedscope ?? events); count >= 1; count = Math.floor(count / 10)) {
    const path = count === events ? trace : join(folder, 'smaller.simsight');
    if (path !== trace) {
      rmSync(path, { force: true });
      writeRecording(path, count);
    }
    if (await measureSpeedscope(count, path)) break;
    flat['speedscope_failed_at'] = count;
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(flat, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
