/** `docs/what-runs.md`: outcomes of public programs, in words and tables. */
import { format, resolveConfig } from 'prettier';
import type { Ending, Outcome, Outcomes } from './outcomes.ts';
import { endings } from './outcomes.ts';

const meanings: Readonly<Record<Ending, string>> = {
  right: 'came to its end, and does not say that a result is wrong, unless it says so on a real H200 too',
  wrong: 'says itself that a result is wrong, or ends with an error',
  sampled: 'came to its end with launches that were timed and not executed, so its own checks say nothing',
  refused: 'does not compile, or wants what is not there',
  limit: 'was still executing at the limit',
  differs: 'its trace is not that of executing all launches: a bug',
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const table = (rows: readonly (readonly string[])[]): string => {
  const [head, ...body] = rows as [readonly string[], ...string[][]];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
};

function summaryOf(outcomes: readonly Outcome[]): string {
  const suites = [...new Set(outcomes.map(({ suite }) => suite))];
  const seen = endings.filter((ending) => outcomes.some((each) => each.ending === ending));
  const row = (name: string, own: readonly Outcome[]): string[] => [
    name,
    String(own.length),
    ...seen.map((ending) => String(own.filter((each) => each.ending === ending).length)),
  ];
  return table([
    ['suite', 'programs', ...seen],
    ...suites.map((suite) =>
      row(
        suite,
        outcomes.filter((each) => each.suite === suite),
      ),
    ),
    ...(suites.length > 1 ? [row('all', outcomes)] : []),
  ]);
}

/** How many of those come to their end that want nothing that their suites do not have. */
function shareOf(outcomes: readonly Outcome[]): string {
  const own = outcomes.filter(({ needs }) => needs === undefined);
  const count = (ending: Ending): number => own.filter((each) => each.ending === ending).length;
  const [right, sampled] = [count('right'), count('sampled')];
  const share = ((100 * (right + sampled)) / own.length).toFixed(1);
  return (
    `${outcomes.length - own.length} of them want a library or a data file that is not in their suite. ` +
    `Of the other ${own.length}, ${right + sampled} came to their end (${share} %), ${sampled} of these as samples.`
  );
}

/** How many were seen to be recorded alike with every launch executed. */
function comparedOf(outcomes: readonly Outcome[]): string[] {
  const same = outcomes.filter((each) => each.same).length;
  const differ = outcomes.filter(({ ending }) => ending === 'differs').length;
  if (same + differ === 0) return [];
  const result = differ === 0 ? 'all traces are the same, byte for byte' : `${differ} traces differ`;
  return [`${same + differ} were recorded again with \`--execute-all\` (\`npm run strangers -- --twice\`): ${result}.`];
}

/** Programs with an ending, a line each. */
function programsWith(ending: Ending, outcomes: readonly Outcome[]): string[] {
  const own = outcomes.filter((each) => each.ending === ending);
  if (own.length === 0) return [];
  const rows = own.map(({ suite, program, seconds, launches, executed, memory, why, needs }) => [
    `${suite} ${cell(program)}`,
    seconds.toFixed(1),
    String(launches),
    launches > 0 ? `${(100 * executed).toFixed(0)} %` : '',
    (memory / 2 ** 20).toFixed(0),
    cell(needs === undefined ? why.split('\n')[0]!.slice(0, 160) : `wants ${needs}`),
  ]);
  return [
    `## ${ending[0]!.toUpperCase()}${ending.slice(1)}`,
    `${meanings[ending][0]!.toUpperCase()}${meanings[ending].slice(1)}.`,
    table([['program', 's', 'launches', 'executed', 'MiB', 'why'], ...rows]),
  ];
}

/** The page, formatted as it is kept at `path`. */
export async function pageOf({ outcomes, conditions }: Outcomes, path: string): Promise<string> {
  const { gpu, cores, limitSeconds, sample, thenSample } = conditions;
  const how = `${sample ? 'with `--sample`, ' : ''}on a simulated ${gpu}, ${cores} cores, at most ${limitSeconds} s each, compiling included`;
  const again = thenSample
    ? ' Those at the limit were recorded again with `--sample`, from what was compiled the first time.'
    : '';
  const kept = ' Outcomes that were kept from earlier runs (`--json`) are of the version of then.';
  const page = `${[
    '# What runs',
    `${outcomes.length} public programs, unmodified, with the arguments of their own makefiles: ${how}.${again}${kept} Written by \`npm run strangers -- --page\`; none of the sources are here.`,
    shareOf(outcomes),
    ...comparedOf(outcomes),
    summaryOf(outcomes),
    ...endings.flatMap((ending) => programsWith(ending, outcomes)),
  ].join('\n\n')}\n`;
  return format(page, { ...(await resolveConfig(path)), parser: 'markdown' });
}
