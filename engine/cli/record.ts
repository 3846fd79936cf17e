import { basename } from 'node:path';
import { print, printed, printError, printOutput, type Command } from './command.ts';
import { flagChoices } from './option-flags.ts';
import { liftHelp, parseProgram, programHelp, recordingOptions, runProgram } from './program.ts';

export const record: Command = {
  name: 'record',
  options: recordingOptions,
  values: flagChoices,
  help: `usage: simsight record SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]
       simsight record [options] PROGRAM [ARGUMENTS]

Compiles the sources, runs the program on a simulated GPU and writes a trace. Prints the name of the trace; program output
goes to stderr and into the trace.

  -o, --output FILE trace to write (default: in the recordings folder, numbered if the name is taken)
  --force           replace an existing trace of that name, but never another kind of file
  --title TEXT      title of the trace
  --json            print the result as JSON: the trace's path, exit code, simulated time, kernels
${liftHelp}
${programHelp}

Exit code: the program's own; the trace is kept in any case. 1 if an error prevented the trace, 2 for a wrong command
line, 130 if interrupted, 134 if the program aborts.
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
