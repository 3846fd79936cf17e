/** The only code that the page shares with Electron: a handful of functions, none of which takes a channel's name. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { channels, portMessage, type ShellCommand, type SimsightShell } from './channels.ts';

// Message ports cannot pass the context bridge, so they are handed over as a message to our own window: to our page in it alone.
ipcRenderer.on(channels.port, (event) =>
  window.postMessage({ type: portMessage }, window.location.origin, [...event.ports]),
);

/** Main keeps paths and commands back until somebody listens; one `ready` tells it for both. */
let announced = false;
function listen(channel: string, listener: (content: never) => void): void {
  ipcRenderer.on(channel, (_event, content: unknown) => listener(content as never));
  if (channel !== channels.open || announced) return;
  announced = true;
  ipcRenderer.send(channels.ready);
}

const shell: SimsightShell = {
  host: 'electron',
  connect: () => ipcRenderer.send(channels.connect),
  chooseTrace: () => ipcRenderer.invoke(channels.chooseTrace) as Promise<string[]>,
  chooseSource: () => ipcRenderer.invoke(channels.chooseSource) as Promise<string[]>,
  chooseFolder: () => ipcRenderer.invoke(channels.chooseFolder) as Promise<string[]>,
  pathOf: async (file: File) => {
    const path = webUtils.getPathForFile(file);
    // Empty for what a script has made.
    if (path !== '') await ipcRenderer.invoke(channels.dropped, path);
    return path;
  },
  onOpen: (listener: (paths: string[]) => void) => listen(channels.open, listener),
  onCommand: (listener: (command: ShellCommand) => void) => listen(channels.command, listener),
};
contextBridge.exposeInMainWorld('simsight', shell);
