/** The page of a window, and the bridge to it. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import type { Dialog, Frame, Page, Request as PageRequest, Route } from '@playwright/test';
import { pack, pageShim, unpack } from './page-shim.ts';
import type { MessagePortMain } from './ports.ts';
import type { Run, Session } from './run.ts';

export class WebContents extends EventEmitter {
  readonly session: Session['defaultSession'];
  page: Page | undefined;
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  stayed: (() => void) | undefined;
  private nextPort = 0;
  private readonly ports = new Map<string, MessagePort>();
  private navigation: string | undefined;
  private readonly run: Run;
  constructor(run: Run) {
    super();
    this.run = run;
    this.session = run.session.defaultSession;
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
  send(channel: string, ...args: unknown[]): void {
    this.run.calls.push(['send', channel, ...args]);
    this.deliver('ipc', channel, { args, ports: [] });
  }
  reload(): void {
    this.run.calls.push(['reload']);
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
      this.run.ipcMain.emit(key, event, ...args);
      return;
    }
    try {
      const invoker = this.run.ipcMain.invokers.get(key);
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
        this.run.calls.push(['window.open', url, action]);
        return action === 'deny' ? route.abort('aborted') : route.fulfill({ status: 200, body: 'a popup' });
      }
      let prevented = false;
      const event = { url, preventDefault: () => (prevented = true) };
      if (request.frame().parentFrame() === null) this.emit('will-navigate', event, url);
      this.emit('will-frame-navigate', event);
      this.run.calls.push(['navigate', url, prevented ? 'denied' : 'allowed']);
      if (prevented) return route.abort('aborted');
    }
    const handler = this.run.schemes.get(new URL(url).protocol.slice(0, -1));
    if (!handler) {
      this.run.calls.push(['network', url]);
      return route.fulfill({ status: 200, contentType: 'text/html', body: 'the network' });
    }
    const response = await handler(new Request(url.replace(/#.*/, '')));
    const body = Buffer.from(await response.arrayBuffer());
    return route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
  }

  async load(url: string, preload: string, size: { width: number; height: number }): Promise<void> {
    const { protocol: scheme, host, pathname } = new URL(url);
    this.navigation = `https://${host}.${scheme.slice(0, -1)}.invalid${pathname}`;
    const page = await this.run.prepares(this.newPage(preload, size));
    this.emit('did-start-loading');
    await page.goto(this.navigation).catch((error: unknown) => {
      throw /ERR_ABORTED|has been closed/.test(String(error)) ? aborted(url) : error;
    });
    this.navigation = undefined;
  }

  private async newPage(preload: string, viewport: { width: number; height: number }): Promise<Page> {
    const context = await this.run.browser!.newContext({ viewport, colorScheme: 'dark' });
    const page = await context.newPage();
    this.page = page;
    page.on('dialog', (asked) => {
      if (asked.type() !== 'beforeunload') return void asked.dismiss();
      let leave = false;
      this.emit('will-prevent-unload', { preventDefault: () => (leave = true) });
      this.run.calls.push(['unload', leave ? 'goes' : 'stays']);
      if (leave) void asked.accept();
      else void this.stay(asked);
    });
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
    return page;
  }
}

/** Electron's error when a page is closed, or goes elsewhere, before it is there; its window may still be open by then. */
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
