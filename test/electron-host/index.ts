/**
 * A stand-in for Electron where its runtime cannot be had: just the API that the app uses, with real Chromium pages. It
 * runs the built `main.js` and `preload.cjs` as they are:
 *
 *   const app = await launch({ argv: ['trace.simsight'] });
 *   await app.page.getByTestId('timeline').waitFor();
 *   app.emit('second-instance', {}, ['simsight', 'other.simsight'], '/home/me');
 *   await app.close();
 *
 * Limits, beside those of page-shim.ts: a page's origin is `https://simsight.app.invalid`, where Electron has
 * `app://simsight`; menus and dialogs are recorded, not shown; a utilityProcess is a thread.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { Page } from '@playwright/test';
import type { Bounds } from '../../electron/window-bounds.ts';
import { archives, modules } from './modules.ts';
import { MessageChannelMain } from './ports.ts';
import { Run, type LaunchOptions, type MenuItem } from './run.ts';
import { windowClass } from './window.ts';

const largeDisplay: Bounds = { x: 0, y: 0, width: 2560, height: 1440 };

interface IpcEvent {
  sender: unknown;
  senderFrame: unknown;
}

/** One run of the app, as a test sees it. */
export interface RunningApp {
  /** The first window's page. */
  page: Page;
  /** The app's calls of Electron, in order: `['window', options]`, `['dialog.open', options]`, `['quit']` … */
  calls: unknown[][];
  /** Answers for the next dialogs; a dialog without one counts as closed. */
  openDialogAnswers: { canceled: boolean; filePaths: string[] }[];
  messageBoxAnswers: { response: number }[];
  /** The windows' pages, in the order in which they were opened. */
  pages: Page[];
  /** Closes a window as its button does. */
  closeWindow(index?: number): Promise<void>;
  /** Gives a window the keyboard. */
  focusWindow(index: number): void;
  /** Ends the first window's page as a crash would. */
  crashPage(reason: string): void;
  quit(): void;
  /** True if a page's request may leave it. */
  askNetwork(url: string): boolean;
  emit(event: string, ...args: unknown[]): void;
  /** Chooses a menu item by its id. */
  chooseMenuItem(id: string): void;
  menu: MenuItem[];
  /** Answers of the page's permission handlers. */
  askPermission(permission: string): Promise<{ check: boolean; request: boolean; device: boolean }>;
  /** Sends to main as another frame would: `sender` and `senderFrame` are the test's. */
  forge(channel: string, event: IpcEvent): { invoked: Promise<unknown> | undefined };
  /** `sender` of real messages, for half-forged ones. */
  sender: unknown;
  /** Puts the window there, then closes it. */
  leaveWindow(bounds: Bounds, maximized: boolean): void;
  /** Ends the engine's process as a crash would. */
  crashEngine(exitCode: number): void;
  engines: Worker[];
  close(): Promise<void>;
}

let runCount = 0;

/** Starts the app, and waits for its first window. */
export async function launch(options: LaunchOptions = {}): Promise<RunningApp> {
  const run = new Run(options);
  const id = String(++runCount);
  if (options.archive !== undefined) archives.set(id, { folder: run.folder, file: options.archive });
  modules.set(id, moduleOf(run));
  await start(run, id);
  return running(run, id);
}

/** The `electron` module as the app of a run imports it. */
function moduleOf(run: Run): Record<string, unknown> {
  const { app, ipcMain, session, processes, calls } = run;
  return {
    app,
    BrowserWindow: windowClass(run),
    screen: { getAllDisplays: () => (run.options.displays ?? [largeDisplay]).map((workArea) => ({ workArea })) },
    ipcMain,
    MessageChannelMain,
    session,
    utilityProcess: processes,
    protocol: {
      registerSchemesAsPrivileged: (list: unknown) => calls.push(['schemes', list]),
      handle: (scheme: string, handler: (request: Request) => Response) => run.schemes.set(scheme, handler),
    },
    shell: { showItemInFolder: (path: string) => calls.push(['shell.show', path]) },
    dialog: dialogsOf(run),
    Menu: {
      buildFromTemplate: (template: MenuItem[]) => template,
      setApplicationMenu: (template: MenuItem[]) => (run.menu = template),
    },
  };
}

/** Dialogs that nobody answers count as closed. */
function dialogsOf({ calls, openDialogAnswers, messageBoxAnswers }: Run): Record<string, unknown> {
  const cancelled = (args: unknown[]): number => (args.at(-1) as { cancelId?: number }).cancelId ?? 0;
  return {
    showErrorBox: (...args: unknown[]) => calls.push(['dialog.error', ...args]),
    async showOpenDialog(...args: unknown[]) {
      calls.push(['dialog.open', args.at(-1)]);
      return openDialogAnswers.shift() ?? { canceled: true, filePaths: [] };
    },
    showMessageBoxSync(...args: unknown[]) {
      calls.push(['dialog.message', args.at(-1)]);
      return messageBoxAnswers.shift()?.response ?? cancelled(args);
    },
    async showMessageBox(...args: unknown[]) {
      calls.push(['dialog.message', args.at(-1)]);
      return messageBoxAnswers.shift() ?? { response: cancelled(args) };
    },
  };
}

/** Imports the app's main script with the command line and environment of the run. */
async function start({ options, folder, calls }: Run, id: string): Promise<void> {
  const before = { argv: process.argv, env: { ...process.env } };
  process.argv = ['electron', ...(options.isPackaged ? [] : [folder]), ...(options.argv ?? [])];
  Object.assign(process.env, options.env);
  try {
    await import(`${pathToFileURL(join(folder, 'dist', 'electron', 'main.js')).href}?run=${id}`);
    if (options.isFirstInstance ?? true) await untilShown(calls);
  } finally {
    process.argv = before.argv;
    for (const name of Object.keys(options.env ?? {})) {
      if (name in before.env) process.env[name] = before.env[name];
      else delete process.env[name];
    }
  }
}

const itemsOf = (items: MenuItem[]): MenuItem[] => items.flatMap((item) => [item, ...itemsOf(item.submenu ?? [])]);

function running(run: Run, id: string): RunningApp {
  const { app, ipcMain, session, processes, windows, calls, openDialogAnswers, messageBoxAnswers } = run;
  return {
    get page() {
      return windows[0]!.webContents.page!;
    },
    get pages() {
      return windows.flatMap(({ webContents }) => webContents.page ?? []);
    },
    get menu() {
      return itemsOf(run.menu);
    },
    get sender() {
      return windows[0]!.webContents;
    },
    calls,
    engines: processes.engines,
    openDialogAnswers,
    messageBoxAnswers,
    focusWindow: (index) => void windows[index]!.emit('focus'),
    crashPage: (reason) => void windows[0]!.webContents.emit('render-process-gone', {}, { reason }),
    quit: () => app.quit(),
    closeWindow: (index = 0) => windows[index]!.close(),
    askNetwork: (url) => session.lets(url),
    emit: (event, ...args) => void app.emit(event, ...args),
    chooseMenuItem(id) {
      const item = itemsOf(run.menu).find((candidate) => candidate.id === id);
      if (!item?.click) throw new Error(`There is no menu item "${id}".`);
      item.click();
    },
    askPermission: (permission) => session.answers(permission),
    forge(channel, event) {
      ipcMain.emit(channel, event);
      const invoker = ipcMain.invokers.get(channel);
      return { invoked: invoker && (async () => invoker(event))() };
    },
    leaveWindow(bounds, maximized) {
      windows[0]!.putAt(bounds, maximized);
      windows[0]!.emit('close', { preventDefault() {} });
    },
    crashEngine: (exitCode) => processes.crashEngine(exitCode),
    async close() {
      run.hasEnded = true;
      await run.untilPrepared();
      await run.browser?.close();
      await processes.end();
      modules.delete(id);
    },
  };
}

/**
 * Until its window is there, or it has ended without one: what it says then and quits may come first.
 * A machine with other work may take a minute to start a browser; a test has five.
 */
async function untilShown(calls: Run['calls'], timeoutMs = 150_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!calls.some(([name]) => name === 'show' || name === 'exit')) {
    if (Date.now() > end) {
      const did = calls.map(([name]) => name).join(', ');
      throw new Error(`The app did not show its window in ${timeoutMs / 1000} s. What it did: ${did}`);
    }
    await new Promise((done) => setTimeout(done, 10));
  }
}
