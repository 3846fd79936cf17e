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
import { changedFile } from './integrity.ts';
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
  /** Double-clicked within a moment. */
  const together: string[] = [];
  const togetherMs = 100;
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
  /** The engine's files are no part of the archive, which Electron checks; nothing of them runs before they have been. */
  const archive = /^.*app\.asar(?=[\\/])/.exec(dist)?.[0];
  const isWhole = archive === undefined ? null : checkEngine(archive);
  const showLogs = (): void => shell.showItemInFolder(log.file);

  function showRecent(recent: RecentTrace[]): void {
    setMenu({
      isMac,
      recent,
      run: (command) => windows.command(command),
      newWindow: () => void windows.open(),
      openTrace: (path) => void show([path]),
      clearRecent: () => {
        app.clearRecentDocuments();
        engine.clearRecent();
      },
      showLogs,
    });
    // The system's own lists: the Dock's, the taskbar's.
    if (recent[0]) app.addRecentDocument(recent[0].path);
  }

  async function checkEngine(archive: string): Promise<boolean> {
    const changed = await changedFile(archive).catch((error: unknown) => String(error));
    if (changed === null) return true;
    log.write(`A file is not as it was installed: ${changed}`);
    dialog.showErrorBox(
      'Simsight cannot start.',
      `A file is not as it was installed: ${changed}\n\nInstall Simsight again. Traces and recordings are not affected.`,
    );
    app.quit();
    return false;
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
    return granted(await dialog.showOpenDialog(window, { title, filters, properties }));
  }

  /** Whoever has the dialog chooses what the engine may open for the page. */
  async function granted({ canceled, filePaths }: Electron.OpenDialogReturnValue): Promise<string[]> {
    if (canceled) return [];
    await engine.grant(filePaths);
    return filePaths;
  }

  /** Named on a command line, double-clicked, or chosen of the recent ones. */
  async function show(paths: string[]): Promise<void> {
    await engine.grant(paths);
    windows.show(paths);
  }

  app.on('second-instance', (_event, commandLine, folder) => {
    const paths = tracesIn(commandLine, folder);
    if (commandLine.includes('--new-window')) void engine.grant(paths).then(() => windows.open(paths));
    else void show(paths);
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (!app.isReady()) early.push(path);
    // Files that are opened together come one by one.
    else if (together.push(path) === 1) setTimeout(() => void show(together.splice(0)), togetherMs);
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
      if (!windows.sender(event)) return;
      const { senderFrame } = event;
      const hand = (): void => senderFrame?.postMessage(channels.port, null, [engine.connect()]);
      if (isWhole === null) hand();
      else void isWhole.then((whole) => whole && hand());
    });
    ipcMain.on(channels.ready, (event) => {
      if (windows.sender(event)) windows.pageListens(event.sender);
    });
    ipcMain.handle(channels.dropped, async (event, path: unknown) => {
      if (!windows.sender(event)) throw new Error('Refused: this frame may not ask.');
      if (typeof path === 'string') await engine.grant([path]);
    });
    answer(channels.chooseFolder, async (window) =>
      granted(
        await dialog.showOpenDialog(window, {
          title: 'Choose Folders',
          properties: ['openDirectory', 'multiSelections'],
        }),
      ),
    );
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

    const first = [...tracesIn(process.argv, process.cwd()), ...early];
    void engine.grant(first);
    windows.open(first);
  });
}
