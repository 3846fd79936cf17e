/** Electron's `BrowserWindow`. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Bounds } from '../../electron/window-bounds.ts';
import type { Run } from './run.ts';
import { WebContents } from './web-contents.ts';

/** The part of Electron's options that counts here; sizes in pixels. */
export interface WindowOptions {
  x?: number;
  y?: number;
  width: number;
  height: number;
  webPreferences: { preload: string };
}

/** A window of a run. The app knows a class of it that knows its run ({@link windowClass}). */
export class HostWindow extends EventEmitter {
  readonly webContents: WebContents;
  private readonly options: WindowOptions;
  private bounds: Bounds;
  private maximized = false;
  private readonly run: Run;
  constructor(run: Run, windowOptions: WindowOptions) {
    super();
    this.run = run;
    this.webContents = new WebContents(run);
    this.options = windowOptions;
    const { x = 0, y = 0, width, height } = windowOptions;
    this.bounds = { x, y, width, height };
    this.run.windows.push(this);
    this.run.calls.push(['window', windowOptions]);
  }
  async loadURL(url: string): Promise<void> {
    const { width, height, webPreferences } = this.options;
    await this.webContents.load(url, webPreferences.preload, { width, height });
    this.emit('ready-to-show');
  }
  show(): void {
    this.run.calls.push(['show']);
  }
  focus(): void {
    this.run.calls.push(['focus']);
  }
  isDestroyed(): boolean {
    return this.run.hasEnded || !this.run.windows.includes(this);
  }
  isMinimized(): boolean {
    return false;
  }
  destroy(): void {
    this.run.calls.push(['destroy']);
    this.gone();
  }
  /** Unless its page wants to stay. */
  async close(): Promise<void> {
    await this.run.untilPrepared();
    const { page } = this.webContents;
    if (page && !(await this.left(page))) return;
    this.emit('close', { preventDefault() {} });
    this.gone();
    if (this.run.windows.length === 0 && !this.run.app.quitting) this.run.app.emit('window-all-closed');
  }
  /** Asks a page to go; true if it has. */
  private async left(page: Page): Promise<boolean> {
    const left = new Promise<boolean>((done) => {
      this.webContents.stayed = () => done(false);
      page.once('close', () => done(true));
    });
    // What ended the run took the browser away, and with it the page that was to be asked.
    await this.ask(page).catch((error: unknown) => {
      if (!this.run.hasEnded) throw error;
    });
    return left;
  }
  /** Not page.close(): that asks a page once and never again. A page that is between two documents cannot be asked, and soon can. */
  private async ask(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    for (;;) {
      try {
        await devtools.send('Page.close');
        return;
      } catch (error) {
        if (!/Not attached to an active page/.test(String(error))) throw error;
        await sleep(10);
      }
    }
  }
  private async closeContext(): Promise<void> {
    await this.run.untilPrepared();
    await this.webContents.page?.context().close();
  }
  private gone(): void {
    this.webContents.leave();
    this.run.windows.splice(this.run.windows.indexOf(this), 1);
    // Not waited for: Playwright may take long over a page that once refused to go.
    void this.closeContext().catch(() => {});
    this.emit('closed');
  }
  maximize(): void {
    this.run.calls.push(['maximize']);
    this.maximized = true;
  }
  isMaximized(): boolean {
    return this.maximized;
  }
  getNormalBounds(): Bounds {
    return this.bounds;
  }
  /** As a person does. */
  putAt(bounds: Bounds, maximized: boolean): void {
    this.bounds = bounds;
    this.maximized = maximized;
  }
}

/** `BrowserWindow` as the app of a run has it. */
export const windowClass = (run: Run) =>
  class BrowserWindow extends HostWindow {
    constructor(options: WindowOptions) {
      super(run, options);
    }
    static getAllWindows(): HostWindow[] {
      return run.windows;
    }
  };
