/** From the words of a command line to its exit code. */
import { version } from '../base/version.ts';
import { exitCodes, print, printError, usageError } from './command.ts';
import { commands } from './commands.ts';
import { failureOf } from './failure.ts';

const help = `Simsight ${version}: an Nsight for GPUs you don't have.

usage: simsight COMMAND …

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  .join('\n')}

  simsight COMMAND --help   help for one command
  simsight --version

--json prints results as JSON. Progress goes to stderr if that is a terminal.

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted; "run" and "record" return the program's own,
134 if it aborts; "compare --fail-over" returns 3 for a regression, 4 for an inconclusive comparison.
Recordings, compiled programs and settings are in $SIMSIGHT_HOME, or ~/.simsight.
`;

async function dispatch([word, ...words]: string[]): Promise<number> {
  if (word === '--version' || word === '-V') {
    print(`${version}\n`);
    return exitCodes.ok;
  }
  if (word === '--help' || word === '-h' || word === 'help') {
    print(help);
    return exitCodes.ok;
  }
  if (word === undefined) throw usageError('no command given.', 'See "simsight --help".');
  if (!Object.hasOwn(commands, word))
    throw usageError(`unknown command "${word}".`, `Commands: ${Object.keys(commands).join(', ')}.`);
  const command = await commands[word]!.load();
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.includes('--help') || own.includes('-h')) {
    print(command.help);
    return exitCodes.ok;
  }
  return command.run(words);
}

/** Runs one command; what fails is said on stderr, and only there. Gives the exit code. */
export async function runCommandLine(words: string[]): Promise<number> {
  try {
    return await dispatch(words);
  } catch (error) {
    const { text, exitCode } = failureOf(error);
    printError(text);
    return exitCode;
  }
}
