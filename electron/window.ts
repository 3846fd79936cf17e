/** The window: sandboxed, unable to become anything but our page, and where it was left. */
import { join } from 'node:path';
import { BrowserWindow, screen } from 'electron';
import { isOurPage, pageUrl } from './page.ts';
import { keepBounds, placeOnDisplays, readBounds, smallest } from './window-bounds.ts';

/** `dataFolder` holds `window.json`. */
export function openWindow(dataFolder: string): BrowserWindow {
  const kept = readBounds(dataFolder);
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

  void window.loadURL(pageUrl);
  return window;
}
