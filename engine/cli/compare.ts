import { compareTraces, formatComparison } from '../analysis/compare.ts';
import { choice, exitCodes, helpHint, parse, print, usageError, type Command } from './command.ts';
import { openForCommand } from './open-recording.ts';

export const compare: Command = {
  name: 'compare',
  summary: 'compare two traces: totals, kernels, API calls, copies',
  help: `usage: simsight compare BEFORE.simsight AFTER.simsight [--format table|json]

Totals first, then kernels, API calls and memory operations, the largest change first.

  -f, --format F  table (default) or json
`,
  async run(words) {
    const { values, positionals } = parse('compare', words, {
      format: { type: 'string', short: 'f', default: 'table' },
    });
    const [beforePath, afterPath, ...more] = positionals;
    if (beforePath === undefined || afterPath === undefined || more.length > 0) {
      throw usageError('compare: two traces are needed.', helpHint('compare'));
    }
    const format = choice('compare', 'format', values.format, ['table', 'json'] as const);
    const before = await openForCommand(beforePath);
    try {
      const after = await openForCommand(afterPath);
      try {
        const comparison = compareTraces(before, after);
        print(format === 'json' ? `${JSON.stringify(comparison, null, 2)}\n` : formatComparison(comparison));
      } finally {
        after.close();
      }
    } finally {
      before.close();
    }
    return exitCodes.ok;
  },
};
