/** `simsight open` and `simsight serve`: the app in a browser. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { dataFolder, exitCodes, helpHint, parse, print, printed, usageError, type Command } from './command.ts';
import { openForCommand } from './open-recording.ts';

const help = (usage: string): string => `usage: simsight ${usage}

Starts the app in browser mode, on this machine only, prints its address and serves until interrupted. The app shows at most
two traces at a time.

  --port N      port to listen on (default: any free one)
  --folder DIR  folder that the app may open files from; can be repeated (default: the current folder)
  --json        print the address as JSON
`;

const options = {
  port: { type: 'string' },
  folder: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
} as const;

export const open: Command = {
  name: 'open',
  options,
  help: help('open FILE.simsight [FILE.simsight] [--port N] [--folder DIR]…'),
  run: (words) => start('open', words),
};

export const serve: Command = {
  name: 'serve',
  options,
  help: help('serve [--port N] [--folder DIR]… [FILE.simsight…]'),
  run: (words) => start('serve', words),
};

async function start(command: 'open' | 'serve', words: string[]): Promise<number> {
  const { values, positionals } = parse(command, words, options);
  if (command === 'open' && positionals.length === 0) {
    throw usageError('open: no trace given.', helpHint('open'));
  }
  const port = values.port === undefined ? undefined : portOf(command, values.port);
  const folders = (values.folder ?? ['.']).map(folderOf);
  // Said here, where the user is looking, and not only in the browser.
  for (const path of positionals) (await openForCommand(path)).close();

  const { startServer } = await import('../serve/index.ts');
  const server = await startServer({
    ...(port === undefined ? {} : { port }),
    folders,
    open: positionals.map((path) => resolve(path)),
    dataFolder: dataFolder(),
  });
  print(values.json ? printed({ url: server.url }) : `${server.url}\n`);
  await new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await server.close();
  return exitCodes.ok;
}

function portOf(command: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw usageError(`${command}: --port ${text} is not a port number.`, 'Use 0 to 65535; 0 selects any free port.');
}

function folderOf(path: string): string {
  const folder = resolve(path);
  if (!existsSync(folder)) throw new SimsightError('file-not-found', `There is no folder ${path}.`, '', { file: path });
  if (!statSync(folder).isDirectory()) throw usageError(`--folder ${path} is not a folder.`);
  return folder;
}
