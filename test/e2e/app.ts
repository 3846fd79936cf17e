/** The app in browser mode for one test: a server with folders of its own, a page, and eyes for what the canvas shows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test as base, type Page } from '@playwright/test';
import type * as Serve from '../../engine/serve/index.ts';
import type { SceneOfTrace } from '../../renderer/src/trace/test-hook.ts';

export type SceneRect = SceneOfTrace['rects'][number];
export const root = join(import.meta.dirname, '..', '..');

export interface App {
  page: Page;
  /** Removed afterwards; the server may open files from `folder`, and keeps its own in `dataFolder`. */
  folder: string;
  dataFolder: string;
  /** Starts a server that shows these traces at once, and goes there. */
  start(...traces: string[]): Promise<void>;
  /** Scenes of the timelines, once everything has arrived and nothing moves any more. */
  scene(): Promise<SceneOfTrace[]>;
  /** Colours as they are on the screen, `#rrggbb`. */
  pixels(points: { x: number; y: number }[]): Promise<string[]>;
}

export const test = base.extend<{ app: App }>({
  app: async ({ page, context }, use) => {
    // The bundle, not the sources: that is what people run.
    const bundle = pathToFileURL(join(root, 'dist', 'engine', 'serve', 'index.js')).href;
    const { startServer } = (await import(bundle)) as typeof Serve;
    const work = mkdtempSync(join(tmpdir(), 'simsight-e2e-'));
    const [folder, dataFolder] = [join(work, 'files'), join(work, 'home')];
    for (const made of [folder, dataFolder]) mkdirSync(made);
    const servers: Serve.RunningServer[] = [];
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));

    await use({
      page,
      folder,
      dataFolder,
      async start(...traces) {
        const server = await startServer({ folders: [folder], open: traces, dataFolder });
        servers.push(server);
        await page.goto(server.url);
      },
      scene: () => settledScene(page),
      async pixels(points) {
        const picture = (await page.screenshot({ scale: 'css' })).toString('base64');
        // A page without a policy reads the picture: ours would not load it.
        const reader = await context.newPage();
        const colours = await reader.evaluate(colourOfPoints, { picture, points });
        await reader.close();
        return colours;
      },
    });

    // Errors of a page whose server has gone are no fault.
    const own = [...faults];
    for (const server of servers) await server.close();
    rmSync(work, { recursive: true, force: true });
    expect(own, 'errors on the page').toEqual([]);
  },
});

type ScenePage = Window & { simsightScene?: () => SceneOfTrace[] };

async function settledScene(page: Page): Promise<SceneOfTrace[]> {
  let last = '';
  let current: SceneOfTrace[] = [];
  await expect(async () => {
    current = await page.evaluate(async () => {
      // What has come is drawn in the next frame, which may be late on a busy machine.
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return (window as unknown as ScenePage).simsightScene?.() ?? [];
    });
    const before = last;
    last = JSON.stringify(current);
    expect(current.length, 'traces on the screen').toBeGreaterThan(0);
    expect(current.every(({ loading }) => !loading)).toBe(true);
    expect(last, 'the scene is still moving').toBe(before);
  }).toPass({ intervals: [100], timeout: 60_000 });
  return current;
}

async function colourOfPoints({
  picture,
  points,
}: {
  picture: string;
  points: { x: number; y: number }[];
}): Promise<string[]> {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d')!;
  context.drawImage(image, 0, 0);
  return points.map(({ x, y }) => {
    const [red, green, blue] = context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data;
    return `#${[red!, green!, blue!].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  });
}

/** Chrome's JSON, some 150 bytes an event: half a million take seconds to open. */
export function chromeTrace(path: string, events: number): void {
  const lines = Array.from(
    { length: events },
    (_, i) =>
      `{"ph":"X","cat":"kernel","name":"gemm_${i % 50}","pid":0,"tid":${7 + (i % 4)},"ts":${i * 10}.123,"dur":7.5,"args":{"device":0,"stream":${7 + (i % 4)},"correlation":${i}}}`,
  );
  writeFileSync(path, `{"traceEvents":[\n${lines.join(',\n')}\n]}`);
}

/** How far apart two `#rrggbb` are at most in one channel. */
export function distance(one: string, other: string): number {
  const channels = (colour: string): number[] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const [a, b] = [channels(one), channels(other)];
  return Math.max(...a.map((value, index) => Math.abs(value - b[index]!)));
}

/** A point inside a rectangle where no label is: near its lower left corner. */
export const inside = ({ x, y, height }: SceneRect): { x: number; y: number } => ({ x: x + 2, y: y + height - 3 });
/** Events that hit each other in time. */
export const overlap = (one: SceneRect, other: SceneRect): boolean =>
  one.startNs < other.startNs + other.durationNs && other.startNs < one.startNs + one.durationNs;
