import { convertRecording } from '../formats/open.ts';
import { writeTarget } from '../formats/export-target.ts';
import { basename } from 'node:path';
import { exitCodes, helpHint, parse, print, printed, usageError, type Command } from './command.ts';
import { showingProgress } from './open-recording.ts';

const options = {
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean', default: false },
} as const;

export const importCommand: Command = {
  name: 'import',
  options,
  help: `usage: simsight import FILE [-o FILE.simsight] [--json]

Converts an SQLite export of Nsight Systems, or JSON of torch.profiler (Kineto) or chrome://tracing, plain or gzip, to a
trace. All commands open such files directly; import one to keep, send or extend it.

  -o, --output FILE  trace to write (default: FILE.simsight in the current folder); never replaces an existing file
  --json             print what was written as JSON
`,
  async run(words) {
    const { values, positionals } = parse('import', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('import: no recording given.', helpHint('import'));
    if (more.length > 0) throw usageError('import: only one recording is allowed.', helpHint('import'));
    const output = values.output ?? `${basename(path).replace(/\.(sqlite3?|db|json|json\.gz)$/i, '')}.simsight`;
    if (!output.endsWith('.simsight'))
      throw usageError(`import: ${output} is not the name of a trace.`, 'Traces end in .simsight.');
    await showingProgress((onProgress) =>
      writeTarget(output, { force: false, holds: 'database', inputs: [path] }, (target) =>
        convertRecording(path, target, { onProgress }),
      ),
    );
    print(values.json ? printed({ files: [output] }) : `${output}\n`);
    return exitCodes.ok;
  },
};
