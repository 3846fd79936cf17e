import { advise as findingsOf, rules } from '../analysis/adviser/index.ts';
import { formatFindings } from '../analysis/adviser/text.ts';
import { gpusLeftOut } from '../analysis/adviser/timeline-facts.ts';
import { choice, exitCodes, helpHint, parse, print, printError, usageError, type Command } from './command.ts';
import { openForCommand } from './open-recording.ts';

const width = Math.max(...rules.map(({ id }) => id.length));

const options = {
  format: { type: 'string', short: 'f', default: 'text' },
} as const;

export const advise: Command = {
  name: 'advise',
  options,
  values: { format: ['text', 'json'] },
  help: `usage: simsight advise FILE.simsight [--format text|json]

Prints what costs time, where and why, what to do about it, and the most that a fix could gain: first findings on the
timeline, then on memory, compute and latency of the kernels that matter, then kernels that need no more work. Every finding
has evidence in the trace: recordings of other tools have no kernel counters, so only their timelines are analyzed.

  -f, --format F  text (default) or json: all findings with their evidence

Rules:
${rules.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`).join('\n')}
`,
  async run(words) {
    const { values, positionals } = parse('advise', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('advise: no trace given.', helpHint('advise'));
    if (more.length > 0) throw usageError('advise: only one trace is allowed.', helpHint('advise'));
    const format = choice('advise', 'format', values.format, ['text', 'json'] as const);
    const trace = await openForCommand(path);
    try {
      const findings = findingsOf(trace);
      const left = gpusLeftOut(trace);
      if (left > 0) printError(`simsight: ${left} less busy GPUs were not analyzed.\n`);
      print(format === 'json' ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings));
    } finally {
      trace.close();
    }
    return exitCodes.ok;
  },
};
