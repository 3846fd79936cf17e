#!/usr/bin/env node
/**
 * The command line: `simsight COMMAND …`. Results go to stdout, everything else to stderr; progress only where that is a
 * terminal. Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted; `run` and `record` give the
 * program's, 134 where it aborts; `compare --fail-over` 3 for a regression, 4 where it cannot be told.
 */
import { version } from './base/version.ts';
import { advise } from './cli/advise.ts';
import { bench } from './cli/bench.ts';
import { exitCodes, print, printError, usageError, type Command } from './cli/command.ts';
import { compare } from './cli/compare.ts';
import { completionCommand } from './cli/completion.ts';
import { exportCommand } from './cli/export.ts';
import { failureOf } from './cli/failure.ts';
import { importCommand } from './cli/import.ts';
import { gpus, labs } from './cli/lists.ts';
import { record } from './cli/record.ts';
import { report } from './cli/report.ts';
import { roi } from './cli/roi.ts';
import { run } from './cli/run.ts';
import { open, serve } from './cli/serve.ts';
import { sql } from './cli/sql.ts';
import { stats } from './cli/stats.ts';
import { sweep } from './cli/sweep.ts';
import { whatIf } from './cli/what-if.ts';

const commands: readonly Command[] = [
  record,
  run,
  bench,
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
  labs,
  completionCommand(() => commands),
];

const help = `Simsight ${version}: an Nsight for GPUs you don't have.

usage: simsight COMMAND …

${commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join('\n')}

  simsight COMMAND --help   all about one command
  simsight --version

Results as JSON: --json. Progress is shown on stderr where that is a terminal.

Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted; "run" and "record" give the program's own,
134 where it aborts; "compare --fail-over" 3 for a regression, 4 where that cannot be told.
Recordings, compiled programs and settings are in $SIMSIGHT_HOME, or ~/.simsight.
`;

async function main([word, ...words]: string[]): Promise<number> {
  if (word === '--version' || word === '-V') {
    print(`${version}\n`);
    return exitCodes.ok;
  }
  if (word === '--help' || word === '-h' || word === 'help') {
    print(help);
    return exitCodes.ok;
  }
  if (word === undefined) throw usageError('no command is given.', 'See "simsight --help".');
  const command = commands.find(({ name }) => name === word);
  if (!command)
    throw usageError(`there is no command "${word}".`, `Commands: ${commands.map((c) => c.name).join(', ')}.`);
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.includes('--help') || own.includes('-h')) {
    print(command.help);
    return exitCodes.ok;
  }
  return command.run(words);
}

// `simsight stats … | head` ends the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

// npm runs scripts in the project's folder; the user's paths are relative to where the user is.
if (process.env['npm_lifecycle_event'] === 'simsight' && process.env['INIT_CWD'])
  process.chdir(process.env['INIT_CWD']);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { text, exitCode } = failureOf(error);
  printError(text);
  process.exitCode = exitCode;
}
