/** The native menu. Items of ours are commands of the page; the rest are the platform's own roles. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { ShellCommand } from './channels.ts';

export function setMenu(isMac: boolean, run: (command: ShellCommand) => void): void {
  const item = (label: string, command: ShellCommand, accelerator?: string): MenuItemConstructorOptions => ({
    id: command,
    label,
    accelerator,
    click: () => run(command),
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };

  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      item('Open Trace…', 'trace.open', 'CmdOrCtrl+O'),
      item('Compare with…', 'compare.open', 'CmdOrCtrl+Shift+O'),
      item('Record…', 'record.open', 'CmdOrCtrl+R'),
      separator,
      item('Save View as PNG', 'view.savePng', 'CmdOrCtrl+S'),
      item('Save View as SVG', 'view.saveSvg', 'CmdOrCtrl+Shift+S'),
      item('Save Report…', 'report.saveHtml'),
      item('Save Report as Markdown…', 'report.saveMarkdown'),
      separator,
      item('Close Trace', 'trace.close', 'CmdOrCtrl+W'),
      ...(isMac ? [] : [separator, { role: 'quit' } satisfies MenuItemConstructorOptions]),
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      item('Zoom In', 'view.zoomIn', 'CmdOrCtrl+Plus'),
      item('Zoom Out', 'view.zoomOut', 'CmdOrCtrl+-'),
      item('Whole Trace', 'view.fit', 'CmdOrCtrl+0'),
      separator,
      item('Back', 'view.back', 'Alt+Left'),
      item('Forward', 'view.forward', 'Alt+Right'),
      item('Go to a Time…', 'view.goToTime', 'CmdOrCtrl+G'),
      item('Find…', 'search.open', 'CmdOrCtrl+F'),
      item('Command Palette…', 'help.palette', 'CmdOrCtrl+K'),
      separator,
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  };
  const help: MenuItemConstructorOptions = {
    role: 'help',
    submenu: [
      item('Keyboard Shortcuts', 'help.shortcuts', 'F1'),
      ...(isMac ? [] : [separator, { role: 'about' } satisfies MenuItemConstructorOptions]),
    ],
  };

  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' } satisfies MenuItemConstructorOptions] : []),
      file,
      { role: 'editMenu' },
      view,
      { role: 'windowMenu' },
      help,
    ]),
  );
}
