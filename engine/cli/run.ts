import { print, printError, type Command } from './command.ts';
import { liftHelp, parseProgram, programHelp, runProgram } from './program.ts';

export const run: Command = {
  name: 'run',
  summary: 'compile and run a CUDA program on a simulated GPU, without a trace',
  help: `usage: simsight run SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]

Compiles the sources and runs the program on a simulated GPU. Its output is the only output.

${liftHelp}
${programHelp}

Exit code: the program's own; 1 when it could not be run, 2 for a wrong command line, 130 when interrupted,
134 when it aborts.
`,
  async run(words) {
    const options = parseProgram('run', words);
    const result = await runProgram(options, false, ({ stream, text }) =>
      stream === 'stdout' ? print(text) : printError(text),
    );
    return result.exitCode;
  },
};
