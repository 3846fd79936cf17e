/** One run of the app: the state of its Electron, which the parts of it share. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import type { Bounds } from '../../electron/window-bounds.ts';
import { App } from './app.ts';
import { Processes } from './processes.ts';
import type { HostWindow } from './window.ts';

export interface LaunchOptions {
  /** Folder of the app: holds `package.json` and `dist/`. Default: this checkout. */
  folder?: string;
  /** Words after the program and the app's folder. */
  argv?: string[];
  isPackaged?: boolean;
  /** The archive that `folder` was unpacked from. */
  archive?: string;
  /** The answer of `requestSingleInstanceLock`: false when another instance has it. */
  isFirstInstance?: boolean;
  env?: Record<string, string>;
  /** Work areas of the displays; default: one of 2560 × 1440. */
  displays?: Bounds[];
}

export interface MenuItem {
  id?: string;
  label?: string;
  role?: string;
  accelerator?: string;
  submenu?: MenuItem[];
  click?: () => void;
}

type PermissionAnswer = (granted: boolean) => void;

/** Electron's `session`; it keeps the handlers that the app sets. */
export class Session {
  check: ((...args: unknown[]) => boolean) | undefined;
  request: ((contents: unknown, permission: string, answer: PermissionAnswer) => void) | undefined;
  device: ((...args: unknown[]) => boolean) | undefined;
  beforeRequest: ((details: { url: string }, answer: (reply: { cancel: boolean }) => void) => void) | undefined;

  readonly defaultSession = {
    setPermissionCheckHandler: (handler: Session['check']) => (this.check = handler),
    setPermissionRequestHandler: (handler: Session['request']) => (this.request = handler),
    setDevicePermissionHandler: (handler: Session['device']) => (this.device = handler),
    webRequest: { onBeforeRequest: (handler: Session['beforeRequest']) => (this.beforeRequest = handler) },
  };

  /** The app's answers to a page that asks for a permission; true where nothing decides. */
  async answers(permission: string): Promise<{ check: boolean; request: boolean; device: boolean }> {
    return {
      check: this.check?.(null, permission, '', {}) ?? true,
      request: await new Promise((answer) => {
        if (this.request) this.request(null, permission, answer);
        else answer(true);
      }),
      device: this.device?.({ deviceType: permission }) ?? true,
    };
  }

  /** True if a page's request may leave it. */
  lets(url: string): boolean {
    let cancelled = false;
    this.beforeRequest?.({ url }, ({ cancel }) => (cancelled = cancel));
    return !cancelled;
  }
}

/** Electron's `ipcMain`. */
export class IpcMain extends EventEmitter {
  readonly invokers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>();
  handle(channel: string, invoker: (event: unknown, ...args: unknown[]) => unknown): void {
    this.invokers.set(channel, invoker);
  }
}

export class Run {
  readonly options: LaunchOptions;
  /** Folder of the app. */
  readonly folder: string;
  /** The app's calls of Electron, in order. */
  readonly calls: unknown[][] = [];
  readonly openDialogAnswers: { canceled: boolean; filePaths: string[] }[] = [];
  readonly messageBoxAnswers: { response: number }[] = [];
  readonly windows: HostWindow[] = [];
  readonly schemes = new Map<string, (request: Request) => Response | Promise<Response>>();
  readonly session = new Session();
  readonly ipcMain = new IpcMain();
  readonly processes: Processes;
  readonly app: App;
  browser: Browser | undefined;
  hasEnded = false;
  menu: MenuItem[] = [];
  private readonly preparing = new Set<Promise<unknown>>();

  constructor(options: LaunchOptions) {
    this.options = options;
    this.folder = options.folder ?? join(import.meta.dirname, '..', '..');
    this.processes = new Processes(this);
    this.app = new App(this);
  }

  /** A browser that starts, or a page: Playwright's connection breaks if one goes away while one of these calls is answered. */
  async prepares<Value>(started: Promise<Value>): Promise<Value> {
    this.preparing.add(started);
    return started.finally(() => this.preparing.delete(started));
  }

  /** Until nothing is being prepared: only then may a page or the browser be closed. */
  async untilPrepared(): Promise<void> {
    while (this.preparing.size > 0) await Promise.allSettled(this.preparing);
  }
}
