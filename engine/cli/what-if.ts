import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { checkWhatIfTarget } from '../analysis/what-if-results.ts';
import type { LiftedLimit, WhatIfResult } from '../model/what-if.ts';
import { harmlessLines } from '../base/harmless.ts';
import { limits } from '../base/limits.ts';
import { replaceFile } from '../base/replace-file.ts';
import { formatTime } from '../model/format.ts';
import { choice, print, printError, type Command } from './command.ts';
import { flagChoices } from './option-flags.ts';
import { parseWhatIf, programHelp, runWhatIf, whatIfOptions } from './program.ts';

/** Width of the largest gain's bar, characters. */
const barWidth = 32;
/** Kernels that are named below a limit: no more than so many, and those that change by this part of the program's time. */
const mostKernels = 3;
const littleChange = 0.005;

export const whatIf: Command = {
  name: 'what-if',
  options: whatIfOptions,
  values: { ...flagChoices, limit: limits.map(({ id }) => id), format: ['table', 'json'] },
  help: `usage: simsight what-if SOURCE.cu [SOURCE…] [options] [-- ARGUMENTS]

Records the program as it is, and once more without each limit. Results stay the same; the time saved is what the limit
costs, and no fix for it can gain more. Prints the limits by gain. Gains do not add up: behind one limit is the next.

${limits.map(({ id, meaning }) => `  ${id.padEnd(16)}${meaning}`).join('\n')}

  --limit NAME      only this one; can be repeated
  --fixed FILE      trace of the program with the fix, to show its real gain as well
  --keep FOLDER     keep all traces in FOLDER, and the result as APP-what-if.json, for "simsight report APP.simsight
                    --what-if APP-what-if.json" (default: none)
  --force           replace existing traces there
  -f, --format F    table (default) or json
  --title TEXT      title of the result
${programHelp}

Program output goes to stderr. Exit code: the program's own.
`,
  async run(words) {
    const call = parseWhatIf(words);
    const format = choice('what-if', 'format', call.format, ['table', 'json'] as const);
    const [source] = call.options.sources as [string];
    const kept = call.keep === undefined ? undefined : whatIfFile(call.keep, source);
    if (kept !== undefined && existsSync(dirname(kept))) checkWhatIfTarget(kept);
    const result = await runWhatIf(call);
    const json = `${JSON.stringify(result, null, 2)}\n`;
    if (kept !== undefined) {
      checkWhatIfTarget(kept);
      replaceFile(kept, json);
    }
    print(format === 'json' ? json : tableOf(result, kept));
    if (result.exitCode !== 0) {
      printError(`simsight: ${basename(call.options.sources[0]!)} ended with exit code ${result.exitCode}.\n`);
    }
    return result.exitCode;
  },
};

/** Beside the trace of the program as it is. */
const whatIfFile = (folder: string, source: string): string =>
  join(resolve(folder), `${basename(source, extname(source))}-what-if.json`);

/** `kept`: the file that has the same as JSON. */
function tableOf(result: WhatIfResult, kept: string | undefined): string {
  const { title, gpu, baseline, limits, real } = harmlessLines(result);
  const most = Math.max(1, real?.gainNs ?? 0, ...limits.map(({ gainNs }) => gainNs));
  const widest = Math.max(...limits.map((limit) => limit.title.length), 8);
  const row = (name: string, totalNs: number, gainNs: number): string => {
    const share = baseline.totalNs === 0 ? 0 : (100 * gainNs) / baseline.totalNs;
    const bar = '█'.repeat(Math.max(0, Math.round((barWidth * gainNs) / most)));
    const figures = [formatTime(totalNs), formatTime(gainNs), `${share.toFixed(1)} %`].map((text, i) =>
      text.padStart(i < 2 ? 12 : 9),
    );
    return `  ${name.padEnd(widest)}${figures.join('')}  ${bar}`.trimEnd();
  };
  const ofLimit = (limit: LiftedLimit): string[] =>
    limit.inEffect
      ? [
          row(limit.title, limit.totalNs, limit.gainNs),
          ...limit.kernels
            .filter(({ beforeNs, afterNs }) => Math.abs(beforeNs - afterNs) > littleChange * baseline.totalNs)
            .slice(0, mostKernels)
            .map(
              ({ name, count, beforeNs, afterNs }) =>
                `      ${count} × ${name}: ${formatTime(beforeNs)} → ${formatTime(afterNs)}`,
            ),
        ]
      : [`  ${limit.title.padEnd(widest)}${'not in effect'.padStart(24)}`];
  const traces = [baseline, ...limits].flatMap(({ path }) => (path === null ? [] : [`  ${path}`]));
  const lines = [
    `${title} on ${gpu}: ${formatTime(baseline.totalNs)}, of which kernels ${formatTime(baseline.kernelsNs)}`,
    '',
    `  ${'what if'.padEnd(widest)}${'then'.padStart(12)}${'gain'.padStart(12)}`,
    ...limits.flatMap(ofLimit),
    ...(real ? ['', row('the fix', real.totalNs, real.gainNs), `      ${real.title}`] : []),
    ...(traces.length > 0 ? ['', 'Traces:', ...traces] : []),
    ...(kept === undefined ? [] : ['', 'For reports (--what-if):', `  ${kept}`]),
    '',
    'Each gain is an upper bound for a fix of that one limit; gains do not add up.',
  ];
  return `${lines.join('\n')}\n`;
}
