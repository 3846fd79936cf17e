/** Electron's `app`. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { launchOptions } from '../../build/chromium.ts';
import type { Run } from './run.ts';

export class App extends EventEmitter {
  readonly isPackaged: boolean;
  quitting = false;
  private ready = false;
  private hasExited = false;
  private readonly run: Run;
  constructor(run: Run) {
    super();
    this.run = run;
    this.isPackaged = run.options.isPackaged ?? false;
  }
  /** Never for an app that has quit before. */
  async whenReady(): Promise<void> {
    await this.run.prepares(this.startBrowser());
    if (this.hasExited || this.run.hasEnded) return new Promise(() => {});
    this.ready = true;
  }
  private async startBrowser(): Promise<void> {
    this.run.browser ??= await chromium.launch(launchOptions());
  }
  isReady(): boolean {
    return this.ready;
  }
  requestSingleInstanceLock(): boolean {
    return this.run.options.isFirstInstance ?? true;
  }
  getVersion(): string {
    return (JSON.parse(readFileSync(join(this.run.folder, 'package.json'), 'utf8')) as { version: string }).version;
  }
  /** Closes all windows first; a page that wants to stay ends it. */
  quit(): void {
    this.run.calls.push(['quit']);
    this.emit('before-quit', { preventDefault() {} });
    void (async () => {
      this.quitting = true;
      for (const window of [...this.run.windows]) await window.close();
      this.quitting = this.run.windows.length === 0;
      if (!this.quitting) return;
      let prevented = false;
      this.emit('will-quit', { preventDefault: () => (prevented = true) });
      if (prevented) return;
      this.hasExited = true;
      this.run.calls.push(['exit']);
    })();
  }
  setAboutPanelOptions(about: unknown): void {
    this.run.calls.push(['about', about]);
  }
  addRecentDocument(path: string): void {
    this.run.calls.push(['recent.add', path]);
  }
  clearRecentDocuments(): void {
    this.run.calls.push(['recent.clear']);
  }
}
