#!/usr/bin/env node
/**
 * The command line: `simsight COMMAND …`. Results go to stdout, everything else to stderr; progress only where that is a
 * terminal. Exit codes: 0 done, 1 failed, 2 wrong command line, 130 interrupted; `run` and `record` give the
 * program's, 134 where it aborts; `compare --fail-over` 3 for a regression, 4 where it cannot be told.
 */
import { fileError } from './base/errors.ts';
import { exitCodes, printError } from './cli/command.ts';
import { failureOf } from './cli/failure.ts';
import { runCommandLine } from './cli/main.ts';
import { abandonCompiler } from './compile/clang.ts';

// `simsight stats … | head` ends the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  printError(failureOf(fileError(error, 'Standard output') ?? error).text);
  process.exit(exitCodes.failed);
});
// Nobody could be told.
process.stderr.on('error', () => {});

// npm runs scripts in the project's folder; the user's paths are relative to where the user is.
if (process.env['npm_lifecycle_event'] === 'simsight' && process.env['INIT_CWD'])
  process.chdir(process.env['INIT_CWD']);

process.exitCode = await runCommandLine(process.argv.slice(2));
// Kernels that nobody launched may still be compiled ahead.
abandonCompiler();
