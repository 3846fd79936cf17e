/**
 * The one list of what main process and preload say to each other. The engine's calls are not here: they go over a message
 * port of their own, by `engine/api/contract.ts`.
 */
export const channels = {
  /** Page → main: wants a connection to the engine. */
  connect: 'engine:connect',
  /** Main → page: here is the engine's port. */
  port: 'engine:port',
  /** Page ⇄ main: ask for traces or sources; answered with paths, none when the dialog was closed. */
  chooseTrace: 'dialog:trace',
  chooseSource: 'dialog:source',
  chooseFolder: 'dialog:folder',
  /** Preload → main: a file was dropped on the page, which learns its path. Browsers give the paths of no other files. */
  dropped: 'shell:dropped',
  /** Page → main: listens to `open` and `command` from now on. */
  ready: 'shell:ready',
  /** Main → page: traces to show, from the command line, another start of the app, or a double click. */
  open: 'shell:open',
  /** Main → page: a menu item was chosen. */
  command: 'shell:command',
} as const;

/** The message that carries the engine's port from the preload script to the page. */
export const portMessage = 'simsight:port';

/** Menu items that the page carries out; it knows them by the same names as its own commands. */
export const shellCommands = [
  'trace.open',
  'record.open',
  'trace.close',
  'trace.reopen',
  'compare.open',
  'view.savePng',
  'view.saveSvg',
  'report.saveHtml',
  'report.saveMarkdown',
  'search.open',
  'view.zoomIn',
  'view.zoomOut',
  'view.fit',
  'view.goToTime',
  'view.back',
  'view.forward',
  'help.palette',
  'help.shortcuts',
  'engine.reconnect',
] as const;
export type ShellCommand = (typeof shellCommands)[number];

/** `window.simsight` in the desktop app. In browser mode there is none. */
export interface SimsightShell {
  host: 'electron';
  /** The port arrives as a `window` message `{ type: portMessage }`. */
  connect(): void;
  chooseTrace(): Promise<string[]>;
  chooseSource(): Promise<string[]>;
  chooseFolder(): Promise<string[]>;
  /** The path of a file that was dropped on the page. */
  pathOf(file: File): Promise<string>;
  onOpen(listener: (paths: string[]) => void): void;
  onCommand(listener: (command: ShellCommand) => void): void;
}
