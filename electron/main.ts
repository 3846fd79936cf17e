/**
 * The desktop app's main process. It holds windows, menu and dialogs and starts the engine's process; everything else
 * happens there or in the page.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { app, dialog, ipcMain, session, shell, type BrowserWindow } from 'electron';
import type { RecentTrace } from '../engine/api/types.ts';
import { channels } from './channels.ts';
import { EngineProcess } from './engine-process.ts';
import { Log } from './log.ts';
import { setMenu } from './menu.ts';
import { denyNetwork, denyPermissions, registerPageScheme, servePages } from './page.ts';
import { Windows } from './windows.ts';

const dist = join(import.meta.dirname, '..');
/**
 * In the packed app the engine lies beside the archive as real files: its workers, SQLite and the compiler need no
 * support for archives that way.
 */
const engineFolder = join(dist, 'engine').replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
const isMac = process.platform === 'darwin';

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
  /** From the Finder, before there can be a window. */
  const early: string[] = [];
  const dataFolder = process.env['SIMSIGHT_HOME'] ?? join(homedir(), '.simsight');
  const log = new Log(dataFolder);
  log.write(
    `Simsight ${app.getVersion()} starts: ${process.platform} ${process.arch}, Electron ${process.versions['electron']}`,
  );
  process.on('uncaughtExceptionMonitor', (error) => log.write(`Main process: ${error.stack ?? error.message}`));

  const windows = new Windows(dataFolder, { onPageGone: (window, reason) => void pageGone(window, reason) });
  const engine = new EngineProcess(
    engineFolder,
    { host: 'electron', version: app.getVersion(), folders: [], dataFolder, open: [] },
    {
      onCrash: (exitCode) => void engineDied(exitCode),
      onRecent: showRecent,
      onOutput: (text) => log.write(`Engine: ${text}`),
    },
  );
  const showLogs = (): void => shell.showItemInFolder(log.file);

  function showRecent(recent: RecentTrace[]): void {
    setMenu({
      isMac,
      recent,
      run: (command) => windows.command(command),
      newWindow: () => void windows.open(),
      openTrace: (path) => windows.show([path]),
      clearRecent: () => {
        app.clearRecentDocuments();
        engine.clearRecent();
      },
      showLogs,
    });
    // The system's own lists: the Dock's, the taskbar's.
    if (recent[0]) app.addRecentDocument(recent[0].path);
  }

  async function engineDied(exitCode: number): Promise<void> {
    log.write(`The engine's process ended with code ${exitCode}.`);
    const window = windows.current;
    if (!window) return;
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: 'The simulation engine has stopped.',
      detail: `Its process ended with code ${exitCode}. Saved traces are not affected, and what is open can be opened again.`,
      buttons: ['Restart the Engine', 'Show Logs', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 2) return app.quit();
    if (response === 1) showLogs();
    // The first page that connects starts it; everything shown stays.
    windows.commandAll('engine.reconnect');
  }

  async function pageGone(window: BrowserWindow, reason: string): Promise<void> {
    log.write(`A window's page ended: ${reason}.`);
    if (reason === 'clean-exit') return;
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message: 'This window has stopped working.',
      detail: `Its page ended (${reason}). Saved traces are not affected; traces that were open are opened again.`,
      buttons: ['Reload', 'Close Window'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 0) window.webContents.reload();
    else window.destroy();
  }

  function answer(channel: string, choose: (window: BrowserWindow) => Promise<string[]>): void {
    ipcMain.handle(channel, (event) => {
      const window = windows.sender(event);
      if (!window) throw new Error('Refused: this frame may not ask.');
      return choose(window);
    });
  }

  async function chooseFiles(window: BrowserWindow, title: string, filters: Electron.FileFilter[]): Promise<string[]> {
    const properties: Electron.OpenDialogOptions['properties'] = ['openFile', 'multiSelections'];
    const { canceled, filePaths } = await dialog.showOpenDialog(window, { title, filters, properties });
    return canceled ? [] : filePaths;
  }

  app.on('second-instance', (_event, commandLine, folder) => {
    const paths = tracesIn(commandLine, folder);
    if (commandLine.includes('--new-window')) windows.open(paths);
    else windows.show(paths);
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (app.isReady()) windows.show([path]);
    else early.push(path);
  });
  app.on('activate', () => void windows.focus());
  app.on('window-all-closed', () => {
    if (!isMac) app.quit();
  });
  app.on('will-quit', (event) => {
    if (!engine.isRunning) return;
    // Recordings that ran in windows that are closed now get their files finished.
    event.preventDefault();
    void engine.end().then(() => app.quit());
  });

  void app.whenReady().then(() => {
    servePages(join(dist, 'renderer'));
    denyPermissions(session.defaultSession);
    denyNetwork(session.defaultSession);
    app.setAboutPanelOptions({
      applicationName: 'Simsight',
      applicationVersion: app.getVersion(),
      copyright: 'The Simsight authors. MIT licence.',
      credits: "An Nsight for GPUs you don't have. Kernel times are simulated.",
    });
    showRecent([]);

    ipcMain.on(channels.connect, (event) => {
      if (windows.sender(event)) event.senderFrame?.postMessage(channels.port, null, [engine.connect()]);
    });
    ipcMain.on(channels.ready, (event) => {
      if (windows.sender(event)) windows.pageListens(event.sender);
    });
    answer(channels.chooseTrace, (window) =>
      chooseFiles(window, 'Open Trace', [
        // Dialogs know the last ending alone: `.json.gz` is `.gz`.
        { name: 'Traces', extensions: ['simsight', 'sqlite', 'json', 'gz'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );
    answer(channels.chooseSource, (window) =>
      chooseFiles(window, 'Choose CUDA Sources', [
        { name: 'CUDA and C++ sources', extensions: ['cu', 'cpp', 'cc', 'c'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );

    windows.open([...tracesIn(process.argv, process.cwd()), ...early]);
  });
}
