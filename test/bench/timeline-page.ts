/**
 * A timeline in a real Chromium: opened, moved by input that goes through the browser as a hand's does, and measured frame by
 * frame. Knows nothing of whose timeline it is.
 *
 *   const page = await openPage(browser, url, viewer);
 *   const frames = await page.record(() => page.drag(...));
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test';
import { chromiumArguments, chromiumRemedy, ensureChromium, softwareGlArguments } from '../../build/chromium.ts';

/** A timeline's mapping of wheel input to gestures. */
export interface Viewer {
  /** Runs in the page before its own scripts: calls `drawn` after the frame in which events are first to be seen. */
  watch: (drawn: () => void) => void;
  /** Wheel input: keys held (as CDP counts them) and how far it turns per event. */
  zoom: { modifiers: number; step: number };
  scroll: { modifiers: number; step: number };
}
export const keysHeld = { none: 0, alt: 1, ctrl: 2 } as const;

/** Figures of one stretch of input. */
export interface Recorded {
  /** Milliseconds from frame to frame while input went on. */
  frames: number[];
  /** Milliseconds from each input event until the page was through with the frame that shows its effect. */
  delays: number[];
}
export interface PageMemory {
  /** Private memory of the page's process, MB, pages shared with others not counted, less that of an empty page. Linux only. */
  privateMb: number | null;
  /** JavaScript's heap and the array buffers outside of it, garbage collected. */
  heapMb: number;
  /** Memory of the browser's GPU process, MB: with software GL the buffers and textures lie there. Linux only. */
  gpuMb: number | null;
}

interface Recorder {
  firstPaint: Promise<number>;
  start(): void;
  stop(): Recorded;
}
type RecorderWindow = Window & { benchRecorder: Recorder };

/** Hands move at the rate of the screen. */
const inputRate = 60;
export const viewport = { width: 1600, height: 900 };

export class TimelinePage {
  readonly page: Page;
  readonly #cdp: CDPSession;
  readonly #viewer: Viewer;

  constructor(page: Page, cdp: CDPSession, viewer: Viewer) {
    this.page = page;
    this.#cdp = cdp;
    this.#viewer = viewer;
  }

  /** Milliseconds from the start of the navigation, or from the last click, until events were to be seen. */
  async firstPaint(timeout: number): Promise<number> {
    const late = new AbortController();
    const gone = new Promise<never>((_, fail) => this.page.once('crash', () => fail(new Error('The page crashed.'))));
    const tooLate = sleep(timeout, undefined, { signal: late.signal }).then(() => {
      throw new Error(`Nothing is drawn after ${timeout / 1000} s.`);
    });
    // The loser of the race fails later, when nobody listens any more.
    for (const promise of [gone, tooLate]) promise.catch(() => undefined);
    try {
      const drawn = this.page.evaluate(() => (window as unknown as RecorderWindow).benchRecorder.firstPaint);
      drawn.catch(() => undefined);
      return await Promise.race([drawn, gone, tooLate]);
    } finally {
      late.abort();
    }
  }

  async record(input: () => Promise<void>): Promise<Recorded> {
    await this.page.evaluate(() => (window as unknown as RecorderWindow).benchRecorder.start());
    await input();
    return this.page.evaluate(() => (window as unknown as RecorderWindow).benchRecorder.stop());
  }

  /** Presses, moves by `dx` per event, lets go. */
  async drag(x: number, y: number, dx: number, events: number): Promise<void> {
    const send = (type: string, at: number, buttons: number): Promise<unknown> =>
      this.#cdp.send('Input.dispatchMouseEvent', {
        type: type as 'mouseMoved',
        ...{ x: at, y, buttons, button: type === 'mouseMoved' && !buttons ? 'none' : 'left', clickCount: 1 },
      });
    await send('mouseMoved', x, 0);
    await send('mousePressed', x, 1);
    await inRhythm(events, (i) => send('mouseMoved', x + dx * (i + 1), 1));
    await send('mouseReleased', x + dx * events, 0);
  }
  /** In for 1, out for −1. */
  zoom(x: number, y: number, direction: 1 | -1, events: number): Promise<void> {
    const { modifiers, step } = this.#viewer.zoom;
    return this.#wheel(x, y, -direction * step, modifiers, events);
  }
  /** Down for 1, up for −1. */
  scroll(x: number, y: number, direction: 1 | -1, events: number): Promise<void> {
    const { modifiers, step } = this.#viewer.scroll;
    return this.#wheel(x, y, direction * step, modifiers, events);
  }
  #wheel(x: number, y: number, deltaY: number, modifiers: number, events: number): Promise<void> {
    return inRhythm(events, () =>
      this.#cdp.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY, modifiers }),
    );
  }
  /** A letter that is held down. */
  async hold(key: string, events: number): Promise<void> {
    const code = `Key${key.toUpperCase()}`;
    const windowsVirtualKeyCode = key.toUpperCase().charCodeAt(0);
    await inRhythm(events, (i) =>
      this.#cdp.send('Input.dispatchKeyEvent', {
        ...{ type: 'keyDown', key, code, text: key, windowsVirtualKeyCode, autoRepeat: i > 0 },
      }),
    );
    await this.#cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode });
  }

  async memory(): Promise<PageMemory> {
    const browser = this.page.context().browser()!;
    const [privateMb, gpuMb] = [await largestMb(browser, 'renderer'), await largestMb(browser, 'GPU')];
    await this.#cdp.send('HeapProfiler.collectGarbage');
    const heap = (await this.#cdp.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number };
    const heapMb = (heap.usedSize + (heap.backingStorageSize ?? 0)) / 1e6;
    const emptyMb = await emptyPageMb();
    return { privateMb: privateMb === null || emptyMb === null ? null : privateMb - emptyMb, heapMb, gpuMb };
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

/** With or without an imitated GPU. */
export function launchBrowser(softwareGl: boolean): Promise<Browser> {
  const executablePath = ensureChromium(console.error);
  if (!executablePath) throw new Error(`There is no Chromium. ${chromiumRemedy}`);
  return chromium.launch({ executablePath, args: softwareGl ? softwareGlArguments : chromiumArguments });
}

/** A page with an empty cache; comes back as soon as the page's own code may run. */
export async function openPage(browser: Browser, url: string, viewer: Viewer): Promise<TimelinePage> {
  const context = await browser.newContext({ viewport, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.addInitScript({ content: `(${String(installRecorder)})(${String(viewer.watch)})` });
  const cdp = await context.newCDPSession(page);
  await page.goto(url, { waitUntil: 'commit' });
  return new TimelinePage(page, cdp, viewer);
}

/** Sent at its time, whether or not the page is through with what was sent before: a hand does not wait either. */
async function inRhythm(events: number, send: (index: number) => Promise<unknown>): Promise<void> {
  const begin = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < events; i++) {
    const wait = begin + (i * 1000) / inputRate - performance.now();
    if (wait > 0) await sleep(wait);
    sent.push(send(i));
  }
  await Promise.all(sent);
}

/** Runs in the page, before its own scripts. */
function installRecorder(watch: Viewer['watch']): void {
  let from = 0;
  addEventListener('click', (event) => (from = event.timeStamp), { capture: true });
  const firstPaint = new Promise<number>((resolve) => watch(() => resolve(performance.now() - from)));

  let recorded: Recorded | null = null;
  let last = 0;
  let next = 0;
  const everyFrame = (now: number): void => {
    if (last > 0) recorded?.frames.push(now - last);
    last = now;
    next = requestAnimationFrame(everyFrame);
  };
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => recorded?.delays.push(performance.now() - Number(data));
  // Whoever handles the event draws in this frame; a message that is sent within it comes after it.
  const input = (event: Event): void => {
    if (!recorded) return;
    const earliest = event instanceof PointerEvent ? event.getCoalescedEvents()[0] : undefined;
    const time = (earliest ?? event).timeStamp;
    requestAnimationFrame(() => port2.postMessage(time));
  };
  for (const type of ['pointermove', 'wheel', 'keydown']) {
    addEventListener(type, input, { capture: true, passive: true });
  }
  const recorder: Recorder = {
    firstPaint,
    start() {
      recorded = { frames: [], delays: [] };
      last = 0;
      next = requestAnimationFrame(everyFrame);
    },
    stop() {
      const result = recorded!;
      recorded = null;
      cancelAnimationFrame(next);
      return result;
    },
  };
  Object.assign(window, { benchRecorder: recorder });
}

/** Private memory of the largest of the browser's processes of a type; null where the system does not tell. */
async function largestMb(browser: Browser, type: string): Promise<number | null> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const sizes = processInfo.filter((process) => process.type === type).map(({ id }) => privateMb(id));
  const known = sizes.filter((size) => size !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function privateMb(pid: number): number | null {
  const path = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, 'utf8').matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
  return [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0) / 1e6;
}

/** Memory that Chromium takes for an empty page, in a browser of the same kind, MB. */
async function emptyPageMb(): Promise<number | null> {
  const other = await launchBrowser(false);
  try {
    const page = await (await other.newContext({ viewport })).newPage();
    await page.goto('data:text/html,<title>Empty</title>');
    return await largestMb(other, 'renderer');
  } finally {
    await other.close();
  }
}
