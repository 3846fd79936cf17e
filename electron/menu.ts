/** The native menu. Items of ours are commands of the page or of the shell; the rest are the platform's own roles. */
import { basename } from 'node:path';
import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { ShellCommand } from './channels.ts';

export interface MenuOptions {
  isMac: boolean;
  /** The latest first. */
  recent: { path: string; title: string }[];
  run(command: ShellCommand): void;
  newWindow(): void;
  openTrace(path: string): void;
  clearRecent(): void;
  showLogs(): void;
}

const mostRecent = 10;

export function setMenu({ isMac, recent, run, newWindow, openTrace, clearRecent, showLogs }: MenuOptions): void {
  const item = (label: string, command: ShellCommand, accelerator?: string): MenuItemConstructorOptions => ({
    id: command,
    label,
    accelerator,
    click: () => run(command),
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const elsewhere = (...items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] => (isMac ? [] : items);

  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      { id: 'window.new', label: 'New Window', accelerator: 'CmdOrCtrl+N', click: newWindow },
      item('Open Trace…', 'trace.open', 'CmdOrCtrl+O'),
      {
        id: 'recent',
        label: 'Open Recent',
        enabled: recent.length > 0,
        submenu: [
          ...recent.slice(0, mostRecent).map(({ path, title }, index) => ({
            id: `recent.${index}`,
            // A single & would underline what follows it.
            label: `${basename(path)} – ${title}`.replaceAll('&', '&&'),
            click: () => openTrace(path),
          })),
          separator,
          { id: 'recent.clear', label: 'Clear Recent', click: clearRecent },
        ],
      },
      item('Compare with…', 'compare.open', 'CmdOrCtrl+Shift+O'),
      item('Record…', 'record.open', 'CmdOrCtrl+R'),
      separator,
      item('Save View as PNG', 'view.savePng', 'CmdOrCtrl+S'),
      item('Save View as SVG', 'view.saveSvg', 'CmdOrCtrl+Shift+S'),
      item('Save Report…', 'report.saveHtml'),
      item('Save Report as Markdown…', 'report.saveMarkdown'),
      separator,
      item('Close Trace', 'trace.close', 'CmdOrCtrl+W'),
      item('Reopen Closed Trace', 'trace.reopen', 'CmdOrCtrl+Shift+T'),
      { role: 'close', label: 'Close Window', accelerator: 'CmdOrCtrl+Shift+W' },
      ...elsewhere(separator, { role: 'quit' }),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      item('Zoom In', 'view.zoomIn', 'CmdOrCtrl+Plus'),
      item('Zoom Out', 'view.zoomOut', 'CmdOrCtrl+-'),
      item('Whole Trace', 'view.fit', 'CmdOrCtrl+0'),
      separator,
      item('Back', 'view.back', isMac ? 'Cmd+[' : 'Alt+Left'),
      item('Forward', 'view.forward', isMac ? 'Cmd+]' : 'Alt+Right'),
      item('Go to a Time…', 'view.goToTime', 'CmdOrCtrl+G'),
      item('Find…', 'search.open', 'CmdOrCtrl+F'),
      item('Command Palette…', 'help.palette', 'CmdOrCtrl+K'),
      separator,
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  };
  const window: MenuItemConstructorOptions = {
    // Not the role's own list: its Close has the shortcut of Close Trace.
    label: '&Window',
    submenu: [{ role: 'minimize' }, { role: 'zoom' }, ...(isMac ? [separator, { role: 'front' as const }] : [])],
  };
  const help: MenuItemConstructorOptions = {
    role: 'help',
    submenu: [
      item('Keyboard Shortcuts', 'help.shortcuts', isMac ? 'Cmd+?' : 'F1'),
      { id: 'help.logs', label: 'Show Logs', click: showLogs },
      ...elsewhere(separator, { role: 'about' }),
    ],
  };

  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' } satisfies MenuItemConstructorOptions] : []),
      file,
      { role: 'editMenu' },
      view,
      window,
      help,
    ]),
  );
}
