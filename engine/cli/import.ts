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
  summary: 'make a trace of what another tool has recorded',
  options,
  help: `usage: simsight import FILE [-o FILE.simsight] [--json]

Makes a trace of an SQLite export of Nsight Systems, or of JSON as torch.profiler (Kineto) and chrome://tracing write it,
plain or gzip. All commands open such files as they are; this is for a file to keep, to send, or to add to.

  -o, --output FILE  the trace to write (default: FILE.simsight in the current folder); an existing one is never replaced
  --json             print what was written as JSON
`,
  async run(words) {
    const { values, positionals } = parse('import', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('import: no recording is given.', helpHint('import'));
    if (more.length > 0) throw usageError('import: one recording at a time.', helpHint('import'));
    const output = values.output ?? `${basename(path).replace(/\.(sqlite3?|db|json|json\.gz)$/i, '')}.simsight`;
    if (!output.endsWith('.simsight'))
      throw usageError(`import: the name ${output} is not that of a trace.`, 'Traces end in .simsight.');
    await showingProgress((onProgress) =>
      writeTarget(output, { force: false, holds: 'database', inputs: [path] }, (target) =>
        convertRecording(path, target, { onProgress }),
      ),
    );
    print(values.json ? printed({ files: [output] }) : `${output}\n`);
    return exitCodes.ok;
  },
};
