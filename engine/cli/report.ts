import { basename, dirname, join } from 'node:path';
import { writeReport } from '../analysis/report/index.ts';
import { readWhatIf } from '../analysis/what-if-results.ts';
import type { DocumentFormat } from '../model/tables.ts';
import { writeTexts } from '../formats/export-target.ts';
import { exitCodes, helpHint, parse, print, printed, usageError, type Command } from './command.ts';
import { openForCommand } from './open-recording.ts';

const options = {
  output: { type: 'string', short: 'o' },
  before: { type: 'string' },
  'what-if': { type: 'string' },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export const report: Command = {
  name: 'report',
  options,
  help: `usage: simsight report FILE.simsight [-o FILE.html|FILE.md] [--before OTHER.simsight]
                       [--what-if FILE.json] [--force]

Contains a summary, the timeline, kernels with their limiters, API calls, copies, and the program's output. HTML is one
self-contained file. Markdown keeps its pictures in files beside it, FILE.PICTURE.svg, so that GitHub shows them.

  -o, --output FILE  file to write (default: FILE.report.html, in the current folder)
  --before FILE      recording to compare with
  --what-if FILE     output of "simsight what-if --format json" for this recording, or for the one before if this is the fix:
                     adds its waterfall to the report
  --force            overwrite existing files
  --json             print what was written as JSON
`,
  async run(words) {
    const { values, positionals } = parse('report', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('report: no trace given.', helpHint('report'));
    if (more.length > 0)
      throw usageError('report: only one trace is allowed.', 'Name the trace to compare with after --before.');
    const { output } = values;
    const format = output === undefined ? 'html' : formatOf(output);
    const whatIf = values['what-if'] === undefined ? undefined : readWhatIf(values['what-if']);
    const trace = await openForCommand(path);
    try {
      const before = values.before === undefined ? undefined : await openForCommand(values.before);
      try {
        const { text, fileName, pictures } = writeReport(
          trace,
          format,
          {
            name: basename(path),
            before: before && { trace: before, name: basename(values.before!) },
            whatIf,
          },
          output === undefined ? undefined : basename(output),
        );
        const target = output ?? fileName;
        const written = [
          ...pictures.map((picture) => ({ name: join(dirname(target), picture.fileName), text: picture.text })),
          { name: target, text },
        ];
        const inputs = [path, values.before, values['what-if']].filter((each) => each !== undefined);
        await writeTexts(written, { force: values.force, inputs });
        const files = [target, ...written.slice(0, -1).map(({ name }) => name)];
        print(values.json ? printed({ files }) : `${target}\n`);
      } finally {
        before?.close();
      }
    } finally {
      trace.close();
    }
    return exitCodes.ok;
  },
};

function formatOf(output: string): DocumentFormat {
  if (/\.html?$/i.test(output)) return 'html';
  if (/\.(md|markdown)$/i.test(output)) return 'markdown';
  throw usageError(`report: ${output} has no known extension.`, 'Use .html or .md.');
}
