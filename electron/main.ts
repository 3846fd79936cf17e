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

/** Traces that a command line names. Everything before them is the program, the app's folder, or a switch. */
function tracesIn(commandLine: string[], folder: string): string[] {
  return commandLine
    .slice(1)
    .filter((word) => !word.startsWith('-') && /\.(simsight|sqlite|json|json\.gz)$/i.test(word))
    .map((word) => resolve(folder, word));
}

/** Files that are double-clicked within this time (ms) are opened together. */
const togetherMs = 100;

/** The desktop app: its windows, the engine's process, and the messages between them. */
class DesktopApp {
  /** Files that the Finder hands over before there can be a window. */
  private readonly early: string[] = [];
  /** Files that were double-clicked together. */
  private readonly together: string[] = [];
  private readonly log: Log;
  private readonly windows: Windows;
  private readonly engine: EngineProcess;
  /** True once the engine's files have been checked; null where they are not packed. */
  private readonly isWhole: Promise<boolean> | null;

  constructor(dataFolder: string) {
    this.log = new Log(dataFolder);
    this.log.write(
      `Simsight ${app.getVersion()} starts: ${process.platform} ${process.arch}, Electron ${process.versions['electron']}`,
    );
    process.on('uncaughtExceptionMonitor', (error) => this.log.write(`Main process: ${error.stack ?? error.message}`));
    this.windows = new Windows(dataFolder, { onPageGone: (window, reason) => void this.pageGone(window, reason) });
    this.engine = new EngineProcess(
      engineFolder,
      { host: 'electron', version: app.getVersion(), folders: [], dataFolder, open: [] },
      {
        onCrash: (exitCode) => void this.engineDied(exitCode),
        onRecent: (recent) => this.showRecent(recent),
        onOutput: (text) => this.log.write(`Engine: ${text}`),
      },
    );
    // The engine's files are not part of the archive, which Electron checks; none of them runs before this check.
    const archive = /^.*app\.asar(?=[\\/])/.exec(dist)?.[0];
    this.isWhole = archive === undefined ? null : this.checkEngine(archive);
  }

  start(): void {
    this.listenToSystem();
    void app.whenReady().then(() => this.openWindows());
  }

  private listenToSystem(): void {
    app.on('second-instance', (_event, commandLine, folder) => {
      const paths = tracesIn(commandLine, folder);
      if (commandLine.includes('--new-window')) void this.engine.grant(paths).then(() => this.windows.open(paths));
      else void this.show(paths);
    });
    app.on('open-file', (event, path) => {
      event.preventDefault();
      if (!app.isReady()) this.early.push(path);
      // Files that are opened together come one by one.
      else if (this.together.push(path) === 1) setTimeout(() => void this.show(this.together.splice(0)), togetherMs);
    });
    app.on('activate', () => void this.windows.focus());
    app.on('window-all-closed', () => {
      if (!isMac) app.quit();
    });
    app.on('will-quit', (event) => {
      if (!this.engine.isRunning) return;
      // Recordings that ran in windows that are closed now get their files finished.
      event.preventDefault();
      void this.engine.end().then(() => app.quit());
    });
  }

  private openWindows(): void {
    servePages(join(dist, 'renderer'));
    denyPermissions(session.defaultSession);
    denyNetwork(session.defaultSession);
    app.setAboutPanelOptions({
      applicationName: 'Simsight',
      applicationVersion: app.getVersion(),
      copyright: 'The Simsight authors. MIT licence.',
      credits: "An Nsight for GPUs you don't have. Kernel times are simulated.",
    });
    this.showRecent([]);

    this.listenToPages();
    this.answerDialogs();

    const first = [...tracesIn(process.argv, process.cwd()), ...this.early];
    void this.engine.grant(first);
    this.windows.open(first);
  }

  private listenToPages(): void {
    ipcMain.on(channels.connect, (event) => {
      if (!this.windows.sender(event)) return;
      const { senderFrame } = event;
      const hand = (): void => senderFrame?.postMessage(channels.port, null, [this.engine.connect()]);
      if (this.isWhole === null) hand();
      else void this.isWhole.then((whole) => whole && hand());
    });
    ipcMain.on(channels.ready, (event) => {
      if (this.windows.sender(event)) this.windows.pageListens(event.sender);
    });
    ipcMain.handle(channels.dropped, async (event, path: unknown) => {
      if (!this.windows.sender(event)) throw new Error('Refused: this frame may not ask.');
      if (typeof path === 'string') await this.engine.grant([path]);
    });
  }

  private answerDialogs(): void {
    this.answer(channels.chooseFolder, async (window) =>
      this.granted(
        await dialog.showOpenDialog(window, {
          title: 'Choose Folders',
          properties: ['openDirectory', 'multiSelections'],
        }),
      ),
    );
    this.answer(channels.chooseTrace, (window) =>
      this.chooseFiles(window, 'Open Trace', [
        // Dialogs know the last ending alone: `.json.gz` is `.gz`.
        { name: 'Traces', extensions: ['simsight', 'sqlite', 'json', 'gz'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );
    this.answer(channels.chooseSource, (window) =>
      this.chooseFiles(window, 'Choose CUDA Sources', [
        { name: 'CUDA and C++ sources', extensions: ['cu', 'cpp', 'cc', 'c'] },
        { name: 'All files', extensions: ['*'] },
      ]),
    );
  }

  private showLogs(): void {
    shell.showItemInFolder(this.log.file);
  }

  private showRecent(recent: RecentTrace[]): void {
    setMenu({
      isMac,
      recent,
      run: (command) => this.windows.command(command),
      newWindow: () => void this.windows.open(),
      openTrace: (path) => void this.show([path]),
      clearRecent: () => {
        app.clearRecentDocuments();
        this.engine.clearRecent();
      },
      showLogs: () => this.showLogs(),
    });
    // The system's own lists: the Dock's, the taskbar's.
    if (recent[0]) app.addRecentDocument(recent[0].path);
  }

  private async checkEngine(archive: string): Promise<boolean> {
    const changed = await changedFile(archive).catch((error: unknown) => String(error));
    if (changed === null) return true;
    this.log.write(`A file is not as it was installed: ${changed}`);
    dialog.showErrorBox(
      'Simsight cannot start.',
      `A file is not as it was installed: ${changed}\n\nInstall Simsight again. Traces and recordings are not affected.`,
    );
    app.quit();
    return false;
  }

  private async engineDied(exitCode: number): Promise<void> {
    this.log.write(`The engine's process ended with code ${exitCode}.`);
    const window = this.windows.current;
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
    if (response === 1) this.showLogs();
    // The first page that connects starts it; everything shown stays.
    this.windows.commandAll('engine.reconnect');
  }

  private async pageGone(window: BrowserWindow, reason: string): Promise<void> {
    this.log.write(`A window's page ended: ${reason}.`);
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

  private answer(channel: string, choose: (window: BrowserWindow) => Promise<string[]>): void {
    ipcMain.handle(channel, (event) => {
      const window = this.windows.sender(event);
      if (!window) throw new Error('Refused: this frame may not ask.');
      return choose(window);
    });
  }

  private async chooseFiles(window: BrowserWindow, title: string, filters: Electron.FileFilter[]): Promise<string[]> {
    const properties: Electron.OpenDialogOptions['properties'] = ['openFile', 'multiSelections'];
    return this.granted(await dialog.showOpenDialog(window, { title, filters, properties }));
  }

  /** Files and folders chosen in a dialog, which the engine may then open for the page. */
  private async granted({ canceled, filePaths }: Electron.OpenDialogReturnValue): Promise<string[]> {
    if (canceled) return [];
    await this.engine.grant(filePaths);
    return filePaths;
  }

  /** Shows files named on a command line, double-clicked, or chosen from the recent ones. */
  private async show(paths: string[]): Promise<void> {
    await this.engine.grant(paths);
    this.windows.show(paths);
  }
}

if (app.requestSingleInstanceLock())
  new DesktopApp(process.env['SIMSIGHT_HOME'] ?? join(homedir(), '.simsight')).start();
else app.quit();
