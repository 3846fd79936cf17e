import { basename } from 'node:path';
import { print, printed, printError, printOutput, type Command } from './command.ts';
import { flagChoices } from './option-flags.ts';
import { liftHelp, parseProgram, programHelp, recordingOptions, runProgram } from './program.ts';

export const record: Command = {
  name: 'record',
  options: recordingOptions,
  values: flagChoices,
  summary: 'compile a CUDA program, run it on a simulated GPU, keep a trace',
  help: `usage: simsight record SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]

Compiles the sources, runs the program on a simulated GPU and keeps a trace of it. Prints the name of the trace; what the
program prints goes to stderr and into the trace.

  -o, --output FILE the trace to write (default: in the recordings folder, with a number where there is another one)
  --force           replace an earlier trace of that name; nothing else is ever replaced
  --title TEXT      shown as the trace's title
  --json            print the result as JSON: the trace's path, exit code, simulated time, kernels
${liftHelp}
${programHelp}

Exit code: the program's own. The trace is kept whatever that is. 1 when there is no trace because of an error, 2 for a
wrong command line, 130 when interrupted, 134 when it aborts.
`,
  async run(words) {
    const { options, json } = parseProgram('record', words);
    const result = await runProgram(options, true, ({ text }) => printOutput('stderr', text));
    print(json ? printed(result) : `${result.path}\n`);
    if (result.exitCode !== 0) {
      printError(
        `simsight: ${basename(options.sources[0]!)} ended with exit code ${result.exitCode}. The trace is kept.\n`,
      );
    }
    return result.exitCode;
  },
};
