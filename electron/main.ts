/**
 * The desktop app's main process. It holds windows, menu and dialogs and starts the engine's process; everything else
 * happens there or in the page.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  app,
  dialog,
  ipcMain,
  session,
  type BrowserWindow,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
} from 'electron';
import { channels } from './channels.ts';
import { EngineProcess } from './engine-process.ts';
import { setMenu } from './menu.ts';
import { denyPermissions, isOurPage, registerPageScheme, servePages } from './page.ts';
import { openWindow } from './window.ts';

const dist = join(import.meta.dirname, '..');
/**
 * In the packed app the engine lies beside the archive as real files: its workers, SQLite and the compiler need no
 * support for archives that way.
 */
const engineFolder = join(dist, 'engine').replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');

registerPageScheme();

if (app.requestSingleInstanceLock()) start();
else app.quit();

/** Traces that a command line names. Everything before them is the program, the app's folder, or a switch. */
function tracesIn(commandLine: string[], folder: string): string[] {
  return commandLine
    .slice(1)
    .filter((word) => !word.startsWith('-') && /\.(simsight|sqlite|json|json\.gz)$/i.test(word))
    .map((word) => resolve(folder, word));
}

function start(): void {
  let window: BrowserWindow | undefined;
  /** To be shown as soon as the page listens. */
  let waiting = tracesIn(process.argv, process.cwd());
  let pageListens = false;

  function show(paths: string[]): void {
    if (paths.length === 0) return;
    if (window && pageListens) window.webContents.send(channels.open, paths);
    else waiting.push(...paths);
  }

  function focus(): void {
    window ??= createWindow();
    if (window.isMinimized()) window.restore();
    window.focus();
  }

  function createWindow(): BrowserWindow {
    const created = openWindow(dataFolder);
    created.webContents.on('did-start-loading', () => {
      pageListens = false;
    });
    created.on('closed', () => {
      window = undefined;
      pageListens = false;
    });
    return created;
  }

  const dataFolder = process.env['SIMSIGHT_HOME'] ?? join(homedir(), '.simsight');
  const engine = new EngineProcess(
    engineFolder,
    {
      host: 'electron',
      version: app.getVersion(),
      folders: [],
      dataFolder,
      open: [],
    },
    (exitCode) => void engineDied(exitCode),
  );

  async function engineDied(exitCode: number): Promise<void> {
    if (!window) return;
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: 'The simulation engine has stopped.',
      detail: `Its process ended with code ${exitCode}. Saved traces are not affected.`,
      buttons: ['Restart the engine', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 1) app.quit();
    else window?.webContents.reload();
  }

  /** Only our page's main frame is heard; anything else is a fault or an attack, and gets no answer. */
  function isTrusted(event: IpcMainEvent | IpcMainInvokeEvent): boolean {
    const frame = event.senderFrame;
    return frame !== null && event.sender === window?.webContents && frame.parent === null && isOurPage(frame.url);
  }

  function answer(channel: string, choose: () => Promise<string[]>): void {
    ipcMain.handle(channel, (event) => {
      if (!isTrusted(event)) throw new Error('Refused: this frame may not ask.');
      return choose();
    });
  }

  async function chooseFiles(title: string, filters: Electron.FileFilter[]): Promise<string[]> {
    if (!window) return [];
    const properties: Electron.OpenDialogOptions['properties'] = ['openFile', 'multiSelections'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { title, filters, properties });
    return canceled ? [] : filePaths;
  }

  app.on('second-instance', (_event, commandLine, folder) => {
    focus();
    show(tracesIn(commandLine, folder));
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (app.isReady()) focus();
    show([path]);
  });
  app.on('activate', focus);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('will-quit', () => engine.stop());

  void app.whenReady().then(() => {
    servePages(join(dist, 'renderer'));
    denyPermissions(session.defaultSession);
    setMenu(process.platform === 'darwin', (command) => {
      focus();
      window?.webContents.send(channels.command, command);
    });

    ipcMain.on(channels.connect, (event) => {
      if (isTrusted(event)) event.senderFrame?.postMessage(channels.port, null, [engine.connect()]);
    });
    ipcMain.on(channels.ready, (event) => {
      if (!isTrusted(event)) return;
      pageListens = true;
      const paths = waiting;
      waiting = [];
      show(paths);
    });
    answer(channels.chooseTrace, () =>
      chooseFiles('Open Trace', [
        // Dialogs know the last ending alone: `.json.gz` is `.gz`.
        { name: 'Traces', extensions: ['simsight', 'sqlite', 'json', 'gz'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );
    answer(channels.chooseSource, () =>
      chooseFiles('Choose CUDA Sources', [
        { name: 'CUDA and C++ sources', extensions: ['cu', 'cpp', 'cc', 'c'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );

    window = createWindow();
  });
}
