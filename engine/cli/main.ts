/** From the words of a command line to its exit code. */
import { version } from '../base/version.ts';
import { advise } from './advise.ts';
import { bench } from './bench.ts';
import { exitCodes, print, printError, usageError, type Command } from './command.ts';
import { compare } from './compare.ts';
import { completionCommand } from './completion.ts';
import { exportCommand } from './export.ts';
import { failureOf } from './failure.ts';
import { importCommand } from './import.ts';
import { gpus } from './gpus.ts';
import { lab } from './lab.ts';
import { record } from './record.ts';
import { report } from './report.ts';
import { roi } from './roi.ts';
import { run } from './run.ts';
import { cc, cxx, nvcc } from './nvcc.ts';
import { open, serve } from './serve.ts';
import { sql } from './sql.ts';
import { stats } from './stats.ts';
import { toolkit } from './toolkit.ts';
import { sweep } from './sweep.ts';
import { whatIf } from './what-if.ts';

const commands: readonly Command[] = [
  record,
  run,
  bench,
  nvcc,
  cc,
  cxx,
  toolkit,
  whatIf,
  sweep,
  open,
  serve,
  stats,
  advise,
  sql,
  compare,
  report,
  roi,
  importCommand,
  exportCommand,
  gpus,
  lab,
  completionCommand(() => commands),
];

const help = `Simsight ${version}: an Nsight for GPUs you don't have.

usage: simsight COMMAND …

${commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

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
  const command = commands.find(({ name }) => name === word);
  if (!command) throw usageError(`unknown command "${word}".`, `Commands: ${commands.map((c) => c.name).join(', ')}.`);
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
