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
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import {
  chromium,
  type Browser,
  type Dialog,
  type Frame,
  type Page,
  type Request as PageRequest,
  type Route,
} from '@playwright/test';
import { chromiumArguments, findChromium } from '../../build/chromium.ts';
import type { Bounds } from '../../electron/window-bounds.ts';
import { pack, pageShim, unpack } from './page-shim.ts';

export interface LaunchOptions {
  /** Folder of the app: holds `package.json` and `dist/`. Default: this checkout. */
  folder?: string;
  /** Words after the program and the app's folder. */
  argv?: string[];
  isPackaged?: boolean;
  /** The archive that `folder` was unpacked from. */
  archive?: string;
  /** What `requestSingleInstanceLock` answers: false when another instance has it. */
  isFirstInstance?: boolean;
  env?: Record<string, string>;
  /** Work areas of the displays; default: one of 2560 × 1440. */
  displays?: Bounds[];
}

const largeDisplay: Bounds = { x: 0, y: 0, width: 2560, height: 1440 };

interface MenuItem {
  id?: string;
  label?: string;
  role?: string;
  accelerator?: string;
  submenu?: MenuItem[];
  click?: () => void;
}
interface IpcEvent {
  sender: unknown;
  senderFrame: unknown;
}
type PermissionAnswer = (granted: boolean) => void;

/** One run of the app, as a test sees it. */
export interface RunningApp {
  /** The first window's page. */
  page: Page;
  /** What the app asked of Electron, in order: `['window', options]`, `['dialog.open', options]`, `['quit']` … */
  calls: unknown[][];
  /** Answers for the next dialogs; a dialog without one counts as closed. */
  openDialogAnswers: { canceled: boolean; filePaths: string[] }[];
  messageBoxAnswers: { response: number }[];
  /** The windows' pages, in the order in which they were opened. */
  pages: Page[];
  /** What the user does with a window's close button. */
  closeWindow(index?: number): Promise<void>;
  /** Gives a window the keyboard. */
  focusWindow(index: number): void;
  /** Ends the first window's page as a crash would. */
  crashPage(reason: string): void;
  quit(): void;
  /** Whether a request of a page may leave it. */
  askNetwork(url: string): boolean;
  emit(event: string, ...args: unknown[]): void;
  /** Chooses a menu item by its id. */
  chooseMenuItem(id: string): void;
  menu: MenuItem[];
  /** What the page's permission handlers say. */
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

const runs = new Map<string, Record<string, unknown>>();
registerHooks({
  resolve(specifier, context, next) {
    const run = /[?&]run=(\d+)/.exec(context.parentURL ?? '')?.[1];
    // Electron's own has the file system as it is; ours is that already.
    if (specifier === 'original-fs') return { url: `original-fs:${run}`, format: 'module', shortCircuit: true };
    if (specifier !== 'electron' || !run) return next(specifier, context);
    return { url: `electron-host:${run}`, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (url.startsWith('original-fs:')) {
      const source = `import * as fs from 'node:fs';
        const archive = globalThis.electronHostArchives.get('${url.slice('original-fs:'.length)}');
        export const { closeSync, createReadStream, readdirSync, readSync } = fs;
        export const openSync = (path, flags) => fs.openSync(path === archive?.folder ? archive.file : path, flags);`;
      return { format: 'module', source, shortCircuit: true };
    }
    if (!url.startsWith('electron-host:')) return next(url, context);
    const run = url.slice('electron-host:'.length);
    const names = Object.keys(runs.get(run)!).join(', ');
    const source = `export const { ${names} } = globalThis.electronHostRuns.get('${run}');`;
    return { format: 'module', source, shortCircuit: true };
  },
});
/** Where a packed app lies as a folder, the archive that it was. */
const archives = new Map<string, { folder: string; file: string }>();
Object.assign(globalThis, { electronHostRuns: runs, electronHostArchives: archives });
let runCount = 0;

/** Electron's port over Node's. */
class MessagePortMain extends EventEmitter {
  readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
  }
  start(): void {
    this.port.on('message', (data) => this.emit('message', { data, ports: [] }));
    this.port.on('close', () => this.emit('close'));
  }
  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (transfer.some((item) => !(item instanceof MessagePortMain))) {
      throw new TypeError('Port at index 0 is not a valid port'); // as Electron says
    }
    this.port.postMessage(message);
  }
  close(): void {
    this.port.close();
  }
}
class MessageChannelMain {
  readonly port1: MessagePortMain;
  readonly port2: MessagePortMain;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new MessagePortMain(port1);
    this.port2 = new MessagePortMain(port2);
  }
}

export async function launch(options: LaunchOptions = {}): Promise<RunningApp> {
  const folder = options.folder ?? join(import.meta.dirname, '..', '..');
  const run = String(++runCount);
  if (options.archive !== undefined) archives.set(run, { folder, file: options.archive });
  const calls: unknown[][] = [];
  const openDialogAnswers: RunningApp['openDialogAnswers'] = [];
  const messageBoxAnswers: RunningApp['messageBoxAnswers'] = [];
  const engines: Worker[] = [];
  const engineEmitters: EventEmitter[] = [];
  /** Queries and programs. */
  const helpers: Worker[] = [];
  const windows: BrowserWindow[] = [];
  const schemes = new Map<string, (request: Request) => Response | Promise<Response>>();
  let browser: Browser | undefined;
  let hasEnded = false;
  let menu: MenuItem[] = [];
  let onBeforeRequest: ((details: { url: string }, answer: (reply: { cancel: boolean }) => void) => void) | undefined;

  class App extends EventEmitter {
    isPackaged = options.isPackaged ?? false;
    quitting = false;
    private ready = false;
    async whenReady(): Promise<void> {
      browser ??= await chromium.launch({ executablePath: findChromium(), args: chromiumArguments });
      this.ready = true;
    }
    isReady(): boolean {
      return this.ready;
    }
    requestSingleInstanceLock(): boolean {
      return options.isFirstInstance ?? true;
    }
    getVersion(): string {
      return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
    }
    /** Closes all windows first; a page that wants to stay ends it. */
    quit(): void {
      calls.push(['quit']);
      this.emit('before-quit', { preventDefault() {} });
      void (async () => {
        this.quitting = true;
        for (const window of [...windows]) await window.close();
        this.quitting = windows.length === 0;
        if (!this.quitting) return;
        let prevented = false;
        this.emit('will-quit', { preventDefault: () => (prevented = true) });
        if (!prevented) calls.push(['exit']);
      })();
    }
    setAboutPanelOptions(about: unknown): void {
      calls.push(['about', about]);
    }
    addRecentDocument(path: string): void {
      calls.push(['recent.add', path]);
    }
    clearRecentDocuments(): void {
      calls.push(['recent.clear']);
    }
  }
  const app = new App();

  let permissionCheck: ((...args: unknown[]) => boolean) | undefined;
  let permissionRequest: ((contents: unknown, permission: string, answer: PermissionAnswer) => void) | undefined;
  let devicePermission: ((...args: unknown[]) => boolean) | undefined;
  const session = {
    defaultSession: {
      setPermissionCheckHandler: (handler: typeof permissionCheck) => (permissionCheck = handler),
      setPermissionRequestHandler: (handler: typeof permissionRequest) => (permissionRequest = handler),
      setDevicePermissionHandler: (handler: typeof devicePermission) => (devicePermission = handler),
      webRequest: { onBeforeRequest: (handler: typeof onBeforeRequest) => (onBeforeRequest = handler) },
    },
  };

  class IpcMain extends EventEmitter {
    readonly invokers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>();
    handle(channel: string, invoker: (event: unknown, ...args: unknown[]) => unknown): void {
      this.invokers.set(channel, invoker);
    }
  }
  const ipcMain = new IpcMain();

  const utilityProcess = {
    fork(entry: string, args: string[] = [], { stdio }: { stdio?: string } = {}) {
      const piped = stdio === 'pipe';
      const worker = new Worker(new URL('./utility.ts', import.meta.url), {
        argv: args,
        ...{ stdout: piped, stderr: piped },
        // The test runner's loaders are not for the engine.
        execArgv: [],
        env: { ...process.env, NODE_OPTIONS: '' },
        workerData: { entry: pathToFileURL(entry).href },
      });
      const isEngine = /\bhost[\\/]worker\.js$/.test(entry);
      calls.push([isEngine ? 'fork' : 'fork helper', entry]);
      const child = new EventEmitter();
      if (isEngine) {
        engines.push(worker);
        engineEmitters.push(child);
      } else helpers.push(worker);
      worker.on('message', (message) => child.emit('message', message));
      worker.on('error', (error) => console.error(error));
      worker.on('exit', (code) => child.emit('exit', code));
      return Object.assign(child, {
        ...(piped ? { stdout: worker.stdout, stderr: worker.stderr } : {}),
        postMessage(message: unknown, ports: MessagePortMain[] = []) {
          const bare = ports.map(({ port }) => port);
          worker.postMessage({ message, ports: bare }, bare);
        },
        kill: () => void worker.terminate(),
      });
    },
  };

  class WebContents extends EventEmitter {
    readonly session = session.defaultSession;
    page: Page | undefined;
    openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
    stayed: (() => void) | undefined;
    private nextPort = 0;
    private readonly ports = new Map<string, MessagePort>();
    private navigation: string | undefined;

    setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
      this.openHandler = handler;
    }
    send(channel: string, ...args: unknown[]): void {
      calls.push(['send', channel, ...args]);
      this.deliver('ipc', channel, { args, ports: [] });
    }
    reload(): void {
      calls.push(['reload']);
      this.navigation = this.page!.url();
      this.emit('did-start-loading');
      void this.page!.reload();
    }

    /** Until the page has heard of it: Chromium ignores a further wish to close a page while one is being decided. */
    private async stay(asked: Dialog): Promise<void> {
      await asked.dismiss();
      await this.page!.evaluate(() => {});
      this.stayed?.();
    }

    /** The page's ports close with it. */
    leave(): void {
      for (const port of this.ports.values()) port.close();
      this.ports.clear();
    }

    private deliver(kind: string, key: string, content: unknown): void {
      const arrive = ([kindOf, name, text]: [string, string, string]): void =>
        (window as unknown as { __electronDeliver(...args: string[]): void }).__electronDeliver(kindOf, name, text);
      void this.page?.evaluate(arrive, [kind, key, pack(content)] as [string, string, string]).catch(() => {});
    }

    /** `url` as the app knows it; pages cannot have a scheme of the app's own here. */
    private appUrl(url: string): string {
      return url.replace(/^https:\/\/([^/]+)\.([a-z]+)\.invalid(?=\/|$)/, '$2://$1');
    }

    private frameOf(frame: Frame): unknown {
      return {
        url: this.appUrl(frame.url()),
        parent: frame.parentFrame(),
        postMessage: (channel: string, message: unknown, transfer: MessagePortMain[] = []) => {
          const ids = transfer.map(({ port }) => {
            const id = String(this.nextPort++);
            this.ports.set(id, port);
            port.on('message', (data) => this.deliver('port', id, data));
            port.on('close', () => this.deliver('close', id, null));
            return id;
          });
          this.deliver('ipc', channel, { args: [message], ports: ids });
        },
      };
    }

    private async fromPage(frame: Frame, kind: string, key: string, text: string): Promise<string | undefined> {
      const content = unpack(text);
      if (kind === 'port') {
        this.ports.get(key)?.postMessage(content);
        return;
      }
      const event = { sender: this, senderFrame: this.frameOf(frame) };
      const args = content as unknown[];
      if (kind === 'send') {
        ipcMain.emit(key, event, ...args);
        return;
      }
      try {
        const invoker = ipcMain.invokers.get(key);
        if (!invoker) throw new Error(`No handler registered for '${key}'`);
        return pack({ value: await invoker(event, ...args) });
      } catch (error) {
        return pack({ error: String(error) });
      }
    }

    private async route(route: Route): Promise<void> {
      const request = route.request();
      const url = this.appUrl(request.url());
      if (request.isNavigationRequest() && request.url() !== this.navigation) {
        if (isPopup(request)) {
          const { action } = this.openHandler({ url });
          calls.push(['window.open', url, action]);
          return action === 'deny' ? route.abort('aborted') : route.fulfill({ status: 200, body: 'a popup' });
        }
        let prevented = false;
        const event = { url, preventDefault: () => (prevented = true) };
        if (request.frame().parentFrame() === null) this.emit('will-navigate', event, url);
        this.emit('will-frame-navigate', event);
        calls.push(['navigate', url, prevented ? 'denied' : 'allowed']);
        if (prevented) return route.abort('aborted');
      }
      const handler = schemes.get(new URL(url).protocol.slice(0, -1));
      if (!handler) {
        calls.push(['network', url]);
        return route.fulfill({ status: 200, contentType: 'text/html', body: 'the network' });
      }
      const response = await handler(new Request(url.replace(/#.*/, '')));
      const body = Buffer.from(await response.arrayBuffer());
      return route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
    }

    async load(url: string, preload: string, size: { width: number; height: number }): Promise<void> {
      const { protocol: scheme, host, pathname } = new URL(url);
      const context = await browser!.newContext({ viewport: size, colorScheme: 'dark' });
      const page = await context.newPage();
      this.page = page;
      page.on('dialog', (asked) => {
        if (asked.type() !== 'beforeunload') return void asked.dismiss();
        let leave = false;
        this.emit('will-prevent-unload', { preventDefault: () => (leave = true) });
        calls.push(['unload', leave ? 'goes' : 'stays']);
        if (leave) void asked.accept();
        else void this.stay(asked);
      });
      this.navigation = `https://${host}.${scheme.slice(0, -1)}.invalid${pathname}`;
      // Electron would not even make it; here its only request was refused, and it goes.
      context.on('page', (popup) => void popup.close());
      page.on('framenavigated', (frame) => {
        if (frame === page.mainFrame()) this.leave();
      });
      await context.route('**/*', (route) => this.route(route));
      await page.exposeBinding('__electronHost', ({ frame }, kind: string, key: string, text: string) =>
        this.fromPage(frame, kind, key, text),
      );
      await page.addInitScript(pageShim(readFileSync(preload, 'utf8')));
      this.emit('did-start-loading');
      await page.goto(this.navigation).catch((error: unknown) => {
        throw /ERR_ABORTED|has been closed/.test(String(error)) ? aborted(url) : error;
      });
      this.navigation = undefined;
    }
  }

  class BrowserWindow extends EventEmitter {
    readonly webContents = new WebContents();
    private readonly options: {
      x?: number;
      y?: number;
      width: number;
      height: number;
      webPreferences: { preload: string };
    };
    private bounds: Bounds;
    private maximized = false;
    constructor(windowOptions: BrowserWindow['options']) {
      super();
      this.options = windowOptions;
      const { x = 0, y = 0, width, height } = windowOptions;
      this.bounds = { x, y, width, height };
      windows.push(this);
      calls.push(['window', windowOptions]);
    }
    async loadURL(url: string): Promise<void> {
      const { width, height, webPreferences } = this.options;
      await this.webContents.load(url, webPreferences.preload, { width, height });
      this.emit('ready-to-show');
    }
    show(): void {
      calls.push(['show']);
    }
    focus(): void {
      calls.push(['focus']);
    }
    isDestroyed(): boolean {
      return hasEnded || !windows.includes(this);
    }
    isMinimized(): boolean {
      return false;
    }
    destroy(): void {
      calls.push(['destroy']);
      this.gone();
    }
    /** Unless its page wants to stay. */
    async close(): Promise<void> {
      const { page } = this.webContents;
      if (page && !(await this.left(page))) return;
      this.emit('close', { preventDefault() {} });
      this.gone();
      if (windows.length === 0 && !app.quitting) app.emit('window-all-closed');
    }
    /** Asks a page to go; whether it has. */
    private async left(page: Page): Promise<boolean> {
      const left = new Promise<boolean>((done) => {
        this.webContents.stayed = () => done(false);
        page.once('close', () => done(true));
      });
      // Not page.close(): that asks a page once and never again.
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Page.close');
      return left;
    }
    private gone(): void {
      this.webContents.leave();
      windows.splice(windows.indexOf(this), 1);
      // Not waited for: Playwright may take long over a page that once refused to go.
      void this.webContents.page
        ?.context()
        .close()
        .catch(() => {});
      this.emit('closed');
    }
    maximize(): void {
      calls.push(['maximize']);
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
    static getAllWindows(): BrowserWindow[] {
      return windows;
    }
  }

  const closed = { canceled: true, filePaths: [] };
  runs.set(run, {
    app,
    BrowserWindow,
    screen: { getAllDisplays: () => (options.displays ?? [largeDisplay]).map((workArea) => ({ workArea })) },
    ipcMain,
    MessageChannelMain,
    session,
    utilityProcess,
    protocol: {
      registerSchemesAsPrivileged: (list: unknown) => calls.push(['schemes', list]),
      handle: (scheme: string, handler: (request: Request) => Response) => schemes.set(scheme, handler),
    },
    shell: { showItemInFolder: (path: string) => calls.push(['shell.show', path]) },
    dialog: {
      showErrorBox: (...args: unknown[]) => calls.push(['dialog.error', ...args]),
      async showOpenDialog(...args: unknown[]) {
        calls.push(['dialog.open', args.at(-1)]);
        return openDialogAnswers.shift() ?? closed;
      },
      showMessageBoxSync(...args: unknown[]) {
        calls.push(['dialog.message', args.at(-1)]);
        return messageBoxAnswers.shift()?.response ?? (args.at(-1) as { cancelId?: number }).cancelId ?? 0;
      },
      async showMessageBox(...args: unknown[]) {
        calls.push(['dialog.message', args.at(-1)]);
        return messageBoxAnswers.shift() ?? { response: (args.at(-1) as { cancelId?: number }).cancelId ?? 0 };
      },
    },
    Menu: {
      buildFromTemplate: (template: MenuItem[]) => template,
      setApplicationMenu: (template: MenuItem[]) => (menu = template),
    },
  });

  const before = { argv: process.argv, env: { ...process.env } };
  process.argv = ['electron', ...(options.isPackaged ? [] : [folder]), ...(options.argv ?? [])];
  Object.assign(process.env, options.env);
  try {
    await import(`${pathToFileURL(join(folder, 'dist', 'electron', 'main.js')).href}?run=${run}`);
    if (options.isFirstInstance ?? true) await waitUntil(() => calls.some(([name]) => name === 'show'));
  } finally {
    process.argv = before.argv;
    for (const name of Object.keys(options.env ?? {})) {
      if (name in before.env) process.env[name] = before.env[name];
      else delete process.env[name];
    }
  }

  const itemsOf = (items: MenuItem[]): MenuItem[] => items.flatMap((item) => [item, ...itemsOf(item.submenu ?? [])]);
  return {
    get page() {
      return windows[0]!.webContents.page!;
    },
    get pages() {
      return windows.flatMap(({ webContents }) => webContents.page ?? []);
    },
    get menu() {
      return itemsOf(menu);
    },
    get sender() {
      return windows[0]!.webContents;
    },
    calls,
    engines,
    openDialogAnswers,
    messageBoxAnswers,
    focusWindow: (index) => void windows[index]!.emit('focus'),
    crashPage: (reason) => void windows[0]!.webContents.emit('render-process-gone', {}, { reason }),
    quit: () => app.quit(),
    closeWindow: (index = 0) => windows[index]!.close(),
    askNetwork(url) {
      let cancelled = false;
      onBeforeRequest?.({ url }, ({ cancel }) => (cancelled = cancel));
      return !cancelled;
    },
    emit: (event, ...args) => void app.emit(event, ...args),
    chooseMenuItem(id) {
      const item = itemsOf(menu).find((candidate) => candidate.id === id);
      if (!item?.click) throw new Error(`There is no menu item "${id}".`);
      item.click();
    },
    async askPermission(permission) {
      return {
        check: permissionCheck?.(null, permission, '', {}) ?? true,
        request: await new Promise((answer) => {
          if (permissionRequest) permissionRequest(null, permission, answer);
          else answer(true);
        }),
        device: devicePermission?.({ deviceType: permission }) ?? true,
      };
    },
    forge(channel, event) {
      ipcMain.emit(channel, event);
      const invoker = ipcMain.invokers.get(channel);
      return { invoked: invoker && (async () => invoker(event))() };
    },
    leaveWindow(bounds, maximized) {
      windows[0]!.putAt(bounds, maximized);
      windows[0]!.emit('close', { preventDefault() {} });
    },
    crashEngine(exitCode) {
      const emitter = engineEmitters.at(-1)!;
      emitter.emit('exit', exitCode);
      emitter.removeAllListeners('exit');
      void engines.at(-1)!.terminate();
    },
    async close() {
      hasEnded = true;
      await browser?.close();
      await Promise.all([...engines, ...helpers].map((process) => process.terminate()));
      runs.delete(run);
    },
  };
}

/** What Electron rejects with when a page is closed, or goes elsewhere, before it is there; its window may still be open by then. */
function aborted(url: string): Error {
  return Object.assign(new Error(`ERR_ABORTED (-3) loading '${url}'`), { errno: -3, code: 'ERR_ABORTED', url });
}

/** A window that a page opens has no frame yet when it asks for its first document. */
function isPopup(request: PageRequest): boolean {
  try {
    request.frame();
    return false;
  } catch {
    return true;
  }
}

async function waitUntil(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error('The app did not show its window in time.');
    await new Promise((done) => setTimeout(done, 10));
  }
}
