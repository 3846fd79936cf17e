import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { formatReport, tableFormats } from '../analysis/formats.ts';
import { makeReport } from '../analysis/reports.ts';
import { openTrace } from '../trace/reader.ts';
import { choice, print, printError, printOutput, usageError, type Command } from './command.ts';
import { flagChoices } from './option-flags.ts';
import { benchOptions, parseBench, programHelp, runProgram } from './program.ts';

export const bench: Command = {
  name: 'bench',
  options: benchOptions,
  values: { ...flagChoices, format: tableFormats },
  help: `usage: simsight bench SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]

Records the program and treats the launches of each kernel with the same grid as runs of a benchmark. For an existing trace,
also of a real machine, "simsight stats FILE --report simsight_benchmark" prints the same.

  -o, --output FILE keep the trace there (default: none)
  --force           replace an existing trace of that name
  --warm-up N       launches of each kernel to leave out (default 3, but at most a fifth of them)
  -f, --format F    table (default), csv or json
${programHelp}

Program output goes to stderr. Exit code: the program's own.
`,
  async run(words) {
    const { options, format: named, warmUp } = parseBench(words);
    const format = choice('bench', 'format', named, tableFormats);
    if (warmUp !== undefined && !/^\d{1,9}$/.test(warmUp))
      throw usageError(`bench: --warm-up ${warmUp} is not a number of launches.`);
    const folder = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
    try {
      const output = options.output ?? join(folder, 'bench.simsight');
      const result = await runProgram({ ...options, output }, true, ({ text }) => printOutput('stderr', text));
      const trace = openTrace(result.path);
      try {
        const report = makeReport(trace, 'simsight_benchmark', {
          warmUp: warmUp === undefined ? undefined : Number(warmUp),
        });
        print(formatReport(report, format));
      } finally {
        trace.close();
      }
      if (result.exitCode !== 0)
        printError(`simsight: ${basename(options.sources[0]!)} ended with exit code ${result.exitCode}.\n`);
      return result.exitCode;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
