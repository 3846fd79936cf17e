import { reportPieces, tableFormats } from '../analysis/formats.ts';
import { checkReport, makeReport, reportNames, reportTitle } from '../analysis/reports.ts';
import { choice, exitCodes, helpHint, parse, print, usageError, type Command } from './command.ts';
import { openForCommand } from './open-recording.ts';

const usual = ['cuda_api_sum', 'cuda_gpu_kern_sum', 'cuda_gpu_mem_time_sum', 'cuda_gpu_mem_size_sum'];
const width = Math.max(...reportNames.map((name) => name.length));

const options = {
  report: { type: 'string', short: 'r', multiple: true },
  format: { type: 'string', short: 'f', default: 'table' },
  'warm-up': { type: 'string' },
} as const;

export const stats: Command = {
  name: 'stats',
  options,
  values: { report: reportNames, format: tableFormats },
  help: `usage: simsight stats FILE.simsight [--report NAME]… [--format table|csv|json]

Reports have the names and columns of "nsys stats". Without --report: ${usual.join(', ')}.

  -r, --report NAME  report to print; can be repeated, or several names with commas
  -f, --format F     table (default), csv or json; csv and json print one report
  --warm-up N        launches of each kernel that simsight_benchmark leaves out (default 3, but at most a fifth of them)

Reports:
${reportNames.map((name) => `  ${name.padEnd(width)}  ${reportTitle(name)}`).join('\n')}
`,
  async run(words) {
    const { values, positionals } = parse('stats', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('stats: no trace given.', helpHint('stats'));
    if (more.length > 0) throw usageError('stats: only one trace is allowed.', helpHint('stats'));
    const format = choice('stats', 'format', values.format, tableFormats);
    const names = values.report?.flatMap((list) => list.split(',')) ?? usual;
    if (format !== 'table' && names.length !== 1) {
      throw usageError(`stats: --format ${format} prints one report.`, 'Name it with --report.');
    }
    const warmUp = values['warm-up'] === undefined ? undefined : warmUpOf(values['warm-up'], names);
    const trace = await openForCommand(path);
    try {
      // Before the first is made: an unknown name prints nothing.
      for (const name of names) checkReport(name);
      // One after the other: of a million events each takes hundreds of megabytes.
      for (const name of names)
        for (const piece of reportPieces(makeReport(trace, name, { warmUp }), format)) print(piece);
    } finally {
      trace.close();
    }
    return exitCodes.ok;
  },
};

function warmUpOf(text: string, names: readonly string[]): number {
  if (!names.includes('simsight_benchmark'))
    throw usageError('stats: --warm-up applies to simsight_benchmark only.', 'Add --report simsight_benchmark.');
  if (!/^\d{1,9}$/.test(text)) throw usageError(`stats: --warm-up ${text} is not a number of launches.`);
  return Number(text);
}
