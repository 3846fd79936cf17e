/** The windows that are open: which of them is ours, which one files and commands go to, and what waits for its page. */
import type { BrowserWindow, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import { channels, type ShellCommand } from './channels.ts';
import { isOurPage } from './page.ts';
import { openWindow, type WindowListener } from './window.ts';

interface Page {
  listens: boolean;
  /** To be shown as soon as it listens. */
  waiting: string[];
}

export class Windows {
  private readonly dataFolder: string;
  private readonly listener: WindowListener;
  /** The one used last is last. */
  private readonly pages = new Map<BrowserWindow, Page>();

  constructor(dataFolder: string, listener: WindowListener) {
    this.dataFolder = dataFolder;
    this.listener = listener;
  }

  get current(): BrowserWindow | undefined {
    return [...this.pages.keys()].at(-1);
  }

  /** `paths`: traces that it shows at once. */
  open(paths: string[] = []): BrowserWindow {
    const window = openWindow(this.dataFolder, this.current?.getNormalBounds(), this.listener);
    const page: Page = { listens: false, waiting: paths };
    this.pages.set(window, page);
    window.webContents.on('did-start-loading', () => (page.listens = false));
    window.on('focus', () => {
      if (this.pages.delete(window)) this.pages.set(window, page);
    });
    window.on('closed', () => this.pages.delete(window));
    return window;
  }

  /** In the window used last, or in a new one where there is none. */
  show(paths: string[]): void {
    const window = this.focus();
    if (paths.length === 0) return;
    const page = this.pages.get(window)!;
    if (page.listens) window.webContents.send(channels.open, paths);
    else page.waiting.push(...paths);
  }

  focus(): BrowserWindow {
    const window = this.current ?? this.open();
    if (window.isMinimized()) window.restore();
    window.focus();
    return window;
  }

  /** To the window used last. */
  command(command: ShellCommand): void {
    this.focus().webContents.send(channels.command, command);
  }
  commandAll(command: ShellCommand): void {
    for (const window of this.pages.keys()) window.webContents.send(channels.command, command);
  }

  /** The page of a window listens from now on. */
  pageListens(contents: WebContents): void {
    for (const [window, page] of this.pages) {
      if (window.webContents !== contents) continue;
      page.listens = true;
      const paths = page.waiting;
      page.waiting = [];
      if (paths.length > 0) contents.send(channels.open, paths);
    }
  }

  /** The window of a message: only main frames of our pages are heard; anything else is a fault or an attack. */
  sender(event: IpcMainEvent | IpcMainInvokeEvent): BrowserWindow | undefined {
    const frame = event.senderFrame;
    if (frame === null || frame.parent !== null || !isOurPage(frame.url)) return undefined;
    return [...this.pages.keys()].find(({ webContents }) => webContents === event.sender);
  }
}
