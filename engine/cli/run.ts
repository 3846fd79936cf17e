import { print, printed, printOutput, type Command } from './command.ts';
import { flagChoices } from './option-flags.ts';
import { liftHelp, parseProgram, programHelp, recordingOptions, runProgram } from './program.ts';

export const run: Command = {
  name: 'run',
  options: recordingOptions,
  values: flagChoices,
  help: `usage: simsight run SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]
       simsight run [options] PROGRAM [ARGUMENTS]

Compiles the sources and runs the program on a simulated GPU. Its output is the only output;
of orders to the terminal, one gets its colours alone.

  --json            print the result as JSON; what the program prints goes to stderr
${liftHelp}
${programHelp}

Exit code: the program's own; 1 when it could not be run, 2 for a wrong command line, 130 when interrupted,
134 when it aborts.
`,
  async run(words) {
    const { options, json } = parseProgram('run', words);
    const result = await runProgram(options, false, ({ stream, text }) => printOutput(json ? 'stderr' : stream, text));
    if (json) print(printed(result));
    return result.exitCode;
  },
};
