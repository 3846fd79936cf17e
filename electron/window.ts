/** A window: sandboxed, unable to become anything but our page, and where it was left. */
import { join } from 'node:path';
import { BrowserWindow, dialog, screen } from 'electron';
import { isOurPage, pageUrl } from './page.ts';
import { beside, keepBounds, placeOnDisplays, readBounds, smallest, type Bounds } from './window-bounds.ts';

export interface WindowListener {
  /** The page's process ended; the window stays. */
  onPageGone(window: BrowserWindow, reason: string): void;
}

/** `dataFolder` holds `window.json`. `other` is a window that is open, to be placed beside. */
export function openWindow(dataFolder: string, other: Bounds | undefined, listener: WindowListener): BrowserWindow {
  const kept = other ? { bounds: beside(other), isMaximized: false } : readBounds(dataFolder);
  const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...(kept ? placeOnDisplays(kept.bounds, workAreas) : { width: 1440, height: 900 }),
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    // The page's own background: no white flash before it is drawn.
    backgroundColor: '#14171c',
    title: 'Simsight',
    webPreferences: {
      preload: join(import.meta.dirname, 'preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      // Chromium would fetch its dictionaries from the network.
      spellcheck: false,
    },
  });
  if (kept?.isMaximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () =>
    keepBounds(dataFolder, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }),
  );

  const contents = window.webContents;
  const stayHere = (event: { preventDefault(): void; url: string }): void => {
    if (!isOurPage(event.url)) event.preventDefault();
  };
  contents.on('will-navigate', stayHere);
  contents.on('will-frame-navigate', stayHere);
  contents.on('will-redirect', stayHere);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-prevent-unload', (event) => {
    // Preventing the prevention lets the page go.
    if (mayStop(window)) event.preventDefault();
  });
  contents.on('render-process-gone', (_event, { reason }) => listener.onPageGone(window, reason));

  window.loadURL(pageUrl).catch((error: NodeJS.ErrnoException) => {
    // Closed before its page was there: nothing is missing. The window may not be gone yet when its page is.
    if (!window.isDestroyed() && error.code !== 'ERR_ABORTED') throw error;
  });
  return window;
}

/** Asked where the page is recording: when it is closed, its recordings end. */
function mayStop(window: BrowserWindow): boolean {
  const choice = dialog.showMessageBoxSync(window, {
    type: 'question',
    message: 'A recording is running in this window.',
    detail: 'If it is closed, the recording ends here, and its trace has what was recorded until now.',
    buttons: ['Keep Recording', 'Stop and Close'],
    defaultId: 0,
    cancelId: 0,
  });
  return choice === 1;
}
