/** The window: sandboxed, and unable to become anything but our page. */
import { join } from 'node:path';
import { BrowserWindow } from 'electron';
import { isOurPage, pageUrl } from './page.ts';

export function openWindow(): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 720,
    minHeight: 480,
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
  window.once('ready-to-show', () => window.show());

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
