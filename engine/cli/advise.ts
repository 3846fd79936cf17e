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
  summary: 'say what to do about a trace, with what was measured',
  help: `usage: simsight advise FILE.simsight [--format text|json]

What costs time, where, why, what to do about it, and what that could gain at most: first what the timeline shows, then
memory, computation and latency of the kernels that matter, then where to stop. Nothing is said that the trace does not
show: recordings of other tools have no counters of kernels, so only their timelines are looked at.

  -f, --format F  text (default) or json: a list of findings with all their evidence

Rules:
${rules.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`).join('\n')}
`,
  async run(words) {
    const { values, positionals } = parse('advise', words, options);
    const [path, ...more] = positionals;
    if (path === undefined) throw usageError('advise: no trace is given.', helpHint('advise'));
    if (more.length > 0) throw usageError('advise: one trace at a time.', helpHint('advise'));
    const format = choice('advise', 'format', values.format, ['text', 'json'] as const);
    const trace = await openForCommand(path);
    try {
      const findings = findingsOf(trace);
      const left = gpusLeftOut(trace);
      if (left > 0) printError(`simsight: ${left} GPUs that were less busy than the others are not looked at.\n`);
      print(format === 'json' ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings));
    } finally {
      trace.close();
    }
    return exitCodes.ok;
  },
};
