import { basename, dirname, join } from 'node:path';
import { eventKinds, type EventKind } from '../model/event-kinds/index.ts';
import type { EventRef } from '../model/timeline.ts';
import type { CompareAlign, CompareJudgement, Comparison, KernelComparison, KernelPair } from '../model/comparison.ts';
import { bothWays, KernelPairsStore } from '../api/kernel-pairs.ts';
import { compareTraces, type CompareOptions } from '../analysis/compare/index.ts';
import { usualThreshold } from '../analysis/compare/judge.ts';
import { compareKernels } from '../analysis/compare/kernels.ts';
import { compareLadder } from '../analysis/compare/ladder.ts';
import { formatComparison, formatLadder } from '../analysis/compare/text.ts';
import { writeComparison } from '../analysis/report/comparison.ts';
import { writeTexts } from '../formats/export-target.ts';
import type { Trace } from '../trace/trace.ts';
import {
  choice,
  dataFolder,
  exitCodes,
  helpHint,
  parse,
  print,
  printError,
  usageError,
  type Command,
} from './command.ts';
import { openForCommand } from './open-recording.ts';

const formats = ['text', 'json', 'markdown', 'html'] as const;
type Format = (typeof formats)[number];
/** Kernels that are written side by side. */
const mostKernels = 5;

const options = {
  format: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
  force: { type: 'boolean', default: false },
  pair: { type: 'string', multiple: true },
  range: { type: 'string' },
  align: { type: 'string', multiple: true },
  rows: { type: 'string', default: '30' },
  'fail-over': { type: 'string' },
} as const;

export const compare: Command = {
  name: 'compare',
  options,
  values: { format: formats },
  help: `usage: simsight compare BEFORE AFTER [options]
       simsight compare FIRST SECOND THIRD… [options]      a ladder: each against the previous one, and the first

Prints a verdict with its reasons, then the times of kernels, copies, calls and ranges, largest change first. Traces may come
from Simsight or from other tools. For a simulated and a real trace, it prints the error of each simulated kernel.

  --fail-over PERCENT exit with 3 after a slowdown of at least this much (5%), with 4 if the verdict is inconclusive; also the
                      threshold of the verdict, ${100 * usualThreshold}% by default
  --pair A=B          match kernel A before with kernel B after, by full names or names without parameters; can be repeated.
                      Pairs made in the app apply as well
  --range NAME        compare only the NVTX range (or thread range) of this name; NAME@2 is the third one
  --align HOW         start (default); steps, steps=NAME, steps@3 (the fourth alone); range=NAME as --range;
                      KIND:ROW,KIND:ROW two events, as kernel:12,kernel:40; scaled: times after scaled to the length before
  --rows N            rows of the table (default 30)
  -f, --format F      text (default), json, markdown or html; all but text include counters and source lines of the ${mostKernels}
                      longest kernels
  -o, --output FILE   file to write; its extension sets the format (.json, .md, .html, .txt) unless --format is given
  --force             write over existing files

The verdict compares the median step (ProfilerStep#7, "step 12", ranges that repeat and cover the program), or else the time
from the first to the last activity of the program, without the recorder's own. A step lasts until its GPU work is done. If the
mean step, the whole time, GPU busy time or the amount of recorded work contradict it, the verdict is inconclusive (4 with
--fail-over). Changes between real recordings count beyond the noise: 2 % from run to run, and 1.57 IQR / √n of the times on
either side. Simulated times are exact.

Exit code: 0, with --fail-over 3 (regression) or 4 (inconclusive); 1 failed, 2 wrong command line.
`,
  async run(words) {
    const { values, positionals } = parse('compare', words, options);
    if (positionals.length < 2) throw usageError('compare: two traces are required.', helpHint('compare'));
    const format = formatOf(values.format, values.output);
    if (positionals.length > 2 && format !== 'text' && format !== 'json')
      throw usageError(`compare: ${format} takes two traces.`, 'Use text or json for more.');
    if (!/^\d{1,6}$/.test(values.rows)) throw usageError(`compare: --rows ${values.rows} is not a number of rows.`);
    const failOver = values['fail-over'] === undefined ? undefined : shareOf(values['fail-over']);
    const how: CompareOptions = {
      ...alignOf(values.align ?? [], values.range),
      threshold: failOver ?? usualThreshold,
      pairs: [...(values.pair ?? []).map(pairOf), ...bothWays(new KernelPairsStore(dataFolder()).read())],
    };
    const traces: Trace[] = [];
    try {
      for (const path of positionals) traces.push(await openForCommand(path));
      const { judgement, ...written } =
        traces.length > 2
          ? ladderOf(traces, how, format)
          : pairedOf(traces[0]!, traces[1]!, positionals, how, format, Number(values.rows), values.output);
      await put(written, values.output, { force: values.force, inputs: positionals });
      return failOver === undefined ? exitCodes.ok : exitCodeOf(judgement);
    } finally {
      for (const trace of traces) trace.close();
    }
  },
};

interface Written {
  text: string;
  pictures: { fileName: string; text: string }[];
}

function pairedOf(
  before: Trace,
  after: Trace,
  paths: readonly string[],
  options: CompareOptions,
  format: Format,
  rows: number,
  output: string | undefined,
): Written & { judgement: CompareJudgement } {
  const comparison = compareTraces(before, after, options);
  const { judgement } = comparison;
  if (format === 'text') return { judgement, text: formatComparison(comparison, rows), pictures: [] };
  const kernels = kernelsOf(comparison, before, after);
  if (format === 'json')
    return { judgement, text: `${JSON.stringify({ ...comparison, launches: kernels }, null, 2)}\n`, pictures: [] };
  const names = { before: basename(paths[0]!), after: basename(paths[1]!) };
  return {
    judgement,
    ...writeComparison(comparison, format, names, kernels, {
      fileName: output === undefined ? undefined : basename(output),
      withPictures: output !== undefined || format === 'html',
    }),
  };
}

/** The launches that stand for the kernels that took most time. */
function kernelsOf({ kernels }: Comparison, before: Trace, after: Trace): KernelComparison[] {
  return kernels.flatMap(({ hasCounters, launches: [launch] }, i) =>
    hasCounters && launch && i < mostKernels
      ? [compareKernels({ trace: before, row: launch.before.row }, { trace: after, row: launch.after.row })]
      : [],
  );
}

/** Judged is the last against the first. */
function ladderOf(
  traces: readonly Trace[],
  options: CompareOptions,
  format: Format,
): Written & { judgement: CompareJudgement } {
  const ladder = compareLadder(traces, options);
  const text = format === 'json' ? `${JSON.stringify(ladder, null, 2)}\n` : formatLadder(ladder);
  return { judgement: ladder.steps.at(-1)!.toFirst!, text, pictures: [] };
}

async function put(
  { text, pictures }: Written,
  output: string | undefined,
  order: { force: boolean; inputs: readonly string[] },
): Promise<void> {
  if (output === undefined) {
    print(text);
    return;
  }
  const beside = pictures.map((picture) => ({ name: join(dirname(output), picture.fileName), text: picture.text }));
  await writeTexts([...beside, { name: output, text }], order);
  print(`${output}\n`);
}

function exitCodeOf({ verdict, reasons }: CompareJudgement): number {
  if (verdict === 'regression') {
    printError(`simsight: compare: regression. ${reasons[0] ?? ''}\n`);
    return exitCodes.regression;
  }
  if (verdict === 'inconclusive') {
    printError(`simsight: compare: inconclusive. ${reasons[0] ?? ''}\n`);
    return exitCodes.inconclusive;
  }
  return exitCodes.ok;
}

function formatOf(format: string | undefined, output: string | undefined): Format {
  if (format !== undefined) return choice('compare', 'format', format === 'table' ? 'text' : format, formats);
  if (output === undefined) return 'text';
  const [, ending] = /\.(json|md|markdown|html?|txt)$/i.exec(output) ?? [];
  if (ending === undefined)
    throw usageError(`compare: ${output} has no known extension.`, 'Use .json, .md, .html or .txt.');
  if (/^json$/i.test(ending)) return 'json';
  if (/^txt$/i.test(ending)) return 'text';
  return /^h/i.test(ending) ? 'html' : 'markdown';
}

/** `5%` or `5`. */
function shareOf(text: string): number {
  const [, number] = /^(\d+(?:\.\d+)?) ?%?$/.exec(text) ?? [];
  const share = Number(number) / 100;
  if (!(share > 0))
    throw usageError(`compare: --fail-over ${text} is not a percentage above 0.`, 'As in --fail-over 5%.');
  return share;
}

/** Splits a pair at the one `=` that is not part of an operator's name (`==`, `<=`). */
function pairOf(text: string): KernelPair {
  const [before, after, ...more] = text.split(/(?<![=<>!])=(?!=)/).map((name) => name.trim());
  if (!before || !after || more.length > 0)
    throw usageError(`compare: --pair ${text} is not a pair of names.`, 'As in --pair matmulNaive=matmulTiled.');
  return [before, after];
}

function alignOf(
  all: readonly string[],
  range: string | undefined,
): { align?: CompareAlign | undefined; scaled?: boolean } {
  const scaled = all.includes('scaled');
  const ways = all.filter((each) => each !== 'scaled');
  if (range !== undefined) ways.push(`range=${range}`);
  if (ways.length > 1)
    throw usageError(`compare: only one alignment is allowed, not ${ways.join(' and ')}.`, helpHint('compare'));
  return { scaled, align: ways[0] === undefined ? undefined : wayOf(ways[0]) };
}

function wayOf(text: string): CompareAlign {
  if (text === 'start') return { by: 'start' };
  const [, way, name, number] = /^(steps|range)(?:=(.+?))?(?:@(\d+))?$/s.exec(text) ?? [];
  const more = number === undefined ? {} : { number: Number(number) };
  if (way === 'steps') return { by: 'steps', ...(name === undefined ? {} : { name }), ...more };
  if (way === 'range' && name !== undefined) return { by: 'range', name, ...more };
  const [before, after] = text.split(',').map(refOf);
  if (before && after) return { by: 'events', before, after };
  throw usageError(
    `compare: --align ${text} is not an alignment.`,
    'Use start, steps, steps=NAME, range=NAME, scaled, or two events as kernel:12,kernel:40.',
  );
}

function refOf(text: string): EventRef | null {
  const [, kind, row] = /^([a-z-]+):(\d+)$/.exec(text.trim()) ?? [];
  return kind !== undefined && (eventKinds as readonly string[]).includes(kind)
    ? { kind: kind as EventKind, row: Number(row) }
    : null;
}
